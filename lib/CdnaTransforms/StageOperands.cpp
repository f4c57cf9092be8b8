// cdna-stage-operands: operands of products go through LDS and products are cut into k-steps; the
// other layout conversions get a path. StagePlan.cpp decides, this file rewrites.
#include "ConvertPaths.h"
#include "InstructionCounts.h"
#include "StagePlan.h"
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/Layout/LdsConversion.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_STAGEOPERANDSPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {

/// A staged tile: the buffer that holds it and, for several stages, the slot.
struct Staged {
  StagePlan plan;
  TypedValue<LdsType> buffer;
  Value slot;
};

class Stager {
public:
  explicit Stager(KernelOp kernel) : kernel(kernel) {}
  LogicalResult run();

private:
  /// The load behind an operand of a product, or null when it is computed.
  LoadOp loadOf(Value operand);
  LogicalResult stageProduct(MfmaOp product);
  FailureOr<StagePlan> planOperand(MfmaOp product, unsigned index);
  Staged stage(const StagePlan &plan, MfmaOp product);
  void copyDirect(Staged &staged);
  void storeRegisters(Staged &staged, MfmaOp product);
  void cutProduct(MfmaOp product, const Staged &a, const Staged &b, const StepPlan &steps);
  Value readFragment(OpBuilder &builder, MfmaOp product, unsigned index, const Staged &staged,
                     const StepPlan &steps, int64_t begin);

  KernelOp kernel;
  /// By load and contracted dimension, for a tile that feeds several products.
  llvm::DenseMap<std::pair<Operation *, unsigned>, Staged> done;
  llvm::SetVector<Operation *> replaced; ///< loads and conversions that may have become dead
};

} // namespace

LoadOp Stager::loadOf(Value operand) {
  if (auto convert = operand.getDefiningOp<ConvertLayoutOp>())
    operand = convert.getValue();
  return operand.getDefiningOp<LoadOp>();
}

/// `operand` is a load in the layout that the product wants: nothing is left to move.
static bool isInPlace(Value operand) { return bool(operand.getDefiningOp<LoadOp>()); }

FailureOr<StagePlan> Stager::planOperand(MfmaOp product, unsigned index) {
  Value operand = product->getOperand(index);
  LoadOp load = loadOf(operand);
  if (!load || isInPlace(operand))
    return StagePlan();
  return planStage(product, load, index == 0 ? 1 : 0);
}

void Stager::copyDirect(Staged &staged) {
  LoadOp load = staged.plan.load;
  OpBuilder builder(load);
  std::optional<Layout> fetch =
      linearFetch(staged.buffer.getType(), kernel.getWaveCount(), staged.plan.dmaWidth);
  AsyncCopyOp::create(builder, load.getLoc(), TokenType::get(load.getContext()), load.getBuffer(),
                      load.getIndices(), staged.buffer, staged.slot, /*where=*/Value(),
                      LayoutAttr::get(load.getContext(), *fetch),
                      builder.getI64IntegerAttr(staged.plan.dmaWidth),
                      builder.getDenseI32ArrayAttr(staged.plan.tail), load.getScalarAttr());
}

static Value wholeStage(OpBuilder &builder, Location loc, TypedValue<LdsType> buffer, Value slot) {
  if (!slot)
    return buffer;
  SmallVector<int64_t> origin(buffer.getType().getRank(), 0);
  return LdsViewOp::create(builder, loc, buffer, slot, origin, buffer.getType().getShape());
}

void Stager::storeRegisters(Staged &staged, MfmaOp product) {
  LoadOp load = staged.plan.load;
  OpBuilder builder(load);
  Value value = load.getResult();
  auto tail = builder.getDenseI32ArrayAttr(staged.plan.tail);
  load.setTailAttr(tail);
  builder.setInsertionPointAfter(load);
  if (const std::optional<Layout> &layout = staged.plan.loadLayout) {
    auto type = cast<RankedTensorType>(load.getResult().getType());
    // Loaded in runs along memory, stored in runs along LDS: a renaming in between.
    auto loaded =
        LoadOp::create(builder, load.getLoc(), withLayout(type, *layout), load.getBuffer(),
                       load.getIndices(), /*where=*/Value(), tail, load.getScalarAttr());
    value = ConvertLayoutOp::create(
        builder, load.getLoc(),
        withLayout(type, runFirst(*layout, staged.plan.buffer.fastestDim())), loaded.getResult(),
        ConvertPathAttr::get(load.getContext(), tegula::cdna::ConvertPath::None));
  }
  // All loads of a product are issued before the first store waits for its own. A tile loaded
  // outside of the loop or branch around the product is stored outside, too: once, and on every
  // path to what else reads it.
  builder.setInsertionPoint(load->getBlock()->findAncestorOpInBlock(*product));
  LdsStoreOp::create(builder, load.getLoc(), value,
                     wholeStage(builder, load.getLoc(), staged.buffer, staged.slot));
}

Staged Stager::stage(const StagePlan &plan, MfmaOp product) {
  auto [it, isNew] = done.try_emplace({static_cast<Operation *>(plan.load), plan.kDim});
  Staged &staged = it->second;
  if (!isNew)
    return staged;
  staged.plan = plan;
  staged.buffer =
      allocateLds(kernel, plan.load->getLoc(), plan.buffer, /*swizzle=*/true).getResult();
  if (plan.buffer.getStages() > 1) {
    OpBuilder builder(static_cast<Operation *>(plan.load));
    staged.slot = SlotOp::create(builder, plan.load->getLoc(), SlotType::get(builder.getContext()),
                                 staged.buffer, builder.getI64IntegerAttr(0));
  }
  if (plan.way == StageWay::Direct)
    copyDirect(staged);
  else
    storeRegisters(staged, product);
  return staged;
}

Value Stager::readFragment(OpBuilder &builder, MfmaOp product, unsigned index, const Staged &staged,
                           const StepPlan &steps, int64_t begin) {
  auto whole = cast<RankedTensorType>(product->getOperand(index).getType());
  unsigned kDim = staged.plan.kDim;
  SmallVector<int64_t> origin(2, 0), shape(whole.getShape());
  origin[kDim] = begin;
  shape[kDim] = steps.step;
  Layout layout = layoutOf(whole);
  if (steps.step != whole.getDimSize(kDim) || steps.group > 1)
    layout = fragmentLayout(layout, kDim, *instructionOf(product), steps);
  Location loc = staged.plan.load->getLoc();
  auto view = LdsViewOp::create(builder, loc, staged.buffer, staged.slot, origin, shape);
  return LdsLoadOp::create(builder, loc, withLayout(whole, shape, layout), view.getResult(),
                           staged.plan.transposeRead ? builder.getUnitAttr() : UnitAttr());
}

/// Whether sums and all fragments of a product would take more registers than there are. LLVM reads
/// as many fragments ahead as it likes unless it is told not to.
static bool isCrowded(MfmaOp product) {
  auto kernel = product->getParentOfType<KernelOp>();
  int64_t held = 0;
  for (Value tile : {product.getA(), product.getB(), product.getAcc()})
    held += registerCount(tile.getType());
  return held > kernel.getTargetInfo().vgprsPerWave(kernel.getWaveCount(), kernel.getOccupancy());
}

/// The fragments of a step are read while the step before is computed.
void Stager::cutProduct(MfmaOp product, const Staged &a, const Staged &b, const StepPlan &steps) {
  OpBuilder builder(product);
  int64_t extent = cast<RankedTensorType>(product.getA().getType()).getDimSize(1);
  bool isFenced = !a.slot && !b.slot && isCrowded(product);
  Value sum = product.getAcc();
  auto read = [&](int64_t k) {
    return std::pair(readFragment(builder, product, 0, a, steps, k),
                     readFragment(builder, product, 1, b, steps, k));
  };
  auto next = read(0);
  for (int64_t k = 0; k < extent; k += steps.step) {
    auto [fragmentA, fragmentB] = next;
    if (k + steps.step < extent)
      next = read(k + steps.step);
    sum = MfmaOp::create(builder, product.getLoc(), sum.getType(), fragmentA, fragmentB, sum,
                         product.getShapeAttr(), product.getSwappedAttr());
    if (isFenced)
      SchedFenceOp::create(builder, product.getLoc());
  }
  product.getResult().replaceAllUsesWith(sum);
  product.erase();
}

LogicalResult Stager::stageProduct(MfmaOp product) {
  FailureOr<StagePlan> plans[2];
  for (unsigned i : {0u, 1u}) {
    if (failed(plans[i] = planOperand(product, i)))
      return failure();
    if (Operation *convert = product->getOperand(i).getDefiningOp<ConvertLayoutOp>())
      replaced.insert(convert);
    if (plans[i]->load)
      replaced.insert(plans[i]->load);
  }
  if (plans[0]->way != StageWay::None && plans[1]->way != StageWay::None) {
    StepPlan steps = planSteps(product, *plans[0], *plans[1]);
    cutProduct(product, stage(*plans[0], product), stage(*plans[1], product), steps);
    return success();
  }
  OpBuilder builder(product);
  StepPlan whole{cast<RankedTensorType>(product.getA().getType()).getDimSize(1), 1};
  for (unsigned i : {0u, 1u}) {
    StagePlan &plan = *plans[i];
    if (plan.load && plan.way == StageWay::None) {
      auto load = cast<LoadOp>(builder.clone(*plan.load));
      load->moveAfter(plan.load);
      load.getResult().setType(cast<RankedTensorType>(product->getOperand(i).getType()));
      product->setOperand(i, load.getResult());
    } else if (plan.load) {
      product->setOperand(i, readFragment(builder, product, i, stage(plan, product), whole, 0));
    }
  }
  return success();
}

LogicalResult Stager::run() {
  SmallVector<MfmaOp> products;
  kernel.walk([&](MfmaOp product) { products.push_back(product); });
  for (MfmaOp product : products)
    if (failed(stageProduct(product)))
      return failure();
  for (bool erased = true; std::exchange(erased, false);) // conversions first, then their loads
    for (Operation *op : replaced.takeVector()) {
      if (op->use_empty()) {
        op->erase();
        erased = true;
      } else {
        replaced.insert(op);
      }
    }
  SmallVector<ReshapeOp> reshapes;
  kernel.walk([&](ReshapeOp reshape) { reshapes.push_back(reshape); });
  for (ReshapeOp reshape : reshapes)
    if (failed(expandReshape(reshape)))
      return failure();
  SmallVector<ConvertLayoutOp> conversions;
  kernel.walk([&](ConvertLayoutOp convert) {
    if (!convert.getPath())
      conversions.push_back(convert);
  });
  for (ConvertLayoutOp convert : conversions)
    if (failed(planConversion(convert)))
      return failure();
  return success();
}

namespace {
struct StageOperandsPass : tegula::cdna::impl::StageOperandsPassBase<StageOperandsPass> {
  void runOnOperation() final {
    if (failed(Stager(getOperation()).run()))
      return signalPassFailure();
    getOperation()->setAttr(kStagedAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
