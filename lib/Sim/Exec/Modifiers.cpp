// Modified vector ops: abs, neg, op_sel, SDWA selects and DPP are applied to copies of the sources,
// the plain handler runs on the copies, and clamp, omod and partial writes are applied to its
// result. So each operation exists once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Modifiers.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
/// The source's rows, with an SGPR broadcast into `t`.
HWY_INLINE const u32 *sourceRows(Wave &w, const SourcePrep &p, u32 *t) {
  if (p.scalar == 0)
    return w.row(p.source);
  unsigned index = (p.scalar & 0x7fffu) - 1;
  splat(t, w.s[index]);
  splat(t + 64, p.scalar & kBroadcast64 ? w.s[index + 1] : 0);
  return t;
}
HWY_INLINE u32 selectPart(u32 v, unsigned sel, bool sext) {
  if (sel == 6)
    return v;
  unsigned shift = sel < 4 ? sel * 8 : (sel - 4) * 16, width = sel < 4 ? 8 : 16;
  u32 up = v << (32 - width - shift);
  return sext ? u32(i32(up) >> (32 - width)) : up >> (32 - width);
}
void prepareSource(Wave &w, const SourcePrep &p, const Extra &e, u64 valid) {
  alignas(64) u32 scalar[128], moved[128];
  const u32 *s = sourceRows(w, p, scalar);
  u32 *t = w.row(p.target);
  if (p.dpp) {
    for (unsigned k = 0; k < p.rows; ++k)
      for (unsigned i = 0; i < 64; ++i)
        moved[64 * k + i] = valid >> i & 1 ? s[64 * k + e.lane[i]] : 0;
    s = moved;
  }
  switch (p.kind) {
  case SourcePrep::None:
    return;
  case SourcePrep::Plain:
    TEGULA_LANES
    for (unsigned i = 0; i < 64; ++i)
      t[i] = (selectPart(s[i], p.sel, p.sext) & ~p.clearLo) ^ p.flipLo;
    if (p.rows == 2)
      for (unsigned i = 0; i < 64; ++i)
        t[i + 64] = (s[i + 64] & ~p.clearHi) ^ p.flipHi;
    return;
  case SourcePrep::Packed16:
    for (unsigned i = 0; i < 64; ++i)
      t[i] = ((s[i] >> (16 * p.lo) & 0xffff) | (s[i] >> (16 * p.hi)) << 16) ^ p.flipLo;
    return;
  case SourcePrep::Packed32: {
    // The target may be read as two rows; the source rows may lie anywhere, so both are read first.
    alignas(64) u32 r[128];
    for (unsigned i = 0; i < 64; ++i) {
      r[i] = s[64 * p.lo + i] ^ p.flipLo;
      r[i + 64] = s[64 * p.hi + i] ^ p.flipHi;
    }
    std::memcpy(t, r, sizeof r);
    return;
  }
  case SourcePrep::Mix:
    for (unsigned i = 0; i < 64; ++i) {
      u32 half = s[i] >> (16 * p.lo) & 0xffff;
      half = w.mode >> 6 & 1 ? half : flushHalf(half);
      u32 v = p.hi ? bits<u32>(halfToFloat(half)) : s[i];
      t[i] = (v & ~p.clearLo) ^ p.flipLo;
    }
    return;
  }
}

template <class T> HWY_INLINE T clampTo(T v, bool dx10) {
  if (v != v)
    return dx10 ? T(0) : v;
  return v > T(0) ? (v < T(1) ? v : T(1)) : T(0);
}
HWY_INLINE float omodFactor(unsigned omod) {
  return omod == 1 ? 2.0f : omod == 2 ? 4.0f : omod == 3 ? 0.5f : 1.0f;
}
bool isSingle(ResultPost::Kind k) { return k == ResultPost::F32 || k == ResultPost::PackedF32; }
/// ×2, ×4, ÷2 exist only with the type's denormal results off and IEEE off; they turn −0 into +0.
bool hasOmod(const Wave &w, const ResultPost &p) {
  return p.omod && !w.ieee() && !(w.mode >> (isSingle(p.clampAs) ? 5 : 7) & 1);
}
template <class T> HWY_INLINE T finished(T v, bool omod, float factor, bool clamp, bool dx10) {
  if (omod)
    v = v == T(0) ? T(0) : v * T(factor);
  return clamp ? clampTo(v, dx10) : v;
}
/// The result of a transcendental, moved by −1, 0 or +1 units of `unit`: always the same for the
/// same result.
template <class T, class U> HWY_INLINE void addError(U &r, unsigned exponentBits, U unit) {
  constexpr unsigned width = 8 * sizeof(T);
  U sign = U(1) << (width - 1), infinity = U((1u << exponentBits) - 1)
                                           << (width - 1 - exponentBits);
  U magnitude = r & U(sign - 1);
  u64 hash = (u64(r) + 1) * 0x9e3779b97f4a7c15u;
  U moved = magnitude + U((hash >> 33) % 3) * unit - unit;
  if (magnitude != 0 && magnitude < infinity && moved < infinity && moved > unit)
    r = (r & sign) | moved;
}
void addErrors(const ResultPost &p, u32 *r) {
  for (unsigned i = 0; i < 64; ++i) {
    if (p.clampAs == ResultPost::F64) {
      u64 v = U64::get(r, i);
      addError<u64>(v, 11, u64(1) << (p.error - 1));
      U64::put(r, i, v);
    } else if (p.clampAs == ResultPost::F16) {
      uint16_t v = uint16_t(r[i]);
      addError<uint16_t>(v, 5, uint16_t(1));
      r[i] = v;
    } else {
      addError<u32>(r[i], 8, 1u);
    }
  }
}
void finishValue(Wave &w, const ResultPost &p, u32 *r) {
  if (p.error)
    addErrors(p, r);
  bool omod = hasOmod(w, p), dx10 = w.dx10Clamp();
  if (!omod && !p.clamp) // a NaN keeps its bits
    return;
  float factor = omod ? omodFactor(p.omod) : 1.0f;
  for (unsigned i = 0; i < 64; ++i) {
    switch (p.clampAs) {
    case ResultPost::None:
      break;
    case ResultPost::PackedF32:
    case ResultPost::F32:
      for (unsigned k = 0; k < p.rows; ++k)
        F32::put(r + 64 * k, i, finished(F32::get(r + 64 * k, i), omod, factor, p.clamp, dx10));
      break;
    case ResultPost::F64:
      F64::put(r, i, finished(F64::get(r, i), omod, factor, p.clamp, dx10));
      break;
    case ResultPost::F16:
      r[i] = narrowByMode(finished(F16::get(r, i), omod, factor, p.clamp, dx10), w.mode);
      break;
    case ResultPost::PackedF16:
      r[i] =
          narrowByMode(finished(halfToFloat(r[i] & 0xffff), omod, factor, p.clamp, dx10), w.mode) |
          narrowByMode(finished(halfToFloat(r[i] >> 16), omod, factor, p.clamp, dx10), w.mode)
              << 16;
      break;
    }
  }
}
void mergeResult(Wave &w, const ResultPost &p, const u32 *r, u64 mask) {
  u32 *d = w.row(p.target);
  if (p.sel == 6) {
    for (unsigned k = 0; k < p.rows; ++k)
      blendRow(d + 64 * k, r + 64 * k, mask);
    return;
  }
  unsigned shift = p.sel < 4 ? p.sel * 8 : (p.sel - 4) * 16, width = p.sel < 4 ? 8 : 16;
  u32 field = (width == 8 ? 0xffu : 0xffffu) << shift;
  alignas(64) u32 merged[64];
  for (unsigned i = 0; i < 64; ++i) {
    u32 v = r[i] << shift & field;
    if (p.unused == 2)
      v |= d[i] & ~field;
    else if (p.unused == 1 && r[i] >> (width - 1) & 1)
      v |= shift + width < 32 ? ~0u << (shift + width) : 0;
    merged[i] = v;
  }
  blendRow(d, merged, mask);
}
void wrapped(Wave &w, const Extra &e) {
  u64 exec = w.exec(), narrowed = exec, valid = ~u64(0);
  if (e.dpp) {
    valid = 0;
    for (unsigned i = 0; i < 64; ++i)
      valid |= (exec >> e.lane[i] & 1) << i;
    valid &= e.laneValid;
    narrowed &= e.writeMask & (e.boundCtrl ? ~u64(0) : valid);
  }
  for (const SourcePrep &p : e.source)
    if (p.kind != SourcePrep::None)
      prepareSource(w, p, e, valid);
  if (e.dpp)
    w.setExec(narrowed);
  e.inner.fn(w, e.inner);
  if (e.dpp)
    w.setExec(exec);
  if (e.post.active) {
    u32 *r = w.row(e.post.from);
    if (e.post.clampAs != ResultPost::None) {
      // A result is no source: its denormals are not read as zeros.
      FloatMode mode = isSingle(e.post.clampAs) ? FloatMode::F32 : FloatMode::F16F64;
      underWord(w, w.mxcsr[unsigned(mode)] & ~kDenormalsAreZero,
                [&] { finishValue(w, e.post, r); });
    }
    mergeResult(w, e.post, r, narrowed);
  }
}
const Op *wrapper(Wave &w, const Op &o) {
  w.pc = &o; // reports name it, the inner op is not in the program
  wrapped(w, w.program->extra[o.x]);
  return &o + 1;
}
} // namespace
Handler makeWrapper() { return wrapper; }
auto makeWrapped() { return wrapped; }
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeWrapper);
HWY_EXPORT(makeWrapped);
Handler wrapperHandler() {
  static const Handler handler = HWY_DYNAMIC_DISPATCH(makeWrapper)();
  return handler;
}
void runWrapped(Wave &w, const Extra &e) {
  static const auto run = HWY_DYNAMIC_DISPATCH(makeWrapped)();
  run(w, e);
}
} // namespace tegula::sim
#endif
