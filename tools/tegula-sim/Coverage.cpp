#include "Commands.h"
#include "tegula/sim.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

namespace {
constexpr unsigned kEnoughCases = 8; ///< of one form, for it to count as tested

/// The tests' record lies in the build folder, which holds bin/tegula-sim.
std::string defaultRecord() {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  std::string self(path, n > 0 ? size_t(n) : 0);
  for (int up = 0; up < 2; ++up)
    self.resize(self.find_last_of('/') == std::string::npos ? 0 : self.find_last_of('/'));
  return self + "/isa-tested.csv";
}

/// "mnemonic,target,encoding" → cases, from lines with the number behind a further comma.
bool readRecord(const std::string &path, std::map<std::string, unsigned long> &cases) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    size_t comma = line.rfind(',');
    if (comma != std::string::npos)
      cases[line.substr(0, comma)] += std::strtoul(line.c_str() + comma + 1, nullptr, 10);
  }
  return file.eof();
}

struct Listing {
  std::map<std::string, unsigned long> cases;
  bool json = false;
  size_t forms = 0, tested = 0;
};
void print(const tgs_instruction *i, void *user) {
  auto &l = *static_cast<Listing *>(user);
  auto it = l.cases.find(std::string(i->mnemonic) + "," + i->target + "," + i->encoding);
  bool tested = it != l.cases.end() && it->second >= kEnoughCases;
  if (l.json)
    std::printf("%s{\"mnemonic\": \"%s\", \"arch\": \"%s\", \"encoding\": \"%s\", \"tested\": %s}",
                l.forms ? ",\n " : "[", i->mnemonic, i->target, i->encoding,
                tested ? "true" : "false");
  else
    std::printf("%-40s %s %-12s %s\n", i->mnemonic, i->target, i->encoding,
                tested ? "tested" : "-");
  ++l.forms;
  l.tested += tested;
}
} // namespace

int coverage(const std::vector<std::string> &words) {
  CommandLine line(
      "coverage [options]",
      "Lists what is executed: mnemonic, target and encoding, and whether tests cover it.");
  Listing l;
  std::string record;
  line.flag("--json", "as a JSON list", l.json);
  line.text("--tested", "FILE", "the record of the tests [isa-tested.csv of the\nbuild folder]",
            record);
  CommandLine::Result parsed = line.parse(words);
  if (parsed != CommandLine::Result::Ok)
    return parsed == CommandLine::Result::Help ? 0 : 2;
  std::string path = record.empty() ? defaultRecord() : record;
  if (!readRecord(path, l.cases)) {
    if (!record.empty())
      return fail(record + ": cannot be read");
    std::fprintf(stderr,
                 "note: no record of tests at %s; running test/isa by pytest in the source folder "
                 "makes build/isa-tested.csv, --tested FILE names one elsewhere\n",
                 path.c_str());
  }
  tgs_instructions(print, &l);
  if (l.json)
    std::puts("]");
  else
    std::printf("%zu forms, %zu of them tested with at least %u cases\n", l.forms, l.tested,
                kEnoughCases);
  return 0;
}
