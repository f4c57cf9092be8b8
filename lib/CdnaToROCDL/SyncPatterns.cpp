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
void createFence(OpBuilder &b, Location loc, LLVM::AtomicOrdering ordering, StringRef scope) {
  // "system" is LLVM's default scope.
  LLVM::FenceOp::create(b, loc, ordering, scope == "system" ? "" : scope);
}

struct MemoryFence : CdnaPattern<FenceOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(FenceOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto ordering =
        op.getKind() == "release" ? LLVM::AtomicOrdering::release : LLVM::AtomicOrdering::acquire;
    createFence(rewriter, op.getLoc(), ordering, op.getScope());
    rewriter.eraseOp(op);
    return success();
  }
};

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
                tile::stringifyMemoryScope(op.getScope()));
    if (releases) {
      ROCDL::SBarrierOp::create(rewriter, loc);
      // LLVM's barrier alone keeps no later access behind it.
      createFence(rewriter, loc, LLVM::AtomicOrdering::acquire, "workgroup");
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct Arrive : CdnaPattern<ArriveOp> {
  using CdnaPattern::CdnaPattern;

  /// The first lane of the first wave.
  Value isFirst(OpBuilder &b, Location loc) const {
    Int ints(b, loc);
    auto isZero = [&](Value id) {
      return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, id, ints.constant(0));
    };
    return ints.both(isZero(kernel.lane), isZero(kernel.wave));
  }

  /// A 64-bit address, as it stands in an array of any length.
  Value address(OpBuilder &b, ArriveOp op, Value index) const {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
    Value base = BasePointerOp::create(b, op.getLoc(), pointer, op.getView());
    Value wide = arith::ExtUIOp::create(b, op.getLoc(), b.getI64Type(), index);
    return LLVM::GEPOp::create(b, op.getLoc(), pointer, b.getI32Type(), base,
                               ArrayRef<LLVM::GEPArg>{wide});
  }

  LogicalResult matchAndRewrite(ArriveOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    createFence(rewriter, loc, LLVM::AtomicOrdering::release, "agent");
    ROCDL::SBarrierOp::create(rewriter, loc);
    Value counter = address(rewriter, op, rewriter.getRemappedValue(op.getIndex()));
    Value first = isFirst(rewriter, loc);
    auto branch = scf::IfOp::create(rewriter, loc, rewriter.getI32Type(), first,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    Value one = arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(1));
    Value old = LLVM::AtomicRMWOp::create(rewriter, loc, LLVM::AtomicBinOp::add, counter, one,
                                          LLVM::AtomicOrdering::monotonic, "agent");
    scf::YieldOp::create(rewriter, loc, old);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    Value none = arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(0));
    scf::YieldOp::create(rewriter, loc, none);
    rewriter.replaceOp(op, branch.getResults());
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
               MemoryFence, Order, Arrive, Fence, Group, Priority>(converter, context);
}
