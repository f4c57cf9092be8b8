// Runs the kernels of instructions.s: registers in, registers out.
#pragma once

#include "SimHarness.h"
#include <array>
#include <functional>
#include <random>

constexpr uint32_t kDefaultMode =
    0x3f0; ///< as clang sets it: denormals kept, nearest, DX10_CLAMP, IEEE

struct Inputs {
  std::array<std::array<uint32_t, 12>, 64> lanes{}; ///< v10–v21
  std::array<uint32_t, 8> scalars{};                ///< s20–s27
  uint64_t exec = ~0ull;
  uint32_t mode = kDefaultMode;
};
struct Outputs {
  std::array<std::array<uint32_t, 8>, 64> lanes; ///< v40–v47; v40–v43 start as v18–v21
  std::array<uint32_t, 8> scalars;               ///< s40–s47
  uint32_t scc;
  std::array<uint32_t, 55> unused;
  std::array<uint32_t, 64> memory; ///< s[12:13] + 0x900, zero before
};

class Instructions : public ::testing::TestWithParam<const char *> {
protected:
  Sim &sim() {
    if (!device_)
      device_ =
          std::make_unique<Sim>(GetParam(), std::string("instructions-") + GetParam() + ".co");
    return *device_;
  }
  Outputs run(const std::string &kernel, const Inputs &in, tgs_status expected = TGS_OK) {
    Sim &s = sim();
    void *lanes = nullptr, *scalars = nullptr, *out = nullptr;
    tgs_malloc(s.device, sizeof in.lanes, &lanes);
    tgs_malloc(s.device, sizeof in.scalars, &scalars);
    tgs_malloc(s.device, sizeof(Outputs), &out);
    std::memcpy(lanes, &in.lanes, sizeof in.lanes);
    std::memcpy(scalars, &in.scalars, sizeof in.scalars);
    Arguments a;
    a.add(lanes).add(scalars).add(out).add(in.exec).add(in.mode);
    EXPECT_EQ(s.launch(kernel, {1, 1, 1}, {64, 1, 1}, a), expected) << kernel << ": " << s.error();
    Outputs result;
    std::memcpy(&result, out, sizeof result);
    for (void *p : {lanes, scalars, out})
      tgs_free(s.device, p);
    return result;
  }
  /// Every lane of v40… against `expect(inputs of the lane, outputs)`, on values that `edges` and
  /// chance give.
  void compare(const std::string &kernel, const std::vector<uint32_t> &edges,
               const std::function<void(const uint32_t *in, uint32_t *out)> &expect,
               uint32_t mode = kDefaultMode, unsigned launches = 4) {
    std::mt19937 random(uint32_t(std::hash<std::string>()(kernel)));
    for (unsigned n = 0; n < launches; ++n) {
      Inputs in;
      in.mode = mode;
      for (auto &lane : in.lanes)
        for (uint32_t &v : lane)
          v = random() % 2 && !edges.empty() ? edges[random() % edges.size()] : random();
      Outputs got = run(kernel, in);
      for (unsigned l = 0; l < 64; ++l) {
        uint32_t want[8] = {in.lanes[l][8], in.lanes[l][9], in.lanes[l][10], in.lanes[l][11]};
        expect(in.lanes[l].data(), want);
        for (unsigned r = 0; r < 8; ++r)
          ASSERT_EQ(got.lanes[l][r], want[r])
              << kernel << " lane " << l << " v" << 40 + r << " of " << std::hex << in.lanes[l][0]
              << " " << in.lanes[l][1] << " " << in.lanes[l][2] << " " << in.lanes[l][3];
      }
    }
  }
  void expectClean() {
    for (const Sim::Found &f : sim().findings())
      ADD_FAILURE() << f.text;
  }
  void expectFinding(const std::string &kind, const std::string &text) {
    auto all = sim().findings();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all[0].kind, kind);
    EXPECT_NE(all[0].text.find(text), std::string::npos) << all[0].text;
  }

private:
  std::unique_ptr<Sim> device_;
};

inline float asFloat(uint32_t v) {
  float f;
  std::memcpy(&f, &v, 4);
  return f;
}
inline uint32_t asBits(float f) {
  uint32_t v;
  std::memcpy(&v, &f, 4);
  return v;
}
inline const std::vector<uint32_t> kFloatEdges = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
    0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x40490fdb, 0x4b800000};
inline const std::vector<uint32_t> kIntegerEdges = {
    0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
