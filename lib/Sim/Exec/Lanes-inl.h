// Per-target building blocks of vector handlers. Included inside a foreach_target section:
// everything here is compiled once for each instruction set, and the loops over 64 lanes are plain
// code that the compiler vectorises for it.
#if defined(TEGULA_SIM_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TEGULA_SIM_LANES_INL_H
#undef TEGULA_SIM_LANES_INL_H
#else
#define TEGULA_SIM_LANES_INL_H
#endif

#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/HostFloat.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <hwy/highway.h>
#include <type_traits>

#if defined(__clang__)
#define TEGULA_LANES _Pragma("clang loop vectorize(assume_safety) interleave(disable)")
#else
#define TEGULA_LANES _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

template <class T, class U> HWY_INLINE T bits(U v) {
  static_assert(sizeof(T) == sizeof(U), "same size");
  T r;
  std::memcpy(&r, &v, sizeof r);
  return r;
}

// --- Element types: how lane i of a register (tuple) is read and written
struct U32 {
  using type = u32;
  static constexpr unsigned rows = 1;
  static HWY_INLINE u32 get(const u32 *p, unsigned i) { return p[i]; }
  static HWY_INLINE void put(u32 *p, unsigned i, u32 v) { p[i] = v; }
};
struct I32 {
  using type = i32;
  static constexpr unsigned rows = 1;
  static HWY_INLINE i32 get(const u32 *p, unsigned i) { return i32(p[i]); }
  static HWY_INLINE void put(u32 *p, unsigned i, i32 v) { p[i] = u32(v); }
};
struct F32 {
  using type = float;
  static constexpr unsigned rows = 1;
  static HWY_INLINE float get(const u32 *p, unsigned i) { return bits<float>(p[i]); }
  static HWY_INLINE void put(u32 *p, unsigned i, float v) { p[i] = bits<u32>(v); }
};
struct U64 {
  using type = u64;
  static constexpr unsigned rows = 2;
  static HWY_INLINE u64 get(const u32 *p, unsigned i) { return p[i] | u64(p[i + 64]) << 32; }
  static HWY_INLINE void put(u32 *p, unsigned i, u64 v) { p[i] = u32(v), p[i + 64] = u32(v >> 32); }
};
struct I64 {
  using type = i64;
  static constexpr unsigned rows = 2;
  static HWY_INLINE i64 get(const u32 *p, unsigned i) { return i64(U64::get(p, i)); }
  static HWY_INLINE void put(u32 *p, unsigned i, i64 v) { U64::put(p, i, u64(v)); }
};
struct F64 {
  using type = double;
  static constexpr unsigned rows = 2;
  static HWY_INLINE double get(const u32 *p, unsigned i) { return bits<double>(U64::get(p, i)); }
  static HWY_INLINE void put(u32 *p, unsigned i, double v) { U64::put(p, i, bits<u64>(v)); }
};
struct U16 { ///< low half; results are zero-extended
  using type = u32;
  static constexpr unsigned rows = 1;
  static HWY_INLINE u32 get(const u32 *p, unsigned i) { return p[i] & 0xffff; }
  static HWY_INLINE void put(u32 *p, unsigned i, u32 v) { p[i] = v & 0xffff; }
};
struct I16 {
  using type = i32;
  static constexpr unsigned rows = 1;
  static HWY_INLINE i32 get(const u32 *p, unsigned i) { return i32(p[i] << 16) >> 16; }
  static HWY_INLINE void put(u32 *p, unsigned i, i32 v) { p[i] = u32(v) & 0xffff; }
};
/// f16 ↔ f32 by integer arithmetic, so that MXCSR's denormal bits cannot interfere and every host
/// agrees.
HWY_INLINE float halfToFloat(u32 h) {
  u32 sign = (h & 0x8000) << 16, mag = h & 0x7fff;
  u32 normal = (mag << 13) + (112u << 23);
  normal = mag >= 0x7c00 ? normal + (112u << 23) : normal;
  // Subnormal m·2^-24: convert the integer exactly, then lower the exponent (never a denormal
  // float).
  u32 sub = mag ? bits<u32>(float(i32(mag))) - (24u << 23) : 0;
  return bits<float>(sign | (mag < 0x400 ? sub : normal));
}
/// Nearest even unless `toZero`.
HWY_INLINE u32 floatToHalf(float f) {
  u32 x = bits<u32>(f), sign = x >> 16 & 0x8000, mag = x & 0x7fffffff;
  u32 nan = 0x7e00 | (mag >> 13 & 0x3ff);
  u32 rounded = (mag + 0xfff + (mag >> 13 & 1)) - (112u << 23);
  u32 normal = rounded >> 13;
  normal = mag >= 0x477ff000 ? 0x7c00 : normal;
  // Subnormal results: the significand with its hidden bit, shifted right with a sticky bit.
  u32 shift = 126 - (mag >> 23);
  shift = shift - 1 > 30 ? 31 : shift; // 0 and less, which wraps: no subnormal
  u32 sig = (mag & 0x7fffff) | 0x800000;
  u32 down = sig >> shift, rest = sig & ((1u << shift) - 1), half = 1u << (shift - 1);
  u32 sub = down + (rest > half || (rest == half && (down & 1)) ? 1 : 0);
  sub = shift >= 26 ? 0 : sub;
  u32 r = mag > 0x7f800000 ? nan : mag >= 0x38800000 ? normal : sub;
  return sign | r;
}
/// The same in a given MODE rounding (0 nearest, 1 up, 2 down, 3 to zero).
HWY_INLINE u32 floatToHalfRounded(float f, unsigned round) {
  u32 nearest = floatToHalf(f);
  if (round == 0)
    return nearest;
  u32 mag = nearest & 0x7fff, sign = nearest & 0x8000;
  if (mag > 0x7c00)
    return nearest;
  u32 in = bits<u32>(f) & 0x7fffffff;
  bool over = bits<u32>(halfToFloat(mag)) > in, exact = bits<u32>(halfToFloat(mag)) == in;
  if (exact)
    return nearest;
  u32 down = over ? mag - 1 : mag;
  bool away = round == 1 ? sign == 0 : round == 2 ? sign != 0 : false;
  return sign | (away ? down + 1 : down);
}
struct F16 { ///< computed in f32; results are zero-extended
  using type = float;
  static constexpr unsigned rows = 1;
  static HWY_INLINE float get(const u32 *p, unsigned i) { return halfToFloat(p[i] & 0xffff); }
  static HWY_INLINE void put(u32 *p, unsigned i, float v) { p[i] = floatToHalf(v); }
};

struct F16Bits { ///< an f16 that is only chosen, so that its bits come through
  using type = u32;
  static constexpr unsigned rows = 1;
  static HWY_INLINE u32 get(const u32 *p, unsigned i) { return p[i] & 0xffff; }
  static HWY_INLINE void put(u32 *p, unsigned i, u32 v) { p[i] = v; }
};

// --- Values
/// 1, but the compiler doesn't know: a multiplication that quiets NaNs and flushes as MXCSR says.
HWY_INLINE float canonical(float v) { return v * kOneF32; }
HWY_INLINE double canonical(double v) { return v * kOneF64; }
HWY_INLINE bool signaling(float v) { return v != v && !(bits<u32>(v) & 0x400000); }
HWY_INLINE bool signaling(double v) { return v != v && !(bits<u64>(v) >> 51 & 1); }
template <class T> using BitsOf = std::conditional_t<sizeof(T) == 8, u64, u32>;
/// canonical() of a chosen value: without MODE.IEEE a NaN's bits come through.
template <bool Ieee, class T> HWY_INLINE T chosen(T v) {
  T r = canonical(v);
  return !Ieee && v != v ? v : r;
}
HWY_INLINE float quiet(float v) { return bits<float>(bits<u32>(v) | 0x400000); }
HWY_INLINE double quiet(double v) { return bits<double>(bits<u64>(v) | u64(1) << 51); }
/// v_max and v_min: −0 < +0; a NaN loses to a number, of two the second is the result, but with
/// MODE.IEEE a signalling one wins and comes back quiet.
template <bool Ieee, class T> HWY_INLINE T choose(T a, T b, T r) {
  r = b != b ? a : r;
  r = a != a ? b : r;
  if (Ieee)
    r = signaling(a) ? quiet(a) : signaling(b) ? quiet(b) : r;
  return r;
}
template <bool Ieee, class T> HWY_INLINE T maxNum(T a, T b) {
  using U = BitsOf<T>;
  T r = a > b ? a : b;
  return choose<Ieee>(a, b, a == b ? bits<T>(U(bits<U>(a) & bits<U>(b))) : r);
}
template <bool Ieee, class T> HWY_INLINE T minNum(T a, T b) {
  using U = BitsOf<T>;
  T r = a < b ? a : b;
  return choose<Ieee>(a, b, a == b ? bits<T>(U(bits<U>(a) | bits<U>(b))) : r);
}
template <bool Ieee, class T> HWY_INLINE T med3Num(T a, T b, T c) {
  T lo = minNum<Ieee>(minNum<Ieee>(a, b), c);
  T mid = maxNum<false>(minNum<false>(a, b), minNum<false>(maxNum<false>(a, b), c));
  return a != a || b != b || c != c ? lo : mid;
}
/// v_maximum3 and v_minimum3: any NaN is the result.
template <class T> HWY_INLINE T nanOr(T a, T b, T r) { return a != a ? a : b != b ? b : r; }
template <class T> HWY_INLINE T maximum3(T a, T b, T c) {
  T r = nanOr(a, b, maxNum<false>(a, b));
  return nanOr(r, c, maxNum<false>(r, c));
}
template <class T> HWY_INLINE T minimum3(T a, T b, T c) {
  T r = nanOr(a, b, minNum<false>(a, b));
  return nanOr(r, c, minNum<false>(r, c));
}
/// p + c in double, rounded to odd: the sum's error is folded into the last bit, so that a later
/// rounding to fewer bits is the only one.
HWY_INLINE double sumToOdd(double p, double c) {
  double s = p + c, t = s - p, error = (p - (s - t)) + (c - t);
  u64 u = bits<u64>(s);
  bool inexact = s - s == 0 && error != 0 && !(u & 1);
  u64 odd = (error > 0) == (s > 0) ? u + 1 : u - 1;
  return bits<double>(inexact ? odd : u);
}
HWY_INLINE double fmaOdd(float a, float b, float c) {
  return sumToOdd(double(a) * double(b), double(c));
}
/// double → f32 rounded to odd.
HWY_INLINE float roundToOdd(double v) {
  u64 u = bits<u64>(v), low = (u64(1) << 29) - 1;
  u64 sticky = (u & low) != 0 ? u64(1) << 29 : 0;
  return float(bits<double>((u & ~low) | sticky));
}
/// a·b + c for an f16 result.
HWY_INLINE float halfFma(float a, float b, float c) { return roundToOdd(fmaOdd(a, b, c)); }

/// sin(2π(a + quarters/4)). The nearest quarter turn is taken off exactly, so that the sine near
/// its zeros is as exact as elsewhere.
HWY_INLINE double sinTurns(float a, int quarters) {
  if (!(std::fabs(a) < INFINITY))
    return a != a ? a : -NAN;
  double q = __builtin_rint(double(a) * 4.0);
  double angle = (double(a) - q * 0.25) * 6.283185307179586476925;
  switch ((i64(std::fmod(q, 4.0)) + quarters) & 3) {
  case 0:
    return std::sin(angle);
  case 1:
    return std::cos(angle);
  case 2:
    return -std::sin(angle);
  default:
    return -std::cos(angle);
  }
}

template <class T> HWY_INLINE T maxOf(T a, T b) { return a > b ? a : b; }
template <class T> HWY_INLINE T minOf(T a, T b) { return a < b ? a : b; }
template <class T> HWY_INLINE T medOf(T a, T b, T c) {
  return maxOf(minOf(a, b), minOf(maxOf(a, b), c));
}
template <class T, class W> HWY_INLINE T saturate(W v, W lo, W hi) {
  return T(v < lo ? lo : v > hi ? hi : v);
}
HWY_INLINE i32 saturateI32(i64 v) { return saturate<i32, i64>(v, INT32_MIN, INT32_MAX); }
HWY_INLINE u32 saturateU32(u64 v) { return v > 0xffffffffu ? 0xffffffffu : u32(v); }
HWY_INLINE i32 saturateI16(i32 v) { return saturate<i32, i32>(v, -32768, 32767); }
HWY_INLINE u32 saturateU16(u32 v) { return v > 0xffff ? 0xffff : v; }

// --- Masks
/// d = mask ? r : d, one row.
HWY_INLINE void blendRow(u32 *HWY_RESTRICT d, const u32 *HWY_RESTRICT r, u64 mask) {
  const hn::CappedTag<u32, 16> tag;
  constexpr unsigned n = hn::MaxLanes(tag);
  alignas(16) uint8_t maskBytes[32] = {};
  for (unsigned i = 0; i < 64; i += n) {
    u64 part = mask >> i;
    std::memcpy(maskBytes, &part, 8);
    auto m = hn::LoadMaskBits(tag, maskBytes);
    hn::Store(hn::IfThenElse(m, hn::Load(tag, r + i), hn::Load(tag, d + i)), tag, d + i);
  }
}
/// Bit i = row element i is not zero.
HWY_INLINE u64 maskOfRow(const u32 *r) {
  const hn::CappedTag<u32, 16> tag;
  constexpr unsigned n = hn::MaxLanes(tag);
  u64 mask = 0;
  for (unsigned i = 0; i < 64; i += n) {
    uint8_t out[32] = {};
    hn::StoreMaskBits(tag, hn::Ne(hn::Load(tag, r + i), hn::Zero(tag)), out);
    u64 part;
    std::memcpy(&part, out, 8);
    mask |= (part & ((u64(1) << n) - 1)) << i;
  }
  return mask;
}
/// Lane i = 1 if bit i is set.
HWY_INLINE void rowOfMask(u32 *HWY_RESTRICT r, u64 mask) {
  u32 lo = u32(mask), hi = u32(mask >> 32);
  TEGULA_LANES
  for (unsigned i = 0; i < 32; ++i) {
    r[i] = lo >> i & 1;
    r[i + 32] = hi >> i & 1;
  }
}

// --- Operands
HWY_INLINE void splat(u32 *row, u32 v) {
  for (unsigned i = 0; i < 64; ++i)
    row[i] = v;
}
/// Puts the op's SGPR source into the broadcast row(s), if it has one.
HWY_INLINE void broadcastSource(Wave &w, uint16_t slot) {
  if (HWY_LIKELY(slot == 0))
    return;
  unsigned index = (slot & 0x7fffu) - 1;
  u32 *row = w.row(w.program->vgprs * kRowBytes + kBroadcastRow * kRowBytes);
  splat(row, w.s[index]);
  if (slot & kBroadcast64)
    splat(row + 64, w.s[index + 1]);
}

/// Runs `body` under a control word of its own.
template <class F> HWY_INLINE void underWord(Wave &w, uint32_t mxcsr, F body) {
  setHostFloatMode(mxcsr);
  body();
  setHostFloatMode(w.mxcsr[0]);
}
constexpr uint32_t kDenormalsAreZero = 0x40;

/// Runs `body` under the control word of `M` when it differs from the f32 mode that is loaded.
template <FloatMode M, class F> HWY_INLINE void underMode(Wave &w, F body) {
  if (M == FloatMode::F32) {
    body();
    return;
  }
  const uint32_t wanted = w.mxcsr[unsigned(M)];
  const bool other = wanted != w.mxcsr[0];
  if (HWY_UNLIKELY(other))
    setHostFloatMode(wanted);
  body(); // once: it is inlined
  if (HWY_UNLIKELY(other))
    setHostFloatMode(w.mxcsr[0]);
}

// --- Handlers from scalar functions
/// A source that a scalar operation S doesn't have. S has the element types D, A, B and C, mode,
/// and f(a[, b[, c]]).
struct NoElem {};
template <class S> HWY_INLINE void runLanes(u32 *d, const u32 *a, const u32 *b, const u32 *c) {
  TEGULA_LANES
  for (unsigned i = 0; i < 64; ++i) {
    if constexpr (std::is_same<typename S::B, NoElem>::value)
      S::D::put(d, i, S::f(S::A::get(a, i)));
    else if constexpr (std::is_same<typename S::C, NoElem>::value)
      S::D::put(d, i, S::f(S::A::get(a, i), S::B::get(b, i)));
    else
      S::D::put(d, i, S::f(S::A::get(a, i), S::B::get(b, i), S::C::get(c, i)));
  }
}

// f16 follows MODE's second pair of fields and FP16_OVFL. Off their usual values (nearest,
// denormals kept, no clamping) the work is done on copies.
constexpr uint32_t kHalfModeBits = 0xcc | 1u << 23, kHalfModeUsual = 0xc0;
HWY_INLINE u32 flushHalf(u32 h) { return (h & 0x7c00) == 0 ? h & 0x8000 : h; }
/// What `v` becomes as an f16 result.
HWY_INLINE u32 narrowByMode(float v, u32 mode) {
  u32 h = floatToHalfRounded(v, mode >> 2 & 3);
  bool overflowed = (h & 0x7fff) == 0x7c00 && std::fabs(v) < INFINITY;
  h = overflowed && mode >> 23 & 1 ? (h & 0x8000) | 0x7bff : h;
  if (mode >> 7 & 1 || std::fabs(v) >= 0x1p-14f)
    return h;
  // Tiny is what would be below the smallest normal with as many bits, as x86 has it for f32.
  bool tiny = (floatToHalfRounded(v * 0x1p10f, mode >> 2 & 3) & 0x7fff) < 0x2c00;
  return tiny ? h & 0x8000 : h;
}
template <class E>
constexpr bool kIsHalf = std::is_same<E, F16>::value || std::is_same<E, F16Bits>::value;
template <class E> HWY_INLINE const u32 *halvesByMode(u32 *to, const u32 *from, u32 mode) {
  if (!kIsHalf<E> || mode >> 6 & 1)
    return from;
  for (unsigned i = 0; i < 64; ++i)
    to[i] = flushHalf(from[i] & 0xffff);
  return to;
}
/// S with its value kept in f32.
template <class S> struct Widened : S {
  using D = F32;
};
/// a·b + c is computed to nearest and rounded afterwards: a zero sum of opposite signs, which is −0
/// when rounding down, needs care.
template <class S, class = void> constexpr bool kIsHalfFma = false;
template <class S> constexpr bool kIsHalfFma<S, std::void_t<decltype(S::roundsSums)>> = true;
HWY_INLINE void negateZeroSums(u32 *r, const u32 *a, const u32 *b, const u32 *c) {
  for (unsigned i = 0; i < 64; ++i)
    if (r[i] == 0 && ((a[i] ^ b[i] ^ c[i]) & 0x8000))
      r[i] = 0x80000000;
}
template <class S>
HWY_NOINLINE void runByHalfMode(Wave &w, u32 *r, const u32 *a, const u32 *b, const u32 *c) {
  alignas(64) u32 fa[64], fb[64], fc[64];
  a = halvesByMode<typename S::A>(fa, a, w.mode);
  b = halvesByMode<typename S::B>(fb, b, w.mode);
  c = halvesByMode<typename S::C>(fc, c, w.mode);
  if constexpr (std::is_same<typename S::D, F16>::value) {
    underMode<S::mode>(w, [&]() HWY_ATTR { runLanes<Widened<S>>(r, a, b, c); });
    if constexpr (kIsHalfFma<S>)
      if ((w.mode >> 2 & 3) == 2)
        negateZeroSums(r, a, b, c);
    for (unsigned i = 0; i < 64; ++i)
      r[i] = narrowByMode(F32::get(r, i), w.mode);
  } else {
    underMode<S::mode>(w, [&]() HWY_ATTR { runLanes<S>(r, a, b, c); });
    if (std::is_same<typename S::D, F16Bits>::value && !(w.mode >> 7 & 1))
      for (unsigned i = 0; i < 64; ++i)
        r[i] = flushHalf(r[i]);
  }
}
template <class S> constexpr bool kHasHalves = kIsHalf<typename S::D> || kIsHalf<typename S::A>;

template <class S> const Op *valu(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  u64 exec = w.exec();
  u32 *d = w.row(o.d);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  if constexpr (kHasHalves<S>)
    if (HWY_UNLIKELY((w.mode & kHalfModeBits) != kHalfModeUsual)) {
      alignas(64) u32 r[64];
      runByHalfMode<S>(w, r, a, b, c);
      blendRow(d, r, exec);
      return &o + 1;
    }
  underMode<S::mode>(w, [&]() HWY_ATTR {
    if (HWY_LIKELY(exec == ~u64(0))) {
      runLanes<S>(d, a, b, c);
    } else {
      alignas(64) u32 r[64 * S::D::rows];
      runLanes<S>(r, a, b, c);
      for (unsigned k = 0; k < S::D::rows; ++k)
        blendRow(d + 64 * k, r + 64 * k, exec);
    }
  });
  return &o + 1;
}
/// Two forms of an operation, by MODE.IEEE.
template <class S> const Op *valuByIeee(Wave &w, const Op &o) {
  return w.ieee() ? valu<typename S::Ieee>(w, o) : valu<S>(w, o);
}

/// Writes a computed row (tuple) under EXEC.
HWY_INLINE void storeRows(Wave &w, uint32_t offset, const u32 *r, unsigned rows) {
  for (unsigned k = 0; k < rows; ++k)
    blendRow(w.row(offset) + 64 * k, r + 64 * k, w.exec());
}

// --- Declaring operations. A struct is named as its mnemonic, so tables are lists of names.
#define TEGULA_BODY(MODE, TD, TA, TB, TC, ARGS, ...)                                               \
  using D = TD;                                                                                    \
  using A = TA;                                                                                    \
  using B = TB;                                                                                    \
  using C = TC;                                                                                    \
  static constexpr FloatMode mode = FloatMode::MODE;                                               \
  static HWY_INLINE typename TD::type f ARGS { __VA_ARGS__ }
#define TEGULA_OP(NAME, MODE, TD, TA, TB, TC, ARGS, ...)                                           \
  struct NAME {                                                                                    \
    static constexpr Sem sem = Sem::NAME;                                                          \
    TEGULA_BODY(MODE, TD, TA, TB, TC, ARGS, __VA_ARGS__)                                           \
  };
/// The body may use the constant `ieee`.
#define TEGULA_IEEE_OP(NAME, MODE, TD, TA, TB, TC, ARGS, ...)                                      \
  template <bool ieee> struct NAME##_by {                                                          \
    TEGULA_BODY(MODE, TD, TA, TB, TC, ARGS, __VA_ARGS__)                                           \
  };                                                                                               \
  struct NAME : NAME##_by<false> {                                                                 \
    static constexpr Sem sem = Sem::NAME;                                                          \
    using Ieee = NAME##_by<true>;                                                                  \
  };
/// Another mnemonic of the same operation.
#define TEGULA_SAME(NAME, OTHER)                                                                   \
  struct NAME : OTHER {                                                                            \
    static constexpr Sem sem = Sem::NAME;                                                          \
  };
/// `NAME` with a second body for the clamp bit of an integer operation.
#define TEGULA_SAT_OP(NAME, MODE, TD, TA, TB, TC, ARGS, PLAIN, SATURATED)                          \
  struct NAME##_sat {                                                                              \
    TEGULA_BODY(MODE, TD, TA, TB, TC, ARGS, SATURATED)                                             \
  };                                                                                               \
  struct NAME {                                                                                    \
    static constexpr Sem sem = Sem::NAME;                                                          \
    using Saturated = NAME##_sat;                                                                  \
    TEGULA_BODY(MODE, TD, TA, TB, TC, ARGS, PLAIN)                                                 \
  };

/// An integer operation whose result is in range anyway: the clamp bit changes nothing.
#define TEGULA_CLAMP_OP(NAME, MODE, TD, TA, TB, TC, ARGS, ...)                                     \
  struct NAME {                                                                                    \
    static constexpr Sem sem = Sem::NAME;                                                          \
    using Saturated = NAME;                                                                        \
    TEGULA_BODY(MODE, TD, TA, TB, TC, ARGS, __VA_ARGS__)                                           \
  };

template <class S, class = void> struct HandlerOf {
  static Handler get() { return valu<S>; }
};
template <class S> struct HandlerOf<S, std::void_t<typename S::Ieee>> {
  static Handler get() { return valuByIeee<S>; }
};
template <class S, class = void> struct SaturatedOf {
  static Handler get() { return nullptr; }
};
template <class S> struct SaturatedOf<S, std::void_t<typename S::Saturated>> {
  static Handler get() { return HandlerOf<typename S::Saturated>::get(); }
};
/// Adds operations whose sources and results are of kind `elem`; `keepHigh` as in Entry.
template <class... S> void addOps(HandlerTable &table, Elem elem, bool keepHigh = false) {
  (table.push_back(
       {S::sem, HandlerOf<S>::get(), Shape::Vector, elem, 0, keepHigh, SaturatedOf<S>::get()}),
   ...);
}

} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();
#endif
