// Layout conversions that stay in registers: renamings, moves to another lane, exchanges of a
// register bit with a lane bit.
#include "Address.h"
#include "LaneMoves.h"

#include "tegula/Layout/LinearLayout.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Conversion;
using tegula::Layout;

namespace {

/// The pull map's part that tells from which lane a lane reads.
struct LaneMap {
  LaneMap(const Conversion &conversion, const Layout &src, const Layout &dst) {
    for (unsigned bit = 0; bit < 6; ++bit)
      images.push_back(conversion.pull.columns[dst.reg.size() + bit] >> src.reg.size() & 63);
  }
  bool insideQuads() const {
    for (unsigned bit = 0; bit < 6; ++bit)
      if (bit < 2 ? images[bit] > 3 : images[bit] != int64_t(1) << bit)
        return false;
    return true;
  }
  /// The control of DPP's quad_perm: two bits a lane.
  int32_t quadControl() const {
    int32_t control = 0;
    for (int32_t lane = 0; lane < 4; ++lane) {
      int64_t source = (lane & 1 ? images[0] : 0) ^ (lane & 2 ? images[1] : 0);
      control |= int32_t(source) << (2 * lane);
    }
    return control;
  }
  SmallVector<int64_t> images; ///< of each bit of the lane
};

struct Convert : CdnaPattern<ConvertLayoutOp> {
  using CdnaPattern::CdnaPattern;

  LogicalResult matchAndRewrite(ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (!op.getPath() || op.getPath() == ConvertPath::Lds)
      return op.emitOpError() << "a conversion through LDS is still whole [cdna.rocdl.c1]";
    RankedTensorType from = op.getValue().getType(), to = op.getType();
    SmallVector<Value> chunks(adaptor.getValue());
    if (op.getPath() == ConvertPath::Lane)
      chunks = throughLanes(rewriter, op, chunks);
    else if (op.getPath() == ConvertPath::Exchange)
      chunks = exchanged(rewriter, op, chunks);
    else
      chunks = renamed(rewriter, op.getLoc(), chunks, from, to);
    replaceWithValues(rewriter, op, chunks);
    return success();
  }

private:
  static SmallVector<Value> renamed(OpBuilder &b, Location loc, ValueRange chunks,
                                    RankedTensorType from, RankedTensorType to) {
    return gatherRegisters(b, loc, chunks, renameRegisters(from, to), to);
  }
  static RankedTensorType withLayout(RankedTensorType type, const Layout &layout) {
    return RankedTensorType::get(type.getShape(), type.getElementType(),
                                 LayoutAttr::get(type.getContext(), layout));
  }
  Conversion conversionOf(ConvertLayoutOp op) const {
    RankedTensorType from = op.getValue().getType();
    return tegula::classifyConversion(getLayout(from).toLayout(),
                                      getLayout(op.getType()).toLayout(),
                                      elementBits(from.getElementType()), *kernel.target);
  }

  /// First the registers within their lanes, then each register as a whole.
  SmallVector<Value> throughLanes(OpBuilder &b, ConvertLayoutOp op, ValueRange chunks) const {
    Location loc = op.getLoc();
    RankedTensorType from = op.getValue().getType(), to = op.getType();
    Layout src = getLayout(from).toLayout(), dst = getLayout(to).toLayout(), between = dst;
    between.lane = src.lane;
    LaneMap map(conversionOf(op), src, dst);
    Int ints(b, loc);
    Value address;
    if (!map.insideQuads())
      address = ints.mul(ints.linear(kernel.lane, map.images), int64_t(4));
    SmallVector<Value> words =
        toDwords(b, loc, renamed(b, loc, chunks, from, withLayout(from, between)));
    for (Value &word : words)
      word = address ? ROCDL::DsBpermuteOp::create(b, loc, b.getI32Type(), address, word)
                     : moveByDpp(b, loc, LLVM::PoisonOp::create(b, loc, b.getI32Type()), word,
                                 map.quadControl(), 15, true);
    return fromDwords(b, loc, words, to);
  }

  /// Each crossing swaps two registers between two lanes; what is left is a renaming.
  SmallVector<Value> exchanged(OpBuilder &b, ConvertLayoutOp op, ValueRange chunks) const {
    Location loc = op.getLoc();
    RankedTensorType from = op.getValue().getType();
    Layout layout = getLayout(from).toLayout();
    SmallVector<Value> words = toDwords(b, loc, chunks);
    for (auto [reg, lane] : conversionOf(op).crossings) {
      // A dword is several registers, or a register several dwords.
      int64_t step = (int64_t(1) << reg) * elementBits(from.getElementType()) / 32;
      for (int64_t i = 0; i < int64_t(words.size()); ++i)
        if (!(i & step))
          std::tie(words[i], words[i + step]) =
              swapAcross(b, loc, kernel, words[i], words[i + step], lane);
      std::swap(layout.reg[reg], layout.lane[lane]);
    }
    RankedTensorType swapped = withLayout(from, layout);
    return renamed(b, loc, fromDwords(b, loc, words, swapped), swapped, op.getType());
  }
};

} // namespace

void tegula::cdna::populateConvertPatterns(RewritePatternSet &patterns,
                                           const TypeConverter &converter,
                                           const KernelContext &context) {
  patterns.add<Convert>(converter, context);
}
