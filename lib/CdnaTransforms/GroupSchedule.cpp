// cdna-group-schedule: tells LLVM's scheduler the mix of instructions between two fences of a loop.
#include "InstructionCounts.h"
#include "tegula/CdnaTransforms/Passes.h"

using namespace mlir;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_GROUPSCHEDULEPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

// The last products cover the latency of the last read.
static constexpr int64_t kCover = 8;
static constexpr int64_t kWorthwhile = 8;
// Groups of one kind in a phase. LLVM tries the candidates of each group against the instructions
// of all others: an f32 GEMM of 128x128x64 that stores single dwords took 4.7 s with 320 groups and
// takes 1.1 s with these.
static constexpr int64_t kMostGroups = 16;
// Instructions of a kind times their groups. Each is tried in each group, and 256 loads in 16
// groups took 6.5 s.
static constexpr int64_t kMostTrials = 512;

namespace {

/// Instructions between two fences.
struct Phase {
  int64_t mfma = 0, global = 0, reads = 0, writes = 0;
};

/// Emits the groups of one phase and keeps count of the matrix instructions that are left.
class GroupEmitter {
public:
  GroupEmitter(Operation *fence, const Phase &phase)
      : builder(fence), loc(fence->getLoc()), phase(phase), left(phase.mfma) {}
  void run();

private:
  void group(GroupKind kind, int64_t count) {
    if (count > 0)
      SchedGroupOp::create(builder, loc, kind, count);
  }
  /// `count` instructions of a kind in groups of one; in larger ones where there are many. Each
  /// group has `products` matrix instructions beside it, in front or behind.
  void mix(GroupKind kind, int64_t count, int64_t each, bool productsFirst) {
    int64_t groups = std::clamp<int64_t>(kMostTrials / std::max<int64_t>(count, 1), 1, kMostGroups);
    int64_t size = llvm::divideCeil(count, groups);
    for (int64_t done = 0; done < count; done += size) {
      int64_t now = std::min(size, count - done);
      if (productsFirst)
        products(each * now);
      group(kind, now);
      if (!productsFirst)
        products(each * now);
    }
  }
  void products(int64_t count) {
    count = std::min(count, left);
    group(GroupKind::Mfma, count);
    left -= count;
  }

  OpBuilder builder;
  Location loc;
  Phase phase;
  int64_t left;
};

} // namespace

void GroupEmitter::run() {
  if (phase.writes > 0) {
    // Registers go to LDS first: they were loaded an iteration ago and make room for what is loaded
    // next.
    int64_t each = std::max<int64_t>(1, left / (phase.writes + phase.global + 2));
    mix(GroupKind::DsWrite, phase.writes, each, /*productsFirst=*/true);
    mix(GroupKind::Vmem, phase.global, each, /*productsFirst=*/true);
  } else {
    mix(GroupKind::Vmem, phase.global, 1, /*productsFirst=*/false);
  }
  if (phase.reads > 0) {
    int64_t each = std::clamp<int64_t>((left - kCover) / phase.reads, 1, 2);
    mix(GroupKind::DsRead, phase.reads, each, /*productsFirst=*/false);
  }
  products(left);
}

static void count(Operation &op, Phase &phase) {
  if (auto product = dyn_cast<MfmaOp>(op))
    phase.mfma += mfmaCount(product);
  else if (auto copy = dyn_cast<AsyncCopyOp>(op))
    phase.global += copy.numInstructions();
  else if (auto load = dyn_cast<LoadOp>(op))
    phase.global += globalAccessCount(load);
  else if (auto read = dyn_cast<LdsLoadOp>(op))
    phase.reads += ldsAccessCount(cast<RankedTensorType>(read.getResult().getType()),
                                  read.getLds().getType(), read.getTranspose());
  else if (auto write = dyn_cast<LdsStoreOp>(op))
    phase.writes += ldsAccessCount(cast<RankedTensorType>(write.getValue().getType()),
                                   write.getLds().getType(), false);
}

static void scheduleBody(Block &body) {
  Phase phase;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (isa<SchedFenceOp>(op) && phase.mfma >= kWorthwhile)
      GroupEmitter(&op, phase).run();
    if (isa<SchedFenceOp>(op) || endsSchedule(&op))
      phase = Phase();
    else
      count(op, phase);
  }
}

namespace {
struct GroupSchedulePass : tegula::cdna::impl::GroupSchedulePassBase<GroupSchedulePass> {
  void runOnOperation() final {
    getOperation().walk([](scf::ForOp loop) { scheduleBody(*loop.getBody()); });
    getOperation()->setAttr(kScheduledAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
