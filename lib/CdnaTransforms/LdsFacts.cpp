// Walks over LDS buffers and the fetch layout of direct copies.
#include "LdsFacts.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

static void collectAccesses(Value lds, SmallVectorImpl<Operation *> &accesses) {
  for (Operation *user : lds.getUsers()) {
    if (auto view = dyn_cast<LdsViewOp>(user))
      collectAccesses(view.getResult(), accesses);
    else if (auto reshape = dyn_cast<LdsReshapeOp>(user))
      collectAccesses(reshape.getResult(), accesses);
    else if (!isa<SlotOp>(user))
      accesses.push_back(user);
  }
}

SmallVector<Operation *> tegula::cdna::ldsAccesses(LdsAllocOp alloc) {
  SmallVector<Operation *> accesses;
  collectAccesses(alloc.getResult(), accesses);
  return accesses;
}

int64_t tegula::cdna::ringBytesAround(Operation *op) {
  int64_t bytes = 0;
  op->getParentOfType<KernelOp>().walk([&](LdsAllocOp alloc) {
    LdsType type = alloc.getType();
    auto sharesLoop = [&](Operation *access) {
      auto loop = access->getParentOfType<LoopLikeOpInterface>();
      return loop && loop->isProperAncestor(op);
    };
    if (type.getStages() > 1 && llvm::any_of(ldsAccesses(alloc), sharesLoop))
      bytes += type.stageBytes() * type.getStages();
  });
  return bytes;
}

LdsType tegula::cdna::withPitchAndSwizzle(LdsType type, int64_t pitch, ArrayRef<int32_t> swizzle) {
  return LdsType::get(type.getContext(), type.getShape(), type.getElementType(), type.getOrder(),
                      type.getStages(), pitch, swizzle);
}

static void refreshViewsOf(Value lds) {
  for (Operation *user : lds.getUsers())
    if (auto view = dyn_cast<LdsViewOp>(user)) {
      auto parent = cast<LdsType>(lds.getType());
      auto old = cast<LdsType>(view.getResult().getType());
      view.getResult().setType(withPitchAndSwizzle(old, parent.getPitch(), parent.getSwizzle()));
      refreshViewsOf(view.getResult());
    }
}

void tegula::cdna::refreshViews(LdsAllocOp alloc) { refreshViewsOf(alloc.getResult()); }

/// The coordinates that bit `bit` of a stage's byte address stands for, swizzle undone.
static Basis addressBit(LdsType type, unsigned bit) {
  unsigned fast = type.getOrder()[0], slow = type.getOrder()[1];
  Basis vector(2, 0);
  unsigned pitchBits = llvm::Log2_64(type.getPitch());
  if (bit < pitchBits) {
    vector[fast] = (int64_t(1) << bit) / type.getElementBytes();
    return vector;
  }
  int64_t row = type.rowAt(int64_t(1) << (bit - pitchBits));
  vector[slow] = row;
  vector[fast] = type.rowMask(row) * 16 % type.getPitch() / type.getElementBytes();
  return vector;
}

std::optional<Layout> tegula::cdna::linearFetch(LdsType type, int64_t waves, int64_t width) {
  int64_t bytes = type.stageBytes();
  bool regular = type.getRank() == 2 && llvm::isPowerOf2_64(type.getPitch()) &&
                 llvm::isPowerOf2_64(bytes) && type.getPitch() == type.naturalPitch();
  if (!regular || bytes < Target::waveSize * width)
    return std::nullopt;
  unsigned bit = llvm::Log2_64(type.getElementBytes()), end = llvm::Log2_64(bytes);
  unsigned waveBits = llvm::countr_zero(uint64_t(waves));
  int64_t odd = waves >> waveBits;
  Layout layout({}, {}, {}, {1, 1});
  for (; bit < llvm::Log2_64(width); ++bit)
    layout.reg.push_back(addressBit(type, bit));
  for (unsigned i = 0; i < 6; ++i)
    layout.lane.push_back(addressBit(type, bit++));
  size_t inLane = layout.reg.size();
  // Row bits that the swizzle uses must be lane or wave bits, or each costs an offset register:
  // waves go below the instructions then; and below an odd number of waves.
  unsigned usedRows = type.getSwizzle().size();
  bool wavesFirst = odd > 1 || llvm::Log2_64(type.getPitch()) + usedRows > bit;
  unsigned free = end - bit, mapped = std::min(waveBits, free);
  unsigned waveBegin = wavesFirst ? bit : end - mapped;
  for (unsigned i = bit; i < end; ++i) {
    bool isWave = i >= waveBegin && i < waveBegin + mapped;
    (isWave ? layout.wave : layout.reg).push_back(addressBit(type, i));
  }
  layout.wave.resize(waveBits, Basis(2, 0)); // waves beyond the tile fetch the same bytes again
  unsigned slow = type.getOrder()[1];
  return shareAmongWaves(layout, slow, type.getShape()[slow], odd, inLane);
}
