// Integer and bit operations on 32- and 64-bit registers, carries, and the simple moves.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Sim/Exec/ValuInt.cpp"
#include <hwy/foreach_target.h> // first: it includes this file once for each instruction set

#include "Sim/Exec/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tegula {
namespace sim {
namespace HWY_NAMESPACE {
namespace {
#define UN32(NAME, ...) TEGULA_OP(NAME, F32, U32, U32, NoElem, NoElem, (u32 a), __VA_ARGS__)
#define BIN32(NAME, ...) TEGULA_OP(NAME, F32, U32, U32, U32, NoElem, (u32 a, u32 b), __VA_ARGS__)
#define TRI32(NAME, ...)                                                                           \
  TEGULA_OP(NAME, F32, U32, U32, U32, U32, (u32 a, u32 b, u32 c), __VA_ARGS__)
#define BINS(NAME, ...) TEGULA_OP(NAME, F32, I32, I32, I32, NoElem, (i32 a, i32 b), __VA_ARGS__)
#define TRIS(NAME, ...) TEGULA_OP(NAME, F32, I32, I32, I32, I32, (i32 a, i32 b, i32 c), __VA_ARGS__)

UN32(Mov, return a;)
UN32(Not, return ~a;)
UN32(Bfrev, u32 v = a; v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
     v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
     v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4; return __builtin_bswap32(v);)
UN32(Ffbh, return a ? u32(__builtin_clz(a)) : ~0u;)
UN32(FfbhI, u32 v = i32(a) < 0 ? ~a : a; return v ? u32(__builtin_clz(v)) : ~0u;)
UN32(Ffbl, return a ? u32(__builtin_ctz(a)) : ~0u;)
UN32(Prng, return a << 1 ^ (a >> 31 ? 197u : 0u);)
TEGULA_OP(Mov64, F32, U64, U64, NoElem, NoElem, (u64 a), return a;)

BIN32(Add, return a + b;)
BIN32(Sub, return a - b;)
BIN32(SubRev, return b - a;)
BIN32(And, return a & b;)
BIN32(Or, return a | b;)
BIN32(Xor, return a ^ b;)
BIN32(Xnor, return ~(a ^ b);)
BIN32(LshlRev, return b << (a & 31);)
BIN32(LshrRev, return b >> (a & 31);)
BINS(AshrRev, return b >> (a & 31);)
BINS(MaxI, return a > b ? a : b;)
BINS(MinI, return a < b ? a : b;)
BIN32(MaxU, return a > b ? a : b;)
BIN32(MinU, return a < b ? a : b;)
BIN32(MulLo, return a * b;)
BIN32(MulHi, return u32((u64(a) * b) >> 32);)
BINS(MulHiI, return i32((i64(a) * b) >> 32);)
BIN32(Mul24, return (a & 0xffffff) * (b & 0xffffff);)
BIN32(MulHi24, return u32((u64(a & 0xffffff) * (b & 0xffffff)) >> 32);)
HWY_INLINE i32 signed24(i32 v) { return i32(u32(v) << 8) >> 8; }
BINS(MulI24, return i32(u32(signed24(a)) * u32(signed24(b)));)
BINS(MulHiI24, return i32((i64(signed24(a)) * signed24(b)) >> 32);)
BIN32(Bfm, return ((1u << (a & 31)) - 1) << (b & 31);)
BIN32(Bcnt, u32 v = a; v = v - (v >> 1 & 0x55555555); v = (v & 0x33333333) + (v >> 2 & 0x33333333);
      v = (v + (v >> 4)) & 0x0f0f0f0f; return ((v * 0x01010101u) >> 24) + b;)

TRI32(Add3, return a + b + c;)
TRI32(LshlAdd, return (a << (b & 31)) + c;)
TRI32(AddLshl, return (a + b) << (c & 31);)
TRI32(LshlOr, return a << (b & 31) | c;)
TRI32(AndOr, return (a & b) | c;)
TRI32(Or3, return a | b | c;)
TRI32(Xad, return (a ^ b) + c;)
TRI32(Bfi, return (a & b) | (~a & c);)
TRI32(BfeU, u32 n = c & 31; return (a >> (b & 31)) & ((1u << n) - 1);)
TEGULA_OP(BfeI, F32, I32, I32, U32, U32, (i32 a, u32 b, u32 c), u32 n = c & 31;
          u32 v = u32(a >> (b & 31)) & ((1u << n) - 1); u32 sign = n ? 1u << (n - 1) : 0;
          return i32((v ^ sign) - sign);)
TRI32(Alignbit, u32 n = c & 31; return u32((u64(a) << 32 | b) >> n);)
TRI32(Alignbyte, u32 n = (c & 3) * 8; return u32((u64(a) << 32 | b) >> n);)
TRI32(MadU24, return (a & 0xffffff) * (b & 0xffffff) + c;)
TRIS(MadI24, return i32(u32(signed24(a)) * u32(signed24(b)) + u32(c));)
HWY_INLINE i32 maxI(i32 a, i32 b) { return a > b ? a : b; }
HWY_INLINE i32 minI(i32 a, i32 b) { return a < b ? a : b; }
HWY_INLINE u32 maxU(u32 a, u32 b) { return a > b ? a : b; }
HWY_INLINE u32 minU(u32 a, u32 b) { return a < b ? a : b; }
TRIS(Max3I, return maxI(maxI(a, b), c);)
TRIS(Min3I, return minI(minI(a, b), c);)
TRIS(Med3I, return maxI(minI(a, b), minI(maxI(a, b), c));)
TRI32(Max3U, return maxU(maxU(a, b), c);)
TRI32(Min3U, return minU(minU(a, b), c);)
TRI32(Med3U, return maxU(minU(a, b), minU(maxU(a, b), c));)
HWY_INLINE u32 byteOf(u32 v, u32 i) { return v >> (i * 8) & 0xff; }
HWY_INLINE u32 absDiff(u32 a, u32 b) { return a > b ? a - b : b - a; }
TRI32(SadU8, return c + absDiff(byteOf(a, 0), byteOf(b, 0)) + absDiff(byteOf(a, 1), byteOf(b, 1)) +
                    absDiff(byteOf(a, 2), byteOf(b, 2)) + absDiff(byteOf(a, 3), byteOf(b, 3));)
TRI32(SadU32, return absDiff(a, b) + c;)

/// One selected byte of v_perm: 0–3 from b, 4–7 from a, 8–11 signs of bytes 1, 3, 5, 7, 12 zero,
/// above all ones.
HWY_INLINE u32 permByte(u64 data, u32 sel) {
  u32 byte = u32(data >> ((sel & 7) * 8)) & 0xff;
  u32 sign = (data >> ((sel & 3) * 16 + 15) & 1) ? 0xffu : 0u;
  u32 r = sel >= 13 ? 0xffu : sel == 12 ? 0u : sign;
  return sel < 8 ? byte : r;
}
TRI32(Perm, u64 data = u64(a) << 32 | b;
      return permByte(data, c & 0xff) | permByte(data, c >> 8 & 0xff) << 8 |
             permByte(data, c >> 16 & 0xff) << 16 | permByte(data, c >> 24) << 24;)

TEGULA_OP(LshlRev64, F32, U64, U32, U64, NoElem, (u32 a, u64 b), return b << (a & 63);)
TEGULA_OP(LshrRev64, F32, U64, U32, U64, NoElem, (u32 a, u64 b), return b >> (a & 63);)
TEGULA_OP(AshrRev64, F32, I64, U32, I64, NoElem, (u32 a, i64 b), return b >> (a & 63);)
TEGULA_OP(LshlAdd64, F32, U64, U64, U32, U64, (u64 a, u32 b, u64 c),
          return (b > 4 ? a : a << b) + c;)

// --- Integer clamp: results saturate
// -------------------------------------------------------------------------------
template <class T, class W> HWY_INLINE T saturate(W v, W lo, W hi) {
  return T(v < lo ? lo : v > hi ? hi : v);
}
BIN32(AddSat, u32 r = a + b; return r < a ? ~0u : r;)
BIN32(SubSat, return a < b ? 0u : a - b;)
BIN32(SubRevSat, return b < a ? 0u : b - a;)
BINS(AddISat, return (saturate<i32, i64>(i64(a) + b, INT32_MIN, INT32_MAX));)
BINS(SubISat, return (saturate<i32, i64>(i64(a) - b, INT32_MIN, INT32_MAX));)
TEGULA_OP(Add16Sat, F32, U16, U16, U16, NoElem, (u32 a, u32 b), u32 r = a + b;
          return r > 0xffff ? 0xffff : r;)
TEGULA_OP(Sub16Sat, F32, U16, U16, U16, NoElem, (u32 a, u32 b), return a < b ? 0 : a - b;)
TEGULA_OP(SubRev16Sat, F32, U16, U16, U16, NoElem, (u32 a, u32 b), return b < a ? 0 : b - a;)
TEGULA_OP(AddI16Sat, F32, I16, I16, I16, NoElem, (i32 a, i32 b),
          return (saturate<i32, i32>(a + b, -32768, 32767));)
TEGULA_OP(SubI16Sat, F32, I16, I16, I16, NoElem, (i32 a, i32 b),
          return (saturate<i32, i32>(a - b, -32768, 32767));)

// --- Carries
// -------------------------------------------------------------------------------------------------------
enum class Carry { Add, Sub, SubRev };
/// x = carry-out index | carry-in index << 16; 0xffff = no carry in.
template <Carry K, bool In> const Op *carryOp(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b);
  alignas(64) u32 in[64] = {}, r[64], out[64];
  if (In)
    rowOfMask(in, w.get64(o.x >> 16));
  TEGULA_LANES
  for (unsigned i = 0; i < 64; ++i) {
    u32 x = K == Carry::SubRev ? b[i] : a[i], y = K == Carry::SubRev ? a[i] : b[i];
    if (K == Carry::Add) {
      u32 s = x + y, t = s + in[i];
      r[i] = t;
      out[i] = u32(s < x) | u32(t < s);
    } else {
      u32 s = x - y, t = s - in[i];
      r[i] = t;
      out[i] = u32(x < y) | u32(s < in[i]);
    }
  }
  storeRows(w, o.d, r, 1);
  w.set64(o.x & 0xffff, maskOfRow(out) & w.exec());
  return &o + 1;
}
const Op *cndmask(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  u64 mask = w.get64(o.x >> 16);
  alignas(64) u32 r[64];
  std::memcpy(r, w.row(o.a), sizeof r);
  blendRow(r, w.row(o.b), mask);
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
/// d (pair) = a·b + c (pair), with the carry out of 64 bits.
template <bool Signed> const Op *mad64(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  alignas(64) u32 r[128], out[64];
  TEGULA_LANES
  for (unsigned i = 0; i < 64; ++i) {
    u64 product = Signed ? u64(i64(i32(a[i])) * i32(b[i])) : u64(a[i]) * b[i];
    u64 addend = U64::get(c, i), sum = product + addend;
    U64::put(r, i, sum);
    // Signed: overflow of the 64-bit sum; unsigned: its carry.
    out[i] = Signed ? u32((~(product ^ addend) & (product ^ sum)) >> 63) : u32(sum < product);
  }
  storeRows(w, o.d, r, 2);
  w.set64(o.x & 0xffff, maskOfRow(out) & w.exec());
  return &o + 1;
}
/// aux = opSel | truth table << 8. The 16-bit form selects halves and keeps the other half of d.
template <bool Sixteen> const Op *bitop3(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  u32 table = o.aux >> 8, sel[8];
  for (unsigned i = 0; i < 8; ++i)
    sel[i] = table >> i & 1 ? ~0u : 0u;
  alignas(64) u32 r[64];
  const u32 *d = w.row(o.d);
  u32 shiftA = Sixteen && o.aux & 1 ? 16 : 0, shiftB = Sixteen && o.aux & 2 ? 16 : 0,
      shiftC = Sixteen && o.aux & 4 ? 16 : 0;
  u32 shiftD = Sixteen && o.aux & 8 ? 16 : 0, field = Sixteen ? 0xffffu << shiftD : ~0u;
  TEGULA_LANES
  for (unsigned i = 0; i < 64; ++i) {
    u32 x = a[i] >> shiftA, y = b[i] >> shiftB, z = c[i] >> shiftC;
    u32 v = (sel[7] & x & y & z) | (sel[6] & x & y & ~z) | (sel[5] & x & ~y & z) |
            (sel[4] & x & ~y & ~z) | (sel[3] & ~x & y & z) | (sel[2] & ~x & y & ~z) |
            (sel[1] & ~x & ~y & z) | (sel[0] & ~x & ~y & ~z);
    r[i] = (v << shiftD & field) | (d[i] & ~field);
  }
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
/// b + number of mask bits (a) below this lane in the low or the high half.
template <bool High> const Op *mbcnt(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b);
  alignas(64) u32 r[64];
  for (unsigned i = 0; i < 64; ++i) {
    u32 below = High ? (i >= 32 ? (1u << (i - 32)) - 1 : 0) : i >= 32 ? ~0u : (1u << i) - 1;
    r[i] = b[i] + u32(__builtin_popcount(a[i] & below));
  }
  storeRows(w, o.d, r, 1);
  return &o + 1;
}
const Op *swap(Wave &w, const Op &o) {
  alignas(64) u32 d[64];
  std::memcpy(d, w.row(o.d), sizeof d);
  storeRows(w, o.d, w.row(o.a), 1);
  storeRows(w, o.a, d, 1);
  return &o + 1;
}
} // namespace

HandlerTable makeSaturating() {
  const Shape v = Shape::Vector;
  return {
      {Sem::v_add_u32, valu<AddSat>, v},       {Sem::v_sub_u32, valu<SubSat>, v},
      {Sem::v_subrev_u32, valu<SubRevSat>, v}, {Sem::v_add_i32, valu<AddISat>, v},
      {Sem::v_sub_i32, valu<SubISat>, v},      {Sem::v_add_u16, valu<Add16Sat>, v},
      {Sem::v_sub_u16, valu<Sub16Sat>, v},     {Sem::v_subrev_u16, valu<SubRev16Sat>, v},
      {Sem::v_add_i16, valu<AddI16Sat>, v},    {Sem::v_sub_i16, valu<SubI16Sat>, v},
  };
}

HandlerTable makeValuInt() {
  const Shape v = Shape::Vector;
  const Elem n = Elem::None;
  return {
      {Sem::v_mov_b32, valu<Mov>, v, Elem::F32},
      {Sem::v_accvgpr_read_b32, valu<Mov>, v, n},
      {Sem::v_accvgpr_write_b32, valu<Mov>, v, n},
      {Sem::v_accvgpr_mov_b32, valu<Mov>, v, n},
      {Sem::v_mov_b64, valu<Mov64>, v, n},
      {Sem::v_not_b32, valu<Not>, v, n},
      {Sem::v_bfrev_b32, valu<Bfrev>, v, n},
      {Sem::v_ffbh_u32, valu<Ffbh>, v, n},
      {Sem::v_ffbh_i32, valu<FfbhI>, v, n},
      {Sem::v_ffbl_b32, valu<Ffbl>, v, n},
      {Sem::v_prng_b32, valu<Prng>, v, n},
      {Sem::v_add_u32, valu<Add>, v, n},
      {Sem::v_sub_u32, valu<Sub>, v, n},
      {Sem::v_subrev_u32, valu<SubRev>, v, n},
      {Sem::v_add_i32, valu<Add>, v, n},
      {Sem::v_sub_i32, valu<Sub>, v, n},
      {Sem::v_and_b32, valu<And>, v, n},
      {Sem::v_or_b32, valu<Or>, v, n},
      {Sem::v_xor_b32, valu<Xor>, v, n},
      {Sem::v_xnor_b32, valu<Xnor>, v, n},
      {Sem::v_lshlrev_b32, valu<LshlRev>, v, n},
      {Sem::v_lshrrev_b32, valu<LshrRev>, v, n},
      {Sem::v_ashrrev_i32, valu<AshrRev>, v, n},
      {Sem::v_max_i32, valu<MaxI>, v, n},
      {Sem::v_min_i32, valu<MinI>, v, n},
      {Sem::v_max_u32, valu<MaxU>, v, n},
      {Sem::v_min_u32, valu<MinU>, v, n},
      {Sem::v_mul_lo_u32, valu<MulLo>, v, n},
      {Sem::v_mul_hi_u32, valu<MulHi>, v, n},
      {Sem::v_mul_hi_i32, valu<MulHiI>, v, n},
      {Sem::v_mul_u32_u24, valu<Mul24>, v, n},
      {Sem::v_mul_i32_i24, valu<MulI24>, v, n},
      {Sem::v_mul_hi_u32_u24, valu<MulHi24>, v, n},
      {Sem::v_mul_hi_i32_i24, valu<MulHiI24>, v, n},
      {Sem::v_bfm_b32, valu<Bfm>, v, n},
      {Sem::v_bcnt_u32_b32, valu<Bcnt>, v, n},
      {Sem::v_add3_u32, valu<Add3>, v, n},
      {Sem::v_lshl_add_u32, valu<LshlAdd>, v, n},
      {Sem::v_add_lshl_u32, valu<AddLshl>, v, n},
      {Sem::v_lshl_or_b32, valu<LshlOr>, v, n},
      {Sem::v_and_or_b32, valu<AndOr>, v, n},
      {Sem::v_or3_b32, valu<Or3>, v, n},
      {Sem::v_xad_u32, valu<Xad>, v, n},
      {Sem::v_bfi_b32, valu<Bfi>, v, n},
      {Sem::v_bfe_u32, valu<BfeU>, v, n},
      {Sem::v_bfe_i32, valu<BfeI>, v, n},
      {Sem::v_alignbit_b32, valu<Alignbit>, v, n},
      {Sem::v_alignbyte_b32, valu<Alignbyte>, v, n},
      {Sem::v_mad_u32_u24, valu<MadU24>, v, n},
      {Sem::v_mad_i32_i24, valu<MadI24>, v, n},
      {Sem::v_max3_i32, valu<Max3I>, v, n},
      {Sem::v_min3_i32, valu<Min3I>, v, n},
      {Sem::v_med3_i32, valu<Med3I>, v, n},
      {Sem::v_max3_u32, valu<Max3U>, v, n},
      {Sem::v_min3_u32, valu<Min3U>, v, n},
      {Sem::v_med3_u32, valu<Med3U>, v, n},
      {Sem::v_sad_u8, valu<SadU8>, v, n},
      {Sem::v_sad_u32, valu<SadU32>, v, n},
      {Sem::v_perm_b32, valu<Perm>, v, n},
      {Sem::v_lshlrev_b64, valu<LshlRev64>, v, n},
      {Sem::v_lshrrev_b64, valu<LshrRev64>, v, n},
      {Sem::v_ashrrev_i64, valu<AshrRev64>, v, n},
      {Sem::v_lshl_add_u64, valu<LshlAdd64>, v, n},
      {Sem::v_add_co_u32, carryOp<Carry::Add, false>, v, n},
      {Sem::v_sub_co_u32, carryOp<Carry::Sub, false>, v, n},
      {Sem::v_subrev_co_u32, carryOp<Carry::SubRev, false>, v, n},
      {Sem::v_addc_co_u32, carryOp<Carry::Add, true>, v, n},
      {Sem::v_subb_co_u32, carryOp<Carry::Sub, true>, v, n},
      {Sem::v_subbrev_co_u32, carryOp<Carry::SubRev, true>, v, n},
      {Sem::v_cndmask_b32, cndmask, v, Elem::F32},
      {Sem::v_mad_u64_u32, mad64<false>, v, n},
      {Sem::v_mad_i64_i32, mad64<true>, v, n},
      {Sem::v_bitop3_b32, bitop3<false>, v, Elem::Raw},
      {Sem::v_bitop3_b16, bitop3<true>, v, Elem::Raw},
      {Sem::v_swap_b32, swap, v, n},
      {Sem::v_mbcnt_lo_u32_b32, mbcnt<false>, v, n},
      {Sem::v_mbcnt_hi_u32_b32, mbcnt<true>, v, n},
  };
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeValuInt);
HWY_EXPORT(makeSaturating);
Handler saturatingHandler(Sem sem) {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeSaturating)();
  for (const Entry &e : table)
    if (e.sem == sem)
      return e.fn;
  return nullptr;
}
const HandlerTable &tableValuInt() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeValuInt)();
  return table;
}
} // namespace tegula::sim
#endif
