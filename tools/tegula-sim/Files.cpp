#include "Files.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

bool readFile(const std::string &path, Bytes &bytes, std::string &error) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  if (S_ISDIR(status.st_mode)) {
    error = path + ": is a folder";
    return false;
  }
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  bytes.clear();
  std::byte block[65536];
  for (size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;)
    bytes.insert(bytes.end(), block, block + n);
  bool bad = std::ferror(file);
  std::fclose(file);
  if (bad)
    error = path + ": cannot be read";
  return !bad;
}

namespace {
bool writeAll(int fd, const Bytes &bytes) {
  for (size_t at = 0; at < bytes.size();) {
    ssize_t n = write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno != EINTR)
      return false;
    at += n > 0 ? size_t(n) : 0;
  }
  return true;
}
bool isSpecial(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}
} // namespace

FileSet::~FileSet() {
  for (auto &[path, temporary] : pending_)
    unlink(temporary.c_str());
}

bool FileSet::add(const std::string &path, const Bytes &bytes, std::string &error) {
  bool ok;
  if (isSpecial(path)) {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    ok = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    ok = file && std::fclose(file) == 0 && ok;
  } else {
    std::string temporary = path + ".XXXXXX";
    int fd = mkstemp(temporary.data());
    if (fd >= 0)
      pending_[path] = temporary;
    struct stat status;
    mode_t mode = stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0644;
    ok = fd >= 0 && writeAll(fd, bytes) && fchmod(fd, mode) == 0;
    ok = fd >= 0 && close(fd) == 0 && ok;
  }
  if (!ok)
    error = path + ": cannot be written: " + std::strerror(errno);
  return ok;
}

bool FileSet::commit(std::string &error) {
  for (auto it = pending_.begin(); it != pending_.end(); it = pending_.erase(it))
    if (rename(it->second.c_str(), it->first.c_str()) != 0) {
      error = it->first + ": cannot be written: " + std::strerror(errno);
      return false;
    }
  return true;
}
