// Scans and reductions by a body of the user's.
//
// Along the axis, neighbouring blocks are combined pair by pair, blocks of one element first: each
// block has its total, and each element the combination of what its block holds up to it. One bit
// of the coordinate a step, wherever the layout has it: in the register number or in the lane's.
// Repeats follow one behind the other. The body is never applied to phantoms' totals, so it needs
// no neutral element.
#include "Address.h"
#include "LaneMoves.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Layout;

namespace {

/// A bit of the coordinate along the axis: where it is in the layout.
struct Level {
  int64_t value; ///< what the bit adds to the coordinate
  bool inLane;
  unsigned bit; ///< of the register number or of the lane
};

class BlockScan {
public:
  BlockScan(Block &body, RankedTensorType type, unsigned axis, const KernelContext &kernel,
            ConversionPatternRewriter &rewriter, Location loc)
      : body(body), type(type), axis(axis), layout(getLayout(type).toLayout()), kernel(kernel),
        rewriter(rewriter), loc(loc), ints(rewriter, loc), coordinates(layout, kernel, ints) {}

  void run(ArrayRef<Value> registers, bool keepsPrefixes) {
    totals.assign(registers.begin(), registers.end());
    if (keepsPrefixes)
      prefixes = totals;
    for (const Level &level : levels())
      level.inLane ? combineLanes(level) : combineRegisters(level);
    combineRepeats();
  }

  SmallVector<Value> prefixes, totals; ///< by register

private:
  SmallVector<Level> levels() const {
    SmallVector<Level> found;
    for (auto [bit, vector] : llvm::enumerate(layout.reg))
      if (vector[axis])
        found.push_back({vector[axis], false, unsigned(bit)});
    for (auto [bit, vector] : llvm::enumerate(layout.lane))
      if (vector[axis])
        found.push_back({vector[axis], true, unsigned(bit)});
    llvm::sort(found, [](const Level &a, const Level &b) { return a.value < b.value; });
    return found;
  }

  Value combine(Value first, Value second) {
    IRMapping map;
    map.map(body.getArgument(0), first);
    map.map(body.getArgument(1), second);
    for (Operation &op : body)
      for (Value operand : op.getOperands())
        if (!map.contains(operand) && operand.getParentBlock() != &body)
          map.map(operand, rewriter.getRemappedValue(operand));
    for (Operation &op : body.without_terminator())
      rewriter.clone(op, map);
    return map.lookup(body.getTerminator()->getOperand(0));
  }

  Value choose(Value condition, Value x, Value y) {
    return x == y ? x : arith::SelectOp::create(rewriter, loc, condition, x, y).getResult();
  }

  /// Whether the upper block of a pair, which register r is in (or whose lower one), has an
  /// element; null when it has in every lane.
  Value upperExists(int64_t r, int64_t value) {
    int64_t extent = type.getDimSize(axis), low = 2 * value - 1;
    if (((coordinates.largest(axis, r) & ~low) | value) < extent)
      return {};
    Coordinates::Place at = coordinates.at(axis, r);
    Value x = ints.add(at.base, at.offset);
    Value start = rewriter.createOrFold<arith::AndIOp>(loc, x, ints.constant(~low));
    return ints.less(ints.add(start, value), ints.constant(extent));
  }

  void combineRegisters(const Level &level) {
    for (int64_t r = 0; r < (int64_t)totals.size(); ++r) {
      int64_t bit = int64_t(1) << level.bit, repeat = r >> layout.reg.size() << layout.reg.size();
      if ((r - repeat) & bit)
        continue;
      int64_t upper = r + bit;
      Value exists = upperExists(upper, level.value), low = totals[r];
      Value both = combine(low, totals[upper]);
      if (!prefixes.empty())
        prefixes[upper] = prefixes[upper] == totals[upper] ? both : combine(low, prefixes[upper]);
      totals[r] = totals[upper] = exists ? choose(exists, both, low) : both;
    }
  }

  void combineLanes(const Level &level) {
    LaneMoves moves{rewriter, loc, kernel};
    Value bit = rewriter.createOrFold<arith::AndIOp>(loc, kernel.lane,
                                                     ints.constant(int64_t(1) << level.bit));
    Value isUpper =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, bit, ints.constant(0));
    for (int64_t r = 0; r < (int64_t)totals.size(); ++r) {
      // Registers that have one total between them have it in one value: moved once.
      Value total = totals[r];
      if (r > 0 && total == previous) {
        totals[r] = previousTotal;
      } else {
        Value other = moves.across(total, level.bit);
        previousLow = choose(isUpper, other, total);
        Value high = choose(isUpper, total, other);
        Value exists = upperExists(r, level.value), both = combine(previousLow, high);
        previous = total;
        previousTotal = totals[r] = exists ? choose(exists, both, previousLow) : both;
      }
      if (!prefixes.empty())
        prefixes[r] = choose(isUpper, combine(previousLow, prefixes[r]), prefixes[r]);
    }
    previous = Value();
  }

  /// Copies of the base tile: a running total. Every one begins inside.
  void combineRepeats() {
    int64_t count = layout.repeat[axis];
    if (count == 1)
      return;
    int64_t base = int64_t(1) << layout.reg.size(), weight = base;
    for (unsigned d = layout.rank() - 1; d > axis; --d)
      weight *= layout.repeat[d];
    for (int64_t r = 0; r < (int64_t)totals.size(); ++r) {
      if (r / weight % count != 0)
        continue;
      Value running = totals[r];
      for (int64_t i = 1; i < count; ++i) {
        int64_t next = r + i * weight;
        if (!prefixes.empty())
          prefixes[next] = combine(running, prefixes[next]);
        running = combine(running, totals[next]);
      }
      totals[r] = running;
    }
  }

  Block &body;
  RankedTensorType type;
  unsigned axis;
  const Layout layout;
  const KernelContext &kernel;
  ConversionPatternRewriter &rewriter;
  Location loc;
  Int ints;
  Coordinates coordinates;
  Value previous, previousLow, previousTotal;
};

struct Scan : CdnaPattern<ScanOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(ScanOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    RankedTensorType type = op.getResult().getType();
    BlockScan scan(op.getBody().front(), type, op.getAxis(), kernel, rewriter, op.getLoc());
    scan.run(toRegisters(rewriter, op.getLoc(), adaptor.getInput()), /*keepsPrefixes=*/true);
    replaceWithValues(rewriter, op, toChunks(rewriter, op.getLoc(), scan.prefixes, type));
    return success();
  }
};

struct ReduceRegion : CdnaPattern<ReduceRegionOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(ReduceRegionOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    RankedTensorType from = op.getInput().getType(), to = op.getResult().getType();
    BlockScan scan(op.getBody().front(), from, op.getAxis(), kernel, rewriter, op.getLoc());
    scan.run(toRegisters(rewriter, op.getLoc(), adaptor.getInput()), /*keepsPrefixes=*/false);
    // The element of each register of the result, with 0 along the axis, is in a register of the
    // operand; lanes agree.
    Layout layout = getLayout(from).toLayout(), left = getLayout(to).toLayout();
    SmallVector<Value> results;
    for (int64_t r = 0; r < left.registersPerLane(); ++r)
      for (int64_t s = 0; s < layout.registersPerLane(); ++s)
        if (layout.apply(s, 0, 0) == left.apply(r, 0, 0)) {
          results.push_back(scan.totals[s]);
          break;
        }
    replaceWithValues(rewriter, op, toChunks(rewriter, op.getLoc(), results, to));
    return success();
  }
};

} // namespace

void tegula::cdna::populateScanPatterns(RewritePatternSet &patterns, const TypeConverter &converter,
                                        const KernelContext &context) {
  patterns.add<Scan, ReduceRegion>(converter, context);
}
