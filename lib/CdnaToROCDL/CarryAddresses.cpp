// cdna-to-rocdl-carry-addresses: an address that one iteration computes for the next slot of a ring
// is the next iteration's address of its own slot, so it is carried instead of computed again.
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaToROCDL/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLCARRYADDRESSESPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;
using namespace tegula::cdna;

namespace {
/// carried + invariant, computed for this iteration's value and for the next one's.
struct Pair {
  arith::AddIOp now, next;
  Value init, invariant;
};
} // namespace

// A carried address keeps its register through the iteration, beside the invariant's. Loops that
// fill the register file with fragments have room for so many.
static constexpr unsigned kMostCarried = 8;

/// The other operand of an addition of `value`, when it is defined outside of the loop.
static Value invariantBeside(arith::AddIOp add, Value value, scf::ForOp loop) {
  Value other = add.getLhs() == value ? add.getRhs() : add.getLhs();
  return loop.isDefinedOutsideOfLoop(other) ? other : Value();
}

static arith::AddIOp findAdd(Value value, Value invariant, scf::ForOp loop) {
  for (Operation *user : value.getUsers())
    if (auto add = dyn_cast<arith::AddIOp>(user))
      if (add->getBlock() == loop.getBody() && invariantBeside(add, value, loop) == invariant)
        return add;
  return {};
}

static SmallVector<Pair> findPairs(scf::ForOp loop) {
  SmallVector<Pair> pairs;
  for (auto [arg, init, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues())) {
    if (!arg.getType().isInteger(32) || yielded == arg || loop.isDefinedOutsideOfLoop(yielded))
      continue;
    for (Operation &op : *loop.getBody()) {
      auto now = dyn_cast<arith::AddIOp>(op);
      if (!now || (now.getLhs() != arg && now.getRhs() != arg))
        continue;
      Value invariant = invariantBeside(now, arg, loop);
      if (arith::AddIOp next = invariant ? findAdd(yielded, invariant, loop) : arith::AddIOp())
        pairs.push_back({now, next, init, invariant});
      if (pairs.size() == kMostCarried)
        return pairs;
    }
  }
  return pairs;
}

static void carry(scf::ForOp loop) {
  SmallVector<Pair> pairs = findPairs(loop);
  if (pairs.empty())
    return;
  IRRewriter rewriter(loop);
  SmallVector<Value> inits;
  for (const Pair &pair : pairs)
    inits.push_back(arith::AddIOp::create(rewriter, loop.getLoc(), pair.init, pair.invariant));
  auto yieldNext = [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
    SmallVector<Value> next;
    for (auto [pair, argument] : llvm::zip_equal(pairs, carried)) {
      arith::AddIOp now = pair.now, ahead = pair.next;
      now.getResult().replaceAllUsesWith(argument);
      next.push_back(ahead.getResult());
    }
    return next;
  };
  (void)loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
                                         yieldNext);
  for (const Pair &pair : pairs)
    rewriter.eraseOp(pair.now);
}

namespace {
struct CarryAddresses : tegula::cdna::impl::CdnaToROCDLCarryAddressesPassBase<CarryAddresses> {
  void runOnOperation() final {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      carry(loop);
  }
};
} // namespace
