// tegula-sim: runs, describes and checks AMDGPU code objects on the simulated device, through the C
// API.
#include "Commands.h"
#include <cstdio>
#include <cstring>
#include <exception>

namespace {
struct Command {
  const char *name, *summary;
  int (*body)(const std::vector<std::string> &);
};
constexpr Command kCommands[] = {
    {"run", "launch a kernel, report what is wrong with it, write its outputs", run},
    {"list", "kernels of a code object, their resources and arguments", list},
    {"disassemble", "the instructions of a code object", disassemble},
    {"coverage", "the instructions that are executed, and which of them tests cover", coverage},
    {"debug", "stop a launch, look at its waves, trace it", debug},
    {"hip", "run a program that uses HIP on simulated devices", hip},
};

void help(std::FILE *to) {
  std::fputs("usage: tegula-sim COMMAND …\n\nRuns code objects for gfx942 and gfx950 on this host "
             "and says what is wrong with them.\n\n",
             to);
  for (const Command &c : kCommands)
    std::fprintf(to, "  %-12s %s\n", c.name, c.summary);
  std::fputs("\ntegula-sim COMMAND --help tells more.\n", to);
}
} // namespace

int main(int argc, char **argv) {
  std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h") {
    help(stdout);
    return 0;
  }
  for (const Command &c : kCommands)
    if (name == c.name)
      try {
        return c.body({argv + 2, argv + argc});
      } catch (const std::exception &e) {
        return fail(std::strcmp(e.what(), "std::bad_alloc") ? e.what() : "out of memory");
      }
  if (name.empty())
    help(stderr);
  else
    std::fprintf(stderr, "tegula-sim: there is no command %s (tegula-sim --help)\n", name.c_str());
  return 2;
}
