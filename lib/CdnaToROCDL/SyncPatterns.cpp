// Waits, barriers and scheduling guards, one for one.
#include "Address.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

/// The immediate of s_waitcnt: vmcnt in bits 3:0 and 15:14, expcnt (7: don't wait) in 6:4, lgkmcnt
/// in 11:8.
static int32_t waitImmediate(int64_t vm, int64_t lgkm) {
  return (vm & 15) | 7 << 4 | lgkm << 8 | (vm >> 4) << 14;
}

/// LLVM's mask of an instruction class.
static int32_t groupMask(GroupKind kind) {
  switch (kind) {
  case GroupKind::Valu:
    return 0x2;
  case GroupKind::Salu:
    return 0x4;
  case GroupKind::Mfma:
    return 0x8;
  case GroupKind::Vmem:
    return 0x10;
  case GroupKind::DsRead:
    return 0x100;
  case GroupKind::DsWrite:
    return 0x200;
  case GroupKind::Trans:
    return 0x400;
  }
  llvm_unreachable("every kind is above");
}

namespace {

struct WaitCount : CdnaPattern<WaitCountOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(WaitCountOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<ROCDL::SWaitcntOp>(op, waitImmediate(op.getVm(), op.getLgkm()));
    return success();
  }
};

struct Barrier : CdnaPattern<BarrierOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(BarrierOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<ROCDL::SBarrierOp>(op);
    return success();
  }
};

/// LLVM waits for what is outstanding, and writes back or invalidates the caches of the scope.
void createFence(OpBuilder &b, Location loc, LLVM::AtomicOrdering ordering,
                 tile::MemoryScope scope) {
  LLVM::FenceOp::create(b, loc, ordering, syncScope(scope));
}

/// All waves take part: a release ends in a barrier, so that whichever wave goes on, the others'
/// accesses have been released too; an acquire begins with one, when every wave's accesses are
/// back. (Of a single wave LLVM leaves out the instruction, but still emits the fence once, not in
/// each of the branches that reach it.)
struct Order : CdnaPattern<OrderOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(OrderOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    bool releases = op.getKind() == FenceKind::Release;
    // Of the workgroup alone LLVM leaves the order to the cache that its waves share. A load whose
    // data are still under way would be none of ours to rely on.
    if (!releases || op.getScope() == tile::MemoryScope::Workgroup)
      ROCDL::SWaitcntOp::create(rewriter, loc, waitImmediate(0, kAnyLgkm));
    if (!releases)
      ROCDL::SBarrierOp::create(rewriter, loc);
    createFence(rewriter, loc,
                releases ? LLVM::AtomicOrdering::release : LLVM::AtomicOrdering::acquire,
                op.getScope());
    if (releases) {
      ROCDL::SBarrierOp::create(rewriter, loc);
      // LLVM's barrier alone keeps no later access behind it.
      createFence(rewriter, loc, LLVM::AtomicOrdering::acquire, tile::MemoryScope::Workgroup);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// What follows in the block is cut off when there are blocks (cdna-to-rocdl-control-flow).
struct Exit : CdnaPattern<ExitOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(ExitOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), rewriter.getStringAttr(kEndProgram),
                                  ValueRange());
    rewriter.eraseOp(op);
    return success();
  }
};

/// A barrier for every other group of as many waves as there are SIMDs: waves are dealt to them one
/// by one, so that each SIMD has waves of both kinds.
template <typename Op, bool isSecondGroup> struct GroupBarrier : CdnaPattern<Op> {
  using CdnaPattern<Op>::CdnaPattern;
  LogicalResult matchAndRewrite(Op op, typename CdnaPattern<Op>::OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Int ints(rewriter, loc);
    Value bit = rewriter.createOrFold<arith::AndIOp>(
        loc, this->kernel.wave, ints.constant(this->kernel.target->simdsPerCu));
    auto predicate = isSecondGroup ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
    Value takesPart = rewriter.createOrFold<arith::CmpIOp>(loc, predicate, bit, ints.constant(0));
    auto branch = scf::IfOp::create(rewriter, loc, takesPart, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    ROCDL::SBarrierOp::create(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

struct Fence : CdnaPattern<SchedFenceOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(SchedFenceOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<ROCDL::SchedBarrier>(op, 0);
    return success();
  }
};

struct Group : CdnaPattern<SchedGroupOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(SchedGroupOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<ROCDL::SchedGroupBarrier>(op, groupMask(op.getKind()),
                                                          op.getCount(), 0);
    return success();
  }
};

struct Priority : CdnaPattern<PriorityOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(PriorityOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<ROCDL::SetPrioOp>(op, op.getLevel());
    return success();
  }
};

} // namespace

void tegula::cdna::populateSyncPatterns(RewritePatternSet &patterns, const TypeConverter &converter,
                                        const KernelContext &context) {
  patterns.add<WaitCount, Barrier, GroupBarrier<StaggerOp, true>, GroupBarrier<AlignOp, false>,
               Order, Exit, Fence, Group, Priority>(converter, context);
}
