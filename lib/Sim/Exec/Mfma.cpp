// Matrix instructions, numerics mode `fma-chain`: acc = C, then one fused multiply-add for each k,
// ascending.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Mfma.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Context.h"
#include "Sim/Exec/Mfma-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
/// `Type` of both operands; 8-bit floats of both kinds go as Fp8.
template <MfmaType Type, unsigned M, unsigned N, unsigned B> const Op *dense(Wave &w, const Op &o) {
  using T = std::conditional_t<Type == MfmaType::I8, i32, float>;
  needsAllLanes(w, o);
  const MfmaShape &s = kMfmaShapes[o.x];
  Arch arch = w.program->arch;
  Scratch t;
  unsigned cbsz = o.aux & 7, abid = o.aux >> 3 & 15;
  alignas(64) u32 cCopy[32 * 64], bCopy[4 * 64];
  const u32 *breg = safeB(o, w, s, bCopy);
  constexpr bool decoded = Type == MfmaType::Fp8;
  constexpr MfmaType used = decoded ? MfmaType::F32 : Type;
  Widener<used, M * B> ahead;
  if constexpr (decoded)
    widen(s.aType, w.row(o.a), s.k, M * B, t.a, arch);
  else
    ahead = {w.row(o.a), s.k, t.a, nullptr};
  bool flush = Type == MfmaType::F32 && !(w.mode >> 4 & 1), clamp = w.fp16Ovfl();
  RowsOfB rows = RowsOfB::inRegisters(breg, Type, s.k, N * B);
  if (HWY_UNLIKELY(decoded || flush || clamp)) {
    ahead.all();
    widen(s.bType, breg, s.k, N * B, t.b, arch);
    rows = RowsOfB::widened(t.b, s.k, N * B);
  }
  if (HWY_UNLIKELY(flush)) {
    flushDenormals(t.a, s.k * M * B);
    flushDenormals(t.b, s.k * N * B);
  }
  const T *a = reinterpret_cast<const T *>(t.a),
          *c = reinterpret_cast<const T *>(safeC(o, w, s.dRegs(), cCopy));
  T *d = reinterpret_cast<T *>(w.row(o.d));
  bool splat = o.aux & kMfmaConstC;
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    if (HWY_UNLIKELY(clamp))
      multiplyClamped<T, M, N, B>(a, reinterpret_cast<const T *>(t.b), s.k, d, c, splat, cbsz,
                                  abid);
    else
      multiply<T, used, M, N, B>(ahead, a, rows, d, c, splat, cbsz, abid);
  });
  return &o + 1;
}

/// f64: two registers an element; 16x16x4, and 4x4x4 with four blocks whose D lies in lane 16·i +
/// 4·b + j.
template <bool Small> const Op *denseF64(Wave &w, const Op &o) {
  needsAllLanes(w, o);
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
/// One product after the other: scaled operands overflow f32 though their products need not, or
/// results are clamped. A product of two small floats has few bits: exact in f64 with any scale.
template <unsigned M>
void multiplyWide(const Wave &w, const Op &o, const float *a, const float *b, unsigned k, float *d,
                  const float *c) {
  const Scales scales(w, o);
  forRows<M, M, 1>(0, 0, [&](unsigned i, unsigned column, unsigned at) {
    for (unsigned j = 0; j < M; ++j) {
      float acc = o.aux & kMfmaConstC ? c[0] : c[at + j];
      for (unsigned kk = 0; kk < k; ++kk) {
        double p = double(a[kk * M + i]) * double(b[kk * M + column + j]);
        p *= scales.of<M>(0, i, kk) * scales.of<M>(1, column + j, kk);
        float r = float(sumToOdd(p, acc));
        acc = w.fp16Ovfl() ? clampOverflow(r, p, acc) : r;
      }
      d[at + j] = acc;
    }
  });
}
template <unsigned M> const Op *f8f6f4(Wave &w, const Op &o) {
  needsAllLanes(w, o);
  constexpr unsigned K = M == 16 ? 128 : 64;
  Scratch t;
  float *a = reinterpret_cast<float *>(t.a), *b = reinterpret_cast<float *>(t.b);
  alignas(64) u32 cCopy[16 * 64];
  widenF8f6f4(o.aux & 7, w.row(o.a), M, a);
  widenF8f6f4(o.aux >> 7 & 7, w.row(o.b), M, b);
  underMode<FloatMode::Fixed>(w, [&]() HWY_ATTR {
    const float *c = reinterpret_cast<const float *>(safeC(o, w, M == 16 ? 4 : 16, cCopy));
    float *d = reinterpret_cast<float *>(w.row(o.d));
    const Scales scales(w, o);
    if (HWY_UNLIKELY(scales.overflow() || w.fp16Ovfl()))
      return multiplyWide<M>(w, o, a, b, K, d, c);
    if (scales.given()) {
      scales.apply<M>(0, K, a);
      scales.apply<M>(1, K, b);
    }
    multiply<float, MfmaType::F32, M, M, 1>({}, a, RowsOfB::widened(t.b, K, M), d, c,
                                            o.aux & kMfmaConstC, 0, 0);
  });
  return &o + 1;
}

template <MfmaType Type> Handler denseOf(const MfmaShape &s) {
  return bySize(s, [](auto size) -> Handler {
    using Size = decltype(size);
    return dense<Type, Size::side, Size::side, Size::blocks>;
  });
}
Handler denseHandler(const MfmaShape &s) {
  switch (s.aType) {
  case MfmaType::F64:
    return s.m == 4 ? denseF64<true> : denseF64<false>;
  case MfmaType::Bf16:
    return denseOf<MfmaType::Bf16>(s);
  case MfmaType::F16:
    return denseOf<MfmaType::F16>(s);
  case MfmaType::I8:
    return denseOf<MfmaType::I8>(s);
  case MfmaType::Fp8:
  case MfmaType::Bf8:
    return denseOf<MfmaType::Fp8>(s);
  case MfmaType::Xf32:
    return denseOf<MfmaType::Xf32>(s);
  case MfmaType::F32:
    break;
  }
  return denseOf<MfmaType::F32>(s);
}
} // namespace

HandlerTable makeMfma() { return mfmaTable(denseHandler, f8f6f4<16>, f8f6f4<32>); }
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
