// Whole kernels, compiled by clang, with exactly known results; sanitizers on and nothing found.
#include "SimHarness.h"
#include <cmath>
#include <random>

namespace {
class Kernels : public ::testing::TestWithParam<const char *> {
protected:
  std::string object() const { return std::string("kernels-") + GetParam() + ".co"; }
  void expectClean(Sim &sim) {
    for (const Sim::Found &f : sim.findings())
      ADD_FAILURE() << f.text;
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Kernels, ::testing::Values("gfx942", "gfx950"));

TEST_P(Kernels, VectorAddWritesExactlyItsRange) {
  Sim sim(GetParam(), object());
  std::vector<float> a(1000), b(1000), out(1100, NAN);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i) * 0.37f, b[i] = float(i % 13) - 5.1f;
  float *d = sim.upload(out);
  ASSERT_EQ(sim.launch("vector_add", {4, 1, 1}, {256, 1, 1},
                       Arguments().add(d).add(sim.upload(a)).add(sim.upload(b)).add(int32_t(1000))),
            TGS_OK);
  for (size_t i = 0; i < out.size(); ++i)
    if (i < 1000)
      ASSERT_EQ(d[i], a[i] + b[i]) << i;
    else
      ASSERT_TRUE(std::isnan(d[i])) << i;
  expectClean(sim);
}

TEST_P(Kernels, LdsReduction) {
  Sim sim(GetParam(), object());
  std::vector<float> x(1024), out(4, NAN);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i * 37 % 101) - 50);
  float *d = sim.upload(out);
  ASSERT_EQ(sim.launch("block_sum", {4, 1, 1}, {256, 1, 1}, Arguments().add(d).add(sim.upload(x))),
            TGS_OK)
      << sim.error();
  for (size_t g = 0; g < 4; ++g) {
    float sum = 0;
    for (size_t i = 0; i < 256; ++i)
      sum += x[g * 256 + i];
    EXPECT_EQ(d[g], sum);
  }
  expectClean(sim);
}

TEST_P(Kernels, DivergentLoop) {
  Sim sim(GetParam(), object());
  std::vector<uint32_t> start(500);
  for (size_t i = 0; i < start.size(); ++i)
    start[i] = uint32_t(i * 19 + 1);
  int32_t *d = sim.upload(std::vector<int32_t>(500, -1));
  ASSERT_EQ(sim.launch("collatz", {2, 1, 1}, {256, 1, 1},
                       Arguments().add(d).add(sim.upload(start)).add(int32_t(500))),
            TGS_OK);
  for (size_t i = 0; i < start.size(); ++i) {
    int steps = 0;
    for (uint32_t v = start[i]; v != 1; v = v & 1 ? 3 * v + 1 : v >> 1)
      ++steps;
    ASSERT_EQ(d[i], steps) << start[i];
  }
  expectClean(sim);
}

TEST_P(Kernels, AtomicsOnMemoryAndLdsWithAnyNumberOfThreads) {
  std::vector<int32_t> x(2000), expected(64, 0);
  for (size_t i = 0; i < x.size(); ++i)
    ++expected[size_t(x[i] = int32_t(i * i % 64))];
  for (uint32_t threads : {1u, 2u})
    for (const char *kernel : {"histogram", "lds_histogram"}) {
      Sim sim(GetParam(), object(), TGS_SANITIZE_ALL, threads);
      int32_t *bins = sim.upload(std::vector<int32_t>(64, 0));
      ASSERT_EQ(sim.launch(kernel, {8, 1, 1}, {256, 1, 1},
                           Arguments().add(bins).add(sim.upload(x)).add(int32_t(2000))),
                TGS_OK);
      EXPECT_EQ(std::vector<int32_t>(bins, bins + 64), expected) << kernel;
      expectClean(sim);
    }
}

/// The compiler's division sequences are correctly rounded, denormals included.
TEST_P(Kernels, DivisionMacros) {
  Sim sim(GetParam(), object());
  std::mt19937_64 random(7);
  std::vector<float> a(64 * 64), b(a.size());
  std::vector<double> c(a.size()), e(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = std::ldexp(float(int32_t(random())), int(random() % 220) - 140);
    b[i] = std::ldexp(float(int32_t(random()) | 1), int(random() % 220) - 140);
    c[i] = std::ldexp(double(int64_t(random())), int(random() % 1900) - 1000);
    e[i] = std::ldexp(double(int64_t(random()) | 1), int(random() % 1900) - 1000);
  }
  float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, 3.4e38f, 1.2e-38f};
  for (size_t i = 0; i < 64; ++i)
    a[i] = special[i / 8], b[i] = special[i % 8];
  float *q = sim.upload(a);
  double *r = sim.upload(c);
  ASSERT_EQ(sim.launch("divide", {64, 1, 1}, {64, 1, 1},
                       Arguments().add(q).add(sim.upload(a)).add(sim.upload(b))),
            TGS_OK);
  ASSERT_EQ(sim.launch("divide64", {64, 1, 1}, {64, 1, 1},
                       Arguments().add(r).add(sim.upload(c)).add(sim.upload(e))),
            TGS_OK);
  for (size_t i = 0; i < a.size(); ++i) {
    float want = a[i] / b[i];
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(q[i])) << a[i] << " / " << b[i];
    else
      ASSERT_EQ(q[i], want) << a[i] << " / " << b[i];
    ASSERT_EQ(r[i], c[i] / e[i]) << c[i] << " / " << e[i];
  }
  expectClean(sim);
}

TEST_P(Kernels, SixtyFourBitIntegers) {
  Sim sim(GetParam(), object());
  std::mt19937_64 random(3);
  std::vector<int64_t> a(256), b(256);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = int64_t(random()), b[i] = int64_t(random() >> (i % 60)) | 1;
  int64_t *out = sim.upload(std::vector<int64_t>(256 * 8, -1));
  ASSERT_EQ(sim.launch("integers", {4, 1, 1}, {64, 1, 1},
                       Arguments().add(out).add(sim.upload(a)).add(sim.upload(b))),
            TGS_OK)
      << sim.error();
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t x = a[i], y = b[i], *o = out + i * 8;
    ASSERT_EQ(o[0], int64_t(uint64_t(x) * uint64_t(y)));
    ASSERT_EQ(o[1], x / y);
    ASSERT_EQ(uint64_t(o[2]), uint64_t(x) % uint64_t(y));
    ASSERT_EQ(o[3], (x >> (y & 63)) ^ int64_t(uint64_t(x) << (y & 31)));
    ASSERT_EQ(o[4], int32_t(x) / (int32_t(y) | 1));
    ASSERT_EQ(o[5], __builtin_popcountll(uint64_t(x)) + __builtin_clzll(uint64_t(x) | 1) +
                        __builtin_ctzll(uint64_t(y) | 1));
    ASSERT_EQ(o[6], int64_t(int32_t(x)) * int32_t(y));
    ASSERT_EQ(o[7], std::min(x, y));
  }
  expectClean(sim);
}

TEST_P(Kernels, ScratchMemory) {
  Sim sim(GetParam(), object());
  std::vector<int32_t> index(64);
  for (int i = 0; i < 64; ++i)
    index[size_t(i)] = i * 5 + 1;
  int32_t *out = sim.upload(std::vector<int32_t>(64, -1));
  ASSERT_EQ(
      sim.launch("scratch", {1, 1, 1}, {64, 1, 1}, Arguments().add(out).add(sim.upload(index))),
      TGS_OK)
      << sim.error();
  for (int t = 0; t < 64; ++t) {
    int a[32], s = 0;
    for (int i = 0; i < 32; ++i)
      a[i] = i * 3 + t;
    a[index[size_t(t)] & 31] += 1000;
    for (int i = 0; i < 32; ++i)
      s += a[(i * index[size_t(t)]) & 31] * (i + 1);
    ASSERT_EQ(out[t], s) << t;
  }
  expectClean(sim);
}

TEST_P(Kernels, ThreeDimensionalIds) {
  Sim sim(GetParam(), object());
  size_t n = 2 * 3 * 2 * (5 * 3 * 7);
  int32_t *out = sim.upload(std::vector<int32_t>(n, -1));
  ASSERT_EQ(sim.launch("grid_ids", {2, 3, 2}, {5, 3, 7}, Arguments().add(out)), TGS_OK)
      << sim.error();
  for (size_t g = 0; g < 12; ++g)
    for (size_t i = 0; i < 105; ++i)
      ASSERT_EQ(out[g * 105 + i], int32_t(g * 1000 + i + 10 * 1000000)) << g << " " << i;
  expectClean(sim);
}

TEST_P(Kernels, RandomScheduleGivesTheSame) {
  std::vector<float> x(1024), expected;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 7);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Sim sim(GetParam(), object(), TGS_SANITIZE_ALL, 1, TGS_SCHEDULE_RANDOM, seed);
    float *d = sim.upload(std::vector<float>(4, NAN));
    ASSERT_EQ(
        sim.launch("block_sum", {4, 1, 1}, {256, 1, 1}, Arguments().add(d).add(sim.upload(x))),
        TGS_OK);
    std::vector<float> got(d, d + 4);
    if (seed == 0)
      expected = got;
    EXPECT_EQ(got, expected);
    expectClean(sim);
  }
}
} // namespace
