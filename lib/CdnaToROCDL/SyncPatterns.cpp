// Waits, barriers and scheduling guards, one for one.
#include "Lowering.h"

using namespace mlir;
using namespace tegula::cdna;

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
  patterns.add<WaitCount, Barrier, Fence, Group, Priority>(converter, context);
}
