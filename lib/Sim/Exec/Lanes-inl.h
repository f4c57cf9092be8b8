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
// -------------------------------------------
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
  shift = shift > 31 ? 31 : shift;
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

// --- Masks
// ---------------------------------------------------------------------------------------------------------
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
// ------------------------------------------------------------------------------------------------------
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

/// Runs `body` under the control word of `M` when it differs from the f32 mode that is loaded.
template <FloatMode M, class F> HWY_INLINE void underMode(Wave &w, F body) {
  if (M == FloatMode::F32) {
    body();
    return;
  }
  uint32_t wanted = w.mxcsr[unsigned(M)];
  if (HWY_LIKELY(wanted == w.mxcsr[0])) {
    body();
    return;
  }
  setHostFloatMode(wanted);
  body();
  setHostFloatMode(w.mxcsr[0]);
}

// --- Handlers from scalar functions
// -------------------------------------------------------------------------------- S has: D, A, B,
// C element types (B, C = void when absent), mode, and f(a[, b[, c]]).
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

/// MODE[7:6] ≠ 3: denormal halves are zeroes on the way in or out. Rare, so it works on copies.
template <class E> HWY_INLINE void flushHalves(u32 *to, const u32 *from) {
  constexpr bool half = std::is_same<E, F16>::value;
  for (unsigned i = 0; i < 64; ++i)
    to[i] = half && (from[i] & 0x7c00) == 0 ? from[i] & 0xffff8000u : from[i];
}
template <class S> HWY_NOINLINE void valuFlushingHalves(Wave &w, const Op &o) {
  bool in = !(w.mode >> 6 & 1), out = !(w.mode >> 7 & 1);
  alignas(64) u32 a[64], b[64], c[64], r[64];
  const u32 *sa = w.row(o.a), *sb = w.row(o.b), *sc = w.row(o.c);
  if (in) {
    flushHalves<typename S::A>(a, sa);
    flushHalves<typename S::B>(b, sb);
    flushHalves<typename S::C>(c, sc);
    sa = a, sb = b, sc = c;
  }
  underMode<S::mode>(w, [&]() HWY_ATTR { runLanes<S>(r, sa, sb, sc); });
  if (out)
    flushHalves<typename S::D>(r, r);
  blendRow(w.row(o.d), r, w.exec());
}
template <class S>
constexpr bool kHalfArithmetic = std::is_same<typename S::A, F16>::value && S::D::rows == 1;

template <class S> const Op *valu(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  if constexpr (kHalfArithmetic<S>)
    if (HWY_UNLIKELY((w.mode >> 6 & 3) != 3)) {
      valuFlushingHalves<S>(w, o);
      return &o + 1;
    }
  u64 exec = w.exec();
  u32 *d = w.row(o.d);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
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

/// Writes a computed row (tuple) under EXEC.
HWY_INLINE void storeRows(Wave &w, uint32_t offset, const u32 *r, unsigned rows) {
  for (unsigned k = 0; k < rows; ++k)
    blendRow(w.row(offset) + 64 * k, r + 64 * k, w.exec());
}

#define TEGULA_OP(NAME, MODE, TD, TA, TB, TC, ARGS, ...)                                           \
  struct NAME {                                                                                    \
    using D = TD;                                                                                  \
    using A = TA;                                                                                  \
    using B = TB;                                                                                  \
    using C = TC;                                                                                  \
    static constexpr FloatMode mode = FloatMode::MODE;                                             \
    static HWY_INLINE typename TD::type f ARGS { __VA_ARGS__ }                                     \
  };

} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();
#endif
