// Which loads of a stretch of code decide where its branches go: through registers, masks, scratch
// and LDS, and by what other branches skip.
#pragma once

#include "Sim/Decode/Decoder.h"
#include <map>
#include <vector>

namespace tegula::sim {

/// Registers of all kinds, SCC, and memory that code may keep values in.
struct FlowPlaces {
  static constexpr unsigned kVectors = 128, kScc = kVectors + 512, kLds = kScc + 1,
                            kMemory = kLds + 1, kSlots = kMemory + 1, kMost = 704;
  static constexpr unsigned kVcc = 106, kExec = 126;
};

class OrderingFlow {
public:
  /// Instructions that follow one another in .text; branches out of them leave. `budget`: of
  /// instructions to look at, counted down.
  OrderingFlow(const std::vector<Instruction> &body, size_t &budget);

  /// The loads and returning atomics that decide whether the branch at `index` is taken, as bits by
  /// bitOf().
  uint64_t deciding(size_t index) const { return decides_[index]; }
  /// 0 if the instruction at `index` is none of them. Those behind the 63rd share a bit.
  uint64_t bitOf(size_t index) const { return bits_[index]; }

private:
  using State = std::vector<uint64_t>; ///< by place
  struct Block {
    size_t first, end;
    State in;
  };
  void makeBlocks();
  bool run(Block &);
  void follow(State &, size_t index);
  void saveExec(State &, const Instruction &) const;
  uint64_t read(const State &, const Instruction &) const;
  uint64_t fromMemory(const State &, const Instruction &, size_t index);
  void toMemory(State &, const Instruction &, uint64_t data);
  unsigned slotOf(const Instruction &, unsigned dword);
  bool skips(size_t index, uint64_t bits);
  size_t targetOf(size_t index) const; ///< body_.size() if it leaves
  bool join(size_t block, const State &);

  const std::vector<Instruction> &body_;
  std::vector<uint64_t> bits_, decides_;
  uint64_t fromLds_ = 0;          ///< bits of loads from LDS alone
  std::vector<uint64_t> skipped_; ///< by instruction: loads that decide whether it runs
  std::vector<Block> blocks_;
  std::vector<size_t> blockAt_; ///< by instruction that begins one, else ~0
  std::map<std::pair<int, int>, unsigned> slots_;
};

bool isConditional(const Instruction &);
/// A load, or an atomic that returns what was there.
bool bringsMemory(const Instruction &);

} // namespace tegula::sim
