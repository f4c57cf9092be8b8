// Reductions, changes of layout and layout-dependent arithmetic.
#include "dialects/cdna/CdnaVerify.h"
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"

#include "llvm/ADT/DenseMap.h"

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

//===--- renamings ---===//

namespace {
enum class Relation { Broadcast, Reshape, Transpose, Unrelated };
} // namespace

static Relation relate(RankedTensorType from, RankedTensorType to, ArrayRef<int32_t> perm) {
  if (!perm.empty()) {
    SmallVector<int32_t> sorted(perm);
    llvm::sort(sorted);
    if (from.getRank() != to.getRank() ||
        !llvm::equal(sorted, llvm::seq<int32_t>(0, from.getRank())))
      return Relation::Unrelated;
    for (auto [d, source] : llvm::enumerate(perm))
      if (to.getDimSize(d) != from.getDimSize(source))
        return Relation::Unrelated;
    return Relation::Transpose;
  }
  if (from.getNumElements() == to.getNumElements())
    return Relation::Reshape; // equal shapes included
  if (from.getRank() != to.getRank())
    return Relation::Unrelated;
  for (auto [a, b] : llvm::zip(from.getShape(), to.getShape()))
    if (a != b && a != 1)
      return Relation::Unrelated;
  return Relation::Broadcast;
}

/// The coordinates in `from` of the element that is at `coordinates` in `to`.
static tegula::Extents sourceCoordinates(RankedTensorType from, RankedTensorType to,
                                         ArrayRef<int32_t> perm, Relation relation,
                                         ArrayRef<int64_t> coordinates) {
  tegula::Extents source(from.getRank(), 0);
  if (relation == Relation::Transpose) {
    for (auto [d, s] : llvm::enumerate(perm))
      source[s] = coordinates[d];
  } else if (relation == Relation::Broadcast) {
    for (unsigned d = 0; d < source.size(); ++d)
      source[d] = from.getDimSize(d) == 1 ? 0 : coordinates[d];
  } else {
    int64_t linear = 0;
    for (unsigned d = 0; d < coordinates.size(); ++d)
      linear = linear * to.getDimSize(d) + coordinates[d];
    for (unsigned d = source.size(); d-- > 0; linear /= from.getDimSize(d))
      source[d] = linear % from.getDimSize(d);
  }
  return source;
}

static bool isPhantom(ArrayRef<int64_t> coordinates, RankedTensorType type) {
  for (auto [c, extent] : llvm::zip(coordinates, type.getShape()))
    if (c >= extent)
      return true;
  return false;
}

/// Whether coordinates in `from` are linear in those in `to`: the bits of a lane number by
/// themselves tell then what all lanes need. Of reshapes only those of powers of two are.
static bool isLinear(RankedTensorType from, RankedTensorType to, Relation relation) {
  auto isPower = [](int64_t extent) { return llvm::isPowerOf2_64(extent); };
  return relation != Relation::Reshape ||
         (llvm::all_of(from.getShape(), isPower) && llvm::all_of(to.getShape(), isPower));
}

/// Whether register `s` of `from` holds what register `r` of `to` needs, in every lane and wave.
static bool holdsEverywhere(RankedTensorType from, const tegula::Layout &source, int64_t s,
                            RankedTensorType to, const tegula::Layout &result, int64_t r,
                            ArrayRef<int32_t> perm, Relation relation) {
  bool bitsSuffice = isLinear(from, to, relation);
  for (int64_t wave = 0; wave < result.waves(); ++wave)
    for (int64_t lane = 0; lane < tegula::Target::waveSize; ++lane) {
      if (bitsSuffice && lane & (lane - 1))
        continue;
      tegula::Extents place = result.apply(r, lane, wave);
      if (isPhantom(place, to))
        continue;
      if (source.apply(s, lane, wave) != sourceCoordinates(from, to, perm, relation, place))
        return false;
    }
  return true;
}

SmallVector<int64_t> tegula::cdna::renameRegisters(RankedTensorType from, RankedTensorType to,
                                                   ArrayRef<int32_t> perm) {
  Relation relation = relate(from, to, perm);
  tegula::Layout source = getLayout(from).toLayout(), result = getLayout(to).toLayout();
  if (relation == Relation::Unrelated || source.waves() != result.waves())
    return {};
  std::map<tegula::Extents, int64_t> holder; // by the coordinates of lane 0 of wave 0
  for (int64_t s = 0; s < source.registersPerLane(); ++s)
    holder.emplace(source.apply(s, 0, 0), s);
  SmallVector<int64_t> registers;
  for (int64_t r = 0; r < result.registersPerLane(); ++r) {
    tegula::Extents place = result.apply(r, 0, 0);
    // A register that is a phantom already in the first lane is one in all: any source will do.
    auto found = isPhantom(place, to)
                     ? holder.begin()
                     : holder.find(sourceCoordinates(from, to, perm, relation, place));
    if (found == holder.end() ||
        !holdsEverywhere(from, source, found->second, to, result, r, perm, relation))
      return {};
    registers.push_back(found->second);
  }
  return registers;
}

SmallVector<int64_t> tegula::cdna::partRegisters(RankedTensorType whole, RankedTensorType part,
                                                 ArrayRef<int64_t> origin) {
  tegula::Layout source = getLayout(whole).toLayout(), result = getLayout(part).toLayout();
  if (source.waves() != result.waves())
    return {};
  auto placeOf = [&](int64_t r, int64_t lane, int64_t wave) {
    tegula::Extents place = result.apply(r, lane, wave);
    for (auto [coordinate, first] : llvm::zip(place, origin))
      coordinate += first;
    return place;
  };
  std::map<tegula::Extents, int64_t> holder; // by the coordinates of lane 0 of wave 0
  for (int64_t s = 0; s < source.registersPerLane(); ++s)
    holder.emplace(source.apply(s, 0, 0), s);
  SmallVector<int64_t> registers;
  for (int64_t r = 0; r < result.registersPerLane(); ++r) {
    auto found = holder.find(placeOf(r, 0, 0));
    if (found == holder.end())
      return {};
    for (int64_t wave = 0; wave < result.waves(); ++wave)
      for (int64_t lane = 0; lane < tegula::Target::waveSize; ++lane)
        if (source.apply(found->second, lane, wave) != placeOf(r, lane, wave))
          return {};
    registers.push_back(found->second);
  }
  return registers;
}

/// c1 of parts: inside the whole, of one element type, with layouts.
static bool isPartOf(RankedTensorType part, RankedTensorType whole, ArrayRef<int64_t> origin) {
  if (part.getElementType() != whole.getElementType() || part.getRank() != whole.getRank() ||
      int64_t(origin.size()) != whole.getRank() || !getLayout(part) || !getLayout(whole))
    return false;
  for (auto [first, extent, room] : llvm::zip(origin, part.getShape(), whole.getShape()))
    if (first < 0 || first > room || extent > room - first)
      return false;
  return true;
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getValue().getType(), to = getType();
  if (from.getElementType() != to.getElementType() || !getLayout(from) || !getLayout(to) ||
      from.getNumElements() != to.getNumElements())
    return emitOpError() << to << " is no reshape of " << from << " [cdna.reshape.c1]";
  return success();
}

LogicalResult PartOp::verify() {
  RankedTensorType whole = getValue().getType(), part = getType();
  if (!isPartOf(part, whole, getOrigin()))
    return emitOpError() << part << " at " << tile::listText(getOrigin()) << " is no part of "
                         << whole << " [cdna.part.c1]";
  if (partRegisters(whole, part, getOrigin()).empty())
    return emitOpError() << "a lane needs what another one holds [cdna.part.c2]";
  return success();
}

SmallVector<std::pair<unsigned, int64_t>> JoinOp::registerSources() {
  SmallVector<std::pair<unsigned, int64_t>> sources(getLayout(getType()).numRegisters(), {0, -1});
  unsigned rank = getType().getRank();
  for (auto [i, part] : llvm::enumerate(getParts())) {
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<int64_t> registers =
        partRegisters(getType(), type, getOrigins().slice(i * rank, rank));
    if (registers.empty())
      return {};
    for (auto [r, whole] : llvm::enumerate(registers))
      sources[whole] = {i, r};
  }
  tegula::Layout layout = getLayout(getType()).toLayout();
  for (auto [r, source] : llvm::enumerate(sources)) {
    if (source.second >= 0)
      continue;
    if (!isPhantom(layout.apply(r, 0, 0), getType()))
      return {};
    source = {0, 0};
  }
  return sources;
}

LogicalResult JoinOp::verify() {
  unsigned rank = getType().getRank();
  if (getParts().empty() || getOrigins().size() != getParts().size() * rank)
    return emitOpError() << "one origin of " << rank << " coordinates a part [cdna.join.c1]";
  for (auto [i, part] : llvm::enumerate(getParts()))
    if (!isPartOf(cast<RankedTensorType>(part.getType()), getType(),
                  getOrigins().slice(i * rank, rank)))
      return emitOpError() << "part " << i << " is not inside " << getType() << " [cdna.join.c1]";
  if (registerSources().empty())
    return emitOpError() << "a lane needs what another one or no part holds [cdna.join.c2]";
  return success();
}

/// c2 of the paths between lanes.
static LogicalResult verifyLaneMoves(ConvertLayoutOp op) {
  auto kernel = op->getParentOfType<KernelOp>();
  bool isLane = op.getPath() == ConvertPath::Lane;
  if (!kernel || (!isLane && op.getPath() != ConvertPath::Exchange))
    return success();
  RankedTensorType from = op.getValue().getType(), to = op.getType();
  auto possible =
      tegula::classifyConversion(getLayout(from).toLayout(), getLayout(to).toLayout(),
                                 elementBits(from.getElementType()), kernel.getTargetInfo());
  if (possible.path != (isLane ? tegula::ConvertPath::Lane : tegula::ConvertPath::Exchange))
    return op.emitOpError() << "path " << stringifyConvertPath(*op.getPath())
                            << ", but the layouts ask for " << tegula::name(possible.path)
                            << " [cdna.convert_layout.c2]";
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType from = getValue().getType(), to = getType();
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType() ||
      !getLayout(from) || !getLayout(to))
    return emitOpError() << "only the layout differs [cdna.convert_layout.c1]";
  if (getPath() == ConvertPath::None && renameRegisters(from, to).empty())
    return emitOpError()
           << "path none, but a lane needs what another one holds [cdna.convert_layout.c2]";
  return verifyLaneMoves(*this);
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getValue()))
    return splat.resizeSplat(getType());
  return {};
}

LogicalResult RenameOp::verify() {
  RankedTensorType from = getValue().getType(), to = getType();
  ArrayRef<int32_t> perm = getPerm().value_or(ArrayRef<int32_t>());
  if (from.getElementType() != to.getElementType() || !getLayout(from) || !getLayout(to) ||
      relate(from, to, perm) == Relation::Unrelated)
    return emitOpError() << to << " is no broadcast, reshape or transpose of " << from
                         << " [cdna.rename.c1]";
  if (renameRegisters(from, to, perm).empty())
    return emitOpError() << "a lane needs what another one holds [cdna.rename.c2]";
  return success();
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
