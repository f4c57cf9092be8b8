// As gtest_main, with --isa=avx3|avx2|sse4: the instruction set of the host that the device's
// handlers use. The same tests must pass on each, on any host that has it.
#include <cstdio>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <string>

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::string isa = argc > 1 ? argv[1] : "";
  int64_t target = isa == "--isa=avx3"   ? HWY_AVX3
                   : isa == "--isa=avx2" ? HWY_AVX2
                   : isa == "--isa=sse4" ? HWY_SSE4
                                         : 0;
  if (target) {
    if (!(hwy::SupportedTargets() & target)) {
      std::printf("this host has no %s: nothing was run\n", isa.c_str());
      return 0;
    }
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
  }
  return RUN_ALL_TESTS();
}
