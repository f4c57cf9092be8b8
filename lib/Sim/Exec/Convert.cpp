// Conversions between float, integer and small-float types.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Convert.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Lanes-inl.h"
#include "Sim/Exec/SmallFloat.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
#define CVT(NAME, MODE, TD, TA, ARG, ...)                                                          \
  TEGULA_OP(NAME, MODE, TD, TA, NoElem, NoElem, (ARG a), __VA_ARGS__)

CVT(v_cvt_f32_f16, Fixed, F32, F16, float, return canonical(a);)
CVT(v_cvt_f16_f32, F32Sources, F16, F32, float, return canonical(a);)
CVT(v_cvt_f32_i32, F32, F32, I32, i32, return float(a);)
CVT(v_cvt_f32_u32, F32, F32, U32, u32, return float(a);)
CVT(v_cvt_f32_bf16, Fixed, F32, U32, u32, return bits<float>(a << 16);)
CVT(v_cvt_f32_ubyte0, Fixed, F32, U32, u32, return float(i32(a & 0xff));)
CVT(v_cvt_f32_ubyte1, Fixed, F32, U32, u32, return float(i32(a >> 8 & 0xff));)
CVT(v_cvt_f32_ubyte2, Fixed, F32, U32, u32, return float(i32(a >> 16 & 0xff));)
CVT(v_cvt_f32_ubyte3, Fixed, F32, U32, u32, return float(i32(a >> 24));)
CVT(v_cvt_off_f32_i4, Fixed, F32, U32, u32, return float(i32(a << 28) >> 28) * 0.0625f;)

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
CVT(v_cvt_i32_f32, F32, I32, F32, float, return toI32(a);)
CVT(v_cvt_u32_f32, F32, U32, F32, float, return toU32(a);)
CVT(v_cvt_rpi_i32_f32, F32, I32, F32, float, return toI32(__builtin_floorf(a + 0.5f));)
CVT(v_cvt_flr_i32_f32, F32, I32, F32, float, return toI32(__builtin_floorf(a));)
CVT(v_cvt_i16_f16, Fixed, I16, F16, float, return saturateI16(toI32(a));)
CVT(v_cvt_u16_f16, Fixed, U16, F16, float, return saturateU16(toU32(a));)
CVT(v_cvt_f16_i16, Fixed, F16, I16, i32, return float(a);)
CVT(v_cvt_f16_u16, Fixed, F16, U16, u32, return float(i32(a));)

CVT(v_cvt_f64_f32, F32, F64, F32, float, return double(a);)
CVT(v_cvt_f64_i32, F16F64, F64, I32, i32, return double(a);)
CVT(v_cvt_f64_u32, F16F64, F64, U32, u32, return double(a);)
CVT(v_cvt_f32_f64, F64ToF32, F32, F64, double, return float(a);)
CVT(v_cvt_i32_f64, F16F64, I32, F64, double,
    i32 r = i32(a >= 2147483648.0 || a <= -2147483649.0 || a != a ? 0.0 : a);
    r = a >= 2147483648.0 ? 0x7fffffff : r; return a <= -2147483649.0 ? i32(0x80000000) : r;)
CVT(v_cvt_u32_f64, F16F64, U32, F64, double,
    u32 r = u32(a >= 4294967296.0 || a < 0 || a != a ? 0.0 : a);
    return a >= 4294967296.0 ? ~0u : r;)

// Normalised integers: [−1, 1] or [0, 1] onto the whole range, nearest even, NaN → 0. The product
// is exact in double.
HWY_INLINE i32 normI16(float a) {
  double v = a != a ? 0.0 : a > 1 ? 1.0 : a < -1 ? -1.0 : double(a);
  return i32(__builtin_rint(v * 32767.0));
}
HWY_INLINE u32 normU16(float a) {
  double v = a != a || a < 0 ? 0.0 : a > 1 ? 1.0 : double(a);
  return u32(i32(__builtin_rint(v * 65535.0)));
}
HWY_INLINE u32 join(u32 lo, u32 hi) { return (lo & 0xffff) | hi << 16; }
CVT(v_cvt_norm_i16_f16, Fixed, I16, F16, float, return normI16(a);)
CVT(v_cvt_norm_u16_f16, Fixed, U16, F16, float, return normU16(a);)
#define PACK(NAME, MODE, TA, ARG, LO, HI)                                                          \
  TEGULA_OP(NAME, MODE, U32, TA, TA, NoElem, (ARG a, ARG b), return join(LO, HI);)
PACK(v_cvt_pknorm_i16_f32, Fixed, F32, float, u32(normI16(a)), u32(normI16(b)))
PACK(v_cvt_pknorm_u16_f32, Fixed, F32, float, normU16(a), normU16(b))
PACK(v_cvt_pknorm_i16_f16, Fixed, F16, float, u32(normI16(a)), u32(normI16(b)))
PACK(v_cvt_pknorm_u16_f16, Fixed, F16, float, normU16(a), normU16(b))

/// bf16 bits, nearest even, denormals kept; NaN stays NaN.
HWY_INLINE u32 floatToBf16(float f) {
  u32 x = bits<u32>(f);
  u32 r = (x + 0x7fff + (x >> 16 & 1)) >> 16;
  return (x & 0x7fffffff) > 0x7f800000 ? (x >> 16 | 0x40) : r;
}
PACK(v_cvt_pk_bf16_f32, F32Sources, F32, float, floatToBf16(canonical(a)),
     floatToBf16(canonical(b)))
/// Two f32 to f16 in a fixed rounding; denormals follow MODE, sources by f32's field, results by
/// f16's.
template <unsigned Round> const Op *packHalves(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b);
  u32 mode = (w.mode & ~0x80000cu) | Round << 2;
  alignas(64) u32 r[64];
  underMode<FloatMode::F32Sources>(w, [&] {
    for (unsigned i = 0; i < 64; ++i)
      r[i] = join(narrowByMode(canonical(F32::get(a, i)), mode),
                  narrowByMode(canonical(F32::get(b, i)), mode));
  });
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
PACK(v_cvt_pk_i16_i32, Fixed, I32, i32, u32(saturateI16(a)), u32(saturateI16(b)))
PACK(v_cvt_pk_u16_u32, Fixed, U32, u32, saturateU16(a), saturateU16(b))
/// Byte b[1:0] of `into` becomes a, rounded by MODE.
HWY_INLINE u32 insertByte(float a, u32 b, u32 into) {
  float v = a != a || a < 0 ? 0.0f : a > 255 ? 255.0f : __builtin_rintf(a);
  u32 s = (b & 3) * 8;
  return (into & ~(0xffu << s)) | u32(i32(v)) << s;
}
TEGULA_OP(v_cvt_pk_u8_f32, F32, U32, F32, U32, U32, (float a, u32 b, u32 c),
          return insertByte(a, b, c);)
TEGULA_SAME(v_cvt_pkaccum_u8_f32, v_cvt_pk_u8_f32) // c = the destination

// --- Small floats: aux bit 0 = bf8
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
  HandlerTable table = {
      {Sem::v_cvt_pk_f16_f32, packHalves<0>, v, f},
      {Sem::v_cvt_pkrtz_f16_f32, packHalves<3>, v, f},
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
  addOps<v_cvt_f16_f32, v_cvt_f32_i32, v_cvt_f32_u32, v_cvt_f32_ubyte0, v_cvt_f32_ubyte1,
         v_cvt_f32_ubyte2, v_cvt_f32_ubyte3, v_cvt_i32_f32, v_cvt_u32_f32, v_cvt_rpi_i32_f32,
         v_cvt_flr_i32_f32, v_cvt_f64_f32, v_cvt_pk_bf16_f32, v_cvt_pk_u8_f32, v_cvt_pkaccum_u8_f32,
         v_cvt_pknorm_i16_f32, v_cvt_pknorm_u16_f32>(table, f);
  addOps<v_cvt_f32_f16, v_cvt_i16_f16, v_cvt_u16_f16, v_cvt_f16_i16, v_cvt_f16_u16,
         v_cvt_norm_i16_f16, v_cvt_norm_u16_f16, v_cvt_pknorm_i16_f16, v_cvt_pknorm_u16_f16>(table,
                                                                                             h);
  addOps<v_cvt_f32_f64, v_cvt_i32_f64, v_cvt_u32_f64>(table, Elem::F64);
  addOps<v_cvt_f32_bf16, v_cvt_off_f32_i4, v_cvt_f64_i32, v_cvt_f64_u32, v_cvt_pk_i16_i32,
         v_cvt_pk_u16_u32>(table, n);
  return table;
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
