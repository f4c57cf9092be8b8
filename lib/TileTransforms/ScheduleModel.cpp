// The table behind tile-pick-schedule: by tile shape and target, no search. Figures come from the
// recipes that were compiled by hand: 256x256x64 on 8 waves, direct copies where the target has
// 16-byte ones.
#include "ScheduleModel.h"
#include "ScheduleRules.h"
#include "tegula/Target/Target.h"

using namespace mlir;
using namespace tegula::tile;
using tegula::MfmaInst;
using tegula::Target;

// A direct copy narrower than this moves fewer bytes an instruction than a load through registers.
static constexpr int64_t kWorthwhileDma = 16;
// Output elements from which eight waves share a tile instead of four.
static constexpr int64_t kLargeTile = 256 * 128;
// Elements a lane holds: of a row that is reduced, and of element-wise work.
static constexpr int64_t kRowElementsPerLane = 32;
static constexpr int64_t kElementsPerLane = 8;
// Rows of tiles walked together: eight rows of A and the B tiles between them fit an XCD's L2.
static constexpr int64_t kRasterGroup = 8;

// 16x16 with the largest K: the accumulator of 16x16 lets a wave's piece be any multiple of 16.
// Rows with format fields are for scaled products.
static const MfmaInst *chooseMma(const KernelFacts &facts, const Target &target) {
  const MfmaInst *best = nullptr;
  for (const MfmaInst *inst : legalMma(facts, target))
    if (!inst->formats && (!best || inst->M == 16))
      best = inst;
  return best;
}

// The legal grid of `count` waves (or as many as fit) whose piece is closest to a square: it
// re-reads least from LDS.
static std::pair<int64_t, int64_t> chooseProductWaves(const KernelFacts &facts,
                                                      const MfmaInst *mma) {
  int64_t count = facts.M * facts.N >= kLargeTile ? 8 : 4;
  std::pair<int64_t, int64_t> best{1, 1};
  auto cost = [&](std::pair<int64_t, int64_t> waves) {
    bool tooMany = waves.first * waves.second > count;
    return std::tuple(tooMany, -waves.first * waves.second,
                      facts.M / waves.first + facts.N / waves.second, waves.first);
  };
  // Odd numbers of waves are left to those who ask for them: loads share evenly only by powers of
  // two.
  for (std::pair<int64_t, int64_t> waves : legalWaves(facts, mma))
    if (llvm::isPowerOf2_64(waves.first * waves.second) && cost(waves) < cost(best))
      best = waves;
  return best;
}

/// Elements of a lane when tiles are transposed through LDS: one access of memory, if LDS or wide
/// elements do the rest; else as many vectors side by side as make 8 bytes across.
static int64_t transposedElementsPerLane(int64_t bytes, const Target &target) {
  int64_t vector = std::max<int64_t>(1, 16 / bytes), across = std::max<int64_t>(1, 8 / bytes);
  return target.hasDsReadTranspose && bytes <= 2 ? vector : vector * across;
}

static std::pair<int64_t, int64_t> chooseRowWaves(const KernelFacts &facts, const Target &target) {
  int64_t perLane = facts.hasReduce ? kRowElementsPerLane : kElementsPerLane;
  int64_t elements = facts.maxElements;
  if (facts.isTransposed && !facts.hasReduce) {
    perLane = std::max(perLane, transposedElementsPerLane(facts.elementBytes, target));
    // What is too large for LDS passes in parts, each by all waves.
    elements = std::min(elements, target.ldsBytes / 2 / facts.elementBytes);
  }
  int64_t count = 1;
  while (count < Target::maxWavesPerWorkgroup && elements > perLane * Target::waveSize * count)
    count *= 2;
  return facts.widestIsLast ? std::pair(int64_t(1), count) : std::pair(count, int64_t(1));
}

static LdsPath chooseLds(const KernelFacts &facts, const Target &target) {
  if (!facts.a.load && !facts.b.load)
    return LdsPath::None;
  bool isWide = target.hasDmaWidth(kWorthwhileDma);
  bool isDirect = isWide && whyNotDirect(facts.a, target, kWorthwhileDma).empty() &&
                  whyNotDirect(facts.b, target, kWorthwhileDma).empty();
  return isDirect ? LdsPath::Direct : LdsPath::Register;
}

static int64_t chooseStages(const KernelFacts &facts, const Target &target, LdsPath lds,
                            int64_t occupancy) {
  bool fits = lds != LdsPath::None && ldsBytes(facts, 2) <= target.ldsPerWorkgroup(occupancy);
  return facts.inTileLoop && fits ? 2 : 1;
}

ScheduleAttr tegula::tile::completeSchedule(MLIRContext *context, ScheduleAttr given,
                                            const KernelFacts &facts, const Target &target) {
  if (!given)
    given = ScheduleAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  int64_t occupancy = given.getOccupancy().value_or(1);
  SmallVector<int64_t> waves(given.getWaves());
  StringAttr mma = given.getMma();
  std::optional<int64_t> stages = given.getStages();
  std::optional<LdsPath> lds = given.getLds();
  if (facts.mma) {
    const MfmaInst *inst =
        mma ? target.findMfma(mma.getValue(), facts.aType, facts.bType) : chooseMma(facts, target);
    if (!mma && inst)
      mma = StringAttr::get(context, inst->shape);
    lds = lds.value_or(chooseLds(facts, target));
    stages = stages.value_or(chooseStages(facts, target, *lds, occupancy));
    if (waves.empty() && inst) {
      auto [m, n] = chooseProductWaves(facts, inst);
      waves = {m, n};
    }
  }
  if (waves.empty()) {
    auto [m, n] = chooseRowWaves(facts, target);
    waves = {m, n};
  }
  std::optional<int64_t> group = given.getRasterGroup();
  std::optional<bool> xcd = given.getRasterXcd();
  if (facts.hasTileId || group || xcd) {
    group = group.value_or(kRasterGroup);
    xcd = xcd.value_or(target.xcds > 1);
  }
  return ScheduleAttr::get(context, waves, mma, stages, lds, group, xcd,
                           given.getSplitK().value_or(1), given.getPersistent().value_or(false),
                           occupancy, given.getPingpong());
}
