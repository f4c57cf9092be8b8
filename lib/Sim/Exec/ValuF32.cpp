// f32 arithmetic, rounding, transcendentals and the division helpers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/ValuF32.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
constexpr u32 kQuietNan = 0xffc00000; // the NaN that the hardware generates

TEGULA_OP(v_add_f32, F32, F32, F32, F32, NoElem, (float a, float b), return a + b;)
TEGULA_OP(v_sub_f32, F32, F32, F32, F32, NoElem, (float a, float b), return a - b;)
TEGULA_OP(v_subrev_f32, F32, F32, F32, F32, NoElem, (float a, float b), return b - a;)
TEGULA_OP(v_mul_f32, F32, F32, F32, F32, NoElem, (float a, float b), return a * b;)
TEGULA_OP(v_mul_legacy_f32, F32, F32, F32, F32, NoElem, (float a, float b),
          return a == 0 || b == 0 ? 0.0f : a * b;)
TEGULA_OP(v_fma_f32, F32, F32, F32, F32, F32, (float a, float b, float c),
          return __builtin_fmaf(a, b, c);)
TEGULA_SAME(v_fmac_f32, v_fma_f32)
TEGULA_SAME(v_fmaak_f32, v_fma_f32)
// d = a·k + b: the literal k is always operand c.
TEGULA_OP(v_fmamk_f32, F32, F32, F32, F32, F32, (float a, float b, float k),
          return __builtin_fmaf(a, k, b);)

TEGULA_IEEE_OP(v_max_f32, F32, F32, F32, F32, NoElem, (float a, float b),
               return chosen<ieee>(maxNum<ieee>(a, b));)
TEGULA_IEEE_OP(v_min_f32, F32, F32, F32, F32, NoElem, (float a, float b),
               return chosen<ieee>(minNum<ieee>(a, b));)
TEGULA_IEEE_OP(v_max3_f32, F32, F32, F32, F32, F32, (float a, float b, float c),
               return chosen<ieee>(maxNum<ieee>(maxNum<ieee>(a, b), c));)
TEGULA_IEEE_OP(v_min3_f32, F32, F32, F32, F32, F32, (float a, float b, float c),
               return chosen<ieee>(minNum<ieee>(minNum<ieee>(a, b), c));)
TEGULA_IEEE_OP(v_med3_f32, F32, F32, F32, F32, F32, (float a, float b, float c),
               return chosen<ieee>(med3Num<ieee>(a, b, c));)
TEGULA_OP(v_maximum3_f32, F32, F32, F32, F32, F32, (float a, float b, float c),
          return canonical(maximum3(a, b, c));)
TEGULA_OP(v_minimum3_f32, F32, F32, F32, F32, F32, (float a, float b, float c),
          return canonical(minimum3(a, b, c));)

TEGULA_OP(v_ceil_f32, F32, F32, F32, NoElem, NoElem, (float a), return __builtin_ceilf(a);)
TEGULA_OP(v_floor_f32, F32, F32, F32, NoElem, NoElem, (float a), return __builtin_floorf(a);)
TEGULA_OP(v_trunc_f32, F32, F32, F32, NoElem, NoElem, (float a), return __builtin_truncf(a);)
TEGULA_OP(v_rndne_f32, Fixed, F32, F32, NoElem, NoElem, (float a), return __builtin_rintf(a);)
TEGULA_OP(v_fract_f32, F32, F32, F32, NoElem, NoElem, (float a), float r = a - __builtin_floorf(a);
          return r >= 1.0f ? 0.99999994f : r;)

// Transcendentals flush denormals in and out whatever MODE says. The value is computed in double
// and rounded once.
HWY_INLINE float flush(float v) {
  u32 x = bits<u32>(v);
  return bits<float>((x & 0x7f800000) == 0 ? x & 0x80000000 : x);
}
HWY_INLINE double pow2i(i32 n) { return bits<double>(u64(i64(n) + 1023) << 52); }
/// 2^x by range reduction to |f| ≤ ½ and the Taylor series of e^(f·ln 2): 14 terms leave 2^-60.
HWY_INLINE double exp2Double(double x) {
  double n = __builtin_rint(x);
  double t = (x - n) * 0.693147180559945309417232;
  double p = 1.0 / 6227020800.0;
  p = p * t + 1.0 / 479001600.0;
  p = p * t + 1.0 / 39916800.0;
  p = p * t + 1.0 / 3628800.0;
  p = p * t + 1.0 / 362880.0;
  p = p * t + 1.0 / 40320.0;
  p = p * t + 1.0 / 5040.0;
  p = p * t + 1.0 / 720.0;
  p = p * t + 1.0 / 120.0;
  p = p * t + 1.0 / 24.0;
  p = p * t + 1.0 / 6.0;
  p = p * t + 0.5;
  p = p * t + 1.0;
  p = p * t + 1.0;
  return p * pow2i(i32(n));
}
TEGULA_OP(v_exp_f32, Fixed, F32, F32, NoElem, NoElem, (float a), float x = flush(a);
          double c = x > 200.0f    ? 200.0
                     : x > -200.0f ? double(x)
                                   : -200.0;
          float r = flush(float(exp2Double(c))); return x != x ? canonical(x) : r;)
/// log2 of a positive normal double: m in [√½, √2), then 2·atanh((m − 1)/(m + 1))/ln 2.
HWY_INLINE double log2Double(double x) {
  u64 u = bits<u64>(x);
  i32 e = i32(u >> 52) - 1023;
  double m = bits<double>((u & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  bool high = m > 1.4142135623730951;
  m = high ? m * 0.5 : m;
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 1.0 / 23;
  p = p * z + 1.0 / 21;
  p = p * z + 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return double(e + (high ? 1 : 0)) + p * s * 2.885390081777926814719849;
}
TEGULA_OP(v_log_f32, Fixed, F32, F32, NoElem, NoElem, (float a), float x = flush(a);
          float r = flush(float(log2Double(double(x > 0 ? x : 1.0f)))); r = x == 0 ? -INFINITY : r;
          r = x < 0 ? bits<float>(kQuietNan) : r; r = x == INFINITY ? x : r;
          return x != x ? canonical(x) : r;)
TEGULA_SAME(v_exp_legacy_f32, v_exp_f32)
TEGULA_SAME(v_log_legacy_f32, v_log_f32)
TEGULA_OP(v_rcp_f32, Fixed, F32, F32, NoElem, NoElem, (float a), return flush(1.0f / flush(a));)
TEGULA_SAME(v_rcp_iflag_f32, v_rcp_f32)
TEGULA_OP(v_rsq_f32, Fixed, F32, F32, NoElem, NoElem, (float a), float x = flush(a);
          float r = flush(float(1.0 / __builtin_sqrt(double(x < 0 ? 1.0f : x))));
          r = x == 0 ? bits<float>(0x7f800000 | (bits<u32>(x) & 0x80000000)) : r;
          return x < 0 ? bits<float>(kQuietNan) : r;)
TEGULA_OP(v_sqrt_f32, Fixed, F32, F32, NoElem, NoElem, (float a), float x = flush(a);
          float r = __builtin_sqrtf(x < 0 ? 1.0f : x); return x < 0 ? bits<float>(kQuietNan) : r;)
TEGULA_OP(v_sin_f32, Fixed, F32, F32, NoElem, NoElem, (float a), float x = flush(a);
          return x == 0 ? x : float(sinTurns(x, 0));)
TEGULA_OP(v_cos_f32, Fixed, F32, F32, NoElem, NoElem, (float a),
          return float(sinTurns(flush(a), 1));)

// a·2^b is exact in double, so one rounding remains.
TEGULA_OP(v_ldexp_f32, F32, F32, F32, I32, NoElem, (float a, i32 b),
          i32 n = b > 600    ? 600
                  : b < -600 ? -600
                             : b;
          return float(double(a) * pow2i(n));)
TEGULA_OP(v_frexp_exp_i32_f32, F32, I32, F32, NoElem, NoElem, (float a),
          u32 e = bits<u32>(a) >> 23 & 0xff;
          i32 r = i32(bits<u64>(double(a)) >> 52 & 0x7ff) - 1022;
          return e == 0xff || a == 0 ? 0 : r;)
TEGULA_OP(v_frexp_mant_f32, F32, F32, F32, NoElem, NoElem, (float a), u64 u = bits<u64>(double(a));
          double m = bits<double>((u & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
          return (bits<u32>(a) & 0x7f800000) == 0x7f800000 || a == 0 ? canonical(a) : float(m);)

// --- Division
HWY_INLINE i32 exponentOf(float v) { return i32(bits<u32>(v) >> 23 & 0xff); }
HWY_INLINE bool denormal(float v) { return exponentOf(v) == 0 && v != 0; }

struct Scaled {
  float value;
  bool mask;
};
/// The cases of ISA "Division macros", in order. den = source 1, num = source 2; s0 is one of the
/// two.
HWY_INLINE Scaled divScale(float s0, float den, float num) {
  const float up = 18446744073709551616.0f; // 2^64
  bool isDen = bits<u32>(s0) == bits<u32>(den);
  if (den == 0 || num == 0)
    return {bits<float>(kQuietNan), false};
  if (exponentOf(num) - exponentOf(den) >= 96)
    return {isDen ? s0 * up : s0, true};
  if (denormal(den))
    return {s0 * up, false};
  bool inverse = denormal(float(1.0 / double(den))),
       quotient = denormal(float(double(num) / double(den)));
  if (inverse && quotient) // down: the denominator is too large to be scaled up
    return {isDen ? s0 / up : s0, true};
  if (inverse)
    return {s0 / up, false};
  if (quotient)
    return {isDen ? s0 : s0 * up, true};
  if (exponentOf(num) <= 23)
    return {s0 * up, false};
  return {s0, false};
}
const Op *divScaleF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  alignas(64) u32 r[64];
  u64 mask = 0;
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    for (unsigned i = 0; i < 64; ++i) {
      Scaled s = divScale(F32::get(a, i), F32::get(b, i), F32::get(c, i));
      r[i] = bits<u32>(s.value);
      mask |= u64(s.mask) << i;
    }
  });
  storeRows(w, o.d, r, 1);
  w.set64(o.x & 0xffff, mask & w.exec());
  return &o + 1;
}
/// fma, which keeps denormal sources. Where VCC says so its result is scaled, with the only
/// rounding at the end. The scale undoes divScale's, whose direction shows in the addend: huge
/// quotients were scaled down, tiny ones up.
const Op *divFmasF32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  u64 vcc = w.get64(kVcc);
  alignas(64) double exact[64];
  alignas(64) u32 r[64];
  underMode<FloatMode::Fixed>(w, [&] {
    for (unsigned i = 0; i < 64; ++i) {
      float addend = F32::get(c, i);
      double scale = exponentOf(addend) > 127 ? 0x1p64 : 0x1p-64;
      exact[i] = fmaOdd(F32::get(a, i), F32::get(b, i), addend) * (vcc >> i & 1 ? scale : 1.0);
    }
  });
  if ((w.mode & 3) == 2) // a zero sum of opposite signs is −0 when rounding down
    for (unsigned i = 0; i < 64; ++i)
      if (exact[i] == 0 && (a[i] ^ b[i] ^ c[i]) >> 31)
        exact[i] = -0.0;
  for (unsigned i = 0; i < 64; ++i)
    F32::put(r, i, float(exact[i]));
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
HWY_INLINE float divFixup(float q, float den, float num) {
  u32 sign = (bits<u32>(den) ^ bits<u32>(num)) & 0x80000000;
  auto magnitude = [&](u32 m) { return bits<float>(sign | m); };
  const u32 inf = 0x7f800000;
  u32 d = bits<u32>(den) & 0x7fffffff, n = bits<u32>(num) & 0x7fffffff;
  if (n > inf)
    return bits<float>(bits<u32>(num) | 0x400000);
  if (d > inf)
    return bits<float>(bits<u32>(den) | 0x400000);
  if ((d == 0 && n == 0) || (d == inf && n == inf))
    return bits<float>(kQuietNan);
  if (d == 0 || n == inf)
    return magnitude(inf);
  if (d == inf || n == 0)
    return magnitude(0);
  if (exponentOf(num) - exponentOf(den) < -150)
    return magnitude(0);
  if (q != q) // the refinement of a quotient beyond the range ended in ∞ − ∞
    return magnitude(inf);
  return magnitude(bits<u32>(q) & 0x7fffffff);
}
TEGULA_OP(v_div_fixup_f32, F32, F32, F32, F32, F32, (float q, float den, float num),
          return divFixup(q, den, num);)

// --- Cube maps: the face of the largest coordinate, z before y before x
enum class Cube { Id, S, T, Major };
template <Cube W> HWY_INLINE float cube(float x, float y, float z) {
  float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  bool faceZ = az >= ax && az >= ay, faceY = !faceZ && ay >= ax;
  float onZ = W == Cube::Id  ? (z < 0 ? 5.0f : 4.0f)
              : W == Cube::S ? (z < 0 ? -x : x)
              : W == Cube::T ? -y
                             : z + z;
  float onY = W == Cube::Id  ? (y < 0 ? 3.0f : 2.0f)
              : W == Cube::S ? x
              : W == Cube::T ? (y < 0 ? -z : z)
                             : y + y;
  float onX = W == Cube::Id  ? (x < 0 ? 1.0f : 0.0f)
              : W == Cube::S ? (x < 0 ? z : -z)
              : W == Cube::T ? -y
                             : x + x;
  return canonical(faceZ ? onZ : faceY ? onY : onX);
}
#define CUBE(NAME, WHAT)                                                                           \
  TEGULA_OP(NAME, F32, F32, F32, F32, F32, (float a, float b, float c), return cube<WHAT>(a, b, c);)
CUBE(v_cubeid_f32, Cube::Id)
CUBE(v_cubesc_f32, Cube::S)
CUBE(v_cubetc_f32, Cube::T)
CUBE(v_cubema_f32, Cube::Major)

} // namespace

HandlerTable makeValuF32() {
  const Shape v = Shape::Vector;
  const Elem f = Elem::F32;
  HandlerTable table = {{Sem::v_div_scale_f32, divScaleF32, v, f},
                        {Sem::v_div_fmas_f32, divFmasF32, v, f}};
  addOps<v_add_f32, v_sub_f32, v_subrev_f32, v_mul_f32, v_mul_legacy_f32, v_fma_f32, v_fmac_f32,
         v_fmaak_f32, v_fmamk_f32, v_max_f32, v_min_f32, v_max3_f32, v_min3_f32, v_med3_f32,
         v_maximum3_f32, v_minimum3_f32, v_ceil_f32, v_floor_f32, v_trunc_f32, v_rndne_f32,
         v_fract_f32, v_exp_f32, v_exp_legacy_f32, v_log_f32, v_log_legacy_f32, v_rcp_f32,
         v_rcp_iflag_f32, v_rsq_f32, v_sqrt_f32, v_sin_f32, v_cos_f32, v_ldexp_f32,
         v_frexp_exp_i32_f32, v_frexp_mant_f32, v_div_fixup_f32, v_cubeid_f32, v_cubesc_f32,
         v_cubetc_f32, v_cubema_f32>(table, f);
  return table;
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeValuF32);
const HandlerTable &tableValuF32() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeValuF32)();
  return table;
}
} // namespace tegula::sim
#endif
