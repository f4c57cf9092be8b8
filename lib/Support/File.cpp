// Output files appear whole or not at all.
#include "tegula/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;

static std::error_code writeAll(llvm::raw_fd_ostream &os, llvm::StringRef bytes) {
  os << bytes;
  os.flush();
  std::error_code error = os.error();
  os.clear_error(); // else the destructor ends the process
  return error;
}

/// A device or a pipe is written to; renaming a file over it would replace it.
static bool isSpecial(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) || !llvm::sys::fs::exists(status))
    return false;
  return !llvm::sys::fs::is_regular_file(status) && !llvm::sys::fs::is_directory(status);
}

std::error_code tegula::writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  if (path == "-")
    return writeAll(llvm::outs(), bytes);
  if (isSpecial(path)) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error, llvm::sys::fs::CD_OpenExisting);
    return error ? error : writeAll(os, bytes);
  }
  llvm::SmallString<128> temporary;
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          path + ".%%%%%%.new", descriptor, temporary, llvm::sys::fs::OF_None, 0666))
    return error;
  std::error_code error;
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    error = writeAll(os, bytes);
  }
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error)
    llvm::sys::fs::remove(temporary);
  return error;
}
