// The C header of a kernel that was compiled ahead of time.
#ifndef TEGULA_OBJECT_HEADER_H
#define TEGULA_OBJECT_HEADER_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace tegula {

/// C declarations for a program's manifest: a struct of the arguments with named extents once, and
/// inline functions that open, plan and launch it through include/tegula/runtime.h.
llvm::Expected<std::string> makeHeader(const llvm::json::Object &manifest);

} // namespace tegula

#endif // TEGULA_OBJECT_HEADER_H
