// Changes of layout: which register of the operand a register of the result is.
#include "dialects/cdna/CdnaVerify.h"
#include "tegula/Target/Target.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaLayoutOps.cpp.inc"

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
