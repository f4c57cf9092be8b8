// Ops that only need to know the layout: renamings, coordinates, phantoms, splats, ids.
#include "Address.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Layout;

namespace {

struct Rename : CdnaPattern<RenameOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(RenameOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    SmallVector<int64_t> sources = renameRegisters(op.getValue().getType(), op.getType(),
                                                   op.getPerm().value_or(ArrayRef<int32_t>()));
    replaceWithValues(
        rewriter, op,
        gatherRegisters(rewriter, op.getLoc(), adaptor.getValue(), sources, op.getType()));
    return success();
  }
};

struct Part : CdnaPattern<PartOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(PartOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    SmallVector<int64_t> sources =
        partRegisters(op.getValue().getType(), op.getType(), op.getOrigin());
    replaceWithValues(
        rewriter, op,
        gatherRegisters(rewriter, op.getLoc(), adaptor.getValue(), sources, op.getType()));
    return success();
  }
};

struct Join : CdnaPattern<JoinOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(JoinOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    // One behind the other the parts are a tile of other numbers of registers.
    int64_t size = std::numeric_limits<int64_t>::max();
    for (ValueRange part : adaptor.getParts())
      size = std::min(size, chunkCount(part.front().getType()));
    SmallVector<Value> chunks;
    SmallVector<int64_t> first;
    for (ValueRange part : adaptor.getParts()) {
      first.push_back(chunks.size() * size);
      llvm::append_range(chunks, rechunk(rewriter, op.getLoc(), part, size));
    }
    SmallVector<int64_t> sources =
        llvm::map_to_vector(op.registerSources(), [&](std::pair<unsigned, int64_t> source) {
          return first[source.first] + source.second;
        });
    replaceWithValues(rewriter, op,
                      gatherRegisters(rewriter, op.getLoc(), chunks, sources, op.getType()));
    return success();
  }
};

struct Splat : CdnaPattern<SplatOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(SplatOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    int64_t size = chunkSize(getLayout(op.getType()), op.getType().getElementType());
    SmallVector<Value> copies(size, adaptor.getValue().front());
    Value chunk = concat(rewriter, op.getLoc(), copies);
    replaceWithValues(rewriter, op,
                      SmallVector<Value>(getLayout(op.getType()).numRegisters() / size, chunk));
    return success();
  }
};

struct Iota : CdnaPattern<IotaOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(IotaOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Int ints(rewriter, op.getLoc());
    Layout layout = getLayout(op.getType()).toLayout();
    Coordinates coordinates(layout, kernel, ints);
    SmallVector<Value> registers;
    for (int64_t r = 0; r < layout.registersPerLane(); ++r) {
      Coordinates::Place place = coordinates.at(op.getAxis(), r);
      registers.push_back(ints.add(place.base, place.offset));
    }
    replaceWithValues(rewriter, op, toChunks(rewriter, op.getLoc(), registers, op.getType()));
    return success();
  }
};

struct Mask : CdnaPattern<MaskOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(MaskOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Int ints(rewriter, loc);
    Layout layout = getLayout(type).toLayout();
    Coordinates coordinates(layout, kernel, ints);
    SmallVector<Value> registers = toRegisters(rewriter, loc, adaptor.getValue());
    Value fill = splatConstant(rewriter, loc, registers.front().getType(), op.getFill());
    for (int64_t r = 0; r < layout.registersPerLane(); ++r)
      for (unsigned d = 0; d < layout.rank(); ++d) {
        if (coordinates.largest(d, r) < type.getDimSize(d))
          continue; // never a phantom
        Coordinates::Place place = coordinates.at(d, r);
        Value inside =
            ints.less(ints.add(place.base, place.offset), ints.constant(type.getDimSize(d)));
        registers[r] = ints.select(inside, registers[r], fill);
      }
    replaceWithValues(rewriter, op, toChunks(rewriter, loc, registers, type));
    return success();
  }
};

struct ProgramId : CdnaPattern<ProgramIdOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(ProgramIdOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Type i32 = rewriter.getI32Type();
    switch (op.getAxis()) {
    case 0:
      rewriter.replaceOpWithNewOp<ROCDL::BlockIdXOp>(op, i32);
      break;
    case 1:
      rewriter.replaceOpWithNewOp<ROCDL::BlockIdYOp>(op, i32);
      break;
    default:
      rewriter.replaceOpWithNewOp<ROCDL::BlockIdZOp>(op, i32);
    }
    return success();
  }
};

struct WaveId : CdnaPattern<WaveIdOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(WaveIdOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, kernel.wave);
    return success();
  }
};

struct LaneId : CdnaPattern<LaneIdOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LaneIdOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, kernel.lane);
    return success();
  }
};

/// The first lane's value, which LLVM then knows to be the same in all.
Value makeUniform(OpBuilder &b, Location loc, Value value) {
  auto integer = dyn_cast<IntegerType>(value.getType());
  if (!integer || integer.getWidth() >= 16)
    return ROCDL::ReadfirstlaneOp::create(b, loc, value.getType(), value);
  // LLVM has no such read of a byte.
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  wide = ROCDL::ReadfirstlaneOp::create(b, loc, wide.getType(), wide);
  return arith::TruncIOp::create(b, loc, integer, wide);
}

struct Uniform : CdnaPattern<UniformOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(UniformOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, makeUniform(rewriter, op.getLoc(), adaptor.getValue().front()));
    return success();
  }
};

struct Element : CdnaPattern<ElementOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(ElementOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, makeUniform(rewriter, op.getLoc(), adaptor.getTile().front()));
    return success();
  }
};

} // namespace

void tegula::cdna::populateLayoutPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<Rename, Part, Join, Splat, Iota, Mask, ProgramId, WaveId, LaneId, Uniform, Element>(
      converter, context);
}
