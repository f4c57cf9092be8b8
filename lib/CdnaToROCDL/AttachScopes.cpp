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

namespace {
/// The two scopes that there are.
struct Scopes {
  explicit Scopes(MLIRContext *context) {
    Builder b(context);
    auto domain = LLVM::AliasScopeDomainAttr::get(context, b.getStringAttr("lds"));
    auto scope = [&](StringRef name) -> Attribute {
      return LLVM::AliasScopeAttr::get(domain, b.getStringAttr(name));
    };
    copies = b.getArrayAttr(scope("dma"));
    accesses = b.getArrayAttr(scope("lds"));
  }
  ArrayAttr copies, accesses;
};
} // namespace

static void attachScopes(KernelOp kernel) {
  Scopes scopes(kernel.getContext());
  kernel.walk([&](LLVM::AliasAnalysisOpInterface op) {
    if (isa<ROCDL::RawPtrBufferLoadLdsOp>(op.getOperation())) {
      op.setAliasScopes(scopes.copies);
    } else if (isLdsAccess(op)) {
      op.setAliasScopes(scopes.accesses);
      op.setNoAliasScopes(scopes.copies);
    }
  });
}

/// A promise of another kind would let LLVM leave out a wait, or move an access, that nothing else
/// stands for. One that lacks costs time only, but it is no doing of ours.
static LogicalResult checkScopes(Operation *kernel) {
  ArrayAttr copies, accesses; // of the first of each kind: each kernel has scopes of its own
  kernel->walk([&](LLVM::AliasAnalysisOpInterface op) {
    bool isCopy = isa<ROCDL::RawPtrBufferLoadLdsOp>(op.getOperation());
    ArrayAttr &first = isCopy ? copies : accesses;
    if (!first && (isCopy || isLdsAccess(op)))
      first = op.getAliasScopesOrNull();
  });
  auto isOneOf = [](ArrayAttr scopes, StringRef name) {
    auto scope = scopes && scopes.size() == 1 ? dyn_cast<LLVM::AliasScopeAttr>(scopes[0])
                                              : LLVM::AliasScopeAttr();
    return scope && scope.getDescription() && scope.getDescription() == name;
  };
  WalkResult walk = kernel->walk([&](LLVM::AliasAnalysisOpInterface op) {
    ArrayAttr own = op.getAliasScopesOrNull(), others = op.getNoAliasScopesOrNull();
    bool fits = !own && !others;
    if (isa<ROCDL::RawPtrBufferLoadLdsOp>(op.getOperation()))
      fits = own == copies && isOneOf(own, "dma") && !others;
    else if (copies && isLdsAccess(op))
      fits = own == accesses && isOneOf(own, "lds") && others == copies;
    if (fits)
      return WalkResult::advance();
    op->emitOpError() << "has alias scopes that the proof of waits does not stand for "
                         "[cdna.scope.c2]";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

namespace {
struct ScopeCheck : ScopeCheckInterface {
  using ScopeCheckInterface::ScopeCheckInterface;
  LogicalResult check(Operation *kernel) const final { return checkScopes(kernel); }
};

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

void tegula::cdna::registerScopeCheck(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, CdnaDialect *dialect) { dialect->addInterfaces<ScopeCheck>(); });
}
