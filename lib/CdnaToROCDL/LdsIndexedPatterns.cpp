// LDS by element indices.
#include "IndexedAccess.h"

using namespace mlir;
using namespace tegula::cdna;

namespace {

/// Elements of an unswizzled buffer by values of their coordinates.
class LdsElements {
public:
  LdsElements(LdsAllocOp alloc, const KernelContext &kernel, Int &ints)
      : type(alloc.getType()), start(*alloc.getOffset()), kernel(kernel), ints(ints) {}

  /// Coordinates moved to the nearest ones inside.
  SmallVector<Value> clamped(ArrayRef<Value> at) {
    SmallVector<Value> result;
    for (auto [x, extent] : llvm::zip_equal(at, type.getShape()))
      result.push_back(ints.b.createOrFold<arith::MinUIOp>(ints.loc, x, ints.constant(extent - 1)));
    return result;
  }

  Value inside(ArrayRef<Value> at) {
    Value condition;
    for (auto [x, extent] : llvm::zip_equal(at, type.getShape()))
      condition =
          ints.both(condition, ints.b.createOrFold<arith::CmpIOp>(
                                   ints.loc, arith::CmpIPredicate::ult, x, ints.constant(extent)));
    return condition;
  }

  Value pointer(ArrayRef<Value> at) {
    Value byte = ints.mul(at[type.fastestDim()], type.getElementBytes());
    int64_t weight = type.getPitch();
    for (int32_t d : type.getOrder().drop_front()) {
      byte = ints.add(byte, ints.mul(at[d], weight));
      weight *= type.getShape()[d];
    }
    return LLVM::GEPOp::create(ints.b, ints.loc, kernel.lds.getType(), ints.b.getI8Type(),
                               kernel.lds, ArrayRef<LLVM::GEPArg>{ints.add(byte, start)});
  }

private:
  LdsType type;
  int64_t start;
  const KernelContext &kernel;
  Int &ints;
};

/// What the patterns share: the buffer's place, and registers of the index tiles.
template <typename Op> struct LdsIndexedPattern : CdnaPattern<Op> {
  using CdnaPattern<Op>::CdnaPattern;
  using OneToNOpAdaptor = typename CdnaPattern<Op>::OneToNOpAdaptor;

  LdsAllocOp allocOf(Op op) const {
    auto alloc = op.getLds().template getDefiningOp<LdsAllocOp>();
    if (alloc && alloc.getOffset() && this->kernel.lds)
      return alloc;
    op.emitOpError() << "LDS is not allocated yet [cdna.rocdl.c1]";
    return {};
  }

  /// Coordinates of each register.
  static SmallVector<SmallVector<Value>> coordinates(OneToNOpAdaptor adaptor, OpBuilder &b,
                                                     Location loc) {
    SmallVector<SmallVector<Value>> result;
    for (ValueRange chunks : adaptor.getIndices()) {
      SmallVector<Value> registers = toRegisters(b, loc, chunks);
      result.resize(registers.size());
      for (auto [at, x] : llvm::zip_equal(result, registers))
        at.push_back(x);
    }
    return result;
  }

  /// Calls `write` for each register that is an element of its own inside the buffer and the mask.
  void forEachWritten(Op op, OneToNOpAdaptor adaptor, LdsAllocOp alloc,
                      ConversionPatternRewriter &rewriter,
                      function_ref<void(OpBuilder &, Value pointer, Value value)> write) const {
    Location loc = op.getLoc();
    Int ints(rewriter, loc);
    RankedTensorType type = op.getValue().getType();
    Coordinates places(getLayout(type).toLayout(), this->kernel, ints);
    LdsElements elements(alloc, this->kernel, ints);
    SmallVector<Value> values = toRegisters(rewriter, loc, adaptor.getValue()), mask;
    if (op.getMask())
      mask = toRegisters(rewriter, loc, adaptor.getMask());
    SmallVector<SmallVector<Value>> registers = coordinates(adaptor, rewriter, loc);
    for (unsigned r = 0; r < registers.size(); ++r) {
      ArrayRef<Value> at = registers[r];
      Value condition = isElement(type, r, /*owned=*/true, places, this->kernel, ints);
      condition = ints.both(condition, elements.inside(at));
      if (!mask.empty())
        condition = ints.both(condition, mask[r]);
      Value pointer = elements.pointer(at);
      guarded(rewriter, loc, condition, {}, [&](OpBuilder &b) {
        write(b, pointer, values[r]);
        return SmallVector<Value>();
      });
    }
  }
};

struct LdsGather : LdsIndexedPattern<LdsGatherOp> {
  using LdsIndexedPattern::LdsIndexedPattern;
  LogicalResult matchAndRewrite(LdsGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    LdsAllocOp alloc = allocOf(op);
    if (!alloc)
      return failure();
    Location loc = op.getLoc();
    Int ints(rewriter, loc);
    LdsElements elements(alloc, kernel, ints);
    RankedTensorType type = op.getResult().getType();
    Type element = registerType(type.getElementType());
    int64_t bytes = elementBytes(element);
    SmallVector<Value> registers;
    for (ArrayRef<Value> at : coordinates(adaptor, rewriter, loc))
      registers.push_back(LLVM::LoadOp::create(rewriter, loc, memoryType(rewriter, bytes),
                                               elements.pointer(elements.clamped(at)), bytes));
    for (Value &x : registers)
      x = fromMemory(rewriter, loc, x, element, 1);
    replaceWithValues(rewriter, op, toChunks(rewriter, loc, registers, type));
    return success();
  }
};

struct LdsScatter : LdsIndexedPattern<LdsScatterOp> {
  using LdsIndexedPattern::LdsIndexedPattern;
  LogicalResult matchAndRewrite(LdsScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    LdsAllocOp alloc = allocOf(op);
    if (!alloc)
      return failure();
    Location loc = op.getLoc();
    Type element = registerType(op.getValue().getType().getElementType());
    forEachWritten(op, adaptor, alloc, rewriter, [&](OpBuilder &b, Value pointer, Value value) {
      LLVM::StoreOp::create(b, loc, toMemory(b, loc, value, element, 1), pointer,
                            elementBytes(element));
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LdsAtomic : LdsIndexedPattern<LdsAtomicOp> {
  using LdsIndexedPattern::LdsIndexedPattern;
  LogicalResult matchAndRewrite(LdsAtomicOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    LdsAllocOp alloc = allocOf(op);
    if (!alloc)
      return failure();
    Location loc = op.getLoc();
    forEachWritten(op, adaptor, alloc, rewriter, [&](OpBuilder &b, Value pointer, Value value) {
      LLVM::AtomicRMWOp::create(b, loc, binOp(op.getKind(), /*isFloat=*/false), pointer, value,
                                LLVM::AtomicOrdering::monotonic, "workgroup");
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tegula::cdna::populateLdsIndexedPatterns(RewritePatternSet &patterns,
                                              const TypeConverter &converter,
                                              const KernelContext &context) {
  patterns.add<LdsGather, LdsScatter, LdsAtomic>(converter, context);
}
