// What is lowered: the one list of the ops, functions and conversions that the passes behind
// `tile.legal_for_target` can do something with. They take for granted that they meet no others.
#include "dialects/tile/TileNormalForms.h"
#include "dialects/tile/TileQuantize.h"
#include "tegula/Target/Target.h"

using namespace mlir;
using namespace tegula::tile;

LogicalResult tegula::tile::verifyProduct(MmaOp mma) {
  if (mma.getAcc().getType().getRank() == 2)
    return success(); // of every pair of types that the op takes, on every target
  return mma.emitOpError("of batches is left, which tile-unroll-batches takes apart "
                         "[tile.target.c1]");
}

// All functions have an expansion for f32, and for the narrower floats through it.
static LogicalResult verifyFunction(MathOp op) {
  bool isExact = op.getKind() == MathKind::Sqrt || op.getKind() == MathKind::Rcp;
  if (isExact || !getElementTypeOrSelf(op.getType()).isF64())
    return success();
  return op.emitOpError() << stringifyMathKind(op.getKind())
                          << " of f64 has no expansion; sqrt and rcp have, f32, f16 and bf16 have "
                             "all functions: cast first, for example .to(tg.f32) [tile.target.c1]";
}

// Registers hold the same value in every place of a constant.
static LogicalResult verifyConstant(arith::ConstantOp op) {
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements || elements.isSplat())
    return success();
  return op.emitOpError("a tile of different elements has no lowering; make it from tile.iota, or "
                        "load it [tile.target.c1]");
}

/// Element-wise ops of arith and math that LLVM has for every type which the dialect lets them
/// have.
static bool isLoweredElementwise(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
             arith::FloorDivSIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
             arith::ShRSIOp, arith::ShRUIOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
             arith::MinUIOp, arith::CmpIOp, arith::SelectOp>(op) ||
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::CmpFOp>(op) ||
         isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp, arith::TruncFOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp>(
             op) ||
         isa<math::AbsFOp, math::CopySignOp, math::FloorOp, math::CeilOp, math::TruncOp,
             math::RoundEvenOp, math::FmaOp, math::CtPopOp>(op);
}

static bool isLoweredTileOp(Operation *op) {
  return isa<ReturnOp, ProgramIdOp, TileIdOp, NumTilesOp, ResidentOp, DimOp, StrideOp, SliceOp,
             IndexOp, ExpandOp, PermuteViewOp, LoadOp, StoreOp, ScalarOp, ArriveOp, ValidOp,
             BroadcastOp, ReshapeOp, TransposeOp, IotaOp, CastOp, BitcastOp, PackOp, UnpackOp,
             ReduceOp, AssumeOp, GatherOp, ScatterOp, AtomicRmwOp, AtomicCasOp, ExtractOp, ConcatOp,
             TakeOp, ElementOp, HistogramOp, ScanOp, ReduceRegionOp, YieldOp, AssertOp, PrintOp,
             ExitOp>(op);
}

static bool isLoweredControl(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ConditionOp, scf::YieldOp>(op);
}

static LogicalResult verifyHasLowering(Operation *op) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return verifyProduct(mma);
  if (auto math = dyn_cast<MathOp>(op))
    return verifyFunction(math);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return verifyConstant(constant);
  // Layout conversions come with the passes that lower them.
  bool isOurs = op->getName().getDialectNamespace() == "cdna";
  if (isOurs || isLoweredTileOp(op) || isLoweredElementwise(op) || isLoweredControl(op))
    return success();
  return op->emitOpError("has no lowering [tile.target.c1]");
}

LogicalResult tegula::tile::verifyLowerings(KernelOp kernel) {
  if (!lookupTarget(kernel))
    return kernel.emitOpError("names no target [tile.target.c1]");
  WalkResult walk = kernel.walk([&](Operation *op) {
    return op != kernel && failed(verifyHasLowering(op)) ? WalkResult::interrupt()
                                                         : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
