// Concrete traces of LDS accesses, waits and barriers.
#include "SyncTrace.h"
#include "dialects/cdna/Cdna.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <tuple>

using namespace mlir;
using namespace tegula::cdna;

// Beyond this many paths only one branching op at a time leaves its longest choice; the proof
// covers the rest.
static constexpr int64_t kMaxPaths = 2048;

/// Options of a branch in a loop that goes the other way each time.
static constexpr int kThenFirst = 2, kElseFirst = 3;

static bool hasExit(Block &block) { return !block.getOps<ExitOp>().empty(); }

//===--- One wave on one path ---===//

/// The accesses that are not yet known to be finished in every wave.
class SyncTrace::Wave {
public:
  Wave(const SyncTrace &trace, const llvm::DenseMap<Operation *, int> &path,
       const llvm::DenseSet<Operation *> &disabled)
      : trace(trace), path(path), disabled(disabled) {}

  SyncViolation run(Operation *kernel) {
    runBlock(kernel->getRegion(0).front());
    return violation;
  }

private:
  enum class Kind { Read, Store, Copy };
  struct Pending {
    Operation *op;
    Kind kind;
    unsigned buffer;
    int64_t slot;
    unsigned younger = 0; ///< vector memory operations issued after a copy
    bool fenced = false;  ///< the compiler can't move what follows before it
    bool done = false;    ///< finished in this wave, other waves don't know yet
    bool passed = false;  ///< done, and a barrier later, but waves are staggered
  };

  void runBlock(Block &block);
  void runOp(Operation &op);
  void runLoop(scf::ForOp loop);
  void runWhile(scf::WhileOp loop);
  void runBranch(scf::IfOp branch);
  void access(Operation *op, Kind kind, Value lds, Value slot, unsigned count);
  void wait(unsigned vm, unsigned lgkm);
  void barrier();
  void align();
  void fence() {
    for (Pending &p : pending)
      p.fenced = true;
  }
  void exit(Operation *op);
  void copySlots(ValueRange from, ValueRange to);

  const SyncTrace &trace;
  const llvm::DenseMap<Operation *, int> &path;
  const llvm::DenseSet<Operation *> &disabled;
  llvm::DenseMap<Operation *, int> visits; ///< of branches that alternate
  llvm::DenseMap<Value, int64_t> slots;    ///< not reduced: the access takes it modulo its stages
  SmallVector<Pending> pending;
  bool staggered = false;
  SyncViolation violation;
};

void SyncTrace::Wave::copySlots(ValueRange from, ValueRange to) {
  SmallVector<std::pair<Value, int64_t>> moved;
  for (auto [source, target] : llvm::zip(from, to))
    if (auto it = slots.find(source); it != slots.end())
      moved.emplace_back(target, it->second);
  for (auto [target, slot] : moved)
    slots[target] = slot;
}

void SyncTrace::Wave::runLoop(scf::ForOp loop) {
  copySlots(loop.getInitArgs(), loop.getRegionIterArgs());
  // A loop without LDS traffic has no entry: nothing in it matters.
  auto it = path.find(loop);
  for (int i = 0, trips = it == path.end() ? 0 : it->second; i < trips && !violation.op; ++i) {
    runBlock(*loop.getBody());
    copySlots(loop.getYieldedValues(), loop.getRegionIterArgs());
  }
  copySlots(loop.getRegionIterArgs(), loop.getResults());
}

/// The region that tests runs once more than the body.
void SyncTrace::Wave::runWhile(scf::WhileOp loop) {
  auto it = path.find(loop);
  for (int i = 0, trips = it == path.end() ? -1 : it->second; i <= trips && !violation.op; ++i) {
    runBlock(*loop.getBeforeBody());
    if (i < trips && !violation.op)
      runBlock(*loop.getAfterBody());
  }
}

void SyncTrace::Wave::runBranch(scf::IfOp branch) {
  if (hasExit(*branch.thenBlock())) {
    // Both ways on every path: those who leave do not come back.
    auto before = std::make_pair(slots, pending);
    runBlock(*branch.thenBlock());
    std::tie(slots, pending) = std::move(before);
    if (branch.elseBlock() && !violation.op)
      runBlock(*branch.elseBlock());
    return;
  }
  auto it = path.find(branch);
  if (it == path.end())
    return;
  bool isThen = it->second == 1;
  if (it->second >= kThenFirst)
    isThen = (it->second - kThenFirst + visits[branch]++) % 2 == 0;
  Block *taken = isThen ? branch.thenBlock() : branch.elseBlock();
  if (!taken)
    return;
  runBlock(*taken);
  copySlots(taken->getTerminator()->getOperands(), branch.getResults());
}

void SyncTrace::Wave::access(Operation *op, Kind kind, Value lds, Value slot, unsigned count) {
  std::optional<LdsPlace> place = getLdsPlace(lds);
  if (!place)
    return; // the proof refuses it
  unsigned buffer = trace.bufferIds.lookup(place->alloc.getResult());
  int64_t stage = 0;
  if (Value s = slot ? slot : place->slot)
    stage = slots.lookup(s) % trace.buffers[buffer].stages;
  for (Pending &p : pending) {
    bool conflict = kind != Kind::Read || p.kind != Kind::Read;
    if (trace.oneWave && kind == Kind::Store)
      conflict = p.kind == Kind::Copy;
    if (conflict && trace.overlap(buffer, stage, p.buffer, p.slot)) {
      violation = {op, p.op, /*needsBarrier=*/!trace.oneWave, /*atExit=*/false};
      return;
    }
  }
  if (kind == Kind::Copy)
    for (Pending &p : pending)
      if (p.fenced)
        p.younger += count;
  pending.push_back({op, kind, buffer, stage});
}

void SyncTrace::Wave::wait(unsigned vm, unsigned lgkm) {
  for (Pending &p : pending) {
    if (p.kind == Kind::Copy)
      p.done |= vm != kAnyVm && p.younger >= vm; // the largest count waits for nothing
    else
      p.done |=
          lgkm == 0; // scalar loads share the counter and return out of order: only zero is sure
  }
  if (trace.oneWave)
    llvm::erase_if(pending, [](const Pending &p) { return p.done; });
  fence();
}

void SyncTrace::Wave::barrier() {
  llvm::erase_if(pending, [&](const Pending &p) { return staggered ? p.passed : p.done; });
  for (Pending &p : pending)
    p.passed = p.done;
  fence();
}

void SyncTrace::Wave::align() {
  staggered = false;
  llvm::erase_if(pending, [](const Pending &p) { return p.passed; });
  fence();
}

void SyncTrace::Wave::exit(Operation *op) {
  for (Pending &p : pending)
    if (p.kind == Kind::Copy && !p.done) {
      violation = {op, p.op, /*needsBarrier=*/false, /*atExit=*/true};
      return;
    }
}

void SyncTrace::Wave::runOp(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runLoop(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runBranch(branch);
  if (auto slot = dyn_cast<SlotOp>(op)) {
    slots[slot.getResult()] = slot.getStage();
  } else if (auto next = dyn_cast<NextSlotOp>(op)) {
    slots[next.getResult()] = slots.lookup(next.getSlot()) + next.getBy();
  } else if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    access(&op, Kind::Copy, copy.getLds(), copy.getSlot(), copy.numInstructions());
  } else if (auto store = dyn_cast<LdsStoreOp>(op)) {
    access(&op, Kind::Store, store.getLds(), Value(), 0);
  } else if (auto load = dyn_cast<LdsLoadOp>(op)) {
    access(&op, Kind::Read, load.getLds(), Value(), 0);
  } else if (auto gather = dyn_cast<LdsGatherOp>(op)) {
    access(&op, Kind::Read, gather.getLds(), Value(), 0);
  } else if (auto scatter = dyn_cast<LdsScatterOp>(op)) {
    access(&op, Kind::Store, scatter.getLds(), Value(), 0);
  } else if (auto atomic = dyn_cast<LdsAtomicOp>(op)) {
    access(&op, Kind::Store, atomic.getLds(), Value(), 0);
  } else if (auto count = dyn_cast<WaitCountOp>(op)) {
    if (!disabled.contains(&op))
      wait(count.getVm(), count.getLgkm());
  } else if (isa<BarrierOp>(op)) {
    if (!disabled.contains(&op))
      barrier();
  } else if (isa<StaggerOp>(op)) {
    staggered = true;
  } else if (isa<AlignOp>(op)) {
    align();
  } else if (isa<SchedFenceOp>(op)) {
    fence();
  } else if (isa<ReturnOp, ExitOp>(op)) {
    exit(&op);
  }
}

void SyncTrace::Wave::runBlock(Block &block) {
  for (Operation &op : block) {
    if (violation.op)
      return;
    runOp(op);
  }
}

//===--- Paths ---===//

SyncTrace::SyncTrace(Operation *kernel) : kernel(kernel) { collect(kernel); }

static bool hasLdsTraffic(Operation *op) {
  WalkResult found = op->walk([](Operation *inner) {
    return isa<AsyncCopyOp, LdsStoreOp, LdsLoadOp, LdsGatherOp, LdsScatterOp, LdsAtomicOp,
               WaitCountOp, BarrierOp, NextSlotOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return found.wasInterrupted();
}

void SyncTrace::collect(Operation *kernel) {
  oneWave = cast<KernelOp>(kernel).getWaveCount() == 1;
  int64_t maxStages = 1;
  kernel->walk([&](LdsAllocOp alloc) {
    Buffer b;
    b.stages = alloc.getType().getStages();
    b.stageBytes = alloc.getType().stageBytes();
    b.offset = alloc.getOffset() ? int64_t(*alloc.getOffset()) : -1;
    b.stageStride = alloc.stageStride();
    maxStages = std::max(maxStages, b.stages);
    bufferIds[alloc.getResult()] = buffers.size();
    buffers.push_back(b);
  });
  int longest = maxStages + 2; // a full turn of the ring, and the steady state after it
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel || !hasLdsTraffic(op))
      return;
    if (isa<scf::ForOp, scf::WhileOp>(op))
      choices.push_back({op, {longest, 2, 1, 0}});
    else if (auto branch = dyn_cast<scf::IfOp>(op); branch && !hasExit(*branch.thenBlock()))
      choices.push_back({op, {1, 0}});
  });
}

bool SyncTrace::overlap(unsigned a, int64_t slotA, unsigned b, int64_t slotB) const {
  if (a == b)
    return slotA == slotB;
  const Buffer &x = buffers[a], &y = buffers[b];
  if (x.offset < 0 || y.offset < 0)
    return false;
  // All stages of both count: where a ring stands after a loop is known on this path only.
  for (int64_t i = 0; i < x.stages; ++i)
    for (int64_t j = 0; j < y.stages; ++j) {
      int64_t beginX = x.offset + i * x.stageStride, beginY = y.offset + j * y.stageStride;
      if (beginX < beginY + y.stageBytes && beginY < beginX + x.stageBytes)
        return true;
    }
  return false;
}

SyncViolation SyncTrace::runPath(const llvm::DenseMap<Operation *, int> &path,
                                 const llvm::DenseSet<Operation *> &disabled) const {
  return Wave(*this, path, disabled).run(kernel);
}

/// Paths on which one branch in a loop goes the other way each time, from a path on which all go
/// the same way.
SyncViolation SyncTrace::checkAlternating(llvm::DenseMap<Operation *, int> path,
                                          const llvm::DenseSet<Operation *> &disabled) const {
  for (const Choice &c : choices) {
    if (!isa<scf::IfOp>(c.op) || !c.op->getParentOfType<LoopLikeOpInterface>())
      continue;
    for (int option : {kThenFirst, kElseFirst}) {
      path[c.op] = option;
      if (SyncViolation v = runPath(path, disabled); v.op)
        return v;
    }
    path[c.op] = c.options.front();
  }
  return {};
}

SyncViolation SyncTrace::check(const llvm::DenseSet<Operation *> &disabled) const {
  llvm::DenseMap<Operation *, int> path;
  int64_t total = 1;
  for (const Choice &c : choices) {
    path[c.op] = c.options.front();
    total = std::min<int64_t>(total * c.options.size(), kMaxPaths + 1);
  }
  if (SyncViolation v = checkAlternating(path, disabled); v.op)
    return v;
  if (total > kMaxPaths) {
    for (const Choice &c : choices)
      for (int option : c.options) {
        llvm::DenseMap<Operation *, int> varied = path;
        varied[c.op] = option;
        if (SyncViolation v = runPath(varied, disabled); v.op)
          return v;
      }
    return {};
  }
  for (int64_t n = 0; n < total; ++n) {
    int64_t rest = n;
    for (const Choice &c : choices) {
      path[c.op] = c.options[rest % c.options.size()];
      rest /= c.options.size();
    }
    if (SyncViolation v = runPath(path, disabled); v.op)
      return v;
  }
  return {};
}
