// f16 arithmetic that single and packed handlers share, on values held in f32.
#if defined(TEGULA_SIM_HALF_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TEGULA_SIM_HALF_INL_H
#undef TEGULA_SIM_HALF_INL_H
#else
#define TEGULA_SIM_HALF_INL_H
#endif
#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
HWY_INLINE float halfMax(float a, float b) {
  float r = a > b ? a : b;
  r = a == b ? bits<float>(bits<u32>(a) & bits<u32>(b)) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}
HWY_INLINE float halfMin(float a, float b) {
  float r = a < b ? a : b;
  r = a == b ? bits<float>(bits<u32>(a) | bits<u32>(b)) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}
/// double → f32 rounded to odd: truncate, and set the last bit if anything was lost. A later
/// rounding to f16 is then the correct single rounding.
HWY_INLINE float roundToOdd(double v) {
  u64 u = bits<u64>(v);
  u64 sticky = (u & ((u64(1) << 29) - 1)) != 0 ? u64(1) << 29 : 0;
  return float(bits<double>((u & ~((u64(1) << 29) - 1)) | sticky));
}
/// f16 bits of a·b + c with one rounding. The double sum is exact: products have 22 bits and
/// exponents span 80.
HWY_INLINE u32 halfFma(float a, float b, float c) {
  return floatToHalf(roundToOdd(double(a) * double(b) + double(c)));
}
} // namespace
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();
#endif
