// Instruction → what it does with memory, from its row of the instruction table alone.
#include "Sim/Counters/Counting.h"
#include <string_view>

namespace tegula::sim {
namespace {
bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool startsWith(std::string_view text, std::string_view part) {
  return text.substr(0, part.size()) == part;
}
bool endsWith(std::string_view text, std::string_view part) {
  return text.size() >= part.size() && text.substr(text.size() - part.size()) == part;
}

/// Bytes of a sub-dword access, or 0.
unsigned subDword(std::string_view name) {
  if (contains(name, "_tr_") || contains(name, "atomic") || contains(name, "pk_"))
    return 0;
  for (std::string_view part : {"byte", "_u8", "_i8", "_b8"})
    if (contains(name, part))
      return 1;
  for (std::string_view part : {"short", "_u16", "_i16", "_b16"})
    if (contains(name, part))
      return 2;
  return 0;
}

/// Bytes that a lane moves in each part.
unsigned widthOf(const Instruction &inst, const CountedAccess &a) {
  std::string_view name = inst.row->mnemonic;
  if (unsigned bytes = subDword(name))
    return bytes;
  if (a.use == LdsUse::Atomic)
    return endsWith(name, "64") || endsWith(name, "_x2") ? 8 : 4;
  if (a.toLds)
    return contains(name, "x4") ? 16 : contains(name, "x3") ? 12 : 4;
  bool store = inst.row->has(kStore);
  const Operand *data = inst.get(store ? Role::data : Role::d);
  return data ? data->width * 4u / (store ? 1 : a.parts) : 0;
}

bool describeLds(const Instruction &inst, CountedAccess &a) {
  const IsaRow &row = *inst.row;
  std::string_view name = row.mnemonic;
  bool hasAddress = inst.get(Role::addr) != nullptr;
  if (!row.has(kLoad) && !row.has(kStore) && !(row.has(kAtomic) && hasAddress))
    return false; // the crossbar alone, or a counter of the whole wave
  a.where = CountedAccess::Where::Lds;
  a.use = row.has(kAtomic)         ? LdsUse::Atomic
          : row.has(kStore)        ? LdsUse::Write
          : contains(name, "_tr_") ? LdsUse::TransposedRead
                                   : LdsUse::Read;
  a.addTid = !hasAddress;
  a.parts = row.has(kTwoAddr) ? 2 : 1;
  a.bytes = uint8_t(widthOf(inst, a));
  a.unit = a.bytes * (contains(name, "st64") ? 64u : 1u);
  return true;
}

bool describeVector(const Instruction &inst, CountedAccess &a) {
  const IsaRow &row = *inst.row;
  std::string_view name = row.mnemonic;
  a.where = CountedAccess::Where::Vector;
  a.space = row.encoding == Encoding::FLAT      ? Space::Flat
            : row.encoding == Encoding::SCRATCH ? Space::Scratch
            : row.encoding == Encoding::GLOBAL  ? Space::Global
                                                : Space::Buffer;
  a.toLds = row.cls == Class::dma || inst.lds;
  a.use = row.cls == Class::vmemAtomic  ? LdsUse::Atomic
          : row.cls == Class::vmemStore ? LdsUse::Write
                                        : LdsUse::Read;
  a.typed = contains(name, "_format_");
  a.bytes = uint8_t(!a.typed                          ? widthOf(inst, a)
                    : row.encoding == Encoding::MTBUF ? elementBytes(inst.dfmt)
                                                      : 0);
  return true;
}

/// Loads, stores and atomics; not those of scratch.
bool describeScalar(const Instruction &inst, CountedAccess &a) {
  const IsaRow &row = *inst.row;
  std::string_view name = row.mnemonic;
  bool load = startsWith(name, "s_load") || startsWith(name, "s_buffer_load");
  if ((!load && !row.has(kStore) && !row.has(kAtomic)) || contains(name, "scratch"))
    return false;
  a.where =
      contains(name, "buffer") ? CountedAccess::Where::ScalarBuffer : CountedAccess::Where::Scalar;
  a.use = row.has(kAtomic) ? LdsUse::Atomic : row.has(kStore) ? LdsUse::Write : LdsUse::Read;
  a.bytes = uint8_t(widthOf(inst, a));
  return true;
}
} // namespace

std::optional<CountedAccess> describeAccess(const Instruction &inst) {
  CountedAccess a;
  bool is = false;
  if (inst.ok())
    switch (inst.row->cls) {
    case Class::lds:
      is = describeLds(inst, a);
      break;
    case Class::vmemLoad:
    case Class::vmemStore:
    case Class::vmemAtomic:
    case Class::dma:
      is = describeVector(inst, a);
      break;
    case Class::smem:
      is = describeScalar(inst, a);
      break;
    default:
      break;
    }
  return is && (a.bytes || a.typed) ? std::optional(a) : std::nullopt;
}

} // namespace tegula::sim
