// Scaled conversions of 4- and 6-bit floats, and stochastic rounding to 16 bits: long sequences of
// small fields that gain nothing from vectors, so compiled once. Scales are E8M0: the exponent
// field of an f32 operand. Values are divided by the scale on the way to a small format and
// multiplied on the way back.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/HostFloat.h"
#include "Sim/Exec/SmallFloat.h"

namespace tegula::sim {
namespace {
float floatOf(uint32_t u) {
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}
uint32_t bitsOf(float f) {
  uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}
double scaleOf(uint32_t v) { return std::ldexp(1.0, int(v >> 23 & 0xff) - 127); }

/// The two 16-bit types.
struct Half {
  static float value(uint32_t h) {
    uint32_t mag = h & 0x7fff;
    float v = mag > 0x7c00    ? NAN
              : mag == 0x7c00 ? INFINITY
              : mag >= 0x400  ? std::ldexp(float((mag & 0x3ff) | 0x400), int(mag >> 10) - 25)
                              : std::ldexp(float(mag), -24);
    return h & 0x8000 ? -v : v;
  }
  /// Exact or nearest even.
  static uint32_t code(double v) {
    uint32_t sign = std::signbit(v) ? 0x8000 : 0;
    double mag = std::fabs(v);
    if (mag != mag)
      return sign | 0x7e00;
    if (mag >= 65520.0)
      return sign | 0x7c00;
    int e = mag > 0 ? std::ilogb(mag) : -1000;
    e = e < -14 ? -14 : e;
    return sign | ((uint32_t(e + 14) << 10) + uint32_t(std::nearbyint(std::ldexp(mag, 10 - e))));
  }
};
struct Bfloat {
  static float value(uint32_t b) { return floatOf(b << 16); }
  static uint32_t code(double v) {
    uint32_t x = bitsOf(float(v)); // products of fp4 and a power of two fit
    return (x + 0x7fff + (x >> 16 & 1)) >> 16;
  }
};

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

/// Byte opSel[1:0] of a, two nibbles, × scale b → two 16-bit values.
template <class T> const Op *pk16FromFp4(Wave &w, const Op &o) {
  const uint32_t *a = w.row(o.a), *b = w.row(o.b);
  const auto &table = decodeTable(SmallFormat::E2M1);
  unsigned shift = (o.aux & 3) * 8;
  return eachLane(w, o, [&](unsigned l) {
    double s = scaleOf(b[l]);
    uint32_t v = a[l] >> shift;
    w.row(o.d)[l] = T::code(table[v & 15] * s) | T::code(table[v >> 4 & 15] * s) << 16;
  });
}
/// Two 16-bit values of a / scale b → byte opSel[3:2] of d, the others kept.
template <class T> const Op *pkFp4From16(Wave &w, const Op &o) {
  const uint32_t *a = w.row(o.a), *b = w.row(o.b);
  unsigned shift = (o.aux >> 2 & 3) * 8;
  return eachLane(w, o, [&](unsigned l) {
    double s = scaleOf(b[l]);
    uint32_t byte = encodeSmall(SmallFormat::E2M1, T::value(a[l] & 0xffff) / s, true) |
                    encodeSmall(SmallFormat::E2M1, T::value(a[l] >> 16) / s, true) << 4;
    uint32_t &d = w.row(o.d)[l];
    d = (d & ~(0xffu << shift)) | byte << shift;
  });
}

void putField6(uint32_t *rows, unsigned lane, unsigned n, uint32_t v) {
  unsigned bit = 6 * n, reg = bit / 32, shift = bit % 32;
  rows[reg * kLanes + lane] |= v << shift;
  if (shift > 26)
    rows[(reg + 1) * kLanes + lane] |= v >> (32 - shift);
}
uint32_t field6(const uint32_t *rows, unsigned lane, unsigned n) {
  unsigned bit = 6 * n, reg = bit / 32, shift = bit % 32;
  uint64_t v = rows[reg * kLanes + lane];
  if (shift > 26)
    v |= uint64_t(rows[(reg + 1) * kLanes + lane]) << 32;
  return uint32_t(v >> shift) & 63;
}
/// Two times 16 f32, interleaved, / scale c → 32 six-bit fields.
template <bool Bf6> const Op *pk6From2x16F32(Wave &w, const Op &o) {
  const uint32_t *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  SmallFormat format = Bf6 ? SmallFormat::E3M2 : SmallFormat::E2M3;
  return eachLane(w, o, [&](unsigned l) {
    double s = scaleOf(c[l]);
    uint32_t out[6 * kLanes] = {};
    for (unsigned p = 0; p < 16; ++p) {
      putField6(out, l, 2 * p, encodeSmall(format, floatOf(a[p * kLanes + l]) / s, true));
      putField6(out, l, 2 * p + 1, encodeSmall(format, floatOf(b[p * kLanes + l]) / s, true));
    }
    for (unsigned r = 0; r < 6; ++r)
      w.row(o.d)[r * kLanes + l] = out[r * kLanes + l];
  });
}
/// 32 six-bit fields × scale b → 32 f32.
template <bool Bf6> const Op *f32From6(Wave &w, const Op &o) {
  const uint32_t *b = w.row(o.b);
  const auto &table = decodeTable(Bf6 ? SmallFormat::E3M2 : SmallFormat::E2M3);
  uint32_t in[6 * kLanes]; // the result may cover its source
  std::memcpy(in, w.row(o.a), sizeof in);
  return eachLane(w, o, [&](unsigned l) {
    double s = scaleOf(b[l]);
    for (unsigned n = 0; n < 32; ++n)
      w.row(o.d)[n * kLanes + l] = bitsOf(float(table[field6(in, l, n)] * s));
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
      {Sem::v_cvt_scalef32_pk_f16_fp4, pk16FromFp4<Half>, v, raw},
      {Sem::v_cvt_scalef32_pk_bf16_fp4, pk16FromFp4<Bfloat>, v, raw},
      {Sem::v_cvt_scalef32_pk_fp4_f16, pkFp4From16<Half>, v, raw},
      {Sem::v_cvt_scalef32_pk_fp4_bf16, pkFp4From16<Bfloat>, v, raw},
      {Sem::v_cvt_scalef32_2xpk16_fp6_f32, pk6From2x16F32<false>, v, raw},
      {Sem::v_cvt_scalef32_2xpk16_bf6_f32, pk6From2x16F32<true>, v, raw},
      {Sem::v_cvt_scalef32_pk32_f32_fp6, f32From6<false>, v, raw},
      {Sem::v_cvt_scalef32_pk32_f32_bf6, f32From6<true>, v, raw},
      {Sem::v_cvt_sr_bf16_f32, stochastic16<stochasticBf16>, v, raw},
      {Sem::v_cvt_sr_f16_f32, stochastic16<stochasticHalf>, v, raw},
  };
  return table;
}
} // namespace tegula::sim
