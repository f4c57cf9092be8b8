// The ways to run tegula-compile.
#ifndef TEGULA_TOOLS_TEGULA_COMPILE_MODES_H
#define TEGULA_TOOLS_TEGULA_COMPILE_MODES_H

#include "tegula/Pipeline/Compiler.h"

#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace tegula {

struct OneShotOptions {
  std::string input, output, from = "tile", emit = "bundle", dumpFolder;
  bool timePasses = false, remarks = false;
  std::vector<std::string> targets; ///< none: the one that the kernel names
};

/// Prints a message under the tool's name; the exit status.
int fail(const llvm::Twine &message);

/// Compiles one file; the exit status.
int runOneShot(const OneShotOptions &options);

/// Writes the C header of a manifest; the exit status.
int runHeader(const std::string &manifest, const std::string &output);

/// Answers requests on standard input until it ends, each by `step`; the exit status. A compile
/// that crashed LLVM is answered, then the process replaces itself with a fresh copy.
int runServer(char **argv, CompileStep step);

} // namespace tegula

#endif // TEGULA_TOOLS_TEGULA_COMPILE_MODES_H
