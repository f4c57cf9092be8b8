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

#if defined(__clang__) // accumulators are registers only if no loop is left
#define TEGULA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TEGULA_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
constexpr unsigned kMaxElements = 64 * 32; // 64 lanes of at most 32 items

struct Scratch {
  alignas(64) u32 a[kMaxElements], b[kMaxElements];
};
HWY_INLINE const float *tableOf(MfmaType t, Arch arch) {
  return t == MfmaType::Fp8   ? decodeTable(fp8Of(arch)).data()
         : t == MfmaType::Bf8 ? decodeTable(bf8Of(arch)).data()
                              : nullptr;
}
/// The f32 of each lane's low half.
template <class D, class V> HWY_INLINE V lowHalf(D tag, V v) {
#if HWY_TARGET == HWY_SSE4 // has no instruction for it
  alignas(16) u32 x[hn::MaxLanes(tag)];
  hn::Store(v, tag, x);
  for (unsigned i = 0; i < hn::MaxLanes(tag); ++i)
    x[i] = bits<u32>(halfToFloat(x[i] & 0xffff));
  return hn::Load(tag, x);
#else
  const hn::Rebind<uint16_t, D> halves;
  const hn::Rebind<hwy::float16_t, D> floats;
  return hn::BitCast(
      tag, hn::PromoteTo(hn::Rebind<float, D>(), hn::BitCast(floats, hn::TruncateTo(halves, v))));
#endif
}
/// Item N of each lane's register: the bits of an f32, of an i32 for i8.
template <MfmaType Type, unsigned N, class D, class V>
HWY_INLINE V itemOf(D tag, V v, const float *table) {
  if constexpr (Type == MfmaType::Bf16) {
    return N ? hn::And(v, hn::Set(tag, 0xffff0000u)) : hn::ShiftLeft<16>(v);
  } else if constexpr (Type == MfmaType::F16) {
    return lowHalf(tag, N ? hn::ShiftRight<16>(v) : v);
  } else if constexpr (Type == MfmaType::I8) {
    const hn::RebindToSigned<D> is;
    return hn::BitCast(tag, hn::ShiftRight<24>(hn::BitCast(is, hn::ShiftLeft<24 - 8 * N>(v))));
  } else if constexpr (itemsPerRegister(Type) == 4) {
    const hn::RebindToSigned<D> is;
    V code = hn::And(hn::ShiftRight<8 * N>(v), hn::Set(tag, 0xffu));
    return hn::BitCast(tag, hn::GatherIndex(hn::RebindToFloat<D>(), table, hn::BitCast(is, code)));
  } else if constexpr (Type == MfmaType::Xf32) { // 10 mantissa bits
    return hn::And(v, hn::Set(tag, ~0x1fffu));
  } else {
    return v;
  }
}
/// Calls f(item) for each item of a register, in order; item(tag, registers, table) widens it.
template <MfmaType Type, class F> HWY_INLINE void forItems(F f) {
  auto item = [](auto n) HWY_ATTR {
    return [](auto tag, auto v, const float *table)
               HWY_ATTR { return itemOf<Type, decltype(n)::value>(tag, v, table); };
  };
  f(item(std::integral_constant<unsigned, 0>()));
  if constexpr (itemsPerRegister(Type) > 1)
    f(item(std::integral_constant<unsigned, 1>()));
  if constexpr (itemsPerRegister(Type) > 2) {
    f(item(std::integral_constant<unsigned, 2>()));
    f(item(std::integral_constant<unsigned, 3>()));
  }
}
/// Widens an operand to x[k][0 … Side), Side = rows · blocks, one register after the other in the
/// order of k.
template <MfmaType Type, unsigned Side> class Widener {
public:
  Widener() = default; ///< has nothing to do
  Widener(const u32 *regs, unsigned k, u32 *out, const float *table)
      : at_(regs), out_(out), table_(table), registers_(k / kGroups / kItems), left_(k / kItems) {}
  HWY_INLINE void next() {
    if (!left_)
      return;
    --left_;
    const hn::CappedTag<u32, 16> tag;
    for (unsigned i = 0; i < Side; i += hn::MaxLanes(tag)) {
      u32 *to = out_ + i;
      const auto v = hn::Load(tag, at_ + i);
      forItems<Type>([&](auto item) HWY_ATTR {
        hn::Store(item(tag, v, table_), tag, to);
        to += Side;
      });
    }
    out_ += kItems * Side;
    at_ += 64;
    if (++register_ == registers_) { // the next group of lanes
      register_ = 0;
      at_ -= 64 * registers_ - Side;
    }
  }
  HWY_INLINE void all() {
    while (left_)
      next();
  }

private:
  static constexpr unsigned kGroups = 64 / Side, kItems = itemsPerRegister(Type);
  const u32 *at_ = nullptr;
  u32 *out_ = nullptr;
  const float *table_ = nullptr;
  unsigned registers_ = 0, left_ = 0, register_ = 0;
};
template <MfmaType Type>
void widenAs(const u32 *regs, unsigned k, unsigned side, u32 *out, Arch arch) {
  const float *table = tableOf(Type, arch);
  if (side == 16)
    Widener<Type, 16>(regs, k, out, table).all();
  else if (side == 32)
    Widener<Type, 32>(regs, k, out, table).all();
  else
    Widener<Type, 64>(regs, k, out, table).all();
}
/// The same with what is known at run time; side is 16, 32 or 64.
inline void widen(MfmaType type, const u32 *regs, unsigned k, unsigned side, u32 *out, Arch arch) {
  switch (type) {
  case MfmaType::Bf16:
    return widenAs<MfmaType::Bf16>(regs, k, side, out, arch);
  case MfmaType::F16:
    return widenAs<MfmaType::F16>(regs, k, side, out, arch);
  case MfmaType::I8:
    return widenAs<MfmaType::I8>(regs, k, side, out, arch);
  case MfmaType::Fp8:
    return widenAs<MfmaType::Fp8>(regs, k, side, out, arch);
  case MfmaType::Bf8:
    return widenAs<MfmaType::Bf8>(regs, k, side, out, arch);
  case MfmaType::Xf32:
    return widenAs<MfmaType::Xf32>(regs, k, side, out, arch);
  default:
    return widenAs<MfmaType::F32>(regs, k, side, out, arch);
  }
}
inline void flushDenormals(u32 *v, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    v[i] = (v[i] & 0x7f800000) == 0 ? v[i] & 0x80000000 : v[i];
}

// --- The accumulation
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
/// The rows of B, k ascending: `groups` times `registers` vectors, each of which holds
/// itemsPerRegister(Type) of them.
struct RowsOfB {
  const u32 *first;
  unsigned groups, groupStride, registers, registerStride;
  /// As the operand's registers hold them.
  static RowsOfB inRegisters(const u32 *regs, MfmaType type, unsigned k, unsigned side) {
    unsigned groups = 64 / side;
    return {regs, groups, side, k / groups / itemsPerRegister(type), 64};
  }
  /// x[k][side], one item a vector.
  static RowsOfB widened(const u32 *x, unsigned k, unsigned side) { return {x, 1, 0, k, side}; }
};
/// Where row (block, i) of D starts, in dwords from the first register.
template <unsigned M, unsigned N> constexpr unsigned rowOffset(unsigned block, unsigned i) {
  constexpr unsigned h = 4, bi = (64 + N * M / h - 1) / (N * M / h), mi = (64 / bi) / N,
                     g = M / (h * mi);
  unsigned lane = N * ((i / h) % mi + mi * (block % bi)),
           item = i % h + h * (i / (h * mi) + g * (block / bi));
  return item * 64 + lane;
}
/// How many rows and vectors of columns are accumulated at a time: what the registers hold.
template <class D> struct Tile {
  static constexpr unsigned lanes = hn::MaxLanes(D());
  static constexpr unsigned rows = lanes >= 16 ? 16 : 4, columns = lanes == 8 ? 2 : 1;
};
template <class T, unsigned N> using ColumnTag = hn::CappedTag<T, (N < 16 ? N : 16)>;
/// A tile from `column` on: row r lies rowOffset<M, N>(0, r) behind `d` and `c`, if C is not one
/// constant row (splatC). Rows of B are widened here, in registers, and A two steps ahead: what
/// they cost hides behind the multiplications.
template <class T, MfmaType Type, unsigned M, unsigned N, class Ahead>
HWY_INLINE void accumulate(Ahead &ahead, const T *a, unsigned aStride, RowsOfB b, unsigned column,
                           T *d, const T *c, bool splatC) {
  const ColumnTag<T, N> tag;
  const hn::RebindToUnsigned<decltype(tag)> raw;
  using Shape = Tile<decltype(tag)>;
  using V = hn::Vec<decltype(tag)>;
  constexpr unsigned R = Shape::rows, C = Shape::columns, L = Shape::lanes;
  ahead.next();
  ahead.next();
  V acc[R][C];
  if (HWY_UNLIKELY(splatC)) {
    TEGULA_UNROLL
    for (unsigned i = 0; i < R * C; ++i)
      acc[i / C][i % C] = hn::LoadU(tag, c);
  } else {
    TEGULA_UNROLL
    for (unsigned i = 0; i < R * C; ++i)
      acc[i / C][i % C] = hn::LoadU(tag, c + rowOffset<M, N>(0, i / C) + i % C * L);
  }
  b.first += column;
  for (; b.groups; --b.groups, b.first += b.groupStride) {
    const u32 *row = b.first;
    for (unsigned left = b.registers; left; --left, row += b.registerStride) {
      ahead.next();
      hn::Vec<decltype(raw)> bits[C];
      for (unsigned n = 0; n < C; ++n)
        bits[n] = hn::LoadU(raw, row + n * L);
      forItems<Type>([&](auto item) HWY_ATTR {
        asm volatile(""
                     : "+r"(a)); // keeps plain addresses: indexed broadcasts cost a micro-op each
        V bv[C];
        for (unsigned n = 0; n < C; ++n)
          bv[n] = hn::BitCast(tag, item(raw, bits[n], nullptr));
        TEGULA_UNROLL
        for (unsigned r = 0; r < R; ++r) {
          V av = hn::Set(tag, a[r]);
          for (unsigned n = 0; n < C; ++n)
            acc[r][n] = mulAdd(tag, av, bv[n], acc[r][n]);
        }
        a += aStride;
      });
    }
  }
  TEGULA_UNROLL
  for (unsigned i = 0; i < R * C; ++i)
    hn::StoreU(acc[i / C][i % C], tag, d + rowOffset<M, N>(0, i / C) + i % C * L);
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
struct Widened { ///< what is ahead if nothing is left to do
  HWY_INLINE void next() {}
};
/// 32-bit accumulators; splatC: C is one constant row. `ahead` has still to widen A.
template <class T, MfmaType Type, unsigned M, unsigned N, unsigned B>
HWY_INLINE void multiply(Widener<Type, M * B> ahead, const T *a, const RowsOfB &b, T *d, const T *c,
                         bool splatC, unsigned cbsz, unsigned abid) {
  using Shape = Tile<ColumnTag<T, N>>;
  constexpr unsigned R = Shape::rows, columns = Shape::lanes * Shape::columns;
  if constexpr (B == 1 && M == R && N == columns)
    return accumulate<T, Type, M, N>(ahead, a, M, b, 0, d, c, splatC);
  ahead.all();
  Widened widened;
  for (unsigned block = 0; block < B; ++block) {
    unsigned aBlock = (block & ~((1u << cbsz) - 1)) + abid;
    for (unsigned i = 0; i < M; i += R)
      for (unsigned j = 0; j < N; j += columns) {
        unsigned at = rowOffset<M, N>(block, i) + j;
        accumulate<T, Type, M, N>(widened, a + aBlock * M + i, M * B, b, block * N + j, d + at,
                                  splatC ? c : c + at, splatC);
      }
  }
}
/// Whether an operand of so many rows lies partly in those of D.
HWY_INLINE bool overlapsD(const Op &o, unsigned dRows, uint32_t operand, unsigned rows) {
  return operand < o.d + dRows * kRowBytes && o.d < operand + rows * kRowBytes;
}
/// D must not be written before all of C was read, which only matters when D ≠ C overlaps it.
HWY_INLINE const u32 *safeC(const Op &o, Wave &w, unsigned rows, u32 *copy) {
  bool splatC = o.aux & kMfmaConstC;
  if (splatC || o.c == o.d || !overlapsD(o, rows, o.c, rows))
    return w.row(o.c);
  std::memcpy(copy, w.row(o.c), rows * kRowBytes);
  return copy;
}
/// The lane of B that blgp puts in the place of `lane`.
HWY_INLINE unsigned laneOfB(unsigned lane, unsigned blgp) {
  switch (blgp) {
  case 0:
    return lane;
  case 1:
  case 2:
    return lane % 32 + 32 * (blgp - 1);
  case 3:
    return (lane + 16) % 64;
  default:
    return lane % 16 + 16 * (blgp - 4);
  }
}
/// B's registers, in `copy` where blgp permutes their lanes or D lies over them.
HWY_INLINE const u32 *safeB(const Op &o, Wave &w, const MfmaShape &s, u32 *copy) {
  unsigned blgp = o.aux >> 7 & 7;
  const u32 *b = w.row(o.b);
  if (HWY_LIKELY(!blgp && !overlapsD(o, s.dRegs(), o.b, s.bRegs())))
    return b;
  for (unsigned r = 0; r < s.bRegs(); ++r)
    for (unsigned l = 0; l < 64; ++l)
      copy[r * 64 + l] = b[r * 64 + laneOfB(l, blgp)];
  return copy;
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

// --- The tables
template <unsigned Side, unsigned Blocks> struct MfmaSize {
  static constexpr unsigned side = Side, blocks = Blocks;
};
/// What `make` gives for the size of a shape, as an MfmaSize; f64 has sizes of its own.
template <class Make> Handler bySize(const MfmaShape &s, Make make) {
  if (s.m == 16)
    return s.blocks == 1 ? make(MfmaSize<16, 1>()) : make(MfmaSize<16, 4>());
  if (s.m == 32)
    return s.blocks == 1 ? make(MfmaSize<32, 1>()) : make(MfmaSize<32, 2>());
  return make(MfmaSize<4, 16>());
}
/// The handlers of a numerics mode: `dense` gives that of a shape, null where the other mode's will
/// do; the other two are those of the f8f6f4 forms.
inline HandlerTable mfmaTable(Handler (*dense)(const MfmaShape &), Handler f8f6f4Of16,
                              Handler f8f6f4Of32) {
  HandlerTable table;
  for (unsigned i = 0; i < kNumMfmaShapes; ++i)
    if (Handler handler = dense(kMfmaShapes[i]))
      table.push_back({kMfmaShapes[i].sem, handler, Shape::Mfma, Elem::None, uint16_t(i)});
  for (Sem sem : {Sem::v_mfma_f32_16x16x128_f8f6f4, Sem::v_mfma_scale_f32_16x16x128_f8f6f4})
    table.push_back({sem, f8f6f4Of16, Shape::Mfma});
  for (Sem sem : {Sem::v_mfma_f32_32x32x64_f8f6f4, Sem::v_mfma_scale_f32_32x32x64_f8f6f4})
    table.push_back({sem, f8f6f4Of32, Shape::Mfma});
  return table;
}
} // namespace
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();
#endif
