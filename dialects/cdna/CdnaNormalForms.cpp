// Normal forms: what a unit attribute on the kernel promises, checked after every pass that leaves
// it there.
#include "dialects/cdna/CdnaVerify.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

SmallVector<Type> tegula::cdna::typesMadeBy(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

/// Reports the first op, the kernel included, for which `bad` has something to say.
static LogicalResult forbid(Operation *kernel, StringRef form,
                            function_ref<std::string(Operation *)> bad) {
  WalkResult walk = kernel->walk([&](Operation *op) {
    std::string reason = bad(op);
    if (reason.empty())
      return WalkResult::advance();
    op->emitOpError() << reason << " [" << form << "]";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

static std::string withoutLayout(Operation *op) {
  for (Type type : typesMadeBy(op))
    if (isa<RankedTensorType>(type) && !getLayout(type))
      return "has a tile without a layout";
  return "";
}

static std::string tileOp(Operation *op) {
  if (!isa_and_nonnull<tile::TileDialect>(op->getDialect()))
    return "";
  bool ofArgument =
      (isa<tile::DimOp, tile::StrideOp>(op) && isa<BlockArgument>(op->getOperand(0))) ||
      isa<tile::ResidentOp>(op);
  return ofArgument ? "" : "is left of the tile dialect";
}

static std::string unplannedConversion(Operation *op) {
  if (isa<ReshapeOp>(op))
    return "goes through LDS, but is not expanded";
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  if (!convert || (convert.getPath() && convert.getPath() != ConvertPath::Lds))
    return "";
  return convert.getPath() ? "goes through LDS, but is not expanded" : "has no path";
}

/// A wait in the iteration that issued the copy, although the ring has room for a later one.
static std::string earlyWait(Operation *op) {
  auto wait = dyn_cast<WaitOp>(op);
  if (!wait || !wait->getParentOfType<scf::ForOp>())
    return "";
  for (Value token : wait.getTokens())
    if (auto copy = token.getDefiningOp<AsyncCopyOp>())
      if (copy->getBlock() == wait->getBlock() && copy.getLds().getType().getStages() > 1)
        return "waits for a copy of its own iteration";
  return "";
}

static std::string unplacedBuffer(Operation *op, int64_t bytes) {
  auto alloc = dyn_cast<LdsAllocOp>(op);
  if (!alloc)
    return "";
  if (!alloc.getOffset())
    return "has no offset";
  if (alloc.getSwizzle())
    return "has no swizzle yet";
  int64_t end = *alloc.getOffset() + alloc.stageStride() * (alloc.getType().getStages() - 1) +
                alloc.getType().stageBytes();
  return end > bytes ? "ends at byte " + std::to_string(end) + " of " + std::to_string(bytes) : "";
}

static std::string leftWait(Operation *op) {
  if (isa<ReduceWavesOp>(op))
    return "holds a wait that is not explicit";
  return isa<WaitOp>(op) ? "is not turned into counts" : "";
}

bool tegula::cdna::endsSchedule(Operation *op) {
  return isa<BarrierOp, StaggerOp, AlignOp, WaitCountOp, OrderOp>(op) || op->getNumRegions() != 0;
}

/// Groups stand in a run of ops that begins and ends with a fence or a block's end.
static std::string unfencedGroup(Operation *op) {
  if (!isa<SchedGroupOp>(op))
    return "";
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isa<SchedFenceOp>(next))
      return "";
    if (endsSchedule(next))
      return "is not followed by a fence before the region ends";
  }
  return "is not followed by a fence before the region ends";
}

static std::string notRocdl(Operation *op) {
  return isa_and_nonnull<CdnaDialect, tile::TileDialect, scf::SCFDialect>(op->getDialect())
             ? "is not lowered"
             : "";
}

LogicalResult CdnaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef form = attribute.getName();
  if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << form << "' is a unit attribute of kernels [cdna.form.c1]";
  if (form == kLayoutsAssignedAttr)
    return forbid(op, form, withoutLayout);
  if (form == kNoTileOpsAttr)
    return isa<KernelOp>(op) ? forbid(op, form, tileOp)
                             : op->emitOpError() << "is not lowered [" << form << "]";
  if (form == kStagedAttr)
    return forbid(op, form, unplannedConversion);
  if (form == kPipelinedAttr)
    return forbid(op, form, earlyWait);
  if (form == kLdsAssignedAttr) {
    auto kernel = dyn_cast<KernelOp>(op);
    int64_t bytes = kernel && kernel.getLdsBytes() ? *kernel.getLdsBytes() : 0;
    return forbid(op, form, [&](Operation *inner) { return unplacedBuffer(inner, bytes); });
  }
  if (form == kWaitsInsertedAttr) {
    if (failed(forbid(op, form, leftWait)))
      return failure();
    auto kernel = dyn_cast<KernelOp>(op);
    auto *proof = getRegisteredInterface<WaitProofInterface>();
    return kernel && proof ? proof->prove(kernel) : success();
  }
  if (form == kScheduledAttr)
    return forbid(op, form, unfencedGroup);
  if (form == kRocdlOnlyAttr) {
    if (failed(forbid(op, form, notRocdl)))
      return failure();
    auto *scopes = getRegisteredInterface<ScopeCheckInterface>();
    return scopes ? scopes->check(op) : success();
  }
  return op->emitOpError() << "'" << form << "' is no attribute of the cdna dialect [cdna.form.c1]";
}
