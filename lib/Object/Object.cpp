// The public entry points: one call a kind of output.
#include "tegula/Object/Object.h"

#include "Backend.h"
#include "LoopCode.h"
#include "Manifest.h"
#include "tegula/Support/KernelRecord.h"

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

/// The cause, as far as the compiler's own part of it goes: what tiles hold at the fullest point.
void explainPressure(InFlightDiagnostic &warning, DictionaryAttr pressure) {
  if (!pressure)
    return;
  for (auto tile : pressure.getAs<ArrayAttr>("tiles").getAsRange<DictionaryAttr>())
    warning.attachNote(Location(tile.getAs<LocationAttr>("at")))
        << tile.getAs<StringAttr>("tile").getValue() << ": "
        << tile.getAs<IntegerAttr>("registers").getInt() << " registers";
}

void reportPressure(const Resources &r, const LoopCode &loops, DictionaryAttr pressure,
                    Location loc) {
  std::string cause = "the tiles are too large for the registers";
  if (pressure)
    cause = "tiles hold " + std::to_string(pressure.getAs<IntegerAttr>("registers").getInt()) +
            " of " + std::to_string(pressure.getAs<IntegerAttr>("limit").getInt()) +
            " registers a lane where most are live, addresses and what is computed from them more";
  if (r.vgprSpills || r.scratchBytes) {
    InFlightDiagnostic warning = emitWarning(loc)
                                 << r.vgprSpills << " registers spilled to " << r.scratchBytes
                                 << " bytes of scratch memory, with " << loops.scratch
                                 << " accesses of it in loops: " << cause
                                 << "; use a smaller tile or more waves [object.resources.c1]";
    explainPressure(warning, pressure);
  }
  if (loops.accumulatorMoves) {
    InFlightDiagnostic warning =
        emitWarning(loc) << loops.accumulatorMoves
                         << " copies between vector and accumulation registers in loops: " << cause
                         << ", and only " << r.vgprs - r.agprs
                         << " are vector registers; use a smaller tile or more waves "
                            "[object.resources.c2]";
    explainPressure(warning, pressure);
  }
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
  FailureOr<LoopCode> loops = readLoops(*elf, target, loc);
  if (failed(loops))
    return failure();
  reportPressure(*resources, *loops, (*kernel)->getAttrOfType<DictionaryAttr>(kPressureAttr), loc);
  llvm::json::Object manifest =
      makeManifest(abi, kernel->getName(), target, *resources, *elf, compilerId);
  return CodeObject{std::move(*elf), std::move(manifest)};
}
