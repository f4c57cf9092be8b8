// Layouts of every dense matrix instruction by one-hot inputs, against the worked forms of the ISA
// document (written out by shape here, where the simulator uses one general formula).
#include "SimHarness.h"
#include <cmath>

namespace {
struct Shape {
  const char *name;
  int m, k, blocks;
  std::string type;
  int operandRegs, resultRegs;
  std::string arch;
};
const Shape kShapes[] = {
#include "mfma.inc"
};

/// Where element k of row (or column) i of a block lies.
struct Place {
  int lane, item;
};
int itemsPerLane(const Shape &s) { return s.k / (64 / (s.m * s.blocks)); }
Place operandPlace(const Shape &s, int b, int i, int k) {
  if (s.type == "f8f6f4") { // 8-bit formats hold two runs of 16
    int groups = 64 / s.m, run = k / 16;
    return {i + s.m * (run % groups), k % 16 + 16 * (run / groups)};
  }
  if (s.m == 4 && s.type == "f64")
    return {4 * b + 16 * k + i, 0};
  int kl = itemsPerLane(s);
  if (s.blocks == 1)
    return {i + s.m * (k / kl), k % kl};
  return {b * s.m + i, k}; // multi-block shapes: one lane group a block
}
Place resultPlace(const Shape &s, int b, int i, int j) {
  if (s.type == "f64")
    return s.m == 4 ? Place{16 * i + 4 * b + j, 0} : Place{16 * (i % 4) + j, i / 4};
  if (s.m == 4)
    return {4 * b + j, i};
  if (s.m == 16)
    return {16 * (i / 4) + j, 4 * b + i % 4};
  return {j + 32 * (i / 4 % 2), 16 * b + 4 * (i / 8) + i % 4};
}

int bitsOf(const Shape &s) {
  return s.type == "f64" ? 64 : s.type == "f32" ? 32 : s.type == "f16" || s.type == "bf16" ? 16 : 8;
}
/// The bit pattern of a small integer in an operand's type. `second`: operand B, whose 8-bit format
/// may differ.
uint64_t encode(const Shape &s, int v, bool second, bool fnuz) {
  if (s.type == "f64") {
    double d = v;
    uint64_t u;
    std::memcpy(&u, &d, 8);
    return u;
  }
  float f = float(v);
  uint32_t u;
  std::memcpy(&u, &f, 4);
  if (s.type == "f32")
    return u;
  if (s.type == "bf16")
    return u >> 16;
  if (s.type == "i8")
    return uint8_t(v);
  if (v == 0)
    return 0;
  int e = int(u >> 23) - 127; // exact for the small integers used here
  if (s.type == "f16")
    return uint64_t(e + 15) << 10 | (u >> 13 & 0x3ff);
  bool bf8 = s.type != "f8f6f4" && s.type.substr(second ? 4 : 0, 3) == "bf8";
  int man = bf8 ? 2 : 3, bias = (bf8 ? 15 : 7) + (fnuz ? 1 : 0);
  return uint64_t(e + bias) << man | (u >> (23 - man) & ((1u << man) - 1));
}
void put(std::vector<uint32_t> &data, size_t group, int regs, Place p, int bits, uint64_t code) {
  uint32_t *lane = &data[(group * 64 + size_t(p.lane)) * size_t(regs)];
  int bit = p.item * bits;
  lane[bit / 32] |= uint32_t(code) << (bit % 32);
  if (bits == 64)
    lane[bit / 32 + 1] |= uint32_t(code >> 32);
}
double resultOf(const Shape &s, const std::vector<uint32_t> &data, size_t group, Place p) {
  const uint32_t *lane = &data[(group * 64 + size_t(p.lane)) * size_t(s.resultRegs)];
  if (s.type == "f64") {
    double d;
    std::memcpy(&d, lane + 2 * p.item, 8);
    return d;
  }
  if (s.type == "i8")
    return int32_t(lane[p.item]);
  float f;
  std::memcpy(&f, lane + p.item, 4);
  return f;
}
/// Small integers that every format holds exactly and that tell neighbours apart.
int value(int b, int k, int j) { return (b * 5 + k * 3 + j * 7 + (j / 8) + (k / 4)) % 8 + 1; }

void oneHot(Sim &sim, const Shape &s, bool fnuz, bool hotB) {
  // Group g puts a single 1 at (i, k) of A (of all blocks), and B is dense; or the other way round.
  size_t groups = size_t(s.m) * size_t(s.k);
  std::vector<uint32_t> a(groups * 64 * size_t(s.operandRegs)), b(a.size()),
      d(groups * 64 * size_t(s.resultRegs), 0xffffffffu);
  int bits = bitsOf(s);
  for (int i = 0; i < s.m; ++i)
    for (int k = 0; k < s.k; ++k) {
      size_t g = size_t(i * s.k + k);
      for (int block = 0; block < s.blocks; ++block) {
        put(hotB ? b : a, g, s.operandRegs, operandPlace(s, block, i, k), bits,
            encode(s, 1, hotB, fnuz));
        for (int kk = 0; kk < s.k; ++kk)
          for (int j = 0; j < s.m; ++j)
            put(hotB ? a : b, g, s.operandRegs, operandPlace(s, block, j, kk), bits,
                encode(s, value(block, kk, j), !hotB, fnuz));
      }
    }
  uint32_t *da = sim.upload(a), *db = sim.upload(b), *dd = sim.upload(d);
  Arguments args;
  args.add(da).add(db).add(dd);
  ASSERT_EQ(sim.launch(s.name, {uint32_t(groups), 1, 1}, {64, 1, 1}, args), TGS_OK) << sim.error();
  std::memcpy(d.data(), dd, d.size() * 4);
  for (size_t g = 0; g < groups; ++g) {
    int hot = int(g) / s.k, k = int(g) % s.k;
    for (int block = 0; block < s.blocks; ++block)
      for (int i = 0; i < s.m; ++i)
        for (int j = 0; j < s.m; ++j) {
          double expected =
              hotB ? (j == hot ? value(block, k, i) : 0) : (i == hot ? value(block, k, j) : 0);
          ASSERT_EQ(resultOf(s, d, g, resultPlace(s, block, i, j)), expected)
              << s.name << " block " << block << " D[" << i << "," << j << "] k " << k << " hot "
              << hot;
        }
  }
  for (void *p : {static_cast<void *>(da), static_cast<void *>(db), static_cast<void *>(dd)})
    tgs_free(sim.device, p);
}

class Mfma : public ::testing::TestWithParam<const char *> {};

TEST_P(Mfma, OneHotLayouts) {
  std::string target = GetParam();
  Sim sim(target, "mfma-" + target + ".co", TGS_SANITIZE_NONE);
  int tried = 0;
  for (const Shape &s : kShapes) {
    if (s.arch != "all" && s.arch != target)
      continue;
    oneHot(sim, s, target == "gfx942", false);
    oneHot(sim, s, target == "gfx942", true);
    if (HasFatalFailure())
      return;
    ++tried;
  }
  EXPECT_EQ(tried, target == "gfx942" ? 32 : 38);
}
INSTANTIATE_TEST_SUITE_P(Targets, Mfma, ::testing::Values("gfx942", "gfx950"));
} // namespace
