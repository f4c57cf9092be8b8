// cdna-to-rocdl-attributes: what the backend must know about a kernel.
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaToROCDL/Passes.h"
#include "tegula/Support/KernelRecord.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLATTRIBUTESPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

static void attach(LLVM::LLVMFuncOp function, DictionaryAttr abi) {
  Builder b(function.getContext());
  int32_t threads = cast<IntegerAttr>(abi.getAs<ArrayAttr>("block")[0]).getInt();
  std::string count = std::to_string(threads);
  auto *rocdl = b.getContext()->getLoadedDialect<ROCDL::ROCDLDialect>();
  rocdl->getKernelAttrHelper().setAttr(function, b.getUnitAttr());
  rocdl->getFlatWorkGroupSizeAttrHelper().setAttr(function, b.getStringAttr(count + "," + count));
  rocdl->getReqdWorkGroupSizeAttrHelper().setAttr(function,
                                                  b.getDenseI32ArrayAttr({threads, 1, 1}));
  function.setPassthroughAttr(
      b.getArrayAttr(b.getArrayAttr({b.getStringAttr("amdgpu-agpr-alloc"), b.getStringAttr("0")})));
  // f16 and f64 share the other half of the mode register and keep theirs, as matrix cores do.
  auto denormals = abi.getAs<StringAttr>("denormals");
  if (denormals && denormals == tile::stringifyDenormals(tile::Denormals::Flush))
    function.setDenormalFpMathF32("preserve-sign,preserve-sign");
  function->setAttr(kRocdlOnlyAttr, b.getUnitAttr());
}

namespace {
struct AttributesPass : tegula::cdna::impl::CdnaToROCDLAttributesPassBase<AttributesPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (auto abi = function->getAttrOfType<DictionaryAttr>(tegula::kAbiAttr))
        attach(function, abi);
  }
};
} // namespace
