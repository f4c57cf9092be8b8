// Writing output files.
#ifndef TEGULA_SUPPORT_FILE_H
#define TEGULA_SUPPORT_FILE_H

#include "llvm/ADT/StringRef.h"

#include <system_error>

namespace tegula {

/// Writes to a temporary name beside `path` and renames, so that a reader sees the old file or the
/// whole new one. "-" is standard output.
std::error_code writeFile(llvm::StringRef path, llvm::StringRef bytes);

} // namespace tegula

#endif // TEGULA_SUPPORT_FILE_H
