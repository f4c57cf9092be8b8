// Matrix instructions, numerics mode `fma-chain`: acc = C, then one fused multiply-add for each k,
// ascending.
//
// The layouts (ISA "Matrix instructions", layout formulas) make every operand contiguous in lanes:
//   A[b,i,k] is item k % KL of lane i + M·(b + B·(k / KL)), so for fixed k all (b, i) are
//   neighbours, and likewise B; D[b,i,·] for fixed (b, i) is N neighbouring lanes of one register.
// So A and B are widened to a[k][b·M + i] and b[k][b·N + j] without a gather, and the accumulators
// are loaded from the rows of C as they lie.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Mfma.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Lanes-inl.h"
#include "Sim/Exec/MfmaShapes.h"
#include "Sim/Exec/SmallFloat.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
constexpr unsigned kMaxElements = 64 * 32; // 64 lanes of at most 32 items

struct Scratch {
  alignas(64) u32 a[kMaxElements], b[kMaxElements];
};
/// Half-precision and byte items of a group of lanes, widened to f32 (i32 for i8): out[lane] for
/// `lanes` lanes.
HWY_INLINE void widenItem(MfmaType type, const u32 *row, unsigned item, unsigned lanes,
                          u32 *HWY_RESTRICT out, const float *table) {
  switch (type) {
  case MfmaType::Bf16: {
    u32 shift = item & 1 ? 0 : 16;
    TEGULA_LANES
    for (unsigned i = 0; i < lanes; ++i)
      out[i] = row[i] << shift & 0xffff0000u;
    return;
  }
  case MfmaType::F16: {
    u32 shift = item & 1 ? 16 : 0;
    TEGULA_LANES
    for (unsigned i = 0; i < lanes; ++i)
      out[i] = bits<u32>(halfToFloat(row[i] >> shift & 0xffff));
    return;
  }
  case MfmaType::I8: {
    u32 shift = 24 - 8 * (item & 3);
    TEGULA_LANES
    for (unsigned i = 0; i < lanes; ++i)
      out[i] = u32(i32(row[i] << shift) >> 24);
    return;
  }
  case MfmaType::Fp8:
  case MfmaType::Bf8: {
    u32 shift = 8 * (item & 3);
    for (unsigned i = 0; i < lanes; ++i)
      out[i] = bits<u32>(table[row[i] >> shift & 0xff]);
    return;
  }
  case MfmaType::Xf32: // 10 mantissa bits
    for (unsigned i = 0; i < lanes; ++i)
      out[i] = row[i] & ~0x1fffu;
    return;
  default:
    std::memcpy(out, row, lanes * 4);
  }
}
HWY_INLINE unsigned itemsPerRegister(MfmaType t) {
  switch (t) {
  case MfmaType::Bf16:
  case MfmaType::F16:
    return 2;
  case MfmaType::I8:
  case MfmaType::Fp8:
  case MfmaType::Bf8:
    return 4;
  default:
    return 1;
  }
}
HWY_INLINE const float *tableOf(MfmaType t, Arch arch) {
  return t == MfmaType::Fp8   ? decodeTable(fp8Of(arch)).data()
         : t == MfmaType::Bf8 ? decodeTable(bf8Of(arch)).data()
                              : nullptr;
}
/// x[k][0 … rowsOf·B) from the operand's registers.
HWY_INLINE void widen(MfmaType type, const u32 *regs, unsigned k, unsigned side, u32 *out,
                      Arch arch) {
  unsigned groups = 64 / side, kl = k / groups, per = itemsPerRegister(type);
  const float *table = tableOf(type, arch);
  for (unsigned q = 0; q < groups; ++q)
    for (unsigned item = 0; item < kl; ++item)
      widenItem(type, regs + 64 * (item / per) + q * side, item, side, out + (q * kl + item) * side,
                table);
}
void flushDenormals(u32 *v, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    v[i] = (v[i] & 0x7f800000) == 0 ? v[i] & 0x80000000 : v[i];
}

// --- The accumulation
// ----------------------------------------------------------------------------------------------
template <class Tag, class V> HWY_INLINE V mulAdd(Tag tag, V a, V b, V c) {
  using T = hn::TFromD<Tag>;
  if constexpr (std::is_same<T, i32>::value) {
    return hn::Add(hn::Mul(a, b), c);
  } else {
#if HWY_TARGET == HWY_SSE4 // MulAdd would round twice there
    alignas(64) T x[hn::MaxLanes(tag)], y[hn::MaxLanes(tag)], z[hn::MaxLanes(tag)];
    hn::Store(a, tag, x);
    hn::Store(b, tag, y);
    hn::Store(c, tag, z);
    for (unsigned i = 0; i < hn::MaxLanes(tag); ++i)
      z[i] = std::fma(x[i], y[i], z[i]);
    return hn::Load(tag, z);
#else
    return hn::MulAdd(a, b, c);
#endif
  }
}
/// R accumulators (rows i … i + R − 1) for one vector of columns. `at[r]` is where row r lies in D
/// and C.
template <class T, unsigned R, unsigned N>
HWY_INLINE void accumulate(const T *a, const T *b, unsigned k, unsigned aStride, unsigned bStride,
                           T *const *d, const T *const *c) {
  const hn::CappedTag<T, (N < 16 ? N : 16)> tag;
  using V = hn::Vec<decltype(tag)>;
  V acc[R];
  for (unsigned r = 0; r < R; ++r)
    acc[r] = hn::LoadU(tag, c[r]);
  for (; k; --k, a += aStride, b += bStride) {
    asm volatile("" : "+r"(a)); // keeps plain addresses: indexed broadcasts cost a micro-op each
    V bv = hn::LoadU(tag, b);
    for (unsigned r = 0; r < R; ++r)
      acc[r] = mulAdd(tag, hn::Set(tag, a[r]), bv, acc[r]);
  }
  for (unsigned r = 0; r < R; ++r)
    hn::StoreU(acc[r], tag, d[r]);
}
/// Where row (block, i) of D starts, in dwords from the first register.
template <unsigned M, unsigned N> HWY_INLINE unsigned rowOffset(unsigned block, unsigned i) {
  constexpr unsigned h = 4, bi = (64 + N * M / h - 1) / (N * M / h), mi = (64 / bi) / N,
                     g = M / (h * mi);
  unsigned lane = N * ((i / h) % mi + mi * (block % bi)),
           item = i % h + h * (i / (h * mi) + g * (block / bi));
  return item * 64 + lane;
}
/// 32-bit accumulators. cStride 0: C is one constant row.
template <class T, unsigned M, unsigned N, unsigned B>
void multiply(const T *a, const T *b, unsigned k, T *d, const T *c, bool splatC, unsigned cbsz,
              unsigned abid) {
  const hn::CappedTag<T, (N < 16 ? N : 16)> tag;
  constexpr unsigned lanes = hn::MaxLanes(tag);
  constexpr unsigned R = M < 16 ? M : lanes >= 16 ? 16 : lanes >= 8 ? 8 : 4;
  for (unsigned block = 0; block < B; ++block) {
    unsigned aBlock = (block & ~((1u << cbsz) - 1)) + abid;
    for (unsigned i = 0; i < M; i += R)
      for (unsigned j = 0; j < N; j += lanes) {
        T *dRow[R];
        const T *cRow[R];
        for (unsigned r = 0; r < R; ++r) {
          unsigned at = rowOffset<M, N>(block, i + r) + j;
          dRow[r] = d + at;
          cRow[r] = splatC ? c : c + at;
        }
        accumulate<T, R, N>(a + aBlock * M + i, b + block * N + j, k, M * B, N * B, dRow, cRow);
      }
  }
}
/// D must not be written before all of C, A and B were read: A and B are copies; C only matters
/// when D ≠ C overlaps it.
HWY_INLINE const u32 *safeC(const Op &o, Wave &w, unsigned rows, u32 *copy) {
  bool splatC = o.aux & kMfmaConstC;
  if (splatC || o.c == o.d || o.c >= o.d + rows * kRowBytes || o.d >= o.c + rows * kRowBytes)
    return w.row(o.c);
  std::memcpy(copy, w.row(o.c), rows * kRowBytes);
  return copy;
}
/// B lanes as blgp 1–7 say.
void permuteB(const u32 *in, unsigned rows, unsigned blgp, u32 *out) {
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned l = 0; l < 64; ++l) {
      unsigned from = blgp == 1   ? l % 32
                      : blgp == 2 ? l % 32 + 32
                      : blgp == 3 ? (l + 16) % 64
                                  : l % 16 + 16 * (blgp - 4);
      out[r * 64 + l] = in[r * 64 + from];
    }
}

template <class T, unsigned M, unsigned N, unsigned B> const Op *dense(Wave &w, const Op &o) {
  const MfmaShape &s = kMfmaShapes[o.x];
  Scratch t;
  unsigned cbsz = o.aux & 7, abid = o.aux >> 3 & 15, blgp = o.aux >> 7 & 7;
  alignas(64) u32 cCopy[32 * 64], bCopy[4 * 64];
  const u32 *breg = w.row(o.b);
  if (HWY_UNLIKELY(blgp)) {
    permuteB(breg, s.bRegs, blgp, bCopy);
    breg = bCopy;
  }
  widen(s.aType, w.row(o.a), s.k, M * B, t.a, w.program->arch);
  widen(s.bType, breg, s.k, N * B, t.b, w.program->arch);
  if (s.aType == MfmaType::F32 && !(w.mode >> 4 & 1)) {
    flushDenormals(t.a, s.k * M * B);
    flushDenormals(t.b, s.k * N * B);
  }
  const u32 *c = safeC(o, w, s.dRegs, cCopy);
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    multiply<T, M, N, B>(reinterpret_cast<const T *>(t.a), reinterpret_cast<const T *>(t.b), s.k,
                         reinterpret_cast<T *>(w.row(o.d)), reinterpret_cast<const T *>(c),
                         o.aux & kMfmaConstC, cbsz, abid);
  });
  return &o + 1;
}

/// f64: two registers an element; 16x16x4, and 4x4x4 with four blocks whose D lies in lane 16·i +
/// 4·b + j.
template <bool Small> const Op *denseF64(Wave &w, const Op &o) {
  constexpr unsigned M = Small ? 4 : 16, B = Small ? 4 : 1, K = 4;
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  unsigned blgp = o.aux >> 7 & 7;
  double sa = blgp & 1 ? -1 : 1, sb = blgp & 2 ? -1 : 1, sc = blgp & 4 ? -1 : 1;
  alignas(64) u32 r[8 * 64];
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    for (unsigned block = 0; block < B; ++block)
      for (unsigned i = 0; i < M; ++i)
        for (unsigned j = 0; j < M; ++j) {
          unsigned pair = Small ? 0 : i / 4,
                   lane = Small ? 16 * i + 4 * block + j : j + 16 * (i % 4);
          const u32 *cPair = o.aux & kMfmaConstC ? c : c + 128 * pair;
          double acc = sc * F64::get(cPair, lane);
          for (unsigned k = 0; k < K; ++k)
            acc = __builtin_fma(sa * F64::get(a, i + M * (block + B * k)),
                                sb * F64::get(b, j + M * (block + B * k)), acc);
          F64::put(r + 128 * pair, lane, acc);
        }
  });
  std::memcpy(w.row(o.d), r, (Small ? 2 : 8) * kRowBytes);
  return &o + 1;
}

// --- f8f6f4, with and without scales
// -------------------------------------------------------------------------------
HWY_INLINE SmallFormat f8f6f4Format(unsigned code) {
  const SmallFormat formats[] = {SmallFormat::E4M3, SmallFormat::E5M2, SmallFormat::E2M3,
                                 SmallFormat::E3M2, SmallFormat::E2M1};
  return formats[code];
}
/// x[k][i] for a side of 16 or 32; 8-bit formats interleave two runs of 16 (ISA "f8f6f4").
void widenF8f6f4(unsigned code, const u32 *regs, unsigned side, float *out) {
  const auto &table = decodeTable(f8f6f4Format(code));
  unsigned groups = 64 / side, width = code < 2 ? 8 : code < 4 ? 6 : 4;
  for (unsigned q = 0; q < groups; ++q)
    for (unsigned n = 0; n < 32; ++n) {
      unsigned k = code < 2 ? (n < 16 ? 16 * q + n : 16 * groups + 16 * q + n - 16) : 32 * q + n;
      unsigned bit = n * width, reg = bit / 32, shift = bit % 32;
      bool straddles = shift + width > 32;
      for (unsigned i = 0; i < side; ++i) {
        const u32 *lane = regs + reg * 64 + q * side + i;
        u64 v = lane[0] | (straddles ? u64(lane[64]) << 32 : 0);
        out[k * side + i] = table[(v >> shift) & ((1u << width) - 1)];
      }
    }
}
/// Multiplies by 2^(s − 127) of the 32-block that k lies in; 0xff is NaN.
void applyScale(const u32 *scales, unsigned byte, unsigned side, unsigned k, float *x) {
  for (unsigned kk = 0; kk < k; ++kk)
    for (unsigned i = 0; i < side; ++i) {
      unsigned s = scales[i + side * (kk / 32)] >> (8 * byte) & 0xff;
      float &v = x[kk * side + i];
      v = s == 0xff ? NAN : float(std::ldexp(double(v), int(s) - 127));
    }
}
template <unsigned M> const Op *f8f6f4(Wave &w, const Op &o) {
  constexpr unsigned K = M == 16 ? 128 : 64;
  Scratch t;
  float *a = reinterpret_cast<float *>(t.a), *b = reinterpret_cast<float *>(t.b);
  alignas(64) u32 cCopy[16 * 64];
  widenF8f6f4(o.aux & 7, w.row(o.a), M, a);
  widenF8f6f4(o.aux >> 7 & 7, w.row(o.b), M, b);
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    if (o.aux & kMfmaScaled) {
      // x = index of an Extra whose inner op holds the scale rows (a, b) and byte selects (x).
      const Op &scale = w.program->extra[o.x].inner;
      applyScale(w.row(scale.a), scale.x & 3, M, K, a);
      applyScale(w.row(scale.b), scale.x >> 2 & 3, M, K, b);
    }
    const u32 *c = safeC(o, w, M == 16 ? 4 : 16, cCopy);
    multiply<float, M, M, 1>(a, b, K, reinterpret_cast<float *>(w.row(o.d)),
                             reinterpret_cast<const float *>(c), o.aux & kMfmaConstC, 0, 0);
  });
  return &o + 1;
}

Handler denseHandler(const MfmaShape &s) {
  bool i = s.aType == MfmaType::I8;
  if (s.aType == MfmaType::F64)
    return s.m == 4 ? denseF64<true> : denseF64<false>;
  if (s.m == 16)
    return s.blocks == 1 ? (i ? dense<i32, 16, 16, 1> : dense<float, 16, 16, 1>)
                         : (i ? dense<i32, 16, 16, 4> : dense<float, 16, 16, 4>);
  if (s.m == 32)
    return s.blocks == 1 ? (i ? dense<i32, 32, 32, 1> : dense<float, 32, 32, 1>)
                         : (i ? dense<i32, 32, 32, 2> : dense<float, 32, 32, 2>);
  return i ? dense<i32, 4, 4, 16> : dense<float, 4, 4, 16>;
}
} // namespace

HandlerTable makeMfma() {
  HandlerTable table;
  for (unsigned i = 0; i < kNumMfmaShapes; ++i)
    table.push_back(
        {kMfmaShapes[i].sem, denseHandler(kMfmaShapes[i]), Shape::Mfma, Elem::None, uint16_t(i)});
  for (Sem sem : {Sem::v_mfma_f32_16x16x128_f8f6f4, Sem::v_mfma_scale_f32_16x16x128_f8f6f4})
    table.push_back({sem, f8f6f4<16>, Shape::Mfma});
  for (Sem sem : {Sem::v_mfma_f32_32x32x64_f8f6f4, Sem::v_mfma_scale_f32_32x32x64_f8f6f4})
    table.push_back({sem, f8f6f4<32>, Shape::Mfma});
  return table;
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeMfma);
const HandlerTable &tableMfma() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeMfma)();
  return table;
}
} // namespace tegula::sim
#endif
