// Reductions inside a lane and across the lanes of a wave.
#include "Address.h"
#include "LaneMoves.h"

#include "dialects/tile/TileCombine.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Layout;
using tegula::tile::combine;

//===--- combining ---===//

/// A balanced tree over values of one type, neighbours first.
static Value tree(OpBuilder &b, Location loc, ReduceKind kind, ArrayRef<Value> values) {
  SmallVector<Value> level(values);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (unsigned i = 0; i + 1 < level.size(); i += 2)
      next.push_back(combine(b, loc, kind, level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = next;
  }
  return level.front();
}

namespace {

struct ReduceRegisters : CdnaPattern<ReduceRegistersOp> {
  using CdnaPattern::CdnaPattern;

  /// The register of the result that register `r` goes to: its bits and repeats of the axis are
  /// taken out.
  static int64_t target(const Layout &layout, unsigned axis, int64_t r) {
    int64_t result = 0, bit = 0;
    for (unsigned i = 0; i < layout.reg.size(); ++i)
      if (layout.reg[i][axis] == 0)
        result |= (r >> i & 1) << bit++;
    int64_t repeats = r >> layout.reg.size(), weight = int64_t(1) << bit;
    for (unsigned d = layout.rank(); d-- > 0; repeats /= layout.repeat[d]) {
      if (d == axis)
        continue;
      result += weight * (repeats % layout.repeat[d]);
      weight *= layout.repeat[d];
    }
    return result;
  }

  /// Everything into one register: whole chunks first, for packed arithmetic, then halves.
  static Value all(OpBuilder &b, Location loc, ReduceKind kind, ValueRange chunks) {
    Value sum = tree(b, loc, kind, SmallVector<Value>(chunks));
    for (int64_t size = chunkCount(sum.getType()); size > 1; size /= 2)
      sum = combine(b, loc, kind, extractRange(b, loc, sum, 0, size / 2),
                    extractRange(b, loc, sum, size / 2, size / 2));
    return sum;
  }

  LogicalResult matchAndRewrite(ReduceRegistersOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> results(getLayout(op.getType()).numRegisters());
    if (results.size() == 1) {
      results[0] = all(rewriter, loc, op.getKind(), adaptor.getValue());
    } else {
      Layout layout = getLayout(op.getValue().getType()).toLayout();
      SmallVector<SmallVector<Value>> groups(results.size());
      for (auto [r, value] : llvm::enumerate(toRegisters(rewriter, loc, adaptor.getValue())))
        groups[target(layout, op.getAxis(), r)].push_back(value);
      for (auto [result, group] : llvm::zip(results, groups))
        result = tree(rewriter, loc, op.getKind(), group);
    }
    replaceWithValues(rewriter, op, toChunks(rewriter, loc, results, op.getType()));
    return success();
  }
};

//===--- lanes ---===//

struct ReduceLanes : CdnaPattern<ReduceLanesOp> {
  using CdnaPattern::CdnaPattern;

  /// All 64 lanes: rows, then row 3 collects the rows before it, then lane 63 holds all and becomes
  /// a scalar.
  void reduceWave(const LaneMoves &moves, ReduceKind kind, MutableArrayRef<Value> values) const {
    Type type = values.front().getType();
    bool fillsZero = kind == ReduceKind::Add; // what the bound control writes; folds into the add
    Value idle = fillsZero ? LLVM::PoisonOp::create(moves.b, moves.loc, type).getResult()
                           : splatConstant(moves.b, moves.loc, type,
                                           tegula::tile::neutralElement(kind, type));
    for (int32_t control : {kQuadXor1, kQuadXor2, kRowHalfMirror, kRowMirror})
      for (Value &x : values)
        x = combine(moves.b, moves.loc, kind, x, moves.permute(x, control));
    for (int32_t control : {kRowBroadcast15, kRowBroadcast31})
      for (Value &x : values)
        x = combine(moves.b, moves.loc, kind, x, moves.fromRowBefore(idle, x, control, fillsZero));
    for (Value &x : values)
      x = moves.readLane(x, 63);
  }

  LogicalResult matchAndRewrite(ReduceLanesOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> values = toRegisters(rewriter, loc, adaptor.getValue());
    LaneMoves moves{rewriter, loc, kernel};
    SmallVector<int32_t> bits(op.getBits());
    llvm::sort(bits);
    // With swap instructions the butterfly is as short for everything but a sum, and needs no
    // scalar at the end.
    if (bits.size() == 6 && (op.getKind() == ReduceKind::Add || !kernel.target->hasPermlaneSwap)) {
      reduceWave(moves, op.getKind(), values);
    } else {
      for (auto [i, bit] : llvm::enumerate(bits))
        for (Value &x : values) { // registers side by side: they hide each other's latency
          auto [mine, other] = moves.partners(x, bit, /*below=*/static_cast<int32_t>(i) == bit);
          x = combine(rewriter, loc, op.getKind(), mine, other);
        }
    }
    replaceWithValues(rewriter, op, toChunks(rewriter, loc, values, op.getType()));
    return success();
  }
};

} // namespace

void tegula::cdna::populateReducePatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<ReduceRegisters, ReduceLanes>(converter, context);
}
