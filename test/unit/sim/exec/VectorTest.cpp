// Vector arithmetic against plain C++ of the documented formulas.
#include "InstructionHarness.h"
#include <cmath>

namespace {
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using Lane = const u32 *;

u64 wide(Lane v) { return v[0] | u64(v[1]) << 32; }
void putWide(u32 *out, u64 v) { out[0] = u32(v), out[1] = u32(v >> 32); }
double asDouble(u64 v) {
  double d;
  std::memcpy(&d, &v, 8);
  return d;
}
u64 bitsOf(double d) {
  u64 v;
  std::memcpy(&v, &d, 8);
  return v;
}
u32 byteOf(u32 v, unsigned i) { return v >> (8 * i) & 0xff; }
i32 field(u32 v, unsigned i, unsigned bits) {
  return i32(v << (32 - bits * (i + 1))) >> (32 - bits);
}
u32 ufield(u32 v, unsigned i, unsigned bits) { return v >> (bits * i) & ((1u << bits) - 1); }
i64 clampTo(i64 v, i64 lo, i64 hi) { return v < lo ? lo : v > hi ? hi : v; }
u32 u32Sat(i64 v) { return u32(clampTo(v, 0, 0xffffffffll)); }
u32 i32Sat(i64 v) { return u32(clampTo(v, INT32_MIN, INT32_MAX)); }
u32 u16Sat(i64 v) { return u32(clampTo(v, 0, 0xffff)); }
u32 i16Sat(i64 v) { return u32(clampTo(v, -32768, 32767)) & 0xffff; }
u32 sad(u32 a, u32 b, bool masked) {
  u32 sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (!masked || byteOf(b, i))
      sum += u32(std::abs(int(byteOf(a, i)) - int(byteOf(b, i))));
  return sum;
}

// --- f16 by exact arithmetic: every f16 is m·2^-24
double halfValue(u32 h) {
  u32 exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  double v = exponent == 31 ? (mantissa ? NAN : INFINITY)
             : exponent     ? std::ldexp(double(mantissa | 0x400), int(exponent) - 25)
                            : std::ldexp(double(mantissa), -24);
  return h & 0x8000 ? -v : v;
}
/// v as f16 in a rounding mode (0 nearest, 1 up, 2 down, 3 to zero), from a value that long double
/// holds.
u32 halfRounded(long double v, unsigned round) {
  u32 sign = std::signbit(v) ? 0x8000 : 0;
  long double mag = std::fabs(v);
  if (mag != mag)
    return 0x7e00 | sign;
  if (mag == INFINITY)
    return sign | 0x7c00;
  bool away = round == 1 ? !sign : round == 2 ? sign != 0 : false;
  // Codes order magnitudes: search the largest that is not above.
  u32 lo = 0, hi = 0x7c00;
  while (hi - lo > 1)
    ((long double)(halfValue((lo + hi) / 2)) <= mag ? lo : hi) = (lo + hi) / 2;
  long double low = halfValue(lo),
              high = lo == 0x7bff ? 65536.0L : (long double)(halfValue(lo + 1));
  if (mag == low)
    return sign | lo;
  long double middle = (low + high) / 2;
  bool up = round == 0 ? mag > middle || (mag == middle && (lo & 1)) : away;
  return sign | (lo + up);
}
bool isNanHalf(u32 h) { return (h & 0x7fff) > 0x7c00; }
const std::vector<u32> kHalfEdges = {0x3c003c00, 0x00010001, 0x03ff83ff, 0x04000400, 0x7bff7bff,
                                     0xfbff0001, 0x80000000, 0x3555b555, 0x7c00fc00, 0x7e007d01,
                                     0x68003c01, 0x14000001, 0x00018001, 0x38003800};

TEST_P(Instructions, BytesAndAbsoluteDifferences) {
  compare("v_lerp_u8", kIntegerEdges, [](Lane in, u32 *out) {
    out[0] = 0;
    for (unsigned i = 0; i < 4; ++i)
      out[0] |= (byteOf(in[0], i) + byteOf(in[1], i) + (in[2] >> (8 * i) & 1)) / 2 << (8 * i);
  });
  compare("v_sad_u8", kIntegerEdges,
          [](Lane in, u32 *out) { out[0] = sad(in[0], in[1], false) + in[2]; });
  compare("v_sad_hi_u8", kIntegerEdges,
          [](Lane in, u32 *out) { out[0] = (sad(in[0], in[1], false) << 16) + in[2]; });
  compare("v_msad_u8", kIntegerEdges,
          [](Lane in, u32 *out) { out[0] = sad(in[0], in[1], true) + in[2]; });
  compare("v_sad_u16", kIntegerEdges, [](Lane in, u32 *out) {
    out[0] = in[2] + u32(std::abs(int(in[0] & 0xffff) - int(in[1] & 0xffff)) +
                         std::abs(int(in[0] >> 16) - int(in[1] >> 16)));
  });
  compare("v_sad_u32", kIntegerEdges,
          [](Lane in, u32 *out) { out[0] = u32(std::llabs(i64(in[0]) - i64(in[1]))) + in[2]; });
  for (bool saturate : {false, true})
    compare(saturate ? "v_qsad_pk_u16_u8_clamp" : "v_qsad_pk_u16_u8", kIntegerEdges,
            [=](Lane in, u32 *out) {
              u64 r = 0;
              for (unsigned i = 0; i < 4; ++i) {
                u32 sum = sad(u32(wide(in) >> (8 * i)), in[2], false) +
                          u32(wide(in + 4) >> (16 * i) & 0xffff);
                r |= u64(saturate ? u16Sat(sum) : sum & 0xffff) << (16 * i);
              }
              putWide(out, r);
            });
  compare("v_mqsad_pk_u16_u8", kIntegerEdges, [](Lane in, u32 *out) {
    u64 r = 0;
    for (unsigned i = 0; i < 4; ++i)
      r |= u64((sad(u32(wide(in) >> (8 * i)), in[2], true) + (wide(in + 4) >> (16 * i))) & 0xffff)
           << (16 * i);
    putWide(out, r);
  });
  compare("v_mqsad_u32_u8", kIntegerEdges, [](Lane in, u32 *out) {
    for (unsigned i = 0; i < 4; ++i)
      out[i] = sad(u32(wide(in) >> (8 * i)), in[2], true) + in[4 + i];
  });
  compare("v_sat_pk_u8_i16", kIntegerEdges, [](Lane in, u32 *out) {
    out[0] = u32(clampTo(field(in[0], 0, 16), 0, 255) | clampTo(field(in[0], 1, 16), 0, 255) << 8);
  });
  expectClean();
}

TEST_P(Instructions, CubeMaps) {
  auto face = [](Lane in, float &x, float &y, float &z) {
    x = asFloat(in[0]), y = asFloat(in[1]), z = asFloat(in[2]);
    return std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y) ? 2
           : std::fabs(y) >= std::fabs(x)                               ? 1
                                                                        : 0;
  };
  std::vector<u32> numbers = {0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0, 0x3dcccccd};
  struct {
    const char *name;
    float (*value)(int face, float x, float y, float z);
  } const cases[] = {{"v_cubeid_f32",
                      [](int f, float x, float y, float z) {
                        return float(2 * f + ((f == 2 ? z : f == 1 ? y : x) < 0 ? 1 : 0));
                      }},
                     {"v_cubesc_f32",
                      [](int f, float x, float, float z) {
                        return f == 2 ? (z < 0 ? -x : x) : f == 1 ? x : x < 0 ? z : -z;
                      }},
                     {"v_cubetc_f32", [](int f, float, float y,
                                         float z) { return f == 1 ? (y < 0 ? -z : z) : -y; }},
                     {"v_cubema_f32", [](int f, float x, float y, float z) {
                        return 2 * (f == 2 ? z : f == 1 ? y : x);
                      }}};
  for (const auto &c : cases)
    for (unsigned launch = 0; launch < 4; ++launch) {
      Inputs in;
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned r = 0; r < 3; ++r)
          in.lanes[l][r] = numbers[(l * 7 + r * 5 + launch * 11 + l / 6 * r) % numbers.size()];
      Outputs o = run(c.name, in);
      for (unsigned l = 0; l < 64; ++l) {
        float x, y, z;
        int f = face(in.lanes[l].data(), x, y, z);
        EXPECT_EQ(asFloat(o.lanes[l][0]), c.value(f, x, y, z)) << c.name << " " << x << y << z;
      }
    }
  expectClean();
}

TEST_P(Instructions, NormalizedConversions) {
  auto norm = [](double v, double range, bool isSigned) {
    if (v != v)
      return 0u;
    double c = v > 1 ? 1 : v < (isSigned ? -1 : 0) ? (isSigned ? -1 : 0) : v;
    return u32(i32(std::nearbyint(c * range))) & 0xffff;
  };
  for (bool isSigned : {false, true}) {
    double range = isSigned ? 32767 : 65535;
    std::string t = isSigned ? "i16" : "u16";
    std::vector<u32> edges = kFloatEdges;
    for (u32 i = 0; i < 20; ++i)
      edges.push_back(asBits(float((i * 3001 + 0.5) / range)));
    compare("v_cvt_pknorm_" + t + "_f32", edges, [=](Lane in, u32 *out) {
      out[0] = norm(asFloat(in[0]), range, isSigned) | norm(asFloat(in[1]), range, isSigned) << 16;
    });
    compare("v_cvt_pknorm_" + t + "_f16", kHalfEdges, [=](Lane in, u32 *out) {
      out[0] = norm(halfValue(in[0]), range, isSigned) | norm(halfValue(in[1]), range, isSigned)
                                                             << 16;
    });
    compare("v_cvt_norm_" + t + "_f16", kHalfEdges,
            [=](Lane in, u32 *out) { out[0] = norm(halfValue(in[0]), range, isSigned); });
  }
  compare("v_cvt_pkaccum_u8_f32", {0x3f000000, 0x437f0000, 0x43800000, 0xbf800000, 0x40200000},
          [](Lane in, u32 *out) {
            float v = asFloat(in[0]);
            u32 b = v != v || v < 0 ? 0 : v > 255 ? 255 : u32(std::nearbyint(v)), s = in[1] % 4 * 8;
            out[0] = (out[0] & ~(0xffu << s)) | b << s;
          });
  expectClean();
}

TEST_P(Instructions, IntegerDotProducts) {
  auto dot = [](Lane in, unsigned n, bool isSigned) {
    i64 sum = 0;
    for (unsigned i = 0; i < n; ++i)
      sum += isSigned ? i64(field(in[0], i, 32 / n)) * field(in[1], i, 32 / n)
                      : i64(ufield(in[0], i, 32 / n)) * ufield(in[1], i, 32 / n);
    return sum;
  };
  compare("v_dot8_i32_i4", kIntegerEdges,
          [=](Lane in, u32 *out) { out[0] = u32(dot(in, 8, true)) + in[2]; });
  compare("v_dot8_u32_u4", kIntegerEdges,
          [=](Lane in, u32 *out) { out[0] = u32(dot(in, 8, false)) + in[2]; });
  compare("v_dot8c_i32_i4", kIntegerEdges,
          [=](Lane in, u32 *out) { out[0] += u32(dot(in, 8, true)); });
  struct {
    const char *name;
    unsigned n;
    bool isSigned;
  } const cases[] = {{"v_dot2_i32_i16", 2, true}, {"v_dot2_u32_u16", 2, false},
                     {"v_dot4_i32_i8", 4, true},  {"v_dot4_u32_u8", 4, false},
                     {"v_dot8_i32_i4", 8, true},  {"v_dot8_u32_u4", 8, false}};
  for (const auto &c : cases)
    compare(std::string(c.name) + "_clamp", kIntegerEdges, [=](Lane in, u32 *out) {
      i64 sum = dot(in, c.n, c.isSigned);
      out[0] = c.isSigned ? i32Sat(sum + i32(in[2])) : u32Sat(sum + in[2]);
    });
  expectClean();
}

TEST_P(Instructions, ClampSaturatesIntegers) {
  auto two = [&](const char *name, u32 (*f)(Lane)) {
    compare(std::string(name) + "_clamp", kIntegerEdges,
            [=](Lane in, u32 *out) { out[0] = f(in); });
  };
  two("v_add_u32", [](Lane in) { return u32Sat(i64(in[0]) + in[1]); });
  two("v_sub_u32", [](Lane in) { return u32Sat(i64(in[0]) - in[1]); });
  two("v_subrev_u32", [](Lane in) { return u32Sat(i64(in[1]) - in[0]); });
  two("v_add_i32", [](Lane in) { return i32Sat(i64(i32(in[0])) + i32(in[1])); });
  two("v_sub_i32", [](Lane in) { return i32Sat(i64(i32(in[0])) - i32(in[1])); });
  two("v_add_u16", [](Lane in) { return u16Sat(i64(in[0] & 0xffff) + (in[1] & 0xffff)); });
  two("v_sub_u16", [](Lane in) { return u16Sat(i64(in[0] & 0xffff) - (in[1] & 0xffff)); });
  two("v_mad_u32_u24",
      [](Lane in) { return u32Sat(i64(in[0] & 0xffffff) * (in[1] & 0xffffff) + in[2]); });
  two("v_mad_i32_i24", [](Lane in) {
    return i32Sat(i64(i32(in[0] << 8) >> 8) * (i32(in[1] << 8) >> 8) + i32(in[2]));
  });
  two("v_mad_u32_u16",
      [](Lane in) { return u32Sat(i64(in[0] & 0xffff) * (in[1] & 0xffff) + in[2]); });
  two("v_mad_i32_i16",
      [](Lane in) { return i32Sat(i64(int16_t(in[0])) * int16_t(in[1]) + i32(in[2])); });
  two("v_sad_u8", [](Lane in) { return u32Sat(i64(sad(in[0], in[1], false)) + in[2]); });
  two("v_msad_u8", [](Lane in) { return u32Sat(i64(sad(in[0], in[1], true)) + in[2]); });
  two("v_sad_u32",
      [](Lane in) { return u32Sat(std::llabs(i64(in[0]) - i64(in[1])) + i64(in[2])); });
  // The high half of the destination stays.
  auto keeping = [&](const char *name, u32 (*f)(Lane)) {
    compare(std::string(name) + "_clamp", kIntegerEdges,
            [=](Lane in, u32 *out) { out[0] = (out[0] & 0xffff0000) | f(in); });
  };
  keeping("v_add_i16", [](Lane in) { return i16Sat(int16_t(in[0]) + int16_t(in[1])); });
  keeping("v_sub_i16", [](Lane in) { return i16Sat(int16_t(in[0]) - int16_t(in[1])); });
  keeping("v_mad_u16", [](Lane in) {
    return u16Sat(i64(in[0] & 0xffff) * (in[1] & 0xffff) + (in[2] & 0xffff));
  });
  keeping("v_mad_i16",
          [](Lane in) { return i16Sat(i64(int16_t(in[0])) * int16_t(in[1]) + int16_t(in[2])); });
  keeping("v_max3_i16", [](Lane in) {
    return u32(std::max({int16_t(in[0]), int16_t(in[1]), int16_t(in[2])})) & 0xffff;
  });
  auto halves = [&](const char *name, u32 (*f)(u32, u32, u32)) {
    compare(std::string(name) + "_clamp", kIntegerEdges, [=](Lane in, u32 *out) {
      out[0] = f(in[0] & 0xffff, in[1] & 0xffff, in[2] & 0xffff) |
               f(in[0] >> 16, in[1] >> 16, in[2] >> 16) << 16;
    });
  };
  halves("v_pk_add_u16", [](u32 a, u32 b, u32) { return u16Sat(i64(a) + b); });
  halves("v_pk_sub_u16", [](u32 a, u32 b, u32) { return u16Sat(i64(a) - b); });
  halves("v_pk_add_i16", [](u32 a, u32 b, u32) { return i16Sat(int16_t(a) + int16_t(b)); });
  halves("v_pk_sub_i16", [](u32 a, u32 b, u32) { return i16Sat(int16_t(a) - int16_t(b)); });
  halves("v_pk_mul_lo_u16", [](u32 a, u32 b, u32) { return u16Sat(i64(a) * b); });
  halves("v_pk_max_i16",
         [](u32 a, u32 b, u32) { return u32(std::max(int16_t(a), int16_t(b))) & 0xffff; });
  halves("v_pk_lshlrev_b16", [](u32 a, u32 b, u32) { return b << (a & 15) & 0xffff; });
  halves("v_pk_mad_u16", [](u32 a, u32 b, u32 c) { return u16Sat(i64(a) * b + c); });
  halves("v_pk_mad_i16",
         [](u32 a, u32 b, u32 c) { return i16Sat(i64(int16_t(a)) * int16_t(b) + int16_t(c)); });
  compare("v_mad_u64_u32_clamp", kIntegerEdges, [](Lane in, u32 *out) {
    unsigned __int128 v = (unsigned __int128)(in[0]) * in[1] + wide(in + 4);
    putWide(out, v > ~u64(0) ? ~u64(0) : u64(v));
  });
  compare("v_mad_i64_i32_clamp", kIntegerEdges, [](Lane in, u32 *out) {
    __int128 v = (__int128)(i32(in[0])) * i32(in[1]) + i64(wide(in + 4));
    putWide(out, u64(v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : i64(v)));
  });
  compare("carry_clamp", kIntegerEdges, [](Lane in, u32 *out) {
    i64 sum = i64(in[0]) + in[1], difference = i64(in[0]) - in[1];
    out[0] = u32Sat(sum);
    out[1] = u32Sat(sum + (sum >> 32));
    out[2] = u32Sat(difference);
    out[3] = u32Sat(i64(in[1]) - in[0] - (difference < 0 ? 1 : 0));
  });
  expectClean();
}

TEST_P(Instructions, SixteenBitMultiplyAdd) {
  compare("v_mad_legacy_u16", kIntegerEdges,
          [](Lane in, u32 *out) { out[0] = (in[0] * in[1] + in[2]) & 0xffff; });
  compare("v_mad_legacy_i16", kIntegerEdges,
          [](Lane in, u32 *out) { out[0] = (in[0] * in[1] + in[2]) & 0xffff; });
  auto nanOr = [](u32 h, u32 got) { return isNanHalf(h) ? got : h; };
  // Fused and not fused, with and without the other half, in all rounding modes.
  for (u32 round = 0; round < 4; ++round)
    for (const char *name : {"v_fma_f16", "v_fma_legacy_f16", "v_mad_f16", "v_mad_legacy_f16"})
      for (unsigned launch = 0; launch < 3; ++launch) {
        std::mt19937 random(launch * 4 + round);
        Inputs in;
        in.mode = kDefaultMode | round << 2;
        for (auto &lane : in.lanes)
          for (u32 &v : lane)
            v = random() % 2 ? kHalfEdges[random() % kHalfEdges.size()] : random();
        Outputs o = run(name, in);
        bool fused = std::string(name).find("fma") != std::string::npos;
        bool keeps = std::string(name).find("legacy") == std::string::npos;
        for (unsigned l = 0; l < 64; ++l) {
          Lane v = in.lanes[l].data();
          long double a = halfValue(v[0]), b = halfValue(v[1]), c = halfValue(v[2]), p = a * b;
          if (!fused) // the product is rounded too
            p = halfValue(halfRounded(p, round));
          long double sum = p + c;
          u32 want = halfRounded(sum, round);
          if (sum == 0 && (p != 0 || c != 0)) // exact cancellation: −0 only when rounding down
            want = round == 2 ? 0x8000 : 0;
          if (p == 0 && c == 0 && std::signbit(p) != std::signbit(c))
            want = round == 2 ? 0x8000 : 0;
          u32 got = o.lanes[l][0] & 0xffff;
          EXPECT_EQ(got, nanOr(want, got))
              << name << " " << round << std::hex << " " << v[0] << " " << v[1] << " " << v[2];
          EXPECT_EQ(isNanHalf(got), isNanHalf(want));
          EXPECT_EQ(o.lanes[l][0] >> 16, keeps ? v[8] >> 16 : 0u);
        }
      }
  Inputs in;
  for (unsigned l = 0; l < 64; ++l)
    in.lanes[l] = {0x3c00 + l, 0x4000, 0, 0, 0, 0, 0, 0, 0xabcd5555, 0x12345555};
  Outputs o = run("madmk", in);
  for (unsigned l = 0; l < 64; ++l) {
    double a = halfValue(0x3c00 + l), k = halfValue(0x4248);
    // The other half of the destination stays.
    EXPECT_EQ(o.lanes[l][0], 0xabcd0000 | halfRounded(halfValue(halfRounded(a * k, 0)) + 2.0, 0));
    EXPECT_EQ(o.lanes[l][1], 0x12340000 | halfRounded(a * 2.0 + k, 0));
  }
  expectClean();
}

TEST_P(Instructions, HalvesFollowTheirModeFields) {
  // kernel, MODE bits, two sources, low result
  struct {
    const char *kernel;
    u32 mode, a, b, result;
  } const cases[] = {
      {"v_add_f16", 0x3f0, 0x3c00, 0x1001, 0x3c01},     // just above half an ulp
      {"v_add_f16", 0x3f8, 0x3c00, 0x1001, 0x3c00},     // down
      {"v_add_f16", 0x3f4, 0x3c00, 0x0c00, 0x3c01},     // up
      {"v_add_f16", 0x3f0, 0x0200, 0x0100, 0x0300},     // denormals kept
      {"v_add_f16", 0x3b0, 0x0200, 0x0100, 0x0300 & 0}, // sources flushed
      {"v_mul_f16", 0x370, 0x0400, 0x3800, 0x0000},     // result flushed
      {"v_mul_f16", 0x370, 0x8400, 0x3800, 0x8000},
      {"v_mul_f16", 0x3f0, 0x7bff, 0x4000, 0x7c00},
      {"v_mul_f16", 0x8003f0, 0x7bff, 0x4000, 0x7bff}, // FP16_OVFL
      {"v_mul_f16", 0x8003f0, 0x7c00, 0x4000, 0x7c00}, // true infinities stay
      {"v_mul_f16", 0x3fc, 0x7bff, 0x4000, 0x7bff},    // toward zero
      {"v_cvt_f16_f32", 0x3f4, 0x3f800001, 0, 0x3c01},
      {"v_cvt_f16_f32", 0x330, 0x33800000, 0, 0x0000}, // 2^-24 flushed
      {"v_cvt_f16_f32", 0x8003f0, 0x47800000, 0, 0x7bff},
      {"v_pk_add_f16", 0x3f0, 0x3c003c00, 0x10011001, 0x3c013c01},
      {"v_pk_add_f16", 0x3f8, 0x3c003c00, 0x10011001, 0x3c003c00},
      {"v_pk_add_f16", 0x330, 0x02003c00, 0x01003c00, 0x00004000},
      {"v_pk_mul_f16", 0x8003f0, 0x7bff3c00, 0x40004000, 0x7bff4000},
      {"v_pk_max_f16", 0x330, 0x02008200, 0x00008000, 0x00008000},
      {"v_max_f16", 0x330, 0x0200, 0x8000, 0x0000},
      {"v_cvt_f32_f16", 0x330, 0x0200, 0, 0x00000000},
      {"v_cvt_f32_f16", 0x3f0, 0x0200, 0, 0x38000000},
  };
  for (const auto &c : cases) {
    Inputs in;
    in.mode = c.mode;
    for (auto &lane : in.lanes)
      lane[0] = c.a, lane[1] = c.b;
    EXPECT_EQ(run(c.kernel, in).lanes[33][0], c.result)
        << c.kernel << " " << std::hex << c.mode << " " << c.a << " " << c.b;
  }
  expectClean();
}

TEST_P(Instructions, ExtremesChooseNansZerosAndDenormalsByMode) {
  constexpr u32 kSignaling = 0x7f800001, kQuiet = 0x7fc00000, kDenormal = 0x00000007;
  constexpr u32 kIeee = 0x3f0, kNoIeee = 0x0f0, kFlush = 0x0c0;
  struct {
    const char *kernel;
    u32 mode, a, b, result;
  } const cases[] = {
      {"v_max_f32", kIeee, kSignaling, 0x3f800000, 0x7fc00001},
      {"v_max_f32", kIeee, 0x3f800000, kSignaling, 0x7fc00001},
      {"v_max_f32", kNoIeee, kSignaling, 0x3f800000, 0x3f800000},
      {"v_max_f32", kIeee, kQuiet, 0x3f800000, 0x3f800000},
      {"v_min_f32", kIeee, 0x3f800000, kQuiet, 0x3f800000},
      {"v_max_f32", kIeee, 0x80000000, 0, 0},
      {"v_min_f32", kIeee, 0x80000000, 0, 0x80000000},
      {"v_min_f32", kIeee, 0, 0x80000000, 0x80000000},
      {"v_max_f32", kIeee, kDenormal, 0x80000000, kDenormal},
      {"v_max_f32", kFlush, kDenormal, 0xbf800000, 0},
      {"v_min_f32", kFlush, 0x80000000 | kDenormal, 0x3f800000, 0x80000000},
      {"v_max_f16", kIeee, 0x7c01, 0x3c00, 0x7e01},
      {"v_max_f16", kNoIeee, 0x7c01, 0x3c00, 0x3c00},
      {"v_min_f16", kIeee, 0x8000, 0x0000, 0x8000},
      {"v_pk_max_f16", kIeee, 0x7c013c00, 0x3c007c01, 0x7e017e01},
      {"v_pk_max_f16", kNoIeee, 0x7c013c00, 0x3c007c01, 0x3c003c00},
      {"v_frexp_mant_f32", kFlush, kDenormal, 0, 0},
      {"v_frexp_mant_f32", kIeee, kSignaling, 0, 0x7fc00001},
  };
  for (const auto &c : cases) {
    Inputs in;
    in.mode = c.mode;
    for (auto &lane : in.lanes)
      lane[0] = c.a, lane[1] = c.b;
    EXPECT_EQ(run(c.kernel, in).lanes[12][0], c.result)
        << c.kernel << " " << std::hex << c.mode << " " << c.a << " " << c.b;
  }
  auto sorted = [](Lane in, int which) {
    float v[3] = {asFloat(in[0]), asFloat(in[1]), asFloat(in[2])};
    std::sort(v, v + 3);
    return asBits(v[which]);
  };
  std::vector<u32> finite = {0x3f800000, 0xbf800000, 0x40000000, 0x7f800000,
                             0xff800000, 1,          0x80000002};
  struct {
    const char *kernel;
    int which;
  } const orders[] = {{"v_min3_f32", 0}, {"v_med3_f32", 1}, {"v_max3_f32", 2}};
  for (const auto &c : orders)
    for (unsigned launch = 0; launch < 3; ++launch) {
      Inputs in;
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned r = 0; r < 3; ++r)
          in.lanes[l][r] = finite[(l + r * (l / 8 + 1) + launch) % finite.size()];
      Outputs o = run(c.kernel, in);
      for (unsigned l = 0; l < 64; ++l)
        EXPECT_EQ(o.lanes[l][0], sorted(in.lanes[l].data(), c.which)) << c.kernel;
    }
  // f64 under flushed f32
  Inputs in;
  in.mode = kFlush;
  for (auto &lane : in.lanes) {
    lane[0] = 5, lane[1] = 0; // a denormal double
    lane[2] = 4, lane[3] = 0;
  }
  EXPECT_EQ(run("v_max_f64", in).lanes[1][0], 5u);
  EXPECT_EQ(run("v_min_f64", in).lanes[1][0], 4u);
  expectClean();
}

TEST_P(Instructions, ComparesFlushTheirOwnType) {
  auto results = [&](u32 mode) {
    Inputs in;
    in.mode = mode;
    for (auto &lane : in.lanes) {
      lane[2] = 5; // f64: 0 < denormal
      lane[4] = 5; // f16: denormal > 0
      lane[6] = 5; // f32
    }
    Outputs o = run("compare_denormals", in);
    return std::vector<u32>{o.lanes[0][0], o.lanes[0][1], o.lanes[0][2]};
  };
  EXPECT_EQ(results(0x3f0), (std::vector<u32>{1, 1, 1}));
  EXPECT_EQ(results(0x3c0), (std::vector<u32>{1, 1, 0}));
  EXPECT_EQ(results(0x330), (std::vector<u32>{0, 0, 1}));
  expectClean();
}

TEST_P(Instructions, OutputModifiersNeedFlushedResultsOfTheirTypeAndNoIeee) {
  Inputs in;
  for (auto &lane : in.lanes) {
    lane[0] = asBits(3.0f), lane[1] = asBits(0.5f);
    lane[2] = 0x4200, lane[3] = 0x3800; // 3, 0.5
    putWide(&lane[4], bitsOf(3.0)), putWide(&lane[6], bitsOf(-1.0));
  }
  auto results = [&](u32 mode) {
    in.mode = mode;
    Outputs o = run("omod", in);
    return std::vector<double>{asFloat(o.lanes[5][0]), halfValue(o.lanes[5][1]),
                               asDouble(wide(&o.lanes[5][2]))};
  };
  EXPECT_EQ(results(0x000), (std::vector<double>{6.0, 0.75, 4.0}));
  EXPECT_EQ(results(0x0c0), (std::vector<double>{6.0, 1.5, 2.0}));
  EXPECT_EQ(results(0x030), (std::vector<double>{1.5, 0.75, 4.0}));
  EXPECT_EQ(results(0x200), (std::vector<double>{1.5, 1.5, 2.0}));
  expectClean();
}

TEST_P(Instructions, DoublePrecisionHelpers) {
  const std::vector<u32> high = {0,          0x80000000, 0x3ff00000, 0x7ff00000, 0xfff80000,
                                 0x000fffff, 0x43600000, 0x7fefffff, 0x00100000, 0xc0590000};
  auto sameOrNan = [](u64 got, double want) {
    double g = asDouble(got);
    return want != want ? g != g : got == bitsOf(want);
  };
  for (unsigned launch = 0; launch < 6; ++launch) {
    std::mt19937 random(launch);
    Inputs in;
    for (auto &lane : in.lanes) {
      lane[0] = random() % 3 ? random() : 0;
      lane[1] = random() % 2 ? high[random() % high.size()] : random();
      lane[2] = random() % 2 ? u32(i32(random() % 2200) - 1100) : random() % 64;
    }
    Outputs ldexp = run("v_ldexp_f64", in), mantissa = run("v_frexp_mant_f64", in);
    for (unsigned l = 0; l < 64; ++l) {
      Lane v = in.lanes[l].data();
      double a = asDouble(wide(v));
      EXPECT_TRUE(sameOrNan(wide(ldexp.lanes[l].data()), std::ldexp(a, i32(v[2]))))
          << a << " " << v[2];
      int e;
      double m = a == 0 || a - a != 0 ? a : std::frexp(a, &e);
      EXPECT_TRUE(sameOrNan(wide(mantissa.lanes[l].data()), m)) << a;
    }
  }
  expectClean();
}

/// The parts of 2/π add up to it: three of them to more digits than a long double has.
TEST_P(Instructions, PartsOfTwoOverPi) {
  Inputs in;
  for (unsigned l = 0; l < 64; ++l) {
    putWide(in.lanes[l].data(), bitsOf(l < 32 ? 1.0 : std::ldexp(1.0, int(l) * 15)));
    in.lanes[l][2] = l % 3;
  }
  Outputs o = run("v_trig_preop_f64", in);
  auto part = [&](unsigned l) { return asDouble(wide(o.lanes[l].data())); };
  EXPECT_EQ(part(0), 0.63661977236758127); // 53 bits, truncated
  long double sum = (long double)(part(0)) + part(1) + part(2);
  EXPECT_LT(std::fabs(double(sum - 2 / 3.14159265358979323846264338327950288L)), 1e-19);
  EXPECT_LT(part(1), std::ldexp(1.0, -53));
  EXPECT_LT(part(2), std::ldexp(1.0, -106));
  // A large argument drops the leading bits, whose multiples of it are whole turns.
  unsigned large =
      63; // 2^945: biased exponent 1968, 891 bits dropped, and the scale is raised by 2^128
  int exponent = 1023 + int(large) * 15, shift = exponent - 1077 + 53 * int(large % 3);
  EXPECT_LT(part(large), std::ldexp(1.0, -shift + 128));
  EXPECT_GT(part(large), 0.0);
  expectClean();
}

TEST_P(Instructions, FloatDotProductsFlush) {
  Inputs in;
  for (auto &lane : in.lanes) {
    lane[0] = 0x3c000001, lane[1] = 0x40007bff; // (denormal, 1) · (65504, 2)
    lane[2] = 0x00000001;                       // a denormal addend
    lane[8] = 0x00000001;
  }
  EXPECT_EQ(run("v_dot2_f32_f16", in).lanes[0][0], asBits(2.0f));
  EXPECT_EQ(run("v_dot2c_f32_f16", in).lanes[0][0], asBits(2.0f));
  expectClean();
}

TEST_P(Instructions, DivisionFixupOfHalves) {
  struct {
    u32 q, den, num, result;
  } const cases[] = {{0x3c00, 0x4000, 0x4000, 0x3c00}, {0x3c00, 0xc000, 0x4000, 0xbc00},
                     {0x3c00, 0x0000, 0x4000, 0x7c00}, {0x3c00, 0x8000, 0x4000, 0xfc00},
                     {0x3c00, 0x7c00, 0x4000, 0x0000}, {0x3c00, 0x4000, 0xfc00, 0xfc00},
                     {0x3c00, 0x0000, 0x0000, 0xfe00}, {0x3c00, 0x7c00, 0x7c00, 0xfe00},
                     {0x3c00, 0x4000, 0x7e55, 0x7e55}, {0x3c00, 0x7e55, 0x4000, 0x7e55}};
  for (const auto &c : cases) {
    Inputs in;
    for (auto &lane : in.lanes)
      lane[0] = c.q, lane[1] = c.den, lane[2] = c.num, lane[8] = 0xabcd1234;
    EXPECT_EQ(run("v_div_fixup_f16", in).lanes[2][0], 0xabcd0000 | c.result) << std::hex << c.den;
    EXPECT_EQ(run("v_div_fixup_legacy_f16", in).lanes[2][0], c.result);
  }
  expectClean();
}

TEST_P(Instructions, OfGfx950Only) {
  if (std::string(GetParam()) != "gfx950")
    return;
  compare("ashr_pk", kIntegerEdges, [](Lane in, u32 *out) {
    auto shifted = [&](unsigned i) { return i64(i32(in[i]) >> (in[2] & 31)); };
    auto pack = [&](i64 lo, i64 hi) {
      return (u32(clampTo(shifted(0), lo, hi)) & 0xff) | (u32(clampTo(shifted(1), lo, hi)) & 0xff)
                                                             << 8;
    };
    out[0] = (out[0] & 0xffff0000) | pack(-128, 127);
    out[1] = (out[1] & 0xffff) | pack(0, 255) << 16;
  });
  Inputs in;
  for (auto &lane : in.lanes)
    lane[0] = asBits(1.0f), lane[1] = 0x7fc00000, lane[2] = asBits(2.0f);
  EXPECT_TRUE(std::isnan(asFloat(run("v_maximum3_f32", in).lanes[0][0])));
  for (auto &lane : in.lanes)
    lane[1] = asBits(-3.0f);
  EXPECT_EQ(run("v_maximum3_f32", in).lanes[0][0], asBits(2.0f));
  EXPECT_EQ(run("v_minimum3_f32", in).lanes[0][0], asBits(-3.0f));
  expectClean();
}
} // namespace
