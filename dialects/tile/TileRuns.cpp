// Integer tiles as functions of coordinates. All is syntactic and cheap.
#include "dialects/tile/TileRuns.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tegula::tile;

/// Of what is 0, and of what no access is wide enough to ask for.
static constexpr int64_t kAnyDivisor = int64_t(1) << 30;

static int64_t divisorOf(const APInt &number) {
  return number.isZero() ? kAnyDivisor : int64_t(1) << std::min<unsigned>(number.countr_zero(), 30);
}

static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

int64_t tegula::tile::getDivisor(Value scalar) {
  APInt number;
  if (matchPattern(scalar, m_ConstantInt(&number)))
    return divisorOf(number);
  Operation *op = scalar.getDefiningOp();
  if (isa_and_present<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return getDivisor(op->getOperand(0));
  if (isa_and_present<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
                      arith::MaxUIOp>(op))
    return std::min(getDivisor(op->getOperand(0)), getDivisor(op->getOperand(1)));
  if (isa_and_present<arith::MulIOp>(op))
    return std::min(kAnyDivisor, getDivisor(op->getOperand(0)) * getDivisor(op->getOperand(1)));
  if (auto select = dyn_cast_if_present<arith::SelectOp>(op))
    return std::min(getDivisor(select.getTrueValue()), getDivisor(select.getFalseValue()));
  return 1;
}

/// The axis of a reshape's operand that the result's axis is, when only axes of one element came or
/// went; the operand's rank for an axis that came.
static std::optional<unsigned> axisBefore(ReshapeOp reshape, unsigned axis) {
  RankedTensorType from = typeOf(reshape.getInput()), to = reshape.getType();
  unsigned i = 0, found = from.getRank();
  for (unsigned j = 0; j < to.getRank(); ++j) {
    while (i < from.getRank() && from.getDimSize(i) == 1 && to.getDimSize(j) != 1)
      ++i;
    if (i < from.getRank() && from.getDimSize(i) == to.getDimSize(j)) {
      if (j == axis)
        found = i;
      ++i;
    } else if (to.getDimSize(j) != 1) {
      return std::nullopt;
    }
  }
  return found;
}

std::optional<Run> tegula::tile::getRun(Value tile, unsigned axis) {
  SplatElementsAttr splat;
  if (matchPattern(tile, m_Constant(&splat)))
    return Run{0, divisorOf(splat.getSplatValue<APInt>())};
  // Along an axis of one element anything is a run, from nobody knows where.
  std::optional<Run> otherwise;
  if (typeOf(tile).getDimSize(axis) == 1)
    otherwise = Run{0, 1};
  Operation *op = tile.getDefiningOp();
  if (!op)
    return otherwise;
  auto of = [&](Value operand) { return getRun(operand, axis); };
  if (auto iota = dyn_cast<IotaOp>(op))
    return iota.getAxis() == axis ? Run{1, kAnyDivisor} : Run{0, 1};
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    Value input = broadcast.getInput();
    if (!isa<RankedTensorType>(input.getType()))
      return Run{0, getDivisor(input)};
    std::optional<Run> inner = of(input);
    return inner && typeOf(input).getDimSize(axis) == 1 ? Run{0, inner->divisor} : inner;
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return getRun(transpose.getInput(), transpose.getPerm()[axis]);
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    std::optional<unsigned> before = axisBefore(reshape, axis);
    bool known = before && *before < typeOf(reshape.getInput()).getRank();
    return known ? getRun(reshape.getInput(), *before) : otherwise;
  }
  if (isa<arith::ExtSIOp, arith::TruncIOp>(op))
    return of(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return otherwise;
  std::optional<Run> a = of(op->getOperand(0)), b = of(op->getOperand(1));
  if (!a || !b)
    return otherwise;
  if (isa<arith::AddIOp>(op))
    return Run{a->step + b->step, std::min(a->divisor, b->divisor)};
  if (isa<arith::SubIOp>(op))
    return Run{a->step - b->step, std::min(a->divisor, b->divisor)};
  if (a->step == 0 && b->step == 0)
    return Run{0, std::min(kAnyDivisor, a->divisor * b->divisor)};
  return otherwise;
}

static Count countOf(RankedTensorType type, Value scalar, int64_t constant) {
  return {scalar, constant, SmallVector<bool>(type.getRank(), false)};
}

static std::optional<Count> sumOf(const Count &a, const Count &b) {
  Count sum = a;
  if (a.scalar && b.scalar)
    return std::nullopt;
  sum.scalar = a.scalar ? a.scalar : b.scalar;
  sum.constant += b.constant;
  for (auto [mine, other] : llvm::zip_equal(sum.axes, b.axes)) {
    if (mine && other)
      return std::nullopt;
    mine |= other;
  }
  return sum;
}

/// Axes of one element are not counted along.
static std::optional<Count> countThrough(Operation *op, RankedTensorType type) {
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Count count = countOf(type, {}, 0);
    count.axes[iota.getAxis()] = type.getDimSize(iota.getAxis()) > 1;
    return count;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op);
      broadcast && !isa<RankedTensorType>(broadcast.getInput().getType()))
    return countOf(type, broadcast.getInput(), 0);
  if (isa<BroadcastOp>(op))
    return getCount(op->getOperand(0));
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    std::optional<Count> inner = getCount(transpose.getInput());
    if (!inner)
      return std::nullopt;
    Count count = countOf(type, inner->scalar, inner->constant);
    for (auto [axis, from] : llvm::enumerate(transpose.getPerm()))
      count.axes[axis] = inner->axes[from];
    return count;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    std::optional<Count> inner = getCount(reshape.getInput());
    if (!inner)
      return std::nullopt;
    Count count = countOf(type, inner->scalar, inner->constant);
    for (unsigned axis = 0; axis < count.axes.size(); ++axis) {
      std::optional<unsigned> before = axisBefore(reshape, axis);
      if (!before)
        return std::nullopt;
      count.axes[axis] = *before < inner->axes.size() && inner->axes[*before];
    }
    return count;
  }
  if (!isa<arith::AddIOp>(op))
    return std::nullopt;
  std::optional<Count> a = getCount(op->getOperand(0)), b = getCount(op->getOperand(1));
  return a && b ? sumOf(*a, *b) : std::nullopt;
}

std::optional<Count> tegula::tile::getCount(Value tile) {
  SplatElementsAttr splat;
  if (matchPattern(tile, m_Constant(&splat)))
    return countOf(typeOf(tile), {}, splat.getSplatValue<APInt>().getSExtValue());
  Operation *op = tile.getDefiningOp();
  return op ? countThrough(op, typeOf(tile)) : std::nullopt;
}
