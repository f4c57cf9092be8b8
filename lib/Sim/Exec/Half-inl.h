// f16 operations that single and packed instructions share, on values held in f32.
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
struct HalfAdd {
  TEGULA_BODY(F16F64, F16, F16, F16, NoElem, (float a, float b), return a + b;)
};
struct HalfMul {
  TEGULA_BODY(F16F64, F16, F16, F16, NoElem, (float a, float b), return a * b;)
};
struct HalfFma {
  TEGULA_BODY(Fixed, F16, F16, F16, F16, (float a, float b, float c), return halfFma(a, b, c);)
};
template <bool ieee> struct HalfMaxBy {
  TEGULA_BODY(Fixed, F16, F16, F16, NoElem, (float a, float b), return maxNum<ieee>(a, b);)
};
struct HalfMax : HalfMaxBy<false> {
  using Ieee = HalfMaxBy<true>;
};
template <bool ieee> struct HalfMinBy {
  TEGULA_BODY(Fixed, F16, F16, F16, NoElem, (float a, float b), return minNum<ieee>(a, b);)
};
struct HalfMin : HalfMinBy<false> {
  using Ieee = HalfMinBy<true>;
};
struct HalfMaximum3 {
  TEGULA_BODY(Fixed, F16, F16, F16, F16, (float a, float b, float c), return maximum3(a, b, c);)
};
struct HalfMinimum3 {
  TEGULA_BODY(Fixed, F16, F16, F16, F16, (float a, float b, float c), return minimum3(a, b, c);)
};
} // namespace
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();
#endif
