// The checks behind `tile.legal_for_target` and `tile.tails_split`.
#include "dialects/tile/TileNormalForms.h"
#include "dialects/tile/TileBounds.h"
#include "tegula/Target/Target.h"

using namespace mlir;
using namespace tegula::tile;

std::string tegula::tile::dtypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return "i" + std::to_string(integer.getWidth());
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case<Float64Type>([](auto) { return "f64"; })
      .Case<Float32Type>([](auto) { return "f32"; })
      .Case<Float16Type>([](auto) { return "f16"; })
      .Case<BFloat16Type>([](auto) { return "bf16"; })
      .Case<Float8E4M3FNType>([](auto) { return "f8e4m3fn"; })
      .Case<Float8E5M2Type>([](auto) { return "f8e5m2"; })
      .Case<Float8E4M3FNUZType>([](auto) { return "f8e4m3fnuz"; })
      .Case<Float8E5M2FNUZType>([](auto) { return "f8e5m2fnuz"; })
      .Case<Float8E8M0FNUType>([](auto) { return "e8m0"; })
      .Default([](auto) { return ""; });
}

const tegula::Target *tegula::tile::lookupTarget(Operation *kernel) {
  auto target = kernel->getAttrOfType<TargetAttr>("target");
  return target ? tegula::lookupTarget(target.getName()) : nullptr;
}

static LogicalResult verifyScheduleComplete(Operation *kernel) {
  bool hasMma = false, hasTileId = false;
  kernel->walk([&](Operation *op) {
    hasMma |= isa<MmaOp>(op);
    hasTileId |= isa<TileIdOp>(op);
  });
  auto schedule = kernel->getAttrOfType<ScheduleAttr>("schedule");
  if (!schedule)
    return kernel->emitOpError("has no schedule; run tile-pick-schedule first [tile.target.c1]");
  SmallVector<StringRef> missing = schedule.missingFields(hasMma, hasTileId);
  if (missing.empty())
    return success();
  return kernel->emitOpError() << "has a schedule without " << llvm::join(missing, ", ")
                               << "; run tile-pick-schedule first [tile.target.c1]";
}

LogicalResult tegula::tile::verifyProduct(MmaOp mma, const tegula::Target &target) {
  std::string a = dtypeName(mma.getA().getType().getElementType());
  std::string b = dtypeName(mma.getB().getType().getElementType());
  if (!target.mfmaFor(a, b).empty())
    return success();
  InFlightDiagnostic diag = mma.emitOpError() << "of " << a << " x " << b << ": " << target.name
                                              << " multiplies f16, bf16, f32, f64, i8, "
                                              << target.fp8Type << ", " << target.bf8Type;
  return diag << " [tile.target.c1]";
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

static LogicalResult verifyConversion(CastOp op) {
  Type from = getElementTypeOrSelf(op.getInput().getType()),
       to = getElementTypeOrSelf(op.getType());
  if (isNarrowFloat(from) || isNarrowFloat(to))
    return op.emitOpError()
           << from << " to " << to
           << " has no expansion; f64, f32, f16, bf16 and integers convert [tile.target.c1]";
  bool rounds = isa<FloatType>(to) && from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  if (rounds && (op.getRounding() != Rounding::Rne || op.getSaturate()))
    return op.emitOpError() << from << " to " << to
                            << " rounds with rne and without saturate only [tile.target.c1]";
  return success();
}

static LogicalResult verifyHasLowering(Operation *op, const tegula::Target &target) {
  if (auto mma = dyn_cast<MmaOp>(op)) {
    if (mma.getAcc().getType().getRank() == 3)
      return op->emitOpError("of batches has no lowering; give each workgroup one product of the "
                             "batch [tile.target.c1]");
    return verifyProduct(mma, target);
  }
  if (auto math = dyn_cast<MathOp>(op))
    return verifyFunction(math);
  if (auto cast = dyn_cast<CastOp>(op))
    return verifyConversion(cast);
  return success();
}

LogicalResult tegula::tile::verifyLegalForTarget(Operation *kernel) {
  const tegula::Target *target = lookupTarget(kernel);
  if (!target)
    return kernel->emitOpError("names no target [tile.target.c1]");
  if (failed(verifyScheduleComplete(kernel)))
    return failure();
  WalkResult walk = kernel->walk([&](Operation *op) {
    return failed(verifyHasLowering(op, *target)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult tegula::tile::verifyTailsSplit(Operation *kernel) {
  WalkResult walk = kernel->walk([&](scf::ForOp loop) {
    std::optional<TileLoop> partial = matchPartialTileLoop(loop);
    if (!partial)
      return WalkResult::advance();
    loop.emitOpError() << "may run past its dimension in steps of " << partial->tile
                       << ", although the kernel says its tails are split [tile.tails_split]";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
