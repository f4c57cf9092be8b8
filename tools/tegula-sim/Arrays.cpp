#include "Arrays.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {
constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;

/// The text behind `'key': ` in a header, or "".
std::string valueOf(const std::string &header, const std::string &key) {
  size_t found = header.find("'" + key + "':");
  if (found == std::string::npos)
    return "";
  size_t start = header.find_first_not_of(' ', found + key.size() + 3);
  return start == std::string::npos ? "" : header.substr(start);
}

/// Bytes that an array with this header has; false if the header isn't understood.
bool sizeOf(const std::string &header, uint64_t &bytes, const char *&why) {
  std::string descr = valueOf(header, "descr"), shape = valueOf(header, "shape");
  if (valueOf(header, "fortran_order").compare(0, 5, "False") != 0) {
    why = "the array is not in C order";
    return false;
  }
  size_t close = shape.find(')');
  if (descr.size() < 5 || descr[0] != '\'' || shape.empty() || shape[0] != '(' ||
      close == std::string::npos) {
    why = "the header is not one of a plain array";
    return false;
  }
  if (descr[1] == '>') {
    why = "the array is big-endian";
    return false;
  }
  char *end = nullptr;
  bytes = std::strtoull(descr.c_str() + 3, &end, 10);
  if (*end != '\'' || bytes == 0 || std::strchr("OUSMm", descr[2])) {
    why = "the elements are not numbers";
    return false;
  }
  for (const char *p = shape.c_str() + 1; *p != ')';) {
    uint64_t extent = std::strtoull(p, &end, 10);
    if (end == p || (extent && bytes > (uint64_t(1) << 46) / extent)) {
      why = "the shape is not understood";
      return false;
    }
    bytes *= extent;
    for (p = end; *p == ',' || *p == ' ';)
      ++p;
  }
  return true;
}
} // namespace

std::string headerOf(const std::string &dtype, const std::vector<uint64_t> &shape) {
  std::string extents;
  for (uint64_t extent : shape)
    extents += std::to_string(extent) + ", ";
  if (shape.size() > 1)
    extents.resize(extents.size() - 2);
  return "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (" + extents + "), }";
}

bool parseNpy(const std::string &name, const Bytes &file, Array &array, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = name + ": " + why;
    return false;
  };
  if (file.size() < 12 || std::memcmp(file.data(), kMagic, kMagicBytes) != 0)
    return fail("not a .npy file");
  uint32_t length = 0;
  size_t start = file[6] == std::byte{1} ? 10 : 12;
  std::memcpy(&length, file.data() + 8, start - 8);
  if (length > file.size() - start)
    return fail("truncated header");
  array.header.assign(reinterpret_cast<const char *>(file.data()) + start, length);
  uint64_t bytes = 0;
  const char *why = "";
  if (!sizeOf(array.header, bytes, why))
    return fail(why);
  array.data.assign(file.begin() + ptrdiff_t(start + length), file.end());
  if (array.data.size() != bytes)
    return fail(std::to_string(array.data.size()) + " bytes of data, the header says " +
                std::to_string(bytes));
  return true;
}

Bytes makeNpy(const Array &array) {
  std::string header = array.header;
  while (!header.empty() && (header.back() == '\n' || header.back() == ' '))
    header.pop_back();
  header +=
      std::string(63 - (10 + header.size()) % 64, ' ') + "\n"; // data begins at a multiple of 64
  std::string start(kMagic, kMagicBytes);
  start += std::string("\x01\x00", 2);
  start += char(header.size() & 255);
  start += char(header.size() >> 8);
  start += header;
  const auto *p = reinterpret_cast<const std::byte *>(start.data());
  Bytes out(p, p + start.size());
  out.insert(out.end(), array.data.begin(), array.data.end());
  return out;
}

Place placeOf(const std::string &text) {
  size_t archive = text.rfind(".npz:");
  if (archive == std::string::npos)
    return {text, ""};
  return {text.substr(0, archive + 4), text.substr(archive + 5) + ".npy"};
}

bool readArray(const Place &place, Array &array, std::string &error) {
  if (place.member.empty()) {
    Bytes file;
    return readFile(place.path, file, error) && parseNpy(place.path, file, array, error);
  }
  std::map<std::string, Bytes> members;
  if (!readZip(place.path, members, error))
    return false;
  auto it = members.find(place.member);
  if (it == members.end()) {
    error = place.path + ": has no array '" + place.member.substr(0, place.member.size() - 4) + "'";
    return false;
  }
  return parseNpy(place.path + ":" + place.member, it->second, array, error);
}

void ArrayWriter::add(const Place &place, Array array) {
  arrays_.emplace_back(place, std::move(array));
}

bool ArrayWriter::write(std::string &error) {
  FileSet files;
  std::map<std::string, std::map<std::string, Bytes>> archives;
  for (auto &[place, array] : arrays_) {
    if (place.member.empty()) {
      if (!files.add(place.path, makeNpy(array), error))
        return false;
      continue;
    }
    std::string path = writtenFile(place.path); // one archive, however its path is spelt
    if (!archives.count(path) && access(path.c_str(), F_OK) == 0 &&
        !readZip(path, archives[path], error))
      return false;
    archives[path][place.member] = makeNpy(array);
  }
  for (auto &[path, members] : archives) {
    Bytes archive;
    if (!makeZip(members, archive)) {
      error = path + ": archives of 4 GiB and more are not written";
      return false;
    }
    if (!files.add(path, archive, error))
      return false;
  }
  return files.commit(error);
}
