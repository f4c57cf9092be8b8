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
#define BIN32_SAT(NAME, PLAIN, SATURATED)                                                          \
  TEGULA_SAT_OP(NAME, F32, U32, U32, U32, NoElem, (u32 a, u32 b), PLAIN, SATURATED)
#define TRI32_SAT(NAME, PLAIN, SATURATED)                                                          \
  TEGULA_SAT_OP(NAME, F32, U32, U32, U32, U32, (u32 a, u32 b, u32 c), PLAIN, SATURATED)

UN32(v_mov_b32, return a;)
TEGULA_SAME(v_accvgpr_read_b32, v_mov_b32)
TEGULA_SAME(v_accvgpr_write_b32, v_mov_b32)
TEGULA_SAME(v_accvgpr_mov_b32, v_mov_b32)
UN32(v_not_b32, return ~a;)
UN32(v_bfrev_b32, u32 v = a; v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
     v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
     v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4; return __builtin_bswap32(v);)
UN32(v_ffbh_u32, return a ? u32(__builtin_clz(a)) : ~0u;)
UN32(v_ffbh_i32, u32 v = i32(a) < 0 ? ~a : a; return v ? u32(__builtin_clz(v)) : ~0u;)
UN32(v_ffbl_b32, return a ? u32(__builtin_ctz(a)) : ~0u;)
UN32(v_prng_b32, return a << 1 ^ (a >> 31 ? 197u : 0u);)
HWY_INLINE u32 saturateU8(i32 v) { return u32(saturate<i32, i32>(v, 0, 255)); }
UN32(v_sat_pk_u8_i16, return saturateU8(i32(a << 16) >> 16) | saturateU8(i32(a) >> 16) << 8;)
TEGULA_OP(v_mov_b64, F32, U64, U64, NoElem, NoElem, (u64 a), return a;)

BIN32_SAT(v_add_u32, return a + b;, return saturateU32(u64(a) + b);)
BIN32_SAT(v_sub_u32, return a - b;, return a < b ? 0u : a - b;)
BIN32_SAT(v_subrev_u32, return b - a;, return b < a ? 0u : b - a;)
TEGULA_SAT_OP(v_add_i32, F32, U32, I32, I32, NoElem, (i32 a, i32 b), return u32(a) + u32(b);
              , return u32(saturateI32(i64(a) + b));)
TEGULA_SAT_OP(v_sub_i32, F32, U32, I32, I32, NoElem, (i32 a, i32 b), return u32(a) - u32(b);
              , return u32(saturateI32(i64(a) - b));)
BIN32(v_and_b32, return a & b;)
BIN32(v_or_b32, return a | b;)
BIN32(v_xor_b32, return a ^ b;)
BIN32(v_xnor_b32, return ~(a ^ b);)
BIN32(v_lshlrev_b32, return b << (a & 31);)
BIN32(v_lshrrev_b32, return b >> (a & 31);)
BINS(v_ashrrev_i32, return b >> (a & 31);)
BINS(v_max_i32, return maxOf(a, b);)
BINS(v_min_i32, return minOf(a, b);)
BIN32(v_max_u32, return maxOf(a, b);)
BIN32(v_min_u32, return minOf(a, b);)
BIN32(v_mul_lo_u32, return a * b;)
BIN32(v_mul_hi_u32, return u32((u64(a) * b) >> 32);)
BINS(v_mul_hi_i32, return i32((i64(a) * b) >> 32);)
BIN32(v_mul_u32_u24, return (a & 0xffffff) * (b & 0xffffff);)
BIN32(v_mul_hi_u32_u24, return u32((u64(a & 0xffffff) * (b & 0xffffff)) >> 32);)
HWY_INLINE i32 signed24(i32 v) { return i32(u32(v) << 8) >> 8; }
BINS(v_mul_i32_i24, return i32(u32(signed24(a)) * u32(signed24(b)));)
BINS(v_mul_hi_i32_i24, return i32((i64(signed24(a)) * signed24(b)) >> 32);)
BIN32(v_bfm_b32, return ((1u << (a & 31)) - 1) << (b & 31);)
BIN32(v_bcnt_u32_b32, u32 v = a; v = v - (v >> 1 & 0x55555555);
      v = (v & 0x33333333) + (v >> 2 & 0x33333333); v = (v + (v >> 4)) & 0x0f0f0f0f;
      return ((v * 0x01010101u) >> 24) + b;)

TRI32(v_add3_u32, return a + b + c;)
TRI32(v_lshl_add_u32, return (a << (b & 31)) + c;)
TRI32(v_add_lshl_u32, return (a + b) << (c & 31);)
TRI32(v_lshl_or_b32, return a << (b & 31) | c;)
TRI32(v_and_or_b32, return (a & b) | c;)
TRI32(v_or3_b32, return a | b | c;)
TRI32(v_xad_u32, return (a ^ b) + c;)
TRI32(v_bfi_b32, return (a & b) | (~a & c);)
TRI32(v_bfe_u32, u32 n = c & 31; return (a >> (b & 31)) & ((1u << n) - 1);)
TEGULA_OP(v_bfe_i32, F32, I32, I32, U32, U32, (i32 a, u32 b, u32 c), u32 n = c & 31;
          u32 v = u32(a >> (b & 31)) & ((1u << n) - 1); u32 sign = n ? 1u << (n - 1) : 0;
          return i32((v ^ sign) - sign);)
TRI32(v_alignbit_b32, u32 n = c & 31; return u32((u64(a) << 32 | b) >> n);)
TRI32(v_alignbyte_b32, u32 n = (c & 3) * 8; return u32((u64(a) << 32 | b) >> n);)
TRI32_SAT(v_mad_u32_u24, return (a & 0xffffff) * (b & 0xffffff) + c;
          , return saturateU32(u64(a & 0xffffff) * (b & 0xffffff) + c);)
TEGULA_SAT_OP(v_mad_i32_i24, F32, I32, I32, I32, I32, (i32 a, i32 b, i32 c),
              return i32(u32(signed24(a)) * u32(signed24(b)) + u32(c));
              , return saturateI32(i64(signed24(a)) * signed24(b) + c);)
TRIS(v_max3_i32, return maxOf(maxOf(a, b), c);)
TRIS(v_min3_i32, return minOf(minOf(a, b), c);)
TRIS(v_med3_i32, return medOf(a, b, c);)
TRI32(v_max3_u32, return maxOf(maxOf(a, b), c);)
TRI32(v_min3_u32, return minOf(minOf(a, b), c);)
TRI32(v_med3_u32, return medOf(a, b, c);)

// --- Bytes
HWY_INLINE u32 byteOf(u32 v, u32 i) { return v >> (i * 8) & 0xff; }
TRI32(v_lerp_u8, u32 r = 0; for (u32 i = 0; i < 4; ++i) r |=
                            (byteOf(a, i) + byteOf(b, i) + (c >> (8 * i) & 1)) >> 1 << (8 * i);
      return r;)
HWY_INLINE u32 absDiff(u32 a, u32 b) { return a > b ? a - b : b - a; }
/// Sum of the absolute differences of four bytes; with `Masked`, where the reference b is not 0.
template <bool Masked> HWY_INLINE u32 sad8(u32 a, u32 b) {
  u32 sum = 0;
  for (u32 i = 0; i < 4; ++i)
    sum += Masked && byteOf(b, i) == 0 ? 0 : absDiff(byteOf(a, i), byteOf(b, i));
  return sum;
}
HWY_INLINE u32 sad16(u32 a, u32 b) {
  return absDiff(a & 0xffff, b & 0xffff) + absDiff(a >> 16, b >> 16);
}
#define SAD(NAME, SUM) TRI32_SAT(NAME, return u32(SUM) + c;, return saturateU32(u64(SUM) + c);)
SAD(v_sad_u8, sad8<false>(a, b))
SAD(v_msad_u8, sad8<true>(a, b))
SAD(v_sad_hi_u8, sad8<false>(a, b) << 16)
SAD(v_sad_u16, sad16(a, b))
SAD(v_sad_u32, absDiff(a, b))
/// Four windows of `a`, each a byte further, against b; sums are added to the halves of c.
template <bool Masked, bool Sat> HWY_INLINE u64 quadSad(u64 a, u32 b, u64 c) {
  u64 r = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 sum = sad8<Masked>(u32(a >> (8 * i)), b) + u32(c >> (16 * i) & 0xffff);
    r |= u64(Sat ? saturateU16(sum) : sum & 0xffff) << (16 * i);
  }
  return r;
}
TEGULA_SAT_OP(v_qsad_pk_u16_u8, F32, U64, U64, U32, U64, (u64 a, u32 b, u64 c),
              return (quadSad<false, false>(a, b, c));
              , return (quadSad<false, true>(a, b, c));)
TEGULA_SAT_OP(v_mqsad_pk_u16_u8, F32, U64, U64, U32, U64, (u64 a, u32 b, u64 c),
              return (quadSad<true, false>(a, b, c));
              , return (quadSad<true, true>(a, b, c));)
/// The same with 32-bit sums: four rows of c and d.
template <bool Sat> const Op *quadSad32(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  alignas(64) u32 r[256];
  for (unsigned i = 0; i < 64; ++i)
    for (unsigned k = 0; k < 4; ++k) {
      u64 sum = u64(sad8<true>(u32(U64::get(a, i) >> (8 * k)), b[i])) + c[64 * k + i];
      r[64 * k + i] = Sat ? saturateU32(sum) : u32(sum);
    }
  storeRows(w, o.d, r, 4);
  return &o + 1;
}
/// aux = opSel: bit 3 picks the half of d; the other half stays.
template <bool Signed> const Op *shiftPackBytes(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c), *d = w.row(o.d);
  auto narrow = [](u32 v, u32 n) {
    i32 shifted = i32(v) >> (n & 31);
    return Signed ? u32(saturate<i32, i32>(shifted, -128, 127)) & 0xff : saturateU8(shifted);
  };
  u32 shift = o.aux & 8 ? 16 : 0;
  alignas(64) u32 r[64];
  for (unsigned i = 0; i < 64; ++i) {
    u32 pair = narrow(a[i], c[i]) | narrow(b[i], c[i]) << 8;
    r[i] = (d[i] & ~(0xffffu << shift)) | pair << shift;
  }
  storeRows(w, o.d, r, 1);
  return &o + 1;
}

/// One selected byte of v_perm: 0–3 from b, 4–7 from a, 8–11 signs of bytes 1, 3, 5, 7, 12 zero,
/// above all ones.
HWY_INLINE u32 permByte(u64 data, u32 sel) {
  u32 byte = u32(data >> ((sel & 7) * 8)) & 0xff;
  u32 sign = (data >> ((sel & 3) * 16 + 15) & 1) ? 0xffu : 0u;
  u32 r = sel >= 13 ? 0xffu : sel == 12 ? 0u : sign;
  return sel < 8 ? byte : r;
}
TRI32(v_perm_b32, u64 data = u64(a) << 32 | b;
      return permByte(data, c & 0xff) | permByte(data, c >> 8 & 0xff) << 8 |
             permByte(data, c >> 16 & 0xff) << 16 | permByte(data, c >> 24) << 24;)

TEGULA_OP(v_lshlrev_b64, F32, U64, U32, U64, NoElem, (u32 a, u64 b), return b << (a & 63);)
TEGULA_OP(v_lshrrev_b64, F32, U64, U32, U64, NoElem, (u32 a, u64 b), return b >> (a & 63);)
TEGULA_OP(v_ashrrev_i64, F32, I64, U32, I64, NoElem, (u32 a, i64 b), return b >> (a & 63);)
TEGULA_OP(v_lshl_add_u64, F32, U64, U64, U32, U64, (u64 a, u32 b, u64 c),
          return (b > 4 ? a : a << b) + c;)

// --- Carries
enum class Carry { Add, Sub, SubRev };
/// x = carry-out index | carry-in index << 16. `Sat`: sums stop at the end of the range.
template <Carry K, bool In, bool Sat> const Op *carryOp(Wave &w, const Op &o) {
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
      out[i] = u32(s < x) | u32(t < s);
      r[i] = Sat && out[i] ? ~0u : t;
    } else {
      u32 s = x - y, t = s - in[i];
      out[i] = u32(x < y) | u32(s < in[i]);
      r[i] = Sat && out[i] ? 0u : t;
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
template <bool Signed, bool Sat> const Op *mad64(Wave &w, const Op &o) {
  broadcastSource(w, o.slot);
  const u32 *a = w.row(o.a), *b = w.row(o.b), *c = w.row(o.c);
  alignas(64) u32 r[128], out[64];
  TEGULA_LANES
  for (unsigned i = 0; i < 64; ++i) {
    u64 product = Signed ? u64(i64(i32(a[i])) * i32(b[i])) : u64(a[i]) * b[i];
    u64 addend = U64::get(c, i), sum = product + addend;
    // Signed: overflow of the 64-bit sum; unsigned: its carry.
    out[i] = Signed ? u32((~(product ^ addend) & (product ^ sum)) >> 63) : u32(sum < product);
    u64 limit = Signed ? (u64(i64(product) >> 63) ^ (~u64(0) >> 1)) : ~u64(0);
    U64::put(r, i, Sat && out[i] ? limit : sum);
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

HandlerTable makeValuInt() {
  const Shape v = Shape::Vector;
  const Elem n = Elem::None, raw = Elem::Raw;
#define CARRY(NAME, KIND, IN)                                                                      \
  {Sem::NAME, carryOp<Carry::KIND, IN, false>, v, n, 0, false, carryOp<Carry::KIND, IN, true>}
#define MAD64(NAME, SIGNED) {Sem::NAME, mad64<SIGNED, false>, v, n, 0, false, mad64<SIGNED, true>}
  HandlerTable table = {
      CARRY(v_add_co_u32, Add, false),
      CARRY(v_sub_co_u32, Sub, false),
      CARRY(v_subrev_co_u32, SubRev, false),
      CARRY(v_addc_co_u32, Add, true),
      CARRY(v_subb_co_u32, Sub, true),
      CARRY(v_subbrev_co_u32, SubRev, true),
      MAD64(v_mad_u64_u32, false),
      MAD64(v_mad_i64_i32, true),
      {Sem::v_mqsad_u32_u8, quadSad32<false>, v, n, 0, false, quadSad32<true>},
      {Sem::v_cndmask_b32, cndmask, v, Elem::F32},
      {Sem::v_bitop3_b32, bitop3<false>, v, raw},
      {Sem::v_bitop3_b16, bitop3<true>, v, raw},
      {Sem::v_ashr_pk_i8_i32, shiftPackBytes<true>, v, raw},
      {Sem::v_ashr_pk_u8_i32, shiftPackBytes<false>, v, raw},
      {Sem::v_swap_b32, swap, v, n},
      {Sem::v_mbcnt_lo_u32_b32, mbcnt<false>, v, n},
      {Sem::v_mbcnt_hi_u32_b32, mbcnt<true>, v, n},
  };
  addOps<v_mov_b32>(table, Elem::F32);
  addOps<v_accvgpr_read_b32, v_accvgpr_write_b32, v_accvgpr_mov_b32, v_mov_b64, v_not_b32,
         v_bfrev_b32, v_ffbh_u32, v_ffbh_i32, v_ffbl_b32, v_prng_b32, v_sat_pk_u8_i16, v_add_u32,
         v_sub_u32, v_subrev_u32, v_add_i32, v_sub_i32, v_and_b32, v_or_b32, v_xor_b32, v_xnor_b32,
         v_lshlrev_b32, v_lshrrev_b32, v_ashrrev_i32, v_max_i32, v_min_i32, v_max_u32, v_min_u32,
         v_mul_lo_u32, v_mul_hi_u32, v_mul_hi_i32, v_mul_u32_u24, v_mul_i32_i24, v_mul_hi_u32_u24,
         v_mul_hi_i32_i24, v_bfm_b32, v_bcnt_u32_b32, v_add3_u32, v_lshl_add_u32, v_add_lshl_u32,
         v_lshl_or_b32, v_and_or_b32, v_or3_b32, v_xad_u32, v_bfi_b32, v_bfe_u32, v_bfe_i32,
         v_alignbit_b32, v_alignbyte_b32, v_mad_u32_u24, v_mad_i32_i24, v_max3_i32, v_min3_i32,
         v_med3_i32, v_max3_u32, v_min3_u32, v_med3_u32, v_lerp_u8, v_sad_u8, v_msad_u8,
         v_sad_hi_u8, v_sad_u16, v_sad_u32, v_qsad_pk_u16_u8, v_mqsad_pk_u16_u8, v_perm_b32,
         v_lshlrev_b64, v_lshrrev_b64, v_ashrrev_i64, v_lshl_add_u64>(table, n);
  return table;
}
} // namespace HWY_NAMESPACE
} // namespace sim
} // namespace tegula
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tegula::sim {
HWY_EXPORT(makeValuInt);
const HandlerTable &tableValuInt() {
  static const HandlerTable table = HWY_DYNAMIC_DISPATCH(makeValuInt)();
  return table;
}
} // namespace tegula::sim
#endif
