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

static LogicalResult replace(Operation *op, FailureOr<Value> value) {
  if (failed(value))
    return failure();
  op->getResult(0).replaceAllUsesWith(*value);
  op->erase();
  return success();
}

static Value lowerBroadcast(OpBuilder &builder, tile::BroadcastOp op) {
  RankedTensorType type = op.getResult().getType();
  if (!isa<RankedTensorType>(op.getInput().getType()))
    return SplatOp::create(builder, op.getLoc(), type, op.getInput());
  return RenameOp::create(builder, op.getLoc(), type, op.getInput(), DenseI32ArrayAttr());
}

static Value lowerTranspose(OpBuilder &builder, tile::TransposeOp op) {
  SmallVector<int32_t> perm(op.getPerm().begin(), op.getPerm().end());
  return RenameOp::create(builder, op.getLoc(), op.getResult().getType(), op.getInput(),
                          builder.getDenseI32ArrayAttr(perm));
}

/// One instruction op over the whole K of the tile: see README.md.
static FailureOr<Value> lowerProduct(OpBuilder &builder, tile::MmaOp op) {
  auto instruction = op->getAttrOfType<StringAttr>(kInstructionAttr);
  auto swapped = op->getAttrOfType<UnitAttr>(kSwappedAttr);
  return Value(MfmaOp::create(builder, op.getLoc(), op.getResult().getType(), op.getA(), op.getB(),
                              op.getAcc(), instruction, swapped));
}

/// An extent of a view that is not an argument itself.
static FailureOr<Value> lowerDim(OpBuilder &builder, tile::DimOp op) {
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

static FailureOr<Value> lowerStride(OpBuilder &builder, tile::StrideOp op) {
  FailureOr<FoldedView> view = foldView(builder, op.getView());
  if (failed(view))
    return failure();
  std::optional<unsigned> dim = view->dims[op.getD()];
  if (!dim)
    return Value(arith::ConstantOp::create(builder, op.getLoc(), builder.getI64IntegerAttr(0)));
  return Value(tile::StrideOp::create(builder, op.getLoc(), builder.getI64Type(), view->argument,
                                      builder.getI32IntegerAttr(*dim)));
}

/// LLVM has no remainder of bf16. That of f32 is exact, and no longer than its operands.
static Value throughF32(OpBuilder &builder, arith::RemFOp op) {
  Location loc = op.getLoc();
  Type wide = Emitter(builder, loc, op.getType()).withElement(builder.getF32Type());
  Value x = arith::ExtFOp::create(builder, loc, wide, op.getLhs());
  Value y = arith::ExtFOp::create(builder, loc, wide, op.getRhs());
  return arith::TruncFOp::create(builder, loc, op.getType(),
                                 arith::RemFOp::create(builder, loc, x, y));
}

LogicalResult lowerValueOp(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::BroadcastOp broadcast) {
        return replace(op, lowerBroadcast(builder, broadcast));
      })
      .Case([&](tile::ReshapeOp reshape) {
        RankedTensorType type = reshape.getResult().getType();
        bool inPlace = !renameRegisters(reshape.getInput().getType(), type).empty();
        Value value = inPlace ? Value(RenameOp::create(builder, loc, type, reshape.getInput(),
                                                       DenseI32ArrayAttr()))
                              : ReshapeOp::create(builder, loc, type, reshape.getInput());
        return replace(op, value);
      })
      .Case([&](tile::TransposeOp transpose) {
        return replace(op, lowerTranspose(builder, transpose));
      })
      .Case([&](tile::PackOp pack) {
        Value value = PackOp::create(builder, loc, pack.getResult().getType(), pack.getInput(),
                                     pack.getAxis());
        return replace(op, value);
      })
      .Case([&](tile::UnpackOp unpack) {
        Value value = UnpackOp::create(builder, loc, unpack.getResult().getType(),
                                       unpack.getInput(), unpack.getAxis());
        return replace(op, value);
      })
      .Case([&](tile::IotaOp iota) {
        Value value = IotaOp::create(builder, loc, iota.getResult().getType(),
                                     builder.getI64IntegerAttr(iota.getAxis()));
        return replace(op, value);
      })
      .Case([&](tile::BitcastOp bitcast) {
        Value value = arith::BitcastOp::create(builder, loc, bitcast.getResult().getType(),
                                               bitcast.getInput());
        return replace(op, value);
      })
      .Case([&](tile::CastOp cast) {
        return replace(op, expandCast(builder, cast, cast.getInput()));
      })
      .Case([&](arith::RemFOp remainder) {
        return getElementTypeOrSelf(remainder.getType()).isBF16()
                   ? replace(op, throughF32(builder, remainder))
                   : success();
      })
      .Case([&](arith::TruncFOp narrow) {
        return getElementTypeOrSelf(narrow.getIn().getType()).isF64()
                   ? replace(op, expandFloatToFloat(builder, loc, narrow.getIn(), narrow.getType()))
                   : success();
      })
      .Case([&](arith::SIToFPOp convert) {
        return replace(op, expandIntToFloat(builder, loc, convert.getIn(), convert.getType(),
                                            /*isSigned=*/true));
      })
      .Case([&](arith::UIToFPOp convert) {
        return replace(op, expandIntToFloat(builder, loc, convert.getIn(), convert.getType(),
                                            /*isSigned=*/false));
      })
      .Case([&](tile::MathOp math) {
        return replace(op, expandMath(builder, math, math.getOperands()));
      })
      .Case([&](tile::MmaOp mma) { return replace(op, lowerProduct(builder, mma)); })
      .Case([&](tile::ReduceOp reduce) { return lowerReduce(reduce); })
      .Case([&](tile::ProgramIdOp id) {
        Value value = ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                          builder.getI64IntegerAttr(id.getAxis()));
        return replace(op, value);
      })
      .Case([&](tile::DimOp dim) {
        return isa<BlockArgument>(dim.getView()) ? success() : replace(op, lowerDim(builder, dim));
      })
      .Case([&](tile::StrideOp stride) {
        return isa<BlockArgument>(stride.getView()) ? success()
                                                    : replace(op, lowerStride(builder, stride));
      })
      .Case([&](tile::ElementOp element) {
        Value value =
            ElementOp::create(builder, loc, element.getResult().getType(), element.getInput());
        return replace(op, handRound(builder, op, value, std::nullopt));
      })
      .Case([&](tile::ExitOp) {
        ExitOp::create(builder, loc);
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
