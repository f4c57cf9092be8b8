// Atomic updates of global memory. What the hardware lacks (bytes, halves but for sums, kinds of a
// scope) becomes a loop of compare-and-swap in LLVM.
#include "IndexedAccess.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;
using tile::AtomicKind;

namespace {

/// One update of one register (or a pair of them), inside its guard.
class AtomicEmitter {
public:
  AtomicEmitter(OpBuilder &b, Location loc, AtomicKind kind, tile::MemoryScope scope)
      : b(b), loc(loc), kind(kind), scope(scope) {}

  /// The old value. `value` has the element's type, or is a pair of halves.
  Value update(Value pointer, Value value) {
    Type type = value.getType();
    bool isFloat = isa<FloatType>(type);
    bool isHalf = isFloat && type.getIntOrFloatBitWidth() == 16;
    bool isExtremum = kind == AtomicKind::Max || kind == AtomicKind::Min;
    if (isHalf && kind == AtomicKind::Add)
      return addHalf(pointer, value);
    if (isFloat && !isHalf && isExtremum)
      return floatExtremum(pointer, value);
    return emit(binOp(kind, isa<FloatType>(getElementTypeOrSelf(type))), pointer, value);
  }

private:
  /// The attributes tell LLVM that the memory is the device's own, where every kind is one
  /// instruction. Of the scope `system` that is not known.
  Value emit(LLVM::AtomicBinOp op, Value pointer, Value value) {
    auto atomic = LLVM::AtomicRMWOp::create(b, loc, op, pointer, value,
                                            LLVM::AtomicOrdering::monotonic, syncScope(scope));
    auto *rocdl = b.getContext()->getLoadedDialect<ROCDL::ROCDLDialect>();
    if (scope != tile::MemoryScope::System) {
      rocdl->getNoFineGrainedMemoryAttrHelper().setAttr(atomic, b.getUnitAttr());
      rocdl->getNoRemoteMemoryAttrHelper().setAttr(atomic, b.getUnitAttr());
    }
    rocdl->getIgnoreDenormalModeAttrHelper().setAttr(atomic, b.getUnitAttr());
    return atomic;
  }

  Value integer(Type type, int64_t x) { return LLVM::ConstantOp::create(b, loc, type, x); }

  /// A sum of one half: the pair instruction on its dword, -0 beside it, which changes nothing.
  Value addHalf(Value pointer, Value value) {
    Type i64 = b.getI64Type();
    Value address = LLVM::PtrToIntOp::create(b, loc, i64, pointer);
    Value odd = LLVM::AndOp::create(b, loc, address, integer(i64, 2));
    Value back = LLVM::SubOp::create(b, loc, integer(i64, 0), odd);
    Value dword = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                                      ArrayRef<LLVM::GEPArg>{back});
    Value isOdd = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, odd, integer(i64, 0));
    Value nothing = negativeZero(value.getType());
    auto choose = [&](Value x, Value y) -> Value {
      return LLVM::SelectOp::create(b, loc, isOdd, x, y);
    };
    Value pair = concat(b, loc, {choose(nothing, value), choose(value, nothing)});
    Value old = emit(LLVM::AtomicBinOp::fadd, dword, pair);
    return choose(extractRange(b, loc, old, 1, 1), extractRange(b, loc, old, 0, 1));
  }

  Value negativeZero(Type type) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, -0.0));
  }

  /// The extremum of floats by integer order: of numbers without sign the same, of numbers with one
  /// the reverse as unsigned. A NaN gets the sign that wins. One in memory with the other sign
  /// would not, so memory is looked at first; there, a NaN stays.
  Value floatExtremum(Value pointer, Value value) {
    Type type = value.getType(), bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    bool isMax = kind == AtomicKind::Max;
    auto real = cast<FloatType>(type);
    APFloat nan = APFloat::getNaN(real.getFloatSemantics(), /*Negative=*/!isMax);
    Value isNaN = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, value, value);
    Value quiet = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, nan));
    Value word =
        LLVM::BitcastOp::create(b, loc, bits, LLVM::SelectOp::create(b, loc, isNaN, quiet, value));
    Value isNegative =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, word, integer(bits, 0));
    Value before = LLVM::LoadOp::create(
        b, loc, type, pointer, type.getIntOrFloatBitWidth() / 8, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
        LLVM::AtomicOrdering::monotonic, syncScope(scope));
    Value isNumber = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::ord, before, before);
    Value kept = LLVM::BitcastOp::create(b, loc, bits, before);
    SmallVector<Value> old = guarded(b, loc, isNumber, kept, [&](OpBuilder &number) {
      auto branch = scf::IfOp::create(number, loc, TypeRange(bits), isNegative,
                                      /*withElseRegion=*/true);
      for (bool negative : {true, false}) {
        OpBuilder side = negative ? branch.getThenBodyBuilder(number.getListener())
                                  : branch.getElseBodyBuilder(number.getListener());
        LLVM::AtomicBinOp op = negative ? isMax ? LLVM::AtomicBinOp::umin : LLVM::AtomicBinOp::umax
                               : isMax  ? LLVM::AtomicBinOp::max
                                        : LLVM::AtomicBinOp::min;
        Value was = AtomicEmitter(side, loc, kind, scope).emit(op, pointer, word);
        scf::YieldOp::create(side, loc, was);
      }
      return SmallVector<Value>{branch.getResult(0)};
    });
    return LLVM::BitcastOp::create(b, loc, type, old.front());
  }

  OpBuilder &b;
  Location loc;
  AtomicKind kind;
  tile::MemoryScope scope;
};

struct AtomicRmw : CdnaPattern<AtomicRmwOp> {
  using CdnaPattern::CdnaPattern;

  /// Two neighbours as one operand. The second may lie outside: -0 leaves its place as it is.
  static Value pairOf(OpBuilder &b, Location loc, Value first, Value second, Value secondInside) {
    if (secondInside) {
      Value nothing = arith::ConstantOp::create(b, loc, b.getFloatAttr(second.getType(), -0.0));
      second = LLVM::SelectOp::create(b, loc, secondInside, second, nothing);
    }
    return concat(b, loc, {first, second});
  }

  LogicalResult matchAndRewrite(AtomicRmwOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getValue().getType();
    Int ints(rewriter, loc);
    IndexedAccess access(placeOf(op, adaptor, rewriter), tile, /*writes=*/true, kernel, ints);
    SmallVector<Value> values = toRegisters(rewriter, loc, adaptor.getValue()), olds;
    int64_t step = op.getPairs() ? 2 : 1;
    for (int64_t r = 0; r < (int64_t)values.size(); r += step) {
      Value operand = values[r];
      if (step == 2)
        operand = pairOf(rewriter, loc, values[r], values[r + 1], access.inside(r + 1));
      SmallVector<Value> otherwise;
      if (op.getOld())
        otherwise = {LLVM::ZeroOp::create(rewriter, loc, operand.getType())};
      SmallVector<Value> old =
          guarded(rewriter, loc, access.inside(r), otherwise, [&](OpBuilder &b) {
            return SmallVector<Value>{AtomicEmitter(b, loc, op.getKind(), op.getScope())
                                          .update(access.pointer(b, r), operand)};
          });
      if (op.getOld())
        for (int64_t i = 0; i < step; ++i)
          olds.push_back(extractRange(rewriter, loc, old.front(), i, 1));
    }
    if (!op.getOld()) {
      rewriter.eraseOp(op);
      return success();
    }
    replaceWithValues(rewriter, op, toChunks(rewriter, loc, olds, tile));
    return success();
  }
};

struct AtomicCas : CdnaPattern<AtomicCasOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(AtomicCasOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getDesired().getType();
    Int ints(rewriter, loc);
    IndexedAccess access(placeOf(op, adaptor, rewriter), tile, /*writes=*/true, kernel, ints);
    SmallVector<Value> expected = toRegisters(rewriter, loc, adaptor.getExpected()),
                       desired = toRegisters(rewriter, loc, adaptor.getDesired()), olds;
    Type type = tile.getElementType(), bits = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
    Value zero = LLVM::ZeroOp::create(rewriter, loc, bits);
    for (int64_t r = 0; r < (int64_t)desired.size(); ++r) {
      Value compare = asBits(rewriter, loc, expected[r], bits),
            replace = asBits(rewriter, loc, desired[r], bits);
      SmallVector<Value> old =
          guarded(rewriter, loc, access.inside(r), zero, [&](OpBuilder &b) -> SmallVector<Value> {
            Value both = LLVM::AtomicCmpXchgOp::create(
                b, loc, access.pointer(b, r), compare, replace, LLVM::AtomicOrdering::monotonic,
                LLVM::AtomicOrdering::monotonic, syncScope(op.getScope()));
            return {LLVM::ExtractValueOp::create(b, loc, both, 0)};
          });
      olds.push_back(asBits(rewriter, loc, old.front(), type));
    }
    replaceWithValues(rewriter, op, toChunks(rewriter, loc, olds, tile));
    return success();
  }

  static Value asBits(OpBuilder &b, Location loc, Value x, Type type) {
    return x.getType() == type ? x : LLVM::BitcastOp::create(b, loc, type, x).getResult();
  }
};

} // namespace

void tegula::cdna::populateAtomicPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<AtomicRmw, AtomicCas>(converter, context);
}
