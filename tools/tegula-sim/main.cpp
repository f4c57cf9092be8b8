// tegula-sim: runs, describes and checks AMDGPU code objects on the simulated device, through the C
// API.
#include "Commands.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

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
  std::fputs("\ntegula-sim COMMAND --help tells more; tegula-sim --version.\n", to);
}

int execute(const Command &c, const std::vector<std::string> &words) {
  try {
    return c.body(words);
  } catch (const BadCommandLine &e) {
    std::fprintf(stderr, "tegula-sim: %s (tegula-sim %s --help)\n", e.what(), c.name);
    return 2;
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::exception &e) {
    return fail(e.what());
  }
}

/// The exit status, once all output has reached its end.
int written(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return status;
  int failed = fail(std::string("standard output cannot be written") +
                    (errno ? std::string(": ") + std::strerror(errno) : ""));
  return status ? status : failed;
}
} // namespace

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that would be too large is an error of its write
  std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h") {
    help(stdout);
    return written(0);
  }
  if (name == "--version") {
    std::puts("tegula-sim " TEGULA_VERSION);
    return written(0);
  }
  for (const Command &c : kCommands)
    if (name == c.name)
      return written(execute(c, {argv + 2, argv + argc}));
  if (name.empty())
    help(stderr);
  else
    std::fprintf(stderr, "tegula-sim: there is no command %s (tegula-sim --help)\n", name.c_str());
  return 2;
}
