// Scaled conversions of small floats, and stochastic rounding to 16 bits: sequences of small fields
// that gain nothing from vectors, so compiled once (Convert.cpp has those that quantisers use
// most). Scales are E8M0: the exponent field of an f32 operand. Values are divided by the scale on
// the way to a small format and multiplied on the way back.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/HalfFloat.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/HostFloat.h"
#include "Sim/Exec/SmallFloat.h"

namespace tegula::sim {
namespace {
double scaleOf(uint32_t v) { return std::ldexp(1.0, int(v >> 23 & 0xff) - 127); }

/// SGPR and constant sources: the wave's broadcast row.
void broadcast(Wave &w, const Op &o) {
  if (o.slot == 0)
    return;
  uint32_t *row = w.row(w.program->tempOffset(kBroadcastRow));
  for (unsigned l = 0; l < kLanes; ++l)
    row[l] = w.s[(o.slot & 0x7fffu) - 1];
}
/// Calls f(lane) for active lanes under round-to-nearest with denormals.
template <class F> const Op *eachLane(Wave &w, const Op &o, F f) {
  broadcast(w, o);
  setHostFloatMode(0x1f80);
  for (uint64_t m = w.exec(); m; m &= m - 1)
    f(unsigned(__builtin_ctzll(m)));
  setHostFloatMode(w.mxcsr[0]);
  return &o + 1;
}

// --- Elements of the wide type in a tuple of registers
struct Singles {
  static constexpr unsigned bits = 32;
  static double value(const uint32_t *rows, unsigned lane, unsigned n, uint32_t mode) {
    uint32_t v = rows[n * kLanes + lane];
    bool flushed = !(mode >> 4 & 1) && (v & 0x7f800000) == 0;
    return double(floatOf(flushed ? v & 0x80000000 : v));
  }
  static uint32_t code(double v) { return bitsOf(float(v)); }
};
template <class T> struct Pairs {
  static constexpr unsigned bits = 16;
  static double value(const uint32_t *rows, unsigned lane, unsigned n, uint32_t) {
    return double(T::value(rows[n / 2 * kLanes + lane] >> (16 * (n & 1)) & 0xffff));
  }
  static uint32_t code(double v) { return T::code(v); }
};
using Halves = Pairs<Half>;
using Bfloats = Pairs<Bfloat>;

enum class Small : uint8_t { Fp8, Bf8, Fp6, Bf6, Fp4 };
constexpr unsigned widthOf(Small s) { return s <= Small::Bf8 ? 8 : s == Small::Fp4 ? 4 : 6; }
SmallFormat formatOf(Small s, Arch arch) {
  return s == Small::Fp8   ? fp8Of(arch)
         : s == Small::Bf8 ? bf8Of(arch)
         : s == Small::Fp6 ? SmallFormat::E2M3
         : s == Small::Bf6 ? SmallFormat::E3M2
                           : SmallFormat::E2M1;
}

/// Fields of a lane, `bits` wide, across the dwords of a tuple.
struct Fields {
  uint32_t dword[32] = {};
  void put(unsigned n, unsigned bits, uint32_t v) {
    unsigned at = n * bits;
    dword[at / 32] |= v << at % 32;
    if (at % 32 + bits > 32)
      dword[at / 32 + 1] |= v >> (32 - at % 32);
  }
  uint32_t get(unsigned n, unsigned bits) const {
    unsigned at = n * bits;
    uint64_t v = dword[at / 32];
    if (at % 32 + bits > 32)
      v |= uint64_t(dword[at / 32 + 1]) << 32;
    return uint32_t(v >> at % 32) & uint32_t((uint64_t(1) << bits) - 1);
  }
};
/// The lane's result: whole registers, or a part of one whose rest stays.
void write(Wave &w, const Op &o, unsigned lane, const Fields &f, unsigned bits) {
  uint32_t *d = w.row(o.d);
  if (bits >= 32) {
    for (unsigned r = 0; r < bits / 32; ++r)
      d[r * kLanes + lane] = f.dword[r];
    return;
  }
  unsigned shift = bits == 16 ? (o.aux & 8 ? 16 : 0) : 8 * (o.aux >> 2 & 3);
  uint32_t mask = ((1u << bits) - 1) << shift;
  d[lane] = (d[lane] & ~mask) | (f.dword[0] << shift & mask);
}
/// The next random number of instructions that use several.
uint32_t nextRandom(uint32_t x) { return x << 1 ^ (x >> 31 ? 197 : 0); }

/// `Count` wide elements / scale → small ones: to nearest, or with the random bits of b added where
/// the fraction is cut. `Two`: elements alternate between a and b.
template <class Wide, Small To, unsigned Count, bool Random, bool Two>
const Op *encode(Wave &w, const Op &o) {
  constexpr unsigned bits = Count * widthOf(To);
  const uint32_t *a = w.row(o.a), *b = w.row(o.b), *scales = Random || Two ? w.row(o.c) : b;
  SmallFormat format = formatOf(To, w.program->arch);
  unsigned fraction = infoOf(format).man;
  bool saturates = bits != Count * 8 || w.fp16Ovfl();
  return eachLane(w, o, [&](unsigned l) {
    double scale = scaleOf(scales[l]);
    uint32_t random = Random ? b[l] : 0;
    Fields f;
    for (unsigned n = 0; n < Count; ++n) {
      double v = Two ? Wide::value(n % 2 ? b : a, l, n / 2, w.mode) : Wide::value(a, l, n, w.mode);
      double noise = std::ldexp(double(random >> (9 + fraction)), int(fraction) - 23);
      f.put(n, widthOf(To), encodeSmall(format, v / scale, saturates, Random ? noise : -1));
      random = nextRandom(random);
    }
    write(w, o, l, f, bits);
  });
}
/// `Count` small elements × scale → wide ones; op_sel picks the byte or half that holds them.
template <class Wide, Small From, unsigned Count> const Op *decode(Wave &w, const Op &o) {
  constexpr unsigned bits = Count * widthOf(From), registers = (bits + 31) / 32;
  const uint32_t *a = w.row(o.a), *b = w.row(o.b);
  const auto &table = decodeTable(formatOf(From, w.program->arch));
  unsigned shift = bits >= 32 ? 0 : bits == 16 ? 16 * (o.aux & 1) : 8 * (o.aux & 3);
  return eachLane(w, o, [&](unsigned l) {
    double scale = scaleOf(b[l]);
    Fields in, out;
    for (unsigned r = 0; r < registers; ++r)
      in.dword[r] = a[r * kLanes + l] >> shift;
    for (unsigned n = 0; n < Count; ++n)
      out.put(n, Wide::bits, Wide::code(double(table[in.get(n, widthOf(From))]) * scale));
    write(w, o, l, out, Count * Wide::bits);
  });
}

/// Adds the top random bits where the mantissa is cut, then truncates; the half is opSel[3], the
/// other one kept.
uint32_t stochasticBf16(float f, uint32_t noise) {
  uint32_t x = bitsOf(f);
  if ((x & 0x7fffffff) > 0x7f800000)
    return x >> 16 | 0x40; // quiet
  return x << 1 == 0xff000000 ? x >> 16 : (x + (noise >> 16)) >> 16;
}
uint32_t stochasticHalf(float f, uint32_t noise) {
  uint32_t sign = bitsOf(f) >> 16 & 0x8000;
  double mag = std::fabs(double(f));
  if (!(mag < 65536.0))
    return Half::code(f);
  int e = mag > 0 ? std::ilogb(mag) : -1000;
  e = e < -14 ? -14 : e;
  double q = std::floor(std::ldexp(mag, 10 - e) + std::ldexp(double(noise >> 19), -13));
  return sign | ((uint32_t(e + 14) << 10) + uint32_t(q));
}
template <uint32_t (*Round)(float, uint32_t)> const Op *stochastic16(Wave &w, const Op &o) {
  const uint32_t *a = w.row(o.a), *b = w.row(o.b);
  unsigned shift = o.aux & 8 ? 16 : 0;
  return eachLane(w, o, [&](unsigned l) {
    uint32_t &d = w.row(o.d)[l];
    d = (d & ~(0xffffu << shift)) | (Round(floatOf(a[l]), b[l]) & 0xffff) << shift;
  });
}
} // namespace

const HandlerTable &tableConvertScale() {
  const Shape v = Shape::Vector;
  const Elem raw = Elem::Raw;
  static const HandlerTable table = {
      {Sem::v_cvt_scalef32_pk_fp8_f16, encode<Halves, Small::Fp8, 2, false, false>, v, raw},
      {Sem::v_cvt_scalef32_pk_fp8_bf16, encode<Bfloats, Small::Fp8, 2, false, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_fp8_f32, encode<Singles, Small::Fp8, 1, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_fp8_f16, encode<Halves, Small::Fp8, 1, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_fp8_bf16, encode<Bfloats, Small::Fp8, 1, true, false>, v, raw},
      {Sem::v_cvt_scalef32_f32_fp8, decode<Singles, Small::Fp8, 1>, v, raw},
      {Sem::v_cvt_scalef32_f16_fp8, decode<Halves, Small::Fp8, 1>, v, raw},
      {Sem::v_cvt_scalef32_pk_f16_fp8, decode<Halves, Small::Fp8, 2>, v, raw},
      {Sem::v_cvt_scalef32_pk_bf16_fp8, decode<Bfloats, Small::Fp8, 2>, v, raw},
      {Sem::v_cvt_scalef32_pk_bf8_f16, encode<Halves, Small::Bf8, 2, false, false>, v, raw},
      {Sem::v_cvt_scalef32_pk_bf8_bf16, encode<Bfloats, Small::Bf8, 2, false, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_bf8_f32, encode<Singles, Small::Bf8, 1, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_bf8_f16, encode<Halves, Small::Bf8, 1, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_bf8_bf16, encode<Bfloats, Small::Bf8, 1, true, false>, v, raw},
      {Sem::v_cvt_scalef32_f32_bf8, decode<Singles, Small::Bf8, 1>, v, raw},
      {Sem::v_cvt_scalef32_f16_bf8, decode<Halves, Small::Bf8, 1>, v, raw},
      {Sem::v_cvt_scalef32_pk_f16_bf8, decode<Halves, Small::Bf8, 2>, v, raw},
      {Sem::v_cvt_scalef32_pk_bf16_bf8, decode<Bfloats, Small::Bf8, 2>, v, raw},
      {Sem::v_cvt_scalef32_pk_fp4_f16, encode<Halves, Small::Fp4, 2, false, false>, v, raw},
      {Sem::v_cvt_scalef32_pk_f16_fp4, decode<Halves, Small::Fp4, 2>, v, raw},
      {Sem::v_cvt_scalef32_pk_fp4_bf16, encode<Bfloats, Small::Fp4, 2, false, false>, v, raw},
      {Sem::v_cvt_scalef32_pk_bf16_fp4, decode<Bfloats, Small::Fp4, 2>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk_fp4_f32, encode<Singles, Small::Fp4, 2, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk_fp4_f16, encode<Halves, Small::Fp4, 2, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk_fp4_bf16, encode<Bfloats, Small::Fp4, 2, true, false>, v, raw},
      {Sem::v_cvt_scalef32_2xpk16_fp6_f32, encode<Singles, Small::Fp6, 32, false, true>, v, raw},
      {Sem::v_cvt_scalef32_pk32_fp6_f16, encode<Halves, Small::Fp6, 32, false, false>, v, raw},
      {Sem::v_cvt_scalef32_pk32_fp6_bf16, encode<Bfloats, Small::Fp6, 32, false, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk32_fp6_f32, encode<Singles, Small::Fp6, 32, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk32_fp6_f16, encode<Halves, Small::Fp6, 32, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk32_fp6_bf16, encode<Bfloats, Small::Fp6, 32, true, false>, v, raw},
      {Sem::v_cvt_scalef32_pk32_f32_fp6, decode<Singles, Small::Fp6, 32>, v, raw},
      {Sem::v_cvt_scalef32_pk32_f16_fp6, decode<Halves, Small::Fp6, 32>, v, raw},
      {Sem::v_cvt_scalef32_pk32_bf16_fp6, decode<Bfloats, Small::Fp6, 32>, v, raw},
      {Sem::v_cvt_scalef32_2xpk16_bf6_f32, encode<Singles, Small::Bf6, 32, false, true>, v, raw},
      {Sem::v_cvt_scalef32_pk32_bf6_f16, encode<Halves, Small::Bf6, 32, false, false>, v, raw},
      {Sem::v_cvt_scalef32_pk32_bf6_bf16, encode<Bfloats, Small::Bf6, 32, false, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk32_bf6_f32, encode<Singles, Small::Bf6, 32, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk32_bf6_f16, encode<Halves, Small::Bf6, 32, true, false>, v, raw},
      {Sem::v_cvt_scalef32_sr_pk32_bf6_bf16, encode<Bfloats, Small::Bf6, 32, true, false>, v, raw},
      {Sem::v_cvt_scalef32_pk32_f32_bf6, decode<Singles, Small::Bf6, 32>, v, raw},
      {Sem::v_cvt_scalef32_pk32_f16_bf6, decode<Halves, Small::Bf6, 32>, v, raw},
      {Sem::v_cvt_scalef32_pk32_bf16_bf6, decode<Bfloats, Small::Bf6, 32>, v, raw},
      {Sem::v_cvt_sr_bf16_f32, stochastic16<stochasticBf16>, v, raw},
      {Sem::v_cvt_sr_f16_f32, stochastic16<stochasticHalf>, v, raw},
  };
  return table;
}
} // namespace tegula::sim
