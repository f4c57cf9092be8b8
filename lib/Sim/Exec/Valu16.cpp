// 16-bit arithmetic. f16 is computed in f32 and narrowed: harmless for + − × ÷ √ since 24 ≥ 2·11 +
// 2; fma goes through double, which holds every sum that can lie on an f16 tie, rounded to odd on
// the way down.
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
#define UNH(NAME, ...) TEGULA_OP(NAME, Fixed, F16, F16, NoElem, NoElem, (float a), __VA_ARGS__)
#define BINH(NAME, ...)                                                                            \
  TEGULA_OP(NAME, F16F64, F16, F16, F16, NoElem, (float a, float b), __VA_ARGS__)
#define TRIH(NAME, ...)                                                                            \
  TEGULA_OP(NAME, Fixed, F16, F16, F16, F16, (float a, float b, float c), __VA_ARGS__)
#define BINU(NAME, ...) TEGULA_OP(NAME, F32, U16, U16, U16, NoElem, (u32 a, u32 b), __VA_ARGS__)
#define BINI(NAME, ...) TEGULA_OP(NAME, F32, I16, I16, I16, NoElem, (i32 a, i32 b), __VA_ARGS__)
#define TRIU(NAME, ...) TEGULA_OP(NAME, F32, U16, U16, U16, U16, (u32 a, u32 b, u32 c), __VA_ARGS__)
#define TRII(NAME, ...) TEGULA_OP(NAME, F32, I16, I16, I16, I16, (i32 a, i32 b, i32 c), __VA_ARGS__)

BINH(Add, return a + b;)
BINH(Sub, return a - b;)
BINH(SubRev, return b - a;)
BINH(Mul, return a * b;)
BINH(Max, return halfMax(a, b);)
BINH(Min, return halfMin(a, b);)
TEGULA_OP(Fma, Fixed, U16, F16, F16, F16, (float a, float b, float c), return halfFma(a, b, c);)
TEGULA_OP(Mad, F16F64, F16, F16, F16, F16, (float a, float b, float c),
          return halfToFloat(floatToHalf(a * b)) + c;)
TRIH(Max3, return halfMax(halfMax(a, b), c);)
TRIH(Min3, return halfMin(halfMin(a, b), c);)
TRIH(Med3, float lo = halfMin(halfMin(a, b), c);
     float mid = halfMax(halfMin(a, b), halfMin(halfMax(a, b), c));
     return a != a || b != b || c != c ? lo : mid;)
UNH(Ceil, return __builtin_ceilf(a);)
UNH(Floor, return __builtin_floorf(a);)
UNH(Trunc, return __builtin_truncf(a);)
UNH(Rndne, return __builtin_rintf(a);)
UNH(Fract, float r = a - __builtin_floorf(a); return r > 0.99951171875f ? 0.99951171875f : r;)
UNH(Rcp, return 1.0f / a;)
UNH(Sqrt, float r = __builtin_sqrtf(a < 0 ? 1.0f : a); return a < 0 ? -NAN : r;)
UNH(Rsq, float r = float(1.0 / __builtin_sqrt(double(a < 0 ? 1.0f : a))); return a < 0 ? -NAN : r;)
UNH(Exp, return float(std::exp2(double(a)));)
UNH(Log, return float(std::log2(double(a)));)
UNH(Sin, double x = a; return float(std::sin((x - std::floor(x)) * 6.283185307179586));)
UNH(Cos, double x = a; return float(std::cos((x - std::floor(x)) * 6.283185307179586));)
TEGULA_OP(Ldexp, Fixed, F16, F16, I16, NoElem, (float a, i32 b),
          i32 n = b > 60    ? 60
                  : b < -60 ? -60
                            : b;
          return a * bits<float>(u32(n + 127) << 23);)
TEGULA_OP(FrexpExp, Fixed, I16, F16, NoElem, NoElem, (float a), u32 e = bits<u32>(a) >> 23 & 0xff;
          return e == 0xff || a == 0 ? 0 : i32(e) - 126;)
TEGULA_OP(FrexpMant, Fixed, F16, F16, NoElem, NoElem, (float a), u32 u = bits<u32>(a);
          float m = bits<float>((u & 0x807fffff) | 0x3f000000);
          return (u & 0x7f800000) == 0x7f800000 || a == 0 ? a : m;)

BINU(AddU, return a + b;)
BINU(SubU, return a - b;)
BINU(SubRevU, return b - a;)
BINU(MulLo, return a * b;)
BINU(Lshl, return b << (a & 15);)
BINU(Lshr, return b >> (a & 15);)
BINI(Ashr, return b >> (a & 15);)
BINI(MaxI, return a > b ? a : b;)
BINI(MinI, return a < b ? a : b;)
BINU(MaxU, return a > b ? a : b;)
BINU(MinU, return a < b ? a : b;)
HWY_INLINE i32 maxI(i32 a, i32 b) { return a > b ? a : b; }
HWY_INLINE i32 minI(i32 a, i32 b) { return a < b ? a : b; }
TRIU(Mad16, return a * b + c;)
TRII(Max3I, return maxI(maxI(a, b), c);)
TRII(Min3I, return minI(minI(a, b), c);)
TRII(Med3I, return maxI(minI(a, b), minI(maxI(a, b), c));)
TEGULA_OP(Max3U, F32, U16, U16, U16, U16, (u32 a, u32 b, u32 c),
          return u32(maxI(maxI(i32(a), i32(b)), i32(c)));)
TEGULA_OP(Min3U, F32, U16, U16, U16, U16, (u32 a, u32 b, u32 c),
          return u32(minI(minI(i32(a), i32(b)), i32(c)));)
TEGULA_OP(Med3U, F32, U16, U16, U16, U16, (u32 x, u32 y, u32 z), i32 a = i32(x); i32 b = i32(y);
          i32 c = i32(z); return u32(maxI(minI(a, b), minI(maxI(a, b), c)));)
TEGULA_OP(MadU32U16, F32, U32, U16, U16, U32, (u32 a, u32 b, u32 c), return a * b + c;)
TEGULA_OP(MadI32I16, F32, I32, I16, I16, I32, (i32 a, i32 b, i32 c),
          return i32(u32(a * b) + u32(c));)
} // namespace

HandlerTable makeValu16() {
  const Shape v = Shape::Vector;
  const Elem f = Elem::F16, n = Elem::F16; // op_sel works the same way for integers
  return {
      {Sem::v_add_f16, valu<Add>, v, f},
      {Sem::v_sub_f16, valu<Sub>, v, f},
      {Sem::v_subrev_f16, valu<SubRev>, v, f},
      {Sem::v_mul_f16, valu<Mul>, v, f},
      {Sem::v_max_f16, valu<Max>, v, f},
      {Sem::v_min_f16, valu<Min>, v, f},
      {Sem::v_fma_f16, valu<Fma>, v, f, 0, true},
      {Sem::v_mad_f16, valu<Mad>, v, f, 0, true},
      {Sem::v_mac_f16, valu<Mad>, v, f},
      {Sem::v_max3_f16, valu<Max3>, v, f, 0, true},
      {Sem::v_min3_f16, valu<Min3>, v, f, 0, true},
      {Sem::v_med3_f16, valu<Med3>, v, f, 0, true},
      {Sem::v_ceil_f16, valu<Ceil>, v, f},
      {Sem::v_floor_f16, valu<Floor>, v, f},
      {Sem::v_trunc_f16, valu<Trunc>, v, f},
      {Sem::v_rndne_f16, valu<Rndne>, v, f},
      {Sem::v_fract_f16, valu<Fract>, v, f},
      {Sem::v_rcp_f16, valu<Rcp>, v, f},
      {Sem::v_sqrt_f16, valu<Sqrt>, v, f},
      {Sem::v_rsq_f16, valu<Rsq>, v, f},
      {Sem::v_exp_f16, valu<Exp>, v, f},
      {Sem::v_log_f16, valu<Log>, v, f},
      {Sem::v_sin_f16, valu<Sin>, v, f},
      {Sem::v_cos_f16, valu<Cos>, v, f},
      {Sem::v_ldexp_f16, valu<Ldexp>, v, f},
      {Sem::v_frexp_exp_i16_f16, valu<FrexpExp>, v, f},
      {Sem::v_frexp_mant_f16, valu<FrexpMant>, v, f},
      {Sem::v_add_u16, valu<AddU>, v, n},
      {Sem::v_sub_u16, valu<SubU>, v, n},
      {Sem::v_subrev_u16, valu<SubRevU>, v, n},
      {Sem::v_add_i16, valu<AddU>, v, n, 0, true},
      {Sem::v_sub_i16, valu<SubU>, v, n, 0, true},
      {Sem::v_mul_lo_u16, valu<MulLo>, v, n},
      {Sem::v_lshlrev_b16, valu<Lshl>, v, n},
      {Sem::v_lshrrev_b16, valu<Lshr>, v, n},
      {Sem::v_ashrrev_i16, valu<Ashr>, v, n},
      {Sem::v_max_i16, valu<MaxI>, v, n},
      {Sem::v_min_i16, valu<MinI>, v, n},
      {Sem::v_max_u16, valu<MaxU>, v, n},
      {Sem::v_min_u16, valu<MinU>, v, n},
      {Sem::v_mad_u16, valu<Mad16>, v, n, 0, true},
      {Sem::v_mad_i16, valu<Mad16>, v, n, 0, true},
      {Sem::v_max3_i16, valu<Max3I>, v, n, 0, true},
      {Sem::v_min3_i16, valu<Min3I>, v, n, 0, true},
      {Sem::v_med3_i16, valu<Med3I>, v, n, 0, true},
      {Sem::v_max3_u16, valu<Max3U>, v, n, 0, true},
      {Sem::v_min3_u16, valu<Min3U>, v, n, 0, true},
      {Sem::v_med3_u16, valu<Med3U>, v, n, 0, true},
      {Sem::v_mad_u32_u16, valu<MadU32U16>, v, n},
      {Sem::v_mad_i32_i16, valu<MadI32I16>, v, n},
  };
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
