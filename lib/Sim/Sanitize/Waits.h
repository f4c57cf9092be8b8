// Which results the program may rely on. Effects happen at issue; what is modelled is when an
// s_waitcnt has proved them. Two rings, vmcnt and lgkmcnt, hold the outstanding operations in issue
// order (simulated waits, ISA "Wait counters").
#pragma once

#include "Sim/Sanitize/Knowledge.h"
#include "Sim/State/Wave.h"
#include <vector>

namespace tegula::sim {

enum class PendingKind : uint8_t { Load, Store, Dma, LdsRead, LdsWrite, LdsOther, Smem, Other };

struct PendingOp {
  const Op *op = nullptr;
  PendingKind kind = PendingKind::Other;
  uint32_t pair = 0;          ///< FLAT: number that it shares with its entry of the other ring
  uint16_t reg = 0, regs = 0; ///< destination, in the numbering of Uses
  uint32_t stamp = 0;         ///< Workgroup::stamp when it was issued
  Knowledge::Pointer heard;   ///< of a read that synchronises
  // LDS bytes, for re-stamping at barriers and for DMA landing.
  // Of a late load: what its registers get when it has been waited for.
  std::vector<uint32_t> late;
  uint16_t lateReg = 0;
  uint64_t lateLanes = 0;
  uint64_t lanes = 0;
  uint16_t bytes = 0; ///< per lane and part
  uint8_t parts = 0;  ///< read2/write2 have two
  uint32_t part1 = 0; ///< distance of the second part; cache control: Workgroup::epoch
  uint32_t address[kLanes];
};

class WaitRing {
public:
  static constexpr unsigned kCapacity = 64;
  unsigned outstanding() const { return issued_ - head_; }
  const PendingOp &at(unsigned i) const { return entries_[(head_ + i) % kCapacity]; }
  bool full() const { return outstanding() == kCapacity; }
  PendingOp &push() { return entries_[issued_++ % kCapacity]; }
  PendingOp &oldest() { return entries_[head_ % kCapacity]; }
  void pop() { ++head_; }
  PendingOp &at(unsigned i) { return entries_[(head_ + i) % kCapacity]; } ///< 0 = oldest
  void clear() {
    for (; outstanding(); pop())
      oldest().heard = nullptr;
  }

private:
  PendingOp entries_[kCapacity];
  unsigned head_ = 0, issued_ = 0;
};

struct WaitState {
  WaitRing vm, lgkm;
  uint32_t pairs = 0;     ///< numbers given out
  uint32_t completed = 0; ///< latest stamp of a vector memory operation that was waited for
  uint8_t vmOwners[kNumRegs] = {}, lgkmOwners[kNumRegs] = {}; ///< outstanding loads of a register
  void clear();
};

/// Starts an entry; the caller fills it in.
PendingOp &beginVm(Wave &, const Op &, PendingKind);
PendingOp &beginLgkm(Wave &, const Op &, PendingKind);
/// A FLAT access (Load, Store, or LdsOther for an atomic) is in both counters: both waits are
/// needed before its result is in `rows`. Returns the entry of lgkmcnt: what it is if it leads to
/// LDS.
PendingOp &beginFlat(Wave &, const Op &, PendingKind, uint32_t rowOffset, unsigned rows);
void ownRows(Wave &, PendingOp &, bool vm, uint32_t rowOffset, unsigned rows);
void ownScalars(Wave &, PendingOp &, unsigned first, unsigned count);

/// s_waitcnt: 64 and 16 (all-ones fields) mean "do not wait".
void waitVm(Wave &, unsigned n);
void waitLgkm(Wave &, unsigned n);

/// Up to which stamp the wave's accesses to memory are complete.
uint32_t completedStamp(Wave &);
/// The same, but loads count as complete.
uint32_t storedStamp(const Wave &);

/// Reports registers of `op` that an outstanding load still owns.
void checkPendingUses(Wave &, const Op &, const Uses &);
/// A wave arrives at a barrier: its outstanding LDS operations are ordered after it (design:
/// "barriers without waits").
void restampAtBarrier(Wave &);

} // namespace tegula::sim
