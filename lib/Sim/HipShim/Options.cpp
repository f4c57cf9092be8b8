// The options file: "key value" lines, # starts a comment. An unknown key or value is an error, so
// that a typing mistake doesn't run something else.
#include "Shim.h"
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tegula::hip {

namespace {
bool number(const std::string &text, uint64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && text[0] != '-' && !*end && errno == 0;
}

bool schedule(const std::string &value, tgs_config &config) {
  if (value == "fifo")
    config.schedule = TGS_SCHEDULE_FIFO;
  else if (value == "adversarial")
    config.schedule = TGS_SCHEDULE_ADVERSARIAL;
  else if (value.compare(0, 7, "random:") == 0 && number(value.substr(7), config.seed))
    config.schedule = TGS_SCHEDULE_RANDOM;
  else
    return false;
  return true;
}

bool apply(const std::string &key, const std::string &value, Options &o) {
  uint64_t n = 0;
  if (key == "device") {
    o.targets.push_back(value);
    return value == "gfx942" || value == "gfx950";
  }
  if (key == "sanitize") {
    o.config.sanitizers = value == "on" ? TGS_SANITIZE_ALL : TGS_SANITIZE_NONE;
    return value == "on" || value == "off";
  }
  if (key == "suppress") {
    o.suppressions += value + "\n"; // tgs_open says what is wrong with one
    return true;
  }
  if (key == "late-loads") {
    o.config.late_loads = value == "on";
    return value == "on" || value == "off";
  }
  if (key == "transcendentals") {
    o.config.transcendental_error = value == "1ulp";
    return value == "1ulp" || value == "exact";
  }
  if (key == "schedule")
    return schedule(value, o.config);
  if (key == "numerics") {
    o.config.numerics = value == "cdna3-fused" ? TGS_NUMERICS_CDNA3_FUSED : TGS_NUMERICS_FMA_CHAIN;
    return value == "fma-chain" || value == "cdna3-fused";
  }
  if (key == "threads" && number(value, n) && n <= 1024) {
    o.config.threads = uint32_t(n);
    return true;
  }
  if (key == "max-findings" && number(value, n) && n <= UINT32_MAX) {
    o.config.max_findings = uint32_t(n);
    return true;
  }
  if (key == "seconds" && number(value, n)) {
    o.config.seconds_limit = double(n);
    return true;
  }
  return key == "limit" && number(value, o.config.instruction_limit);
}
} // namespace

bool readOptions(const std::string &path, Options &o, std::string &error) {
  o.config.sanitizers = TGS_SANITIZE_ALL;
  std::ifstream file(path);
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string key, value, rest;
    if (!(words >> key))
      continue;
    if (!(words >> value) || words >> rest || !apply(key, value, o)) {
      error = path + ":" + std::to_string(number) + ": cannot understand '" + line + "'";
      return false;
    }
  }
  if (o.targets.empty())
    o.targets = {"gfx950", "gfx942"};
  return true;
}

} // namespace tegula::hip
