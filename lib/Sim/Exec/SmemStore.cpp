// Scalar stores and scalar atomics. Op as of a scalar load: d = first data register.
#include "Sim/Exec/AtomicOps.h"
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/ScalarAddress.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include "Sim/Sanitize/Waits.h"
#include <cstdio>

namespace tegula::sim {
namespace {
void reportOutside(Wave &w, const Op &o, const char *what, uint64_t address, unsigned bytes) {
  reportAccess(w, o, std::string("a scalar ") + what + " of " + std::to_string(bytes) + " bytes", 0,
               address, bytes);
}
/// Counts in lgkmcnt; a returning atomic also owns its registers.
void pend(Wave &w, const Op &o, unsigned returned) {
  if (!w.sanitized)
    return;
  PendingOp &p = beginLgkm(w, o, PendingKind::Smem);
  if (returned)
    ownScalars(w, p, o.d, returned);
}

/// Dwords outside a buffer, or outside every allocation, are dropped.
const Op *storeRange(Wave &w, const Op &o, ScalarRange range) {
  for (unsigned i = 0; i < range.dwords; ++i) {
    uint64_t at = range.address + 4 * i;
    if (!accessible(*w.tc, o.slot, at, at + 4, kWrite)) {
      reportOutside(w, o, "write", at, 4);
      break;
    }
    if (w.sanitized && w.wg->races)
      w.wg->races->scalar(w, o, at, 4, Touch::Write, &w.s[o.d + i]);
    std::memcpy(reinterpret_cast<void *>(at), &w.s[o.d + i], 4);
  }
  pend(w, o, 0);
  return &o + 1;
}
const Op *store(Wave &w, const Op &o) { return storeRange(w, o, scalarRange(w, o)); }
const Op *bufferStore(Wave &w, const Op &o) { return storeRange(w, o, scalarBufferRange(w, o)); }

template <class T> T scalarValue(const Wave &w, unsigned index) {
  return sizeof(T) == 8 ? T(w.get64(index)) : T(w.s[index]);
}
/// Data, then for cmpswap the compare value; a buffer's range holds all or nothing of it.
template <class O, class T, bool Buffer> const Op *atomic(Wave &w, const Op &o) {
  constexpr unsigned dwords = sizeof(T) / 4;
  constexpr bool compares = std::is_same<O, AtomicCmpSwap>::value;
  ScalarRange range = Buffer ? scalarBufferRange(w, o) : scalarRange(w, o);
  uint64_t at = range.address;
  T old = 0;
  if (range.dwords >= dwords) {
    if (at % sizeof(T)) {
      reportMisaligned(w, o, 0, at, sizeof(T));
    } else if (!accessible(*w.tc, o.slot, at, at + sizeof(T), kRead | kWrite)) {
      reportOutside(w, o, "atomic", at, sizeof(T));
    } else {
      if (w.sanitized && w.wg->races)
        w.wg->races->scalar(w, o, at, sizeof(T), Touch::SyncWrite);
      T second = compares ? scalarValue<T>(w, o.d + dwords) : T(0);
      old = atomicUpdate<O, T>({}, reinterpret_cast<void *>(at), scalarValue<T>(w, o.d), second,
                               w.tc->atomicMemory);
    }
  }
  bool returns = o.aux & kSmemReturn;
  if (returns) {
    if constexpr (sizeof(T) == 8)
      w.set64(o.d, old);
    else
      w.s[o.d] = old;
  }
  pend(w, o, returns ? dwords : 0);
  return &o + 1;
}
const Op *nothing(Wave &, const Op &o) { return &o + 1; }
} // namespace

#define ATOMIC(NAME, OP, ROWS)                                                                     \
  {Sem::s_atomic_##NAME, atomic<OP, uint32_t, false>, s, n, ROWS},                                 \
      {Sem::s_buffer_atomic_##NAME, atomic<OP, uint32_t, true>, s, n, ROWS},                       \
      {Sem::s_atomic_##NAME##_x2, atomic<OP, uint64_t, false>, s, n, 2 * ROWS},                    \
      {Sem::s_buffer_atomic_##NAME##_x2, atomic<OP, uint64_t, true>, s, n, 2 * ROWS},

const HandlerTable &tableSmemStore() {
  const Shape s = Shape::Smem;
  const Elem n = Elem::None;
  // clang-format off
  static const HandlerTable table = {
      {Sem::s_store_dword, store, s, n, 1},
      {Sem::s_store_dwordx2, store, s, n, 2},
      {Sem::s_store_dwordx4, store, s, n, 4},
      {Sem::s_buffer_store_dword, bufferStore, s, n, 1},
      {Sem::s_buffer_store_dwordx2, bufferStore, s, n, 2},
      {Sem::s_buffer_store_dwordx4, bufferStore, s, n, 4},
      ATOMIC(swap, AtomicSwap, 1)
      ATOMIC(cmpswap, AtomicCmpSwap, 2)
      ATOMIC(add, AtomicAdd, 1)
      ATOMIC(sub, AtomicSub, 1)
      ATOMIC(smin, AtomicSMin, 1)
      ATOMIC(umin, AtomicUMin, 1)
      ATOMIC(smax, AtomicSMax, 1)
      ATOMIC(umax, AtomicUMax, 1)
      ATOMIC(and, AtomicAnd, 1)
      ATOMIC(or, AtomicOr, 1)
      ATOMIC(xor, AtomicXor, 1)
      ATOMIC(inc, AtomicInc, 1)
      ATOMIC(dec, AtomicDec, 1)
      {Sem::s_dcache_discard, nothing, s},
      {Sem::s_dcache_discard_x2, nothing, s},
      {Sem::s_atc_probe, nothing, s},
      {Sem::s_atc_probe_buffer, nothing, s},
  };
  // clang-format on
  return table;
}
} // namespace tegula::sim
