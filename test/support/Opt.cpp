// tegula-test-opt: tegula-opt with the passes of tests.
#include "TestSupport.h"
#include "tegula/Pipeline/Pipelines.h"
#include "tegula/Pipeline/Source.h"

int main(int argc, char **argv) {
  tegula::registerPasses();
  tegula::test::registerPasses();
  return tegula::runOpt(argc, argv, "Tegula pass driver for tests\n");
}
