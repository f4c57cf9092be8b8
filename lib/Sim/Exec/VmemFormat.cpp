// Typed buffer accesses: elements of a data format (components of some bits) and a number format,
// converted to and from dwords or, in D16 forms, halves. tbuffer_* name the format themselves,
// buffer_*_format_* take it from the descriptor, and with it the order of the components (dst_sel).
#include "Sim/Exec/HalfFloat.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/LdsAccess.h"
#include "Sim/Exec/VmemAddress.h"
#include <algorithm>

namespace tegula::sim {
namespace {
enum Number : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, SnormOgl, Float };

/// Components from the lowest bit on.
struct DataFormat {
  uint8_t components, bits[4];
  unsigned bytes() const { return unsigned(bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
};
constexpr DataFormat kDataFormats[16] = {
    {0, {}},
    {1, {8}},
    {1, {16}},
    {2, {8, 8}},
    {1, {32}},
    {2, {16, 16}},
    {3, {11, 11, 10}}, // 10_11_11: names begin with the highest bits
    {3, {10, 11, 11}},
    {4, {2, 10, 10, 10}},
    {4, {10, 10, 10, 2}},
    {4, {8, 8, 8, 8}},
    {2, {32, 32}},
    {4, {16, 16, 16, 16}},
    {3, {32, 32, 32}},
    {4, {32, 32, 32, 32}},
    {0, {}},
};

struct Format {
  unsigned data, number;
  uint8_t select[4]; ///< of each result: 0, 1, or 4 + component
  const DataFormat &of() const { return kDataFormats[data]; }
  bool isInteger() const { return number == Uint || number == Sint; }
  bool isIdentity() const {
    for (unsigned i = 0; i < of().components; ++i)
      if (select[i] != 4 + i)
        return false;
    return true;
  }
};
Format formatOf(const Wave &w, const Op &o) {
  if (o.aux & kVmemTyped)
    return {o.aux & 15u, o.aux >> 4 & 7u, {4, 5, 6, 7}};
  uint32_t s = w.s[o.b + 3];
  return {s >> 15 & 15,
          s >> 12 & 7,
          {uint8_t(s & 7), uint8_t(s >> 3 & 7), uint8_t(s >> 6 & 7), uint8_t(s >> 9 & 7)}};
}
/// What no document defines is refused.
const char *problemOf(const Format &f, bool store, unsigned components) {
  unsigned narrow = f.of().bits[0];
  bool packed = f.data >= 6 && f.data <= 9;
  if (f.data == 15)
    return "a reserved data format";
  if (f.number == Float && (narrow == 8 || f.data == 8 || f.data == 9))
    return "a data format without floats";
  if (narrow == 32 && f.number != Float && !f.isInteger())
    return "a number format that 32-bit components don't have";
  if (std::any_of(f.select, f.select + 4, [](unsigned s) { return s == 2 || s == 3; }))
    return "a reserved dst_sel";
  if (!store)
    return nullptr;
  if (f.number == Uscaled || f.number == Sscaled || f.number == SnormOgl)
    return "a number format that stores don't have";
  if (f.number == Float && packed)
    return "a store of packed floats, whose rounding is not documented";
  if (f.of().components > components)
    return "a store of fewer components than the data format has";
  return f.isIdentity() ? nullptr : "a store with permuted components";
}

/// Bits of an element in memory.
struct Element {
  uint64_t words[2] = {};
  uint32_t get(unsigned at, unsigned bits) const {
    uint64_t v = words[at / 64] >> at % 64; // no component crosses a word
    return uint32_t(v & ((uint64_t(1) << bits) - 1));
  }
  void put(unsigned at, unsigned bits, uint32_t v) {
    words[at / 64] |= (v & ((uint64_t(1) << bits) - 1)) << at % 64;
  }
};

int32_t extend(uint32_t v, unsigned bits) { return int32_t(v << (32 - bits)) >> (32 - bits); }
/// Unsigned floats with five bits of exponent.
float packedFloat(uint32_t v, unsigned bits) { return Half::value(v << (15 - bits)); }
/// A component as a dword: an integer, or an f32.
uint32_t fromMemory(const Format &f, unsigned bits, uint32_t raw) {
  float top = float((uint64_t(1) << (bits - 1)) - 1);
  switch (f.number) {
  case Unorm:
    return bitsOf(float(double(raw) / double((uint64_t(1) << bits) - 1)));
  case Snorm:
    return bitsOf(std::max(float(double(extend(raw, bits)) / double(top)), -1.0f));
  case SnormOgl:
    return bitsOf(float((2.0 * extend(raw, bits) + 1) / double((uint64_t(1) << bits) - 1)));
  case Uscaled:
    return bitsOf(float(raw));
  case Sscaled:
    return bitsOf(float(extend(raw, bits)));
  case Sint:
    return uint32_t(extend(raw, bits));
  case Float:
    return bits == 32   ? raw
           : bits == 16 ? bitsOf(Half::value(raw))
                        : bitsOf(packedFloat(raw, bits));
  default:
    return raw;
  }
}
uint32_t toMemory(const Format &f, unsigned bits, uint32_t v) {
  if (f.isInteger() || (f.number == Float && bits == 32))
    return v;
  float value = floatOf(v);
  if (f.number == Float)
    return Half::code(double(value));
  bool isSigned = f.number == Snorm;
  double low = isSigned ? -1 : 0, top = double((uint64_t(1) << (bits - isSigned)) - 1);
  double clamped = value == value ? std::min(std::max(double(value), low), 1.0) : 0.0;
  return uint32_t(int32_t(std::nearbyint(clamped * top)));
}
uint32_t toHalf(const Format &f, uint32_t v) {
  return (f.isInteger() ? v : Half::code(double(floatOf(v)))) & 0xffff;
}
uint32_t fromHalf(const Format &f, uint32_t v) {
  if (f.isInteger())
    return f.number == Sint ? uint32_t(extend(v, 16)) : v;
  return bitsOf(Half::value(v));
}

/// All or nothing of an element is in the buffer's range.
void elementAddresses(Wave &w, const Op &o, unsigned bytes, VmemLanes &v) {
  vmemAddresses(w, o, Space::Buffer, bytes, false, v);
  for (uint64_t m = v.active; m; m &= m - 1)
    if (v.room[__builtin_ctzll(m)] < bytes)
      v.active &= ~(m & -m);
  v.partial = false;
}
void readElements(Wave &w, const Op &o, const Format &f, VmemLanes &v) {
  unsigned bytes = std::max(1u, f.of().bytes());
  elementAddresses(w, o, bytes, v);
  vmemCheck(w, o, Space::Buffer, bytes, kRead, v);
}
/// The components of a lane's element. On shadows, a component is undefined as a whole.
struct Loaded {
  uint32_t value[4] = {};
};
Loaded loadElement(const Wave &w, const Format &f, const void *memory) {
  Element e;
  std::memcpy(e.words, memory, f.of().bytes());
  uint32_t components[4] = {0, 0, 0, w.shadowing ? 0 : f.isInteger() ? 1 : bitsOf(1.0f)};
  unsigned at = 0;
  for (unsigned i = 0; i < f.of().components; at += f.of().bits[i++]) {
    uint32_t raw = e.get(at, f.of().bits[i]);
    components[i] = w.shadowing ? (raw ? ~0u : 0) : fromMemory(f, f.of().bits[i], raw);
  }
  Loaded out;
  for (unsigned i = 0; i < 4; ++i)
    out.value[i] = f.select[i] >= 4              ? components[f.select[i] - 4]
                   : f.select[i] && !w.shadowing ? (f.isInteger() ? 1 : bitsOf(1.0f))
                                                 : 0;
  return out;
}
const Op *refused(Wave &w, const Op &o, const char *why) {
  return fail(w, o, FindingKind::Unsupported, std::string("a typed access with ") + why);
}

enum Width : uint8_t { Dwords, Halves, HighHalf };
template <unsigned N, Width W> const Op *load(Wave &w, const Op &o) {
  Format f = formatOf(w, o);
  if (const char *why = problemOf(f, false, N))
    return refused(w, o, why);
  VmemLanes v;
  readElements(w, o, f, v);
  uint32_t *d = w.row(o.d);
  for (uint64_t m = v.exec; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    Loaded e;
    if (v.active >> l & 1 && f.of().components)
      e = loadElement(w, f, reinterpret_cast<const void *>(v.address[l]));
    for (unsigned i = 0; W == Dwords && i < N; ++i)
      d[64 * i + l] = e.value[i];
    for (unsigned i = 0; W == Halves && i < N; i += 2) {
      uint32_t low = toHalf(f, e.value[i]), high = i + 1 < N ? toHalf(f, e.value[i + 1]) : 0;
      d[32 * i + l] = low | high << 16;
    }
    if (W == HighHalf)
      d[l] = toHalf(f, e.value[0]) << 16;
  }
  recordVmem(w, o, false, W == Dwords ? N : (N + 1) / 2);
  return &o + 1;
}
template <unsigned N, Width W> const Op *store(Wave &w, const Op &o) {
  Format f = formatOf(w, o);
  if (const char *why = problemOf(f, true, N))
    return refused(w, o, why);
  VmemLanes v;
  unsigned bytes = f.of().bytes();
  elementAddresses(w, o, std::max(1u, bytes), v);
  if (!bytes)
    v.active = 0; // nothing is bound
  const uint32_t *d = w.row(o.d);
  std::byte image[kLanes * 16] = {};
  for (uint64_t m = v.active; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m)), at = 0;
    Element e;
    for (unsigned i = 0; i < f.of().components; at += f.of().bits[i++]) {
      uint32_t x =
          W == Dwords ? d[64 * i + l] : d[64 * (i / 2) + l] >> (W == HighHalf || i % 2 ? 16 : 0);
      if (W != Dwords)
        x = w.shadowing ? x & 0xffff : fromHalf(f, x & 0xffff);
      e.put(at, f.of().bits[i], w.shadowing ? (x ? ~0u : 0) : toMemory(f, f.of().bits[i], x));
    }
    std::memcpy(image + l * bytes, e.words, bytes);
  }
  v.stored = image;
  vmemCheck(w, o, Space::Buffer, std::max(1u, bytes), kWrite, v);
  for (uint64_t m = v.active; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    std::memcpy(reinterpret_cast<void *>(v.address[l]), image + l * bytes, bytes);
  }
  recordVmem(w, o, true, 0);
  return &o + 1;
}
/// buffer_load_format_x … lds
const Op *loadToLds(Wave &w, const Op &o) {
  Format f = formatOf(w, o);
  if (const char *why = problemOf(f, false, 1))
    return refused(w, o, why);
  VmemLanes v;
  readElements(w, o, f, v);
  alignas(64) uint32_t image[kLanes] = {};
  for (uint64_t m = f.of().components ? v.active : 0; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    image[l] = loadElement(w, f, reinterpret_cast<const void *>(v.address[l])).value[0];
  }
  copyToLds(w, o, v.exec, image, 4, 4);
  return &o + 1;
}
} // namespace

unsigned elementBytes(unsigned dataFormat) { return kDataFormats[dataFormat & 15].bytes(); }
unsigned elementBytes(const Wave &w, const Op &o) { return formatOf(w, o).of().bytes(); }

#define FORMATS(PREFIX, OP)                                                                        \
  {Sem::PREFIX##_##OP##_format_x, OP<1, Dwords>, s},                                               \
      {Sem::PREFIX##_##OP##_format_xy, OP<2, Dwords>, s},                                          \
      {Sem::PREFIX##_##OP##_format_xyz, OP<3, Dwords>, s},                                         \
      {Sem::PREFIX##_##OP##_format_xyzw, OP<4, Dwords>, s},                                        \
      {Sem::PREFIX##_##OP##_format_d16_x, OP<1, Halves>, s},                                       \
      {Sem::PREFIX##_##OP##_format_d16_xy, OP<2, Halves>, s},                                      \
      {Sem::PREFIX##_##OP##_format_d16_xyz, OP<3, Halves>, s},                                     \
      {Sem::PREFIX##_##OP##_format_d16_xyzw, OP<4, Halves>, s},

const HandlerTable &tableVmemFormat() {
  const Shape s = Shape::Vmem;
  static const HandlerTable table = {
      FORMATS(buffer, load) FORMATS(buffer, store) FORMATS(tbuffer, load)
          FORMATS(tbuffer, store){Sem::buffer_load_format_d16_hi_x, load<1, HighHalf>, s},
      {Sem::buffer_store_format_d16_hi_x, store<1, HighHalf>, s},
      {Sem::buffer_load_format_x_lds, loadToLds, s},
  };
  return table;
}
} // namespace tegula::sim
