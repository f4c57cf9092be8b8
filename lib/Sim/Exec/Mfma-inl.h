// Operands of matrix instructions, widened, and the multiplication that the numerics modes share.
//
// The layouts (ISA "Matrix instructions", layout formulas) make every operand contiguous in lanes:
//   A[b,i,k] is item k % KL of lane i + M·(b + B·(k / KL)), so for fixed k all (b, i) are
//   neighbours, and likewise B; D[b,i,·] for fixed (b, i) is N neighbouring lanes of one register.
// So A and B are widened to a[k][b·M + i] and b[k][b·N + j] without a gather, and the accumulators
// are loaded from the rows of C as they lie.
#if defined(TEGULA_SIM_MFMA_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TEGULA_SIM_MFMA_INL_H
#undef TEGULA_SIM_MFMA_INL_H
#else
#define TEGULA_SIM_MFMA_INL_H
#endif

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
inline void flushDenormals(u32 *v, unsigned n) {
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
/// Calls f(column of A's row, column of B's first, place in D) for each row of each block.
template <unsigned M, unsigned N, unsigned B, class F>
HWY_INLINE void forRows(unsigned cbsz, unsigned abid, F f) {
  for (unsigned block = 0; block < B; ++block) {
    unsigned aBlock = (block & ~((1u << cbsz) - 1)) + abid;
    for (unsigned i = 0; i < M; ++i)
      f(aBlock * M + i, block * N, rowOffset<M, N>(block, i));
  }
}
/// MODE.FP16_OVFL: a result that overflows is the largest number; infinite operands stay infinite.
constexpr float kLargest = 3.4028234663852886e38f;
HWY_INLINE float clampOverflow(float r, double product, float acc) {
  bool overflowed = std::isinf(r) && std::isfinite(product) && std::isfinite(acc);
  return overflowed ? std::copysign(kLargest, r) : r;
}
/// The same multiplication under MODE.FP16_OVFL: i32 sums saturate.
template <class T, unsigned M, unsigned N, unsigned B>
void multiplyClamped(const T *a, const T *b, unsigned k, T *d, const T *c, bool splatC,
                     unsigned cbsz, unsigned abid) {
  forRows<M, N, B>(cbsz, abid, [&](unsigned i, unsigned column, unsigned at) {
    for (unsigned j = 0; j < N; ++j) {
      std::conditional_t<std::is_same<T, i32>::value, i64, float> acc = splatC ? c[0] : c[at + j];
      for (unsigned kk = 0; kk < k; ++kk) {
        T x = a[kk * M * B + i], y = b[kk * N * B + column + j];
        if constexpr (std::is_same<T, i32>::value)
          acc += i64(x) * y;
        else
          acc = clampOverflow(std::fma(x, y, acc), double(x) * double(y), acc);
      }
      if constexpr (std::is_same<T, i32>::value)
        d[at + j] = saturateI32(acc);
      else
        d[at + j] = acc;
    }
  });
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
inline void permuteB(const u32 *in, unsigned rows, unsigned blgp, u32 *out) {
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned l = 0; l < 64; ++l) {
      unsigned from = blgp == 1   ? l % 32
                      : blgp == 2 ? l % 32 + 32
                      : blgp == 3 ? (l + 16) % 64
                                  : l % 16 + 16 * (blgp - 4);
      out[r * 64 + l] = in[r * 64 + from];
    }
}

// --- f8f6f4
HWY_INLINE SmallFormat f8f6f4Format(unsigned code) {
  const SmallFormat formats[] = {SmallFormat::E4M3, SmallFormat::E5M2, SmallFormat::E2M3,
                                 SmallFormat::E3M2, SmallFormat::E2M1};
  return formats[code];
}
/// x[k][i] for a side of 16 or 32; 8-bit formats interleave two runs of 16 (ISA "f8f6f4").
inline void widenF8f6f4(unsigned code, const u32 *regs, unsigned side, float *out) {
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
/// The scales of both operands: 2^(s − 127) for each 32-block of k; 0xff is NaN.
class Scales {
public:
  Scales(const Wave &w, const Op &o) : given_(o.aux & kMfmaScaled) {
    if (!given_)
      return;
    // x = index of an Extra whose inner op holds the scale rows (a, b) and byte selects (x).
    const Op &scale = w.program->extra[o.x].inner;
    for (unsigned side = 0; side < 2; ++side)
      for (unsigned l = 0; l < 64; ++l)
        code_[side][l] =
            w.row(side ? scale.b : scale.a)[l] >> (8 * (scale.x >> (2 * side) & 3)) & 0xff;
  }
  bool given() const { return given_; }
  /// An element multiplied by its scale may not fit an f32.
  bool overflow() const {
    if (given_)
      for (const auto &side : code_)
        for (unsigned code : side)
          if (code > 238 && code != 0xff)
            return true;
    return false;
  }
  /// Exponent of row or column i at k, which is NaN if it is 128.
  template <unsigned Side> int exponent(unsigned side, unsigned i, unsigned k) const {
    return given_ ? int(code_[side][i + Side * (k / 32)]) - 127 : 0;
  }
  template <unsigned Side> double of(unsigned side, unsigned i, unsigned k) const {
    int e = exponent<Side>(side, i, k);
    return e == 128 ? NAN : std::ldexp(1.0, e);
  }
  /// x[k][i] by its scale.
  template <unsigned Side> void apply(unsigned side, unsigned depth, float *x) const {
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned i = 0; i < Side; ++i) {
        float &v = x[k * Side + i];
        v = float(double(v) * of<Side>(side, i, k));
      }
  }

private:
  bool given_;
  unsigned code_[2][64] = {};
};
} // namespace
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();
#endif
