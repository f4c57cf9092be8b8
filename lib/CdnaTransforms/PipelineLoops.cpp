// cdna-pipeline-loops: emits prologue and steady state of the staged loops that StagedLoop.h takes
// apart.
#include "InstructionCounts.h"
#include "StagedLoop.h"
#include "tegula/CdnaTransforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_PIPELINELOOPSPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {

/// What one iteration hands to the next.
struct Carried {
  SmallVector<Value> own;       ///< the loop's own values
  Value slot;                   ///< of the tile of this iteration
  SmallVector<Value> fragments; ///< of the first step, already read; none without registers for it
  SmallVector<Value> loaded;    ///< registers of the tile after this one
  SmallVector<Value> kept;      ///< registers of this tile that its consumers look at

  SmallVector<Value> flat() const {
    SmallVector<Value> values(own);
    values.push_back(slot);
    values.append(fragments);
    values.append(loaded);
    values.append(kept);
    return values;
  }
};

/// A tile that is fetched before its turn; nothing is fetched beyond the last one.
struct Fetched {
  Value tile, exists; ///< no `exists`: it does
};

class LoopPipeliner {
public:
  LoopPipeliner(const StagedLoop &staged)
      : staged(staged), loop(staged.loop), builder(loop), loc(loop.getLoc()),
        readsAhead(fitsTwice()) {}
  void run();

private:
  bool isPingpong() const;
  bool fitsTwice();
  SmallVector<Value> pipelined();
  SmallVector<Value> pingponged();
  Carried turns(Value index, const Carried &in);
  Carried prologue();
  void fillSlots(Carried &first, int64_t stages);
  Carried iteration(Value index, const Carried &in, bool isLast);
  SmallVector<Value> peeledLast(const Carried &in);

  void issueCopies(Fetched fetched, Value slot);
  SmallVector<Value> issueLoads(Fetched fetched);
  void storeLoaded(ArrayRef<Value> loaded, Value slot);
  SmallVector<Value> keptOf(ArrayRef<Value> loaded);
  IRMapping consumerMap(Value index, const Carried &in);
  SmallVector<Value> readFragments(unsigned step, Value slot);
  void cloneBody(unsigned step, IRMapping &map);
  /// The first half of the only product of the body, with what precedes it. Null when it can't be
  /// halved.
  MfmaOp cloneFirstHalf(IRMapping &map);
  void cloneSecondHalf(IRMapping &map, MfmaOp firstHalf);
  IRMapping cloneAddresses(Value index);

  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }
  Fetched ahead(Value index, int64_t by) {
    Value tile = arith::AddIOp::create(builder, loc, index, constant(by));
    Value end = arith::SubIOp::create(builder, loc, loop.getUpperBound(), constant(by));
    Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, end);
    return {tile, exists};
  }
  Value slotOf(int64_t stage) {
    LdsAllocOp ring = staged.ring;
    return SlotOp::create(builder, loc, SlotType::get(builder.getContext()), ring.getResult(),
                          builder.getI64IntegerAttr(stage));
  }
  void fence() { SchedFenceOp::create(builder, loc); }

  const StagedLoop &staged;
  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  bool readsAhead; ///< fragments of the next tile, beside the last product of this one
};

} // namespace

//===--- Pieces ---===//

/// The one operand, or none.
static ValueRange asRange(const Value &operand) {
  return operand ? ValueRange(operand) : ValueRange();
}

IRMapping LoopPipeliner::cloneAddresses(Value index) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  for (Operation *op : staged.addresses)
    builder.clone(*op, map);
  return map;
}

void LoopPipeliner::issueCopies(Fetched fetched, Value slot) {
  IRMapping map = cloneAddresses(fetched.tile);
  for (AsyncCopyOp copy : staged.copies) {
    map.map(copy.getSlot(), slot);
    auto issued = cast<AsyncCopyOp>(builder.clone(*copy, map));
    issued.getWhereMutable().assign(asRange(fetched.exists));
  }
}

SmallVector<Value> LoopPipeliner::issueLoads(Fetched fetched) {
  IRMapping map = cloneAddresses(fetched.tile);
  SmallVector<Value> loaded;
  for (LoadOp load : staged.loads) {
    auto issued = cast<LoadOp>(builder.clone(*load, map));
    issued.getWhereMutable().assign(asRange(fetched.exists));
    loaded.push_back(issued);
  }
  return loaded;
}

void LoopPipeliner::storeLoaded(ArrayRef<Value> loaded, Value slot) {
  IRMapping map;
  for (auto [load, value] : llvm::zip_equal(staged.loads, loaded))
    map.map(LoadOp(load).getResult(), value);
  for (Operation *op : staged.stores) {
    if (auto view = dyn_cast<LdsViewOp>(op))
      map.map(view.getSlot(), slot);
    builder.clone(*op, map);
  }
}

SmallVector<Value> LoopPipeliner::keptOf(ArrayRef<Value> loaded) {
  return llvm::map_to_vector(staged.kept, [&](unsigned i) { return loaded[i]; });
}

/// What the consumers of an iteration find instead of the loop's own arguments and loads.
IRMapping LoopPipeliner::consumerMap(Value index, const Carried &in) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  map.map(loop.getRegionIterArgs(), in.own);
  for (auto [i, value] : llvm::zip_equal(staged.kept, in.kept))
    map.map(LoadOp(staged.loads[i]).getResult(), value);
  return map;
}

SmallVector<Value> LoopPipeliner::readFragments(unsigned step, Value slot) {
  SmallVector<Value> fragments;
  for (LdsLoadOp load : staged.steps[step].fragments) {
    auto view = load.getLds().getDefiningOp<LdsViewOp>();
    IRMapping map;
    map.map(view.getSlot(), slot);
    builder.clone(*view, map);
    fragments.push_back(builder.clone(*load, map)->getResult(0));
  }
  return fragments;
}

void LoopPipeliner::cloneBody(unsigned step, IRMapping &map) {
  for (Operation *op : staged.steps[step].body)
    builder.clone(*op, map);
}

/// Position of the product in the body of the only step, which ends with it or with what depends on
/// it.
static MfmaOp onlyProduct(const ConsumerStep &step) {
  for (Operation *op : step.body)
    if (auto product = dyn_cast<MfmaOp>(op))
      return product;
  return {};
}

/// A product like `product`, restricted to these steps along k.
static MfmaOp cloneSteps(OpBuilder &builder, MfmaOp product, IRMapping &map, int64_t begin,
                         int64_t end) {
  auto part = cast<MfmaOp>(builder.clone(*product, map));
  part.setStepsAttr(builder.getDenseI64ArrayAttr({begin, end}));
  return part;
}

MfmaOp LoopPipeliner::cloneFirstHalf(IRMapping &map) {
  const ConsumerStep &step = staged.steps.front();
  MfmaOp product = onlyProduct(step);
  if (staged.steps.size() != 1 || !product || stepsAlongK(product) < 2)
    return {};
  for (Operation *op : step.body) {
    if (op == product)
      break;
    builder.clone(*op, map);
  }
  return cloneSteps(builder, product, map, 0, stepsAlongK(product) / 2);
}

void LoopPipeliner::cloneSecondHalf(IRMapping &map, MfmaOp firstHalf) {
  const ConsumerStep &step = staged.steps.front();
  MfmaOp product = onlyProduct(step);
  int64_t steps = stepsAlongK(product);
  MfmaOp half = cloneSteps(builder, product, map, steps / 2, steps);
  half.getAccMutable().assign(firstHalf.getResult());
  map.map(product.getResult(), half.getResult());
  bool behind = false;
  for (Operation *op : step.body) {
    if (behind)
      builder.clone(*op, map);
    behind |= op == product;
  }
}

//===--- The schedule ---===//

/// Whether registers hold the fragments of two tiles beside all that lives through the loop.
bool LoopPipeliner::fitsTwice() {
  auto kernel = loop->getParentOfType<KernelOp>();
  llvm::SetVector<Value> live;
  getUsedValuesDefinedAbove(loop.getRegion(), live);
  live.insert(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  for (LoadOp load : staged.loads)
    live.insert(load.getResult());
  int64_t held = 0;
  for (Value value : live)
    held += registerCount(value.getType());
  for (const ConsumerStep *step : {&staged.steps.front(), &staged.steps.back()})
    for (LdsLoadOp fragment : step->fragments)
      held += registerCount(fragment.getType());
  return held <= kernel.getTargetInfo().vgprsPerWave(kernel.getWaveCount(), kernel.getOccupancy());
}

Carried LoopPipeliner::prologue() {
  Carried first;
  first.own.assign(loop.getInitArgs().begin(), loop.getInitArgs().end());
  first.slot = slotOf(0);
  fillSlots(first, staged.stages);
  if (readsAhead)
    first.fragments = readFragments(0, first.slot);
  return first;
}

/// What is under way when the loop begins: the first `stages` tiles of direct copies; or the first
/// tile in LDS and the second in registers.
void LoopPipeliner::fillSlots(Carried &first, int64_t stages) {
  Value tile = constant(0);
  if (!staged.copies.empty())
    for (int64_t stage = 0; stage < stages; ++stage) {
      // The same order and grouping as in the loop: counts at its head are the meet of both ways
      // in.
      Value slot = stage == 0 ? first.slot : slotOf(stage);
      issueCopies(stage == 0 ? Fetched{tile, {}} : ahead(tile, stage), slot);
      fence();
    }
  if (!staged.loads.empty()) {
    SmallVector<Value> loaded = issueLoads({tile, {}});
    storeLoaded(loaded, first.slot);
    first.kept = keptOf(loaded);
    first.loaded = issueLoads(ahead(tile, 1));
  }
}

Carried LoopPipeliner::iteration(Value index, const Carried &in, bool isLast) {
  IRMapping map = consumerMap(index, in);
  auto mapFragments = [&](unsigned step, ArrayRef<Value> values) {
    for (auto [load, value] : llvm::zip_equal(staged.steps[step].fragments, values))
      map.map(LdsLoadOp(load).getResult(), value);
  };
  mapFragments(0, readsAhead ? in.fragments : readFragments(0, in.slot));
  Carried out;
  if (!isLast)
    out.slot =
        NextSlotOp::create(builder, loc, in.slot.getType(), in.slot, builder.getI64IntegerAttr(1));
  if (!isLast && !staged.loads.empty()) {
    storeLoaded(in.loaded, out.slot);
    out.kept = keptOf(in.loaded);
    out.loaded = issueLoads(ahead(index, 2));
  }
  unsigned finalStep = staged.steps.size() - 1;
  for (unsigned step = 0; step < finalStep; ++step) {
    mapFragments(step + 1, readFragments(step + 1, in.slot));
    cloneBody(step, map);
  }
  // With one step per tile the barrier would leave nothing to compute beside stores and loads.
  MfmaOp firstHalf = isLast ? MfmaOp() : cloneFirstHalf(map);
  if (!isLast) {
    Fetched refill = ahead(index, staged.stages);
    // All reads of this tile are behind us: its slot is free once every wave says so, and the next
    // tile is there once every wave has waited for its part.
    fence();
    BarrierOp::create(builder, loc);
    fence();
    if (!staged.copies.empty())
      issueCopies(refill, in.slot);
    if (readsAhead)
      out.fragments = readFragments(0, out.slot);
  }
  if (firstHalf)
    cloneSecondHalf(map, firstHalf);
  else
    cloneBody(finalStep, map);
  if (!isLast)
    fence();
  for (Value yielded : loop.getYieldedValues())
    out.own.push_back(map.lookupOrDefault(yielded));
  return out;
}

/// The odd iteration that a loop unrolled by two leaves.
SmallVector<Value> LoopPipeliner::peeledLast(const Carried &in) {
  Value odd = arith::AndIOp::create(builder, loc, loop.getUpperBound(), constant(1));
  Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, odd, constant(0));
  auto branch = scf::IfOp::create(builder, loc, TypeRange(ValueRange(in.own)), isOdd,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value lastTile = arith::SubIOp::create(builder, loc, loop.getUpperBound(), constant(1));
  Carried out = iteration(lastTile, in, /*isLast=*/true);
  scf::YieldOp::create(builder, loc, out.own);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, in.own);
  return SmallVector<Value>(branch.getResults());
}

/// Splits a flat list of carried values as `like` has them.
static Carried unflatten(ValueRange values, const Carried &like) {
  Carried carried;
  carried.own.assign(values.begin(), values.begin() + like.own.size());
  values = values.drop_front(like.own.size());
  carried.slot = values.front();
  values = values.drop_front();
  carried.fragments.assign(values.begin(), values.begin() + like.fragments.size());
  values = values.drop_front(like.fragments.size());
  carried.loaded.assign(values.begin(), values.begin() + like.loaded.size());
  carried.kept.assign(values.begin() + like.loaded.size(), values.end());
  return carried;
}

//===--- Turns ---===//

static bool wantsPingpong(KernelOp kernel) {
  tegula::tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  return schedule && schedule.getPingpong().value_or(false);
}

bool LoopPipeliner::isPingpong() const { return wantsPingpong(loop->getParentOfType<KernelOp>()); }

/// One iteration in turns: of each step, first everything that moves data, then the products, a
/// barrier behind either. The other half of the waves is one turn behind. What a turn writes or
/// reads is known to all waves two turns later, so the slot that is refilled is the one of the tile
/// before.
Carried LoopPipeliner::turns(Value index, const Carried &in) {
  IRMapping map = consumerMap(index, in);
  auto handOver = [&] {
    fence();
    BarrierOp::create(builder, loc);
    fence();
  };
  auto nextSlot = [&](int64_t by) {
    return NextSlotOp::create(builder, loc, in.slot.getType(), in.slot,
                              builder.getI64IntegerAttr(by));
  };
  Carried out;
  out.slot = nextSlot(1);
  for (unsigned step = 0; step < staged.steps.size(); ++step) {
    if (step == 0 && !staged.loads.empty()) {
      storeLoaded(in.loaded, out.slot);
      out.kept = keptOf(in.loaded);
      out.loaded = issueLoads(ahead(index, 2));
    }
    if (step == 0 && !staged.copies.empty())
      issueCopies(ahead(index, staged.stages - 1), nextSlot(staged.stages - 1));
    for (auto [load, value] :
         llvm::zip_equal(staged.steps[step].fragments, readFragments(step, in.slot)))
      map.map(LdsLoadOp(load).getResult(), value);
    handOver();
    PriorityOp::create(builder, loc, 1);
    fence();
    cloneBody(step, map);
    fence();
    PriorityOp::create(builder, loc, 0);
    handOver();
  }
  for (Value yielded : loop.getYieldedValues())
    out.own.push_back(map.lookupOrDefault(yielded));
  return out;
}

SmallVector<Value> LoopPipeliner::pingponged() {
  Carried first;
  first.own.assign(loop.getInitArgs().begin(), loop.getInitArgs().end());
  first.slot = slotOf(0);
  fillSlots(first, staged.stages - 1);
  BarrierOp::create(builder, loc);
  StaggerOp::create(builder, loc);
  auto steady = scf::ForOp::create(builder, loc, constant(0), loop.getUpperBound(), constant(1),
                                   first.flat());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(steady.getBody());
    Carried next = turns(steady.getInductionVar(), unflatten(steady.getRegionIterArgs(), first));
    scf::YieldOp::create(builder, loc, next.flat());
  }
  AlignOp::create(builder, loc);
  return unflatten(steady.getResults(), first).own;
}

SmallVector<Value> LoopPipeliner::pipelined() {
  Carried first = prologue();
  // Fragments alternate between two sets of registers: with an odd number of steps one iteration
  // would end on the wrong set, and copies would follow.
  bool unroll = staged.steps.size() % 2 != 0;
  Value end = loop.getUpperBound();
  if (unroll)
    end = arith::AndIOp::create(builder, loc, end, constant(-2));
  auto steady =
      scf::ForOp::create(builder, loc, constant(0), end, constant(unroll ? 2 : 1), first.flat());
  Carried last;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(steady.getBody());
    Value index = steady.getInductionVar();
    Carried next = iteration(index, unflatten(steady.getRegionIterArgs(), first), /*isLast=*/false);
    if (unroll)
      next = iteration(arith::AddIOp::create(builder, loc, index, constant(1)), next,
                       /*isLast=*/false);
    scf::YieldOp::create(builder, loc, next.flat());
  }
  last = unflatten(steady.getResults(), first);
  return unroll ? peeledLast(last) : last.own;
}

void LoopPipeliner::run() {
  std::optional<int64_t> trips = getConstantIntValue(loop.getUpperBound());
  SmallVector<Value> results;
  auto emit = [&] { return isPingpong() ? pingponged() : pipelined(); };
  if (trips && *trips > 0) {
    results = emit();
  } else {
    Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       loop.getUpperBound(), constant(0));
    auto branch =
        scf::IfOp::create(builder, loc, loop.getResultTypes(), some, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, emit());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInitArgs());
    results.assign(branch.getResults().begin(), branch.getResults().end());
  }
  loop.replaceAllUsesWith(results);
  loop.erase();
}

namespace {
/// Whether the products of a loop have company that waits for other waves.
bool exchanges(const StagedLoop &staged) {
  return llvm::any_of(staged.steps, [](const ConsumerStep &step) {
    return llvm::any_of(step.body, [](Operation *op) {
      return op
          ->walk([](Operation *inner) {
            return isa<LdsStoreOp, LdsScatterOp, LdsAtomicOp, ReduceWavesOp, OrderOp>(inner)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
    });
  });
}

struct PipelineLoopsPass : tegula::cdna::impl::PipelineLoopsPassBase<PipelineLoopsPass> {
  void refuse(Operation *op, StringRef reason) {
    op->emitError("pingpong = true: ") << reason << "; pingpong = false is legal here "
                                       << "[tile.schedule.c9]";
    signalPassFailure();
  }

  void runOnOperation() final {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    bool pingpong = wantsPingpong(getOperation()), found = false;
    for (scf::ForOp loop : loops) {
      std::string obstacle;
      std::optional<StagedLoop> staged = StagedLoop::find(loop, obstacle);
      if (!staged)
        continue;
      found = true;
      if (obstacle.empty() && pingpong && exchanges(*staged))
        obstacle = "its waves exchange more than the operands of its products";
      if (obstacle.empty())
        LoopPipeliner(*staged).run();
      else if (pingpong)
        return refuse(loop, obstacle);
      else
        loop.emitRemark("loop is not pipelined: ") << obstacle;
    }
    if (pingpong && !found)
      return refuse(getOperation(), "no loop stages its operands");
    getOperation()->setAttr(kPipelinedAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
