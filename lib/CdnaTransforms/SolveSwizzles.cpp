// cdna-solve-swizzles: XOR masks for the LDS buffers that ask for them. The search is lib/Layout's.
#include "InstructionCounts.h"
#include "LdsFacts.h"
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/Layout/Swizzle.h"

#include "llvm/Support/MathExtras.h"
#include <deque>

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNASOLVESWIZZLES
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

static LdsOp opOfWidth(int64_t bytes, bool write) {
  if (bytes >= 16)
    return write ? LdsOp::WriteB128 : LdsOp::ReadB128;
  if (bytes >= 8)
    return write ? LdsOp::WriteB64 : LdsOp::ReadB64;
  return write ? LdsOp::WriteB32 : LdsOp::ReadB32;
}

/// The pattern of an access, or nothing for one that a swizzle can't change (direct copies write
/// linearly) or that isn't linear.
static std::optional<LdsAccess> patternOf(Operation *op, LdsType buffer) {
  RankedTensorType type;
  bool write = isa<LdsStoreOp>(op), transpose = false;
  if (auto store = dyn_cast<LdsStoreOp>(op)) {
    type = cast<RankedTensorType>(store.getValue().getType());
  } else if (auto load = dyn_cast<LdsLoadOp>(op)) {
    type = cast<RankedTensorType>(load.getResult().getType());
    transpose = load.getTranspose();
  } else {
    return std::nullopt;
  }
  Layout layout = tileLayout(type);
  if (transpose && (layout.reg.size() < 2 || layout.lane.size() < 6))
    return std::nullopt;
  unsigned bits = elementBytes(type.getElementType()) * 8;
  std::vector<unsigned> order(buffer.getOrder().begin(), buffer.getOrder().end());
  int64_t weight = ldsAccessCount(type, buffer, transpose);
  LdsOp kind =
      transpose ? LdsOp::ReadTrB64 : opOfWidth(ldsAccessBytes(type, buffer, transpose), write);
  return ldsAccess(transpose ? transposedSource(layout) : layout, order, buffer.getPitch(), bits,
                   kind, weight);
}

static bool samePattern(const LdsAccess &a, const LdsAccess &b) {
  return a.op == b.op && a.laneBytes == b.laneBytes && a.registerRows == b.registerRows;
}

namespace {

/// Solves the buffers of a kernel; those of the loop and of its masked rest usually ask the same
/// question.
class Solver {
public:
  Solver(const Target &target, int64_t waves) : target(target), waves(waves) {}
  void solve(LdsAllocOp alloc);

private:
  struct Answer {
    int64_t rows, pitch;
    std::vector<LdsAccess> accesses;
    SwizzleResult result;
  };
  const SwizzleResult &resultFor(LdsType type, const std::vector<LdsAccess> &accesses);

  const Target &target;
  int64_t waves;
  std::deque<Answer> answers;
};

} // namespace

const SwizzleResult &Solver::resultFor(LdsType type, const std::vector<LdsAccess> &accesses) {
  for (const Answer &answer : answers) {
    bool same = answer.rows == type.numRows() && answer.pitch == type.getPitch() &&
                std::equal(accesses.begin(), accesses.end(), answer.accesses.begin(),
                           answer.accesses.end(), [](const LdsAccess &a, const LdsAccess &b) {
                             return samePattern(a, b) && a.weight == b.weight;
                           });
    if (same)
      return answer.result;
  }
  SwizzleResult result{{}, std::vector<int>(accesses.size(), 1), 0};
  bool conflict = llvm::any_of(accesses, [&](const LdsAccess &access) {
    return conflictFactor(access, type.getPitch(), {}, target) > 1;
  });
  if (conflict)
    result = solveSwizzle(type.numRows(), type.getPitch(), accesses, target);
  answers.push_back({type.numRows(), type.getPitch(), accesses, std::move(result)});
  return answers.back().result;
}

void Solver::solve(LdsAllocOp alloc) {
  LdsType type = alloc.getType();
  SmallVector<Operation *> users = ldsAccesses(alloc);
  std::vector<LdsAccess> accesses;
  for (Operation *op : users)
    if (std::optional<LdsAccess> access = patternOf(op, type)) {
      auto known = llvm::find_if(
          accesses, [&](const LdsAccess &other) { return samePattern(*access, other); });
      if (known == accesses.end())
        accesses.push_back(*access);
      else
        known->weight += access->weight;
    }
  alloc.setSwizzle(false);
  // One chunk a row leaves nothing to permute; other pitches keep their natural skew.
  if (!llvm::isPowerOf2_64(type.getPitch()) || type.getPitch() < 32 || accesses.empty())
    return;
  const SwizzleResult &result = resultFor(type, accesses);
  alloc.getResult().setType(withPitchAndSwizzle(type, type.getPitch(), result.masks));
  refreshViews(alloc);
  for (Operation *op : users)
    if (auto copy = dyn_cast<AsyncCopyOp>(op))
      copy.setFetchAttr(LayoutAttr::get(alloc.getContext(),
                                        *linearFetch(alloc.getType(), waves, copy.getWidth())));
  int worst = *std::max_element(result.factors.begin(), result.factors.end());
  if (worst > 1)
    alloc.emitRemark("LDS accesses of this tile take ")
        << worst << " times as long as without bank conflicts";
}

namespace {
struct SolveSwizzlesPass : tegula::cdna::impl::CdnaSolveSwizzlesBase<SolveSwizzlesPass> {
  void runOnOperation() final {
    KernelOp kernel = getOperation();
    Solver solver(kernel.getTargetInfo(), kernel.getWaveCount());
    kernel.walk([&](LdsAllocOp alloc) {
      if (alloc.getSwizzle())
        solver.solve(alloc);
    });
  }
};
} // namespace
