// Packed pairs: 16-bit halves, f32 pairs, dot products, mixed fma, pack.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Packed.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Half-inl.h"
#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
HWY_INLINE float lo16(u32 v) { return halfToFloat(v & 0xffff); }
HWY_INLINE float hi16(u32 v) { return halfToFloat(v >> 16); }
HWY_INLINE u32 join(u32 lo, u32 hi) { return (lo & 0xffff) | hi << 16; }

// f applied to the low halves and to the high halves.
#define PK2(NAME, LO, HI, OUT, ...)                                                                \
  struct NAME##Half {                                                                              \
    template <class T> static HWY_INLINE auto f(T a, T b) { __VA_ARGS__ }                          \
  };                                                                                               \
  TEGULA_OP(NAME, F16F64, U32, U32, U32, NoElem, (u32 a, u32 b),                                   \
            return join(OUT(NAME##Half::f(LO(a), LO(b))), OUT(NAME##Half::f(HI(a), HI(b))));)
#define PK3(NAME, LO, HI, OUT, ...)                                                                \
  struct NAME##Half {                                                                              \
    template <class T> static HWY_INLINE auto f(T a, T b, T c) { __VA_ARGS__ }                     \
  };                                                                                               \
  TEGULA_OP(NAME, F16F64, U32, U32, U32, U32, (u32 a, u32 b, u32 c),                               \
            return join(OUT(NAME##Half::f(LO(a), LO(b), LO(c))),                                   \
                        OUT(NAME##Half::f(HI(a), HI(b), HI(c))));)
HWY_INLINE u32 loU(u32 v) { return v & 0xffff; }
HWY_INLINE u32 hiU(u32 v) { return v >> 16; }
HWY_INLINE i32 loI(u32 v) { return i32(v << 16) >> 16; }
HWY_INLINE i32 hiI(u32 v) { return i32(v) >> 16; }
HWY_INLINE u32 same(u32 v) { return v; }
HWY_INLINE float nanOr(float a, float b, float r) { return a != a ? a : b != b ? b : r; }

PK2(PkAddF, lo16, hi16, floatToHalf, return a + b;)
PK2(PkMulF, lo16, hi16, floatToHalf, return a * b;)
PK2(PkMaxF, lo16, hi16, floatToHalf, return halfMax(a, b);)
PK2(PkMinF, lo16, hi16, floatToHalf, return halfMin(a, b);)
PK3(PkFmaF, lo16, hi16, same, return halfFma(a, b, c);)
PK3(PkMaximum3, lo16, hi16, floatToHalf, float r = nanOr(a, b, halfMax(a, b));
    return nanOr(r, c, halfMax(r, c));)
PK3(PkMinimum3, lo16, hi16, floatToHalf, float r = nanOr(a, b, halfMin(a, b));
    return nanOr(r, c, halfMin(r, c));)
PK2(PkAdd, loU, hiU, same, return a + b;)
PK2(PkSub, loU, hiU, same, return a - b;)
PK2(PkMulLo, loU, hiU, same, return a * b;)
PK2(PkLshl, loU, hiU, same, return b << (a & 15);)
PK2(PkLshr, loU, hiU, same, return b >> (a & 15);)
PK2(PkAshr, loI, hiI, u32, return b >> (a & 15);)
PK2(PkMaxI, loI, hiI, u32, return a > b ? a : b;)
PK2(PkMinI, loI, hiI, u32, return a < b ? a : b;)
PK2(PkMaxU, loU, hiU, same, return a > b ? a : b;)
PK2(PkMinU, loU, hiU, same, return a < b ? a : b;)
PK3(PkMad, loU, hiU, same, return a * b + c;)
TEGULA_OP(Pack, Fixed, U32, U32, U32, NoElem, (u32 a, u32 b), return join(a, b);)

// Dot products: f16 forms add the low product first, then the high one; bf16 sums its products
// before the addend.
TEGULA_OP(Dot2F16, Fixed, F32, U32, U32, F32, (u32 a, u32 b, float c),
          float r = __builtin_fmaf(lo16(a), lo16(b), c);
          return __builtin_fmaf(hi16(a), hi16(b), r);)
HWY_INLINE float loB(u32 v) { return bits<float>(v << 16); }
HWY_INLINE float hiB(u32 v) { return bits<float>(v & 0xffff0000); }
TEGULA_OP(Dot2Bf16, Fixed, F32, U32, U32, F32, (u32 a, u32 b, float c),
          return __builtin_fmaf(hiB(a), hiB(b), loB(a) * loB(b)) + c;)
TEGULA_OP(Dot2cBf16, Fixed, F32, U32, U32, F32, (u32 a, u32 b, float c),
          float r = __builtin_fmaf(loB(a), loB(b), c);
          return __builtin_fmaf(hiB(a), hiB(b), r);)
TEGULA_OP(Dot2I16, Fixed, U32, U32, U32, U32, (u32 a, u32 b, u32 c),
          return u32(loI(a) * loI(b)) + u32(hiI(a) * hiI(b)) + c;)
TEGULA_OP(Dot2U16, Fixed, U32, U32, U32, U32, (u32 a, u32 b, u32 c),
          return loU(a) * loU(b) + hiU(a) * hiU(b) + c;)
HWY_INLINE i32 byteI(u32 v, u32 i) { return i32(v << (24 - 8 * i)) >> 24; }
HWY_INLINE u32 byteU(u32 v, u32 i) { return v >> (8 * i) & 0xff; }
TEGULA_OP(Dot4I8, Fixed, U32, U32, U32, U32, (u32 a, u32 b, u32 c),
          return u32(byteI(a, 0) * byteI(b, 0) + byteI(a, 1) * byteI(b, 1) +
                     byteI(a, 2) * byteI(b, 2) + byteI(a, 3) * byteI(b, 3)) +
                 c;)
TEGULA_OP(Dot4U8, Fixed, U32, U32, U32, U32, (u32 a, u32 b, u32 c),
          return byteU(a, 0) * byteU(b, 0) + byteU(a, 1) * byteU(b, 1) + byteU(a, 2) * byteU(b, 2) +
                 byteU(a, 3) * byteU(b, 3) + c;)

// Mixed fma: the sources arrive as f32 (Elem::Mix).
TEGULA_OP(MixF32, F32, F32, F32, F32, F32, (float a, float b, float c),
          return __builtin_fmaf(a, b, c);)
TEGULA_OP(MixF16, Fixed, U16, F32, F32, F32, (float a, float b, float c),
          return floatToHalf(roundToOdd(__builtin_fma(double(a), double(b), double(c))));)

// f32 pairs: two rows.
template <int K> const Op *pkF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  alignas(64) u32 r[128];
  TEGULA_LANES
  for (unsigned i = 0; i < 128; ++i) {
    float x = F32::get(a, i), y = F32::get(b, i);
    float v = K == 0 ? x + y : K == 1 ? x * y : __builtin_fmaf(x, y, F32::get(c, i));
    r[i] = bits<u32>(v);
  }
  storeRows(w, o.d, r, 2);
  return &o + 1;
}
/// lo from source a, hi from source b, both picked by op_sel, which is the low row after
/// Elem::Pk32.
const Op *pkMov(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  alignas(64) u32 r[128];
  std::memcpy(r, w.row(o.a), 256);
  std::memcpy(r + 64, w.row(o.b), 256);
  storeRows(w, o.d, r, 2);
  return &o + 1;
}
} // namespace

HandlerTable makePacked() {
  const Shape v = Shape::Vector;
  const Elem p = Elem::Pk16, f = Elem::Pk16F, d = Elem::Pk32, n = Elem::None;
  return {
      {Sem::v_pk_add_f16, valu<PkAddF>, v, f},
      {Sem::v_pk_mul_f16, valu<PkMulF>, v, f},
      {Sem::v_pk_max_f16, valu<PkMaxF>, v, f},
      {Sem::v_pk_min_f16, valu<PkMinF>, v, f},
      {Sem::v_pk_fma_f16, valu<PkFmaF>, v, f},
      {Sem::v_pk_fmac_f16, valu<PkFmaF>, v, n},
      {Sem::v_pk_maximum3_f16, valu<PkMaximum3>, v, f},
      {Sem::v_pk_minimum3_f16, valu<PkMinimum3>, v, f},
      {Sem::v_pk_add_u16, valu<PkAdd>, v, p},
      {Sem::v_pk_add_i16, valu<PkAdd>, v, p},
      {Sem::v_pk_sub_u16, valu<PkSub>, v, p},
      {Sem::v_pk_sub_i16, valu<PkSub>, v, p},
      {Sem::v_pk_mul_lo_u16, valu<PkMulLo>, v, p},
      {Sem::v_pk_lshlrev_b16, valu<PkLshl>, v, p},
      {Sem::v_pk_lshrrev_b16, valu<PkLshr>, v, p},
      {Sem::v_pk_ashrrev_i16, valu<PkAshr>, v, p},
      {Sem::v_pk_max_i16, valu<PkMaxI>, v, p},
      {Sem::v_pk_min_i16, valu<PkMinI>, v, p},
      {Sem::v_pk_max_u16, valu<PkMaxU>, v, p},
      {Sem::v_pk_min_u16, valu<PkMinU>, v, p},
      {Sem::v_pk_mad_u16, valu<PkMad>, v, p},
      {Sem::v_pk_mad_i16, valu<PkMad>, v, p},
      {Sem::v_pack_b32_f16, valu<Pack>, v, Elem::F16},
      {Sem::v_pk_add_f32, pkF32<0>, v, d},
      {Sem::v_pk_mul_f32, pkF32<1>, v, d},
      {Sem::v_pk_fma_f32, pkF32<2>, v, d},
      {Sem::v_pk_mov_b32, pkMov, v, d},
      {Sem::v_dot2_f32_f16, valu<Dot2F16>, v, f},
      {Sem::v_dot2c_f32_f16, valu<Dot2F16>, v, n},
      {Sem::v_dot2_f32_bf16, valu<Dot2Bf16>, v, f},
      {Sem::v_dot2c_f32_bf16, valu<Dot2cBf16>, v, n},
      {Sem::v_dot2_i32_i16, valu<Dot2I16>, v, p},
      {Sem::v_dot2c_i32_i16, valu<Dot2I16>, v, n},
      {Sem::v_dot2_u32_u16, valu<Dot2U16>, v, p},
      {Sem::v_dot4_i32_i8, valu<Dot4I8>, v, n},
      {Sem::v_dot4c_i32_i8, valu<Dot4I8>, v, n},
      {Sem::v_dot4_u32_u8, valu<Dot4U8>, v, n},
      {Sem::v_fma_mix_f32, valu<MixF32>, v, Elem::Mix},
      {Sem::v_fma_mixlo_f16, valu<MixF16>, v, Elem::Mix, 0, true},
      {Sem::v_fma_mixhi_f16, valu<MixF16>, v, Elem::Mix, 1, true},
  };
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makePacked);
const HandlerTable &tablePacked() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makePacked)();
  return table;
}
} // namespace tegula::sim
#endif
