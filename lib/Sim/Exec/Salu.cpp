// Scalar ALU. Operands are indices into Wave::s, which also holds every inline constant; a literal
// or SOPK immediate is put into its own slot first, so no handler asks where a value comes from.
#include "Sim/Exec/Context.h"
#include "Sim/Exec/Handlers.h"

namespace tegula::sim {
namespace {
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

enum class Scc { Keep, NotZero };

inline void literal(Wave &w, const Op &o) {
  w.s[kLiteral] = o.x;
  w.s[kLiteral + 1] = o.c;
}
template <class T> T source(const Wave &w, unsigned i) {
  if constexpr (sizeof(T) == 8)
    return T(w.get64(i));
  else
    return T(w.s[i]);
}
template <class T> void put(Wave &w, unsigned i, T v) {
  if constexpr (sizeof(T) == 8)
    w.set64(i, u64(v));
  else
    w.s[i] = u32(v);
}
// S: types D, A, B and f(w, a, b); SCC is set from the result, or by f itself.
template <class S> const Op *scalar2(Wave &w, const Op &o) {
  literal(w, o);
  auto r = S::f(w, source<typename S::A>(w, o.a), source<typename S::B>(w, o.b));
  put(w, o.d, r);
  if (S::scc == Scc::NotZero)
    w.scc = r != 0;
  return &o + 1;
}
template <class S> const Op *scalar1(Wave &w, const Op &o) {
  literal(w, o);
  auto r = S::f(w, source<typename S::A>(w, o.a));
  put(w, o.d, r);
  if (S::scc == Scc::NotZero)
    w.scc = r != 0;
  return &o + 1;
}
template <class S> const Op *compareOp(Wave &w, const Op &o) {
  literal(w, o);
  w.scc = S::f(source<typename S::A>(w, o.a), source<typename S::B>(w, o.b));
  return &o + 1;
}
#define OP2(NAME, TA, TB, SCC, ...)                                                                \
  struct NAME {                                                                                    \
    using A = TA;                                                                                  \
    using B = TB;                                                                                  \
    static constexpr Scc scc = Scc::SCC;                                                           \
    static auto f(Wave &w, A a, B b) { __VA_ARGS__ }                                               \
  };
#define OP1(NAME, TA, SCC, ...)                                                                    \
  struct NAME {                                                                                    \
    using A = TA;                                                                                  \
    static constexpr Scc scc = Scc::SCC;                                                           \
    static auto f(Wave &w, A a) { __VA_ARGS__ }                                                    \
  };
#define CMP(NAME, TA, TB, ...)                                                                     \
  struct NAME {                                                                                    \
    using A = TA;                                                                                  \
    using B = TB;                                                                                  \
    static bool f(A a, B b) { __VA_ARGS__ }                                                        \
  };

OP2(AddU, u32, u32, Keep, u32 r = a + b; w.scc = r < a; return r;)
OP2(SubU, u32, u32, Keep, w.scc = a < b; return a - b;)
OP2(AddI, u32, u32, Keep, u32 r = a + b; w.scc = (~(a ^ b) & (a ^ r)) >> 31; return r;)
OP2(SubI, u32, u32, Keep, u32 r = a - b; w.scc = ((a ^ b) & (a ^ r)) >> 31; return r;)
OP2(AddC, u32, u32, Keep, u64 r = u64(a) + b + w.scc; w.scc = u32(r >> 32); return u32(r);)
OP2(SubB, u32, u32, Keep, u64 r = u64(a) - b - w.scc; w.scc = u32(r >> 32) & 1; return u32(r);)
OP2(MinI, i32, i32, Keep, w.scc = a < b; return a < b ? a : b;)
OP2(MinU, u32, u32, Keep, w.scc = a < b; return a < b ? a : b;)
OP2(MaxI, i32, i32, Keep, w.scc = a >= b; return a > b ? a : b;)
OP2(MaxU, u32, u32, Keep, w.scc = a >= b; return a > b ? a : b;)
OP2(Select32, u32, u32, Keep, return w.scc ? a : b;)
OP2(Select64, u64, u64, Keep, return w.scc ? a : b;)
#define LOGIC(NAME, EXPR)                                                                          \
  OP2(NAME##32, u32, u32, NotZero, return u32(EXPR);)                                              \
  OP2(NAME##64, u64, u64, NotZero, return u64(EXPR);)                                              \
  struct NAME##Save {                                                                              \
    static u64 f(u64 a, u64 b) { return EXPR; }                                                    \
  };
LOGIC(And, a &b)
LOGIC(Or, a | b)
LOGIC(Xor, a ^ b)
LOGIC(Andn2, a & ~b)
LOGIC(Orn2, a | ~b)
LOGIC(Nand, ~(a &b))
LOGIC(Nor, ~(a | b))
LOGIC(Xnor, ~(a ^ b))
struct Andn1Save {
  static u64 f(u64 a, u64 b) { return ~a & b; }
};
struct Orn1Save {
  static u64 f(u64 a, u64 b) { return ~a | b; }
};
OP2(Lshl32, u32, u32, NotZero, return a << (b & 31);)
OP2(Lshl64, u64, u32, NotZero, return a << (b & 63);)
OP2(Lshr32, u32, u32, NotZero, return a >> (b & 31);)
OP2(Lshr64, u64, u32, NotZero, return a >> (b & 63);)
OP2(Ashr32, i32, u32, NotZero, return a >> (b & 31);)
OP2(Ashr64, i64, u32, NotZero, return a >> (b & 63);)
OP2(Bfm32, u32, u32, Keep, return ((1u << (a & 31)) - 1) << (b & 31);)
OP2(Bfm64, u32, u32, Keep, return ((u64(1) << (a & 63)) - 1) << (b & 63);)
OP2(Mul, u32, u32, Keep, return a * b;)
OP2(MulHiU, u32, u32, Keep, return u32((u64(a) * b) >> 32);)
OP2(MulHiI, i32, i32, Keep, return i32((i64(a) * b) >> 32);)
/// offset in [5:0] (32-bit: [4:0]), width in [22:16].
template <class U> U extract(U v, u32 control, unsigned bits, bool isSigned) {
  unsigned offset = control & (bits - 1), width = control >> 16 & 0x7f;
  if (width == 0)
    return 0;
  width = width > bits ? bits : width;
  U field = v >> offset;
  if (isSigned)
    field = U(std::make_signed_t<U>(v) >> offset);
  if (width == bits)
    return field;
  field &= (U(1) << width) - 1;
  U sign = U(1) << (width - 1);
  return isSigned ? (field ^ sign) - sign : field;
}
OP2(BfeU32, u32, u32, NotZero, return extract<u32>(a, b, 32, false);)
OP2(BfeI32, u32, u32, NotZero, return extract<u32>(a, b, 32, true);)
OP2(BfeU64, u64, u32, NotZero, return extract<u64>(a, b, 64, false);)
OP2(BfeI64, u64, u32, NotZero, return extract<u64>(a, b, 64, true);)
// The difference wraps before its sign is looked at.
OP2(AbsDiff, u32, u32, NotZero, u32 d = a - b; return i32(d) < 0 ? 0u - d : d;)
template <unsigned N> struct LshlAdd {
  using A = u32;
  using B = u32;
  static constexpr Scc scc = Scc::Keep;
  static u32 f(Wave &w, u32 a, u32 b) {
    u64 r = (u64(a) << N) + b;
    w.scc = r >> 32 != 0;
    return u32(r);
  }
};
OP2(PackLL, u32, u32, Keep, return (a & 0xffff) | b << 16;)
OP2(PackLH, u32, u32, Keep, return (a & 0xffff) | (b & 0xffff0000);)
OP2(PackHH, u32, u32, Keep, return a >> 16 | (b & 0xffff0000);)

OP1(Mov32, u32, Keep, return a;)
OP1(Mov64, u64, Keep, return a;)
OP1(Not32, u32, NotZero, return ~a;)
OP1(Not64, u64, NotZero, return ~a;)
template <class U> U wholeQuads(U v) {
  U r = 0;
  for (unsigned q = 0; q < sizeof(U) * 2; ++q)
    r |= v >> (4 * q) & 15 ? U(15) << (4 * q) : 0;
  return r;
}
OP1(Wqm32, u32, NotZero, return wholeQuads(a);)
OP1(Wqm64, u64, NotZero, return wholeQuads(a);)
template <class U> U quads(U v) {
  U r = 0;
  for (unsigned q = 0; q < sizeof(U) * 2; ++q)
    r |= U(v >> (4 * q) & 15 ? 1 : 0) << q;
  return r;
}
OP1(Quadmask32, u32, NotZero, return quads(a);)
OP1(Quadmask64, u64, NotZero, return quads(a);)
inline u64 reverse64(u64 v) {
  u64 r = 0;
  for (unsigned i = 0; i < 64; ++i)
    r |= (v >> i & 1) << (63 - i);
  return r;
}
OP1(Brev32, u32, Keep, return u32(reverse64(a) >> 32);)
OP1(Brev64, u64, Keep, return reverse64(a);)
OP1(Bcnt0_32, u32, NotZero, return u32(__builtin_popcount(~a));)
OP1(Bcnt0_64, u64, NotZero, return u32(__builtin_popcountll(~a));)
OP1(Bcnt1_32, u32, NotZero, return u32(__builtin_popcount(a));)
OP1(Bcnt1_64, u64, NotZero, return u32(__builtin_popcountll(a));)
OP1(Ff0_32, u32, Keep, return ~a ? u32(__builtin_ctz(~a)) : ~0u;)
OP1(Ff0_64, u64, Keep, return ~a ? u32(__builtin_ctzll(~a)) : ~0u;)
OP1(Ff1_32, u32, Keep, return a ? u32(__builtin_ctz(a)) : ~0u;)
OP1(Ff1_64, u64, Keep, return a ? u32(__builtin_ctzll(a)) : ~0u;)
OP1(Flbit32, u32, Keep, return a ? u32(__builtin_clz(a)) : ~0u;)
OP1(Flbit64, u64, Keep, return a ? u32(__builtin_clzll(a)) : ~0u;)
OP1(FlbitI32, i32, Keep, u32 v = u32(a < 0 ? ~a : a); return v ? u32(__builtin_clz(v)) : ~0u;)
OP1(FlbitI64, i64, Keep, u64 v = u64(a < 0 ? ~a : a); return v ? u32(__builtin_clzll(v)) : ~0u;)
OP1(Sext8, u32, Keep, return u32(i32(int8_t(a)));)
OP1(Sext16, u32, Keep, return u32(i32(int16_t(a)));)
OP1(Abs, i32, NotZero, return a < 0 ? 0u - u32(a) : u32(a);)
OP1(BitReplicate, u32, Keep, u64 r = 0;
    for (unsigned i = 0; i < 32; ++i) r |= (a >> i & 1 ? u64(3) : 0) << (2 * i); return r;)

CMP(EqU, u32, u32, return a == b;)
CMP(NeU, u32, u32, return a != b;)
CMP(GtU, u32, u32, return a > b;)
CMP(GeU, u32, u32, return a >= b;)
CMP(LtU, u32, u32, return a < b;)
CMP(LeU, u32, u32, return a <= b;)
CMP(GtI, i32, i32, return a > b;)
CMP(GeI, i32, i32, return a >= b;)
CMP(LtI, i32, i32, return a < b;)
CMP(LeI, i32, i32, return a <= b;)
CMP(EqU64, u64, u64, return a == b;)
CMP(NeU64, u64, u64, return a != b;)
CMP(Bit0_32, u32, u32, return !(a >> (b & 31) & 1);)
CMP(Bit1_32, u32, u32, return a >> (b & 31) & 1;)
CMP(Bit0_64, u64, u32, return !(a >> (b & 63) & 1);)
CMP(Bit1_64, u64, u32, return a >> (b & 63) & 1;)
// SOPK unsigned compares zero-extend their immediate.
CMP(KEqU, u32, u32, return a == (b & 0xffff);)
CMP(KNeU, u32, u32, return a != (b & 0xffff);)
CMP(KGtU, u32, u32, return a > (b & 0xffff);)
CMP(KGeU, u32, u32, return a >= (b & 0xffff);)
CMP(KLtU, u32, u32, return a < (b & 0xffff);)
CMP(KLeU, u32, u32, return a <= (b & 0xffff);)

template <bool Wide> const Op *cmov(Wave &w, const Op &o) {
  literal(w, o);
  if (w.scc) {
    w.s[o.d] = w.s[o.a];
    if (Wide)
      w.s[o.d + 1] = w.s[o.a + 1];
  }
  return &o + 1;
}
template <bool Set, bool Wide> const Op *bitset(Wave &w, const Op &o) {
  literal(w, o);
  u64 bit = u64(1) << (w.s[o.a] & (Wide ? 63 : 31));
  u64 v = Wide ? w.get64(o.d) : w.s[o.d];
  v = Set ? v | bit : v & ~bit;
  if (Wide)
    w.set64(o.d, v);
  else
    w.s[o.d] = u32(v);
  return &o + 1;
}
/// d ← old EXEC, EXEC ← a op EXEC; the source may be the destination.
template <class S> const Op *saveExec(Wave &w, const Op &o) {
  literal(w, o);
  u64 a = w.get64(o.a), old = w.exec(), r = S::f(a, old);
  w.set64(o.d, old);
  w.setExec(r);
  w.scc = r != 0;
  return &o + 1;
}
template <class S> const Op *writeExec(Wave &w, const Op &o) {
  literal(w, o);
  u64 r = S::f(w.get64(o.a), w.exec());
  w.set64(o.d, r);
  w.setExec(r);
  w.scc = r != 0;
  return &o + 1;
}
/// Scalar registers indexed by M0. `Source`: d ← s[a + M0], else s[d + M0] ← a.
template <bool Source, bool Wide> const Op *movrel(Wave &w, const Op &o) {
  literal(w, o);
  constexpr unsigned last = 101;
  u64 index = u64(Source ? o.a : o.d) + w.s[kM0];
  if (index + (Wide ? 1 : 0) > last || (Wide && index % 2))
    return fail(w, o, FindingKind::Illegal,
                "M0 = " + std::to_string(w.s[kM0]) + " leads to s" + std::to_string(index));
  unsigned from = Source ? unsigned(index) : o.a, to = Source ? o.d : unsigned(index);
  if (Wide)
    w.set64(to, w.get64(from));
  else
    w.s[to] = w.s[from];
  return &o + 1;
}
/// Copies the computed sources into scalar storage for the op that follows.
const Op *materialise(Wave &w, const Op &o) {
  w.s[kVccz] = w.get64(kVcc) == 0;
  w.s[kExecz] = w.exec() == 0;
  w.s[kSccSource] = w.scc;
  return &o + 1;
}
} // namespace

Handler materialiseHandler() { return materialise; }

const HandlerTable &tableSalu() {
  const Shape s = Shape::Scalar;
#define LOGIC_ENTRIES(LOW, NAME)                                                                   \
  {Sem::s_##LOW##_b32, scalar2<NAME##32>, s}, {Sem::s_##LOW##_b64, scalar2<NAME##64>, s},          \
      {Sem::s_##LOW##_saveexec_b64, saveExec<NAME##Save>, s},
  static const HandlerTable table = {
      LOGIC_ENTRIES(and, And) LOGIC_ENTRIES(or, Or) LOGIC_ENTRIES(xor, Xor)
          LOGIC_ENTRIES(andn2, Andn2) LOGIC_ENTRIES(orn2, Orn2) LOGIC_ENTRIES(nand, Nand)
              LOGIC_ENTRIES(nor, Nor)
                  LOGIC_ENTRIES(xnor, Xnor){Sem::s_andn1_saveexec_b64, saveExec<Andn1Save>, s},
      {Sem::s_orn1_saveexec_b64, saveExec<Orn1Save>, s},
      {Sem::s_andn1_wrexec_b64, writeExec<Andn1Save>, s},
      {Sem::s_andn2_wrexec_b64, writeExec<Andn2Save>, s},
      {Sem::s_add_u32, scalar2<AddU>, s},
      {Sem::s_sub_u32, scalar2<SubU>, s},
      {Sem::s_add_i32, scalar2<AddI>, s},
      {Sem::s_sub_i32, scalar2<SubI>, s},
      {Sem::s_addk_i32, scalar2<AddI>, s},
      {Sem::s_mulk_i32, scalar2<Mul>, s},
      {Sem::s_addc_u32, scalar2<AddC>, s},
      {Sem::s_subb_u32, scalar2<SubB>, s},
      {Sem::s_min_i32, scalar2<MinI>, s},
      {Sem::s_min_u32, scalar2<MinU>, s},
      {Sem::s_max_i32, scalar2<MaxI>, s},
      {Sem::s_max_u32, scalar2<MaxU>, s},
      {Sem::s_cselect_b32, scalar2<Select32>, s},
      {Sem::s_cselect_b64, scalar2<Select64>, s},
      {Sem::s_lshl_b32, scalar2<Lshl32>, s},
      {Sem::s_lshl_b64, scalar2<Lshl64>, s},
      {Sem::s_lshr_b32, scalar2<Lshr32>, s},
      {Sem::s_lshr_b64, scalar2<Lshr64>, s},
      {Sem::s_ashr_i32, scalar2<Ashr32>, s},
      {Sem::s_ashr_i64, scalar2<Ashr64>, s},
      {Sem::s_bfm_b32, scalar2<Bfm32>, s},
      {Sem::s_bfm_b64, scalar2<Bfm64>, s},
      {Sem::s_mul_i32, scalar2<Mul>, s},
      {Sem::s_mul_hi_u32, scalar2<MulHiU>, s},
      {Sem::s_mul_hi_i32, scalar2<MulHiI>, s},
      {Sem::s_bfe_u32, scalar2<BfeU32>, s},
      {Sem::s_bfe_i32, scalar2<BfeI32>, s},
      {Sem::s_bfe_u64, scalar2<BfeU64>, s},
      {Sem::s_bfe_i64, scalar2<BfeI64>, s},
      {Sem::s_absdiff_i32, scalar2<AbsDiff>, s},
      {Sem::s_lshl1_add_u32, scalar2<LshlAdd<1>>, s},
      {Sem::s_lshl2_add_u32, scalar2<LshlAdd<2>>, s},
      {Sem::s_lshl3_add_u32, scalar2<LshlAdd<3>>, s},
      {Sem::s_lshl4_add_u32, scalar2<LshlAdd<4>>, s},
      {Sem::s_pack_ll_b32_b16, scalar2<PackLL>, s},
      {Sem::s_pack_lh_b32_b16, scalar2<PackLH>, s},
      {Sem::s_pack_hh_b32_b16, scalar2<PackHH>, s},
  };
  return table;
}
const HandlerTable &tableSaluUnary() {
  const Shape s = Shape::Scalar;
  static const HandlerTable table = {
      {Sem::s_mov_b32, scalar1<Mov32>, s},
      {Sem::s_movk_i32, scalar1<Mov32>, s},
      {Sem::s_mov_b64, scalar1<Mov64>, s},
      {Sem::s_cmov_b32, cmov<false>, s},
      {Sem::s_cmovk_i32, cmov<false>, s},
      {Sem::s_cmov_b64, cmov<true>, s},
      {Sem::s_not_b32, scalar1<Not32>, s},
      {Sem::s_not_b64, scalar1<Not64>, s},
      {Sem::s_wqm_b32, scalar1<Wqm32>, s},
      {Sem::s_wqm_b64, scalar1<Wqm64>, s},
      {Sem::s_quadmask_b32, scalar1<Quadmask32>, s},
      {Sem::s_quadmask_b64, scalar1<Quadmask64>, s},
      {Sem::s_movrels_b32, movrel<true, false>, s},
      {Sem::s_movrels_b64, movrel<true, true>, s},
      {Sem::s_movreld_b32, movrel<false, false>, s},
      {Sem::s_movreld_b64, movrel<false, true>, s},
      {Sem::s_brev_b32, scalar1<Brev32>, s},
      {Sem::s_brev_b64, scalar1<Brev64>, s},
      {Sem::s_bcnt0_i32_b32, scalar1<Bcnt0_32>, s},
      {Sem::s_bcnt0_i32_b64, scalar1<Bcnt0_64>, s},
      {Sem::s_bcnt1_i32_b32, scalar1<Bcnt1_32>, s},
      {Sem::s_bcnt1_i32_b64, scalar1<Bcnt1_64>, s},
      {Sem::s_ff0_i32_b32, scalar1<Ff0_32>, s},
      {Sem::s_ff0_i32_b64, scalar1<Ff0_64>, s},
      {Sem::s_ff1_i32_b32, scalar1<Ff1_32>, s},
      {Sem::s_ff1_i32_b64, scalar1<Ff1_64>, s},
      {Sem::s_flbit_i32_b32, scalar1<Flbit32>, s},
      {Sem::s_flbit_i32_b64, scalar1<Flbit64>, s},
      {Sem::s_flbit_i32, scalar1<FlbitI32>, s},
      {Sem::s_flbit_i32_i64, scalar1<FlbitI64>, s},
      {Sem::s_sext_i32_i8, scalar1<Sext8>, s},
      {Sem::s_sext_i32_i16, scalar1<Sext16>, s},
      {Sem::s_abs_i32, scalar1<Abs>, s},
      {Sem::s_bitreplicate_b64_b32, scalar1<BitReplicate>, s},
      {Sem::s_bitset0_b32, bitset<false, false>, s},
      {Sem::s_bitset1_b32, bitset<true, false>, s},
      {Sem::s_bitset0_b64, bitset<false, true>, s},
      {Sem::s_bitset1_b64, bitset<true, true>, s},
  };
  return table;
}
const HandlerTable &tableSaluCompare() {
  const Shape s = Shape::Scalar;
  static const HandlerTable table = {
      {Sem::s_cmp_eq_i32, compareOp<EqU>, s},      {Sem::s_cmp_lg_i32, compareOp<NeU>, s},
      {Sem::s_cmp_gt_i32, compareOp<GtI>, s},      {Sem::s_cmp_ge_i32, compareOp<GeI>, s},
      {Sem::s_cmp_lt_i32, compareOp<LtI>, s},      {Sem::s_cmp_le_i32, compareOp<LeI>, s},
      {Sem::s_cmp_eq_u32, compareOp<EqU>, s},      {Sem::s_cmp_lg_u32, compareOp<NeU>, s},
      {Sem::s_cmp_gt_u32, compareOp<GtU>, s},      {Sem::s_cmp_ge_u32, compareOp<GeU>, s},
      {Sem::s_cmp_lt_u32, compareOp<LtU>, s},      {Sem::s_cmp_le_u32, compareOp<LeU>, s},
      {Sem::s_cmp_eq_u64, compareOp<EqU64>, s},    {Sem::s_cmp_lg_u64, compareOp<NeU64>, s},
      {Sem::s_bitcmp0_b32, compareOp<Bit0_32>, s}, {Sem::s_bitcmp1_b32, compareOp<Bit1_32>, s},
      {Sem::s_bitcmp0_b64, compareOp<Bit0_64>, s}, {Sem::s_bitcmp1_b64, compareOp<Bit1_64>, s},
      {Sem::s_cmpk_eq_i32, compareOp<EqU>, s},     {Sem::s_cmpk_lg_i32, compareOp<NeU>, s},
      {Sem::s_cmpk_gt_i32, compareOp<GtI>, s},     {Sem::s_cmpk_ge_i32, compareOp<GeI>, s},
      {Sem::s_cmpk_lt_i32, compareOp<LtI>, s},     {Sem::s_cmpk_le_i32, compareOp<LeI>, s},
      {Sem::s_cmpk_eq_u32, compareOp<KEqU>, s},    {Sem::s_cmpk_lg_u32, compareOp<KNeU>, s},
      {Sem::s_cmpk_gt_u32, compareOp<KGtU>, s},    {Sem::s_cmpk_ge_u32, compareOp<KGeU>, s},
      {Sem::s_cmpk_lt_u32, compareOp<KLtU>, s},    {Sem::s_cmpk_le_u32, compareOp<KLeU>, s},
  };
  return table;
}
} // namespace tegula::sim
