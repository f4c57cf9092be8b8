// Registration of the cdna dialect and small facts about element types.
#include "dialects/cdna/Cdna.h"

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
  return width == 1 ? 32 : width;
}

std::string tegula::cdna::dtypeName(Type element) {
  return TypeSwitch<Type, std::string>(element)
      .Case([](IntegerType t) { return "i" + std::to_string(t.getWidth()); })
      .Case([](Float8E4M3FNType) { return "f8e4m3fn"; })
      .Case([](Float8E5M2Type) { return "f8e5m2"; })
      .Case([](Float8E4M3FNUZType) { return "f8e4m3fnuz"; })
      .Case([](Float8E5M2FNUZType) { return "f8e5m2fnuz"; })
      .Case([](Float8E8M0FNUType) { return "e8m0"; })
      .Case([](Float4E2M1FNType) { return "f4e2m1"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float64Type) { return "f64"; })
      .Default([](Type) { return ""; });
}
