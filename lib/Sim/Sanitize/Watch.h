// What a wave of a sanitized run carries beside its registers.
#pragma once

#include "Sim/Sanitize/Hazards.h"
#include "Sim/Sanitize/Knowledge.h"
#include "Sim/Sanitize/Poison.h"
#include "Sim/Sanitize/Waits.h"
#include <string>

namespace tegula::sim {

/// Bits of a register's status byte; all clear is the usual case and the only one on the fast path.
enum Status : uint8_t {
  kPending = 1 << 0,   ///< an outstanding load owns the register
  kPoisoned = 1 << 1,  ///< some bit is undefined: the shadow tells which
  kUndefined = 1 << 2, ///< never written: the shadow does not exist yet
};

struct Watch {
  alignas(64) uint8_t status[kNumRegs + 8] = {};
  WaitState waits;
  Trail trail;
  Poison poison;
  Knowledge::Pointer known;       ///< of other waves
  Knowledge::Pointer scalarKnown; ///< when the scalar cache was last invalidated
  uint32_t scalarFrom = 0;        ///< then: stamps up to it may be in the cache
  /// The scalar load of a loop that waits which the wave did last, and what it found: until the
  /// cache is invalidated it finds the same again.
  struct {
    const Op *op = nullptr;
    uint64_t address = 0, value = 0;
  } polled;
  const Extra *moved = nullptr; ///< of the op under way, if its registers are indexed
  Knowledge::Pointer hearing;   ///< what the access under way brings, once it is waited for
};

/// At the start of a wave; the launch provides the scalars below `scalars`.
void startWatch(Wave &, unsigned scalars);

/// True if the op needs a look before it runs.
inline bool anyStatus(const Watch &watch, const OpCheck &c) {
  auto four = [&](unsigned i) {
    uint32_t v;
    std::memcpy(&v, watch.status + c.at[i], 4);
    return v & c.mask[i];
  };
  return (four(0) | four(1) | four(2) | four(3) | c.flags) != 0;
}

/// "v5", "a0", "s12", "vcc"… of a register in the numbering of Uses.
std::string registerName(const Wave &, unsigned reg);

/// The slow path: reports what the op must not do yet. `status`: anyStatus(); else the op only
/// follows a branch closely.
void beforeOp(Wave &, const Op &, bool status);
/// Before an op whose registers are others than the program says: `moved` and `uses` have them.
/// What depends on its age is not looked at.
void watchMoved(Wave &, const Op &moved, const Uses &uses, const Extra *);
/// Before each op of a sanitized run.
inline void watchOp(Wave &w, const Op &o, const OpCheck &check) {
  bool status = anyStatus(*w.watch, check);
  if (status || size_t(&o - w.blockStart) < w.watch->trail.reach) [[unlikely]]
    beforeOp(w, o, status);
}

} // namespace tegula::sim
