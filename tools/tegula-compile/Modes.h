// The two ways to run tegula-compile.
#ifndef TEGULA_TOOLS_TEGULA_COMPILE_MODES_H
#define TEGULA_TOOLS_TEGULA_COMPILE_MODES_H

#include <string>

namespace tegula {

struct OneShotOptions {
  std::string input, output, target, from = "tile", emit = "object";
};

/// Compiles one file; the exit status.
int runOneShot(const OneShotOptions &options);

/// Answers requests on standard input until it ends; the exit status. A compile that crashed LLVM
/// is answered, then the process replaces itself with a fresh copy.
int runServer(char **argv);

} // namespace tegula

#endif // TEGULA_TOOLS_TEGULA_COMPILE_MODES_H
