// A whole code object as text: each function with its address in the file and its instructions,
// which are numbered as reports number them: by their offset in .text.
#include "Sim/Decode/Print.h"
#include "Sim/Loader/CodeObject.h"
#include <cstdio>

namespace tegula::sim {

std::string disassemble(const CodeObject &object) {
  std::string out;
  const std::byte *text = object.image.data() + object.textAddr;
  auto section = [&](const std::string &name, uint64_t from, uint64_t to) {
    char address[24];
    std::snprintf(address, sizeof address, "%016llx", static_cast<unsigned long long>(from));
    out += std::string(address) + " <" + name + ">:\n";
    out += disassemble(object.arch, text + (from - object.textAddr), to - from,
                       from - object.textAddr);
  };
  uint64_t at = object.textAddr, end = object.textAddr + object.textSize;
  std::string name = ".text";
  for (const Function &f : object.functions) {
    if (f.address < at || f.address >= end)
      continue;
    if (f.address > at)
      section(name, at, f.address);
    at = f.address;
    name = f.name;
  }
  if (at < end)
    section(name, at, end);
  return out;
}

} // namespace tegula::sim
