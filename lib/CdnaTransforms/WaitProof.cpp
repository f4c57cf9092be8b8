// The proof of WaitProof.h: walks a kernel with the lattice of WaitProofState.h.
//
// Loops are iterated to a fixpoint. Stages are numbered relative to a *frame*, the slot value that
// the innermost loop carries, so that one state describes every iteration; at the back edge the
// stages rotate by what the loop adds to its slot.
#include "tegula/CdnaTransforms/WaitProof.h"
#include "WaitProofState.h"

#include "dialects/cdna/Cdna.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tegula::cdna;
using namespace tegula::cdna::proof;

namespace {

/// A slot value as frame + constant.
struct Slot {
  Value frame;
  int64_t distance = 0;
};

/// Part of an allocated buffer, as an access names it.
struct Part {
  Value alloc, slot;
  bool whole = true;
};

struct Buffer {
  Operation *alloc;
  int64_t stages, stageBytes, offset, stageStride;
  SmallVector<unsigned> overlapping; ///< other buffers with bytes in common
};

class Prover {
public:
  LogicalResult run(Operation *kernel);

private:
  LogicalResult visitBlock(Block &block, State &state);
  LogicalResult visitOp(Operation *op, State &state);
  LogicalResult visitFor(scf::ForOp loop, State &state);
  LogicalResult visitWhile(scf::WhileOp loop, State &state);
  LogicalResult visitIf(scf::IfOp branch, State &state);
  LogicalResult visitRead(Operation *op, Value lds, State &state);
  LogicalResult visitWrite(Operation *op, Value lds, Value slot, std::optional<unsigned> copies,
                           State &state);
  LogicalResult visitReturn(Operation *op, const State &state);
  LogicalResult visitStagger(Operation *op, State &state);

  LogicalResult collectBuffers(Operation *kernel);
  /// Index of the buffer and stage relative to the buffer's frame; adopts a frame for an untouched
  /// buffer.
  FailureOr<std::pair<unsigned, unsigned>> locate(Operation *op, const Part &region, State &state);
  LogicalResult checkOverwrite(Operation *op, const KeyState &key, bool byCopy);
  LogicalResult enterFrames(scf::ForOp loop, State &state);
  LogicalResult advanceFrames(scf::ForOp loop, State &state);
  LogicalResult rename(Operation *op, Value from, Value to, State &state);

  /// A single wave: nobody else has to be told, and its LDS instructions (but not its copies) are
  /// in order.
  bool oneWave = false;
  SmallVector<Buffer> buffers;
  llvm::DenseMap<Value, unsigned> ids;
  llvm::DenseMap<Value, Slot> slots;
};

} // namespace

//===--- Buffers and slots ---===//

static Part resolve(Value lds) {
  Part region;
  while (auto view = lds.getDefiningOp<LdsViewOp>()) {
    if (view.getSlot())
      region.slot = view.getSlot();
    region.whole &= view.getType().getShape() == view.getLds().getType().getShape();
    lds = view.getLds();
  }
  if (auto reshape = lds.getDefiningOp<LdsReshapeOp>())
    lds = reshape.getLds();
  region.alloc = lds;
  return region;
}

static bool overlap(const Buffer &a, const Buffer &b) {
  for (int64_t i = 0; i < a.stages; ++i)
    for (int64_t j = 0; j < b.stages; ++j) {
      int64_t beginA = a.offset + i * a.stageStride, beginB = b.offset + j * b.stageStride;
      if (beginA < beginB + b.stageBytes && beginB < beginA + a.stageBytes)
        return true;
    }
  return false;
}

LogicalResult Prover::collectBuffers(Operation *kernel) {
  WalkResult walked = kernel->walk([&](LdsAllocOp alloc) {
    if (!alloc.getOffset()) {
      alloc.emitError(
          "LDS buffer has no offset: its bytes can't be compared with others [cdna.proof.c6]");
      return WalkResult::interrupt();
    }
    LdsType type = alloc.getType();
    ids[alloc.getResult()] = buffers.size();
    buffers.push_back({alloc,
                       type.getStages(),
                       type.stageBytes(),
                       int64_t(*alloc.getOffset()),
                       alloc.stageStride(),
                       {}});
    return WalkResult::advance();
  });
  for (unsigned i = 0; i < buffers.size(); ++i)
    for (unsigned j = 0; j < buffers.size(); ++j)
      if (i != j && overlap(buffers[i], buffers[j]))
        buffers[i].overlapping.push_back(j);
  return failure(walked.wasInterrupted());
}

FailureOr<std::pair<unsigned, unsigned>> Prover::locate(Operation *op, const Part &region,
                                                        State &state) {
  auto id = ids.find(region.alloc);
  if (id == ids.end())
    return op->emitError("LDS access does not come from a cdna.lds_alloc [cdna.proof.c6]");
  int64_t stages = buffers[id->second].stages;
  if (stages == 1)
    return std::make_pair(id->second, 0u);
  auto slot = slots.find(region.slot);
  if (slot == slots.end())
    return op->emitError(
        "slot is not a known distance from the slot that its loop carries [cdna.proof.c6]");
  state.buffers[id->second].reframe(slot->second.frame);
  int64_t stage = ((slot->second.distance % stages) + stages) % stages;
  return std::make_pair(id->second, unsigned(stage));
}

//===--- Accesses ---===//

LogicalResult Prover::visitRead(Operation *op, Value lds, State &state) {
  auto place = locate(op, resolve(lds), state);
  if (failed(place))
    return failure();
  KeyState &key = state.buffers[place->first].keys[place->second];
  StringRef reason;
  if (!key.initialised)
    reason = "LDS is read before it is written on some path, or its bytes were overwritten by "
             "another buffer";
  else if (!key.landed())
    reason = "LDS is read while a write to it may be in flight: a wait is missing";
  else if (key.published != Publication::All && !oneWave)
    reason = state.staggered
                 ? "LDS is read before two barriers have published the writes of the waves behind"
                 : "LDS is read before a barrier has published the writes of the other waves";
  if (!reason.empty()) {
    InFlightDiagnostic error = op->emitError(reason) << " [cdna.proof.c1]";
    error.attachNote(buffers[place->first].alloc->getLoc()) << "the buffer";
    return error;
  }
  key.read = ReadState::Reading;
  return success();
}

LogicalResult Prover::checkOverwrite(Operation *op, const KeyState &key, bool byCopy) {
  if (oneWave && !byCopy && !key.youngerVm)
    return success();
  if (key.read == ReadState::Reading)
    return op->emitError(
        "LDS is overwritten while reads of it may be in flight: a wait is missing [cdna.proof.c2]");
  if (key.read != ReadState::Released && !oneWave)
    return op->emitError(
        "LDS is overwritten before a barrier has told that all waves have read it [cdna.proof.c2]");
  if (!key.landed())
    return op->emitError("LDS is overwritten while the write before it may be in flight: a wait is "
                         "missing [cdna.proof.c3]");
  if (key.published != Publication::All && !oneWave)
    return op->emitError("LDS is overwritten before a barrier has ordered it after the other "
                         "waves' writes [cdna.proof.c3]");
  return success();
}

LogicalResult Prover::visitWrite(Operation *op, Value lds, Value slot,
                                 std::optional<unsigned> copies, State &state) {
  Part region = resolve(lds);
  if (slot)
    region.slot = slot;
  auto place = locate(op, region, state);
  if (failed(place))
    return failure();
  KeyState &key = state.buffers[place->first].keys[place->second];
  if (failed(checkOverwrite(op, key, copies.has_value())))
    return failure();
  // Another buffer's stages can't be told apart from here: whichever overlaps counts as
  // overwritten.
  for (unsigned other : buffers[place->first].overlapping)
    for (KeyState &otherKey : state.buffers[other].keys) {
      if (failed(checkOverwrite(op, otherKey, copies.has_value())))
        return failure();
      otherKey.initialised = false;
    }
  if (copies)
    state.countVm(*copies);
  bool wasInitialised = key.initialised;
  key = KeyState();
  key.published = Publication::None;
  key.pinned = false;
  key.initialised = region.whole || wasInitialised;
  if (copies)
    key.youngerVm = 0;
  else
    key.storePending = true;
  return success();
}

/// Each group of waves has to come to as many barriers as the other: both ops on every path, in
/// turn.
LogicalResult Prover::visitStagger(Operation *op, State &state) {
  bool begins = isa<StaggerOp>(op);
  if (oneWave || begins == state.staggered)
    return op->emitError("waves are staggered once, and then aligned [cdna.proof.c7]");
  if (begins)
    state.staggered = true;
  else
    state.align();
  return success();
}

/// What two paths that meet, or a loop and the way to it, must agree on.
static LogicalResult checkSameStagger(Operation *op, const State &a, const State &b) {
  if (a.staggered == b.staggered)
    return success();
  return op->emitError("waves are staggered on one path and not on another [cdna.proof.c7]");
}

LogicalResult Prover::visitReturn(Operation *op, const State &state) {
  if (state.staggered)
    return op->emitError("the kernel ends with its waves staggered [cdna.proof.c7]");
  for (auto [buffer, known] : llvm::zip_equal(buffers, state.buffers))
    for (const KeyState &key : known.keys)
      if (key.youngerVm) {
        InFlightDiagnostic error =
            op->emitError("a copy into LDS may be in flight when the kernel ends, and these bytes "
                          "may belong to another workgroup by then [cdna.proof.c5]");
        error.attachNote(buffer.alloc->getLoc()) << "the buffer";
        return error;
      }
  return success();
}

//===--- Control flow ---===//

/// From here on stages of the buffers in frame `from` are counted from `to`, which equals from +
/// distance.
LogicalResult Prover::rename(Operation *op, Value from, Value to, State &state) {
  auto known = slots.find(from);
  if (known == slots.end())
    return op->emitError(
        "slot carried by the loop or branch has an unknown origin [cdna.proof.c6]");
  Slot origin = known->second;
  for (auto [buffer, info] : llvm::zip_equal(state.buffers, buffers))
    if (info.stages > 1 && buffer.frame == origin.frame) {
      buffer.rotate(origin.distance);
      buffer.frame = to;
    }
  return success();
}

LogicalResult Prover::enterFrames(scf::ForOp loop, State &state) {
  llvm::SmallDenseSet<Value> frames;
  for (auto [init, arg] : llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (!isa<SlotType>(init.getType()))
      continue;
    // Two slots of one ring would need their distance as an invariant; the pipeliner carries one.
    auto known = slots.find(init);
    if (known != slots.end() && !frames.insert(known->second.frame).second)
      return loop.emitError("loop carries two slots of one ring [cdna.proof.c6]");
    if (failed(rename(loop, init, arg, state)))
      return failure();
    slots[arg] = {arg, 0};
  }
  return success();
}

LogicalResult Prover::advanceFrames(scf::ForOp loop, State &state) {
  for (auto [yielded, arg] : llvm::zip_equal(loop.getYieldedValues(), loop.getRegionIterArgs())) {
    if (!isa<SlotType>(arg.getType()))
      continue;
    auto known = slots.find(yielded);
    if (known == slots.end() || known->second.frame != arg)
      return loop.emitError("loop does not advance its slot by a constant [cdna.proof.c6]");
    if (failed(rename(loop, yielded, arg, state)))
      return failure();
  }
  return success();
}

LogicalResult Prover::visitFor(scf::ForOp loop, State &state) {
  if (failed(enterFrames(loop, state)))
    return failure();
  // `state` is the state at the loop's head: entry met with every back edge so far. Each component
  // only gets worse and has finitely many values, so this ends.
  for (bool changed = true; changed;) {
    State body = state;
    if (failed(visitBlock(*loop.getBody(), body)) || failed(advanceFrames(loop, body)) ||
        failed(checkSameStagger(loop, state, body)))
      return failure();
    changed = state.meet(body);
  }
  for (auto [arg, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    if (isa<SlotType>(arg.getType())) {
      if (failed(rename(loop, arg, result, state)))
        return failure();
      slots[result] = {result, 0};
    }
  return success();
}

/// Only loops that the pipeliner made carry slots, and it leaves this kind alone.
LogicalResult Prover::visitWhile(scf::WhileOp loop, State &state) {
  if (llvm::any_of(loop.getOperandTypes(), llvm::IsaPred<SlotType>))
    return loop.emitError("a loop without a count carries a slot [cdna.proof.c6]");
  State leaving;
  for (bool changed = true; changed;) {
    State round = state;
    if (failed(visitBlock(*loop.getBeforeBody(), round)))
      return failure();
    leaving = round;
    if (failed(visitBlock(*loop.getAfterBody(), round)) ||
        failed(checkSameStagger(loop, state, round)))
      return failure();
    changed = state.meet(round);
  }
  state = leaving;
  return success();
}

LogicalResult Prover::visitIf(scf::IfOp branch, State &state) {
  State other = state;
  if (failed(visitBlock(*branch.thenBlock(), state)))
    return failure();
  if (branch.elseBlock() && failed(visitBlock(*branch.elseBlock(), other)))
    return failure();
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    if (!isa<SlotType>(result.getType()))
      continue;
    if (failed(rename(branch, branch.thenYield().getOperand(i), result, state)) ||
        failed(rename(branch, branch.elseYield().getOperand(i), result, other)))
      return failure();
    slots[result] = {result, 0};
  }
  if (failed(checkSameStagger(branch, state, other)))
    return failure();
  state.meet(other);
  return success();
}

LogicalResult Prover::visitOp(Operation *op, State &state) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop, state);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop, state);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch, state);
  if (auto slot = dyn_cast<SlotOp>(op)) {
    slots[slot.getResult()] = {Value(), int64_t(slot.getStage())};
    return success();
  }
  if (auto next = dyn_cast<NextSlotOp>(op)) {
    if (auto known = slots.find(next.getSlot()); known != slots.end()) {
      Slot moved = known->second;
      moved.distance += next.getBy();
      slots[next.getResult()] = moved;
    }
    return success();
  }
  if (auto load = dyn_cast<LdsLoadOp>(op))
    return visitRead(op, load.getLds(), state);
  if (auto store = dyn_cast<LdsStoreOp>(op))
    return visitWrite(op, store.getLds(), Value(), std::nullopt, state);
  if (auto gather = dyn_cast<LdsGatherOp>(op))
    return visitRead(op, gather.getLds(), state);
  if (auto scatter = dyn_cast<LdsScatterOp>(op))
    return visitWrite(op, scatter.getLds(), Value(), std::nullopt, state);
  if (auto atomic = dyn_cast<LdsAtomicOp>(op)) {
    // What a read demands, too; but nothing is in flight to a register, so no read begins. A single
    // wave's LDS instructions are in order.
    State asRead = state;
    if (!oneWave && failed(visitRead(op, atomic.getLds(), asRead)))
      return failure();
    return visitWrite(op, atomic.getLds(), Value(), std::nullopt, state);
  }
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return visitWrite(op, copy.getLds(), copy.getSlot(), copy.numInstructions(), state);
  if (auto wait = dyn_cast<WaitCountOp>(op)) {
    state.waitCount(wait.getVm(), wait.getLgkm());
    return success();
  }
  if (isa<BarrierOp>(op)) {
    state.barrier();
    return success();
  }
  if (isa<StaggerOp, AlignOp>(op))
    return visitStagger(op, state);
  if (isa<SchedFenceOp>(op)) {
    state.fence();
    return success();
  }
  if (isa<ReturnOp>(op))
    return visitReturn(op, state);
  // Any other op with regions or with LDS operands is outside of what this proof understands.
  bool touchesLds = !isa<LdsViewOp, LdsReshapeOp, LdsAllocOp>(op) &&
                    llvm::any_of(op->getOperandTypes(), [](Type t) { return isa<LdsType>(t); });
  bool nested = op->walk([&](Operation *inner) {
                    return inner != op && isa<LdsLoadOp, LdsStoreOp, LdsGatherOp, LdsScatterOp,
                                              LdsAtomicOp, AsyncCopyOp, BarrierOp>(inner)
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  }).wasInterrupted();
  if (touchesLds || nested)
    return op->emitError("LDS is used by an op that the wait proof does not know [cdna.proof.c1]");
  return success();
}

LogicalResult Prover::visitBlock(Block &block, State &state) {
  for (Operation &op : block)
    if (failed(visitOp(&op, state)))
      return failure();
  return success();
}

LogicalResult Prover::run(Operation *kernel) {
  if (failed(collectBuffers(kernel)))
    return failure();
  oneWave = cast<KernelOp>(kernel).getWaveCount() == 1;
  State state;
  for (const Buffer &buffer : buffers)
    state.buffers.push_back({Value(), SmallVector<KeyState, 2>(buffer.stages)});
  return visitBlock(kernel->getRegion(0).front(), state);
}

LogicalResult tegula::cdna::proveWaits(Operation *kernel) { return Prover().run(kernel); }
