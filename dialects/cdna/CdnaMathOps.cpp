// Reductions, scans and layout-dependent arithmetic.
#include "dialects/cdna/CdnaVerify.h"
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaMathOps.cpp.inc"

//===--- reductions ---===//

static LogicalResult verifyKind(Operation *op, StringRef label, ReduceKind kind, Type element) {
  bool isBitwise = kind == ReduceKind::And || kind == ReduceKind::Or || kind == ReduceKind::Xor;
  if (isBitwise && !isa<IntegerType>(element))
    return op->emitOpError() << stringifyReduceKind(kind) << " of " << element << " [cdna." << label
                             << "]";
  return success();
}

LogicalResult ReduceRegistersOp::verify() {
  LayoutAttr from = getLayout(getValue().getType()), to = getLayout(getType());
  if (!from || !to || (int64_t)getAxis() < 0 ||
      (int64_t)getAxis() >= getValue().getType().getRank())
    return emitOpError() << "axis " << getAxis() << " of " << getValue().getType()
                         << " [cdna.reduce_registers.c1]";
  tegula::Layout layout = from.toLayout();
  int64_t left = 1;
  for (const tegula::Basis &vector : layout.reg) {
    bool other = false;
    for (unsigned d = 0; d < vector.size(); ++d)
      other |= d != getAxis() && vector[d] != 0;
    if (other && vector[getAxis()] != 0)
      return emitOpError()
             << "a register bit counts along two dimensions [cdna.reduce_registers.c2]";
    left *= other ? 2 : 1;
  }
  for (unsigned d = 0; d < layout.rank(); ++d)
    left *= d == getAxis() ? 1 : layout.repeat[d];
  if (left != to.numRegisters() ||
      getType().getElementType() != getValue().getType().getElementType())
    return emitOpError() << "leaves " << left << " registers, the result has " << to.numRegisters()
                         << " [cdna.reduce_registers.c3]";
  return verifyKind(*this, "reduce_registers.c4", getKind(), getType().getElementType());
}

LogicalResult ReduceLanesOp::verify() {
  LayoutAttr from = getLayout(getValue().getType()), to = getLayout(getType());
  if (!from || !to || from.numRegisters() != to.numRegisters() ||
      getType().getElementType() != getValue().getType().getElementType())
    return emitOpError() << "the result keeps registers and element type [cdna.reduce_lanes.c3]";
  tegula::Layout source = from.toLayout(), result = to.toLayout();
  for (int32_t bit : getBits()) {
    if (bit < 0 || bit > 5)
      return emitOpError() << "lane bit " << bit << " does not exist [cdna.reduce_lanes.c1]";
    for (unsigned d = 0; d < source.rank(); ++d)
      if (source.lane[bit][d] && !llvm::is_contained(getDims(), (int32_t)d))
        return emitOpError() << "lane bit " << bit << " counts along dimension " << d
                             << ", which is not reduced [cdna.reduce_lanes.c1]";
    if (llvm::any_of(result.lane[bit], [](int32_t c) { return c != 0; }))
      return emitOpError() << "lane bit " << bit
                           << " is not a broadcast in the result [cdna.reduce_lanes.c3]";
  }
  return verifyKind(*this, "reduce_lanes.c2", getKind(), getType().getElementType());
}

LogicalResult ReduceWavesOp::verify() {
  RankedTensorType value = getValue().getType();
  LayoutAttr from = getLayout(value), to = getLayout(getType());
  if (!from || !to || getType().getRank() != value.getRank() ||
      from.numRegisters() != to.numRegisters())
    return emitOpError() << "the result keeps rank and registers [cdna.reduce_waves.c1]";
  tegula::Layout source = from.toLayout();
  for (unsigned bit = 0; bit < 6; ++bit)
    for (unsigned d = 0; d < source.rank(); ++d)
      if (getType().getDimSize(d) != value.getDimSize(d) && source.lane[bit][d])
        return emitOpError() << "lane bit " << bit << " still counts along the reduced dimension "
                             << "[cdna.reduce_waves.c1]";
  LdsType lds = getLds().getType();
  if (!holds(lds, value) || lds.getStages() != 1)
    return emitOpError() << "the buffer " << lds << " does not hold " << value
                         << " [cdna.reduce_waves.c2]";
  return verifyKind(*this, "reduce_waves.c3", getKind(), getType().getElementType());
}

//===--- the rest ---===//

LogicalResult SplatOp::verify() {
  if (!getLayout(getType()) || getType().getElementType() != getValue().getType())
    return emitOpError() << "a tile of " << getType() << " from " << getValue().getType()
                         << " [cdna.splat.c1]";
  return success();
}

LogicalResult IotaOp::verify() {
  if (!getLayout(getType()) || (int64_t)getAxis() < 0 ||
      (int64_t)getAxis() >= getType().getRank() || !getType().getElementType().isInteger(32))
    return emitOpError() << "axis " << getAxis() << " of " << getType() << " [cdna.iota.c1]";
  return success();
}

LogicalResult MaskOp::verify() {
  if (!getLayout(getType()) || getFill().getType() != getType().getElementType())
    return emitOpError() << "value " << getFill() << " in a tile of " << getType()
                         << " [cdna.mask.c1]";
  return success();
}

/// What the hardware function `kind` takes and gives, by element type.
static bool fitsHardware(HwKind kind, ArrayRef<Type> arguments, Type result) {
  unsigned arity = kind == HwKind::Ldexp ? 2 : 1;
  if (arguments.size() != arity || !arguments[0].isF32() ||
      (arity == 2 && !arguments[1].isInteger(32)))
    return false;
  return kind == HwKind::FrexpExp ? result.isInteger(32) : result.isF32();
}

LogicalResult HwOp::verify() {
  SmallVector<Type> arguments;
  auto tile = dyn_cast<RankedTensorType>(getType());
  for (Type type : getArgs().getTypes()) {
    arguments.push_back(getElementTypeOrSelf(type));
    auto other = dyn_cast<RankedTensorType>(type);
    if (!tile != !other || (tile && (tile.getShape() != other.getShape() ||
                                     tile.getEncoding() != other.getEncoding())))
      return emitOpError() << "operands and result differ in shape or layout [cdna.hw.c1]";
  }
  if (!fitsHardware(getKind(), arguments, getElementTypeOrSelf(getType())))
    return emitOpError() << stringifyHwKind(getKind())
                         << " does not exist for these types [cdna.hw.c1]";
  return success();
}

LogicalResult CvtOp::verify() {
  auto from = dyn_cast<RankedTensorType>(getValue().getType()),
       to = dyn_cast<RankedTensorType>(getType());
  if (!from != !to ||
      (from && (from.getShape() != to.getShape() || from.getEncoding() != to.getEncoding())))
    return emitOpError() << getValue().getType() << " to " << getType()
                         << ": operand and result differ in shape or layout [cdna.cvt.c2]";
  Type wide = getElementTypeOrSelf(getValue().getType()), narrow = getElementTypeOrSelf(getType());
  if (!wide.isF32())
    std::swap(wide, narrow);
  auto kernel = (*this)->getParentOfType<tile::KernelOpInterface>();
  const tegula::Target *target = kernel ? tile::lookupTarget(kernel) : nullptr;
  bool exists =
      tile::isNarrowFloat(narrow) && (!target || target->convertsNarrow(tile::dtypeName(narrow)));
  if (!wide.isF32() || !exists)
    return emitOpError() << "no instruction converts " << getElementTypeOrSelf(getValue().getType())
                         << " to " << getElementTypeOrSelf(getType()) << " [cdna.cvt.c1]";
  return success();
}

LogicalResult RandomOp::verify() {
  if (getElementTypeOrSelf(getType()).isInteger(32))
    return success();
  return emitOpError() << "gives i32, not " << getType() << " [cdna.random.c1]";
}

//===--- scans ---===//

bool tegula::cdna::isScannable(const tegula::Layout &layout, unsigned axis) {
  auto isBit = [&](const tegula::Basis &vector) {
    for (unsigned d = 0; d < layout.rank(); ++d)
      if (d != axis && vector[d] != 0)
        return false;
    return llvm::isPowerOf2_64(vector[axis]);
  };
  for (const tegula::Bases *bases : {&layout.reg, &layout.lane})
    for (const tegula::Basis &vector : *bases)
      if (vector[axis] != 0 && !isBit(vector))
        return false;
  bool apart = llvm::any_of(layout.wave, [&](const tegula::Basis &v) { return v[axis] != 0; });
  return !apart && layout.waveRepeat(axis) == 1;
}

static LogicalResult verifyScan(Operation *op, RankedTensorType input, int64_t axis) {
  StringRef name = op->getName().getStringRef();
  if (axis < 0 || axis >= input.getRank())
    return op->emitOpError() << "axis " << axis << " of " << input << " [" << name << ".c1]";
  LayoutAttr layout = getLayout(input);
  if (layout && !isScannable(layout.toLayout(), axis))
    return op->emitOpError() << "the layout of " << input << " holds axis " << axis
                             << " in several waves, or not in single bits [" << name << ".c2]";
  return success();
}

LogicalResult ScanOp::verify() { return verifyScan(*this, getInput().getType(), getAxis()); }

LogicalResult ReduceRegionOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyScan(*this, input, getAxis())))
    return failure();
  LayoutAttr from = getLayout(input), to = getLayout(getResult().getType());
  if (from && to && tegula::reduce(from.toLayout(), getAxis()) != to.toLayout())
    return emitOpError() << "reduces " << input << " to " << getResult().getType()
                         << " [cdna.reduce_region.c3]";
  return success();
}
