// Everything between memory and reductions: shape ops are renamings of registers, functions and
// casts are expanded, products become matrix instructions.
#include "Emitter.h"
#include "ExpandMath.h"
#include "FoldedView.h"
#include "LayoutChoice.h"
#include "LowerTile.h"

#include "dialects/cdna/CdnaNarrow.h"
#include "dialects/tile/TileQuantize.h"

using namespace mlir;

namespace tegula::cdna {

static Value lower(OpBuilder &builder, tile::BroadcastOp op) {
  RankedTensorType type = op.getResult().getType();
  if (!isa<RankedTensorType>(op.getInput().getType()))
    return SplatOp::create(builder, op.getLoc(), type, op.getInput());
  return RenameOp::create(builder, op.getLoc(), type, op.getInput(), DenseI32ArrayAttr());
}

static Value lower(OpBuilder &builder, tile::ReshapeOp op) {
  RankedTensorType type = op.getResult().getType();
  if (renameRegisters(op.getInput().getType(), type).empty())
    return ReshapeOp::create(builder, op.getLoc(), type, op.getInput());
  return RenameOp::create(builder, op.getLoc(), type, op.getInput(), DenseI32ArrayAttr());
}

static Value lower(OpBuilder &builder, tile::TransposeOp op) {
  SmallVector<int32_t> perm(op.getPerm().begin(), op.getPerm().end());
  return RenameOp::create(builder, op.getLoc(), op.getResult().getType(), op.getInput(),
                          builder.getDenseI32ArrayAttr(perm));
}

static Value lower(OpBuilder &builder, tile::PackOp op) {
  return PackOp::create(builder, op.getLoc(), op.getResult().getType(), op.getInput(),
                        op.getAxis());
}

static Value lower(OpBuilder &builder, tile::UnpackOp op) {
  return UnpackOp::create(builder, op.getLoc(), op.getResult().getType(), op.getInput(),
                          op.getAxis());
}

static Value lower(OpBuilder &builder, tile::IotaOp op) {
  return IotaOp::create(builder, op.getLoc(), op.getResult().getType(), op.getAxis());
}

static Value lower(OpBuilder &builder, tile::BitcastOp op) {
  return arith::BitcastOp::create(builder, op.getLoc(), op.getResult().getType(), op.getInput());
}

static Value lower(OpBuilder &builder, tile::CastOp op) { return expandCast(builder, op); }

static Value lower(OpBuilder &builder, tile::MathOp op) { return expandMath(builder, op); }

static Value lower(OpBuilder &builder, tile::ProgramIdOp op) {
  return ProgramIdOp::create(builder, op.getLoc(), op.getAxis());
}

static FailureOr<Value> lower(OpBuilder &builder, tile::ElementOp op) {
  Value value = ElementOp::create(builder, op.getLoc(), op.getResult().getType(), op.getInput());
  return handRound(builder, op, value, std::nullopt);
}

/// One instruction op over the whole K of the tile: see README.md.
static Value lower(OpBuilder &builder, tile::MmaOp op) {
  return MfmaOp::create(builder, op.getLoc(), op.getResult().getType(), op.getA(), op.getB(),
                        op.getAcc(), op.getInstructionAttr(), op.getSwappedAttr());
}

/// Extents and strides of arguments stay.
static FailureOr<Value> lower(OpBuilder &builder, tile::DimOp op) {
  if (isa<BlockArgument>(op.getView()))
    return op.getResult();
  FailureOr<FoldedView> view = foldView(builder, op.getView());
  if (failed(view))
    return failure();
  std::optional<unsigned> dim = view->dims[op.getD()];
  if (!dim)
    return constantI32(builder, op.getLoc(), 1);
  Location loc = op.getLoc();
  Value end = endOf(builder, loc, *view, *dim), begin = view->offsets[*dim];
  if (!begin)
    return end;
  // A slice that ends before it begins is empty.
  return builder.createOrFold<arith::MaxSIOp>(
      loc, builder.createOrFold<arith::SubIOp>(loc, end, begin), constantI32(builder, loc, 0));
}

static FailureOr<Value> lower(OpBuilder &builder, tile::StrideOp op) {
  if (isa<BlockArgument>(op.getView()))
    return op.getResult();
  FailureOr<FoldedView> view = foldView(builder, op.getView());
  if (failed(view))
    return failure();
  std::optional<unsigned> dim = view->dims[op.getD()];
  if (!dim)
    return Value(arith::ConstantOp::create(builder, op.getLoc(), builder.getI64IntegerAttr(0)));
  return Value(tile::StrideOp::create(builder, op.getLoc(), view->argument, *dim));
}

/// LLVM has no remainder of bf16. That of f32 is exact, and no longer than its operands.
static Value lower(OpBuilder &builder, arith::RemFOp op) {
  if (!getElementTypeOrSelf(op.getType()).isBF16())
    return op.getResult();
  Location loc = op.getLoc();
  Type wide = Emitter(builder, loc, op.getType()).withElement(builder.getF32Type());
  Value x = arith::ExtFOp::create(builder, loc, wide, op.getLhs());
  Value y = arith::ExtFOp::create(builder, loc, wide, op.getRhs());
  return arith::TruncFOp::create(builder, loc, op.getType(),
                                 arith::RemFOp::create(builder, loc, x, y));
}

static Value lower(OpBuilder &builder, arith::TruncFOp op) {
  if (!getElementTypeOrSelf(op.getIn().getType()).isF64())
    return op.getResult();
  return expandFloatToFloat(builder, op.getLoc(), op.getIn(), op.getType());
}

static Value lower(OpBuilder &builder, arith::SIToFPOp op) {
  return expandIntToFloat(builder, op.getLoc(), op.getIn(), op.getType(), /*isSigned=*/true);
}

static Value lower(OpBuilder &builder, arith::UIToFPOp op) {
  return expandIntToFloat(builder, op.getLoc(), op.getIn(), op.getType(), /*isSigned=*/false);
}

LogicalResult lowerValueOp(Operation *op) {
  OpBuilder builder(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::BroadcastOp, tile::ReshapeOp, tile::TransposeOp, tile::PackOp, tile::UnpackOp,
            tile::IotaOp, tile::BitcastOp, tile::CastOp, tile::MathOp, tile::MmaOp,
            tile::ProgramIdOp, tile::ElementOp, tile::DimOp, tile::StrideOp, arith::RemFOp,
            arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(
          [&](auto known) { return replaceOp(op, lower(builder, known)); })
      .Case([](tile::ReduceOp reduce) { return lowerReduce(reduce); })
      .Case([&](tile::ExitOp) {
        ExitOp::create(builder, op->getLoc());
        op->erase();
        return success();
      })
      .Case([&](tile::AssumeOp) {
        op->erase();
        return success();
      })
      .Default([](Operation *other) { return lowerExchange(other); });
}

} // namespace tegula::cdna
