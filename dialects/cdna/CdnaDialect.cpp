// Registration of the cdna dialect and small facts about element types.
#include "dialects/cdna/Cdna.h"
#include "dialects/cdna/CdnaNarrow.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula::cdna;

#include "dialects/cdna/CdnaDialect.cpp.inc"
#include "dialects/cdna/CdnaEnums.cpp.inc"

namespace {
/// Layouts print once, at the top of the text, or the IR is unreadable.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const final {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void CdnaDialect::initialize() {
  addInterfaces<LayoutAliases>();
  registerTypes();
  registerAttributes();
  registerOps();
}

void CdnaDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaKernelOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaMemoryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaIndexedOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaLdsOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaSyncOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaMathOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaLayoutOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/cdna/CdnaNarrowOps.cpp.inc"
      >();
}

Operation *CdnaDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LayoutAttr tegula::cdna::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

int64_t tegula::cdna::elementBytes(Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

int64_t tegula::cdna::elementBits(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  return width == 1 ? 32 : std::max(8u, width);
}
