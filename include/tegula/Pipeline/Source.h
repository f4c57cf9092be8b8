// IR text from outside: what MLIR's parser would not survive is refused before it is parsed.
#ifndef TEGULA_PIPELINE_SOURCE_H
#define TEGULA_PIPELINE_SOURCE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tegula {

/// Why a text can't be parsed, with its label; "" when it can be.
std::string refuseToParse(llvm::StringRef text);

/// mlir-opt with Tegula's dialects and the passes that are registered; the exit status.
int runOpt(int argc, char **argv, llvm::StringRef name);

} // namespace tegula

#endif // TEGULA_PIPELINE_SOURCE_H
