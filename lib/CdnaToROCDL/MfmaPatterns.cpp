// Matrix products: one instruction for each accumulator fragment and step of k.
#include "Lowering.h"

#include <map>

using namespace mlir;
using namespace tegula::cdna;
using tegula::Extents;
using tegula::Layout;
using tegula::MfmaInst;

namespace {

/// The fragments of an operand: runs of registers that one instruction takes, by the coordinates of
/// their first element in the first lane of the first wave.
struct Fragments {
  Fragments(RankedTensorType tile, ValueRange chunks, unsigned items)
      : chunks(chunks), size(int64_t(1) << items) {
    Layout layout = getLayout(tile).toLayout();
    for (int64_t r = 0; r < layout.registersPerLane(); r += size)
      corners.push_back(layout.apply(r, 0, 0));
  }
  Value get(OpBuilder &b, Location loc, unsigned i) const {
    return extractRange(b, loc, chunks, i * size, size);
  }
  /// A fragment of bytes as dwords. Chunks are whole dwords, and no smaller than fragments.
  SmallVector<Value> words(OpBuilder &b, Location loc, unsigned i) const {
    int64_t inChunk = chunkCount(chunks.front().getType()), first = i * size;
    Value chunk = LLVM::BitcastOp::create(b, loc, VectorType::get({inChunk / 4}, b.getI32Type()),
                                          chunks[first / inChunk]);
    SmallVector<Value> found;
    for (int64_t at = first % inChunk; at < first % inChunk + size; at += 4) {
      Value place = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(at / 4)));
      found.push_back(LLVM::ExtractElementOp::create(b, loc, chunk, place));
    }
    return found;
  }

  ValueRange chunks;
  int64_t size;
  std::vector<Extents> corners;
};

/// The operand type of the ROCDL op: bf16 of the first generation goes as i16, 8-bit formats as
/// dwords.
Type operandType(OpBuilder &b, const MfmaInst &inst, StringRef dtype, int regs, int64_t items) {
  if (StringRef(inst.rocdl).ends_with("bf16.1k"))
    return VectorType::get({items}, b.getI16Type());
  if (dtype.starts_with("f8") || dtype == "i8")
    return regs == 2 ? Type(b.getI64Type()) : Type(VectorType::get({regs}, b.getI32Type()));
  return {};
}

/// The fragments of a or b as an instruction takes them, each made once.
class Operands {
public:
  /// `wanted`: the type of the ROCDL op's operand, null for the fragments' own. `halves`: codes of
  /// a flavour that the target does not multiply go as f16, in an order of k that a and b share.
  Operands(Fragments fragments, Type element, Type wanted, bool halves)
      : fragments(std::move(fragments)), element(element), wanted(wanted), halves(halves) {}
  Value get(OpBuilder &b, Location loc, unsigned i) {
    Value &operand = made[i];
    if (operand)
      return operand;
    operand = halves ? codesToHalves(b, loc, fragments.words(b, loc, i), cast<FloatType>(element))
                     : fragments.get(b, loc, i);
    if (wanted && wanted != operand.getType())
      operand = LLVM::BitcastOp::create(b, loc, wanted, operand);
    return operand;
  }

private:
  Fragments fragments;
  Type element, wanted;
  bool halves;
  llvm::DenseMap<unsigned, Value> made;
};

/// The number of an 8-bit type in the format fields of an f8f6f4 instruction.
int32_t formatOf(StringRef dtype) { return dtype.starts_with("f8e5m2"); }

struct Mfma : CdnaPattern<MfmaOp> {
  using CdnaPattern::CdnaPattern;

  Value issue(OpBuilder &b, MfmaOp op, const MfmaInst &inst, Value a, Value bOperand,
              Value acc) const {
    Location loc = op.getLoc();
    auto constant = [&](int32_t value) {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)).getResult();
    };
    // Of mixed types there are two instructions, by the order of the operands.
    const MfmaInst *ordered =
        op.getSwapped() ? kernel.target->findMfma(inst.shape, inst.bType, inst.aType) : &inst;
    SmallVector<Value> operands = {a, bOperand, acc};
    if (op.getSwapped())
      std::swap(operands[0], operands[1]);
    if (inst.formats) // scales of 0 that no byte is chosen of: the instruction without scales
      operands.append({constant(formatOf(ordered->aType)), constant(formatOf(ordered->bType)),
                       constant(0), constant(0), constant(0), constant(0)});
    else
      operands.append(3, constant(0));
    OperationState state(loc, ordered->rocdl, operands, acc.getType());
    return b.create(state)->getResult(0);
  }

  LogicalResult matchAndRewrite(MfmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType aTile = op.getA().getType(), bTile = op.getB().getType(),
                     accTile = op.getAcc().getType();
    std::string aType = dtypeName(aTile.getElementType()),
                bType = dtypeName(bTile.getElementType());
    const MfmaInst *inst = kernel.target->findMfma(op.getShape(), aType, bType);
    if (!inst)
      return op.emitOpError() << "no instruction of this shape [cdna.rocdl.c1]";
    Fragments a(aTile, adaptor.getA(), inst->a.item.size()),
        b(bTile, adaptor.getB(), inst->b.item.size());
    Fragments acc(accTile, adaptor.getAcc(), inst->d.item.size());
    std::map<std::pair<int64_t, int64_t>, unsigned> aAt, bAt; // (m, k) and (k, n)
    std::vector<int64_t> steps; // k of a's fragments, in order of registers
    for (auto [i, corner] : llvm::enumerate(a.corners)) {
      aAt[{corner[0], corner[1]}] = i;
      if (!llvm::is_contained(steps, corner[1]))
        steps.push_back(corner[1]);
    }
    for (auto [i, corner] : llvm::enumerate(b.corners))
      bAt[{corner[0], corner[1]}] = i;
    ArrayRef<int64_t> todo(steps);
    if (std::optional<ArrayRef<int64_t>> range = op.getSteps())
      todo = todo.slice((*range)[0], (*range)[1] - (*range)[0]);
    SmallVector<Value> sums;
    for (unsigned i = 0; i < acc.corners.size(); ++i)
      sums.push_back(acc.get(rewriter, loc, i));
    Operands aOperands(a, aTile.getElementType(),
                       operandType(rewriter, *inst, inst->aType, inst->aRegs, a.size),
                       aType != inst->aType);
    Operands bOperands(b, bTile.getElementType(),
                       operandType(rewriter, *inst, inst->bType, inst->bRegs, b.size),
                       bType != inst->bType);
    // k outermost: neighbours in the stream do not wait for each other's sum.
    for (int64_t k : todo) {
      for (auto [i, corner] : llvm::enumerate(acc.corners)) {
        auto aFound = aAt.find({corner[0], k}), bFound = bAt.find({k, corner[1]});
        if (aFound == aAt.end() || bFound == bAt.end())
          return op.emitOpError()
                 << "an operand lacks a fragment that the accumulator needs [cdna.rocdl.c1]";
        sums[i] = issue(rewriter, op, *inst, aOperands.get(rewriter, loc, aFound->second),
                        bOperands.get(rewriter, loc, bFound->second), sums[i]);
      }
      // Conversions take registers, which LLVM would fill with those of all steps.
      if (aType != inst->aType)
        ROCDL::SchedBarrier::create(rewriter, loc, 0);
    }
    int64_t size = chunkSize(getLayout(accTile), accTile.getElementType());
    replaceWithValues(rewriter, op, rechunk(rewriter, loc, sums, size));
    return success();
  }
};

} // namespace

void tegula::cdna::populateMfmaPatterns(RewritePatternSet &patterns, const TypeConverter &converter,
                                        const KernelContext &context) {
  patterns.add<Mfma>(converter, context);
}
