// Numerics mode `cdna3-fused`: the products of a group of k are aligned to the largest exponent,
// cut to 24 fractional bits and added as integers, then the accumulator, and one rounding follows.
// The algorithm is that of MMA-Sim for CDNA3 (ISA "Numerics modes"); on gfx950 it is an
// approximation.
#if defined(TEGULA_SIM_MFMA_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TEGULA_SIM_MFMA_FUSED_INL_H
#undef TEGULA_SIM_MFMA_FUSED_INL_H
#else
#define TEGULA_SIM_MFMA_FUSED_INL_H
#endif

#include "Sim/Exec/Mfma-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
/// How a type's values are taken apart: fraction bits, smallest normal exponent.
struct FusedType {
  int fraction, lowest;
};
HWY_INLINE FusedType fusedType(SmallFormat f) { return {infoOf(f).man, 1 - infoOf(f).bias}; }
HWY_INLINE FusedType fusedType(MfmaType t, Arch arch) {
  return t == MfmaType::F16    ? FusedType{10, -14}
         : t == MfmaType::Bf16 ? FusedType{7, -126}
         : t == MfmaType::Xf32 ? FusedType{10, -126}
                               : fusedType(t == MfmaType::Fp8 ? fp8Of(arch) : bf8Of(arch));
}
/// k in a group, for K of the instruction.
HWY_INLINE unsigned fusedGroup(MfmaType t, unsigned k) {
  unsigned g = t == MfmaType::Xf32 ? 4 : t == MfmaType::F16 || t == MfmaType::Bf16 ? 8 : 16;
  return g < k ? g : k;
}
constexpr unsigned kMostTerms = 16; ///< of a group

/// value = significand · 2^(exponent − fraction); subnormals keep the smallest normal exponent, a
/// zero counts as 2^−126.
struct FusedValues {
  alignas(64) i32 significand[kMaxElements], exponent[kMaxElements];
  int fraction = 0;
  bool special = false; ///< infinities, NaNs, or exponents whose products may leave f32
};
void takeApart(const u32 *values, unsigned n, FusedType type, FusedValues &v) {
  v.fraction = type.fraction;
  u32 special = 0;
  TEGULA_LANES
  for (unsigned i = 0; i < n; ++i) {
    u32 field = values[i] >> 23 & 255, m = values[i] & 0x7fffff;
    special |= field >= 190; // 2^63
    i32 e = field ? i32(field) - 127 : -126;
    m = field ? m | 0x800000 : m;
    i32 below = maxOf(type.lowest - e, 0);
    m = m >> minOf(below, 31) >> (23 - type.fraction);
    e = m ? e + below : -126;
    v.significand[i] = values[i] >> 31 ? -i32(m) : i32(m);
    v.exponent[i] = e;
  }
  v.special |= special;
}

/// A group of terms for the columns of one row: A's elements are one each, B's `N` in a row.
struct FusedTerms {
  unsigned count = 0;
  i32 a[kMostTerms], ea[kMostTerms];
  float value[kMostTerms]; ///< of A, and B's beside it; they tell NaNs and infinities
  const i32 *b[kMostTerms], *eb[kMostTerms];
  const float *values[kMostTerms];
  bool evenAndOdd = false; ///< 8-bit floats: two sums
  int lift = 0;            ///< left shift that gives a product 24 fractional bits
  bool special = false;
  bool clamps = false; ///< MODE.FP16_OVFL
};

HWY_INLINE i32 shifted(i32 v, i32 by) { return v >> minOf(by, 31); }
HWY_INLINE i64 shifted(i64 v, i32 by) { return v >> minOf(by, 63); }

/// Sum of every `step`-th product from `first`, exponents in e: each is cut towards zero.
template <unsigned N>
HWY_INLINE void sumProducts(const FusedTerms &t, unsigned first, unsigned step, i32 *s, i32 *e) {
  for (unsigned j = 0; j < N; ++j)
    s[j] = 0, e[j] = -1000;
  for (unsigned n = first; n < t.count; n += step) {
    TEGULA_LANES
    for (unsigned j = 0; j < N; ++j)
      e[j] = maxOf(e[j], t.ea[n] + t.eb[n][j]);
  }
  for (unsigned n = first; n < t.count; n += step) {
    TEGULA_LANES
    for (unsigned j = 0; j < N; ++j) {
      i32 p = t.a[n] * t.b[n][j], by = e[j] - t.ea[n] - t.eb[n][j];
      i32 magnitude = shifted((p < 0 ? -p : p) << t.lift, by);
      s[j] += p < 0 ? -magnitude : magnitude;
    }
  }
}
/// What is not a finite sum: NaN, ±∞, and products beyond f32.
HWY_INLINE float specialSum(const FusedTerms &t, unsigned j, float acc, float result) {
  double sum = acc;
  bool up = false, down = false;
  for (unsigned n = 0; n < t.count; ++n) {
    double p = double(t.value[n]) * double(t.values[n][j]);
    if (std::fabs(p) < INFINITY) // scales are in the exponents only
      p = std::ldexp(double(t.a[n] * t.b[n][j]), t.ea[n] + t.eb[n][j] + t.lift - 24);
    sum += p;
    up |= p >= 0x1p128;
    down |= p <= -0x1p128;
  }
  if (!(std::fabs(sum) < INFINITY))
    return float(sum);
  float most = t.clamps ? kLargest : INFINITY;
  return up && down ? -NAN : up ? most : down ? -most : result;
}
/// acc += the group's products.
template <unsigned N> HWY_INLINE void fuse(const FusedTerms &t, float *acc) {
  alignas(64) i32 s[N], e[N], s1[N], e1[N];
  alignas(64) float result[N];
  sumProducts<N>(t, 0, t.evenAndOdd ? 2 : 1, s, e);
  if (t.evenAndOdd && t.count > 1) {
    sumProducts<N>(t, 1, 2, s1, e1);
    TEGULA_LANES
    for (unsigned j = 0; j < N; ++j) {
      i32 most = maxOf(e[j], e1[j]);
      s[j] = shifted(s[j], most - e[j]) + shifted(s1[j], most - e1[j]);
      e[j] = most;
    }
  }
  bool drops = t.evenAndOdd; // 8-bit floats forget an accumulator that is far below
  u32 special = t.special;
  TEGULA_LANES
  for (unsigned j = 0; j < N; ++j) {
    u32 x = bits<u32>(acc[j]), field = x >> 23 & 255;
    special |= field == 255;
    i32 ec = field ? i32(field) - 127 : -126;
    i64 c = (x & 0x7fffff) | (field ? 0x800000 : 0);
    c = x >> 31 ? -c : c;
    i32 most = maxOf(e[j], ec);
    c = drops && ec < most - 25 ? 0 : shifted(c << 1, most - ec) << 7;
    i64 sum = shifted(i64(s[j]) << 7, most - e[j]) + c;
    float r = float(double(sum) * bits<double>(u64(most - 31 + 1023) << 52));
    result[j] = t.clamps ? minOf(maxOf(r, -kLargest), kLargest) : r;
  }
  if (HWY_UNLIKELY(special))
    for (unsigned j = 0; j < N; ++j)
      result[j] = specialSum(t, j, acc[j], result[j]);
  std::memcpy(acc, result, sizeof result);
}
} // namespace
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();
#endif
