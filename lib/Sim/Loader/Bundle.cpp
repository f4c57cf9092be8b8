#include "Sim/Loader/Bundle.h"
#include <cstdint>
#include <cstring>
#include <vector>

namespace tegula::sim {

namespace {
constexpr char kMagic[] = "__CLANG_OFFLOAD_BUNDLE__", kCompressed[] = "CCOB";
constexpr size_t kMagicBytes = sizeof kMagic - 1, kCompressedBytes = sizeof kCompressed - 1;

struct Entry {
  uint64_t offset, size;
  std::string name;
};

/// Layout: magic, count, then of each entry offset, size, length of the name, name.
bool readEntries(const char *file, size_t size, std::vector<Entry> &entries) {
  size_t cursor = kMagicBytes;
  auto number = [&](uint64_t &value) {
    if (size - cursor < sizeof value)
      return false;
    std::memcpy(&value, file + cursor, sizeof value);
    cursor += sizeof value;
    return true;
  };
  uint64_t count = 0, length = 0;
  if (!number(count))
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    Entry e{};
    if (!number(e.offset) || !number(e.size) || !number(length) || length > size - cursor ||
        e.offset > size || e.size > size - e.offset)
      return false;
    e.name.assign(file + cursor, size_t(length));
    cursor += size_t(length);
    entries.push_back(std::move(e));
  }
  return true;
}

/// "hipv4-amdgcn-amd-amdhsa--gfx950", perhaps with features behind (":xnack-").
bool isFor(const std::string &name, const std::string &target) {
  size_t found = name.find("--" + target);
  if (found == std::string::npos || name.find("amdgcn") == std::string::npos)
    return false;
  size_t end = found + 2 + target.size();
  return end == name.size() || name[end] == ':';
}
} // namespace

bool unbundle(const void *&file, size_t &size, const char *wanted, bool &foreign,
              std::string &error) {
  const auto *bytes = static_cast<const char *>(file);
  if (size >= kCompressedBytes && std::memcmp(bytes, kCompressed, kCompressedBytes) == 0) {
    error = "a compressed offload bundle; unpack it: clang-offload-bundler --unbundle --type=o "
            "--input=FILE --targets=hipv4-amdgcn-amd-amdhsa--" +
            std::string(wanted ? wanted : "gfx942") + " --output=kernel.co";
    return false;
  }
  if (size < kMagicBytes || std::memcmp(bytes, kMagic, kMagicBytes) != 0)
    return true;
  std::vector<Entry> entries;
  if (!readEntries(bytes, size, entries)) {
    error = "damaged offload bundle: an entry runs past its end";
    return false;
  }
  std::string names;
  for (const Entry &e : entries) {
    if (wanted ? isFor(e.name, wanted) : isFor(e.name, "gfx942") || isFor(e.name, "gfx950")) {
      file = bytes + e.offset;
      size = size_t(e.size);
      return true;
    }
    names += " " + e.name;
  }
  foreign = true;
  error = "the offload bundle has no code for " +
          std::string(wanted ? wanted : "gfx942 or gfx950") + ", only:" + names;
  return false;
}

} // namespace tegula::sim
