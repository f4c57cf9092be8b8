// Loads and stores of tiles through windows.
#include "BufferPatterns.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Layout;

namespace {

/// The vectors of an access: `width` elements each, along dimension `dim` of unit stride.
struct Vectors {
  Vectors(BufferType buffer, const tegula::Layout &layout) {
    if (std::optional<unsigned> unit = buffer.getUnitStrideDim()) {
      dim = *unit;
      width = tegula::vectorWidth(layout, dim, 8 * buffer.getElementBytes(),
                                  std::min<int64_t>(16, buffer.getAlign()));
    }
  }
  unsigned dim = 0;
  int64_t width = 1;
};

/// Emits an access in vectors, or, where one may begin inside and end outside, a uniform branch: in
/// vectors when what is left is a multiple of them, else element by element. (Reading whole and
/// masking would need a bound that cuts a dword in two: the hardware drops all of it.)
SmallVector<Value> splitAtEdge(ConversionPatternRewriter &rewriter, Location loc, Value vectorsFit,
                               int64_t width, TypeRange results,
                               function_ref<SmallVector<Value>(OpBuilder &, int64_t)> emit) {
  if (!vectorsFit)
    return emit(rewriter, width);
  auto branch = scf::IfOp::create(rewriter, loc, results, vectorsFit, /*withElseRegion=*/true);
  for (auto [region, step] : {std::pair(&branch.getThenRegion(), width),
                              std::pair(&branch.getElseRegion(), int64_t(1))}) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (region->empty())
      rewriter.createBlock(region);
    rewriter.setInsertionPointToStart(&region->front());
    SmallVector<Value> values = emit(rewriter, step);
    if (region->front().empty() || !region->front().back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(rewriter, loc, values);
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

SmallVector<Value> remapped(ConversionPatternRewriter &rewriter, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return rewriter.getRemappedValue(value); });
}

struct Load : CdnaPattern<LoadOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getType();
    Layout layout = getLayout(tile).toLayout();
    BufferType buffer = op.getBuffer().getType();
    Type element = registerType(tile.getElementType());
    Vectors vectors(buffer, layout);
    SmallVector<Value> indices = remapped(rewriter, op.getIndices());
    Value where = op.getWhere() ? rewriter.getRemappedValue(op.getWhere()) : Value();
    Access access{buffer,       adaptor.getBuffer(), indices,         where,
                  op.getTail(), op.getScalar(),      tile.getShape(), /*writes=*/false};
    auto emit = [&](OpBuilder &b, int64_t width) {
      Int ints(b, loc); // values made in a branch stay in it
      AccessOffsets offsets(access, layout, kernel, ints);
      Type type = memoryType(b, width * buffer.getElementBytes());
      Value descriptor = offsets.descriptor(), scalar = offsets.scalarOffset(),
            aux = ints.constant(0);
      SmallVector<Value> pieces;
      for (int64_t r = 0; r < layout.registersPerLane(); r += width)
        pieces.push_back(ROCDL::RawPtrBufferLoadOp::create(
            b, loc, type, descriptor, offsets.offsetIf(offsets.inside(r), r), scalar, aux,
            ArrayAttr(), ArrayAttr(), ArrayAttr()));
      for (Value &piece : pieces) // after all loads: none waits for another
        piece = fromMemory(b, loc, piece, element, width);
      return rechunk(b, loc, pieces, chunkSize(getLayout(tile), tile.getElementType()));
    };
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(tile, types)))
      return failure();
    Int ints(rewriter, loc);
    Value vectorsFit =
        AccessOffsets(access, layout, kernel, ints).nothingStraddles(vectors.dim, vectors.width);
    SmallVector<Value> chunks = splitAtEdge(rewriter, loc, vectorsFit, vectors.width, types, emit);
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

struct Store : CdnaPattern<StoreOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getValue().getType();
    Layout layout = getLayout(tile).toLayout();
    Type element = registerType(tile.getElementType());
    BufferType buffer = op.getBuffer().getType();
    Vectors vectors(buffer, layout);
    SmallVector<Value> indices = remapped(rewriter, op.getIndices());
    Access access{buffer,       adaptor.getBuffer(), indices,         /*where=*/Value(),
                  op.getTail(), op.getScalar(),      tile.getShape(), /*writes=*/true};
    auto emit = [&](OpBuilder &b, int64_t width) {
      Int ints(b, loc);
      AccessOffsets offsets(access, layout, kernel, ints);
      Value owner = ownerCondition(layout, kernel, ints), scalar = offsets.scalarOffset(),
            aux = ints.constant(0);
      for (int64_t r = 0; r < layout.registersPerLane(); r += width) {
        Value piece =
            toMemory(b, loc, extractRange(b, loc, adaptor.getValue(), r, width), element, width);
        Value offset = offsets.offsetIf(ints.both(offsets.inside(r), owner), r);
        ROCDL::RawPtrBufferStoreOp::create(b, loc, piece, offsets.descriptor(), offset, scalar, aux,
                                           ArrayAttr(), ArrayAttr(), ArrayAttr());
      }
      return SmallVector<Value>();
    };
    Int ints(rewriter, loc);
    Value vectorsFit =
        AccessOffsets(access, layout, kernel, ints).nothingStraddles(vectors.dim, vectors.width);
    splitAtEdge(rewriter, loc, vectorsFit, vectors.width, {}, emit);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadScalar : CdnaPattern<LoadScalarOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LoadScalarOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Int ints(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    WindowValues window(buffer, adaptor.getBuffer(), ints);
    Value offset = ints.constant(0);
    for (auto [index, stride] : llvm::zip(op.getIndices(), window.strideBytes))
      offset = ints.add(offset, ints.mul(rewriter.getRemappedValue(index), stride));
    Value raw = ROCDL::RawPtrBufferLoadOp::create(
        rewriter, op.getLoc(), memoryType(rewriter, buffer.getElementBytes()), window.descriptor,
        offset, ints.constant(0), ints.constant(0), ArrayAttr(), ArrayAttr(), ArrayAttr());
    rewriter.replaceOp(op, fromMemory(rewriter, op.getLoc(), raw, registerType(op.getType()), 1));
    return success();
  }
};

} // namespace

void tegula::cdna::populateAccessPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<Load, Store, LoadScalar>(converter, context);
}
