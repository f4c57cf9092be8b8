// f64 arithmetic: two rows an operand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/ValuF64.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
#define UN64(NAME, MODE, ...)                                                                      \
  TEGULA_OP(NAME, MODE, F64, F64, NoElem, NoElem, (double a), __VA_ARGS__)
#define BIN64(NAME, ...)                                                                           \
  TEGULA_OP(NAME, F16F64, F64, F64, F64, NoElem, (double a, double b), __VA_ARGS__)

constexpr u64 kQuietNan64 = 0xfff8000000000000ull;

BIN64(v_add_f64, return a + b;)
BIN64(v_mul_f64, return a * b;)
TEGULA_OP(v_fma_f64, F16F64, F64, F64, F64, F64, (double a, double b, double c),
          return __builtin_fma(a, b, c);)
TEGULA_SAME(v_fmac_f64, v_fma_f64)
TEGULA_IEEE_OP(v_max_f64, F16F64, F64, F64, F64, NoElem, (double a, double b),
               return chosen<ieee>(maxNum<ieee>(a, b));)
TEGULA_IEEE_OP(v_min_f64, F16F64, F64, F64, F64, NoElem, (double a, double b),
               return chosen<ieee>(minNum<ieee>(a, b));)
UN64(v_ceil_f64, F16F64, return __builtin_ceil(a);)
UN64(v_floor_f64, F16F64, return __builtin_floor(a);)
UN64(v_trunc_f64, F16F64, return __builtin_trunc(a);)
UN64(v_fract_f64, F16F64, double r = a - __builtin_floor(a);
     return r >= 1.0 ? 0.99999999999999989 : r;)
UN64(v_rndne_f64, Fixed, return __builtin_rint(a);)

// The hardware gives seeds of about 24 bits for these three; a truncated result exercises the
// refinement code.
HWY_INLINE double seed(double v) {
  u64 u = bits<u64>(v);
  return (u & 0x7ff0000000000000ull) == 0x7ff0000000000000ull
             ? v
             : bits<double>(u & ~((u64(1) << 28) - 1));
}
UN64(v_rcp_f64, Fixed, return seed(1.0 / a);)
UN64(v_rsq_f64, Fixed, double r = seed(1.0 / __builtin_sqrt(a < 0 ? 1.0 : a));
     return a < 0 ? bits<double>(kQuietNan64) : r;)
UN64(v_sqrt_f64, Fixed, double r = seed(__builtin_sqrt(a < 0 ? 1.0 : a));
     return a < 0 ? bits<double>(kQuietNan64) : r;)

TEGULA_OP(v_ldexp_f64, F16F64, F64, F64, I32, NoElem, (double a, i32 b),
          i32 n = b > 4000    ? 4000
                  : b < -4000 ? -4000
                              : b;
          return a == 0 ? canonical(a) : std::ldexp(a, n);)
TEGULA_OP(v_frexp_exp_i32_f64, F16F64, I32, F64, NoElem, NoElem, (double a), int e = 0;
          if (a == 0 || a - a != 0) return 0; std::frexp(a, &e); return e;)
UN64(v_frexp_mant_f64, F16F64, int e = 0; if (a == 0 || a - a != 0) return canonical(a);
     return std::frexp(a, &e);)

/// 53 bits of the fraction of 2/π from bit `shift` on, as an integer. The hardware knows 1201 bits.
HWY_INLINE u64 twoOverPi(unsigned shift) {
  static constexpr u64 words[] = {
      0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
      0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
      0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
      0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
      0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b0000ull, 0x0000000000000000ull,
  };
  unsigned word = shift / 64, bit = shift % 64;
  u64 high = words[word] << bit;
  u64 low = bit ? words[word + 1] >> (64 - bit) : 0;
  return (high | low) >> 11;
}
/// Part b of 2/π, 53 bits each, placed where a large argument a needs it (ISA "v_trig_preop_f64").
TEGULA_OP(v_trig_preop_f64, F16F64, F64, F64, U32, NoElem, (double a, u32 b),
          i32 exponent = i32(bits<u64>(a) >> 52 & 0x7ff);
          i32 shift = i32(b & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
          double part = shift < 1201 ? double(twoOverPi(unsigned(shift))) : 0.0;
          return std::ldexp(part, -53 - shift + (exponent >= 1968 ? 128 : 0));)

HWY_INLINE i32 exponentOf(double v) { return i32(bits<u64>(v) >> 52 & 0x7ff); }
HWY_INLINE bool denormal(double v) { return exponentOf(v) == 0 && v != 0; }

struct Scaled {
  double value;
  bool mask;
};
/// As divScale of f32, with 2^128 and the f64 limits.
HWY_INLINE Scaled divScale(double s0, double den, double num) {
  const double up = 340282366920938463463374607431768211456.0; // 2^128
  bool isDen = bits<u64>(s0) == bits<u64>(den);
  if (den == 0 || num == 0)
    return {bits<double>(kQuietNan64), false};
  if (exponentOf(num) - exponentOf(den) >= 768)
    return {isDen ? s0 * up : s0, true};
  if (denormal(den))
    return {s0 * up, false};
  bool inverse = denormal(1.0 / den), quotient = denormal(num / den);
  if (inverse && quotient)
    return {isDen ? s0 / up : s0, true};
  if (inverse)
    return {s0 / up, false};
  if (quotient)
    return {isDen ? s0 : s0 * up, true};
  if (exponentOf(num) <= 53)
    return {s0 * up, false};
  return {s0, false};
}
const Op *divScaleF64(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  alignas(64) u32 r[128];
  u64 mask = 0;
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    for (unsigned i = 0; i < 64; ++i) {
      Scaled s = divScale(F64::get(a, i), F64::get(b, i), F64::get(c, i));
      F64::put(r, i, s.value);
      mask |= u64(s.mask) << i;
    }
  });
  storeRows(w, o.d, r, 2);
  w.set64(o.x & 0xffff, mask & w.exec());
  return &o + 1;
}
const Op *divFmasF64(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  u64 vcc = w.get64(kVcc);
  alignas(64) u32 r[128];
  bool flushes = !(w.mode >> 7 & 1); // the conversion from 113 bits doesn't
  uint32_t word = w.mxcsr[unsigned(FloatMode::F16F64)] & ~kDenormalsAreZero; // sources are kept
  underWord(w, word, [&] {
    for (unsigned i = 0; i < 64; ++i) {
      double x = F64::get(a, i), y = F64::get(b, i), z = F64::get(c, i);
      double scale = exponentOf(z) > 1023 ? 0x1p128 : 0x1p-128;
      // Scaled results may be denormal, so they are rounded once, from 113 bits.
      double v = vcc >> i & 1 ? double((__float128(x) * y + z) * scale) : __builtin_fma(x, y, z);
      F64::put(r, i, denormal(v) && flushes ? std::copysign(0.0, v) : v);
    }
  });
  storeRows(w, o.d, r, 2);
  return &o + 1;
}
HWY_INLINE double divFixup(double q, double den, double num) {
  const u64 inf = 0x7ff0000000000000ull, signBit = u64(1) << 63;
  u64 sign = (bits<u64>(den) ^ bits<u64>(num)) & signBit;
  u64 d = bits<u64>(den) & ~signBit, n = bits<u64>(num) & ~signBit;
  if (n > inf)
    return bits<double>(bits<u64>(num) | u64(1) << 51);
  if (d > inf)
    return bits<double>(bits<u64>(den) | u64(1) << 51);
  if ((d == 0 && n == 0) || (d == inf && n == inf))
    return bits<double>(kQuietNan64);
  if (d == 0 || n == inf)
    return bits<double>(sign | inf);
  if (d == inf || n == 0 || exponentOf(num) - exponentOf(den) < -1075)
    return bits<double>(sign);
  if (q != q) // as in f32
    return bits<double>(sign | inf);
  return bits<double>(sign | (bits<u64>(q) & ~signBit));
}
TEGULA_OP(v_div_fixup_f64, F16F64, F64, F64, F64, F64, (double q, double den, double num),
          return divFixup(q, den, num);)
} // namespace

HandlerTable makeValuF64() {
  const Shape v = Shape::Vector;
  const Elem f = Elem::F64;
  HandlerTable table = {{Sem::v_div_scale_f64, divScaleF64, v, f},
                        {Sem::v_div_fmas_f64, divFmasF64, v, f}};
  addOps<v_add_f64, v_mul_f64, v_fma_f64, v_fmac_f64, v_max_f64, v_min_f64, v_ceil_f64, v_floor_f64,
         v_trunc_f64, v_rndne_f64, v_fract_f64, v_rcp_f64, v_rsq_f64, v_sqrt_f64, v_ldexp_f64,
         v_frexp_exp_i32_f64, v_frexp_mant_f64, v_div_fixup_f64, v_trig_preop_f64>(table, f);
  return table;
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeValuF64);
const HandlerTable &tableValuF64() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeValuF64)();
  return table;
}
} // namespace tegula::sim
#endif
