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

HWY_INLINE u32 loU(u32 v) { return v & 0xffff; }
HWY_INLINE u32 hiU(u32 v) { return v >> 16; }
HWY_INLINE i32 loI(u32 v) { return i32(v << 16) >> 16; }
HWY_INLINE i32 hiI(u32 v) { return i32(v) >> 16; }

// --- Pairs of f16: the single operation S on the low halves and on the high halves
template <class S> struct Pair {
  using A = U32;
  using B = U32;
  using C = std::conditional_t<std::is_same<typename S::C, NoElem>::value, NoElem, U32>;
  using D = U32;
  static constexpr FloatMode mode = S::mode;
  static HWY_INLINE u32 half(u32 a, u32 b) {
    if constexpr (std::is_same<typename S::D, F16Bits>::value)
      return S::f(a, b);
    else
      return floatToHalf(S::f(halfToFloat(a), halfToFloat(b)));
  }
  static HWY_INLINE u32 f(u32 a, u32 b) {
    return join(half(a & 0xffff, b & 0xffff), half(a >> 16, b >> 16));
  }
  static HWY_INLINE u32 f(u32 a, u32 b, u32 c) {
    return join(floatToHalf(S::f(lo16(a), lo16(b), lo16(c))),
                floatToHalf(S::f(hi16(a), hi16(b), hi16(c))));
  }
};
/// MODE is not as usual: half by half.
template <class S> HWY_NOINLINE void pairsByMode(Wave &w, const Op &o) {
  const u32 *source[3] = {w.row(o.a), w.row(o.b), w.row(o.c)};
  alignas(64) u32 half[3][64], r[2][64];
  for (unsigned high = 0; high < 2; ++high) {
    for (unsigned k = 0; k < 3; ++k)
      for (unsigned i = 0; i < 64; ++i)
        half[k][i] = source[k][i] >> (16 * high) & 0xffff;
    runByHalfMode<S>(w, r[high], half[0], half[1], half[2]);
  }
  for (unsigned i = 0; i < 64; ++i)
    r[0][i] = join(r[0][i], r[1][i]);
  storeRows(w, o.d, r[0], 1);
}
template <class S> const Op *pairs(Wave &w, const Op &o) {
  if (HWY_LIKELY((w.mode & kHalfModeBits) == kHalfModeUsual))
    return valu<Pair<S>>(w, o);
  broadcastSource(w, o.slot);
  pairsByMode<S>(w, o);
  return &o + 1;
}
template <class S> const Op *pairsByIeee(Wave &w, const Op &o) {
  return w.ieee() ? pairs<typename S::Ieee>(w, o) : pairs<S>(w, o);
}

// --- Pairs of integers: HALF is the operation on one half, SAT with the clamp bit
#define PK2(NAME, LO, HI, HALF, SAT)                                                               \
  struct NAME##_half {                                                                             \
    template <class T> static HWY_INLINE u32 plain(T a, T b) { return u32(HALF); }                 \
    template <class T> static HWY_INLINE u32 saturated(T a, T b) { return u32(SAT); }              \
  };                                                                                               \
  TEGULA_SAT_OP(                                                                                   \
      NAME, F32, U32, U32, U32, NoElem, (u32 a, u32 b),                                            \
      return join(NAME##_half::plain(LO(a), LO(b)), NAME##_half::plain(HI(a), HI(b)));             \
      , return join(NAME##_half::saturated(LO(a), LO(b)), NAME##_half::saturated(HI(a), HI(b)));)
#define PK3(NAME, LO, HI, HALF, SAT)                                                               \
  struct NAME##_half {                                                                             \
    template <class T> static HWY_INLINE u32 plain(T a, T b, T c) { return u32(HALF); }            \
    template <class T> static HWY_INLINE u32 saturated(T a, T b, T c) { return u32(SAT); }         \
  };                                                                                               \
  TEGULA_SAT_OP(NAME, F32, U32, U32, U32, U32, (u32 a, u32 b, u32 c),                              \
                return join(NAME##_half::plain(LO(a), LO(b), LO(c)),                               \
                            NAME##_half::plain(HI(a), HI(b), HI(c)));                              \
                , return join(NAME##_half::saturated(LO(a), LO(b), LO(c)),                         \
                              NAME##_half::saturated(HI(a), HI(b), HI(c)));)
PK2(v_pk_add_u16, loU, hiU, a + b, saturateU16(a + b))
PK2(v_pk_sub_u16, loU, hiU, a - b, a < b ? 0 : a - b)
PK2(v_pk_add_i16, loI, hiI, a + b, saturateI16(a + b))
PK2(v_pk_sub_i16, loI, hiI, a - b, saturateI16(a - b))
PK2(v_pk_mul_lo_u16, loU, hiU, a *b, saturateU16(a *b))
PK3(v_pk_mad_u16, loU, hiU, a *b + c, saturateU16(a *b + c))
PK3(v_pk_mad_i16, loI, hiI, a *b + c, saturateI16(a *b + c))
#define PK2_CLAMP(NAME, LO, HI, HALF) PK2(NAME, LO, HI, HALF, HALF)
PK2_CLAMP(v_pk_lshlrev_b16, loU, hiU, b << (a & 15))
PK2_CLAMP(v_pk_lshrrev_b16, loU, hiU, b >> (a & 15))
PK2_CLAMP(v_pk_ashrrev_i16, loI, hiI, b >> (a & 15))
PK2_CLAMP(v_pk_max_i16, loI, hiI, maxOf(a, b))
PK2_CLAMP(v_pk_min_i16, loI, hiI, minOf(a, b))
PK2_CLAMP(v_pk_max_u16, loU, hiU, maxOf(a, b))
PK2_CLAMP(v_pk_min_u16, loU, hiU, minOf(a, b))
TEGULA_OP(v_pack_b32_f16, Fixed, U32, U32, U32, NoElem, (u32 a, u32 b), return join(a, b);)

// --- Dot products. Denormals are flushed on the way in and out whatever MODE says. f16 forms and
// dot2c add the low product first, then the high one; v_dot2_f32_bf16 sums its products before the
// addend.
HWY_INLINE float flushed(float v) {
  u32 x = bits<u32>(v);
  return bits<float>((x & 0x7f800000) == 0 ? x & 0x80000000 : x);
}
HWY_INLINE float loF(u32 v) { return halfToFloat(flushHalf(v & 0xffff)); }
HWY_INLINE float hiF(u32 v) { return halfToFloat(flushHalf(v >> 16)); }
HWY_INLINE float loB(u32 v) { return flushed(bits<float>(v << 16)); }
HWY_INLINE float hiB(u32 v) { return flushed(bits<float>(v & 0xffff0000)); }
TEGULA_OP(v_dot2_f32_f16, Fixed, F32, U32, U32, F32, (u32 a, u32 b, float c),
          float r = flushed(__builtin_fmaf(loF(a), loF(b), flushed(c)));
          return flushed(__builtin_fmaf(hiF(a), hiF(b), r));)
TEGULA_SAME(v_dot2c_f32_f16, v_dot2_f32_f16)
TEGULA_OP(v_dot2_f32_bf16, Fixed, F32, U32, U32, F32, (u32 a, u32 b, float c),
          return flushed(__builtin_fmaf(hiB(a), hiB(b), loB(a) * loB(b)) + flushed(c));)
TEGULA_OP(v_dot2c_f32_bf16, Fixed, F32, U32, U32, F32, (u32 a, u32 b, float c),
          float r = flushed(__builtin_fmaf(loB(a), loB(b), flushed(c)));
          return flushed(__builtin_fmaf(hiB(a), hiB(b), r));)
/// Sum of the products of `N` fields of 32 / N bits.
template <unsigned N> HWY_INLINE i64 dotSigned(u32 a, u32 b) {
  constexpr unsigned bits = 32 / N;
  i64 sum = 0;
  for (unsigned i = 0; i < N; ++i)
    sum += i64(i32(a << (32 - bits - i * bits)) >> (32 - bits)) *
           (i32(b << (32 - bits - i * bits)) >> (32 - bits));
  return sum;
}
template <unsigned N> HWY_INLINE u64 dotUnsigned(u32 a, u32 b) {
  constexpr unsigned bits = 32 / N;
  constexpr u32 mask = (1u << bits) - 1;
  u64 sum = 0;
  for (unsigned i = 0; i < N; ++i)
    sum += u64(a >> (i * bits) & mask) * (b >> (i * bits) & mask);
  return sum;
}
#define DOT_I(NAME, N)                                                                             \
  TEGULA_SAT_OP(NAME, F32, U32, U32, U32, U32, (u32 a, u32 b, u32 c),                              \
                return u32(dotSigned<N>(a, b)) + c;                                                \
                , return u32(saturateI32(dotSigned<N>(a, b) + i32(c)));)
#define DOT_U(NAME, N)                                                                             \
  TEGULA_SAT_OP(NAME, F32, U32, U32, U32, U32, (u32 a, u32 b, u32 c),                              \
                return u32(dotUnsigned<N>(a, b)) + c;                                              \
                , return saturateU32(dotUnsigned<N>(a, b) + c);)
DOT_I(v_dot2_i32_i16, 2)
DOT_I(v_dot4_i32_i8, 4)
DOT_I(v_dot8_i32_i4, 8)
DOT_U(v_dot2_u32_u16, 2)
DOT_U(v_dot4_u32_u8, 4)
DOT_U(v_dot8_u32_u4, 8)
TEGULA_SAME(v_dot2c_i32_i16, v_dot2_i32_i16)
TEGULA_SAME(v_dot4c_i32_i8, v_dot4_i32_i8)
TEGULA_SAME(v_dot8c_i32_i4, v_dot8_i32_i4)

// Mixed fma: the sources arrive as f32 (Elem::Mix). A half is rounded from the f32 result, as
// LLVM's folding of a truncation has it.
TEGULA_OP(v_fma_mix_f32, F32, F32, F32, F32, F32, (float a, float b, float c),
          return __builtin_fmaf(a, b, c);)
TEGULA_OP(v_fma_mixlo_f16, F32, F16, F32, F32, F32, (float a, float b, float c),
          return __builtin_fmaf(a, b, c);)

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
  const Elem p = Elem::Pk16, f = Elem::Pk16F, d = Elem::Pk32, n = Elem::None, mix = Elem::Mix;
  HandlerTable table = {
      {Sem::v_pk_add_f16, pairs<HalfAdd>, v, f},
      {Sem::v_pk_mul_f16, pairs<HalfMul>, v, f},
      {Sem::v_pk_max_f16, pairsByIeee<HalfMax>, v, f},
      {Sem::v_pk_min_f16, pairsByIeee<HalfMin>, v, f},
      {Sem::v_pk_fma_f16, pairs<HalfFma>, v, f},
      {Sem::v_pk_fmac_f16, pairs<HalfFma>, v, n},
      {Sem::v_pk_maximum3_f16, pairs<HalfMaximum3>, v, f},
      {Sem::v_pk_minimum3_f16, pairs<HalfMinimum3>, v, f},
      {Sem::v_pk_add_f32, pkF32<0>, v, d},
      {Sem::v_pk_mul_f32, pkF32<1>, v, d},
      {Sem::v_pk_fma_f32, pkF32<2>, v, d},
      {Sem::v_pk_mov_b32, pkMov, v, d},
      {Sem::v_fma_mixhi_f16, valu<v_fma_mixlo_f16>, v, mix, 1, true},
  };
  addOps<v_pk_add_u16, v_pk_add_i16, v_pk_sub_u16, v_pk_sub_i16, v_pk_mul_lo_u16, v_pk_lshlrev_b16,
         v_pk_lshrrev_b16, v_pk_ashrrev_i16, v_pk_max_i16, v_pk_min_i16, v_pk_max_u16, v_pk_min_u16,
         v_pk_mad_u16, v_pk_mad_i16, v_dot2_i32_i16, v_dot2_u32_u16>(table, p);
  addOps<v_dot2_f32_f16, v_dot2_f32_bf16, v_dot2c_f32_f16, v_dot2c_f32_bf16>(table, f);
  addOps<v_dot2c_i32_i16, v_dot4_i32_i8, v_dot4c_i32_i8, v_dot4_u32_u8, v_dot8_i32_i4,
         v_dot8c_i32_i4, v_dot8_u32_u4>(table, n);
  addOps<v_pack_b32_f16>(table, Elem::F16);
  addOps<v_fma_mix_f32>(table, mix);
  addOps<v_fma_mixlo_f16>(table, mix, true);
  return table;
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
