#include "Cases.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {
void parseMark(const std::string &line, unsigned number, Case &c) {
  size_t comment = line.find("//");
  if (comment == std::string::npos)
    return;
  std::istringstream words(line.substr(comment + 2));
  for (std::string word; words >> word;) {
    if (word == "EARLIER")
      c.earlier.push_back(number);
    if (word != "FAULT")
      continue;
    Mark m{"", "error", number};
    words >> m.kind;
    std::string severity;
    std::streampos before = words.tellg();
    if (words >> severity && (severity == "warning" || severity == "note")) {
      m.severity = severity;
    } else {
      words.clear();
      words.seekg(before);
    }
    c.faults.push_back(m);
  }
}

void parseHeader(const std::string &line, Case &c) {
  std::istringstream words(line);
  std::string word;
  words >> word >> c.kernel;
  c.kernel = c.kernel.substr(0, c.kernel.find(','));
  if (line.rfind("planted ", 0) == 0)
    return;
  while (words >> word)
    if (size_t equal = word.find('='); equal != std::string::npos)
      c.options[word.substr(0, equal)] = unsigned(std::stoul(word.substr(equal + 1)));
}

void parseFile(const std::filesystem::path &path, const Case &blank, std::vector<Case> &out) {
  std::ifstream file(path);
  unsigned number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    bool planted = line.rfind("planted ", 0) == 0; // a whole kernel on one line
    if (planted || (line.rfind("kernel ", 0) == 0 && line[7] != '\\')) {
      out.push_back(blank);
      parseHeader(line, out.back());
      if (planted)
        parseMark(line, number, out.back());
    } else if (!out.empty() && out.back().object == blank.object) {
      parseMark(line, number, out.back());
    }
  }
}
} // namespace

std::string Case::name() const {
  std::string name = source.substr(0, source.find('.')) + "_" + kernel + "_" + target;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<Case> allCases(const std::string &objects, const std::string &sources) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(sources))
    if (entry.path().extension() == ".s")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> all;
  for (const auto &path : files)
    for (const char *target : {"gfx942", "gfx950"}) {
      std::string stem = path.stem().string();
      bool only950 = stem.size() > 7 && stem.substr(stem.size() - 7) == "-gfx950";
      if (only950 && std::string(target) != "gfx950")
        continue;
      Case blank;
      blank.target = target;
      blank.source = path.filename().string();
      blank.object = objects + "/" + stem + "-" + target + ".co";
      parseFile(path, blank, all);
    }
  return all;
}
