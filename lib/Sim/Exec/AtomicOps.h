// What an atomic stores: f(old, data, second) with the values' bits. `second` is the compare value
// of cmpswap, the data of ds_cmpst, the wrap value, the bits to set.
#pragma once

#include "Sim/Exec/HostFloat.h"
#include "Sim/State/Wave.h"
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tegula::sim {

/// Which arithmetic an operation does; floats round to nearest even whatever MODE says.
enum class AtomicKind : uint8_t { Integer, Float, Halves };

#define TEGULA_ATOMIC(NAME, EXPR)                                                                  \
  struct NAME {                                                                                    \
    static constexpr AtomicKind kind = AtomicKind::Integer;                                        \
    template <class T> T operator()(T old, T data, [[maybe_unused]] T second) const {              \
      return T(EXPR);                                                                              \
    }                                                                                              \
  };
TEGULA_ATOMIC(AtomicSwap, data)
TEGULA_ATOMIC(AtomicCmpSwap, old == second ? data : old)
TEGULA_ATOMIC(AtomicCmpStore, old == data ? second : old) // ds_cmpst has the compare value first
TEGULA_ATOMIC(AtomicAdd, old + data)
TEGULA_ATOMIC(AtomicSub, old - data)
TEGULA_ATOMIC(AtomicRSub, data - old)
TEGULA_ATOMIC(AtomicUMin, data < old ? data : old)
TEGULA_ATOMIC(AtomicUMax, data > old ? data : old)
TEGULA_ATOMIC(AtomicSMin, std::make_signed_t<T>(data) < std::make_signed_t<T>(old) ? data : old)
TEGULA_ATOMIC(AtomicSMax, std::make_signed_t<T>(data) > std::make_signed_t<T>(old) ? data : old)
TEGULA_ATOMIC(AtomicAnd, old &data)
TEGULA_ATOMIC(AtomicOr, old | data)
TEGULA_ATOMIC(AtomicXor, old ^ data)
TEGULA_ATOMIC(AtomicInc, old >= data ? T(0) : T(old + 1))
TEGULA_ATOMIC(AtomicDec, old == 0 || old > data ? data : T(old - 1))
TEGULA_ATOMIC(AtomicMskOr, (old & ~data) | second)
TEGULA_ATOMIC(AtomicWrap, old >= data ? old - data : old + second)
/// Each half is exchanged where bit 31 of its data is set, and stored without that bit.
struct AtomicCondSwap {
  static constexpr AtomicKind kind = AtomicKind::Integer;
  uint64_t operator()(uint64_t old, uint64_t data, uint64_t) const {
    uint64_t r = old;
    for (unsigned shift : {0u, 32u})
      if (data >> (shift + 31) & 1)
        r = (r & ~(0xffffffffull << shift)) | (data & (0x7fffffffull << shift));
    return r;
  }
};

template <class To, class From> To bitCast(From v) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To r;
  std::memcpy(&r, &v, sizeof r);
  return r;
}
template <class F> bool isSignaling(F v) {
  if constexpr (sizeof(F) == 8)
    return v != v && !(bitCast<uint64_t>(v) >> 51 & 1);
  else
    return v != v && !(bitCast<uint32_t>(v) >> 22 & 1);
}
/// Signalling NaNs come back quiet, other NaNs lose to numbers, and −0 < +0.
template <class F, bool Max> F atomicExtreme(F a, F b) {
  if (isSignaling(a) || isSignaling(b))
    return (isSignaling(a) ? a : b) + F(0);
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return std::signbit(a) == Max ? b : a;
  return (a < b) == Max ? b : a;
}
#define TEGULA_ATOMIC_FLOAT(NAME, EXPR)                                                            \
  struct NAME {                                                                                    \
    static constexpr AtomicKind kind = AtomicKind::Float;                                          \
    template <class T> T operator()(T oldBits, T dataBits, T secondBits) const {                   \
      using F = std::conditional_t<sizeof(T) == 8, double, float>;                                 \
      F old = bitCast<F>(oldBits), data = bitCast<F>(dataBits);                                    \
      [[maybe_unused]] F second = bitCast<F>(secondBits);                                          \
      return bitCast<T>(F(EXPR));                                                                  \
    }                                                                                              \
  };
TEGULA_ATOMIC_FLOAT(AtomicFAdd, old + data)
TEGULA_ATOMIC_FLOAT(AtomicFMin, (atomicExtreme<F, false>(old, data)))
TEGULA_ATOMIC_FLOAT(AtomicFMax, (atomicExtreme<F, true>(old, data)))
TEGULA_ATOMIC_FLOAT(AtomicFCmpStore, old == data ? second : old)

float halfToFloat(uint32_t half);
uint32_t floatToHalf(float);
uint32_t floatToBf16(float);
/// Halves are added independently. `keepIn` and `keepOut`: denormals are not flushed.
template <bool Bf16> struct AtomicPkAdd {
  static constexpr AtomicKind kind = AtomicKind::Halves;
  bool keepIn = true, keepOut = true;
  static uint32_t flush(uint32_t h, bool keep) {
    constexpr uint32_t exponent = Bf16 ? 0x7f80 : 0x7c00;
    return keep || h & exponent ? h : h & 0x8000;
  }
  static float load(uint32_t h) { return Bf16 ? bitCast<float>(h << 16) : halfToFloat(h); }
  uint32_t half(uint32_t a, uint32_t b) const {
    float sum = load(flush(a, keepIn)) + load(flush(b, keepIn));
    return flush(Bf16 ? floatToBf16(sum) : floatToHalf(sum), keepOut);
  }
  uint32_t operator()(uint32_t old, uint32_t data, uint32_t) const {
    return half(old & 0xffff, data & 0xffff) | half(old >> 16, data >> 16) << 16;
  }
};

/// Who executes an atomic: LDS follows MODE's denormal bits (but for f64), memory flushes f32 and
/// keeps the others.
enum class AtomicUnit : uint8_t { Memory, Lds };

/// The operation as this wave's MODE has it.
template <class O> O atomicOp(const Wave &w, AtomicUnit unit) {
  O op;
  if constexpr (O::kind == AtomicKind::Halves)
    if (unit == AtomicUnit::Lds)
      op.keepIn = w.mode >> 6 & 1, op.keepOut = w.mode >> 7 & 1;
  (void)w, (void)unit;
  return op;
}
/// The host's control word while an operation on `bytes`-wide floats runs.
class AtomicFloatMode {
public:
  AtomicFloatMode(const Wave &w, AtomicKind kind, unsigned bytes, AtomicUnit unit)
      : restore(w.mxcsr[0]), active(kind != AtomicKind::Integer) {
    if (!active)
      return;
    unsigned denorm = 3;
    if (kind == AtomicKind::Float && bytes == 4)
      denorm = unit == AtomicUnit::Lds ? w.mode >> 4 & 3 : 0;
    setHostFloatMode(mxcsrOf(0, denorm));
  }
  ~AtomicFloatMode() {
    if (active)
      setHostFloatMode(restore);
  }
  AtomicFloatMode(const AtomicFloatMode &) = delete;
  AtomicFloatMode &operator=(const AtomicFloatMode &) = delete;

private:
  uint32_t restore;
  bool active;
};

/// Returns the old value. `shared`: other threads may touch the same memory.
template <class O, class T>
T atomicUpdate(const O &op, void *address, T data, T second, bool shared) {
  T *p = static_cast<T *>(address);
  if (!shared) {
    T old = *p;
    *p = op(old, data, second);
    return old;
  }
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, op(old, data, second), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

} // namespace tegula::sim
