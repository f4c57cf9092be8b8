// Decisions of `cdna-stage-operands`; the rewrite is in StageOperands.cpp.
#include "StagePlan.h"
#include "InstructionCounts.h"
#include "OperandTails.h"
#include "tegula/Layout/LinearLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

//===--- The way ---===//

/// A loop runs the load again, so that its tile is worth prefetching.
static bool inLoopWith(LoadOp load, MfmaOp product) {
  return isa<scf::ForOp>(load->getParentOp()) && load->getBlock() == product->getBlock();
}

/// Whether a loop writes what it loads, or orders accesses: its loads may not run ahead.
static bool keepsOrder(Operation *loop) {
  llvm::SmallDenseSet<int64_t> read, written;
  bool orders = false;
  loop->walk([&](Operation *op) {
    orders |= isa<OrderOp>(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case<LoadOp, AsyncCopyOp>([&](auto load) { read.insert(getAliasSet(load.getBuffer())); })
        .Case([&](StoreOp store) { written.insert(getAliasSet(store.getBuffer())); })
        .Case<StoreIndexedOp, AtomicRmwOp, AtomicCasOp>(
            [&](auto write) { written.insert(tile::getAliasSet(write.getView()).value_or(0)); });
  });
  return orders || llvm::any_of(written, [&](int64_t set) { return read.contains(set); });
}

static constexpr int64_t kWideStore = 8; // bytes that a lane should store at a time

/// Whether a layout that covers `covered` elements for a tile of `elements` wastes little.
static bool isSnug(int64_t covered, int64_t elements) { return 4 * covered <= 5 * elements; }

/// Builds a layout basis vector by basis vector, each the next power of two of a dimension. What is
/// odd in an extent becomes a repeat.
class TileWalk {
public:
  TileWalk(RankedTensorType type) : type(type), next(type.getRank(), 1) {
    for (int64_t extent : type.getShape())
      extents.push_back(extent & -extent);
  }
  /// Lets vectors run twice as far along a dimension, with phantoms behind its end; false where
  /// those would be many.
  bool widen(unsigned dim) {
    int64_t extent = type.getDimSize(dim), wider = 2 * extents[dim];
    if (wider / 2 >= extent || !isSnug(llvm::alignTo(extent, wider), extent))
      return false;
    extents[dim] = wider;
    return true;
  }
  bool done(unsigned dim) const { return next[dim] >= extents[dim]; }
  int64_t reached(unsigned dim) const { return next[dim]; }
  int64_t elements() const { return extents[0] * extents[1]; }
  bool take(unsigned dim, Bases &to) {
    if (done(dim))
      return false;
    Basis vector(next.size(), 0);
    vector[dim] = next[dim];
    to.push_back(vector);
    next[dim] *= 2;
    return true;
  }

private:
  RankedTensorType type;
  SmallVector<int64_t, 2> extents, next;
};

/// Whether an operand is loaded from an array that is not contiguous along k.
static bool isTransposed(MfmaOp product, unsigned index) {
  Value operand = product->getOperand(index);
  if (auto convert = operand.getDefiningOp<ConvertLayoutOp>())
    operand = convert.getValue();
  auto load = operand.getDefiningOp<LoadOp>();
  if (!load)
    return false;
  unsigned kDim = index == 0 ? 1 : 0;
  return cast<BufferType>(load.getBuffer().getType()).getUnitStrideDim().value_or(kDim) != kDim;
}

/// Addresses of a tile that is stored by four k take so many registers: an offset for the load of
/// each k, an address for the store of each element that a swizzle moves in its own way.
static constexpr int64_t kAddressRegisters = 24;

/// Whether accumulators, two sets of fragments and what is on its way to LDS leave the registers
/// for that.
static bool hasRoomForAddresses(MfmaOp product) {
  auto kernel = product->getParentOfType<KernelOp>();
  const Target &target = kernel.getTargetInfo();
  int64_t waves = kernel.getWaveCount(), held = registerCount(product.getResult().getType());
  int64_t transposed = 0;
  for (unsigned index : {0u, 1u}) {
    auto type = cast<RankedTensorType>(product->getOperand(index).getType());
    held += 2 * registerCount(type);
    held += type.getNumElements() * elementBytes(type.getElementType()) / (256 * waves);
    transposed += isTransposed(product, index);
  }
  return held + transposed * kAddressRegisters <= target.vgprsPerWave(waves, /*workgroups=*/1);
}

/// A layout for a tile that is contiguous along `fast` in memory and wanted contiguous along `kDim`
/// in LDS: each lane holds runs of `fast` for up to `longest` bytes of neighbouring k, which it can
/// store at a time, and lanes side by side fill chunks of 16 bytes. Nothing where k is odd.
static std::optional<Layout> transposingLayout(RankedTensorType type, unsigned fast, unsigned kDim,
                                               int64_t align, int64_t waves, int64_t longest) {
  TileWalk walk(type);
  int64_t bytes = elementBytes(type.getElementType());
  int64_t run = longest / bytes, odd = waves >> llvm::countr_zero(uint64_t(waves));
  if (type.getDimSize(kDim) % 2 != 0)
    return std::nullopt;
  // Lanes beyond the powers of two in the extents would hold copies.
  while (walk.elements() < Target::waveSize * (waves / odd) * run && walk.widen(fast)) {
  }
  int64_t elements = std::max<int64_t>(1, walk.elements() / (Target::waveSize * waves));
  int64_t vector = std::clamp<int64_t>(std::min(align / bytes, elements / run), 1, 16 / bytes);
  Layout layout({}, {}, {}, {1, 1});
  while (walk.reached(fast) < vector && walk.take(fast, layout.reg)) {
  }
  while (walk.reached(kDim) < run && walk.take(kDim, layout.reg)) {
  }
  size_t vectors = layout.reg.size();
  Basis none(2, 0);
  // The lanes that write at a time: eight steps along the array, and along k as many as fill the 16
  // bytes that a swizzle moves as one. Then whole cache lines.
  int64_t chunk = 16 / bytes;
  for (unsigned i = 0; i < 6; ++i) {
    bool alongK = i >= 3 && walk.reached(kDim) < chunk;
    bool lineDone = walk.reached(fast) >= Target::cacheLineBytes / bytes;
    bool taken = (!alongK && !lineDone && walk.take(fast, layout.lane)) ||
                 walk.take(kDim, layout.lane) || walk.take(fast, layout.lane);
    if (!taken)
      layout.lane.push_back(none);
  }
  for (int64_t w = odd; w < waves; w *= 2)
    if (!walk.take(kDim, layout.wave) && !walk.take(fast, layout.wave))
      layout.wave.push_back(none);
  while (walk.take(fast, layout.reg) || walk.take(kDim, layout.reg)) {
  }
  for (unsigned d : {0u, 1u})
    layout.repeat[d] = llvm::divideCeil(type.getDimSize(d), walk.reached(d));
  return canonicalize(shareAmongWaves(layout, fast, type.getDimSize(fast), odd, vectors));
}

/// Why a direct copy is impossible, empty if it is possible; `plan.dmaWidth` is the widest that
/// works.
static std::string directObstacle(StagePlan &plan, BufferType buffer, const Target &target,
                                  int64_t waves) {
  LdsType lds = plan.buffer;
  std::optional<unsigned> unit = buffer.getUnitStrideDim();
  if (!unit || *unit != lds.fastestDim())
    return "the array's contiguous dimension is not the one that must be contiguous in LDS";
  for (int width : llvm::reverse(target.dmaWidths)) {
    bool fits = width >= int64_t(lds.getElementBytes()) && buffer.getAlign() % width == 0 &&
                lds.getPitch() % width == 0 && linearFetch(lds, waves, width);
    if (fits) {
      plan.dmaWidth = width;
      return "";
    }
  }
  return "no copy width of " + target.name + " divides the alignment of " +
         std::to_string(buffer.getAlign()) + " bytes and the rows of a " +
         tile::shapeText(RankedTensorType::get(lds.getShape(), lds.getElementType())) + " tile";
}

/// Beyond the end of m or n an operand may hold anything as long as nobody looks at the sums that
/// it reaches: the descriptor keeps reads inside the array, and nothing is compared. True when that
/// holds for every dimension but k that has an end.
static bool relaxTails(StagePlan &plan) {
  bool unseen = true;
  plan.tail.assign(plan.load.getTail().begin(), plan.load.getTail().end());
  auto buffer = cast<BufferType>(plan.load.getBuffer().getType());
  for (unsigned d = 0; d < buffer.getRank(); ++d)
    if (buffer.isMirrored(d)) // what lies behind its end lies before the array
      return llvm::all_of(plan.tail,
                          [](int32_t kind) { return static_cast<Tail>(kind) == Tail::None; });
  for (auto [d, kind] : llvm::enumerate(plan.tail)) {
    if (d == plan.kDim || static_cast<Tail>(kind) == Tail::None)
      continue;
    if (!isBeyondEndUnseen(plan.load, d))
      unseen = false;
    else if (static_cast<Tail>(kind) == Tail::Compare)
      kind = static_cast<int32_t>(Tail::Whole);
  }
  return unseen;
}

/// A layout in which lanes can store 8 bytes at a time, or nothing when the load's own will do.
static std::optional<Layout> layoutForStores(const StagePlan &plan, MfmaOp product, unsigned fast) {
  LoadOp load = plan.load;
  auto kernel = product->getParentOfType<KernelOp>();
  auto type = cast<RankedTensorType>(load.getResult().getType());
  auto buffer = cast<BufferType>(load.getBuffer().getType());
  int64_t bytes = elementBytes(type.getElementType()), waves = kernel.getWaveCount();
  unsigned ldsFast = plan.buffer.fastestDim();
  // Single elements of 8 bytes meet in banks, unless lanes side by side fill 16.
  if (ldsFast == fast && ldsAccessBytes(type, plan.buffer, false) >= kWideStore)
    return std::nullopt;
  if (ldsFast == fast) // a load that is aligned to less
    return coalescedLayout({Extents(type.getShape().begin(), type.getShape().end()),
                            unsigned(bytes * 8), unsigned(waves), fast, unsigned(kWideStore),
                            /*wavesAlongFast=*/false});
  bool room = bytes >= 4 || hasRoomForAddresses(product);
  if (!room)
    load.emitRemark("this tile is stored to LDS by 4 bytes: the product leaves no registers for "
                    "the addresses of 8");
  return transposingLayout(type, fast, ldsFast, buffer.getAlign(), waves,
                           room ? kWideStore : kWideStore / 2);
}

/// Elements along k that a lane holds in neighbouring registers of one instruction's operand.
static int64_t itemsAlongK(const OperandLayout &operand, unsigned kDim) {
  int64_t items = 1;
  for (const Basis &vector : operand.item) {
    if (vector[kDim] != items)
      break;
    items *= 2;
  }
  return items;
}

/// Whether LDS can be read across its rows: what such a read gives a lane are 8 bytes along k.
static bool canReadTransposed(MfmaOp product, RankedTensorType type, unsigned fast, unsigned kDim,
                              const Target &target) {
  int64_t bits = type.getElementTypeBitWidth();
  if (fast == kDim || !target.hasDsReadTranspose || (bits != 8 && bits != 16))
    return false;
  const MfmaInst *inst = instructionOf(product);
  int64_t items = itemsAlongK(kDim == 1 ? inst->a : inst->b, kDim);
  return items * bits >= 64 && type.getDimSize(fast) * bits % 64 == 0;
}

/// A schedule is the kernel's, but what stands in the way may be one load's.
static void remarkUnobeyed(LoadOp load, tile::ScheduleAttr schedule, int64_t stages, bool isDirect,
                           StringRef obstacle) {
  if (!schedule || obstacle.empty())
    return;
  if (schedule.getStages().value_or(1) > stages)
    emitRemark(load.getLoc(), "stages = ") << *schedule.getStages() << " has no effect on this "
                                           << "load, which has " << stages << ": " << obstacle;
  if (schedule.getLds() == tile::LdsPath::Direct && !isDirect)
    emitRemark(load.getLoc(), "lds = direct has no effect on this load, which goes through "
                              "registers: ")
        << obstacle;
}

FailureOr<StagePlan> tegula::cdna::planStage(MfmaOp product, LoadOp load, unsigned kDim) {
  auto kernel = product->getParentOfType<KernelOp>();
  const Target &target = kernel.getTargetInfo();
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  tile::LdsPath wish = schedule && schedule.getLds() ? *schedule.getLds() : tile::LdsPath::Register;
  auto type = cast<RankedTensorType>(load.getResult().getType());
  auto buffer = cast<BufferType>(load.getBuffer().getType());

  StagePlan plan;
  plan.load = load;
  plan.kDim = kDim;
  if (wish == tile::LdsPath::None)
    return plan;
  unsigned fast = buffer.getUnitStrideDim().value_or(kDim);
  plan.transposeRead = canReadTransposed(product, type, fast, kDim, target);
  unsigned ldsFast = plan.transposeRead ? fast : kDim;

  bool masked = load.tailOf(kDim) != Tail::None;
  bool looped = inLoopWith(load, product) && !masked && !keepsOrder(load->getParentOp());
  int64_t stages = looped && schedule && schedule.getStages() ? *schedule.getStages() : 1;
  FailureOr<LdsType> lds =
      makeLdsType(load.getLoc(), target, type, {int32_t(ldsFast), int32_t(1 - ldsFast)}, stages);
  if (failed(lds))
    return failure();
  plan.buffer = *lds;
  plan.way = StageWay::Register;
  bool unseen = relaxTails(plan);
  // What a direct copy writes for lanes outside is not documented.
  bool isDirect = wish == tile::LdsPath::Direct && !masked && unseen;
  if (inLoopWith(load, product))
    remarkUnobeyed(load, schedule, stages, isDirect,
                   masked    ? "a tile may reach beyond the contracted extent"
                   : !looped ? "the loop writes what it reads"
                   : unseen  ? ""
                             : "lanes outside of the array are seen");
  if (isDirect) {
    std::string obstacle = directObstacle(plan, buffer, target, kernel.getWaveCount());
    if (!obstacle.empty())
      return load.emitError("schedule field lds = direct: ")
             << obstacle << "; use lds = register [tile.schedule.c4]";
    plan.way = StageWay::Direct;
    return plan;
  }
  plan.loadLayout = layoutForStores(plan, product, fast);
  // Phantoms have room: no lane branches around its store. Where waves share rows too unevenly for
  // that, they do.
  Extents covered = (plan.loadLayout ? *plan.loadLayout : layoutOf(type)).cover();
  for (auto [cover, extent] : llvm::zip_equal(covered, type.getShape()))
    cover = std::max(cover, extent);
  if (!isSnug(covered[0] * covered[1], type.getNumElements()))
    return plan;
  FailureOr<LdsType> room =
      makeLdsType(load.getLoc(), target, RankedTensorType::get(covered, type.getElementType()),
                  {int32_t(ldsFast), int32_t(1 - ldsFast)}, stages);
  if (failed(room))
    return failure();
  plan.buffer = *room;
  return plan;
}

//===--- Steps along k ---===//

StepPlan tegula::cdna::planSteps(MfmaOp product, const StagePlan &a, const StagePlan &b) {
  const MfmaInst *inst = instructionOf(product);
  auto type = cast<RankedTensorType>(product.getA().getType());
  int64_t extent = type.getDimSize(1);
  StepPlan plan{extent, 1};
  // A tile in registers can't be cut: only fragments that come from LDS are.
  bool staged = a.way != StageWay::None && b.way != StageWay::None && extent % inst->K == 0;
  if (!staged)
    return plan;
  plan.step = inst->K;
  // One 16-byte read feeds several instructions where they take less: k is then permuted equally in
  // a and b. A transposing read takes k as it comes.
  int64_t bytes = itemsAlongK(inst->a, 1) * elementBytes(type.getElementType());
  bool readsRuns = !a.transposeRead || !b.transposeRead;
  while (readsRuns && bytes * plan.group < 16 && extent % (plan.step * 2) == 0) {
    plan.step *= 2;
    plan.group *= 2;
  }
  // A part of a buffer begins at a chunk of 16 bytes.
  bool isCut = plan.step != extent;
  if (isCut && plan.step * elementBytes(type.getElementType()) % 16 != 0)
    return {extent, 1};
  return plan;
}

Layout tegula::cdna::fragmentLayout(const Layout &whole, unsigned kDim, const MfmaInst &inst,
                                    const StepPlan &steps) {
  unsigned items = llvm::Log2_64(itemsAlongK(inst.a, 1)), bits = llvm::Log2_64(inst.K);
  unsigned groupBits = llvm::Log2_64(steps.group);
  // Instructions of one group take neighbouring items; the lanes' bits of k move up to make room.
  auto permuted = [&](Basis vector) {
    int32_t k = vector[kDim], result = 0;
    for (unsigned bit = 0; k >> bit; ++bit) {
      if (!((k >> bit) & 1))
        continue;
      unsigned to = bit < items ? bit : bit < bits ? bit + groupBits : bit - bits + items;
      result |= 1 << to;
    }
    vector[kDim] = result;
    return vector;
  };
  Layout fragment({}, {}, {}, whole.repeat, whole.waveRepeats);
  fragment.repeat[kDim] = 1;
  Bases grouped, others;
  for (const Basis &vector : whole.reg) {
    if (vector[kDim] >= steps.step)
      continue; // a later fragment
    bool ofGroup = vector[kDim] >= inst.K;
    (ofGroup ? grouped : others).push_back(permuted(vector));
  }
  fragment.reg.assign(others.begin(), others.begin() + items);
  fragment.reg.insert(fragment.reg.end(), grouped.begin(), grouped.end());
  fragment.reg.insert(fragment.reg.end(), others.begin() + items, others.end());
  for (const Basis &vector : whole.lane)
    fragment.lane.push_back(permuted(vector));
  for (const Basis &vector : whole.wave)
    fragment.wave.push_back(permuted(vector));
  return fragment;
}
