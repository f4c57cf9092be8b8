// In a kernel most ops have uses, so a step takes an op out of the way of its uses: the tester
// decides whether what is left still shows the fault.
#include "Steps.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tegula;

/// An op without results goes: a store, a function that nothing needs.
static bool erase(Operation *op, IRRewriter &rewriter) {
  if (op->getNumResults() || op->hasTrait<OpTrait::IsTerminator>() || isa<tile::KernelOp>(op))
    return false;
  rewriter.eraseOp(op);
  return true;
}

/// A loop that is not run gives what it was given.
static bool skipLoop(Operation *op, IRRewriter &rewriter) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  rewriter.replaceOp(loop, loop.getInitArgs());
  return true;
}

static void inlineBody(Block *body, Operation *op, ValueRange entering, IRRewriter &rewriter) {
  Operation *yield = body->getTerminator();
  rewriter.inlineBlockBefore(body, op, entering);
  rewriter.replaceOp(op, yield->getOperands());
  rewriter.eraseOp(yield);
}

/// A loop becomes one turn of its body, at the lower bound.
static bool runLoopOnce(Operation *op, IRRewriter &rewriter) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  SmallVector<Value> entering = {loop.getLowerBound()};
  llvm::append_range(entering, loop.getInitArgs());
  inlineBody(loop.getBody(), op, entering, rewriter);
  return true;
}

/// A while loop becomes its test, whose values it gives.
static bool testOnce(Operation *op, IRRewriter &rewriter) {
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return false;
  Block *before = loop.getBeforeBody();
  scf::ConditionOp condition = loop.getConditionOp();
  rewriter.inlineBlockBefore(before, op, loop.getInits());
  rewriter.replaceOp(op, condition.getArgs());
  rewriter.eraseOp(condition);
  return true;
}

/// A while loop becomes its test and one turn of its body.
static bool turnOnce(Operation *op, IRRewriter &rewriter) {
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop || !llvm::equal(loop.getResultTypes(), loop.getYieldOp().getOperandTypes()))
    return false;
  scf::ConditionOp condition = loop.getConditionOp();
  rewriter.inlineBlockBefore(loop.getBeforeBody(), op, loop.getInits());
  inlineBody(loop.getAfterBody(), op, condition.getArgs(), rewriter);
  rewriter.eraseOp(condition);
  return true;
}

/// Arguments that neither the kernel nor its grid uses go.
static bool dropArgument(Operation *op, IRRewriter &) {
  auto kernel = dyn_cast<tile::KernelOp>(op);
  auto grid = kernel
                  ? SymbolTable::lookupNearestSymbolFrom<tile::FuncOp>(kernel, kernel.getGridAttr())
                  : tile::FuncOp();
  if (!grid || grid.getNumArguments() != kernel.getNumArguments())
    return false;
  unsigned before = kernel.getNumArguments();
  for (unsigned i = before; i-- > 0;)
    if (kernel.getArgument(i).use_empty() && grid.getArgument(i).use_empty() &&
        succeeded(kernel.eraseArgument(i)))
      (void)grid.eraseArgument(i);
  return kernel.getNumArguments() != before;
}

/// A branch becomes one of its sides.
template <unsigned side> static bool takeSide(Operation *op, IRRewriter &rewriter) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch->getRegion(side).empty())
    return false;
  inlineBody(&branch->getRegion(side).front(), op, {}, rewriter);
  return true;
}

/// x = op(…) becomes zero, where its type has one: tiles and scalars, not views.
static bool makeZero(Operation *op, IRRewriter &rewriter) {
  if (!op->getNumResults() || op->hasTrait<OpTrait::ConstantLike>())
    return false;
  SmallVector<TypedAttr> zeros;
  for (Type type : op->getResultTypes())
    zeros.push_back(dyn_cast_or_null<TypedAttr>(rewriter.getZeroAttr(type)));
  if (llvm::is_contained(zeros, TypedAttr()))
    return false;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> values;
  for (TypedAttr zero : zeros)
    values.push_back(arith::ConstantOp::create(rewriter, op->getLoc(), zero));
  rewriter.replaceOp(op, values);
  return true;
}

/// x = op(a, b) becomes its operand of that place, where the type is the same.
template <unsigned place> static bool takeOperand(Operation *op, IRRewriter &rewriter) {
  if (op->getNumResults() != 1 || op->getNumOperands() <= place || op->getNumRegions() ||
      op->getOperand(place).getType() != op->getResult(0).getType())
    return false;
  rewriter.replaceOp(op, op->getOperand(place));
  return true;
}

llvm::ArrayRef<tegula::Step> tegula::reductionSteps() {
  static constexpr Step steps[] = {erase,          skipLoop,       takeSide<0>,    takeSide<1>,
                                   runLoopOnce,    testOnce,       turnOnce,       makeZero,
                                   takeOperand<0>, takeOperand<1>, takeOperand<2>, dropArgument};
  return steps;
}
