// 16-bit arithmetic. f16 is computed in f32 and narrowed: harmless for + − × ÷ √ since 24 ≥ 2·11 +
// 2; fma goes through double, rounded to odd on the way down.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Valu16.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Half-inl.h"
#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
#define UNI(NAME, A, D, ...) TEGULA_OP(NAME, Fixed, D, A, NoElem, NoElem, (A::type a), __VA_ARGS__)
#define BINU(NAME, PLAIN, SATURATED)                                                               \
  TEGULA_SAT_OP(NAME, F32, U16, U16, U16, NoElem, (u32 a, u32 b), PLAIN, SATURATED)
#define BINI(NAME, PLAIN, SATURATED)                                                               \
  TEGULA_SAT_OP(NAME, F32, I16, I16, I16, NoElem, (i32 a, i32 b), PLAIN, SATURATED)
#define TRIU(NAME, PLAIN, SATURATED)                                                               \
  TEGULA_SAT_OP(NAME, F32, U16, U16, U16, U16, (u32 a, u32 b, u32 c), PLAIN, SATURATED)
#define TRII(NAME, PLAIN, SATURATED)                                                               \
  TEGULA_SAT_OP(NAME, F32, I16, I16, I16, I16, (i32 a, i32 b, i32 c), PLAIN, SATURATED)

TEGULA_SAME(v_max_f16, HalfMax)
TEGULA_SAME(v_min_f16, HalfMin)
TEGULA_SAME(v_add_f16, HalfAdd)
TEGULA_SAME(v_mul_f16, HalfMul)
TEGULA_SAME(v_fma_f16, HalfFma)
TEGULA_SAME(v_fma_legacy_f16, HalfFma)
TEGULA_OP(v_sub_f16, F16F64, F16, F16, F16, NoElem, (float a, float b), return a - b;)
TEGULA_OP(v_subrev_f16, F16F64, F16, F16, F16, NoElem, (float a, float b), return b - a;)
// Not fused: the product is rounded to f16 first.
struct Mad {
  TEGULA_BODY(F16F64, F16, F16, F16, F16, (float a, float b, float c),
              return halfToFloat(floatToHalf(a * b)) + c;)
};
struct MadMk {
  TEGULA_BODY(F16F64, F16, F16, F16, F16, (float a, float b, float k), return Mad::f(a, k, b);)
};
/// `S` is one of the two; off the usual MODE both steps are rounded by it.
template <class S> const Op *madHalf(Wave &w, const Op &o) {
  if (HWY_LIKELY((w.mode & kHalfModeBits) == kHalfModeUsual))
    return valu<S>(w, o);
  broadcastSource(w, o.slot);
  constexpr bool literal = std::is_same<S, MadMk>::value;
  const u32 *a = w.row(o.a), *b = w.row(literal ? o.c : o.b), *c = w.row(literal ? o.b : o.c);
  alignas(64) u32 r[64];
  runByHalfMode<HalfMul>(w, r, a, b, b);
  runByHalfMode<HalfAdd>(w, r, r, c, c);
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
TEGULA_SAME(v_max3_f16, HalfMax3)
TEGULA_SAME(v_min3_f16, HalfMin3)
TEGULA_SAME(v_med3_f16, HalfMed3)
UNI(v_ceil_f16, F16, F16, return __builtin_ceilf(a);)
UNI(v_floor_f16, F16, F16, return __builtin_floorf(a);)
UNI(v_trunc_f16, F16, F16, return __builtin_truncf(a);)
UNI(v_rndne_f16, F16, F16, return __builtin_rintf(a);)
UNI(v_fract_f16, F16, F16, float r = a - __builtin_floorf(a);
    return r > 0.99951171875f ? 0.99951171875f : r;)
UNI(v_rcp_f16, F16, F16, return 1.0f / a;)
UNI(v_sqrt_f16, F16, F16, float r = __builtin_sqrtf(a < 0 ? 1.0f : a); return a < 0 ? -NAN : r;)
UNI(v_rsq_f16, F16, F16, float r = float(1.0 / __builtin_sqrt(double(a < 0 ? 1.0f : a)));
    r = a == 0 && std::signbit(a) ? -INFINITY : r; return a < 0 ? -NAN : r;)
UNI(v_exp_f16, F16, F16, return float(std::exp2(double(a)));)
UNI(v_log_f16, F16, F16, return float(std::log2(double(a)));)
UNI(v_sin_f16, F16, F16, return a == 0 ? a : float(sinTurns(a, 0));)
UNI(v_cos_f16, F16, F16, return float(sinTurns(a, 1));)
TEGULA_OP(v_ldexp_f16, Fixed, F16, F16, I16, NoElem, (float a, i32 b),
          i32 n = b > 60    ? 60
                  : b < -60 ? -60
                            : b;
          return a * bits<float>(u32(n + 127) << 23);)
UNI(v_frexp_exp_i16_f16, F16, I16, u32 e = bits<u32>(a) >> 23 & 0xff;
    return e == 0xff || a == 0 ? 0 : i32(e) - 126;)
UNI(v_frexp_mant_f16, F16, F16, u32 u = bits<u32>(a);
    float m = bits<float>((u & 0x807fffff) | 0x3f000000);
    return (u & 0x7f800000) == 0x7f800000 || a == 0 ? a : m;)
/// As for f32: the quotient's sign and the cases that the refinement cannot give.
HWY_INLINE float divFixup(float q, float den, float num) {
  float sign = std::signbit(den) != std::signbit(num) ? -1.0f : 1.0f;
  if (num != num)
    return num;
  if (den != den)
    return den;
  float d = std::fabs(den), n = std::fabs(num);
  if ((d == 0 && n == 0) || (d == INFINITY && n == INFINITY))
    return -NAN;
  if (d == 0 || n == INFINITY)
    return sign * INFINITY;
  if (d == INFINITY || n == 0)
    return sign * 0.0f;
  return sign * std::fabs(q);
}
TEGULA_OP(v_div_fixup_f16, Fixed, F16, F16, F16, F16, (float a, float b, float c),
          return divFixup(a, b, c);)
TEGULA_SAME(v_div_fixup_legacy_f16, v_div_fixup_f16)

// --- Integers
BINU(v_add_u16, return a + b;, return saturateU16(a + b);)
BINU(v_sub_u16, return a - b;, return a < b ? 0 : a - b;)
BINU(v_subrev_u16, return b - a;, return b < a ? 0 : b - a;)
BINI(v_add_i16, return a + b;, return saturateI16(a + b);)
BINI(v_sub_i16, return a - b;, return saturateI16(a - b);)
TEGULA_OP(v_mul_lo_u16, F32, U16, U16, U16, NoElem, (u32 a, u32 b), return a * b;)
TEGULA_OP(v_lshlrev_b16, F32, U16, U16, U16, NoElem, (u32 a, u32 b), return b << (a & 15);)
TEGULA_OP(v_lshrrev_b16, F32, U16, U16, U16, NoElem, (u32 a, u32 b), return b >> (a & 15);)
TEGULA_OP(v_ashrrev_i16, F32, I16, I16, I16, NoElem, (i32 a, i32 b), return b >> (a & 15);)
TEGULA_OP(v_max_i16, F32, I16, I16, I16, NoElem, (i32 a, i32 b), return maxOf(a, b);)
TEGULA_OP(v_min_i16, F32, I16, I16, I16, NoElem, (i32 a, i32 b), return minOf(a, b);)
TEGULA_OP(v_max_u16, F32, U16, U16, U16, NoElem, (u32 a, u32 b), return maxOf(a, b);)
TEGULA_OP(v_min_u16, F32, U16, U16, U16, NoElem, (u32 a, u32 b), return minOf(a, b);)
TRIU(v_mad_u16, return a * b + c;, return saturateU16(a * b + c);)
TRII(v_mad_i16, return a * b + c;, return saturateI16(a * b + c);)
TEGULA_SAME(v_mad_legacy_u16, v_mad_u16)
TEGULA_SAME(v_mad_legacy_i16, v_mad_i16)
TEGULA_CLAMP_OP(v_max3_i16, F32, I16, I16, I16, I16, (i32 a, i32 b, i32 c),
                return maxOf(maxOf(a, b), c);)
TEGULA_CLAMP_OP(v_min3_i16, F32, I16, I16, I16, I16, (i32 a, i32 b, i32 c),
                return minOf(minOf(a, b), c);)
TEGULA_CLAMP_OP(v_med3_i16, F32, I16, I16, I16, I16, (i32 a, i32 b, i32 c), return medOf(a, b, c);)
TEGULA_CLAMP_OP(v_max3_u16, F32, U16, U16, U16, U16, (u32 a, u32 b, u32 c),
                return maxOf(maxOf(a, b), c);)
TEGULA_CLAMP_OP(v_min3_u16, F32, U16, U16, U16, U16, (u32 a, u32 b, u32 c),
                return minOf(minOf(a, b), c);)
TEGULA_CLAMP_OP(v_med3_u16, F32, U16, U16, U16, U16, (u32 a, u32 b, u32 c), return medOf(a, b, c);)
TEGULA_SAT_OP(v_mad_u32_u16, F32, U32, U16, U16, U32, (u32 a, u32 b, u32 c), return a * b + c;
              , return saturateU32(u64(a) * b + c);)
TEGULA_SAT_OP(v_mad_i32_i16, F32, I32, I16, I16, I32, (i32 a, i32 b, i32 c),
              return i32(u32(a * b) + u32(c));
              , return saturateI32(i64(a) * b + c);)
} // namespace

HandlerTable makeValu16() {
  const Elem h = Elem::F16; // op_sel works the same way for integers
  const Shape v = Shape::Vector;
  HandlerTable table = {
      {Sem::v_mad_legacy_f16, madHalf<Mad>, v, h},
      {Sem::v_mad_f16, madHalf<Mad>, v, h, 0, true},
      {Sem::v_mac_f16, madHalf<Mad>, v, h, 0, true},
      {Sem::v_madak_f16, madHalf<Mad>, v, h, 0, true},
      {Sem::v_madmk_f16, madHalf<MadMk>, v, h, 0, true},
  };
  addOps<v_add_f16, v_sub_f16, v_subrev_f16, v_mul_f16, v_max_f16, v_min_f16, v_fma_legacy_f16,
         v_div_fixup_legacy_f16, v_ceil_f16, v_floor_f16, v_trunc_f16, v_rndne_f16, v_fract_f16,
         v_rcp_f16, v_sqrt_f16, v_rsq_f16, v_exp_f16, v_log_f16, v_sin_f16, v_cos_f16, v_ldexp_f16,
         v_frexp_exp_i16_f16, v_frexp_mant_f16, v_add_u16, v_sub_u16, v_subrev_u16, v_mul_lo_u16,
         v_lshlrev_b16, v_lshrrev_b16, v_ashrrev_i16, v_max_i16, v_min_i16, v_max_u16, v_min_u16,
         v_mad_legacy_u16, v_mad_legacy_i16, v_mad_u32_u16, v_mad_i32_i16>(table, h);
  // These keep the other half of the destination.
  addOps<v_fma_f16, v_max3_f16, v_min3_f16, v_med3_f16, v_div_fixup_f16, v_add_i16, v_sub_i16,
         v_mad_u16, v_mad_i16, v_max3_i16, v_min3_i16, v_med3_i16, v_max3_u16, v_min3_u16,
         v_med3_u16>(table, h, true);
  return table;
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeValu16);
const HandlerTable &tableValu16() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeValu16)();
  return table;
}
} // namespace tegula::sim
#endif
