// tegula-opt: runs single passes, or parts of the pipeline, on IR text. The tool of the lit tests.
#include "tegula/Pipeline/Pipelines.h"
#include "tegula/Pipeline/Source.h"

int main(int argc, char **argv) {
  tegula::registerPasses();
  return tegula::runOpt(argc, argv, "Tegula pass driver\n");
}
