// The rules of schedules that need the kernel and the target. Values out of range as such are
// refused by the verifier of tile.kernel already.
#include "ScheduleRules.h"
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tegula::tile;
using tegula::MfmaInst;
using tegula::Target;

std::vector<const MfmaInst *> tegula::tile::legalMma(const KernelFacts &facts,
                                                     const Target &target) {
  std::vector<const MfmaInst *> legal;
  for (const MfmaInst *inst : target.mfmaFor(facts.aType, facts.bType))
    if (facts.K % inst->K == 0)
      legal.push_back(inst);
  llvm::sort(legal, [](const MfmaInst *x, const MfmaInst *y) {
    return std::pair(x->K, x->M) < std::pair(y->K, y->M);
  });
  return legal;
}

std::vector<std::pair<int64_t, int64_t>> tegula::tile::legalWaves(const KernelFacts &facts,
                                                                  const MfmaInst *mma) {
  std::vector<std::pair<int64_t, int64_t>> legal;
  for (int64_t m = 1; m <= Target::maxWavesPerWorkgroup; ++m)
    for (int64_t n = 1; m * n <= Target::maxWavesPerWorkgroup; ++n) {
      bool fits = mma ? (m - 1) * mma->M < facts.M && (n - 1) * mma->N < facts.N : m == 1 || n == 1;
      if (fits)
        legal.push_back({m, n});
    }
  return legal;
}

std::string tegula::tile::whyNotDirect(const OperandFacts &operand, const Target &target,
                                       int64_t width) {
  LoadOp load = operand.load;
  if (!load)
    return "the operand is computed, not loaded";
  if (operand.converted)
    return "the operand is converted between the load and the product";
  Attribute pad = load.getPad();
  bool isZero = isa<FloatAttr>(pad) ? cast<FloatAttr>(pad).getValue().isPosZero()
                                    : cast<IntegerAttr>(pad).getValue() == 0;
  if (!isZero)
    return "the load has a pad other than 0";
  ViewType view = load.getView().getType();
  std::optional<unsigned> unit = view.getUnitStrideDim();
  if (!unit)
    return "no dimension of the view has stride 1";
  RankedTensorType tile = load.getType();
  bool transposes = target.hasDsReadTranspose && view.getElementBytes() <= 2;
  if (*unit != operand.kDim && !transposes)
    return "the contiguous dimension is not the contracted one, and no LDS read of " + target.name +
           " transposes " + dtypeName(tile.getElementType());
  if (view.getElementBytes() > width)
    return "a lane copies " + std::to_string(width) + " bytes, less than an element of " +
           dtypeName(tile.getElementType());
  int64_t run = tile.getDimSize(*unit) * view.getElementBytes();
  if (run % width != 0)
    return "a row of the tile is " + std::to_string(run) + " bytes, no multiple of " +
           std::to_string(width);
  if (view.getAlign() % width != 0)
    return "the view is aligned to " + std::to_string(view.getAlign()) + " bytes, " +
           std::to_string(width) + " are needed";
  // An instruction writes the bytes of its 64 lanes one behind the other.
  if (!llvm::all_of(tile.getShape(), llvm::isPowerOf2_64))
    return "a tile of " + shapeText(tile) + " has an extent that is no power of two";
  if (operand.bytes < target.waveSize * width)
    return "a tile of " + shapeText(tile) + " is smaller than the " +
           std::to_string(target.waveSize * width) + " bytes of one copy";
  return "";
}

int64_t tegula::tile::ldsBytes(const KernelFacts &facts, int64_t stages) {
  return stages * facts.stagedBytes;
}

namespace {
/// Checks one field after another; each returns a failure it has reported.
struct Checker {
  KernelOp kernel;
  ScheduleAttr schedule;
  const KernelFacts &facts;
  const Target &target;
  const MfmaInst *mma = nullptr;

  LogicalResult checkMma() {
    if (!facts.mma && schedule.getMma())
      return kernel.emitOpError("mma is given, but the kernel has no product [tile.schedule.c2]");
    if (!facts.mma)
      return success();
    std::vector<const MfmaInst *> legal = legalMma(facts, target);
    for (const MfmaInst *inst : legal)
      if (schedule.getMma() && schedule.getMma().getValue() == inst->shape)
        mma = inst;
    if (mma)
      return success();
    MmaOp product = facts.mma;
    if (legal.empty())
      return product.emitOpError() << "contracts K = " << facts.K << ", which no instruction of "
                                   << target.name << " for " << facts.aType << " x " << facts.bType
                                   << " divides; run tile-pad-products first [tile.schedule.c2]";
    InFlightDiagnostic diag = kernel.emitOpError()
                              << "mma = " << schedule.getMma() << " for " << facts.aType << " x "
                              << facts.bType << " and BK = " << facts.K << " on " << target.name
                              << "; legal are";
    for (const MfmaInst *inst : legal)
      diag << ' ' << inst->shape;
    return diag << " [tile.schedule.c2]";
  }

  LogicalResult checkWaves() {
    ArrayRef<int64_t> waves = schedule.getWaves();
    auto legal = legalWaves(facts, mma);
    if (llvm::is_contained(legal, std::pair(waves[0], waves[1])))
      return success();
    InFlightDiagnostic diag = kernel.emitOpError() << "waves = " << listText(waves);
    if (mma)
      diag << " for a tile of " << facts.M << "x" << facts.N << " and mma " << mma->shape;
    diag << "; legal are";
    for (auto [m, n] : legal)
      diag << ' ' << listText({m, n});
    return diag << " [tile.schedule.c1]";
  }

  LogicalResult checkStages() {
    if (schedule.getStages().value_or(1) >= 2 && !facts.inTileLoop)
      return kernel.emitOpError()
             << "stages = " << *schedule.getStages()
             << " needs a loop that loads the operands of a product; 1 is legal here "
                "[tile.schedule.c3]";
    if (schedule.getStages().value_or(1) >= 2 && schedule.getLds() == LdsPath::None)
      return kernel.emitOpError() << "stages = " << *schedule.getStages()
                                  << " are buffers in LDS; with lds = none 1 is legal "
                                     "[tile.schedule.c3]";
    return success();
  }

  // The narrowest copy asks for least; lowering takes the widest that does.
  std::string whyNoWidth(const OperandFacts &operand) const {
    std::string reason = target.name + " has no direct copies";
    for (int width : llvm::reverse(target.dmaWidths))
      if ((reason = whyNotDirect(operand, target, width)).empty())
        return reason;
    return reason;
  }

  LogicalResult checkLds() {
    if (!schedule.getLds())
      return success();
    if (!facts.mma)
      return kernel.emitOpError("lds is given, but the kernel has no product [tile.schedule.c4]");
    if (*schedule.getLds() == LdsPath::None &&
        ((facts.a.load && facts.a.converted) || (facts.b.load && facts.b.converted)))
      return kernel.emitOpError(
          "lds = none: an operand is converted between the load and the product, which lanes "
          "exchange through LDS; register is legal [tile.schedule.c4]");
    if (*schedule.getLds() != LdsPath::Direct)
      return success();
    for (const OperandFacts *operand : {&facts.a, &facts.b}) {
      std::string reason = whyNoWidth(*operand);
      if (!reason.empty())
        return kernel.emitOpError()
               << "lds = direct: " << reason << "; register is legal [tile.schedule.c4]";
    }
    return success();
  }

  /// What `ir("tile")` prints can't be compiled again: the grid and the loops are other ones.
  LogicalResult checkFresh() {
    bool isApplied = schedule.getRasterGroup() || schedule.getSplitK().value_or(1) > 1 ||
                     schedule.getPersistent().value_or(false);
    if (kernel->hasAttr(kTailsSplitAttr) && isApplied)
      return kernel.emitOpError("has been through the passes of this dialect, and raster, split_k "
                                "and persistent are applied once; compile the text before them, "
                                "000-input.mlir of a dump [tile.schedule.c10]");
    return success();
  }

  LogicalResult checkRaster() {
    if (schedule.getRasterGroup() && !facts.hasTileId)
      return kernel.emitOpError(
          "raster is given, but the kernel has no tile.tile_id [tile.schedule.c5]");
    return success();
  }

  LogicalResult checkPersistent() {
    if (*schedule.getPersistent() && !facts.hasTileId && !facts.walks)
      return kernel.emitOpError("persistent = true needs a grid of tiles (tg.num_tiles and "
                                "tg.tile_id); persistent = false is legal here [tile.schedule.c7]");
    return success();
  }

  /// No occupancy is less than 1: the tile is too large, whatever the schedule.
  LogicalResult refuseAccumulator(int64_t accumulators, int64_t limit) {
    int64_t m = facts.M, n = facts.N;
    while (2 * m * n > limit * target.waveSize * schedule.getWaveCount()) // operands need some, too
      (m > n ? m : n) /= 2;
    MmaOp product = facts.mma;
    return product.emitOpError() << "registers: the " << facts.M << "x" << facts.N
                                 << " accumulator takes " << accumulators << " a lane on "
                                 << schedule.getWaveCount() << " waves, which have " << limit
                                 << " each; there a tile of " << m << "x" << n
                                 << " fits [cdna.kernel.c5]";
  }

  LogicalResult checkOccupancy() {
    int64_t occupancy = *schedule.getOccupancy();
    int64_t limit = target.vgprsPerWave(schedule.getWaveCount(), occupancy);
    int64_t accumulators = facts.M * facts.N / (target.waveSize * schedule.getWaveCount());
    bool isStaged = schedule.getLds() && *schedule.getLds() != LdsPath::None;
    int64_t lds = isStaged ? ldsBytes(facts, schedule.getStages().value_or(1)) : 0;
    if (limit == 0)
      return kernel.emitOpError() << "occupancy = " << occupancy << " of "
                                  << schedule.getWaveCount()
                                  << " waves: a compute unit has slots for "
                                  << target.simdsPerCu * target.waveSlotsPerSimd
                                  << " waves [tile.schedule.c8]";
    if (accumulators > limit && occupancy == 1)
      return refuseAccumulator(accumulators, limit);
    if (accumulators > limit)
      return kernel.emitOpError() << "occupancy = " << occupancy << " leaves " << limit
                                  << " registers a lane, the " << facts.M << "x" << facts.N
                                  << " accumulator takes " << accumulators << " on "
                                  << schedule.getWaveCount() << " waves [tile.schedule.c8]";
    if (occupancy > 1 && lds > target.ldsPerWorkgroup(occupancy))
      return kernel.emitOpError() << "occupancy = " << occupancy << " leaves "
                                  << target.ldsPerWorkgroup(occupancy)
                                  << " bytes of LDS, the operands take " << lds
                                  << " [tile.schedule.c8]";
    return success();
  }

  LogicalResult checkPingpong() {
    if (!schedule.getPingpong().value_or(false))
      return success();
    int64_t waves = schedule.getWaveCount(), pairs = 2 * target.simdsPerCu;
    if (waves % pairs != 0)
      return kernel.emitOpError() << "pingpong = true of " << waves
                                  << " waves: two groups take turns on each SIMD, so that multiples"
                                     " of "
                                  << pairs << " waves are legal [tile.schedule.c9]";
    bool isStaged = schedule.getLds() && *schedule.getLds() != LdsPath::None;
    if (!facts.inTileLoop || !isStaged || schedule.getStages().value_or(1) < 2)
      return kernel.emitOpError(
          "pingpong = true needs a loop that stages the operands of a product in LDS: lds = direct "
          "or register, and stages from 2 on [tile.schedule.c9]");
    return success();
  }
};
} // namespace

LogicalResult tegula::tile::checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                                          const KernelFacts &facts, const Target &target) {
  Checker check{kernel, schedule, facts, target};
  return success(succeeded(check.checkFresh()) && succeeded(check.checkMma()) &&
                 succeeded(check.checkWaves()) && succeeded(check.checkStages()) &&
                 succeeded(check.checkLds()) && succeeded(check.checkRaster()) &&
                 succeeded(check.checkPersistent()) && succeeded(check.checkOccupancy()) &&
                 succeeded(check.checkPingpong()));
}
