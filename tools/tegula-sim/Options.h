// Command line of tegula-sim.
#pragma once

#include "tegula/sim.h"
#include <string>
#include <vector>

struct Options {
  std::string command, object, kernel, target = "gfx950";
  tgs_dims grid{1, 1, 1}, block{64, 1, 1};
  uint32_t lds = 0, threads = 0, sanitizers = TGS_SANITIZE_ALL;
  uint64_t seed = 0, limit = 0;
  bool random = false, json = false, stats = false;
  std::vector<std::string> arguments;
};
/// False with a reason in `error`.
bool parseOptions(int argc, char **argv, Options &, std::string &error);
extern const char *const kUsage;
