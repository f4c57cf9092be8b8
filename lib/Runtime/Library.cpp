// dlopen, kept in one place: private symbols, and an owner that closes.
#include "Driver.h"

#include <dlfcn.h>

namespace tegula::runtime {

std::shared_ptr<Library> Library::open(const std::string &path, std::string &error) {
  // RTLD_LOCAL: neither library's symbols may meet those of torch, Triton or another LLVM in the
  // process.
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle)
    return std::shared_ptr<Library>(new Library(handle));
  const char *reason = dlerror();
  error = reason ? reason : "cannot be loaded";
  return nullptr;
}

Library::~Library() { dlclose(handle); }

void *Library::symbol(const char *name) const { return dlsym(handle, name); }

} // namespace tegula::runtime
