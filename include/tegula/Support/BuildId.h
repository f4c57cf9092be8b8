// The identity of this build of the compiler.
#ifndef TEGULA_SUPPORT_BUILDID_H
#define TEGULA_SUPPORT_BUILDID_H

#include <string>
#include <vector>

namespace tegula {

/// The linker's build id of the running program, the version of LLVM and a hash of the build ids of
/// its libraries: "9f86d081… llvm-22.1.8-a591a6d4…". Two builds with the same id make the same code
/// objects.
std::string buildId();

/// Paths of LLVM's libraries as they are loaded.
std::vector<std::string> llvmLibraries();

} // namespace tegula

#endif // TEGULA_SUPPORT_BUILDID_H
