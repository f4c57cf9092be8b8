// v_cmp and v_cmpx: 64-bit masks. x = destination index; arg = predicate | cmpx.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/Compare.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
enum class Pred { F, Lt, Eq, Le, Gt, Lg, Ge, O, U, Nge, Nlg, Ngt, Nle, Neq, Nlt, T };

template <Pred P, class V> HWY_INLINE bool holds(V a, V b) {
  switch (P) {
  case Pred::F:
    return false;
  case Pred::Lt:
    return a < b;
  case Pred::Eq:
    return a == b;
  case Pred::Le:
    return a <= b;
  case Pred::Gt:
    return a > b;
  case Pred::Lg:
    return a < b || a > b;
  case Pred::Ge:
    return a >= b;
  case Pred::O:
    return a == a && b == b;
  case Pred::U:
    return a != a || b != b;
  case Pred::Nge:
    return !(a >= b);
  case Pred::Nlg:
    return !(a < b || a > b);
  case Pred::Ngt:
    return !(a > b);
  case Pred::Nle:
    return !(a <= b);
  case Pred::Neq:
    return a != b;
  case Pred::Nlt:
    return !(a < b);
  case Pred::T:
    return true;
  }
  return false;
}
HWY_INLINE const Op *writeMask(Wave &w, const Op &o, u64 mask, bool toExec) {
  w.set64(o.x & 0xffff, mask);
  if (toExec)
    w.setExec(mask);
  return &o + 1;
}
template <class E> constexpr FloatMode modeOf() {
  return std::is_same<E, F64>::value ? FloatMode::F16F64 : FloatMode::F32;
}
template <class E, Pred P, bool X> const Op *compare(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  alignas(64) u32 r[64], fa[64], fb[64];
  const u32 *a = halvesByMode<E>(fa, w.row(o.a), w.mode),
            *b = halvesByMode<E>(fb, w.row(o.b), w.mode);
  underMode<modeOf<E>()>(w, [&]() HWY_ATTR {
    TEGULA_LANES
    for (unsigned i = 0; i < 64; ++i)
      r[i] = holds<P>(E::get(a, i), E::get(b, i)) ? 1u : 0u;
  });
  return writeMask(w, o, maskOfRow(r) & w.exec(), X);
}
/// Bits of the class mask: sNaN, qNaN, −inf, −normal, −denormal, −0, +0, +denormal, +normal, +inf.
template <unsigned ExpBits, unsigned ManBits> HWY_INLINE u32 classOf(u64 v) {
  u64 man = v & ((u64(1) << ManBits) - 1), exp = v >> ManBits & ((u64(1) << ExpBits) - 1);
  bool neg = v >> (ExpBits + ManBits) & 1;
  if (exp == (u64(1) << ExpBits) - 1) {
    if (man)
      return man >> (ManBits - 1) ? 2 : 1;
    return neg ? 4 : 512;
  }
  if (exp)
    return neg ? 8 : 256;
  if (man)
    return neg ? 16 : 128;
  return neg ? 32 : 64;
}
template <class E, unsigned Exp, unsigned Man, bool X>
const Op *compareClass(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b);
  u64 mask = 0;
  for (unsigned i = 0; i < 64; ++i)
    mask |= u64((classOf<Exp, Man>(u64(E::get(a, i))) & b[i]) != 0) << i;
  return writeMask(w, o, mask & w.exec(), X);
}
} // namespace

#define FLOAT_PREDS(X, TY, E, EL)                                                                  \
  X(f, TY, E, F, EL)                                                                               \
  X(lt, TY, E, Lt, EL)                                                                             \
  X(eq, TY, E, Eq, EL)                                                                             \
  X(le, TY, E, Le, EL)                                                                             \
  X(gt, TY, E, Gt, EL)                                                                             \
  X(lg, TY, E, Lg, EL)                                                                             \
  X(ge, TY, E, Ge, EL)                                                                             \
  X(o, TY, E, O, EL)                                                                               \
  X(u, TY, E, U, EL)                                                                               \
  X(nge, TY, E, Nge, EL)                                                                           \
  X(nlg, TY, E, Nlg, EL)                                                                           \
  X(ngt, TY, E, Ngt, EL)                                                                           \
  X(nle, TY, E, Nle, EL) X(neq, TY, E, Neq, EL) X(nlt, TY, E, Nlt, EL) X(tru, TY, E, T, EL)
#define INT_PREDS(X, TY, E, EL)                                                                    \
  X(f, TY, E, F, EL)                                                                               \
  X(lt, TY, E, Lt, EL)                                                                             \
  X(eq, TY, E, Eq, EL)                                                                             \
  X(le, TY, E, Le, EL)                                                                             \
  X(gt, TY, E, Gt, EL) X(ne, TY, E, Neq, EL) X(ge, TY, E, Ge, EL) X(t, TY, E, T, EL)
#define ENTRY(P, T, E, PRED, EL)                                                                   \
  {Sem::v_cmp_##P##_##T, compare<E, Pred::PRED, false>, Shape::Vector, Elem::EL},                  \
      {Sem::v_cmpx_##P##_##T, compare<E, Pred::PRED, true>, Shape::Vector, Elem::EL},
#define CLASS(T, E, EXP, MAN, EL)                                                                  \
  {Sem::v_cmp_class_##T, compareClass<E, EXP, MAN, false>, Shape::Vector, Elem::EL},               \
      {Sem::v_cmpx_class_##T, compareClass<E, EXP, MAN, true>, Shape::Vector, Elem::EL},

HandlerTable makeCompare() {
  return {FLOAT_PREDS(ENTRY, f32, F32, F32) FLOAT_PREDS(ENTRY, f16, F16, F16)
              FLOAT_PREDS(ENTRY, f64, F64, F64) INT_PREDS(ENTRY, i32, I32, None)
                  INT_PREDS(ENTRY, u32, U32, None) INT_PREDS(ENTRY, i16, I16, F16)
                      INT_PREDS(ENTRY, u16, U16, F16) INT_PREDS(ENTRY, i64, I64, None)
                          INT_PREDS(ENTRY, u64, U64, None) CLASS(f32, U32, 8, 23, F32)
                              CLASS(f16, U16, 5, 10, F16) CLASS(f64, U64, 11, 52, F64)};
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeCompare);
const HandlerTable &tableCompare() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeCompare)();
  return table;
}
} // namespace tegula::sim
#endif
