// cdna-to-rocdl-attributes: what the backend must know about a kernel.
#include "dialects/cdna/Cdna.h"
#include "dialects/tile/TileModes.h"
#include "tegula/CdnaToROCDL/Passes.h"

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
  function->setAttr("rocdl.kernel", b.getUnitAttr());
  function->setAttr("rocdl.flat_work_group_size", b.getStringAttr(count + "," + count));
  function->setAttr("rocdl.reqd_work_group_size", b.getDenseI32ArrayAttr({threads, 1, 1}));
  function->setAttr(
      "passthrough",
      b.getArrayAttr(b.getArrayAttr({b.getStringAttr("amdgpu-agpr-alloc"), b.getStringAttr("0")})));
  // Else LLVM takes the registers that one workgroup alone could have.
  if (auto waves = function->getAttrOfType<IntegerAttr>(kWavesPerSimdAttr))
    function->setAttr("rocdl.waves_per_eu", waves);
  function->removeAttr(kWavesPerSimdAttr);
  // f16 and f64 share the other half of the mode register and keep theirs, as matrix cores do.
  if (auto denormals = abi.getAs<StringAttr>(tile::kDenormalsAttr);
      denormals && denormals == tile::kFlushDenormals)
    function.setDenormalFpMathF32("preserve-sign,preserve-sign");
  function->setAttr(kRocdlOnlyAttr, b.getUnitAttr());
}

namespace {
struct AttributesPass : tegula::cdna::impl::CdnaToROCDLAttributesPassBase<AttributesPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (auto abi = function->getAttrOfType<DictionaryAttr>(kAbiAttr))
        attach(function, abi);
  }
};
} // namespace
