// cdna-to-rocdl-attributes: what the backend must know about a kernel.
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaToROCDL/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLATTRIBUTESPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;
using namespace tegula::cdna;

static void attach(LLVM::LLVMFuncOp function, int32_t threads) {
  Builder b(function.getContext());
  std::string count = std::to_string(threads);
  function->setAttr("rocdl.kernel", b.getUnitAttr());
  function->setAttr("rocdl.flat_work_group_size", b.getStringAttr(count + "," + count));
  function->setAttr("rocdl.reqd_work_group_size", b.getDenseI32ArrayAttr({threads, 1, 1}));
  function->setAttr(
      "passthrough",
      b.getArrayAttr(b.getArrayAttr({b.getStringAttr("amdgpu-agpr-alloc"), b.getStringAttr("0")})));
  function->setAttr(kRocdlOnlyAttr, b.getUnitAttr());
}

namespace {
struct AttributesPass : tegula::cdna::impl::CdnaToROCDLAttributesPassBase<AttributesPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (auto abi = function->getAttrOfType<DictionaryAttr>(kAbiAttr))
        attach(function, cast<IntegerAttr>(abi.getAs<ArrayAttr>("block")[0]).getInt());
  }
};
} // namespace
