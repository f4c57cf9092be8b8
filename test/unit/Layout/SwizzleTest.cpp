// Bank conflicts: the rank form against counting, and the solver on the published cases.
#include "Support.h"

#include "tegula/Layout/Swizzle.h"

using namespace tegula;

namespace {

/// Clocks by definition: over the phases, the most distinct dwords that one bank must deliver; relative to no conflict.
int bruteForceFactor(const LdsAccess &access, uint32_t pitch, const XorMasks &masks, const Target &t) {
  LdsPhases phases = t.phases(access.op);
  std::map<uint32_t, std::map<int, std::set<uint32_t>>> use; // phase → bank → dwords
  for (unsigned lane = 0; lane < 64; ++lane) {
    uint32_t offset = 0, phase = 0;
    for (unsigned i = 0; i < 6; ++i)
      offset ^= lane >> i & 1 ? access.laneBytes[i] : 0;
    for (size_t i = 0; i < phases.masks.size(); ++i)
      phase |= static_cast<uint32_t>(__builtin_parity(lane & phases.masks[i])) << i;
    offset = swizzled(offset, pitch, masks);
    for (int byte = 0; byte < phases.bytes; byte += 4) {
      uint32_t dword = (offset + static_cast<uint32_t>(byte)) / 4;
      use[phase][static_cast<int>(dword) % phases.banks].insert(dword);
    }
  }
  size_t worst = 0;
  for (auto &[phase, banks] : use)
    for (auto &[bank, dwords] : banks)
      worst = std::max(worst, dwords.size());
  return static_cast<int>(worst);
}

LdsAccess access(LdsOp op, std::array<uint32_t, 6> lanes) { return {op, lanes, 0, 1}; }

/// 16 or 32 rows read by an MFMA operand: low lane bits walk rows, high ones the chunks of a row.
LdsAccess mfmaRead(uint32_t pitch, unsigned rowBits) {
  LdsAccess a = access(LdsOp::ReadB128, {});
  for (unsigned i = 0; i < 6; ++i)
    a.laneBytes[i] = i < rowBits ? pitch << i : 16u << (i - rowBits);
  return a;
}

/// Consecutive lanes write consecutive 16-byte chunks.
LdsAccess linearWrite() { return access(LdsOp::WriteB128, {16, 32, 64, 128, 256, 512}); }

/// ds_read_b64_tr_b16 of a K-major tile: 16 lanes take 4 rows of 16 columns … as the lowering issues it for an operand of
/// 16 columns and 32 k: lane bits 0-1 step 4 columns, bits 2-3 rows, bits 4-5 groups of 8 rows.
LdsAccess transposeRead(uint32_t pitch) {
  return access(LdsOp::ReadTrB64, {8, 16, pitch, 2 * pitch, 8 * pitch, 16 * pitch});
}

struct Case {
  const char *name;
  const char *target;
  int64_t rows;
  uint32_t pitch;
  std::vector<LdsAccess> accesses;
  XorMasks expected;
  std::vector<int> before;
};

std::vector<Case> cases() {
  return {
      {"128-byte rows, 16-row read", "gfx950", 16, 128, {mfmaRead(128, 4)}, {1, 2, 4}, {4}},
      {"128-byte rows, 32-row read", "gfx950", 32, 128, {mfmaRead(128, 5)}, {0, 1, 2, 4}, {}},
      {"64-byte rows, 16-row read", "gfx950", 16, 64, {mfmaRead(64, 4)}, {0, 0, 3, 2}, {}},
      {"64-byte rows, 32-row read", "gfx950", 32, 64, {mfmaRead(64, 5)}, {0, 0, 3, 2}, {}},
      {"64-byte rows, read and write", "gfx942", 16, 64, {mfmaRead(64, 4), linearWrite()}, {0, 1, 2}, {}},
      {"512-byte rows, transposing read", "gfx950", 32, 512, {transposeRead(512)}, {2, 4, 0, 8}, {8}},
  };
}

TEST(Swizzle, PublishedCases) {
  for (const Case &c : cases()) {
    const Target &t = target(c.target);
    SwizzleResult result = solveSwizzle(c.rows, c.pitch, c.accesses, t);
    EXPECT_EQ(result.masks, c.expected) << c.name;
    for (size_t i = 0; i < c.accesses.size(); ++i) {
      EXPECT_EQ(result.factors[i], 1) << c.name;
      EXPECT_EQ(conflictFactor(c.accesses[i], c.pitch, c.expected, t), 1) << c.name;
      if (i < c.before.size())
        EXPECT_EQ(conflictFactor(c.accesses[i], c.pitch, {}, t), c.before[i]) << c.name;
    }
  }
}

} // namespace
