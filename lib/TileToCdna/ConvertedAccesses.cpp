// Accesses that convert: a tile that is loaded by rows and stored by columns has no layout that
// suits both.
#include "ConvertedAccesses.h"

#include "dialects/cdna/Cdna.h"
#include "tegula/Layout/LdsConversion.h"

using namespace mlir;

namespace tegula::cdna {

static Value tileOf(Operation *access) {
  if (auto load = dyn_cast<tile::LoadOp>(access))
    return load.getResult();
  return cast<tile::StoreOp>(access).getValue();
}

static unsigned viewBits(Operation *access) { return viewOf(access).getElementBytes() * 8; }

double ConvertedAccesses::costAlone(Operation *access, const Layout &layout) {
  // Memory takes four bytes of each lane at a time; an instruction of 16 costs a bit less than four
  // of 4.
  tile::ViewType view = viewOf(access);
  int64_t bytes = view.getElementBytes() * vectorWidth(layout, fastDim(access), viewBits(access),
                                                       accessWidth(view) * view.getElementBytes());
  return (1 + 0.75 * double(std::max<int64_t>(bytes, 4)) / 4) *
         accessCost(access, layout, Target::waveSize);
}

/// Coalesced layouts with vectors along `fast`, blocked along each other dimension.
static std::vector<Layout> layoutsAlong(const Extents &shape, unsigned bits, unsigned fast,
                                        unsigned vectorBytes, const KernelFacts &facts) {
  std::vector<Layout> found = coalescedCandidates(shape, bits, facts.waves(), fast, vectorBytes);
  Extents block = blockOf(shape, bits, facts.ldsShare);
  for (unsigned cross = 0; cross < shape.size(); ++cross)
    if (cross != fast && shape[cross] > 1)
      for (Layout &layout : conversionCandidates(
               {shape, bits, facts.waves(), fast, vectorBytes, false, cross, 1, 1, block},
               *facts.target))
        if (!llvm::is_contained(found, layout))
          found.push_back(std::move(layout));
  return found;
}

const std::vector<ConvertedAccesses::Candidate> &
ConvertedAccesses::candidatesOf(Operation *access) {
  auto [it, isNew] = candidates.try_emplace(access);
  if (!isNew)
    return it->second;
  tile::ViewType view = viewOf(access);
  Extents shape = shapeOf(tileOf(access));
  for (Layout &layout : layoutsAlong(shape, viewBits(access), fastDim(access),
                                     accessWidth(view) * view.getElementBytes(), facts))
    if (!verify(layout, shape, viewBits(access))) {
      double cost = costAlone(access, layout);
      it->second.push_back({std::move(layout), cost});
    }
  return it->second;
}

/// Atomic updates share their class's layout: what they give back has it, too.
static bool mayConvert(Operation *access) { return isa<tile::LoadOp, tile::StoreOp>(access); }

double ConvertedAccesses::leastCost(Operation *access) {
  if (!mayConvert(access))
    return 0;
  double least = std::numeric_limits<double>::max();
  for (const Candidate &candidate : candidatesOf(access))
    least = std::min(least, candidate.cost);
  return least;
}

/// Instructions of a wave, in registers or through LDS; nothing when no LDS holds the tile.
static std::optional<double> conversionCost(const Layout &from, const Layout &to, Value tile,
                                            const KernelFacts &facts) {
  unsigned bits = std::max<unsigned>(8, elementBits(getElementTypeOrSelf(tile)));
  Conversion inRegisters = classifyConversion(from, to, bits, *facts.target);
  if (inRegisters.path < tegula::ConvertPath::LdsWave)
    return double(inRegisters.cost) / 4; // clocks between two instructions
  std::optional<LdsConversion> plan =
      planLdsConversion(from, to, shapeOf(tile), bits, facts.ldsShare, *facts.target);
  return plan ? std::optional<double>(plan->cost) : std::nullopt;
}

ConvertedAccesses::Choice ConvertedAccesses::choose(Operation *access, const Layout &layout) {
  Choice best{costAlone(access, layout), std::nullopt};
  if (!mayConvert(access))
    return best;
  Value tile = tileOf(access);
  bool isLoad = isa<tile::LoadOp>(access);
  for (const Candidate &candidate : candidatesOf(access)) {
    if (candidate.cost >= best.cost)
      continue;
    std::optional<double> cost = conversionCost(isLoad ? candidate.layout : layout,
                                                isLoad ? layout : candidate.layout, tile, facts);
    if (cost && candidate.cost + *cost < best.cost)
      best = {candidate.cost + *cost, candidate.layout};
  }
  return best;
}

std::vector<Layout> ConvertedAccesses::candidatesOf(const LayoutClass &c) {
  std::vector<Layout> found;
  Extents shape = shapeOf(c.values.front());
  llvm::SmallDenseSet<unsigned> widths;
  for (Operation *access : c.accesses)
    widths.insert(viewBits(access));
  if (widths.empty())
    widths.insert(elementBits(getElementTypeOrSelf(c.values.front())));
  for (unsigned bits : {8u, 16u, 32u, 64u})
    for (unsigned fast = 0; widths.contains(bits) && fast < shape.size(); ++fast)
      for (Layout &layout : layoutsAlong(shape, bits, fast, 16, facts))
        if (!llvm::is_contained(found, layout))
          found.push_back(std::move(layout));
  return found;
}

} // namespace tegula::cdna
