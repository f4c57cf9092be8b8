// tile-fold-casts: removes conversions that change nothing; see Passes.td.
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_FOLDCASTSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

FloatType floatElement(Value value) {
  return dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
}

// Every value of `from`, infinities and NaN included, is a value of `to`.
bool isLossless(FloatType from, FloatType to) {
  return from && to && from != to &&
         APFloat::isRepresentableBy(from.getFloatSemantics(), to.getFloatSemantics());
}

/// The value that a lossless widening widened, or null.
Value widenedFrom(Value value) {
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    return extend.getIn();
  auto cast = value.getDefiningOp<CastOp>();
  return cast && isLossless(floatElement(cast.getInput()), floatElement(cast)) ? cast.getInput()
                                                                               : Value();
}

struct NarrowAfterWiden : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    Value source = widenedFrom(op.getInput());
    if (!source || source.getType() != op.getType())
      return failure();
    // Saturation would clamp an infinity that the narrow value may hold.
    if (op.getSaturate() && APFloat::semanticsHasInf(floatElement(op).getFloatSemantics()))
      return failure();
    rewriter.replaceOp(op, source);
    return success();
  }
};

// One spelling for a lossless widening, so that later patterns look for one op.
struct WidenByExtF : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    FloatType from = floatElement(op.getInput()), to = floatElement(op);
    if (!isLossless(from, to) || isNarrowFloat(from) || isNarrowFloat(to) || op.getSaturate())
      return failure();
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), op.getInput());
    return success();
  }
};

struct CastBeforeBroadcast : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getInput().getDefiningOp<BroadcastOp>();
    if (!broadcast || op.getRounding() == Rounding::Stochastic) // each element has its own noise
      return failure();
    Type element = getElementTypeOrSelf(op.getType()), small = element;
    if (auto tile = dyn_cast<RankedTensorType>(broadcast.getInput().getType()))
      small = tile.clone(element);
    Value cast = CastOp::create(rewriter, op.getLoc(), small, broadcast.getInput(),
                                op.getRoundingAttr(), /*seed=*/Value(), op.getSaturateAttr());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), cast);
    return success();
  }
};

struct FoldCasts : tegula::tile::impl::FoldCastsPassBase<FoldCasts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowAfterWiden>(&getContext(), /*benefit=*/2);
    patterns.add<WidenByExtF, CastBeforeBroadcast>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
