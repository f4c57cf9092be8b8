// cdna.kernel: text form and the rules about everything inside it.
#include "dialects/cdna/CdnaVerify.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tegula::cdna;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaKernelOps.cpp.inc"

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto build = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                  function_interface_impl::VariadicFlag,
                  std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), build,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

int64_t KernelOp::getOccupancy() {
  tile::ScheduleAttr schedule = getScheduleAttr();
  return schedule ? schedule.getOccupancy().value_or(1) : 1;
}

int64_t KernelOp::getWaveCount() {
  int64_t count = 1;
  for (auto waves : getWaves().getAsRange<IntegerAttr>())
    count *= waves.getInt();
  return count;
}

const tegula::Target &KernelOp::getTargetInfo() {
  return *tegula::lookupTarget(getTarget().getName());
}

static LogicalResult verifyWaves(KernelOp kernel, const tegula::Target &target) {
  int64_t count = 1, most = target.maxWavesPerWorkgroup;
  bool legal = true;
  for (auto waves : kernel.getWaves().getAsRange<IntegerAttr>()) {
    legal = legal && waves.getInt() >= 1 && waves.getInt() <= most / count;
    count *= legal ? waves.getInt() : 1;
  }
  if (!legal)
    return kernel.emitOpError() << "waves = " << kernel.getWaves() << " is not 1 to "
                                << target.maxWavesPerWorkgroup << " waves [cdna.kernel.c1]";
  return success();
}

LogicalResult KernelOp::verify() {
  const tegula::Target *info = tegula::lookupTarget(getTarget().getName());
  if (!info)
    return emitOpError() << "target " << getTarget() << " is not known [cdna.kernel.c6]";
  if (!getResultTypes().empty())
    return emitOpError() << "a kernel has no results [cdna.kernel.c6]";
  if (failed(verifyWaves(*this, *info)))
    return failure();
  if (getLdsBytes() && (int64_t)*getLdsBytes() > info->ldsBytes)
    return emitOpError() << "LDS: " << *getLdsBytes() << " bytes needed, " << info->name << " has "
                         << info->ldsBytes << " per workgroup [cdna.kernel.c3]";
  return success();
}

/// One value type inside the kernel: a result of `op`, or an argument of one of its blocks.
static LogicalResult verifyValueType(Operation *op, Type type, int64_t waves) {
  if (LayoutAttr layout = getLayout(type))
    if (layout.numWaves() != waves)
      return op->emitOpError() << "has a layout for " << layout.numWaves()
                               << " waves in a kernel of " << waves << " [cdna.layout.c4]";
  if (getElementTypeOrSelf(type).isIndex())
    return op->emitOpError() << "has a value of type " << type
                             << "; counts and indices are i32 here [cdna.kernel.c4]";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (getBody().empty() || !isa<ReturnOp>(getBody().back().getTerminator()))
    return emitOpError() << "the body ends in cdna.return [cdna.kernel.c6]";
  int64_t waves = getWaveCount();
  // Once lowering has begun the ops inside are LLVM's, with rules of their own.
  if ((*this)->hasAttr(kRocdlOnlyAttr))
    return success();
  WalkResult walk = (*this)->walk([&](Operation *op) {
    for (Type type : typesMadeBy(op))
      if (failed(verifyValueType(op, type, waves)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult ElementOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (tile.getNumElements() != 1 || tile.getElementType() != getType())
    return emitOpError() << "gives a " << getType() << " from " << tile
                         << "; a tile of one element gives that [cdna.element.c1]";
  return success();
}
