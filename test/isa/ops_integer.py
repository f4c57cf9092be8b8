"""Integer and bit instructions of the VALU."""

from __future__ import annotations

from typing import Any

from .ops import Lane, op, signed

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


# ---- moves and selections


@op("v_mov_b32", "v_mov_b64")
def mov(x: Lane, a: int) -> int:
    return a


@op("v_cndmask_b32")
def cndmask(x: Lane, a: int, b: int) -> int:
    return b if x.carry else a


@op("v_not_b32")
def not_(x: Lane, a: int) -> int:
    return ~a & M32


@op("v_bfrev_b32")
def bfrev(x: Lane, a: int) -> int:
    return int(f"{a:032b}"[::-1], 2)


@op("v_ffbh_u32")
def ffbh_u32(x: Lane, a: int) -> int:
    return 32 - a.bit_length() if a else M32


@op("v_ffbl_b32")
def ffbl(x: Lane, a: int) -> int:
    return (a & -a).bit_length() - 1 if a else M32


@op("v_ffbh_i32")
def ffbh_i32(x: Lane, a: int) -> int:
    """Leading bits equal to the sign; -1 when all are."""
    other = ~a & M32 if a >> 31 else a
    return 32 - other.bit_length() if other else M32


@op("v_prng_b32")
def prng(x: Lane, a: int) -> int:
    return (a << 1 ^ (197 if a >> 31 else 0)) & M32


@op("v_sat_pk_u8_i16")
def sat_pk(x: Lane, a: int) -> int:
    low, high = (min(max(signed(h, 16), 0), 255) for h in (a & 0xFFFF, a >> 16))
    return low | high << 8


# ---- add, subtract, multiply


@op("v_add_u32", "v_add_u16")
def add(x: Lane, a: int, b: int) -> int:
    return a + b


@op("v_sub_u32", "v_sub_u16")
def sub(x: Lane, a: int, b: int) -> int:
    return a - b


@op("v_subrev_u32", "v_subrev_u16")
def subrev(x: Lane, a: int, b: int) -> int:
    return b - a


@op("v_add_i32")
def add_i32(x: Lane, a: int, b: int) -> int:
    return signed(a) + signed(b)


@op("v_sub_i32")
def sub_i32(x: Lane, a: int, b: int) -> int:
    return signed(a) - signed(b)


@op("v_add_i16")
def add_i16(x: Lane, a: int, b: int) -> int:
    return signed(a, 16) + signed(b, 16)


@op("v_sub_i16")
def sub_i16(x: Lane, a: int, b: int) -> int:
    return signed(a, 16) - signed(b, 16)


@op("v_add_co_u32")
def add_co(x: Lane, a: int, b: int) -> Any:
    return a + b, a + b > M32


@op("v_sub_co_u32")
def sub_co(x: Lane, a: int, b: int) -> Any:
    return a - b, a < b


@op("v_subrev_co_u32")
def subrev_co(x: Lane, a: int, b: int) -> Any:
    return b - a, b < a


@op("v_addc_co_u32")
def addc_co(x: Lane, a: int, b: int) -> Any:
    return a + b + x.carry, a + b + x.carry > M32


@op("v_subb_co_u32")
def subb_co(x: Lane, a: int, b: int) -> Any:
    return a - b - x.carry, a - b - x.carry < 0


@op("v_subbrev_co_u32")
def subbrev_co(x: Lane, a: int, b: int) -> Any:
    return b - a - x.carry, b - a - x.carry < 0


@op("v_mul_lo_u32", "v_mul_lo_u16")
def mul_lo(x: Lane, a: int, b: int) -> int:
    return a * b


@op("v_mul_hi_u32")
def mul_hi_u32(x: Lane, a: int, b: int) -> int:
    return a * b >> 32


@op("v_mul_hi_i32")
def mul_hi_i32(x: Lane, a: int, b: int) -> int:
    return signed(a) * signed(b) >> 32


@op("v_mul_u32_u24")
def mul_u24(x: Lane, a: int, b: int) -> int:
    return (a & 0xFFFFFF) * (b & 0xFFFFFF)


@op("v_mul_hi_u32_u24")
def mul_hi_u24(x: Lane, a: int, b: int) -> int:
    return (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32


@op("v_mul_i32_i24")
def mul_i24(x: Lane, a: int, b: int) -> int:
    return signed(a, 24) * signed(b, 24)


@op("v_mul_hi_i32_i24")
def mul_hi_i24(x: Lane, a: int, b: int) -> int:
    return signed(a, 24) * signed(b, 24) >> 32


@op("v_mad_u32_u24")
def mad_u24(x: Lane, a: int, b: int, c: int) -> int:
    return (a & 0xFFFFFF) * (b & 0xFFFFFF) + c


@op("v_mad_i32_i24")
def mad_i24(x: Lane, a: int, b: int, c: int) -> int:
    return signed(a, 24) * signed(b, 24) + signed(c)


@op("v_mad_u16", "v_mad_legacy_u16", "v_mad_u32_u16")
def mad_unsigned(x: Lane, a: int, b: int, c: int) -> int:
    return a * b + c


@op("v_mad_i16", "v_mad_legacy_i16")
def mad_i16(x: Lane, a: int, b: int, c: int) -> int:
    return signed(a, 16) * signed(b, 16) + signed(c, 16)


@op("v_mad_i32_i16")
def mad_i32_i16(x: Lane, a: int, b: int, c: int) -> int:
    return signed(a, 16) * signed(b, 16) + signed(c)


@op("v_mad_u64_u32", clamp="u64")
def mad_u64(x: Lane, a: int, b: int, c: int) -> Any:
    return a * b + c, a * b + c > M64


@op("v_mad_i64_i32", clamp="i64")
def mad_i64(x: Lane, a: int, b: int, c: int) -> Any:
    """The second result is an overflow of the signed sum."""
    exact = signed(a) * signed(b) + signed(c, 64)
    return exact, not -(1 << 63) <= exact < 1 << 63


@op("v_add3_u32")
def add3(x: Lane, a: int, b: int, c: int) -> int:
    return a + b + c


@op("v_lshl_add_u32")
def lshl_add(x: Lane, a: int, b: int, c: int) -> int:
    return (a << (b & 31)) + c


@op("v_add_lshl_u32")
def add_lshl(x: Lane, a: int, b: int, c: int) -> int:
    return (a + b & M32) << (c & 31)


@op("v_lshl_add_u64")
def lshl_add_u64(x: Lane, a: int, b: int, c: int) -> int:
    return (a << (b if b <= 4 else 0)) + c


@op("v_xad_u32")
def xad(x: Lane, a: int, b: int, c: int) -> int:
    return (a ^ b) + c


# ---- minimum, maximum, median


def _extreme(names: tuple[str, ...], pick: Any, bits: int, is_signed: bool) -> None:
    def key(v: int) -> int:
        return signed(v, bits) if is_signed else v

    @op(*names)
    def extreme(x: Lane, *sources: int) -> int:
        return key(int(pick(sources, key=key)))


for _bits in (16, 32):
    for _sign in "iu":
        _type = f"{_sign}{_bits}"
        _extreme((f"v_min_{_type}", f"v_min3_{_type}"), min, _bits, _sign == "i")
        _extreme((f"v_max_{_type}", f"v_max3_{_type}"), max, _bits, _sign == "i")
        _extreme((f"v_med3_{_type}",), lambda s, key: sorted(s, key=key)[1], _bits, _sign == "i")


# ---- bits


@op("v_and_b32")
def and_(x: Lane, a: int, b: int) -> int:
    return a & b


@op("v_or_b32")
def or_(x: Lane, a: int, b: int) -> int:
    return a | b


@op("v_xor_b32")
def xor(x: Lane, a: int, b: int) -> int:
    return a ^ b


@op("v_xnor_b32")
def xnor(x: Lane, a: int, b: int) -> int:
    return ~(a ^ b) & M32


@op("v_and_or_b32")
def and_or(x: Lane, a: int, b: int, c: int) -> int:
    return a & b | c


@op("v_or3_b32")
def or3(x: Lane, a: int, b: int, c: int) -> int:
    return a | b | c


@op("v_lshl_or_b32")
def lshl_or(x: Lane, a: int, b: int, c: int) -> int:
    return a << (b & 31) | c


@op("v_lshlrev_b32")
def lshl(x: Lane, a: int, b: int) -> int:
    return b << (a & 31)


@op("v_lshrrev_b32")
def lshr(x: Lane, a: int, b: int) -> int:
    return b >> (a & 31)


@op("v_ashrrev_i32")
def ashr(x: Lane, a: int, b: int) -> int:
    return signed(b) >> (a & 31)


@op("v_lshlrev_b16")
def lshl16(x: Lane, a: int, b: int) -> int:
    return b << (a & 15)


@op("v_lshrrev_b16")
def lshr16(x: Lane, a: int, b: int) -> int:
    return b >> (a & 15)


@op("v_ashrrev_i16")
def ashr16(x: Lane, a: int, b: int) -> int:
    return signed(b, 16) >> (a & 15)


@op("v_lshlrev_b64")
def lshl64(x: Lane, a: int, b: int) -> int:
    return b << (a & 63)


@op("v_lshrrev_b64")
def lshr64(x: Lane, a: int, b: int) -> int:
    return b >> (a & 63)


@op("v_ashrrev_i64")
def ashr64(x: Lane, a: int, b: int) -> int:
    return signed(b, 64) >> (a & 63)


@op("v_bfe_u32")
def bfe_u32(x: Lane, a: int, b: int, c: int) -> int:
    return a >> (b & 31) & ((1 << (c & 31)) - 1)


@op("v_bfe_i32")
def bfe_i32(x: Lane, a: int, b: int, c: int) -> int:
    """The shift keeps the sign, so a field that reaches beyond bit 31 is extended with it."""
    width = c & 31
    return signed(signed(a) >> (b & 31), width) if width else 0


@op("v_bfi_b32")
def bfi(x: Lane, a: int, b: int, c: int) -> int:
    return a & b | ~a & c


@op("v_bfm_b32")
def bfm(x: Lane, a: int, b: int) -> int:
    return ((1 << (a & 31)) - 1) << (b & 31)


@op("v_alignbit_b32")
def alignbit(x: Lane, a: int, b: int, c: int) -> int:
    return (a << 32 | b) >> (c & 31)


@op("v_alignbyte_b32")
def alignbyte(x: Lane, a: int, b: int, c: int) -> int:
    return (a << 32 | b) >> 8 * (c & 3)


@op("v_perm_b32")
def perm(x: Lane, a: int, b: int, c: int) -> int:
    both = (a << 32 | b).to_bytes(8, "little")

    def picked(selector: int) -> int:
        if selector >= 13:
            return 0xFF
        if selector == 12:
            return 0
        if selector >= 8:
            return 0xFF if both[2 * (selector - 8) + 1] & 0x80 else 0
        return both[selector]

    return int.from_bytes(bytes(picked(s) for s in c.to_bytes(4, "little")), "little")


@op("v_bitop3_b32", "v_bitop3_b16")
def bitop3(x: Lane, a: int, b: int, c: int) -> int:
    result = 0
    for bit in range(32):
        index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1
        result |= (x.immediate >> index & 1) << bit
    return result


@op("v_bcnt_u32_b32")
def bcnt(x: Lane, a: int, b: int) -> int:
    return a.bit_count() + b


@op("v_mbcnt_lo_u32_b32")
def mbcnt_lo(x: Lane, a: int, b: int) -> int:
    return (a & ((1 << min(x.lane, 32)) - 1)).bit_count() + b


@op("v_mbcnt_hi_u32_b32")
def mbcnt_hi(x: Lane, a: int, b: int) -> int:
    return (a & ((1 << max(x.lane - 32, 0)) - 1)).bit_count() + b


@op("v_pack_b32_f16")
def pack(x: Lane, a: int, b: int) -> int:
    return a | b << 16


# ---- sums of absolute differences, averages


def _bytes(x: int) -> bytes:
    return (x & M32).to_bytes(4, "little")


@op("v_sad_u8")
def sad_u8(x: Lane, a: int, b: int, c: int) -> int:
    return sum(abs(p - q) for p, q in zip(_bytes(a), _bytes(b), strict=True)) + c


@op("v_sad_hi_u8")
def sad_hi_u8(x: Lane, a: int, b: int, c: int) -> int:
    return (sum(abs(p - q) for p, q in zip(_bytes(a), _bytes(b), strict=True)) << 16) + c


@op("v_sad_u16")
def sad_u16(x: Lane, a: int, b: int, c: int) -> int:
    return abs((a & 0xFFFF) - (b & 0xFFFF)) + abs((a >> 16) - (b >> 16)) + c


@op("v_sad_u32")
def sad_u32(x: Lane, a: int, b: int, c: int) -> int:
    return abs(a - b) + c


@op("v_msad_u8")
def msad(x: Lane, a: int, b: int, c: int) -> int:
    """Bytes whose reference (b) is 0 don't count."""
    return sum(abs(p - q) for p, q in zip(_bytes(a), _bytes(b), strict=True) if q) + c


@op("v_lerp_u8")
def lerp(x: Lane, a: int, b: int, c: int) -> int:
    rounding = (_bytes(c)[i] & 1 for i in range(4))
    mean = (p + q + r >> 1 for p, q, r in zip(_bytes(a), _bytes(b), rounding, strict=True))
    return int.from_bytes(bytes(mean), "little")


@op("v_cvt_pk_u16_u32")
def cvt_pk_u16(x: Lane, a: int, b: int) -> int:
    return min(a, 0xFFFF) | min(b, 0xFFFF) << 16


@op("v_cvt_pk_i16_i32")
def cvt_pk_i16(x: Lane, a: int, b: int) -> int:
    low, high = (min(max(signed(v), -0x8000), 0x7FFF) & 0xFFFF for v in (a, b))
    return low | high << 16


@op("v_ashr_pk_i8_i32")
def ashr_pk_i8(x: Lane, a: int, b: int, c: int) -> int:
    low, high = (min(max(signed(v) >> (c & 31), -128), 127) & 0xFF for v in (a, b))
    return low | high << 8


@op("v_ashr_pk_u8_i32")
def ashr_pk_u8(x: Lane, a: int, b: int, c: int) -> int:
    low, high = (min(max(signed(v) >> (c & 31), 0), 255) for v in (a, b))
    return low | high << 8


# ---- integer dot products that accumulate into the destination


@op("v_dot2c_i32_i16", clamp="i32")
def dot2c_i16(x: Lane, a: int, b: int) -> int:
    return dot(a, b, x.old, 16, True)


@op("v_dot4c_i32_i8", clamp="i32")
def dot4c_i8(x: Lane, a: int, b: int) -> int:
    return dot(a, b, x.old, 8, True)


@op("v_dot8c_i32_i4", clamp="i32")
def dot8c_i4(x: Lane, a: int, b: int) -> int:
    return dot(a, b, x.old, 4, True)


def dot(a: int, b: int, c: int, bits: int, is_signed: bool) -> int:
    """Exact sum of products of packed integers and a 32-bit addend."""
    total = signed(c) if is_signed else c
    for shift in range(0, 32, bits):
        p, q = a >> shift & ((1 << bits) - 1), b >> shift & ((1 << bits) - 1)
        total += signed(p, bits) * signed(q, bits) if is_signed else p * q
    return total
