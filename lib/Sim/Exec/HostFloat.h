// The host's floating-point control word, which is the wave's f32 mode while it runs.
#pragma once

#include <cstdint>
#include <xmmintrin.h>

namespace tegula::sim {

/// The control word that host code expects: to nearest, denormals kept, no traps.
constexpr uint32_t kDefaultFloatMode = 0x1f80;

/// Loads MXCSR. The barriers keep the compiler from moving arithmetic across it.
inline void setHostFloatMode(uint32_t mxcsr) {
  asm volatile("" ::: "memory");
  _mm_setcsr(mxcsr);
  asm volatile("" ::: "memory");
}
inline uint32_t hostFloatMode() { return _mm_getcsr(); }

} // namespace tegula::sim
