// cdna-solve-swizzles: XOR masks for the LDS buffers that ask for them, or padded rows. The search
// for masks is lib/Layout's.
#include "InstructionCounts.h"
#include "LdsConflicts.h"
#include "LdsFacts.h"
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/Layout/Swizzle.h"

#include "llvm/Support/MathExtras.h"
#include <deque>
#include <numeric>

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_SOLVESWIZZLESPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

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
  Layout layout = layoutOf(type);
  unsigned bits = elementBytes(type.getElementType()) * 8;
  std::vector<unsigned> order(buffer.getOrder().begin(), buffer.getOrder().end());
  int64_t weight = ldsAccessCount(type, buffer, transpose);
  LdsOp kind =
      transpose ? LdsOp::ReadTrB64 : ldsOpOfWidth(ldsAccessBytes(type, buffer, transpose), write);
  return ldsAccess(transpose ? transposedSource(layout, bits) : layout, order,
                   buffer.swizzleGroup(), bits, kind, weight);
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
  LdsType swizzled(LdsType type, ArrayRef<Operation *> users);
  LdsType swizzledGroups(LdsType type, ArrayRef<Operation *> users);
  LdsType padded(LdsType type, ArrayRef<Operation *> users);
  LdsClocks clocksOf(LdsType type, ArrayRef<Operation *> users);
  struct Answer {
    int64_t rows, group;
    std::vector<LdsAccess> accesses;
    SwizzleResult result;
  };
  const SwizzleResult &resultFor(int64_t rows, int64_t group,
                                 const std::vector<LdsAccess> &accesses);

  const Target &target;
  int64_t waves;
  std::deque<Answer> answers;
};

} // namespace

const SwizzleResult &Solver::resultFor(int64_t rows, int64_t group,
                                       const std::vector<LdsAccess> &accesses) {
  for (const Answer &answer : answers) {
    bool same = answer.rows == rows && answer.group == group &&
                std::equal(accesses.begin(), accesses.end(), answer.accesses.begin(),
                           answer.accesses.end(), [](const LdsAccess &a, const LdsAccess &b) {
                             return samePattern(a, b) && a.weight == b.weight;
                           });
    if (same)
      return answer.result;
  }
  SwizzleResult result{{}, std::vector<int>(accesses.size(), 1), 0};
  bool conflict = llvm::any_of(accesses, [&](const LdsAccess &access) {
    return conflictFactor(access, group, {}, target) > 1;
  });
  if (conflict)
    result = solveSwizzle(rows, group, accesses, target);
  answers.push_back({rows, group, accesses, std::move(result)});
  return answers.back().result;
}

/// Rows that each part which is accessed has a multiple of.
static int64_t rowsOfParts(LdsType type, ArrayRef<Operation *> users) {
  int64_t rows = type.numRows();
  for (Operation *user : users)
    for (Value operand : user->getOperands())
      if (auto part = dyn_cast<LdsType>(operand.getType()))
        rows = std::gcd(rows, part.numRows());
  return rows;
}

/// The type with the masks that suit its accesses if its pitch is a power of two, or would suit
/// them if rows were as long as a group.
LdsType Solver::swizzled(LdsType type, ArrayRef<Operation *> users) {
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
  // One chunk a group leaves nothing to permute.
  int64_t group = type.swizzleGroup();
  if (group < 32 || accesses.empty())
    return type;
  XorMasks masks = resultFor(type.numRows(), group, accesses).masks;
  // Rows that change places stay inside of each part.
  if (llvm::any_of(masks, [&](int32_t mask) { return mask * 16 >= group; })) {
    int64_t rows = rowsOfParts(type, users);
    masks = resultFor(rows & -rows, group, accesses).masks;
  }
  return withPitchAndSwizzle(type, type.getPitch(), masks);
}

LdsClocks Solver::clocksOf(LdsType type, ArrayRef<Operation *> users) {
  LdsClocks clocks;
  for (Operation *user : users)
    if (isa<LdsStoreOp, LdsLoadOp>(user))
      clocks += ldsClocks(user, type, target);
  return clocks;
}

//===--- Pitches that are no power of two ---===//

namespace {

/// Rows times an odd number are no XOR of row bits, so no rank tells the conflicts of a mask. They
/// are counted, for the masks that people would try.
class OddSearch {
public:
  using Clocks = llvm::function_ref<int64_t(LdsType)>;
  /// `rows` of each part that is accessed: rows change places inside of it.
  OddSearch(LdsType type, int64_t rows, Clocks lost)
      : type(type), rows(rows), rowBits(std::min(6u, llvm::Log2_64_Ceil(type.numRows()))),
        lost(lost) {}

  LdsType run(LdsType guess) {
    consider(guess);
    tryFamily(XorMasks(rowBits, 0));
    for (unsigned bit = 0; bit < rowBits && least > 0; ++bit)
      for (unsigned other = bit + 1; other < rowBits; ++other)
        exchangeRows(bit, other);
    return best;
  }

private:
  /// Two bits of the row number change places, or the higher one is added to the lower one.
  void exchangeRows(unsigned bit, unsigned other) {
    if (rows % (int64_t(2) << other) != 0)
      return;
    int32_t chunks = type.swizzleGroup() / 16, low = chunks << bit, high = chunks << other;
    for (int32_t mask : {low | high, low}) {
      XorMasks masks(rowBits, 0);
      masks[other] = mask;
      masks[bit] = mask & high ? mask : 0;
      tryFamily(masks);
    }
  }

  /// `moved` alone and with masks 1, 2, 4 … from each row bit on.
  void tryFamily(const XorMasks &moved) {
    tryMasks(moved);
    for (unsigned shift = 0; shift < rowBits && least > 0; ++shift) {
      XorMasks masks = moved;
      for (unsigned j = shift; j < rowBits && (16 << (j - shift)) < type.swizzleGroup(); ++j)
        masks[j] |= 1 << (j - shift);
      if (masks != moved)
        tryMasks(masks);
    }
  }

  void tryMasks(XorMasks masks) {
    while (!masks.empty() && masks.back() == 0)
      masks.pop_back();
    consider(withPitchAndSwizzle(type, type.getPitch(), masks));
  }
  void consider(LdsType candidate) {
    int64_t clocks = least > 0 ? lost(candidate) : 0;
    if (clocks < least) {
      least = clocks;
      best = candidate;
    }
  }

  LdsType type, best;
  int64_t rows;
  unsigned rowBits;
  Clocks lost;
  int64_t least = std::numeric_limits<int64_t>::max();
};

} // namespace

LdsType Solver::swizzledGroups(LdsType type, ArrayRef<Operation *> users) {
  int64_t rows = rowsOfParts(type, users);
  auto lost = [&](LdsType candidate) { return clocksOf(candidate, users).lost; };
  return OddSearch(type, rows, lost).run(swizzled(type, users));
}

/// Where conflicts are left, rows grow by chunks, at most eight, or to a power of two that can be
/// swizzled: what loses fewest clocks, then what is smallest.
LdsType Solver::padded(LdsType type, ArrayRef<Operation *> users) {
  if (type.numRows() < 2 || llvm::any_of(users, llvm::IsaPred<AsyncCopyOp>))
    return type;
  auto fits = [&](int64_t pitch) {
    return type.numRows() * pitch * type.getStages() <= target.ldsBytes / 4 * 3;
  };
  LdsType best = type;
  int64_t least = clocksOf(type, users).lost;
  auto consider = [&](LdsType candidate) {
    int64_t lost = clocksOf(candidate, users).lost;
    if (lost < least) {
      best = candidate;
      least = lost;
    }
  };
  for (int64_t chunks = 0; chunks <= 8 && least > 0; ++chunks)
    if (int64_t pitch = llvm::alignTo(type.getPitch(), 16) + 16 * chunks; fits(pitch))
      consider(withPitchAndSwizzle(type, pitch, {}));
  if (int64_t pitch = llvm::PowerOf2Ceil(type.getPitch()); fits(pitch) && least > 0)
    consider(swizzled(withPitchAndSwizzle(type, pitch, {}), users));
  return best;
}

/// Accesses of later k-steps lie elsewhere only: one of each kind.
static SmallVector<Operation *> differentAccesses(ArrayRef<Operation *> users) {
  using Kind = std::tuple<OperationName, Type, Type, bool>;
  SmallVector<Operation *> different;
  SmallVector<Kind> seen;
  for (Operation *user : users) {
    auto load = dyn_cast<LdsLoadOp>(user);
    auto store = dyn_cast<LdsStoreOp>(user);
    if (load || store) {
      Value lds = load ? load.getLds() : store.getLds();
      Type tile = load ? load.getType() : store.getValue().getType();
      Kind kind(user->getName(), tile, lds.getType(), load && load.getTranspose());
      if (llvm::is_contained(seen, kind))
        continue;
      seen.push_back(kind);
    }
    different.push_back(user);
  }
  return different;
}

void Solver::solve(LdsAllocOp alloc) {
  LdsType type = alloc.getType();
  SmallVector<Operation *> users = ldsAccesses(alloc);
  alloc.setSwizzle(false);
  SmallVector<Operation *> different = differentAccesses(users);
  if (llvm::isPowerOf2_64(type.getPitch()))
    type = swizzled(type, users);
  else if (type.getRank() == 2 && type.swizzleGroup() >= 16)
    type = swizzledGroups(type, different);
  type = padded(type, different);
  alloc.getResult().setType(type);
  refreshViews(alloc);
  for (Operation *op : users)
    if (auto copy = dyn_cast<AsyncCopyOp>(op))
      copy.setFetchAttr(LayoutAttr::get(alloc.getContext(),
                                        *linearFetch(alloc.getType(), waves, copy.getWidth())));
  LdsClocks clocks = clocksOf(type, users);
  if (clocks.lost)
    alloc.emitRemark("LDS accesses of this tile lose ")
        << clocks.lost << " clocks of " << clocks.needed + clocks.lost << " to bank conflicts";
}

namespace {
struct SolveSwizzlesPass : tegula::cdna::impl::SolveSwizzlesPassBase<SolveSwizzlesPass> {
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
