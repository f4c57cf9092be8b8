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

LogicalResult tegula::tile::verifyLegalForTarget(Operation *kernel) {
  const tegula::Target *target = lookupTarget(kernel);
  if (!target)
    return kernel->emitOpError("names no target [tile.target.c1]");
  if (failed(verifyScheduleComplete(kernel)))
    return failure();
  WalkResult walk = kernel->walk([&](Operation *op) {
    if (auto mma = dyn_cast<MmaOp>(op))
      return failed(verifyProduct(mma, *target)) ? WalkResult::interrupt() : WalkResult::advance();
    if (auto math = dyn_cast<MathOp>(op); math && getElementTypeOrSelf(math.getType()).isF64()) {
      op->emitOpError() << stringifyMathKind(math.getKind())
                        << " of f64 has no expansion; f32, f16 and bf16 have [tile.target.c1]";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
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
