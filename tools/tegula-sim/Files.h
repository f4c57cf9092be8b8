// Files that are read whole and written all or not at all.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

using Bytes = std::vector<std::byte>;

/// False with a one-line reason. Regular files only, none larger than this host's memory: a pipe
/// or a device may never end.
bool readFile(const std::string &path, Bytes &, std::string &error);

/// The file that writing to `path` changes: links followed, its folder's name resolved.
std::string writtenFile(const std::string &path);
/// Whether FileSet could write there; false with a one-line reason.
bool canWrite(const std::string &path, std::string &error);

/// Writes several files: contents go to temporary files beside them first, and take their names
/// when all are complete. A link is written through; a path that is no regular file (a pipe, a
/// device) is written into.
class FileSet {
public:
  ~FileSet();
  bool add(const std::string &path, const Bytes &, std::string &error);
  bool commit(std::string &error);

private:
  std::map<std::string, std::string> pending_; ///< path → temporary
};

/// Members of a .zip archive by name (stored or deflated), as NumPy's .npz has them.
bool readZip(const std::string &path, std::map<std::string, Bytes> &, std::string &error);
/// The same as an archive of stored members. False from 4 GiB on.
bool makeZip(const std::map<std::string, Bytes> &, Bytes &out);
