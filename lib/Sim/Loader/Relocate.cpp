// Dynamic relocations: read once, applied each time an image is placed at an address.
#include "LoaderParts.h"

namespace tegula::sim {
namespace loading {

namespace {

enum : uint32_t { // R_AMDGPU_*
  kNone = 0,
  kAbs32Lo = 1,
  kAbs32Hi = 2,
  kAbs64 = 3,
  kRel32 = 4,
  kRel64 = 5,
  kAbs32 = 6,
  kRel32Lo = 10,
  kRel32Hi = 11,
  kRelative64 = 13
};

bool fail(std::string &error, const std::string &why) {
  error = why;
  return false;
}

struct Target {
  uint64_t value;
  bool usesBase;
};

bool resolve(const ElfView &elf, const Elf64_Shdr &relocations, const Elf64_Rela &r, Target &target,
             std::string &error) {
  target = {uint64_t(r.r_addend), true};
  if (ELF64_R_TYPE(r.r_info) == kRelative64)
    return true;
  if (relocations.sh_link >= elf.sections.size())
    return fail(error, "damaged code object: relocations without a symbol table");
  const Elf64_Shdr &symbols = elf.sections[relocations.sh_link];
  uint64_t at = uint64_t(ELF64_R_SYM(r.r_info)) * sizeof(Elf64_Sym);
  Elf64_Sym symbol;
  if (at > symbols.sh_size || symbols.sh_size - at < sizeof symbol ||
      !elf.read(symbols.sh_offset + at, symbol))
    return fail(error, "damaged code object: a relocation names a symbol outside the table");
  if (symbol.st_shndx == SHN_UNDEF && ELF64_R_SYM(r.r_info) != 0) {
    if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK)
      return fail(error, "undefined symbol '" +
                             (symbols.sh_link < elf.sections.size()
                                  ? elf.string(elf.sections[symbols.sh_link], symbol.st_name)
                                  : std::string("?")) +
                             "'");
    target.usesBase = false;
  }
  if (symbol.st_shndx == SHN_ABS)
    target.usesBase = false;
  target.value += symbol.st_value;
  return true;
}

bool addRelocation(const ElfView &elf, const Elf64_Shdr &section, const Elf64_Rela &r,
                   CodeObject &object, std::string &error) {
  uint32_t type = ELF64_R_TYPE(r.r_info);
  if (type == kNone)
    return true;
  Target target;
  if (!resolve(elf, section, r, target, error))
    return false;
  CodeObject::Relocation out{r.r_offset, target.value, 8, 0, target.usesBase};
  switch (type) {
  case kAbs64:
  case kRelative64:
    break;
  case kAbs32:
  case kAbs32Lo:
    out.bytes = 4;
    break;
  case kAbs32Hi:
    out.bytes = 4;
    out.shift = 32;
    break;
  case kRel32:
  case kRel32Lo:
  case kRel32Hi:
  case kRel64:
    if (!target.usesBase)
      return fail(error, "unsupported relocation: PC-relative to an absolute symbol");
    out.value -= r.r_offset; // the base cancels
    out.usesBase = false;
    out.bytes = type == kRel64 ? 8 : 4;
    out.shift = type == kRel32Hi ? 32 : 0;
    break;
  default:
    return fail(error, "unsupported relocation type " + std::to_string(type));
  }
  if (out.address > object.image.size() || object.image.size() - out.address < out.bytes)
    return fail(error, "damaged code object: a relocation lies outside the image");
  object.relocations.push_back(out);
  return true;
}

} // namespace

bool readRelocations(const ElfView &elf, CodeObject &object, std::string &error) {
  for (const Elf64_Shdr &section : elf.sections) {
    if (section.sh_type != SHT_RELA || !(section.sh_flags & SHF_ALLOC))
      continue;
    if (!elf.holds(section.sh_offset, section.sh_size))
      return fail(error, "truncated ELF file: relocations run past its end");
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      elf.read(section.sh_offset + at, r);
      if (!addRelocation(elf, section, r, object, error))
        return false;
    }
  }
  return true;
}

} // namespace loading

void CodeObject::relocate(std::byte *memory, uint64_t base) const {
  for (const Relocation &r : relocations) {
    uint64_t value = (r.value + (r.usesBase ? base : 0)) >> r.shift;
    std::memcpy(memory + r.address, &value,
                r.bytes); // little-endian host: the low bytes come first
  }
}

} // namespace tegula::sim
