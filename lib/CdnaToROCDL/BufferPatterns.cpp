// Windows: a rebased descriptor with an exact bound, and the strides and extents that accesses
// need.
#include "BufferPatterns.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

// Word 3 of a descriptor: raw access, 32-bit data format.
static constexpr int64_t kDescriptorFlags = 0x27000;

//===--- what a converted window consists of ---===//

WindowValues::WindowValues(BufferType type, ValueRange values, Int &ints)
    : descriptor(values.front()) {
  unsigned next = 1;
  for (int64_t stride : type.getStrides())
    strideBytes.push_back(ShapedType::isDynamic(stride)
                              ? values[next++]
                              : ints.constant(stride * type.getElementBytes()));
  for (int64_t extent : type.getShape())
    left.push_back(ShapedType::isDynamic(extent) ? values[next++] : ints.constant(extent));
}

//===--- cdna.buffer ---===//

namespace {

/// How the users of a window address one dimension.
struct DimensionUse {
  bool atZero = true;       ///< every index is 0 or goes to the scalar offset
  bool alwaysInside = true; ///< every tail is none
  bool whole = false; ///< some access reads whole vectors and doesn't care what is beyond the end
};

template <typename Op> void noteAccess(Op access, SmallVectorImpl<DimensionUse> &uses) {
  for (unsigned d = 0; d < uses.size(); ++d) {
    uses[d].atZero &= access.isScalar(d) || Int::isZero(access.getIndices()[d]);
    uses[d].alwaysInside &= access.tailOf(d) == Tail::None;
    uses[d].whole |= access.tailOf(d) == Tail::Whole;
  }
}

SmallVector<DimensionUse> usesOf(BufferOp op) {
  SmallVector<DimensionUse> uses(op.getType().getRank());
  for (Operation *user : op.getResult().getUsers()) {
    if (auto load = dyn_cast<LoadOp>(user))
      noteAccess(load, uses);
    else if (auto store = dyn_cast<StoreOp>(user))
      noteAccess(store, uses);
    else if (auto copy = dyn_cast<AsyncCopyOp>(user))
      noteAccess(copy, uses);
    else
      for (DimensionUse &use : uses)
        use = {false, false};
  }
  return uses;
}

struct Buffer : CdnaPattern<BufferOp> {
  using CdnaPattern::CdnaPattern;

  Value wide(OpBuilder &b, Location loc, Value x) const {
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), x);
  }
  Value wideConstant(OpBuilder &b, Location loc, int64_t x) const {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(x));
  }

  /// Stride of an argument's dimension in elements, i64.
  Value stride(OpBuilder &b, BufferOp op, unsigned d) const {
    tile::ViewType view = op.getView().getType();
    if (!view.isDynamicStride(d))
      return wideConstant(b, op.getLoc(), view.getStrides()[d]);
    return tile::StrideOp::create(b, op.getLoc(), op.getView(), d);
  }

  /// Address of the window's first element: 64-bit and scalar, once a window.
  Value base(OpBuilder &b, BufferOp op) const {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
    Value address = BasePointerOp::create(b, loc, pointer, op.getView());
    Value elements;
    for (auto [d, offset] : llvm::enumerate(op.getOffsets())) {
      if (Int::isZero(offset))
        continue;
      Value part = b.createOrFold<arith::MulIOp>(loc, wide(b, loc, offset), stride(b, op, d));
      elements = elements ? b.createOrFold<arith::AddIOp>(loc, elements, part) : part;
    }
    for (unsigned d = 0; d < op.getType().getRank(); ++d)
      if (op.getType().isMirrored(d) && op.getTile()[d] > 1) {
        Value last = wideConstant(b, loc, (op.getTile()[d] - 1) * op.getType().getStrides()[d]);
        elements = elements ? b.createOrFold<arith::AddIOp>(loc, elements, last) : last;
      }
    if (!elements)
      return address;
    Value bytes = b.createOrFold<arith::MulIOp>(
        loc, elements, wideConstant(b, loc, op.getType().getElementBytes()));
    return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), address,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }

  /// Elements of window dimension d from the window's start to the view's (or slice's) end;
  /// negative past it. Not clamped here: LLVM makes a vector instruction of a clamp to two sides,
  /// and the descriptor divergent.
  Value left(Int &ints, BufferOp op, unsigned d) const {
    if (!ShapedType::isDynamic(op.getType().getShape()[d]))
      return ints.constant(op.getType().getShape()[d]);
    tile::ViewType view = op.getView().getType();
    unsigned source = op.argumentDim(d);
    Value end = view.isDynamicDim(source)
                    ? tile::DimOp::create(ints.b, op.getLoc(), op.getView(), source).getResult()
                    : ints.constant(view.getShape()[source]);
    if (!op.getLimits().empty())
      end = ints.min(end, op.getLimits()[source]);
    Value offset = op.getOffsets()[source];
    return Int::isZero(offset) ? end : ints.sub(end, offset);
  }

  /// num_records: 0 if nothing is left, else the last reachable element's end.
  Value records(Int &ints, BufferOp op, ArrayRef<Value> left, ArrayRef<Value> strideBytes) const {
    SmallVector<DimensionUse> uses = usesOf(op);
    Value bytes = ints.constant(op.getType().getElementBytes());
    SmallVector<Value> reaches;
    for (unsigned d = 0; d < left.size(); ++d) {
      int64_t extent = op.getTile()[d];
      Value reach = left[d];
      if (uses[d].atZero)
        reach = uses[d].alwaysInside && extent > 1 ? ints.constant(extent)
                                                   : ints.min(left[d], ints.constant(extent));
      if (std::optional<int64_t> known = Int::asConstant(reach); !known || *known <= 0)
        reaches.push_back(reach);
      if (op.getType().isMirrored(d)) // what is inside lies at the end; the rest is compared
        bytes = ints.add(bytes, ints.constant((extent - 1) * -*Int::asConstant(strideBytes[d])));
      else
        bytes = ints.add(bytes, ints.mul(ints.add(reach, -1), strideBytes[d]));
    }
    // The hardware drops a dword that the bound cuts in two. Aligned rows hold the rest of it.
    bool whole = llvm::any_of(uses, [](const DimensionUse &use) { return use.whole; });
    if (whole && op.getType().getAlign() % 4 == 0)
      bytes =
          ints.b.createOrFold<arith::AndIOp>(op.getLoc(), ints.add(bytes, 3), ints.constant(-4));
    // A copy cannot go element by element where a dword straddles the end; without the whole dword,
    // which is never two bytes more than the view has, the last element would be lost.
    if (op.getType().getElementBytes() < 4 &&
        llvm::any_of(op.getResult().getUsers(), llvm::IsaPred<AsyncCopyOp>))
      bytes =
          ints.b.createOrFold<arith::AndIOp>(op.getLoc(), ints.add(bytes, 3), ints.constant(-4));
    // One select a dimension: a conjunction of conditions would leave the scalar unit.
    for (Value reach : reaches)
      bytes = ints.select(ints.less(ints.constant(0), reach), bytes, ints.constant(0));
    return arith::ExtUIOp::create(ints.b, op.getLoc(), ints.b.getI64Type(), bytes);
  }

  LogicalResult matchAndRewrite(BufferOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Int ints(rewriter, loc);
    BufferType type = op.getType();
    SmallVector<Value> lefts, strides;
    for (unsigned d = 0; d < type.getRank(); ++d) {
      lefts.push_back(left(ints, op, d));
      Value elements = stride(rewriter, op, op.argumentDim(d));
      Value narrow = rewriter.createOrFold<arith::TruncIOp>(loc, rewriter.getI32Type(), elements);
      strides.push_back(ints.mul(narrow, type.getElementBytes()));
    }
    Value none = arith::ConstantOp::create(rewriter, loc, rewriter.getI16IntegerAttr(0));
    Value descriptor = ROCDL::MakeBufferRsrcOp::create(
        rewriter, loc, LLVM::LLVMPointerType::get(rewriter.getContext(), 8), base(rewriter, op),
        none, records(ints, op, lefts, strides), ints.constant(kDescriptorFlags));
    SmallVector<Value> values = {descriptor};
    for (unsigned d = 0; d < type.getRank(); ++d)
      if (ShapedType::isDynamic(type.getStrides()[d]))
        values.push_back(strides[d]);
    for (unsigned d = 0; d < type.getRank(); ++d)
      if (ShapedType::isDynamic(type.getShape()[d]))
        values.push_back(lefts[d]);
    replaceWithValues(rewriter, op, values);
    return success();
  }
};

} // namespace

void tegula::cdna::populateBufferPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<Buffer>(converter, context);
}
