// Gathers and scatters.
#include "IndexedAccess.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tegula::cdna;

namespace {

/// `emit(width)` where all runs of that width lie inside or outside, else `emit(1)`.
SmallVector<Value> byRuns(ConversionPatternRewriter &rewriter, Location loc, IndexedAccess access,
                          int64_t width, TypeRange results,
                          llvm::function_ref<SmallVector<Value>(int64_t)> emit) {
  Value condition = width > 1 ? access.endsAtRuns(width) : Value();
  if (!condition)
    return emit(width);
  if (matchPattern(condition, m_Zero()))
    return emit(1);
  auto branch = scf::IfOp::create(rewriter, loc, results, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [block, count] : {std::pair{branch.thenBlock(), width}, {branch.elseBlock(), 1}}) {
    rewriter.setInsertionPointToEnd(block);
    scf::YieldOp::create(rewriter, loc, emit(count));
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

struct LoadIndexed : CdnaPattern<LoadIndexedOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LoadIndexedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getResult().getType();
    int64_t count = getLayout(tile).numRegisters(),
            size = chunkSize(getLayout(tile), tile.getElementType());
    Type element = registerType(tile.getElementType());
    Int ints(rewriter, loc);
    auto accessHere = [&] { // in a branch, addresses are of that branch
      return IndexedAccess(placeOf(op, adaptor, rewriter), tile, /*writes=*/false, kernel, ints);
    };
    auto load = [&](int64_t width) {
      IndexedAccess access = accessHere();
      int64_t bytes = width * elementBytes(element);
      Value pad = toMemory(rewriter, loc,
                           splatConstant(rewriter, loc, chunkType(element, width), op.getPad()),
                           element, width);
      SmallVector<Value> pieces;
      for (int64_t r = 0; r < count; r += width)
        pieces.push_back(guarded(rewriter, loc, access.inside(r), pad, [&](OpBuilder &b) {
                           Value pointer = access.pointer(b, r);
                           return SmallVector<Value>{
                               LLVM::LoadOp::create(b, loc, memoryType(b, bytes), pointer, bytes)};
                         }).front());
      for (Value &piece : pieces) // after all loads: none waits for another
        piece = fromMemory(rewriter, loc, piece, element, width);
      return rechunk(rewriter, loc, pieces, size);
    };
    SmallVector<Type> chunks(count / size, chunkType(element, size));
    SmallVector<Value> loaded = byRuns(rewriter, loc, accessHere(), op.getWidth(), chunks, load);
    replaceWithValues(rewriter, op, loaded);
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
    Int ints(rewriter, loc);
    auto accessHere = [&] {
      return IndexedAccess(placeOf(op, adaptor, rewriter), tile, /*writes=*/true, kernel, ints);
    };
    SmallVector<Value> mask;
    if (op.getMask())
      mask = toRegisters(rewriter, loc, adaptor.getMask());
    byRuns(rewriter, loc, accessHere(), op.getWidth(), {}, [&](int64_t width) {
      IndexedAccess access = accessHere();
      int64_t bytes = width * elementBytes(element);
      for (int64_t r = 0; r < getLayout(tile).numRegisters(); r += width) {
        Value piece =
            toMemory(rewriter, loc, extractRange(rewriter, loc, adaptor.getValue(), r, width),
                     element, width);
        Value condition = mask.empty() ? access.inside(r) : ints.both(access.inside(r), mask[r]);
        guarded(rewriter, loc, condition, {}, [&](OpBuilder &b) {
          LLVM::StoreOp::create(b, loc, piece, access.pointer(b, r), bytes);
          return SmallVector<Value>();
        });
      }
      return SmallVector<Value>();
    });
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
