// Anchors, candidates and their cost.
#include "ConvertedAccesses.h"

#include "dialects/cdna/Cdna.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace tegula::cdna {

//===--- Facts of the kernel ---===//

FailureOr<KernelFacts> KernelFacts::of(tile::KernelOp kernel) {
  KernelFacts facts;
  tile::TargetAttr target = kernel.getTargetAttr();
  facts.target = target ? lookupTarget(target.getName().str()) : nullptr;
  if (!facts.target)
    return kernel.emitError(
        "a kernel needs a known target before layouts are assigned [tile.kernel.c7]");
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule || schedule.getWaves().size() != 2)
    return kernel.emitError(
        "a kernel needs a schedule with `waves = [m, n]` before layouts are assigned "
        "[tile.schedule.c1]");
  facts.wavesM = schedule.getWaves()[0];
  facts.wavesN = schedule.getWaves()[1];
  facts.ldsShare = facts.target->ldsPerWorkgroup(schedule.getOccupancy().value_or(1)) / 2;
  return facts;
}

/// A lane should own neighbours of the dimension that is contiguous where the product is stored: n,
/// unless every store that a cast or a sum away from it runs along m.
static bool prefersSwapped(tile::MmaOp op) {
  SmallVector<Value> reached = {op.getResult()};
  DenseSet<Value> seen;
  while (!reached.empty()) {
    Value value = reached.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto store = dyn_cast<tile::StoreOp>(user)) {
        tile::ViewType view = store.getView().getType();
        return view.getUnitStrideDim().value_or(view.getRank() - 1) == view.getRank() - 1;
      }
      if (isElementwise(user))
        reached.push_back(user->getResult(0));
      else if (isa<scf::YieldOp>(user) && isa<scf::ForOp, scf::IfOp>(user->getParentOp()))
        reached.push_back(user->getParentOp()->getResult(use.getOperandNumber()));
    }
  }
  return true;
}

/// The schedule's instruction. It is chosen for the largest product of the kernel; one of other
/// types or of a smaller K takes the instruction of this M and N, or else of any, that contracts
/// most at once.
static const MfmaInst *instructionOf(tile::MmaOp op, const KernelFacts &facts) {
  RankedTensorType a = op.getA().getType();
  std::string aType = dtypeName(a.getElementType()),
              bType = dtypeName(op.getB().getType().getElementType());
  StringAttr wanted = op->getParentOfType<tile::KernelOp>().getScheduleAttr().getMma();
  if (!wanted)
    return nullptr;
  StringRef shape = wanted.getValue();
  const MfmaInst *given = facts.target->findMfma(shape.str(), aType, bType), *best = nullptr;
  if (given && a.getDimSize(1) % given->K == 0)
    return given;
  auto isLike = [&](const MfmaInst *inst) {
    return shape.starts_with(std::to_string(inst->M) + "x" + std::to_string(inst->N) + "x");
  };
  for (const MfmaInst *inst : facts.target->mfmaFor(aType, bType)) {
    bool isBetter = !best || std::pair(isLike(inst), inst->K) > std::pair(isLike(best), best->K);
    if (a.getDimSize(1) % inst->K == 0 && isBetter)
      best = inst;
  }
  return best ? best : given;
}

FailureOr<ProductLayouts> layoutsOf(tile::MmaOp op, const KernelFacts &facts) {
  RankedTensorType a = op.getA().getType(), b = op.getB().getType();
  const MfmaInst *inst = instructionOf(op, facts);
  if (!inst)
    return op.emitError("the schedule names no matrix instruction of ")
           << facts.target->name << " for " << a.getElementType() << " [tile.schedule.c2]";
  bool swapped = prefersSwapped(op);
  MfmaTile tile{a.getDimSize(0), b.getDimSize(1), a.getDimSize(1),
                facts.wavesM,    facts.wavesN,    swapped};
  std::optional<Layout> la = mfmaOperandLayout(*inst, MfmaOperand::A, tile);
  std::optional<Layout> lb = mfmaOperandLayout(*inst, MfmaOperand::B, tile);
  std::optional<Layout> lc = mfmaOperandLayout(*inst, MfmaOperand::Acc, tile);
  if (tile.K % inst->K != 0 || !la || !lb || !lc)
    return op.emitError("a product of ")
           << tile.M << "x" << tile.N << "x" << tile.K << " cannot be dealt to " << facts.wavesM
           << "x" << facts.wavesN << " waves with instruction " << inst->shape
           << ": K must be a multiple of the instruction's [tile.schedule.c1]";
  for (auto [layout, type] : {std::pair{*la, a}, {*lb, b}, {*lc, op.getAcc().getType()}})
    if (std::optional<LayoutError> error =
            verify(layout, Extents(type.getShape().begin(), type.getShape().end()),
                   elementBits(type.getElementType())))
      return op.emitError("an operand of this product is too large for ")
             << facts.wavesM << "x" << facts.wavesN << " waves: " << error->message << " ["
             << error->label << "]";
  return ProductLayouts{*la, *lb, *lc, swapped, inst};
}

//===--- Memory accesses ---===//

tile::ViewType viewOf(Operation *access) {
  return llvm::TypeSwitch<Operation *, tile::ViewType>(access)
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp>(
          [](auto op) { return op.getView().getType(); });
}

int64_t accessWidth(tile::ViewType view) {
  std::optional<unsigned> unit = view.getUnitStrideDim();
  if (!unit)
    return 1;
  int64_t width = std::min<int64_t>(16, view.getAlign()) / view.getElementBytes();
  // Of a known extent, vectors must not straddle the end: they would need single stores there.
  if (!view.isDynamicDim(*unit))
    while (width > 1 && view.getShape()[*unit] % width != 0)
      width /= 2;
  return std::max<int64_t>(width, 1);
}

/// Bytes that one access may move at once. Atomic updates move one element, or a pair of 16 bits.
static int64_t accessBytes(Operation *access) {
  tile::ViewType view = viewOf(access);
  int64_t element = view.getElementBytes();
  if (isa<tile::LoadOp, tile::StoreOp>(access))
    return accessWidth(view) * element;
  return std::clamp<int64_t>(view.getAlign(), element, std::max<int64_t>(element, 4));
}

unsigned fastDim(Operation *access) {
  tile::ViewType view = viewOf(access);
  return view.getUnitStrideDim().value_or(view.getRank() - 1);
}

//===--- Cost, in instructions of one wave ---===//

double accessCost(Operation *access, const Layout &layout, int64_t lanes) {
  tile::ViewType view = viewOf(access);
  unsigned bits = view.getElementBytes() * 8;
  int64_t bytes = accessBytes(access);
  int64_t width = vectorWidth(layout, fastDim(access), bits, bytes);
  double instructions = double(layout.registersPerLane()) / width;
  double used = coalescingScore(layout, fastDim(access), bits, lanes, bytes);
  return instructions / std::max(used, 1.0 / 16);
}

/// How many times a loop runs is not known: 2^3, say.
constexpr int kLoopShift = 3;

/// A conversion through LDS takes at least that: the waves meet.
constexpr double kConversionCost = 16;

/// Lanes combine by two instructions a step and register, waves by a round trip through LDS.
static double reduceCost(const ShapeRelation &relation, const Layout &whole, const Layout &part) {
  int64_t lanes = 0;
  bool acrossWaves = whole.waveRepeats != part.waveRepeats;
  for (unsigned i = 0; i < whole.lane.size(); ++i)
    lanes += whole.lane[i] != part.lane[i];
  for (unsigned i = 0; i < whole.wave.size(); ++i)
    acrossWaves |= whole.wave[i] != part.wave[i];
  return 2.0 * lanes * part.registersPerLane() + (acrossWaves ? 32 : 0);
}

//===--- The choice ---===//

namespace {

class Chooser {
public:
  Chooser(LayoutGraph &graph, const KernelFacts &facts)
      : graph(graph), facts(facts), converted(facts) {}

  /// Gives a class its layout and carries it along shape ops. Returns the classes that got one.
  SmallVector<unsigned> assign(unsigned index, const Layout &layout);
  LogicalResult chooseFor(unsigned index);

private:
  std::vector<Layout> candidatesOf(const LayoutClass &c) const;
  using CostOfAccess = function_ref<double(Operation *, const Layout &)>;
  double accessesCost(ArrayRef<unsigned> assigned, CostOfAccess costOfAccess) const;
  double costOf(ArrayRef<unsigned> assigned) const;
  double reduceCostOf(ArrayRef<unsigned> assigned) const;
  std::optional<Layout> betterByConverting(unsigned index, const Layout &inPlace);
  bool legal(unsigned index, const Layout &layout) const;

  LayoutGraph &graph;
  const KernelFacts &facts;
  ConvertedAccesses converted;
};

} // namespace

static unsigned widestBits(const LayoutClass &c) {
  unsigned bits = 8;
  for (Value value : c.values)
    bits = std::max<unsigned>(bits, elementBits(getElementTypeOrSelf(value)));
  return bits;
}

/// Neighbours that a lane holds, along whichever dimension.
static int64_t layoutWidth(const Layout &layout) {
  int64_t width = 1;
  for (unsigned d = 0; d < layout.rank(); ++d)
    width = std::max(width, vectorWidth(layout, d, /*elementBits=*/8));
  return width;
}

bool Chooser::legal(unsigned index, const Layout &layout) const {
  const LayoutClass &c = graph.classes[index];
  return !verify(layout, shapeOf(c.values.front()), widestBits(c));
}

SmallVector<unsigned> Chooser::assign(unsigned index, const Layout &layout) {
  SmallVector<unsigned> assigned = {index};
  graph.classes[index].layout = layout;
  for (unsigned next = 0; next < assigned.size(); ++next)
    for (unsigned r : graph.classes[assigned[next]].relations) {
      const ShapeRelation &relation = graph.relations[r];
      unsigned whole = graph.classOf(relation.whole), part = graph.classOf(relation.part);
      bool down = assigned[next] == whole;
      unsigned other = down ? part : whole;
      const Layout &from = *graph.classes[assigned[next]].layout;
      if (graph.classes[other].layout)
        continue;
      std::optional<Layout> derived = down ? relation.partFrom(from) : relation.wholeFrom(from);
      if (!derived || !legal(other, *derived))
        continue;
      graph.classes[other].layout = derived;
      assigned.push_back(other);
    }
  return assigned;
}

/// Whether a product contracts what this access loads along an extent, or by waves, that are no
/// power of two.
static bool feedsOddProduct(Operation *access, unsigned waves) {
  auto load = dyn_cast<tile::LoadOp>(access);
  if (!load || load.getType().getRank() != 2)
    return false;
  return llvm::any_of(load.getResult().getUses(), [&](OpOperand &use) {
    unsigned kDim = use.getOperandNumber() == 0 ? 1 : 0;
    return isa<tile::MmaOp>(use.getOwner()) && use.getOperandNumber() < 2 &&
           !(llvm::isPowerOf2_64(load.getType().getDimSize(kDim)) && llvm::isPowerOf2_32(waves));
  });
}

/// Layouts of the powers of two in the extents, repeated: no lane lacks an element, and lanes that
/// did would branch around their stores to LDS. Only where waves can't share the rows evenly some
/// have none left.
static std::vector<Layout> repeatedCandidates(const Extents &shape, unsigned bits, unsigned waves,
                                              unsigned fast, unsigned maxBytes) {
  Extents even;
  for (int64_t extent : shape)
    even.push_back(extent & -extent);
  unsigned odd = waves >> llvm::countr_zero(waves), slow = 1 - fast;
  std::vector<Layout> candidates;
  for (Layout &layout : coalescedCandidates(even, bits, waves / odd, fast, maxBytes)) {
    if (layout.cover() != even)
      continue;
    for (unsigned d = 0; d < shape.size(); ++d)
      layout.repeat[d] *= shape[d] / even[d];
    size_t vector = llvm::Log2_64(vectorWidth(layout, fast, bits, maxBytes));
    candidates.push_back(shareAmongWaves(layout, slow, shape[slow], odd, vector));
  }
  return candidates;
}

std::vector<Layout> Chooser::candidatesOf(const LayoutClass &c) const {
  std::vector<Layout> candidates;
  Extents shape = shapeOf(c.values.front());
  for (Operation *access : c.accesses)
    if (feedsOddProduct(access, facts.waves())) {
      tile::ViewType view = viewOf(access);
      candidates = repeatedCandidates(shape, view.getElementBytes() * 8, facts.waves(),
                                      fastDim(access), accessWidth(view) * view.getElementBytes());
    }
  if (!candidates.empty())
    return candidates;
  auto add = [&](unsigned bits, unsigned fast, unsigned maxBytes) {
    for (Layout &layout : coalescedCandidates(shape, bits, facts.waves(), fast, maxBytes))
      if (!llvm::is_contained(candidates, layout))
        candidates.push_back(layout);
  };
  for (Operation *access : c.accesses) {
    tile::ViewType view = viewOf(access);
    add(view.getElementBytes() * 8, fastDim(access), accessBytes(access));
  }
  if (candidates.empty())
    add(widestBits(c), shape.size() - 1, 16);
  return candidates;
}

static unsigned loopDepth(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOfType<scf::ForOp>()))
    ++depth;
  return depth;
}

/// Accesses beside the loop that others are in run once where those run often.
double Chooser::accessesCost(ArrayRef<unsigned> assigned, CostOfAccess costOfAccess) const {
  unsigned deepest = 0;
  for (unsigned index : assigned)
    for (Operation *access : graph.classes[index].accesses)
      deepest = std::max(deepest, loopDepth(access));
  double cost = 0;
  for (unsigned index : assigned)
    for (Operation *access : graph.classes[index].accesses)
      cost += std::ldexp(costOfAccess(access, *graph.classes[index].layout),
                         -kLoopShift * int(deepest - loopDepth(access)));
  return cost;
}

double Chooser::costOf(ArrayRef<unsigned> assigned) const {
  return reduceCostOf(assigned) +
         accessesCost(assigned, [](Operation *access, const Layout &layout) {
           return accessCost(access, layout);
         });
}

double Chooser::reduceCostOf(ArrayRef<unsigned> assigned) const {
  double cost = 0;
  llvm::SmallDenseSet<unsigned> relations;
  for (unsigned index : assigned) {
    const LayoutClass &c = graph.classes[index];
    for (unsigned r : c.relations) {
      const ShapeRelation &relation = graph.relations[r];
      const std::optional<Layout> &whole = graph.classes[graph.classOf(relation.whole)].layout;
      const std::optional<Layout> &part = graph.classes[graph.classOf(relation.part)].layout;
      bool isReduce = isa_and_present<tile::ReduceOp>(relation.part.getDefiningOp());
      if (isReduce && whole && part && relations.insert(r).second)
        cost += reduceCost(relation, *whole, *part);
    }
  }
  return cost;
}

/// A layout that is cheaper than `inPlace` with conversions between it and some accesses.
std::optional<Layout> Chooser::betterByConverting(unsigned index, const Layout &inPlace) {
  std::optional<Layout> better;
  auto price = [&](const Layout &layout, auto cost) {
    SmallVector<unsigned> assigned = assign(index, layout);
    double sum = cost(assigned);
    for (unsigned other : assigned)
      graph.classes[other].layout.reset();
    return sum;
  };
  auto inAccesses = [&](auto costOfAccess) {
    return [&, costOfAccess](ArrayRef<unsigned> assigned) {
      return reduceCostOf(assigned) + accessesCost(assigned, costOfAccess);
    };
  };
  double least = price(inPlace, inAccesses([&](Operation *access, const Layout &) {
                         return converted.leastCost(access);
                       }));
  double bestCost = price(inPlace, inAccesses(&ConvertedAccesses::costAlone));
  if (bestCost <= least + kConversionCost)
    return std::nullopt;
  for (const Layout &candidate : converted.candidatesOf(graph.classes[index])) {
    if (!legal(index, candidate))
      continue;
    double cost = price(candidate, inAccesses([&](Operation *access, const Layout &layout) {
                          return converted.choose(access, layout).cost;
                        }));
    if (cost < bestCost) {
      better = candidate;
      bestCost = cost;
    }
  }
  return better;
}

/// The tile with its longest extent halved until each wave can hold its share.
static RankedTensorType largestFor(RankedTensorType type, unsigned waves) {
  SmallVector<int64_t> shape(type.getShape());
  int64_t room = int64_t(Target::vgprsPerSimdLane) * 32 * Target::waveSize * waves;
  do {
    int64_t &longest = *llvm::max_element(shape);
    longest = llvm::divideCeil(longest, 2);
  } while (ShapedType::getNumElements(shape) * elementBits(type.getElementType()) > room);
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult Chooser::chooseFor(unsigned index) {
  std::optional<Layout> best;
  double bestCost = 0;
  std::vector<Layout> candidates = candidatesOf(graph.classes[index]);
  for (const Layout &candidate : candidates) {
    if (!legal(index, candidate))
      continue;
    SmallVector<unsigned> assigned = assign(index, candidate);
    double cost = costOf(assigned);
    for (unsigned other : assigned)
      graph.classes[other].layout.reset();
    // At equal cost the wider access wins, then the order of the candidates.
    bool wider = best && cost == bestCost && layoutWidth(candidate) > layoutWidth(*best);
    if (!best || cost < bestCost || wider) {
      best = candidate;
      bestCost = cost;
    }
  }
  if (best) {
    std::optional<Layout> better = betterByConverting(index, *best);
    for (unsigned assigned : assign(index, better.value_or(*best)))
      for (Operation *access : graph.classes[assigned].accesses)
        if (better)
          if (auto own = converted.choose(access, *graph.classes[assigned].layout).own)
            graph.own[access] = *own;
    return success();
  }
  Value value = graph.classes[index].values.front();
  return emitError(value.getLoc(), "a tile of type ")
         << value.getType() << " does not fit in the registers of " << facts.waves() << " waves ("
         << Target::vgprsPerSimdLane << " a lane): use more waves or a smaller tile, "
         << tile::shapeText(largestFor(cast<RankedTensorType>(value.getType()), facts.waves()))
         << " fits [cdna.layout.c6]";
}

LogicalResult chooseLayouts(tile::KernelOp kernel, LayoutGraph &graph, const KernelFacts &facts) {
  Chooser chooser(graph, facts);
  WalkResult products = kernel.getBody().walk([&](tile::MmaOp mma) {
    FailureOr<ProductLayouts> layouts = layoutsOf(mma, facts);
    if (failed(layouts))
      return WalkResult::interrupt();
    unsigned index = graph.classOf(mma.getResult());
    if (!graph.classes[index].layout)
      chooser.assign(index, layouts->acc);
    return WalkResult::advance();
  });
  if (products.wasInterrupted())
    return failure();

  // Large tiles first: what they imply for smaller ones (row sums, weights) is then settled.
  std::vector<unsigned> order(graph.classes.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(-graph.classes[a].elements(), a) < std::pair(-graph.classes[b].elements(), b);
  });
  for (unsigned index : order)
    if (!graph.classes[index].layout && failed(chooser.chooseFor(index)))
      return failure();
  return success();
}

} // namespace tegula::cdna
