// Translation to LLVM IR and code generation, with LLVM's diagnostics turned into ours.
#include "Backend.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

// One backend, not the list of all: the tools start faster.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
}

using namespace mlir;
using namespace tegula;

namespace {

void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
  });
}

/// The source position LLVM names, else the kernel's.
Location locationOf(const llvm::DiagnosticInfo &info, Location fallback) {
  const llvm::DiagnosticInfoWithLocationBase *located = nullptr;
  if (const auto *limit = llvm::dyn_cast<llvm::DiagnosticInfoResourceLimit>(&info))
    located = limit;
  else if (const auto *unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
    located = unsupported;
  if (!located || !located->isLocationAvailable())
    return fallback;
  llvm::StringRef file;
  unsigned line = 0, column = 0;
  located->getLocation(file, line, column);
  return FileLineColLoc::get(fallback.getContext(), file, line, column);
}

/// Collects errors: LLVM goes on after them and returns success.
class Handler : public llvm::DiagnosticHandler {
public:
  Handler(Location loc, bool &failed) : loc(loc), failed(failed) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true; // remarks about sizes and warnings about stack use: the note has the numbers
    failed = true;
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    emitError(locationOf(info, loc)) << "code generation: " << text << " [object.codegen.c1]";
    return true;
  }

private:
  Location loc;
  bool &failed;
};

/// Attributes of our own dialects mean nothing to LLVM.
void stripOwnAttributes(Operation *op) {
  for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs())) {
    llvm::StringRef dialect = attr.getName().strref().split('.').first;
    if (dialect == "tegula" || dialect == "tile" || dialect == "cdna")
      op->removeDiscardableAttr(attr.getName());
  }
}

} // namespace

FailureOr<LLVM::LLVMFuncOp> tegula::findKernel(ModuleOp module) {
  LLVM::LLVMFuncOp kernel;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!func->hasAttr(ROCDL::ROCDLDialect::KernelAttrHelper::getNameStr()))
      continue;
    if (kernel)
      return func.emitError("a module holds one kernel, and @")
             << kernel.getName() << " is one already [object.kernel.c1]";
    kernel = func;
  }
  if (!kernel)
    return module.emitError("the module holds no kernel [object.kernel.c1]");
  return kernel;
}

LogicalResult Backend::createMachine(const Target &target) {
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  if (!found)
    return emitError(loc) << "LLVM has no AMDGPU backend: " << error << " [object.llvm.c1]";
  machine.reset(found->createTargetMachine(llvm::Triple(triple), target.name, "", {},
                                           llvm::Reloc::PIC_, std::nullopt,
                                           llvm::CodeGenOptLevel::Aggressive));
  return success(machine != nullptr);
}

/// Infers what a kernel does not use. Without it every kernel gets 256 bytes of hidden arguments,
/// and MFMA results live in accumulation registers at the price of hundreds of moves.
void Backend::runAttributor() {
  llvm::PassBuilder builder(machine.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, "amdgpu-attributor")) {
    failed = true;
    emitError(loc) << llvm::toString(std::move(error)) << " [object.llvm.c1]";
    return;
  }
  passes.run(*module, modules);
}

FailureOr<std::unique_ptr<Backend>> Backend::create(ModuleOp source, const Target &target) {
  initializeBackend();
  FailureOr<LLVM::LLVMFuncOp> kernel = findKernel(source);
  if (mlir::failed(kernel))
    return failure();
  std::string name = kernel->getName().str();
  std::unique_ptr<Backend> backend(new Backend(kernel->getLoc()));
  backend->context.setDiagnosticHandler(std::make_unique<Handler>(backend->loc, backend->failed));
  OwningOpRef<ModuleOp> copy = source.clone();
  copy->walk(stripOwnAttributes);
  backend->module = translateModuleToLLVMIR(*copy, backend->context, name);
  if (!backend->module || mlir::failed(backend->createMachine(target)))
    return failure();
  backend->module->setTargetTriple(backend->machine->getTargetTriple());
  backend->module->setDataLayout(backend->machine->createDataLayout());
  backend->runAttributor();
  if (backend->failed)
    return failure();
  return backend;
}

std::string Backend::ir() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, nullptr);
  return text;
}

FailureOr<std::string> Backend::generate(llvm::CodeGenFileType kind) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, kind))
    return emitError(loc) << "the AMDGPU backend cannot emit this kind of file [object.llvm.c1]";
  passes.run(*module);
  if (failed)
    return failure();
  return std::string(bytes.begin(), bytes.end());
}
