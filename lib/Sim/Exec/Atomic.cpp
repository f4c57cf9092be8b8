// Atomics on global memory and LDS, lane by lane in ascending order.
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/LdsAccess.h"
#include "Sim/Exec/VmemAddress.h"
#include "Sim/Sanitize/LdsShadow.h"
#include <cmath>

namespace tegula::sim {
namespace {
// What an atomic stores, from the old value, its data and (cmpswap) its compare value.
#define ATOMIC_OP(NAME, EXPR)                                                                      \
  struct NAME {                                                                                    \
    template <class T> static T f(T old, T data, T compare) { return EXPR; }                       \
  };
ATOMIC_OP(Swap, data)
ATOMIC_OP(CmpSwap, old == compare ? data : old)
ATOMIC_OP(Add, T(old + data))
ATOMIC_OP(Sub, T(old - data))
ATOMIC_OP(RSub, T(data - old))
ATOMIC_OP(UMin, data < old ? data : old)
ATOMIC_OP(UMax, data > old ? data : old)
ATOMIC_OP(SMin, std::make_signed_t<T>(data) < std::make_signed_t<T>(old) ? data : old)
ATOMIC_OP(SMax, std::make_signed_t<T>(data) > std::make_signed_t<T>(old) ? data : old)
ATOMIC_OP(And, old &data)
ATOMIC_OP(Or, old | data)
ATOMIC_OP(Xor, old ^ data)
ATOMIC_OP(Inc, old >= data ? T(0) : T(old + 1))
ATOMIC_OP(Dec, old == 0 || old > data ? data : T(old - 1))

template <class To, class From> To cast(From v) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To r;
  std::memcpy(&r, &v, sizeof r);
  return r;
}
template <class F> F minNumber(F a, F b) { return a != a ? b : b != b ? a : b < a ? b : a; }
template <class F> F maxNumber(F a, F b) { return a != a ? b : b != b ? a : b > a ? b : a; }
#define FLOAT_OP(NAME, EXPR)                                                                       \
  struct NAME {                                                                                    \
    template <class T> static T f(T oldBits, T dataBits, T) {                                      \
      using F = std::conditional_t<sizeof(T) == 8, double, float>;                                 \
      F old = cast<F>(oldBits), data = cast<F>(dataBits);                                          \
      return cast<T>(F(EXPR));                                                                     \
    }                                                                                              \
  };
FLOAT_OP(FAdd, old + data)
FLOAT_OP(FMin, minNumber(old, data))
FLOAT_OP(FMax, maxNumber(old, data))

float halfValue(uint32_t h) {
  uint32_t mag = h & 0x7fff;
  float v = mag >= 0x7c00  ? (mag > 0x7c00 ? NAN : INFINITY)
            : mag >= 0x400 ? std::ldexp(float((mag & 0x3ff) | 0x400), int(mag >> 10) - 25)
                           : std::ldexp(float(mag), -24);
  return h & 0x8000 ? -v : v;
}
uint32_t halfBits(float f) {
  if (f != f)
    return 0x7e00;
  uint32_t sign = std::signbit(f) ? 0x8000 : 0;
  float mag = std::fabs(f);
  if (mag >= 65520.0f)
    return sign | 0x7c00;
  int e = mag > 0 ? std::ilogb(mag) : -1000;
  e = e < -14 ? -14 : e;
  return sign | (uint32_t(e + 14) << 10) + uint32_t(std::nearbyint(std::ldexp(mag, 10 - e)));
}
struct PkAddF16 {
  static uint32_t f(uint32_t old, uint32_t data, uint32_t) {
    return halfBits(halfValue(old & 0xffff) + halfValue(data & 0xffff)) |
           halfBits(halfValue(old >> 16) + halfValue(data >> 16)) << 16;
  }
};
uint32_t bf16Bits(float f) {
  uint32_t x = cast<uint32_t>(f);
  return (x & 0x7fffffff) > 0x7f800000 ? (x >> 16 | 0x40) : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}
struct PkAddBf16 {
  static uint32_t f(uint32_t old, uint32_t data, uint32_t) {
    return bf16Bits(cast<float>(old << 16) + cast<float>(data << 16)) |
           bf16Bits(cast<float>(old & 0xffff0000) + cast<float>(data & 0xffff0000)) << 16;
  }
};

template <class T> T laneValue(const uint32_t *row, unsigned l) {
  if constexpr (sizeof(T) == 8)
    return row[l] | uint64_t(row[l + 64]) << 32;
  else
    return row[l];
}
template <class T> void putLane(uint32_t *row, unsigned l, T v) {
  row[l] = uint32_t(v);
  if constexpr (sizeof(T) == 8)
    row[l + 64] = uint32_t(v >> 32);
}
template <class O, class T> T update(void *address, T data, T compare, bool shared) {
  T *p = static_cast<T *>(address);
  if (!shared) {
    T old = *p;
    *p = O::f(old, data, compare);
    return old;
  }
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, O::f(old, data, compare), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

/// d = destination (returning forms), c or d = data rows: data, then for cmpswap the compare value.
template <Space S, class O, class T> const Op *atomic(Wave &w, const Op &o) {
  constexpr unsigned rows = sizeof(T) / 4;
  VmemLanes v;
  vmemAddresses(w, o, S, sizeof(T), true, v);
  vmemCheck(w, o, S, sizeof(T), kRead | kWrite, v);
  const uint32_t *data = w.row(S == Space::Buffer ? o.d : o.c), *compare = data + 64 * rows;
  bool returns = o.aux & kVmemReturn;
  uint32_t *d = returns ? w.row(o.d) : nullptr;
  for (uint64_t m = v.exec; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    T old = 0;
    if (v.active >> l & 1) {
      T c = std::is_same<O, CmpSwap>::value ? laneValue<T>(compare, l) : T(0);
      old = update<O, T>(reinterpret_cast<void *>(v.address[l]), laneValue<T>(data, l), c,
                         w.tc->atomicMemory);
    }
    if (returns)
      putLane<T>(d, l, old);
  }
  if (w.sanitized) {
    PendingOp &p = beginVm(w, o, returns ? PendingKind::Load : PendingKind::Store);
    if (returns)
      ownRows(w, p, true, o.d, rows);
    if (S == Space::Flat) {
      PendingOp &q = beginLgkm(w, o, PendingKind::LdsOther);
      if (returns)
        ownRows(w, q, false, o.d, rows);
    }
  }
  return &o + 1;
}

/// d = destination or kNoOperand, b = data row, c = second data row; ds_cmpst has the compare value
/// first.
template <class O, class T> const Op *ldsAtomic(Wave &w, const Op &o) {
  constexpr unsigned rows = sizeof(T) / 4;
  LdsAddresses at;
  const uint32_t *a = w.row(o.a);
  for (unsigned l = 0; l < kLanes; ++l)
    at.lane[l] = a[l] + o.x;
  uint64_t exec = w.exec(), good = ldsInBounds(w, o, at.lane, exec, sizeof(T)), misaligned = 0;
  const bool swapped = std::is_same<O, CmpSwap>::value;
  const uint32_t *data = w.row(swapped ? o.c : o.b), *compare = w.row(o.b);
  bool returns = o.d != kNoOperand;
  for (uint64_t m = exec; m; m &= m - 1) {
    unsigned l = unsigned(__builtin_ctzll(m));
    T old = 0;
    if (at.lane[l] % sizeof(T)) {
      misaligned |= m & -m;
    } else if (good >> l & 1) {
      old = update<O, T>(w.wg->lds + at.lane[l], laneValue<T>(data, l), laneValue<T>(compare, l),
                         false);
    }
    if (returns)
      putLane<T>(w.row(o.d), l, old);
  }
  if (misaligned)
    report(w, o, FindingKind::Misaligned, Severity::Error, misaligned,
           at.lane[__builtin_ctzll(misaligned)],
           "an LDS atomic of " + std::to_string(sizeof(T)) + " bytes must be naturally aligned");
  if (w.sanitized) {
    PendingOp &p = beginLgkm(w, o, PendingKind::LdsOther);
    if (returns)
      ownRows(w, p, false, o.d, rows);
    if (w.wg->shadow)
      shadowAtomic(w, o, at.lane, good & ~misaligned, sizeof(T));
  }
  return &o + 1;
}
} // namespace

#define GLOBAL_ATOMIC(NAME, OP)                                                                    \
  {Sem::buffer_atomic_##NAME, atomic<Space::Buffer, OP, uint32_t>, v},                             \
      {Sem::global_atomic_##NAME, atomic<Space::Global, OP, uint32_t>, v},                         \
      {Sem::flat_atomic_##NAME, atomic<Space::Flat, OP, uint32_t>, v},
#define GLOBAL_ATOMIC64(NAME, OP)                                                                  \
  {Sem::buffer_atomic_##NAME, atomic<Space::Buffer, OP, uint64_t>, v},                             \
      {Sem::global_atomic_##NAME, atomic<Space::Global, OP, uint64_t>, v},                         \
      {Sem::flat_atomic_##NAME, atomic<Space::Flat, OP, uint64_t>, v},
#define GLOBAL_INT(NAME, OP) GLOBAL_ATOMIC(NAME, OP) GLOBAL_ATOMIC64(NAME##_x2, OP)
#define LDS_ATOMIC(NAME, SUFFIX, OP, T)                                                            \
  {Sem::ds_##NAME##_##SUFFIX, ldsAtomic<OP, T>, l},                                                \
      {Sem::ds_##NAME##_rtn_##SUFFIX, ldsAtomic<OP, T>, l},
#define LDS_INT(NAME, S32, S64, OP)                                                                \
  LDS_ATOMIC(NAME, S32, OP, uint32_t) LDS_ATOMIC(NAME, S64, OP, uint64_t)

const HandlerTable &tableAtomic() {
  const Shape v = Shape::Vmem, l = Shape::Lds;
  static const HandlerTable table = {
      GLOBAL_INT(swap, Swap) GLOBAL_INT(cmpswap, CmpSwap) GLOBAL_INT(add, Add) GLOBAL_INT(sub, Sub)
          GLOBAL_INT(smin, SMin) GLOBAL_INT(umin, UMin) GLOBAL_INT(smax, SMax) GLOBAL_INT(
              umax, UMax) GLOBAL_INT(and, And) GLOBAL_INT(or, Or) GLOBAL_INT(xor, Xor)
              GLOBAL_INT(inc, Inc) GLOBAL_INT(dec, Dec) GLOBAL_ATOMIC(add_f32, FAdd)
                  GLOBAL_ATOMIC(pk_add_f16, PkAddF16) GLOBAL_ATOMIC(pk_add_bf16, PkAddBf16)
                      GLOBAL_ATOMIC64(add_f64, FAdd) GLOBAL_ATOMIC64(min_f64, FMin) GLOBAL_ATOMIC64(
                          max_f64, FMax) LDS_INT(add, u32, u64, Add) LDS_INT(sub, u32, u64, Sub)
                          LDS_INT(rsub, u32, u64, RSub) LDS_INT(inc, u32, u64, Inc)
                              LDS_INT(dec, u32, u64, Dec) LDS_INT(min, i32, i64, SMin) LDS_INT(
                                  max, i32, i64, SMax) LDS_INT(min, u32, u64, UMin)
                                  LDS_INT(max, u32, u64, UMax) LDS_INT(and, b32, b64, And) LDS_INT(
                                      or, b32, b64, Or) LDS_INT(xor, b32, b64, Xor)
                                      LDS_INT(cmpst, b32, b64, CmpSwap) LDS_INT(min, f32, f64, FMin)
                                          LDS_INT(max, f32, f64, FMax) LDS_INT(add, f32, f64, FAdd)
                                              LDS_ATOMIC(pk_add, f16, PkAddF16, uint32_t)
                                                  LDS_ATOMIC(pk_add, bf16, PkAddBf16, uint32_t){
                                                      Sem::ds_wrxchg_rtn_b32,
                                                      ldsAtomic<Swap, uint32_t>, l},
      {Sem::ds_wrxchg_rtn_b64, ldsAtomic<Swap, uint64_t>, l},
  };
  return table;
}
} // namespace tegula::sim
