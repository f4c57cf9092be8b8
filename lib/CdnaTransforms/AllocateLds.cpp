// cdna-allocate-lds: offsets and rings of LDS buffers, and the budget.
#include "LdsFacts.h"
#include "LdsPlan.h"
#include "tegula/CdnaTransforms/Passes.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_ALLOCATELDSPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {

/// Buffers that are placed together: the ring of a loop, or one buffer.
struct Group {
  SmallVector<LdsAllocOp> buffers;
  SmallVector<int64_t> inStage; ///< offset of each buffer inside a stage
  int64_t stages = 1, stageBytes = 0;
  int64_t alignment = 16;
};

class Allocator {
public:
  explicit Allocator(KernelOp kernel) : kernel(kernel) {}
  LogicalResult run();

private:
  void numberOps();
  void collectGroups();
  std::pair<unsigned, unsigned> computeLiveRange(LdsAllocOp alloc);
  std::pair<unsigned, unsigned> liveRange(LdsAllocOp alloc) const { return ranges.lookup(alloc); }
  void packStage(Group &group);
  /// Bytes needed when rings have `stages` at most and stages are divided by `shrink`.
  int64_t bytesWith(int64_t stages, int64_t shrink, int64_t budget,
                    SmallVectorImpl<LdsItem> *placed = nullptr);
  SmallVector<LdsAllocOp> fullest(ArrayRef<LdsItem> items);
  LogicalResult overBudget(int64_t bytes, int64_t budget, int64_t occupancy,
                           ArrayRef<LdsItem> items);
  std::string whatFits(int64_t budget);

  KernelOp kernel;
  SmallVector<Group> groups;
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> ranges; ///< live ranges of buffers
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>>
      span; ///< first and last position of an op's extent
};

} // namespace

//===--- Live ranges ---===//

void Allocator::numberOps() {
  unsigned next = 0;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) { span[op].first = next++; });
  kernel->walk<WalkOrder::PostOrder>([&](Operation *op) {
    unsigned last = span[op].first;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          last = std::max(last, span[&inner].second);
    span[op].second = last;
  });
}

static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

/// Whether a buffer keeps nothing from one turn of a loop around loops to the next: it is used in
/// there only, and written first, on every path that reads it. The wait proof sees to it that
/// nothing is read which another buffer overwrote. In an innermost loop sharing bytes would cost a
/// barrier every turn.
static bool startsAnew(Operation *loop, ArrayRef<Operation *> accesses) {
  bool isInnermost =
      !loop->walk([&](Operation *op) {
             return op != loop && isLoop(op) ? WalkResult::interrupt() : WalkResult::advance();
           })
           .wasInterrupted();
  if (isInnermost)
    return false;
  bool isLocal = llvm::all_of(accesses, [&](Operation *op) { return loop->isAncestor(op); });
  Operation *first = nullptr;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!llvm::is_contained(accesses, op))
      return WalkResult::advance();
    first = op;
    return WalkResult::interrupt();
  });
  if (!isLocal || !first)
    return false;
  bool alwaysRuns = llvm::all_of(accesses, [&](Operation *op) {
    return first->getParentRegion()->isAncestor(op->getParentRegion());
  });
  // The waves' reduction writes its buffer before it reads it.
  return alwaysRuns && isa<LdsStoreOp, AsyncCopyOp, LdsScatterOp, ReduceWavesOp>(first);
}

/// From the first to the last access, where an access in a loop counts for the whole loop, because
/// the next iteration comes back to it; but not for one that starts anew.
std::pair<unsigned, unsigned> Allocator::computeLiveRange(LdsAllocOp alloc) {
  std::pair<unsigned, unsigned> range(~0u, 0);
  SmallVector<Operation *> accesses = ldsAccesses(alloc);
  for (Operation *access : accesses) {
    Operation *extent = access;
    for (Operation *op = access; op != kernel.getOperation(); op = op->getParentOp())
      if (isLoop(op) && !startsAnew(op, accesses))
        extent = op;
    range.first = std::min(range.first, span[extent].first);
    range.second = std::max(range.second, span[extent].second);
  }
  return range;
}

//===--- Groups ---===//

/// Buffers that are indexed by the same slots have to lie in one ring.
void Allocator::collectGroups() {
  llvm::EquivalenceClasses<void *> rings;
  SmallVector<LdsAllocOp> allocs;
  kernel.walk([&](LdsAllocOp alloc) {
    allocs.push_back(alloc);
    ranges[alloc] = computeLiveRange(alloc);
  });
  auto join = [&](Value slot, Operation *alloc) {
    if (LdsAllocOp ring = slot ? getSlotRing(slot) : LdsAllocOp())
      rings.unionSets(ring.getOperation(), alloc);
  };
  for (LdsAllocOp alloc : allocs) {
    rings.insert(alloc.getOperation());
    for (Operation *user : alloc->getUsers()) {
      if (auto view = dyn_cast<LdsViewOp>(user))
        join(view.getSlot(), alloc);
      else if (auto copy = dyn_cast<AsyncCopyOp>(user))
        join(copy.getSlot(), alloc);
    }
  }
  // In order of first use, so that the result doesn't depend on the order of the allocations.
  llvm::sort(allocs, [&](LdsAllocOp a, LdsAllocOp b) {
    return std::pair(liveRange(a).first, span[a].first) <
           std::pair(liveRange(b).first, span[b].first);
  });
  llvm::DenseMap<void *, unsigned> groupOf;
  for (LdsAllocOp alloc : allocs) {
    auto [it, isNew] =
        groupOf.try_emplace(rings.getLeaderValue(alloc.getOperation()), groups.size());
    if (isNew)
      groups.emplace_back();
    groups[it->second].buffers.push_back(alloc);
  }
  for (Group &group : groups)
    packStage(group);
}

void Allocator::packStage(Group &group) {
  group.stages = group.buffers.front().getType().getStages();
  for (LdsAllocOp alloc : group.buffers) {
    // A direct copy needs the base of each instruction aligned to what one instruction writes.
    bool copied =
        llvm::any_of(ldsAccesses(alloc), [](Operation *op) { return isa<AsyncCopyOp>(op); });
    int64_t alignment = copied ? kCopyAlign : kLdsAlign;
    group.alignment = std::max(group.alignment, alignment);
    group.stageBytes = llvm::alignTo(group.stageBytes, alignment);
    group.inStage.push_back(group.stageBytes);
    group.stageBytes += alloc.getType().stageBytes();
  }
  group.stageBytes = llvm::alignTo(group.stageBytes, group.alignment);
}

int64_t Allocator::bytesWith(int64_t stages, int64_t shrink, int64_t budget,
                             SmallVectorImpl<LdsItem> *placed) {
  SmallVector<LdsItem> items;
  for (Group &group : groups) {
    LdsItem item;
    item.bytes = group.stageBytes * std::min(group.stages, stages);
    if (item.bytes > 1024)
      item.bytes /= shrink;
    item.alignment = group.alignment;
    item.begin = ~0u;
    for (LdsAllocOp alloc : group.buffers) {
      auto [begin, end] = liveRange(alloc);
      item.begin = std::min(item.begin, begin);
      item.end = std::max(item.end, end);
    }
    items.push_back(item);
  }
  int64_t bytes = planLds(items, budget);
  if (placed)
    *placed = std::move(items);
  return bytes;
}

//===--- The budget ---===//

/// "A" or "B" for the operand of a product, else "tile".
static std::string roleOf(LdsAllocOp alloc) {
  for (Operation *access : ldsAccesses(alloc))
    if (auto load = dyn_cast<LdsLoadOp>(access))
      for (OpOperand &use : load.getResult().getUses())
        if (isa<MfmaOp>(use.getOwner()) && use.getOperandNumber() < 2)
          return use.getOperandNumber() == 0 ? "A" : "B";
  return "tile";
}

/// Extents of the tile of a staged product, 0 when there is none.
struct ProductTile {
  int64_t BM = 0, BN = 0, BK = 0;
};
static ProductTile productTile(ArrayRef<Group> groups) {
  ProductTile tile;
  for (const Group &group : groups)
    for (LdsAllocOp alloc : group.buffers) {
      ArrayRef<int64_t> shape = alloc.getType().getShape();
      if (roleOf(alloc) == "A")
        std::tie(tile.BM, tile.BK) = std::pair(shape[0], shape[1]);
      else if (roleOf(alloc) == "B")
        tile.BN = shape[1];
    }
  return tile;
}

std::string Allocator::whatFits(int64_t budget) {
  std::string text;
  int64_t most = 1;
  for (Group &group : groups)
    most = std::max(most, group.stages);
  for (int64_t stages = most - 1; stages >= 1; --stages)
    if (int64_t bytes = bytesWith(stages, 1, budget); bytes <= budget) {
      text = "stages = " + std::to_string(stages) + " (" + withCommas(bytes) + ")";
      break;
    }
  ProductTile tile = productTile(groups);
  auto offer = [&](int64_t most16ths, auto describe) {
    for (int64_t shrink = 2; shrink <= most16ths; shrink *= 2)
      if (int64_t bytes = bytesWith(most, shrink, budget); bytes <= budget) {
        text += (text.empty() ? "" : ", or ") + describe(shrink) + " (" + withCommas(bytes) + ")";
        return;
      }
  };
  offer(tile.BK / 16, [&](int64_t shrink) { return "BK = " + std::to_string(tile.BK / shrink); });
  // Each wave keeps the rows and columns of an instruction at least.
  auto waves = llvm::to_vector(kernel.getWaves().getAsValueRange<IntegerAttr>());
  int64_t smallest = std::min(tile.BM / waves[0].getSExtValue(), tile.BN / waves[1].getSExtValue());
  offer(smallest / 16, [&](int64_t shrink) {
    return "BM = " + std::to_string(tile.BM / shrink) +
           " and BN = " + std::to_string(tile.BN / shrink);
  });
  return text.empty() ? "a smaller tile is needed" : "fits: " + text;
}

/// The buffers that are in use where most bytes are: those that make up what is needed.
SmallVector<LdsAllocOp> Allocator::fullest(ArrayRef<LdsItem> items) {
  int64_t most = -1;
  SmallVector<LdsAllocOp> buffers;
  for (const LdsItem &here : items) {
    int64_t bytes = 0;
    SmallVector<LdsAllocOp> inUse;
    for (auto [group, item] : llvm::zip_equal(groups, items))
      if (item.begin <= here.begin && here.begin <= item.end) {
        bytes += item.bytes;
        inUse.append(group.buffers);
      }
    if (bytes > most)
      std::tie(most, buffers) = std::pair(bytes, inUse);
  }
  return buffers;
}

LogicalResult Allocator::overBudget(int64_t bytes, int64_t budget, int64_t occupancy,
                                    ArrayRef<LdsItem> items) {
  InFlightDiagnostic error = kernel.emitError("LDS: ") << withCommas(bytes) << " bytes needed, "
                                                       << kernel.getTargetInfo().name << " has "
                                                       << withCommas(budget) << " per workgroup";
  if (occupancy > 1)
    error << " at occupancy " << occupancy;
  error << "; " << whatFits(budget) << " [cdna.kernel.c3]";
  for (LdsAllocOp alloc : fullest(items)) {
    LdsType type = alloc.getType();
    int64_t held = type.stageBytes() * type.getStages();
    bytes -= held;
    error.attachNote(alloc.getLoc())
        << roleOf(alloc) << " "
        << tile::shapeText(RankedTensorType::get(type.getShape(), type.getElementType())) << " x "
        << type.getStages() << (type.getStages() == 1 ? " stage: " : " stages: ")
        << withCommas(held) << " bytes";
  }
  if (bytes > 0)
    error.attachNote(kernel.getLoc()) << "between them: " << withCommas(bytes) << " bytes";
  return error;
}

LogicalResult Allocator::run() {
  numberOps();
  collectGroups();
  int64_t occupancy = kernel.getOccupancy();
  int64_t budget = kernel.getTargetInfo().ldsPerWorkgroup(occupancy);
  SmallVector<LdsItem> items;
  int64_t bytes = bytesWith(/*stages=*/5, /*shrink=*/1, budget, &items);
  if (bytes > budget)
    return overBudget(bytes, budget, occupancy, items);
  for (auto [group, item] : llvm::zip_equal(groups, items))
    for (auto [alloc, inStage] : llvm::zip_equal(group.buffers, group.inStage)) {
      alloc.setOffset(item.offset + inStage);
      if (group.stages > 1)
        alloc.setStageStride(group.stageBytes);
    }
  kernel.setLdsBytes(bytes);
  return success();
}

namespace {
struct AllocateLdsPass : tegula::cdna::impl::AllocateLdsPassBase<AllocateLdsPass> {
  void runOnOperation() final {
    if (failed(Allocator(getOperation()).run()))
      return signalPassFailure();
    getOperation()->setAttr(kLdsAssignedAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
