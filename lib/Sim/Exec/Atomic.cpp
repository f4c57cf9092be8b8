// Atomics on global memory and LDS, lane by lane in ascending order.
#include "Sim/Exec/AtomicOps.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/LdsAccess.h"
#include "Sim/Exec/VmemAddress.h"
#include "Sim/Sanitize/LdsShadow.h"

namespace tegula::sim {

float halfToFloat(uint32_t h) {
  uint32_t mag = h & 0x7fff;
  float v = mag >= 0x7c00  ? (mag > 0x7c00 ? NAN : INFINITY)
            : mag >= 0x400 ? std::ldexp(float((mag & 0x3ff) | 0x400), int(mag >> 10) - 25)
                           : std::ldexp(float(mag), -24);
  return h & 0x8000 ? -v : v;
}
uint32_t floatToHalf(float f) {
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
uint32_t floatToBf16(float f) {
  uint32_t x = bitCast<uint32_t>(f);
  return (x & 0x7fffffff) > 0x7f800000 ? (x >> 16 | 0x40) : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

namespace {
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
/// d = destination (returning forms), c or d = data rows: data, then for cmpswap the compare value.
template <Space S, class O, class T> const Op *atomic(Wave &w, const Op &o) {
  constexpr unsigned rows = sizeof(T) / 4;
  VmemLanes v;
  vmemAddresses(w, o, S, sizeof(T), true, v);
  vmemCheck(w, o, S, sizeof(T), kRead | kWrite, v);
  const uint32_t *data = w.row(S == Space::Buffer ? o.d : o.c), *compare = data + 64 * rows;
  bool returns = o.aux & kVmemReturn;
  uint32_t *d = returns ? w.row(o.d) : nullptr;
  const O op = atomicOp<O>(w, AtomicUnit::Memory);
  {
    AtomicFloatMode mode(w, O::kind, sizeof(T), AtomicUnit::Memory);
    for (uint64_t m = v.exec; m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      T old = 0;
      if (v.active >> l & 1) {
        T c = std::is_same<O, AtomicCmpSwap>::value ? laneValue<T>(compare, l) : T(0);
        old = atomicUpdate<O, T>(op, reinterpret_cast<void *>(v.address[l]), laneValue<T>(data, l),
                                 c, w.tc->atomicMemory);
      }
      if (returns)
        putLane<T>(d, l, old);
    }
  }
  if (w.sanitized && S == Space::Flat)
    recordFlat(w, o, PendingKind::LdsOther, returns ? rows : 0, v, sizeof(T));
  else if (w.sanitized)
    recordVmem(w, o, !returns, returns ? rows : 0);
  return &o + 1;
}

// --- LDS
/// Active lanes inside LDS and naturally aligned; the others are reported.
uint64_t ldsAtomicLanes(Wave &w, const Op &o, const uint32_t *address, unsigned bytes) {
  uint64_t good = ldsInBounds(w, o, address, w.exec(), bytes), misaligned = 0;
  for (uint64_t m = good; m; m &= m - 1)
    if (address[__builtin_ctzll(m)] % bytes)
      misaligned |= m & -m;
  if (misaligned)
    report(w, o, FindingKind::Misaligned, Severity::Error, misaligned,
           address[__builtin_ctzll(misaligned)],
           "an LDS atomic of " + std::to_string(bytes) + " bytes at LDS offset " +
               std::to_string(address[__builtin_ctzll(misaligned)]) + " of " +
               std::to_string(w.wg->ldsBytes) + " must be naturally aligned");
  return good & ~misaligned;
}
void recordLdsAtomic(Wave &w, const Op &o, const LdsAddresses &at, uint64_t lanes, unsigned bytes,
                     unsigned rows) {
  if (!w.sanitized)
    return;
  if (w.wg->shadow)
    shadowAtomic(w, o, at.lane, lanes, bytes, rows != 0);
  PendingOp &p = beginLgkm(w, o, PendingKind::LdsOther);
  if (rows)
    ownRows(w, p, false, o.d, rows);
}

/// d = destination or kNoOperand, b = data row, c = second data row or kNoOperand.
template <class O, class T> const Op *ldsAtomic(Wave &w, const Op &o) {
  LdsAddresses at;
  const uint32_t *a = w.row(o.a);
  for (unsigned l = 0; l < kLanes; ++l)
    at.lane[l] = a[l] + o.x;
  uint64_t good = ldsAtomicLanes(w, o, at.lane, sizeof(T));
  const uint32_t *data = w.row(o.b), *second = w.row(o.c == kNoOperand ? o.b : o.c);
  uint32_t *d = o.d == kNoOperand ? nullptr : w.row(o.d);
  const O op = atomicOp<O>(w, AtomicUnit::Lds);
  {
    AtomicFloatMode mode(w, O::kind, sizeof(T), AtomicUnit::Lds);
    for (uint64_t m = w.exec(); m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      T old = 0;
      if (good >> l & 1)
        old = atomicUpdate<O, T>(op, w.wg->lds + at.lane[l], laneValue<T>(data, l),
                                 laneValue<T>(second, l), false);
      if (d)
        putLane<T>(d, l, old);
    }
  }
  recordLdsAtomic(w, o, at, good, sizeof(T), d ? sizeof(T) / 4 : 0);
  return &o + 1;
}
/// Two exchanges: x = offset0 | offset1 << 8 in units of aux bytes; the old values fill d.
template <class T> const Op *ldsExchange2(Wave &w, const Op &o) {
  constexpr unsigned rows = sizeof(T) / 4;
  const uint32_t *a = w.row(o.a), *data[2] = {w.row(o.b), w.row(o.c)};
  alignas(64) uint32_t result[4 * kLanes];
  std::memcpy(result, w.row(o.d), 2 * rows * kRowBytes);
  for (unsigned part = 0; part < 2; ++part) {
    LdsAddresses at;
    for (unsigned l = 0; l < kLanes; ++l)
      at.lane[l] = a[l] + (o.x >> (8 * part) & 0xff) * o.aux;
    uint64_t good = ldsAtomicLanes(w, o, at.lane, sizeof(T));
    for (uint64_t m = w.exec(); m; m &= m - 1) {
      unsigned l = unsigned(__builtin_ctzll(m));
      T old = 0;
      if (good >> l & 1)
        old = atomicUpdate<AtomicSwap, T>({}, w.wg->lds + at.lane[l], laneValue<T>(data[part], l),
                                          0, false);
      putLane<T>(result + part * rows * kLanes, l, old);
    }
    if (w.sanitized && w.wg->shadow)
      shadowAtomic(w, o, at.lane, good, sizeof(T), true);
  }
  std::memcpy(w.row(o.d), result, 2 * rows * kRowBytes);
  if (w.sanitized)
    ownRows(w, beginLgkm(w, o, PendingKind::LdsOther), false, o.d, 2 * rows);
  return &o + 1;
}
/// One counter for the wave: the number of active lanes is added or taken away, and every active
/// lane gets the value before.
template <bool Append> const Op *ldsCounter(Wave &w, const Op &o) {
  LdsAddresses at;
  for (unsigned l = 0; l < kLanes; ++l)
    at.lane[l] = (w.s[kM0] & 0xffff) + o.x;
  uint64_t exec = w.exec(), good = ldsAtomicLanes(w, o, at.lane, 4);
  uint32_t old = 0, lanes = uint32_t(__builtin_popcountll(exec));
  if (good)
    old = atomicUpdate<AtomicAdd, uint32_t>({}, w.wg->lds + at.lane[0], Append ? lanes : 0 - lanes,
                                            0, false);
  for (uint64_t m = exec; m; m &= m - 1)
    w.row(o.d)[__builtin_ctzll(m)] = old;
  recordLdsAtomic(w, o, at, good, 4, 1);
  return &o + 1;
}
} // namespace

#define GLOBAL(NAME, OP, T)                                                                        \
  {Sem::buffer_atomic_##NAME, atomic<Space::Buffer, OP, T>, v},                                    \
      {Sem::global_atomic_##NAME, atomic<Space::Global, OP, T>, v},                                \
      {Sem::flat_atomic_##NAME, atomic<Space::Flat, OP, T>, v},
#define GLOBAL_INT(NAME, OP) GLOBAL(NAME, OP, uint32_t) GLOBAL(NAME##_x2, OP, uint64_t)
#define LDS(NAME, SUFFIX, OP, T)                                                                   \
  {Sem::ds_##NAME##_##SUFFIX, ldsAtomic<OP, T>, l},                                                \
      {Sem::ds_##NAME##_rtn_##SUFFIX, ldsAtomic<OP, T>, l},
#define LDS_BOTH(NAME, S32, S64, OP) LDS(NAME, S32, OP, uint32_t) LDS(NAME, S64, OP, uint64_t)

const HandlerTable &tableAtomic() {
  const Shape v = Shape::Vmem;
  // clang-format off
  static const HandlerTable table = {
      GLOBAL_INT(swap, AtomicSwap)
      GLOBAL_INT(cmpswap, AtomicCmpSwap)
      GLOBAL_INT(add, AtomicAdd)
      GLOBAL_INT(sub, AtomicSub)
      GLOBAL_INT(smin, AtomicSMin)
      GLOBAL_INT(umin, AtomicUMin)
      GLOBAL_INT(smax, AtomicSMax)
      GLOBAL_INT(umax, AtomicUMax)
      GLOBAL_INT(and, AtomicAnd)
      GLOBAL_INT(or, AtomicOr)
      GLOBAL_INT(xor, AtomicXor)
      GLOBAL_INT(inc, AtomicInc)
      GLOBAL_INT(dec, AtomicDec)
      GLOBAL(add_f32, AtomicFAdd, uint32_t)
      GLOBAL(pk_add_f16, AtomicPkAdd<false>, uint32_t)
      GLOBAL(pk_add_bf16, AtomicPkAdd<true>, uint32_t)
      GLOBAL(add_f64, AtomicFAdd, uint64_t)
      GLOBAL(min_f64, AtomicFMin, uint64_t)
      GLOBAL(max_f64, AtomicFMax, uint64_t)
  };
  // clang-format on
  return table;
}
const HandlerTable &tableLdsAtomic() {
  const Shape l = Shape::Lds;
  const Elem n = Elem::None;
  // clang-format off
  static const HandlerTable table = {
      LDS_BOTH(add, u32, u64, AtomicAdd)
      LDS_BOTH(sub, u32, u64, AtomicSub)
      LDS_BOTH(rsub, u32, u64, AtomicRSub)
      LDS_BOTH(inc, u32, u64, AtomicInc)
      LDS_BOTH(dec, u32, u64, AtomicDec)
      LDS_BOTH(min, i32, i64, AtomicSMin)
      LDS_BOTH(max, i32, i64, AtomicSMax)
      LDS_BOTH(min, u32, u64, AtomicUMin)
      LDS_BOTH(max, u32, u64, AtomicUMax)
      LDS_BOTH(and, b32, b64, AtomicAnd)
      LDS_BOTH(or, b32, b64, AtomicOr)
      LDS_BOTH(xor, b32, b64, AtomicXor)
      LDS_BOTH(mskor, b32, b64, AtomicMskOr)
      LDS_BOTH(cmpst, b32, b64, AtomicCmpStore)
      LDS_BOTH(cmpst, f32, f64, AtomicFCmpStore)
      LDS_BOTH(min, f32, f64, AtomicFMin)
      LDS_BOTH(max, f32, f64, AtomicFMax)
      LDS_BOTH(add, f32, f64, AtomicFAdd)
      LDS(pk_add, f16, AtomicPkAdd<false>, uint32_t)
      LDS(pk_add, bf16, AtomicPkAdd<true>, uint32_t)
      {Sem::ds_wrxchg_rtn_b32, ldsAtomic<AtomicSwap, uint32_t>, l},
      {Sem::ds_wrxchg_rtn_b64, ldsAtomic<AtomicSwap, uint64_t>, l},
      {Sem::ds_wrap_rtn_b32, ldsAtomic<AtomicWrap, uint32_t>, l},
      {Sem::ds_condxchg32_rtn_b64, ldsAtomic<AtomicCondSwap, uint64_t>, l},
      {Sem::ds_wrxchg2_rtn_b32, ldsExchange2<uint32_t>, l, n, 4},
      {Sem::ds_wrxchg2st64_rtn_b32, ldsExchange2<uint32_t>, l, n, 256},
      {Sem::ds_wrxchg2_rtn_b64, ldsExchange2<uint64_t>, l, n, 8},
      {Sem::ds_wrxchg2st64_rtn_b64, ldsExchange2<uint64_t>, l, n, 512},
      {Sem::ds_append, ldsCounter<true>, l},
      {Sem::ds_consume, ldsCounter<false>, l},
  };
  // clang-format on
  return table;
}
} // namespace tegula::sim
