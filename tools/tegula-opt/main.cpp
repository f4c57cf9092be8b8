// tegula-opt: runs single passes, or parts of the pipeline, on IR text. The tool of the lit tests.
#include "tegula/Pipeline/Pipelines.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tegula::registerDialects(registry);
  tegula::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tegula pass driver\n", registry));
}
