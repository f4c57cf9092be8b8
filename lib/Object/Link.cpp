// LLD as a library. It reads and writes files only, so both live in a private temporary directory.
#include "tegula/Object/Object.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace tegula;

namespace {

/// A directory of this process, gone with the object.
class TemporaryDirectory {
public:
  TemporaryDirectory() { error = llvm::sys::fs::createUniqueDirectory("tegula", path); }
  ~TemporaryDirectory() {
    if (!error)
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }

  llvm::SmallString<128> path;
  std::error_code error;
};

std::error_code writeBytes(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error)
    os << bytes;
  os.close();
  if (os.has_error()) { // full disk: reported here, not by the stream's destructor
    error = os.error();
    os.clear_error();
  }
  return error;
}

/// First line of LLD's report, without the name of our temporary file.
std::string cleanMessage(llvm::StringRef text, llvm::StringRef directory) {
  std::string message = text.split('\n').first.str();
  for (size_t at; (at = message.find(directory.str() + "/")) != std::string::npos;)
    message.erase(at, directory.size() + 1);
  llvm::StringRef trimmed(message);
  trimmed.consume_front("ld.lld: ");
  trimmed.consume_front("error: ");
  return trimmed.str();
}

} // namespace

FailureOr<std::string> tegula::linkObject(llvm::StringRef object, Location loc) {
  TemporaryDirectory directory;
  if (directory.error)
    return emitError(loc) << "no temporary directory: " << directory.error.message()
                          << " [object.file.c1]";
  std::string in = directory.file("kernel.o"), out = directory.file("kernel.hsaco");
  if (std::error_code error = writeBytes(in, object))
    return emitError(loc) << "writing a temporary file: " << error.message() << " [object.file.c1]";
  // LLD has one global context: one link at a time.
  static std::mutex linking;
  std::lock_guard<std::mutex> guard(linking);
  std::string text;
  llvm::raw_string_ostream errors(text);
  const char *args[] = {"ld.lld",      "-shared",  "-z", "defs",
                        "--threads=1", in.c_str(), "-o", out.c_str()};
  lld::Result result = lld::lldMain(args, llvm::nulls(), errors, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode)
    return emitError(loc) << "linking: " << cleanMessage(text, directory.path)
                          << " [object.link.c1]";
  auto buffer = llvm::MemoryBuffer::getFile(out);
  if (!buffer)
    return emitError(loc) << "reading the linked file: " << buffer.getError().message()
                          << " [object.file.c1]";
  return (*buffer)->getBuffer().str();
}
