// cdna-to-rocdl-attach-scopes: LDS accesses do not alias the copies in flight.
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaToROCDL/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLATTACHSCOPESPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;
using namespace tegula::cdna;

/// An LDS access other than a copy: a load or store of address space 3, or a transposing read.
static bool isLdsAccess(LLVM::AliasAnalysisOpInterface op) {
  if (isa<ROCDL::RawPtrBufferLoadLdsOp>(op.getOperation()))
    return false;
  return llvm::any_of(op.getAccessedOperands(), [](Value pointer) {
    auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
    return type && type.getAddressSpace() == 3;
  });
}

static void attachScopes(KernelOp kernel) {
  Builder b(kernel.getContext());
  auto domain = LLVM::AliasScopeDomainAttr::get(kernel.getContext(), b.getStringAttr("lds"));
  auto scope = [&](StringRef name) -> Attribute {
    return LLVM::AliasScopeAttr::get(domain, b.getStringAttr(name));
  };
  ArrayAttr copies = b.getArrayAttr(scope("dma")), accesses = b.getArrayAttr(scope("lds"));
  kernel.walk([&](LLVM::AliasAnalysisOpInterface op) {
    if (isa<ROCDL::RawPtrBufferLoadLdsOp>(op.getOperation())) {
      op.setAliasScopes(copies);
    } else if (isLdsAccess(op)) {
      op.setAliasScopes(accesses);
      op.setNoAliasScopes(copies);
    }
  });
}

namespace {
struct AttachScopesPass : tegula::cdna::impl::CdnaToROCDLAttachScopesPassBase<AttachScopesPass> {
  void runOnOperation() final {
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      WalkResult walk =
          kernel.walk([](ROCDL::RawPtrBufferLoadLdsOp) { return WalkResult::interrupt(); });
      if (!walk.wasInterrupted())
        continue; // without copies there is nothing to promise
      if (!kernel->hasAttr(kWaitsInsertedAttr)) {
        kernel.emitOpError() << "copies to LDS, but its waits are not proved ("
                             << kWaitsInsertedAttr
                             << "), so nothing may be promised about them [cdna.scope.c1]";
        return signalPassFailure();
      }
      attachScopes(kernel);
    }
  }
};
} // namespace
