// Scalar stores and atomics, LDS atomics, and how floats are added in memory.
#include "InstructionHarness.h"
#include <cmath>

namespace {
uint64_t wide(const uint32_t *v) { return v[0] | uint64_t(v[1]) << 32; }
void putWide(uint32_t *out, uint64_t v) { out[0] = uint32_t(v), out[1] = uint32_t(v >> 32); }
double asDouble(uint64_t v) {
  double d;
  std::memcpy(&d, &v, 8);
  return d;
}

TEST_P(Instructions, ScalarStores) {
  Inputs in;
  in.scalars = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
  Outputs o = run("scalar_store", in);
  std::array<uint32_t, 10> want = {0x11, 0, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x33, 0};
  for (unsigned i = 0; i < want.size(); ++i)
    EXPECT_EQ(o.memory[i], want[i]) << i;
  expectClean();
  run("scalar_store_outside", in, TGS_ERROR_FINDINGS);
  expectFinding("out-of-bounds", "a scalar write of 4 bytes");
}

TEST_P(Instructions, ScalarAtomics) {
  Inputs in;
  in.scalars = {5, 0xfffffffe, 3, 4, 0x100, 0x200, 0, 0};
  Outputs o = run("scalar_atomics", in);
  uint32_t old = 5, data = 0xfffffffe;
  const uint32_t want[] = {data, old + data, old - data, data,       old,     old,
                           data, old & data, old | data, old ^ data, old + 1, old - 1};
  for (unsigned i = 0; i < 12; ++i)
    EXPECT_EQ(o.memory[i], want[i]) << i;
  EXPECT_EQ(o.scalars[0], old);
  EXPECT_EQ(o.memory[12], 3u);
  EXPECT_EQ(o.memory[13], 4u);
  EXPECT_EQ(o.scalars[2], 3u); // not returned
  EXPECT_EQ(o.scalars[3], 4u);
  EXPECT_EQ(o.memory[14], 3u); // compared equal with zero
  EXPECT_EQ(o.memory[15], 4u);
  EXPECT_EQ(o.memory[17], 0x100u);
  EXPECT_EQ(o.memory[18], 0u);
  EXPECT_EQ(o.scalars[4], 0u);
  EXPECT_EQ(o.scalars[5], 0u); // out of range: returns 0
  expectClean();
  run("scalar_atomic_misaligned", in, TGS_ERROR_FINDINGS);
  expectFinding("misaligned", "an atomic of 8 bytes");
}

TEST_P(Instructions, LdsAtomicsWithTwoOperands) {
  const std::vector<uint32_t> few = {0, 1, 2, 0x80000000, 0xffffffff};
  compare("ds_mskor_b32", {}, [](const uint32_t *in, uint32_t *out) {
    out[0] = in[0];
    out[6] = (in[0] & ~in[2]) | in[3];
    out[7] = in[1];
  });
  compare("ds_mskor_b64", {}, [](const uint32_t *in, uint32_t *out) {
    putWide(out + 6, (wide(in) & ~wide(in + 2)) | wide(in + 4));
  });
  compare("ds_cmpst_b32", few, [](const uint32_t *in, uint32_t *out) {
    out[0] = in[0];
    out[6] = in[0] == in[2] ? in[3] : in[0];
    out[7] = in[1];
  });
  compare("ds_cmpst_b64", few, [](const uint32_t *in, uint32_t *out) {
    putWide(out + 6, wide(in) == wide(in + 2) ? wide(in + 4) : wide(in));
  });
  compare("ds_cmpst_f32", kFloatEdges, [](const uint32_t *in, uint32_t *out) {
    out[0] = in[0];
    out[6] = asFloat(in[0]) == asFloat(in[2]) ? in[3] : in[0];
    out[7] = in[1];
  });
  compare("ds_cmpst_f64", {0, 0x80000000, 0x3ff00000}, [](const uint32_t *in, uint32_t *out) {
    putWide(out, wide(in));
    putWide(out + 6, asDouble(wide(in)) == asDouble(wide(in + 2)) ? wide(in + 4) : wide(in));
  });
  compare("ds_wrap", {1, 2, 3, 4, 5}, [](const uint32_t *in, uint32_t *out) {
    out[0] = in[0];
    out[6] = in[0] >= in[2] ? in[0] - in[2] : in[0] + in[3];
    out[7] = in[1];
  });
  compare("ds_condxchg", {}, [](const uint32_t *in, uint32_t *out) {
    putWide(out, wide(in));
    for (unsigned half : {0u, 1u})
      out[6 + half] = in[2 + half] >> 31 ? in[2 + half] & 0x7fffffff : in[half];
  });
  expectClean();
}

TEST_P(Instructions, LdsExchangeOfTwo) {
  compare("ds_exchange2", {}, [](const uint32_t *in, uint32_t *out) {
    out[0] = in[1]; // offset0 is the high dword
    out[1] = in[0];
    out[2] = out[3] = 0; // 128 · 8 bytes away
    out[4] = in[3];
    out[5] = in[2];
    out[6] = in[6];
    out[7] = in[7];
  });
  compare("ds_exchange2_far", {}, [](const uint32_t *in, uint32_t *out) {
    out[0] = in[0], out[1] = in[1], out[6] = in[2], out[7] = in[3];
  });
  expectClean();
}

TEST_P(Instructions, LdsCounterCountsActiveLanes) {
  Outputs o = run("ds_counter", {});
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(o.lanes[l][0], 0u);
    EXPECT_EQ(o.lanes[l][1], l < 2 ? 7u : 0u);
    EXPECT_EQ(o.lanes[l][2], 5u);
  }
  expectClean();
}

TEST_P(Instructions, LdsAddressedByLane) {
  compare("ds_addtid", {}, [](const uint32_t *in, uint32_t *out) { out[0] = out[1] = in[0]; });
  expectClean();
}

// f32 in memory flushes denormals whatever MODE says, in LDS by MODE; f64 never; rounding is
// nearest.
TEST_P(Instructions, FloatAtomicsFlushByTypeAndUnit) {
  constexpr uint32_t denormal = 0x00300000;
  Inputs in;
  for (auto &lane : in.lanes)
    lane[0] = denormal, lane[1] = 0, lane[2] = denormal, lane[3] = 0;
  struct {
    const char *kernel;
    uint32_t mode, low;
  } const cases[] = {{"global_add_f32", 0x3f0, 0},
                     {"ds_add_f32", 0x3f0, 2 * denormal},
                     {"ds_add_f32", 0x3c0, 0},
                     {"ds_add_f64", 0x300, 2 * denormal}, // a denormal double
                     {"global_add_f64", 0x300, 2 * denormal},
                     {"ds_max_f32", 0x3f0, denormal}};
  for (const auto &c : cases) {
    in.mode = c.mode;
    EXPECT_EQ(run(c.kernel, in).lanes[9][6], c.low) << c.kernel << " " << std::hex << c.mode;
  }
  for (auto &lane : in.lanes)
    lane[0] = 0x3f800000, lane[2] = 0x33000000; // 1 + 2^-25
  for (uint32_t mode : {0x3f0u, 0x3f1u, 0x3ffu})
    for (const char *kernel : {"global_add_f32", "ds_add_f32"}) {
      in.mode = mode;
      EXPECT_EQ(run(kernel, in).lanes[3][6], 0x3f800000u) << kernel << " " << mode;
    }
  expectClean();
}

TEST_P(Instructions, FloatAtomicExtremes) {
  auto extreme = [](bool max, bool wideType) {
    return [=](const uint32_t *in, uint32_t *out) {
      auto old = wideType ? wide(in) : in[0], data = wideType ? wide(in + 2) : in[2];
      auto value = [&](uint64_t v) {
        return wideType ? asDouble(v) : double(asFloat(uint32_t(v)));
      };
      unsigned quietBit = wideType ? 51 : 22;
      double a = value(old), b = value(data);
      auto signaling = [&](uint64_t v, double d) { return d != d && !(v >> quietBit & 1); };
      uint64_t r;
      if (signaling(old, a) || signaling(data, b))
        r = (signaling(old, a) ? old : data) | uint64_t(1) << quietBit;
      else if (a != a || b != b)
        r = a != a ? data : old;
      else if (a == b)
        r = std::signbit(a) == max ? data : old;
      else
        r = (a < b) == max ? data : old;
      putWide(out, wideType ? old : old | uint64_t(out[1]) << 32);
      putWide(out + 6, wideType ? r : (r & 0xffffffff) | uint64_t(in[1]) << 32);
    };
  };
  compare("ds_min_f32", kFloatEdges, extreme(false, false));
  compare("ds_max_f32", kFloatEdges, extreme(true, false));
  const std::vector<uint32_t> halves = {0,          0x80000000, 0x7ff00000,
                                        0xfff00000, 0x7ff80000, 0x3ff00000};
  compare("ds_min_f64", halves, extreme(false, true));
  compare("ds_max_f64", halves, extreme(true, true));
  compare("global_min_f64", halves, extreme(false, true));
  compare("global_max_f64", halves, extreme(true, true));
  expectClean();
}

TEST_P(Instructions, PackedAtomicsAddHalvesAndFlushByMode) {
  struct {
    const char *kernel;
    uint32_t mode, a, b, sum;
  } const cases[] = {
      {"ds_pk_add_f16", 0x3f0, 0x3c000200, 0x3c000200, 0x40000400},
      {"ds_pk_add_f16", 0x330, 0x3c000200, 0x3c000200, 0x40000000}, // denormal halves flushed
      {"ds_pk_add_f16", 0x3fc, 0x3c003c00, 0x10001000, 0x3c003c00}, // nearest whatever MODE says
      {"ds_pk_add_bf16", 0x3f0, 0x3f800040, 0x3f800040, 0x40000080},
      {"ds_pk_add_bf16", 0x330, 0x3f800040, 0x3f800040, 0x40000000},
  };
  for (const auto &c : cases) {
    Inputs in;
    in.mode = c.mode;
    for (auto &lane : in.lanes)
      lane[0] = c.a, lane[2] = c.b;
    Outputs o = run(c.kernel, in);
    EXPECT_EQ(o.lanes[5][0], c.a);
    EXPECT_EQ(o.lanes[5][6], c.sum) << c.kernel << " " << std::hex << c.mode;
  }
  expectClean();
}
} // namespace
