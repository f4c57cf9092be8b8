// State of a wave and of its workgroup.
#pragma once

#include "Sim/State/Config.h"
#include "Sim/State/Op.h"
#include "Sim/State/Program.h"
#include <cstddef>
#include <cstring>
#include <vector>

namespace tegula::sim {

struct Workgroup;
struct ThreadContext;
struct Watch;
struct LdsShadow;
struct PoisonTable;
class WorkgroupRaces;

enum class Stop : uint8_t { Running, Barrier, Ended, Sleeping, Budget, Stepping, Fault };

/// Which control word a handler's arithmetic runs under.
enum class FloatMode : uint8_t {
  F32,
  F16F64,
  Fixed,      ///< nearest even, denormals kept
  F32Sources, ///< nearest even; denormal sources as F32, results kept: for what narrows an f32
              ///< itself
  F64ToF32    ///< sources as F16F64, rounding and results as F32
};
constexpr unsigned kFloatModes = 5;

struct alignas(64) Wave {
  std::byte *rows = nullptr; ///< [VGPRs][temporaries][constants of the program], 64-byte aligned
  alignas(8) uint32_t s[kScalarSlots];
  uint32_t scc = 0;
  uint32_t mode = 0; ///< MODE as s_getreg reads it
  uint32_t mxcsr[kFloatModes] = {0x1f80, 0x1f80, 0x1f80, 0x1f80,
                                 0x1f80}; ///< by FloatMode; [F32] is loaded while the wave runs
  const Op *pc = nullptr, *blockStart = nullptr;
  int64_t budget = 0;
  Stop stop = Stop::Running;
  const Program *program = nullptr;
  Workgroup *wg = nullptr;
  ThreadContext *tc = nullptr;
  std::byte *scratch = nullptr; ///< [lane][scratchBytes]
  uint32_t scratchBytes = 0;
  uint32_t id = 0;
  uint64_t barriers = 0;
  Counts counts{};

  // Sanitized runs only.
  bool sanitized = false;
  Watch *watch = nullptr;
  bool shadowing = false; ///< the op runs a second time, on shadows: nothing is reported

  uint64_t get64(unsigned index) const {
    uint64_t v;
    std::memcpy(&v, &s[index], 8);
    return v;
  }
  void set64(unsigned index, uint64_t v) { std::memcpy(&s[index], &v, 8); }
  uint64_t exec() const { return get64(kExec); }
  void setExec(uint64_t v) { set64(kExec, v); }
  uint32_t *row(uint32_t offset) const { return reinterpret_cast<uint32_t *>(rows + offset); }
  bool dx10Clamp() const { return mode >> 8 & 1; }
  bool ieee() const { return mode >> 9 & 1; }
  bool fp16Ovfl() const { return mode >> 23 & 1; }
};

struct Workgroup {
  Dims id{0, 0, 0};
  uint64_t index = 0;
  std::byte *lds = nullptr;
  uint32_t ldsBytes = 0; ///< requested; the allocation is rounded up to the granule
  uint32_t barriers = 0; ///< passed
  /// Sanitized runs: accesses are stamped; those below `epoch` came before the last barrier.
  uint32_t stamp = 1, epoch = 1;
  LdsShadow *shadow = nullptr;
  PoisonTable *poison = nullptr;   ///< where undefined data is looked for
  WorkgroupRaces *races = nullptr; ///< in global memory
  std::vector<Wave *> waves;
};

/// MXCSR from a MODE rounding field (2 bits) and denormal field (2 bits: keep inputs, keep
/// outputs).
constexpr uint32_t mxcsrOf(unsigned round, unsigned denorm) {
  constexpr uint32_t rc[4] = {0, 2, 1, 3}; // RNE, +∞, −∞, zero → x86's nearest, up, down, zero
  return 0x1f80u | rc[round & 3] << 13 | (denorm & 1 ? 0 : 0x40u) | (denorm & 2 ? 0 : 0x8000u);
}
/// Recomputes the control words after MODE changed.
inline void updateFloatModes(Wave &w) {
  w.mxcsr[0] = mxcsrOf(w.mode & 3, w.mode >> 4 & 3);
  w.mxcsr[1] = mxcsrOf(w.mode >> 2 & 3, w.mode >> 6 & 3);
  w.mxcsr[3] = mxcsrOf(0, (w.mode >> 4 & 1) | 2);
  w.mxcsr[4] = mxcsrOf(w.mode & 3, (w.mode >> 6 & 1) | (w.mode >> 4 & 2));
}

} // namespace tegula::sim
