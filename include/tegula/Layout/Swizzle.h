// LDS bank conflicts and the XOR swizzles that remove them.
//
// A buffer in LDS is rows of `pitch` bytes, cut into chunks of 16 bytes. A swizzle stores chunk c
// of row r at place c ⊕ f(r), with f linear: mask xor[j] is XORed when bit j of the row is set.
// Chunks are counted through the rows, so a mask can also flip bits of the row. Where a row is
// shorter than all banks, that moves rows that are needed at a time to different banks: two bits of
// the row number change places.
//
// One access is served in phases (LdsPhases); lanes of one phase whose different dwords fall into
// one bank wait for each other. Lane bits that keep the phase span a subspace P. With A the linear
// part of lane → byte address and β the bank bits of an address, the factor is 2^(rank A|P − rank
// βA|P). Equal addresses broadcast, and drop out of the ranks by themselves.
#ifndef TEGULA_LAYOUT_SWIZZLE_H
#define TEGULA_LAYOUT_SWIZZLE_H

#include "tegula/Layout/LinearLayout.h"
#include "tegula/Target/Target.h"

#include <array>

namespace tegula {

using XorMasks = std::vector<int32_t>;

/// One kind of access to an LDS buffer: where each lane bit moves it, before swizzling.
struct LdsAccess {
  LdsOp op;
  std::array<uint32_t, 6>
      laneBytes; ///< byte offset that a lane bit contributes: row·pitch + byte in the row
  uint32_t registerRows =
      0; ///< row bits that come from register bits: each used by f costs an offset register
  int weight = 1; ///< how often, relative to the other accesses
};

/// The access pattern of a register layout on a buffer. `order` lists dimensions from fastest;
/// vector register bits of the access itself are left out. Nothing when the layout does not map
/// linearly (repeats apart).
std::optional<LdsAccess> ldsAccess(const Layout &layout, const std::vector<unsigned> &order,
                                   int64_t pitchBytes, unsigned elementBits, LdsOp op,
                                   int weight = 1);

/// Where byte `offset` of the buffer is stored.
uint32_t swizzled(uint32_t offset, uint32_t pitchBytes, const XorMasks &xorMasks);

/// Slow-down of the access by bank conflicts: 1, 2, 4 …
int conflictFactor(const LdsAccess &access, uint32_t pitchBytes, const XorMasks &xorMasks,
                   const Target &target);

struct SwizzleResult {
  XorMasks masks;           ///< empty when none is needed
  std::vector<int> factors; ///< of each access, with the masks
  int offsetRegisters;      ///< row bits of f that cost an offset register each
};
/// The best masks for `rows` rows (rounded up to a power of two) of a power-of-two pitch: fewest
/// clocks lost to conflicts, then offset registers, then the family (row >> s) mod chunks with the
/// least s, then fewest non-zero masks, then lexicographic. Row bits change places only where masks
/// inside the rows leave conflicts.
SwizzleResult solveSwizzle(int64_t rows, uint32_t pitchBytes,
                           const std::vector<LdsAccess> &accesses, const Target &target);

} // namespace tegula

#endif // TEGULA_LAYOUT_SWIZZLE_H
