// cdna-check-budgets: the registers that tiles hold at the fullest point of a kernel.
#include "InstructionCounts.h"
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/Support/KernelRecord.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_CHECKBUDGETSPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {

using LiveSet = llvm::SetVector<Value>;

/// Walks each block backwards with the tiles that are live.
class PressureScan {
public:
  void scan(Block &block, const LiveSet &around);
  int64_t most = 0;
  LiveSet fullest; ///< what is live at the fullest point

private:
  void note(const LiveSet &live);
};

} // namespace

/// Holds registers: a tile, but not a constant, which is made where it is needed.
static bool isTile(Value value) {
  Operation *op = value.getDefiningOp();
  return registerCount(value.getType()) > 0 && !(op && op->hasTrait<OpTrait::ConstantLike>());
}

/// Registers of a tile. Of elements that a load brings one by one, which are put together when all
/// have come, each takes one. LLVM spills where they are few; from a quarter of a lane's registers
/// on it takes minutes to.
static int64_t registersOf(Value tile) {
  int64_t packed = registerCount(tile.getType());
  auto load = tile.getDefiningOp<LoadOp>();
  int64_t pieces = load ? globalAccessCount(load) : 0;
  return pieces > tegula::Target::vgprsPerSimdLane / 4 ? std::max(packed, pieces) : packed;
}

void PressureScan::note(const LiveSet &live) {
  int64_t sum = 0;
  for (Value value : live)
    sum += registersOf(value);
  if (sum > most) {
    most = sum;
    fullest = live;
  }
}

/// Element-wise work is done a few registers at a time, so what lives only inside a chain of it
/// never exists as a whole: only the points at other ops count.
static bool isStreamed(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<HwOp, MaskOp, RenameOp, PartOp, JoinOp, SplatOp, IotaOp, ConvertLayoutOp>(op);
}

/// `around` is what enclosing blocks keep alive meanwhile. An op's results may take the registers
/// of operands that end there (products work in place), so both sides are counted apart.
void PressureScan::scan(Block &block, const LiveSet &around) {
  LiveSet live = around;
  for (Operation &op : llvm::reverse(block)) {
    if (!isStreamed(&op))
      note(live);
    for (Value result : op.getResults())
      live.remove(result);
    LiveSet before = live;
    for (Region &region : op.getRegions()) {
      LiveSet used, inside = live;
      getUsedValuesDefinedAbove(region, used);
      for (Value value : used)
        if (isTile(value)) {
          before.insert(value);
          if (isa<LoopLikeOpInterface>(op)) // the next iteration uses it again
            inside.insert(value);
        }
      for (Block &inner : region)
        scan(inner, inside);
    }
    live = std::move(before);
    for (Value operand : op.getOperands())
      if (isTile(operand))
        live.insert(operand);
    if (!isStreamed(&op))
      note(live);
  }
}

static std::string textOf(RankedTensorType type) {
  return tegula::tile::shapeText(RankedTensorType::get(type.getShape(), type.getElementType()));
}

/// The tile that would fit in place of `type`, when all tiles shrink alike: its longest extent
/// halved until what is held does.
static std::string whatFits(RankedTensorType type, int64_t held, int64_t limit) {
  SmallVector<int64_t> shape(type.getShape());
  for (; held > limit; held = llvm::divideCeil(held, 2)) {
    int64_t &longest = *llvm::max_element(shape);
    longest = llvm::divideCeil(longest, 2);
  }
  return textOf(RankedTensorType::get(shape, type.getElementType()));
}

/// Tiles that are live at the fullest point, largest first.
static SmallVector<Value> byRegisters(const LiveSet &live) {
  SmallVector<std::pair<int64_t, unsigned>> largest; // negated registers, position
  for (auto [i, value] : llvm::enumerate(live))
    largest.emplace_back(-registersOf(value), i);
  llvm::sort(largest);
  return llvm::map_to_vector(largest, [&](auto entry) { return live[entry.second]; });
}

/// What code generation tells if the registers don't suffice after all.
static void recordPressure(KernelOp kernel, ArrayRef<Value> largest, int64_t held, int64_t limit) {
  Builder b(kernel.getContext());
  SmallVector<Attribute> tiles;
  for (Value value : largest.take_front(3)) {
    auto type = cast<RankedTensorType>(value.getType());
    tiles.push_back(
        b.getDictionaryAttr({b.getNamedAttr("tile", b.getStringAttr(textOf(type))),
                             b.getNamedAttr("registers", b.getI64IntegerAttr(registersOf(value))),
                             b.getNamedAttr("at", LocationAttr(value.getLoc()))}));
  }
  kernel->setAttr(kPressureAttr,
                  b.getDictionaryAttr({b.getNamedAttr("registers", b.getI64IntegerAttr(held)),
                                       b.getNamedAttr("limit", b.getI64IntegerAttr(limit)),
                                       b.getNamedAttr("tiles", b.getArrayAttr(tiles))}));
}

/// Fields of the schedule that give tiles more registers. More waves hold less of a tile each; past
/// a wave a SIMD they share its registers, so that nothing is gained.
static std::string otherCures(KernelOp kernel, int64_t held, int64_t limit) {
  const Target &target = kernel.getTargetInfo();
  int64_t waves = kernel.getWaveCount(), occupancy = kernel.getOccupancy();
  std::string text;
  if (2 * waves <= Target::maxWavesPerWorkgroup &&
      2 * target.vgprsPerWave(2 * waves, occupancy) > limit)
    text += " or more waves";
  if (occupancy > 1 && held <= target.vgprsPerWave(waves, /*workgroups=*/1))
    text += " or a lower occupancy than " + std::to_string(occupancy);
  return text;
}

/// Every tile that is live at the fullest point, those of one line and type together.
static void listTiles(InFlightDiagnostic &error, ArrayRef<Value> largest) {
  llvm::MapVector<std::pair<Location, Type>, SmallVector<Value>> lines;
  for (Value value : largest)
    lines[{value.getLoc(), value.getType()}].push_back(value);
  for (auto &[place, tiles] : lines) {
    auto type = cast<RankedTensorType>(place.second);
    int64_t count = tiles.size(), registers = 0;
    for (Value tile : tiles)
      registers += registersOf(tile);
    Diagnostic &note = error.attachNote(place.first);
    if (count > 1)
      note << count << " of ";
    note << textOf(type) << ": " << registers << " registers, "
         << withCommas(count * type.getNumElements() * elementBytes(type.getElementType()))
         << " bytes";
  }
}

static LogicalResult check(KernelOp kernel) {
  PressureScan pressure;
  pressure.scan(kernel.getBody().front(), {});
  int64_t limit = kernel.getTargetInfo().vgprsPerWave(kernel.getWaveCount(), kernel.getOccupancy());
  if (pressure.fullest.empty())
    return success();
  SmallVector<Value> largest = byRegisters(pressure.fullest);
  recordPressure(kernel, largest, pressure.most, limit);
  auto type = cast<RankedTensorType>(largest.front().getType());
  if (pressure.most <= limit) {
    // Addresses, copies and temporaries need the rest; if LLVM spills, this is why.
    if (4 * pressure.most >= 3 * limit)
      emitRemark(largest.front().getLoc(), "registers: tiles hold ")
          << pressure.most << " of " << limit << " registers a lane at one point, this "
          << textOf(type) << " tile " << registersOf(largest.front());
    return success();
  }
  InFlightDiagnostic error =
      kernel.emitError("registers: tiles hold ")
      << pressure.most << " registers a lane at one point, a wave of this workgroup has " << limit
      << "; use smaller tiles (" << whatFits(type, pressure.most, limit) << " instead of "
      << textOf(type) << " fits)" << otherCures(kernel, pressure.most, limit)
      << " [cdna.kernel.c5]";
  listTiles(error, largest);
  return error;
}

namespace {
struct CheckBudgetsPass : tegula::cdna::impl::CheckBudgetsPassBase<CheckBudgetsPass> {
  void runOnOperation() final {
    if (failed(check(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
