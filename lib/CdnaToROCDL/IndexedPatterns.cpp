// Gathers and scatters.
#include "IndexedAccess.h"

using namespace mlir;
using namespace tegula::cdna;

namespace {

struct LoadIndexed : CdnaPattern<LoadIndexedOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LoadIndexedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getResult().getType();
    Type element = registerType(tile.getElementType());
    int64_t width = op.getWidth(), bytes = width * elementBytes(element);
    Int ints(rewriter, loc);
    IndexedAccess access(placeOf(op, adaptor, rewriter), tile, /*writes=*/false, kernel, ints);
    Type memory = memoryType(rewriter, bytes);
    Value pad = toMemory(rewriter, loc,
                         splatConstant(rewriter, loc, chunkType(element, width), op.getPad()),
                         element, width);
    SmallVector<Value> pieces;
    for (int64_t r = 0; r < getLayout(tile).numRegisters(); r += width)
      pieces.push_back(guarded(rewriter, loc, access.inside(r), pad, [&](OpBuilder &b) {
                         Value pointer = access.pointer(b, r);
                         return SmallVector<Value>{
                             LLVM::LoadOp::create(b, loc, memory, pointer, bytes)};
                       }).front());
    for (Value &piece : pieces) // after all loads: none waits for another
      piece = fromMemory(rewriter, loc, piece, element, width);
    int64_t size = chunkSize(getLayout(tile), tile.getElementType());
    rewriter.replaceOpWithMultiple(op,
                                   SmallVector<ValueRange>{rechunk(rewriter, loc, pieces, size)});
    return success();
  }
};

struct StoreIndexed : CdnaPattern<StoreIndexedOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(StoreIndexedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getValue().getType();
    Type element = registerType(tile.getElementType());
    int64_t width = op.getWidth(), bytes = width * elementBytes(element);
    Int ints(rewriter, loc);
    IndexedAccess access(placeOf(op, adaptor, rewriter), tile, /*writes=*/true, kernel, ints);
    SmallVector<Value> mask;
    if (op.getMask())
      mask = toRegisters(rewriter, loc, adaptor.getMask());
    for (int64_t r = 0; r < getLayout(tile).numRegisters(); r += width) {
      Value piece = toMemory(
          rewriter, loc, extractRange(rewriter, loc, adaptor.getValue(), r, width), element, width);
      Value condition = mask.empty() ? access.inside(r) : ints.both(access.inside(r), mask[r]);
      guarded(rewriter, loc, condition, {}, [&](OpBuilder &b) {
        LLVM::StoreOp::create(b, loc, piece, access.pointer(b, r), bytes);
        return SmallVector<Value>();
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tegula::cdna::populateIndexedPatterns(RewritePatternSet &patterns,
                                           const TypeConverter &converter,
                                           const KernelContext &context) {
  patterns.add<LoadIndexed, StoreIndexed>(converter, context);
}
