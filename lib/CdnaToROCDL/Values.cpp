// cdna-to-rocdl-values: tiles become chunks, cdna ops become LLVM and ROCDL ops, in one 1:N dialect
// conversion.
#include "Lowering.h"
#include "Reach.h"
#include "tegula/CdnaToROCDL/Passes.h"
#include "tegula/Support/KernelRecord.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLVALUESPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

/// The one LDS array of a kernel; offsets in it are ours.
static LLVM::GlobalOp createLds(KernelOp kernel) {
  OpBuilder b(kernel);
  Type type = LLVM::LLVMArrayType::get(b.getI8Type(), *kernel.getLdsBytes());
  return LLVM::GlobalOp::create(b, kernel.getLoc(), type, /*isConstant=*/false,
                                LLVM::Linkage::Internal, (kernel.getSymName() + ".lds").str(),
                                Attribute(), /*alignment=*/kCopyAlign, /*addrSpace=*/3);
}

/// Lane, wave and LDS base at the top of the kernel.
static KernelContext createContext(KernelOp kernel) {
  KernelContext context;
  context.context = kernel.getContext();
  context.target = &kernel.getTargetInfo();
  constexpr int waveSize = tegula::Target::waveSize;
  int64_t waves = kernel.getWaveCount();
  Location loc = kernel.getLoc();
  auto b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  auto range =
      LLVM::ConstantRangeAttr::get(b.getContext(), APInt(32, 0), APInt(32, waveSize * waves));
  Value thread = ROCDL::ThreadIdXOp::create(b, loc, b.getI32Type(), range);
  if (waves == 1) {
    context.lane = thread;
    context.wave = constant(0);
  } else {
    context.lane = arith::AndIOp::create(b, loc, thread, constant(waveSize - 1));
    // The first lane's value, so that LLVM knows it is the same in all.
    Value wave = arith::ShRUIOp::create(b, loc, thread, constant(llvm::Log2_32(waveSize)));
    context.wave = ROCDL::ReadfirstlaneOp::create(b, loc, b.getI32Type(), wave);
  }
  if (kernel.getLdsBytes().value_or(0) > 0)
    context.lds = LLVM::AddressOfOp::create(b, loc, createLds(kernel));
  kernel.walk([&](NextSlotOp next) {
    LdsAllocOp ring = getSlotRing(next.getSlot()); // its verifier found one
    context.rings[next] = {ring.getType().getStages(), ring.stageStride()};
  });
  return context;
}

static LogicalResult lowerKernel(KernelOp kernel) {
  kernel->setAttr(tegula::kReachAttr, computeReach(kernel));
  KernelContext context = createContext(kernel);
  MLIRContext *mlirContext = kernel.getContext();
  ValueConverter converter;
  RewritePatternSet patterns(mlirContext);
  ConversionTarget target(*mlirContext);
  target.addLegalDialect<LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
  target.addIllegalDialect<CdnaDialect, tile::TileDialect>();
  target.addLegalOp<KernelOp, ReturnOp, BasePointerOp, tile::DimOp, tile::StrideOp,
                    tile::ResidentOp, UnrealizedConversionCastOp>();
  target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
      [&](Operation *op) { return converter.isLegal(op); });
  target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>();
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
  populateElementwisePatterns(patterns, converter, context);
  populateNarrowPatterns(patterns, converter, context);
  populateRandomPatterns(patterns, converter, context);
  populateLayoutPatterns(patterns, converter, context);
  populateConvertPatterns(patterns, converter, context);
  populateBufferPatterns(patterns, converter, context);
  populateAccessPatterns(patterns, converter, context);
  populateIndexedPatterns(patterns, converter, context);
  populateAtomicPatterns(patterns, converter, context);
  populateLdsPatterns(patterns, converter, context);
  populateLdsIndexedPatterns(patterns, converter, context);
  populateSyncPatterns(patterns, converter, context);
  populateMfmaPatterns(patterns, converter, context);
  populateScanPatterns(patterns, converter, context);
  populateReducePatterns(patterns, converter, context);
  return applyPartialConversion(kernel, target, std::move(patterns));
}

namespace {
struct ValuesPass : tegula::cdna::impl::CdnaToROCDLValuesPassBase<ValuesPass> {
  void runOnOperation() final {
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (failed(lowerKernel(kernel)))
        return signalPassFailure();
  }
};
} // namespace
