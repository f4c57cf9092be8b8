// ELF header, segments, symbols: file → CodeObject.
#include "LoaderParts.h"
#include <algorithm>

namespace tegula::sim {
namespace loading {

namespace {

// AMDGPU's numbers; not in every <elf.h>.
constexpr unsigned kMachineAmdgpu = 224, kOsAbiHsa = 64, kAbiV4 = 2, kAbiV6 = 4;
constexpr unsigned kMachGfx942 = 0x4c, kMachGfx950 = 0x4f;
struct Processor {
  unsigned mach;
  const char *name;
};
/// EF_AMDGPU_MACH of e_flags (LLVM, AMDGPUUsage), to name what is refused.
constexpr Processor kProcessors[] = {
    {0x20, "gfx600"},          {0x21, "gfx601"},          {0x22, "gfx700"},
    {0x23, "gfx701"},          {0x24, "gfx702"},          {0x25, "gfx703"},
    {0x26, "gfx704"},          {0x28, "gfx801"},          {0x29, "gfx802"},
    {0x2a, "gfx803"},          {0x2b, "gfx810"},          {0x2c, "gfx900"},
    {0x2d, "gfx902"},          {0x2e, "gfx904"},          {0x2f, "gfx906"},
    {0x30, "gfx908"},          {0x31, "gfx909"},          {0x32, "gfx90c"},
    {0x33, "gfx1010"},         {0x34, "gfx1011"},         {0x35, "gfx1012"},
    {0x36, "gfx1030"},         {0x37, "gfx1031"},         {0x38, "gfx1032"},
    {0x39, "gfx1033"},         {0x3a, "gfx602"},          {0x3b, "gfx705"},
    {0x3c, "gfx805"},          {0x3d, "gfx1035"},         {0x3e, "gfx1034"},
    {0x3f, "gfx90a"},          {0x41, "gfx1100"},         {0x42, "gfx1013"},
    {0x43, "gfx1150"},         {0x44, "gfx1103"},         {0x45, "gfx1036"},
    {0x46, "gfx1101"},         {0x47, "gfx1102"},         {0x48, "gfx1200"},
    {0x49, "gfx1250"},         {0x4a, "gfx1151"},         {0x4c, "gfx942"},
    {0x4e, "gfx1201"},         {0x4f, "gfx950"},          {0x51, "gfx9-generic"},
    {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"}, {0x54, "gfx11-generic"},
    {0x55, "gfx1152"},         {0x58, "gfx1153"},         {0x59, "gfx12-generic"},
    {0x5a, "gfx1251"},         {0x5f, "gfx9-4-generic"},
};
constexpr uint64_t kMaxImage = uint64_t(256) << 20;

bool fail(std::string &error, const std::string &why) {
  error = why;
  return false;
}

} // namespace

bool ElfView::open(std::string &error) {
  if (length < sizeof header.e_ident || std::memcmp(data, ELFMAG, SELFMAG) != 0)
    return fail(error, "not an ELF file");
  if (!read(0, header))
    return fail(error, "truncated ELF file: no complete header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail(error, "not a 64-bit little-endian ELF file");
  if (header.e_machine != kMachineAmdgpu)
    return fail(error,
                "not an AMDGPU code object (ELF machine " + std::to_string(header.e_machine) + ")");
  if ((header.e_phnum && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      (header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr)))
    return fail(error, "damaged ELF file: unexpected header sizes");
  segments.resize(header.e_phnum);
  sections.resize(header.e_shnum);
  for (size_t i = 0; i < segments.size(); ++i)
    if (!read(header.e_phoff + i * sizeof(Elf64_Phdr), segments[i]))
      return fail(error, "truncated ELF file: program headers run past its end");
  for (size_t i = 0; i < sections.size(); ++i)
    if (!read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]))
      return fail(error, "truncated ELF file: section headers run past its end");
  return true;
}

std::string ElfView::sectionName(const Elf64_Shdr &section) const {
  return header.e_shstrndx < sections.size() ? string(sections[header.e_shstrndx], section.sh_name)
                                             : "";
}

namespace {

std::string processorName(unsigned flags) {
  for (const Processor &p : kProcessors)
    if (p.mach == (flags & 0xff))
      return p.name;
  return "e_flags " + std::to_string(flags);
}

bool readTarget(const ElfView &elf, CodeObject &object, std::string &error) {
  unsigned abi = elf.header.e_ident[EI_ABIVERSION], mach = elf.header.e_flags & 0xff;
  if (elf.header.e_ident[EI_OSABI] != kOsAbiHsa)
    return fail(error, "not an HSA code object (OS ABI " +
                           std::to_string(elf.header.e_ident[EI_OSABI]) + ")");
  if (abi < kAbiV4 || abi > kAbiV6)
    return fail(error, "unsupported code object version (ABI version " + std::to_string(abi) +
                           "; v4 to v6 are known)");
  if (elf.header.e_type != ET_DYN)
    return fail(error, "not a linked code object: run the linker on it first");
  object.foreign = mach != kMachGfx942 && mach != kMachGfx950;
  if (object.foreign)
    return fail(error, "code object for another processor (" + processorName(elf.header.e_flags) +
                           "); gfx942 and gfx950 are simulated");
  object.version = abi + 2;
  object.arch = mach == kMachGfx942 ? Arch::gfx942 : Arch::gfx950;
  return true;
}

bool readSegments(const ElfView &elf, CodeObject &object, std::string &error) {
  uint64_t end = 0;
  for (const Elf64_Phdr &p : elf.segments) {
    if (p.p_type != PT_LOAD || !(p.p_memsz | p.p_filesz))
      continue;
    if (p.p_vaddr > kMaxImage || p.p_memsz > kMaxImage - p.p_vaddr)
      return fail(error, "damaged code object: a segment needs more than 256 MiB of address space");
    if (p.p_filesz > p.p_memsz || !elf.holds(p.p_offset, p.p_filesz))
      return fail(error, "truncated ELF file: a segment runs past its end");
    end = std::max(end, p.p_vaddr + p.p_memsz);
    object.segments.push_back(
        {p.p_vaddr, p.p_memsz, p.p_filesz, bool(p.p_flags & PF_W), bool(p.p_flags & PF_X)});
  }
  if (!end)
    return fail(error, "damaged code object: no loadable segment");
  object.image = ZeroedBytes(end);
  for (const Elf64_Phdr &p : elf.segments)
    if (p.p_type == PT_LOAD && p.p_filesz)
      std::memcpy(object.image.data() + p.p_vaddr, elf.at(p.p_offset), p.p_filesz);
  return true;
}

bool within(const CodeObject &object, uint64_t address, uint64_t size) {
  return address <= object.image.size() && size <= object.image.size() - address;
}

/// .text, or the executable segment when the section headers are gone.
bool findText(const ElfView &elf, CodeObject &object, std::string &error) {
  for (const Elf64_Shdr &s : elf.sections)
    if (s.sh_type == SHT_PROGBITS && (s.sh_flags & SHF_EXECINSTR) &&
        elf.sectionName(s) == ".text") {
      object.textAddr = s.sh_addr;
      object.textSize = s.sh_size;
    }
  for (const CodeObject::Segment &s : object.segments)
    if (!object.textSize && s.executable) {
      object.textAddr = s.address;
      object.textSize = s.size;
    }
  // Zeros behind a segment's file bytes are no code: they would be lowered, all of them.
  if (!object.textSize || object.textSize > elf.size() || object.textAddr % 4 ||
      !within(object, object.textAddr, object.textSize))
    return fail(error, "damaged code object: no code section inside the image");
  return true;
}

bool endsWith(const std::string &s, const char *suffix) {
  size_t n = std::strlen(suffix);
  return s.size() > n && s.compare(s.size() - n, n, suffix) == 0;
}

bool addSymbol(CodeObject &object, const std::string &name, const Elf64_Sym &symbol,
               std::string &error) {
  unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF || (type != STT_OBJECT && type != STT_FUNC))
    return true;
  if (!within(object, symbol.st_value, symbol.st_size))
    return fail(error, "damaged code object: symbol '" + name + "' lies outside the image");
  if (type == STT_FUNC) {
    object.functions.push_back({name, symbol.st_value, symbol.st_size});
    return true;
  }
  if (!endsWith(name, ".kd")) {
    object.globals.push_back({name, symbol.st_value, symbol.st_size});
    return true;
  }
  Kernel kernel;
  kernel.name = name.substr(0, name.size() - 3);
  kernel.descriptorAddr = symbol.st_value;
  if (!readDescriptor(object, kernel, error))
    return false;
  object.kernels.push_back(std::move(kernel));
  return true;
}

/// From the full symbol table, which a stripped file lacks. Only reports use it: entries that make
/// no sense are left out.
void readVariables(const ElfView &elf, CodeObject &object) {
  object.variables = object.globals;
  for (const Elf64_Shdr &table : elf.sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= elf.sections.size() ||
        !elf.holds(table.sh_offset, table.sh_size))
      continue;
    object.variables.clear();
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym s;
      elf.read(table.sh_offset + at, s);
      std::string name = elf.string(elf.sections[table.sh_link], s.st_name);
      if (ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_shndx != SHN_UNDEF && s.st_size &&
          within(object, s.st_value, s.st_size) && !endsWith(name, ".kd"))
        object.variables.push_back({name, s.st_value, s.st_size});
    }
  }
  std::sort(object.variables.begin(), object.variables.end(),
            [](const Global &a, const Global &b) { return a.address < b.address; });
}

bool readSymbols(const ElfView &elf, CodeObject &object, std::string &error) {
  for (const Elf64_Shdr &table : elf.sections) {
    if (table.sh_type != SHT_DYNSYM)
      continue;
    if (table.sh_link >= elf.sections.size() || !elf.holds(table.sh_offset, table.sh_size))
      return fail(error, "truncated ELF file: the symbol table runs past its end");
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      elf.read(table.sh_offset + at, symbol);
      if (!addSymbol(object, elf.string(elf.sections[table.sh_link], symbol.st_name), symbol,
                     error))
        return false;
    }
  }
  readVariables(elf, object);
  std::sort(object.functions.begin(), object.functions.end(),
            [](const Function &a, const Function &b) { return a.address < b.address; });
  return true;
}

} // namespace
} // namespace loading

bool load(const void *file, size_t size, CodeObject &object, std::string &error) {
  using namespace loading;
  object = CodeObject();
  ElfView elf(file, size);
  bool ok = elf.open(error) && readTarget(elf, object, error) && readSegments(elf, object, error) &&
            findText(elf, object, error) && readSymbols(elf, object, error) &&
            readNotes(elf, object, error) && readRelocations(elf, object, error);
  if (ok)
    object.lines = readLines(file, size);
  return ok;
}

const Kernel *CodeObject::findKernel(const std::string &name) const {
  for (const Kernel &k : kernels)
    if (k.name == name)
      return &k;
  return nullptr;
}

} // namespace tegula::sim
