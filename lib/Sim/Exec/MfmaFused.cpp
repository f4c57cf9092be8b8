// Dense matrix instructions in numerics mode `cdna3-fused`. Those on f64, f32 and i8 are the same
// in both modes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/MfmaFused.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Context.h"
#include "Sim/Exec/MfmaFused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
/// Operands of one instruction: values as x[k][column], and taken apart.
struct Fused {
  Scratch values;
  FusedValues a, b;
};
/// D += A·B for all rows: terms of row i are a[k][i] and the N columns b[k][column …].
template <unsigned M, unsigned N, unsigned B>
void fuseRows(const Wave &w, const Fused &f, unsigned k, unsigned group, bool evenAndOdd,
              const float *c, bool splatC, float *d, unsigned cbsz, unsigned abid) {
  FusedTerms t;
  t.evenAndOdd = evenAndOdd;
  t.lift = 24 - f.a.fraction - f.b.fraction;
  t.special = f.a.special || f.b.special;
  t.clamps = w.fp16Ovfl();
  const float *values = reinterpret_cast<const float *>(f.values.a);
  forRows<M, N, B>(cbsz, abid, [&](unsigned i, unsigned column, unsigned at) HWY_ATTR {
    alignas(64) float acc[N];
    for (unsigned j = 0; j < N; ++j)
      acc[j] = splatC ? c[0] : c[at + j];
    for (unsigned first = 0; first < k; first += group) {
      t.count = group;
      for (unsigned n = 0; n < group; ++n) {
        unsigned x = (first + n) * M * B + i, y = (first + n) * N * B + column;
        t.a[n] = f.a.significand[x], t.ea[n] = f.a.exponent[x], t.value[n] = values[x];
        t.b[n] = f.b.significand + y, t.eb[n] = f.b.exponent + y;
        t.values[n] = reinterpret_cast<const float *>(f.values.b) + y;
      }
      fuse<N>(t, acc);
    }
    std::memcpy(d + at, acc, sizeof acc);
  });
}

template <unsigned M, unsigned N, unsigned B> const Op *fused(Wave &w, const Op &o) {
  needsAllLanes(w, o);
  const MfmaShape &s = kMfmaShapes[o.x];
  Fused f;
  unsigned cbsz = o.aux & 7, abid = o.aux >> 3 & 15;
  alignas(64) u32 cCopy[32 * 64], bCopy[4 * 64];
  const u32 *breg = safeB(o, w, s, bCopy);
  Arch arch = w.program->arch;
  widen(s.aType, w.row(o.a), s.k, M * B, f.values.a, arch);
  widen(s.bType, breg, s.k, N * B, f.values.b, arch);
  takeApart(f.values.a, s.k * M * B, fusedType(s.aType, arch), f.a);
  takeApart(f.values.b, s.k * N * B, fusedType(s.bType, arch), f.b);
  const float *c = reinterpret_cast<const float *>(safeC(o, w, s.dRegs(), cCopy));
  bool bytes = s.aType == MfmaType::Fp8 || s.aType == MfmaType::Bf8;
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    fuseRows<M, N, B>(w, f, s.k, fusedGroup(s.aType, s.k), bytes, c, o.aux & kMfmaConstC,
                      reinterpret_cast<float *>(w.row(o.d)), cbsz, abid);
  });
  return &o + 1;
}

/// As 8-bit floats; scales are added to the exponents.
template <unsigned M> const Op *fusedF8f6f4(Wave &w, const Op &o) {
  needsAllLanes(w, o);
  constexpr unsigned K = M == 16 ? 128 : 64;
  Fused f;
  unsigned codes[2] = {o.aux & 7u, o.aux >> 7 & 7u};
  alignas(64) u32 cCopy[16 * 64];
  const Scales scales(w, o);
  for (unsigned side = 0; side < 2; ++side) {
    u32 *out = side ? f.values.b : f.values.a;
    float *values = reinterpret_cast<float *>(out);
    FusedValues &v = side ? f.b : f.a;
    widenF8f6f4(codes[side], w.row(side ? o.b : o.a), M, values);
    takeApart(out, K * M, fusedType(f8f6f4Format(codes[side])), v);
    for (unsigned k = 0; scales.given() && k < K; ++k)
      for (unsigned i = 0; i < M; ++i) {
        int e = scales.exponent<M>(side, i, k);
        values[k * M + i] = e == 128 ? NAN : values[k * M + i];
        v.exponent[k * M + i] += v.significand[k * M + i] ? e : 0;
        v.special |= e > 45; // with a value of at most 2^16, beyond 2^62
      }
  }
  const float *c = reinterpret_cast<const float *>(safeC(o, w, M == 16 ? 4 : 16, cCopy));
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    fuseRows<M, M, 1>(w, f, K, 16, true, c, o.aux & kMfmaConstC,
                      reinterpret_cast<float *>(w.row(o.d)), 0, 0);
  });
  return &o + 1;
}

Handler fusedHandler(const MfmaShape &s) {
  if (s.aType == MfmaType::F32 || s.aType == MfmaType::F64 || s.aType == MfmaType::I8)
    return nullptr;
  return bySize(s, [](auto size) -> Handler {
    using Size = decltype(size);
    return fused<Size::side, Size::side, Size::blocks>;
  });
}
} // namespace

HandlerTable makeMfmaFused() { return mfmaTable(fusedHandler, fusedF8f6f4<16>, fusedF8f6f4<32>); }
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeMfmaFused);
const HandlerTable &tableMfmaFused() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeMfmaFused)();
  return table;
}
} // namespace tegula::sim
#endif
