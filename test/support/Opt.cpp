// tegula-test-opt: tegula-opt with the passes of tests.
#include "TestSupport.h"
#include "tegula/Pipeline/Pipelines.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tegula::registerDialects(registry);
  tegula::registerPasses();
  tegula::test::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tegula pass driver for tests\n", registry));
}
