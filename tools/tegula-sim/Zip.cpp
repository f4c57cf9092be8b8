// .zip archives of less than 4 GiB: members from the central directory, which has their true sizes.
#include "Files.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <zlib.h>

namespace {
constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLongestComment = 65535;
constexpr uint32_t kInExtra = 0xffffffff; ///< the number stands in a zip64 field

template <class T> T at(const Bytes &b, size_t offset) {
  T value{};
  if (offset <= b.size() && sizeof value <= b.size() - offset)
    std::memcpy(&value, b.data() + offset, sizeof value);
  return value;
}
template <class T> void put(Bytes &to, T value) {
  const auto *p = reinterpret_cast<const std::byte *>(&value);
  to.insert(to.end(), p, p + sizeof value);
}
uint32_t crcOf(const Bytes &b) {
  uLong crc = crc32_z(0, nullptr, 0);
  return uint32_t(crc32_z(crc, reinterpret_cast<const Bytef *>(b.data()), b.size()));
}

bool inflated(const std::byte *data, size_t size, Bytes &to) {
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
    return false;
  z.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(data));
  z.next_out = reinterpret_cast<Bytef *>(to.data());
  constexpr size_t most = size_t(1) << 30; // zlib counts in 32 bits
  size_t in = size, out = to.size();
  int status = Z_OK;
  while (status == Z_OK) {
    uInt givenIn = uInt(std::min(in, most)), givenOut = uInt(std::min(out, most));
    z.avail_in = givenIn;
    z.avail_out = givenOut;
    status = inflate(&z, Z_NO_FLUSH);
    if (z.avail_in == givenIn && z.avail_out == givenOut)
      break; // no progress
    in -= givenIn - z.avail_in;
    out -= givenOut - z.avail_out;
  }
  inflateEnd(&z);
  return status == Z_STREAM_END && out == 0;
}

} // namespace

bool readZip(const std::string &path, std::map<std::string, Bytes> &members, std::string &error) {
  Bytes b;
  if (!readFile(path, b, error))
    return false;
  auto fail = [&](const char *why) {
    error = path + ": " + why;
    return false;
  };
  size_t end = b.size() < kEndBytes ? 0 : b.size() - kEndBytes + 1;
  size_t first = end > kLongestComment ? end - kLongestComment : 0;
  while (end > first && at<uint32_t>(b, end - 1) != kEnd)
    --end;
  if (end == first)
    return fail("not a .npz file");
  unsigned count = at<uint16_t>(b, end - 1 + 10);
  size_t entry = at<uint32_t>(b, end - 1 + 16);
  for (unsigned i = 0; i < count; ++i) {
    if (at<uint32_t>(b, entry) != kCentral)
      return fail("damaged archive: no entry where the directory has one");
    unsigned method = at<uint16_t>(b, entry + 10), name = at<uint16_t>(b, entry + 28);
    unsigned extra = at<uint16_t>(b, entry + 30), comment = at<uint16_t>(b, entry + 32);
    uint64_t packed = at<uint32_t>(b, entry + 20), size = at<uint32_t>(b, entry + 24),
             local = at<uint32_t>(b, entry + 42);
    if (packed == kInExtra || size == kInExtra || local == kInExtra)
      return fail("archives of 4 GiB and more are not read");
    uint64_t data = local + kLocalBytes + at<uint16_t>(b, local + 26) + at<uint16_t>(b, local + 28);
    if (entry + kCentralBytes + name > b.size() || at<uint32_t>(b, local) != kLocal ||
        data > b.size() || packed > b.size() - data)
      return fail("damaged archive: a member lies outside the file");
    std::string key(reinterpret_cast<const char *>(b.data() + entry + kCentralBytes), name);
    Bytes contents;
    if (method == 0 && packed == size) {
      contents.assign(b.begin() + ptrdiff_t(data), b.begin() + ptrdiff_t(data + size));
    } else if (method == 8 && size / 1100 <= packed) { // deflate never packs tighter
      contents.resize(size);
      if (!inflated(b.data() + data, packed, contents))
        return fail("damaged archive: a member cannot be inflated");
    } else {
      return fail("a member is packed in a way that is not read");
    }
    if (crcOf(contents) != at<uint32_t>(b, entry + 16))
      return fail("damaged archive: wrong checksum");
    members[key] = std::move(contents);
    entry += kCentralBytes + name + extra + comment;
  }
  return true;
}

namespace {
/// What the local and the central header of a member have in common.
void putHeader(Bytes &to, const std::string &name, const Bytes &contents) {
  put(to, uint16_t(20)); // version needed
  put(to, uint16_t(0));
  put(to, uint16_t(0));          // stored
  put(to, uint32_t(0x00210000)); // 1980-01-01
  put(to, crcOf(contents));
  put(to, uint32_t(contents.size()));
  put(to, uint32_t(contents.size()));
  put(to, uint16_t(name.size()));
  put(to, uint16_t(0)); // extra
}
void putText(Bytes &to, const std::string &text) {
  const auto *p = reinterpret_cast<const std::byte *>(text.data());
  to.insert(to.end(), p, p + text.size());
}
} // namespace

bool makeZip(const std::map<std::string, Bytes> &members, Bytes &out) {
  Bytes directory;
  out.clear();
  for (const auto &[name, contents] : members) {
    if (out.size() + contents.size() > kInExtra - (size_t(1) << 20))
      return false;
    put(directory, kCentral);
    put(directory, uint16_t(20)); // made by
    putHeader(directory, name, contents);
    put(directory, uint16_t(0)); // comment
    put(directory, uint16_t(0)); // disk
    put(directory, uint16_t(0)); // attributes
    put(directory, uint32_t(0));
    put(directory, uint32_t(out.size()));
    putText(directory, name);
    put(out, kLocal);
    putHeader(out, name, contents);
    putText(out, name);
    out.insert(out.end(), contents.begin(), contents.end());
  }
  uint32_t place = uint32_t(out.size());
  out.insert(out.end(), directory.begin(), directory.end());
  put(out, kEnd);
  put(out, uint32_t(0));
  put(out, uint16_t(members.size()));
  put(out, uint16_t(members.size()));
  put(out, uint32_t(directory.size()));
  put(out, place);
  put(out, uint16_t(0));
  return true;
}
