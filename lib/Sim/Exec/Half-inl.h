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
  static constexpr bool roundsSums = true;
  TEGULA_BODY(Fixed, F16, F16, F16, F16, (float a, float b, float c), return halfFma(a, b, c);)
};
/// The half that is the value r of a choice; every NaN payload and zero is told apart by its bits.
HWY_INLINE u32 halfBits(float r) {
  u32 x = bits<u32>(r);
  u32 nan = (x >> 16 & 0x8000) | 0x7c00 | (x >> 13 & 0x3ff);
  return r != r ? nan : floatToHalf(r);
}
#define TEGULA_HALF_CHOICE(NAME, TC, ARGS, EXPR)                                                   \
  template <bool ieee> struct NAME##By {                                                           \
    TEGULA_BODY(Fixed, F16Bits, F16Bits, F16Bits, TC, ARGS, return halfBits(EXPR);)                \
  };                                                                                               \
  struct NAME : NAME##By<false> {                                                                  \
    using Ieee = NAME##By<true>;                                                                   \
  };
HWY_INLINE float value(u32 half) { return halfToFloat(half); }
TEGULA_HALF_CHOICE(HalfMax, NoElem, (u32 a, u32 b), maxNum<ieee>(value(a), value(b)))
TEGULA_HALF_CHOICE(HalfMin, NoElem, (u32 a, u32 b), minNum<ieee>(value(a), value(b)))
TEGULA_HALF_CHOICE(HalfMax3, F16Bits, (u32 a, u32 b, u32 c),
                   maxNum<ieee>(maxNum<ieee>(value(a), value(b)), value(c)))
TEGULA_HALF_CHOICE(HalfMin3, F16Bits, (u32 a, u32 b, u32 c),
                   minNum<ieee>(minNum<ieee>(value(a), value(b)), value(c)))
TEGULA_HALF_CHOICE(HalfMed3, F16Bits, (u32 a, u32 b, u32 c),
                   med3Num<ieee>(value(a), value(b), value(c)))
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
