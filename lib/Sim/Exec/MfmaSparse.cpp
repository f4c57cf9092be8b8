// Matrix instructions whose A is 4:2 sparse: of every four k two are stored, and a field of four
// index bits says which. D accumulates in place; k that are not stored take no part at all.
//
// With KL = K / (64 / M) dense k in a lane, lane i + M·q holds KL / 2 values of row i for k from
// KL·q. The doubled shapes of gfx950 hold k in two halves, one behind the other in every lane.
// Operands are widened to x[item][lane].
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/MfmaSparse.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Context.h"
#include "Sim/Exec/MfmaFused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
/// One stored value: where it lies in A as widened, and the row of B that it multiplies.
struct SparseTerm {
  u32 a, b;
};
/// The index register taken apart.
class SparseIndex {
public:
  SparseIndex(const SparseShape &s, const u32 *index, unsigned cbsz, unsigned abid)
      : shape(s), index(index) {
    unsigned perRegister = itemsPerRegister(s.aType), values = s.k / 2 / (64 / s.m);
    halves = values > 2 * perRegister ? 2 : 1; // more than two registers of A
    kl = s.k / halves / (64 / s.m);
    unsigned fieldBits = 2 * values; // two bits a value
    first = cbsz || fieldBits == 32 ? 0 : fieldBits * (abid & (32 / fieldBits - 1));
  }
  unsigned termsOf(unsigned i, SparseTerm *terms) const {
    unsigned n = 0;
    for (unsigned half = 0; half < halves; ++half)
      for (unsigned q = 0; q < 64 / shape.m; ++q)
        for (unsigned group = 0; group < kl / 4; ++group) {
          unsigned field = half * (kl / 4) + group, lane = i + shape.m * q;
          for (unsigned number = 0; number < 2; ++number) {
            unsigned position = index[lane] >> (first + 4 * field + 2 * number) & 3;
            terms[n++] = {64 * (2 * field + number) + lane,
                          64 * (half * kl + 4 * group + position) + shape.m * q};
          }
        }
    return n;
  }
  unsigned aItems() const { return kl / 2 * halves; }
  unsigned bItems() const { return kl * halves; }

private:
  const SparseShape &shape;
  const u32 *index;
  unsigned halves, kl, first;
};
constexpr unsigned kMostSparse = 64; ///< values of one row of A

template <class T, unsigned M>
void chainRow(const T *a, const T *b, const SparseTerm *terms, unsigned n, bool clamps, T *d) {
  for (unsigned t = 0; t < n; ++t) {
    T x = a[terms[t].a];
    const T *y = b + terms[t].b;
    if constexpr (std::is_same<T, i32>::value) {
      for (unsigned j = 0; j < M; ++j)
        d[j] += x * y[j];
    } else if (clamps) {
      for (unsigned j = 0; j < M; ++j)
        d[j] = clampOverflow(std::fma(x, y[j], d[j]), double(x) * double(y[j]), d[j]);
    } else {
      TEGULA_LANES
      for (unsigned j = 0; j < M; ++j)
        d[j] = __builtin_fmaf(x, y[j], d[j]);
    }
  }
}
/// Sums of products have at most 22 bits.
template <unsigned M>
void saturateRow(const i32 *a, const i32 *b, const SparseTerm *terms, unsigned n, i32 *d) {
  i32 sum[M] = {};
  chainRow<i32, M>(a, b, terms, n, false, sum);
  for (unsigned j = 0; j < M; ++j)
    d[j] = saturateI32(i64(sum[j]) + d[j]);
}

template <class T, unsigned M> const Op *sparse(Wave &w, const Op &o) {
  needsAllLanes(w, o);
  const SparseShape &s = kSparseShapes[o.x];
  u32 indices[64]; // D may lie over it
  std::memcpy(indices, w.row(o.c), sizeof indices);
  const SparseIndex index(s, indices, o.aux & 7, o.aux >> 3 & 15);
  Scratch t;
  widen(s.aType, w.row(o.a), index.aItems(), 64, t.a, w.program->arch);
  widen(s.bType, w.row(o.b), index.bItems(), 64, t.b, w.program->arch);
  const T *a = reinterpret_cast<const T *>(t.a), *b = reinterpret_cast<const T *>(t.b);
  T *d = reinterpret_cast<T *>(w.row(o.d));
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    for (unsigned i = 0; i < M; ++i) {
      SparseTerm terms[kMostSparse];
      unsigned n = index.termsOf(i, terms);
      T *row = d + rowOffset<M, M>(0, i);
      if constexpr (std::is_same<T, i32>::value)
        if (w.fp16Ovfl()) {
          saturateRow<M>(a, b, terms, n, row);
          continue;
        }
      chainRow<T, M>(a, b, terms, n, w.fp16Ovfl(), row);
    }
  });
  return &o + 1;
}

/// In mode `cdna3-fused`, groups are of stored values.
template <unsigned M> const Op *sparseFused(Wave &w, const Op &o) {
  needsAllLanes(w, o);
  const SparseShape &s = kSparseShapes[o.x];
  Arch arch = w.program->arch;
  u32 indices[64];
  std::memcpy(indices, w.row(o.c), sizeof indices);
  const SparseIndex index(s, indices, o.aux & 7, o.aux >> 3 & 15);
  Scratch values;
  FusedValues a, b;
  widen(s.aType, w.row(o.a), index.aItems(), 64, values.a, arch);
  widen(s.bType, w.row(o.b), index.bItems(), 64, values.b, arch);
  takeApart(values.a, 64 * index.aItems(), fusedType(s.aType, arch), a);
  takeApart(values.b, 64 * index.bItems(), fusedType(s.bType, arch), b);
  FusedTerms t;
  t.evenAndOdd = s.aType == MfmaType::Fp8 || s.aType == MfmaType::Bf8;
  t.lift = 24 - a.fraction - b.fraction;
  t.special = a.special || b.special;
  t.clamps = w.fp16Ovfl();
  t.count = fusedGroup(s.aType, s.k / 2);
  float *d = reinterpret_cast<float *>(w.row(o.d));
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    for (unsigned i = 0; i < M; ++i) {
      SparseTerm terms[kMostSparse];
      unsigned n = index.termsOf(i, terms);
      for (unsigned first = 0; first < n; first += t.count) {
        for (unsigned k = 0; k < t.count; ++k) {
          const SparseTerm &term = terms[first + k];
          t.a[k] = a.significand[term.a], t.ea[k] = a.exponent[term.a];
          t.b[k] = b.significand + term.b, t.eb[k] = b.exponent + term.b;
          t.value[k] = bits<float>(values.a[term.a]);
          t.values[k] = reinterpret_cast<const float *>(values.b) + term.b;
        }
        alignas(64) float acc[M];
        float *row = d + rowOffset<M, M>(0, i);
        std::memcpy(acc, row, sizeof acc);
        fuse<M>(t, acc);
        std::memcpy(row, acc, sizeof acc);
      }
    }
  });
  return &o + 1;
}
} // namespace

HandlerTable makeMfmaSparse(bool fused) {
  HandlerTable table;
  for (unsigned i = 0; i < kNumSparseShapes; ++i) {
    const SparseShape &s = kSparseShapes[i];
    bool integer = s.aType == MfmaType::I8, small = s.m == 16;
    Handler chain = small     ? integer ? sparse<i32, 16> : sparse<float, 16>
                    : integer ? sparse<i32, 32>
                              : sparse<float, 32>;
    if (fused && !integer)
      chain = small ? sparseFused<16> : sparseFused<32>;
    table.push_back({s.sem, chain, Shape::Mfma, Elem::None, uint16_t(i)});
  }
  return table;
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeMfmaSparse);
const HandlerTable &tableMfmaSparse() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeMfmaSparse)(false);
  return table;
}
const HandlerTable &tableMfmaSparseFused() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeMfmaSparse)(true);
  return table;
}
} // namespace tegula::sim
#endif
