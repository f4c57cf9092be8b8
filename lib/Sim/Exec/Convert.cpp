// Conversions between float, integer and small-float types.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Convert.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Half-inl.h"
#include "Sim/Exec/Lanes-inl.h"
#include "Sim/Exec/SmallFloat.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
#define CVT(NAME, MODE, TD, TA, ARG, ...)                                                          \
  TEGULA_OP(NAME, MODE, TD, TA, NoElem, NoElem, (ARG a), __VA_ARGS__)

CVT(F32FromF16, Fixed, F32, F16, float, return a;)
CVT(F32FromI32, F32, F32, I32, i32, return float(a);)
CVT(F32FromU32, F32, F32, U32, u32, return float(a);)
CVT(F32FromBf16, Fixed, F32, U32, u32, return bits<float>(a << 16);)
CVT(Ubyte0, Fixed, F32, U32, u32, return float(i32(a & 0xff));)
CVT(Ubyte1, Fixed, F32, U32, u32, return float(i32(a >> 8 & 0xff));)
CVT(Ubyte2, Fixed, F32, U32, u32, return float(i32(a >> 16 & 0xff));)
CVT(Ubyte3, Fixed, F32, U32, u32, return float(i32(a >> 24));)
CVT(OffI4, Fixed, F32, U32, u32, return float(i32(a << 28) >> 28) * 0.0625f;)

// Saturating, NaN → 0, toward zero.
HWY_INLINE i32 toI32(float a) {
  i32 r = i32(a >= 2147483648.0f || a < -2147483648.0f || a != a ? 0.0f : a);
  r = a >= 2147483648.0f ? 0x7fffffff : r;
  return a < -2147483648.0f ? i32(0x80000000) : r;
}
HWY_INLINE u32 toU32(float a) {
  u32 r = u32(a >= 4294967296.0f || a < 0 || a != a ? 0.0f : a);
  return a >= 4294967296.0f ? ~0u : r;
}
CVT(ToI32, F32, I32, F32, float, return toI32(a);)
CVT(ToU32, F32, U32, F32, float, return toU32(a);)
CVT(Rpi, F32, I32, F32, float, return toI32(__builtin_floorf(a + 0.5f));)
CVT(Flr, F32, I32, F32, float, return toI32(__builtin_floorf(a));)
HWY_INLINE i32 clampI(i32 v, i32 lo, i32 hi) { return v < lo ? lo : v > hi ? hi : v; }
CVT(I16FromF16, Fixed, I16, F16, float, return clampI(toI32(a), -32768, 32767);)
CVT(U16FromF16, Fixed, U16, F16, float, u32 r = toU32(a); return r > 0xffff ? 0xffff : r;)
CVT(F16FromI16, Fixed, F16, I16, i32, return float(a);)
CVT(F16FromU16, Fixed, F16, U16, u32, return float(i32(a));)

CVT(F64FromF32, Fixed, F64, F32, float, return double(a);)
CVT(F64FromI32, F16F64, F64, I32, i32, return double(a);)
CVT(F64FromU32, F16F64, F64, U32, u32, return double(a);)
CVT(F32FromF64, F32, F32, F64, double, return float(a);)
CVT(I32FromF64, F16F64, I32, F64, double,
    i32 r = i32(a >= 2147483648.0 || a <= -2147483649.0 || a != a ? 0.0 : a);
    r = a >= 2147483648.0 ? 0x7fffffff : r; return a <= -2147483649.0 ? i32(0x80000000) : r;)
CVT(U32FromF64, F16F64, U32, F64, double,
    u32 r = u32(a >= 4294967296.0 || a < 0 || a != a ? 0.0 : a);
    return a >= 4294967296.0 ? ~0u : r;)

/// bf16 bits, nearest even, denormals kept; NaN stays NaN.
HWY_INLINE u32 floatToBf16(float f) {
  u32 x = bits<u32>(f);
  u32 r = (x + 0x7fff + (x >> 16 & 1)) >> 16;
  return (x & 0x7fffffff) > 0x7f800000 ? (x >> 16 | 0x40) : r;
}
TEGULA_OP(PkBf16, Fixed, U32, F32, F32, NoElem, (float a, float b),
          return floatToBf16(a) | floatToBf16(b) << 16;)
TEGULA_OP(PkF16, Fixed, U32, F32, F32, NoElem, (float a, float b),
          return floatToHalf(a) | floatToHalf(b) << 16;)
TEGULA_OP(PkRtz, Fixed, U32, F32, F32, NoElem, (float a, float b),
          return floatToHalfRounded(a, 3) | floatToHalfRounded(b, 3) << 16;)
TEGULA_OP(PkI16, Fixed, U32, I32, I32, NoElem, (i32 a, i32 b),
          return u32(clampI(a, -32768, 32767) & 0xffff) | u32(clampI(b, -32768, 32767)) << 16;)
TEGULA_OP(PkU16, Fixed, U32, U32, U32, NoElem, (u32 a, u32 b), u32 x = a > 0xffff ? 0xffff : a;
          u32 y = b > 0xffff ? 0xffff : b; return x | y << 16;)
TEGULA_OP(PkU8, F32, U32, F32, U32, U32, (float a, u32 b, u32 c),
          float v = a != a || a < 0 ? 0.0f
                    : a > 255       ? 255.0f
                                    : __builtin_rintf(a);
          u32 s = (b & 3) * 8; return (c & ~(0xffu << s)) | u32(i32(v)) << s;)

/// f16 from f32 rounds by the f16/f64 field of MODE.
const Op *f16FromF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a);
  unsigned round = w.mode >> 2 & 3;
  bool flushOut = !(w.mode >> 7 & 1);
  alignas(64) u32 r[64];
  if (round == 0 && !flushOut) {
    TEGULA_LANES
    for (unsigned i = 0; i < 64; ++i)
      r[i] = floatToHalf(F32::get(a, i));
  } else {
    for (unsigned i = 0; i < 64; ++i) {
      u32 h = floatToHalfRounded(F32::get(a, i), round);
      r[i] = flushOut && (h & 0x7c00) == 0 ? h & 0x8000 : h;
    }
  }
  if (w.fp16Ovfl())
    for (unsigned i = 0; i < 64; ++i)
      r[i] = (r[i] & 0x7fff) == 0x7c00 && (a[i] & 0x7fffffff) < 0x7f800000
                 ? (r[i] & 0x8000) | 0x7bff
                 : r[i];
  storeRows(w, o.d, r, 1);
  return &o + 1;
}

// --- Small floats: aux bit 0 = bf8
// ---------------------------------------------------------------------------------
HWY_INLINE SmallFormat format8(const Wave &w, bool bf8) {
  return bf8 ? bf8Of(w.program->arch) : fp8Of(w.program->arch);
}
/// The value of an f32 scale operand: its exponent field alone.
HWY_INLINE double scaleOf(u32 v) { return std::ldexp(1.0, i32(v >> 23 & 0xff) - 127); }

template <bool Bf8> const Op *pk8FromF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b);
  SmallFormat f = format8(w, Bf8);
  alignas(64) u32 r[64];
  underMode<FloatMode::Fixed>(w, [&] {
    for (unsigned i = 0; i < 64; ++i)
      r[i] = encodeSmall(f, F32::get(a, i), w.fp16Ovfl()) |
             encodeSmall(f, F32::get(b, i), w.fp16Ovfl()) << 8;
  });
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
/// Scaled: c = scale; the value is divided by it.
template <bool Bf8> const Op *scaledPk8FromF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  SmallFormat f = format8(w, Bf8);
  alignas(64) u32 r[64];
  underMode<FloatMode::Fixed>(w, [&] {
    for (unsigned i = 0; i < 64; ++i) {
      double s = scaleOf(c[i]);
      r[i] = encodeSmall(f, F32::get(a, i) / s, w.fp16Ovfl()) |
             encodeSmall(f, F32::get(b, i) / s, w.fp16Ovfl()) << 8;
    }
  });
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
/// One byte, rounded with random bits from b; the result's byte is opSel[3:2].
template <bool Bf8> const Op *sr8FromF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *d = w.row(o.d);
  SmallFormat f = format8(w, Bf8);
  unsigned shift = (o.aux >> 2 & 3) * 8, noiseBits = Bf8 ? 21 : 20;
  alignas(64) u32 r[64];
  underMode<FloatMode::Fixed>(w, [&] {
    for (unsigned i = 0; i < 64; ++i) {
      double noise = std::ldexp(double(b[i] >> (32 - noiseBits)), -int(noiseBits));
      r[i] = (d[i] & ~(0xffu << shift)) | encodeSmall(f, F32::get(a, i), w.fp16Ovfl(), noise)
                                              << shift;
    }
  });
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
template <bool Bf8> const Op *f32From8(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a);
  const auto &table = decodeTable(format8(w, Bf8));
  alignas(64) u32 r[64];
  for (unsigned i = 0; i < 64; ++i)
    r[i] = bits<u32>(table[a[i] & 0xff]);
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
template <bool Bf8> const Op *pkF32From8(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a);
  const auto &table = decodeTable(format8(w, Bf8));
  alignas(64) u32 r[128];
  for (unsigned i = 0; i < 64; ++i) {
    r[i] = bits<u32>(table[a[i] & 0xff]);
    r[i + 64] = bits<u32>(table[a[i] >> 8 & 0xff]);
  }
  storeRows(w, o.d, r, 2);
  return &o + 1;
}
/// Two values from a half (opSel[0]) times the scale b.
template <bool Bf8> const Op *scaledPkF32From8(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b);
  const auto &table = decodeTable(format8(w, Bf8));
  unsigned shift = o.aux & 1 ? 16 : 0;
  alignas(64) u32 r[128];
  underMode<FloatMode::Fixed>(w, [&] {
    for (unsigned i = 0; i < 64; ++i) {
      double s = scaleOf(b[i]);
      F32::put(r, i, float(table[a[i] >> shift & 0xff] * s));
      F32::put(r + 64, i, float(table[a[i] >> (shift + 8) & 0xff] * s));
    }
  });
  storeRows(w, o.d, r, 2);
  return &o + 1;
}
/// fp4: two nibbles into byte opSel[3:2] of d.
const Op *scaledPkFp4FromF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c), *d = w.row(o.d);
  unsigned shift = (o.aux >> 2 & 3) * 8;
  alignas(64) u32 r[64];
  underMode<FloatMode::Fixed>(w, [&] {
    for (unsigned i = 0; i < 64; ++i) {
      double s = scaleOf(c[i]);
      u32 byte = encodeSmall(SmallFormat::E2M1, F32::get(a, i) / s, true) |
                 encodeSmall(SmallFormat::E2M1, F32::get(b, i) / s, true) << 4;
      r[i] = (d[i] & ~(0xffu << shift)) | byte << shift;
    }
  });
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
/// Two values from byte opSel[1:0] times the scale b.
const Op *scaledPkF32FromFp4(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b);
  const auto &table = decodeTable(SmallFormat::E2M1);
  unsigned shift = (o.aux & 3) * 8;
  alignas(64) u32 r[128];
  underMode<FloatMode::Fixed>(w, [&] {
    for (unsigned i = 0; i < 64; ++i) {
      double s = scaleOf(b[i]);
      F32::put(r, i, float(table[a[i] >> shift & 0xf] * s));
      F32::put(r + 64, i, float(table[a[i] >> (shift + 4) & 0xf] * s));
    }
  });
  storeRows(w, o.d, r, 2);
  return &o + 1;
}
} // namespace

HandlerTable makeConvert() {
  const Shape v = Shape::Vector;
  const Elem f = Elem::F32, h = Elem::F16, n = Elem::None, raw = Elem::Raw;
  return {
      {Sem::v_cvt_f32_f16, valu<F32FromF16>, v, h},
      {Sem::v_cvt_f16_f32, f16FromF32, v, f},
      {Sem::v_cvt_f32_i32, valu<F32FromI32>, v, f},
      {Sem::v_cvt_f32_u32, valu<F32FromU32>, v, f},
      {Sem::v_cvt_f32_bf16, valu<F32FromBf16>, v, n},
      {Sem::v_cvt_f32_ubyte0, valu<Ubyte0>, v, f},
      {Sem::v_cvt_f32_ubyte1, valu<Ubyte1>, v, f},
      {Sem::v_cvt_f32_ubyte2, valu<Ubyte2>, v, f},
      {Sem::v_cvt_f32_ubyte3, valu<Ubyte3>, v, f},
      {Sem::v_cvt_off_f32_i4, valu<OffI4>, v, n},
      {Sem::v_cvt_i32_f32, valu<ToI32>, v, f},
      {Sem::v_cvt_u32_f32, valu<ToU32>, v, f},
      {Sem::v_cvt_rpi_i32_f32, valu<Rpi>, v, f},
      {Sem::v_cvt_flr_i32_f32, valu<Flr>, v, f},
      {Sem::v_cvt_i16_f16, valu<I16FromF16>, v, h},
      {Sem::v_cvt_u16_f16, valu<U16FromF16>, v, h},
      {Sem::v_cvt_f16_i16, valu<F16FromI16>, v, h},
      {Sem::v_cvt_f16_u16, valu<F16FromU16>, v, h},
      {Sem::v_cvt_f64_f32, valu<F64FromF32>, v, f},
      {Sem::v_cvt_f64_i32, valu<F64FromI32>, v, n},
      {Sem::v_cvt_f64_u32, valu<F64FromU32>, v, n},
      {Sem::v_cvt_f32_f64, valu<F32FromF64>, v, Elem::F64},
      {Sem::v_cvt_i32_f64, valu<I32FromF64>, v, Elem::F64},
      {Sem::v_cvt_u32_f64, valu<U32FromF64>, v, Elem::F64},
      {Sem::v_cvt_pk_bf16_f32, valu<PkBf16>, v, f},
      {Sem::v_cvt_pk_f16_f32, valu<PkF16>, v, f},
      {Sem::v_cvt_pkrtz_f16_f32, valu<PkRtz>, v, f},
      {Sem::v_cvt_pk_i16_i32, valu<PkI16>, v, n},
      {Sem::v_cvt_pk_u16_u32, valu<PkU16>, v, n},
      {Sem::v_cvt_pk_u8_f32, valu<PkU8>, v, f},
      {Sem::v_cvt_pk_fp8_f32, pk8FromF32<false>, v, f, 0, true},
      {Sem::v_cvt_pk_bf8_f32, pk8FromF32<true>, v, f, 0, true},
      {Sem::v_cvt_scalef32_pk_fp8_f32, scaledPk8FromF32<false>, v, f, 0, true},
      {Sem::v_cvt_scalef32_pk_bf8_f32, scaledPk8FromF32<true>, v, f, 0, true},
      {Sem::v_cvt_sr_fp8_f32, sr8FromF32<false>, v, raw},
      {Sem::v_cvt_sr_bf8_f32, sr8FromF32<true>, v, raw},
      {Sem::v_cvt_f32_fp8, f32From8<false>, v, n},
      {Sem::v_cvt_f32_bf8, f32From8<true>, v, n},
      {Sem::v_cvt_pk_f32_fp8, pkF32From8<false>, v, n},
      {Sem::v_cvt_pk_f32_bf8, pkF32From8<true>, v, n},
      {Sem::v_cvt_scalef32_pk_f32_fp8, scaledPkF32From8<false>, v, raw},
      {Sem::v_cvt_scalef32_pk_f32_bf8, scaledPkF32From8<true>, v, raw},
      {Sem::v_cvt_scalef32_pk_fp4_f32, scaledPkFp4FromF32, v, raw},
      {Sem::v_cvt_scalef32_pk_f32_fp4, scaledPkF32FromFp4, v, raw},
  };
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeConvert);
const HandlerTable &tableConvert() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeConvert)();
  return table;
}
} // namespace tegula::sim
#endif
