// A bounds-checked view of an ELF file in memory. Private to the loader: every offset in the file
// is untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace tegula::sim::loading {

class ElfView {
public:
  ElfView(const void *file, size_t size)
      : data(static_cast<const std::byte *>(file)), length(size) {}

  bool holds(uint64_t offset, uint64_t size) const {
    return offset <= length && size <= length - offset;
  }
  template <typename T> bool read(uint64_t offset, T &out) const {
    if (!holds(offset, sizeof(T)))
      return false;
    std::memcpy(&out, data + offset, sizeof(T));
    return true;
  }
  const std::byte *at(uint64_t offset) const { return data + offset; }
  size_t size() const { return length; }

  /// The NUL-terminated string at `index` of a string table section; empty when it lies outside.
  std::string string(const Elf64_Shdr &table, uint64_t index) const {
    if (index >= table.sh_size || !holds(table.sh_offset, table.sh_size))
      return "";
    const char *s = reinterpret_cast<const char *>(data + table.sh_offset + index);
    return std::string(s, strnlen(s, table.sh_size - index));
  }

  /// Reads header, program headers and section headers; false with a reason when they are damaged
  /// or foreign.
  bool open(std::string &error);

  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;
  std::string sectionName(const Elf64_Shdr &) const;

private:
  const std::byte *data;
  size_t length;
};

} // namespace tegula::sim::loading
