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
      width = tegula::vectorWidth(layout, dim, 8 * buffer.getElementBytes(), std::min<int64_t>(16, buffer.getAlign()));
    }
  }
  unsigned dim = 0;
  int64_t width = 1;
};

/// The integer type that the memory instruction moves.
Type memoryType(OpBuilder &b, int64_t bytes) {
  return bytes > 4 ? Type(VectorType::get({bytes / 4}, b.getI32Type())) : Type(b.getIntegerType(8 * bytes));
}

/// The type of `count` elements in memory: a lane mask is a byte there.
Type storedType(OpBuilder &b, Type element, int64_t count) {
  return chunkType(element.isInteger(1) ? Type(b.getI8Type()) : element, count);
}

Value bitcast(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

Value zero(OpBuilder &b, Location loc, Type type) {
  Type element = getElementTypeOrSelf(type);
  return splatConstant(b, loc, type, cast<TypedAttr>(b.getZeroAttr(element)));
}

/// Memory's bytes as elements of a tile.
Value fromMemory(OpBuilder &b, Location loc, Value raw, Type element, int64_t count) {
  Value stored = bitcast(b, loc, raw, storedType(b, element, count));
  if (!element.isInteger(1))
    return stored;
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored, zero(b, loc, stored.getType()));
}

Value toMemory(OpBuilder &b, Location loc, Value piece, Type element, int64_t count) {
  if (element.isInteger(1))
    piece = arith::ExtUIOp::create(b, loc, storedType(b, element, count), piece);
  return bitcast(b, loc, piece, memoryType(b, count * elementBytes(element)));
}

/// Zeroes the elements of a vector that lie past the end.
Value maskTail(Int &ints, Value piece, int64_t count, Value left) {
  SmallVector<Value> elements = rechunk(ints.b, ints.loc, piece, 1);
  Value nothing = zero(ints.b, ints.loc, elements.front().getType());
  for (int64_t i = 0; i < count; ++i)
    elements[i] = ints.select(ints.less(ints.constant(i), left), elements[i], nothing);
  return concat(ints.b, ints.loc, elements);
}

struct Load : CdnaPattern<LoadOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Int ints(rewriter, loc);
    Layout layout = getLayout(op.getType()).toLayout();
    BufferType buffer = op.getBuffer().getType();
    SmallVector<Value> indices(op.getIndices());
    for (Value &index : indices)
      index = rewriter.getRemappedValue(index);
    AccessOffsets offsets({buffer, adaptor.getBuffer(), indices, op.getTail(), op.getScalar(),
                           op.getType().getShape(), /*writes=*/false},
                          layout, kernel, ints);
    Vectors vectors(buffer, layout);
    Type element = registerType(op.getType().getElementType());
    Type type = memoryType(rewriter, vectors.width * buffer.getElementBytes());
    Value scalar = offsets.scalarOffset(), aux = ints.constant(0);
    SmallVector<Value> pieces;
    for (int64_t r = 0; r < layout.registersPerLane(); r += vectors.width)
      pieces.push_back(ROCDL::RawPtrBufferLoadOp::create(rewriter, loc, type, offsets.window.descriptor,
                                                         offsets.offsetIf(offsets.inside(r), r), scalar, aux,
                                                         ArrayAttr(), ArrayAttr(), ArrayAttr()));
    bool straddles = offsets.mayStraddle(vectors.dim, vectors.width);
    for (auto [i, piece] : llvm::enumerate(pieces)) {
      piece = fromMemory(rewriter, loc, piece, element, vectors.width);
      if (straddles)
        piece = maskTail(ints, piece, vectors.width, offsets.elementsLeft(vectors.dim, i * vectors.width));
    }
    int64_t size = chunkSize(getLayout(op.getType()), op.getType().getElementType());
    rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{rechunk(rewriter, loc, pieces, size)});
    return success();
  }
};

struct Store : CdnaPattern<StoreOp> {
  using CdnaPattern::CdnaPattern;

  /// Stores in vectors of `width` elements; each goes out of bounds unless its first element is inside and owned.
  void storeVectors(Int &ints, AccessOffsets &offsets, const Layout &layout, ValueRange chunks, Type element,
                    int64_t width) const {
    Value owner = ownerCondition(layout, kernel, ints), scalar = offsets.scalarOffset(), aux = ints.constant(0);
    for (int64_t r = 0; r < layout.registersPerLane(); r += width) {
      Value piece = toMemory(ints.b, ints.loc, extractRange(ints.b, ints.loc, chunks, r, width), element, width);
      Value offset = offsets.offsetIf(ints.both(offsets.inside(r), owner), r);
      ROCDL::RawPtrBufferStoreOp::create(ints.b, ints.loc, piece, offsets.window.descriptor, offset, scalar, aux,
                                         ArrayAttr(), ArrayAttr(), ArrayAttr());
    }
  }

  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getValue().getType();
    Layout layout = getLayout(tile).toLayout();
    Type element = registerType(tile.getElementType());
    BufferType buffer = op.getBuffer().getType();
    Vectors vectors(buffer, layout);
    SmallVector<Value> indices(op.getIndices());
    for (Value &index : indices)
      index = rewriter.getRemappedValue(index);
    Access access{buffer, adaptor.getBuffer(), indices, op.getTail(), op.getScalar(), tile.getShape(), /*writes=*/true};
    auto emit = [&](OpBuilder &b, int64_t width) {
      Int ints(b, loc); // values made in a branch stay in it
      AccessOffsets offsets(access, layout, kernel, ints);
      storeVectors(ints, offsets, layout, adaptor.getValue(), element, width);
    };
    Int ints(rewriter, loc);
    AccessOffsets offsets(access, layout, kernel, ints);
    if (!offsets.mayStraddle(vectors.dim, vectors.width)) {
      emit(rewriter, vectors.width);
    } else if (Value whole = offsets.nothingStraddles(vectors.dim, vectors.width)) {
      // Tiles away from the edge keep their wide stores; the branch is uniform.
      auto branch = scf::IfOp::create(rewriter, loc, whole, /*withElseRegion=*/true);
      OpBuilder inner = branch.getThenBodyBuilder(rewriter.getListener());
      emit(inner, vectors.width);
      OpBuilder edge = branch.getElseBodyBuilder(rewriter.getListener());
      emit(edge, 1);
    } else {
      emit(rewriter, 1);
    }
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
        rewriter, op.getLoc(), memoryType(rewriter, buffer.getElementBytes()), window.descriptor, offset,
        ints.constant(0), ints.constant(0), ArrayAttr(), ArrayAttr(), ArrayAttr());
    rewriter.replaceOp(op, fromMemory(rewriter, op.getLoc(), raw, registerType(op.getType()), 1));
    return success();
  }
};

} // namespace

void tegula::cdna::populateAccessPatterns(RewritePatternSet &patterns, const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<Load, Store, LoadScalar>(converter, context);
}
