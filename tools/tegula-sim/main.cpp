// tegula-sim: runs, describes and disassembles AMDGPU code objects on the simulated device, through
// the C API.
#include "Commands.h"
#include "Coverage.h"
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char **argv) {
  if (argc > 1 && std::string(argv[1]) == "coverage")
    return coverage({argv + 2, argv + argc});
  Options o;
  std::string error;
  if (!parseOptions(argc, argv, o, error))
    return std::fprintf(stderr, "tegula-sim: %s\n%s", error.c_str(), kUsage), 2;
  std::ifstream file(o.object, std::ios::binary);
  std::vector<char> elf((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  tgs_config config{};
  config.target = o.target.c_str();
  config.sanitizers = o.sanitizers;
  config.threads = o.threads;
  config.schedule = o.random ? TGS_SCHEDULE_RANDOM : TGS_SCHEDULE_FIFO;
  config.seed = o.seed;
  config.instruction_limit = o.limit;
  config.count_accesses = o.stats;
  if (elf.empty())
    return fail(o.object + ": cannot read");
  Session s;
  char message[256] = "";
  if (tgs_open(&config, &s.device, message, sizeof message) != TGS_OK)
    return fail(message);
  if (tgs_load(s.device, elf.data(), elf.size(), &s.module) != TGS_OK)
    return fail(o.object + ": " + tgs_last_error(s.device));
  if (o.command == "run")
    return run(s, o);
  if (o.command == "info")
    return info(s);
  if (o.command == "disassemble")
    return tgs_disassemble(
        s.module, [](const char *t, size_t n, void *) { std::fwrite(t, 1, n, stdout); }, nullptr);
  return std::fprintf(stderr, "%s", kUsage), 2;
}
