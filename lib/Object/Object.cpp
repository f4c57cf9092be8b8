// The public entry points: one call a kind of output.
#include "tegula/Object/Object.h"

#include "Backend.h"
#include "Manifest.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"

using namespace mlir;
using namespace tegula;

void tegula::registerObjectTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

FailureOr<std::string> tegula::emitLLVMIR(ModuleOp module, const Target &target) {
  FailureOr<std::unique_ptr<Backend>> backend = Backend::create(module, target);
  if (failed(backend))
    return failure();
  return (*backend)->ir();
}

FailureOr<std::string> tegula::emitAssembly(ModuleOp module, const Target &target) {
  FailureOr<std::unique_ptr<Backend>> backend = Backend::create(module, target);
  if (failed(backend))
    return failure();
  return (*backend)->generate(llvm::CodeGenFileType::AssemblyFile);
}

namespace {

/// A kernarg segment of another size means hidden arguments that no runtime would fill.
LogicalResult checkKernarg(DictionaryAttr abi, const Resources &resources, Location loc) {
  auto size = abi.getAs<IntegerAttr>("kernarg_size");
  if (size && size.getInt() != resources.kernargBytes)
    return emitError(loc) << "the code object takes " << resources.kernargBytes
                          << " bytes of arguments, the manifest says " << size.getInt()
                          << " [object.abi.c2]";
  return success();
}

void reportSpills(const Resources &r, Location loc) {
  if (r.vgprSpills || r.scratchBytes)
    emitWarning(loc) << r.vgprSpills << " registers spilled to " << r.scratchBytes
                     << " bytes of scratch memory: the tile is too large for " << r.vgprs
                     << " registers (a remark on registers names what holds them); use a smaller "
                        "tile or more waves [object.resources.c1]";
}

} // namespace

FailureOr<CodeObject> tegula::emitCodeObject(ModuleOp module, const Target &target,
                                             llvm::StringRef compilerId) {
  FailureOr<LLVM::LLVMFuncOp> kernel = findKernel(module);
  if (failed(kernel))
    return failure();
  Location loc = kernel->getLoc();
  auto abi = (*kernel)->getAttrOfType<DictionaryAttr>(kAbiAttr);
  if (!abi)
    return emitError(loc) << "kernel @" << kernel->getName() << " has no " << kAbiAttr
                          << " attribute [object.abi.c1]";
  FailureOr<std::unique_ptr<Backend>> backend = Backend::create(module, target);
  if (failed(backend))
    return failure();
  FailureOr<std::string> object = (*backend)->generate(llvm::CodeGenFileType::ObjectFile);
  if (failed(object))
    return failure();
  FailureOr<std::string> elf = linkObject(*object, loc);
  if (failed(elf))
    return failure();
  FailureOr<Resources> resources = readResources(*elf, kernel->getName(), loc);
  if (failed(resources) || failed(checkKernarg(abi, *resources, loc)))
    return failure();
  reportSpills(*resources, loc);
  return CodeObject{std::move(*elf),
                    makeManifest(abi, kernel->getName(), target, *resources, compilerId)};
}
