#include "Files.h"
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  if (!S_ISREG(status.st_mode)) {
    error = path + ": is not a regular file";
    return false;
  }
  uint64_t host = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (uint64_t(status.st_size) > host) {
    error = path + ": has " + std::to_string(status.st_size) + " bytes, this host's memory " +
            std::to_string(host);
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
std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}
} // namespace

std::string writtenFile(const std::string &path) {
  constexpr unsigned mostLinks = 40;
  std::string file = path;
  char target[PATH_MAX];
  for (unsigned i = 0; i < mostLinks; ++i) {
    ssize_t n = readlink(file.c_str(), target, sizeof target);
    if (n < 0)
      break;
    std::string to(target, size_t(n));
    file = to[0] == '/' ? to : folderOf(file) + "/" + to;
  }
  if (!realpath(folderOf(file).c_str(), target))
    return file;                                                       // there is no such folder
  return std::string(target) + "/" + file.substr(file.rfind('/') + 1); // npos + 1 is 0
}

bool canWrite(const std::string &path, std::string &error) {
  std::string file = writtenFile(path);
  struct stat status;
  bool exists = stat(file.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    errno = EISDIR;
  else if ((!exists || access(file.c_str(), W_OK) == 0) &&
           ((exists && !S_ISREG(status.st_mode)) ||
            access(folderOf(file).c_str(), W_OK | X_OK) == 0))
    return true;
  error = path + ": cannot be written: " + std::strerror(errno);
  return false;
}

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
    std::string file = writtenFile(path), temporary = file + ".XXXXXX";
    int fd = mkstemp(temporary.data());
    if (fd >= 0)
      pending_[file] = temporary;
    struct stat status;
    mode_t mode = stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0644;
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
