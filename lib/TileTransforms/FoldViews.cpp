// tile-fold-views: transposes move into views, view chains come in one order; see Passes.td.
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_FOLDVIEWSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

struct TransposeOfLoad : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto load = op.getInput().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse())
      return failure();
    // The new load stands where the old one stood: a store may lie between the two ops.
    rewriter.setInsertionPoint(load);
    Value view = PermuteViewOp::create(rewriter, load.getLoc(), load.getView(), op.getPerm());
    SmallVector<Value> indices =
        applyPermutation(SmallVector<Value>(load.getIndices()), op.getPerm());
    Value turned =
        LoadOp::create(rewriter, load.getLoc(), op.getType(), view, indices, load.getPad());
    rewriter.replaceOp(op, turned);
    rewriter.eraseOp(load);
    return success();
  }
};

struct StoreOfTranspose : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getValue().getDefiningOp<TransposeOp>();
    if (!transpose)
      return failure();
    SmallVector<int64_t> inverse = invertPermutationVector(transpose.getPerm());
    Value view = PermuteViewOp::create(rewriter, op.getLoc(), op.getView(), inverse);
    SmallVector<Value> indices = applyPermutation(SmallVector<Value>(op.getIndices()), inverse);
    rewriter.replaceOpWithNewOp<StoreOp>(op, transpose.getInput(), view, indices);
    return success();
  }
};

struct PermuteOfPermute : OpRewritePattern<PermuteViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteViewOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getView().getDefiningOp<PermuteViewOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> perm = applyPermutation(inner.getPerm(), op.getPerm());
    rewriter.replaceOpWithNewOp<PermuteViewOp>(op, op.getType(), inner.getView(),
                                               rewriter.getDenseI64ArrayAttr(perm));
    return success();
  }
};

struct IndexOfPermute : OpRewritePattern<IndexOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IndexOp op, PatternRewriter &rewriter) const override {
    auto permute = op.getView().getDefiningOp<PermuteViewOp>();
    if (!permute)
      return failure();
    // Dropping dimension d of the result drops perm[d] of the source; later dimensions move down by
    // one.
    int64_t dropped = permute.getPerm()[op.getD()];
    SmallVector<int64_t> rest;
    for (auto [to, from] : llvm::enumerate(permute.getPerm()))
      if (to != op.getD())
        rest.push_back(from > dropped ? from - 1 : from);
    ViewType type = IndexOp::inferType(permute.getView().getType(), dropped, std::nullopt);
    if (PermuteViewOp::inferType(type, rest) != op.getType())
      return rewriter.notifyMatchFailure(op, "its type states less than is known");
    Value index = IndexOp::create(rewriter, op.getLoc(), permute.getView(), dropped, op.getIndex());
    rewriter.replaceOpWithNewOp<PermuteViewOp>(op, index, rest);
    return success();
  }
};

struct IndexOfExpand : OpRewritePattern<IndexOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IndexOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getView().getDefiningOp<ExpandOp>();
    if (!expand || expand.getD() != op.getD() || expand.getView().getType() != op.getType())
      return failure();
    rewriter.replaceOp(op, expand.getView());
    return success();
  }
};

struct FoldViews : tegula::tile::impl::FoldViewsPassBase<FoldViews> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<TransposeOfLoad, StoreOfTranspose, PermuteOfPermute, IndexOfPermute, IndexOfExpand>(
            &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
