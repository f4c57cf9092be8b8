"""Conversions of the VALU between integers and the IEEE formats."""

from __future__ import annotations

from . import softfloat as soft
from .ops import Lane, Parts, op, saturated, signed, two_halves
from .softfloat import BF16, F16, F32, F64, Bits, Env, Format


def to_integer(x: Lane, f: Format, a: int, kind: str, rounding: int = 3) -> int:
    """Saturates; a NaN is 0."""
    a = soft.flushed(f, a, x.env(f).keep_in)
    if soft.is_nan(f, a):
        return 0
    if soft.is_infinite(f, a):
        return saturated(-(1 << 99) if soft.negative(f, a) else 1 << 99, kind)
    return saturated(soft.round_integer(*soft.value(f, a), rounding), kind)


def between(x: Lane, to: Format, f: Format, a: int) -> Bits:
    """Inputs flush by the mode of their format, results round and flush by that of theirs."""
    source, result = x.env(f), x.env(to)
    return soft.convert(to, f, a, Env(result.rounding, source.keep_in, result.keep_out))


op("v_cvt_f32_i32")(lambda x, a: soft.from_integer(F32, signed(a), x.mode.round32))
op("v_cvt_f32_u32")(lambda x, a: soft.from_integer(F32, a, x.mode.round32))
op("v_cvt_f64_i32")(lambda x, a: soft.from_integer(F64, signed(a)))
op("v_cvt_f64_u32")(lambda x, a: soft.from_integer(F64, a))
op("v_cvt_f16_i16")(lambda x, a: soft.from_integer(F16, signed(a, 16), x.mode.round64))
op("v_cvt_f16_u16")(lambda x, a: soft.from_integer(F16, a, x.mode.round64))
op("v_cvt_u32_f32")(lambda x, a: to_integer(x, F32, a, "u32"))
op("v_cvt_i32_f32")(lambda x, a: to_integer(x, F32, a, "i32"))
op("v_cvt_u32_f64")(lambda x, a: to_integer(x, F64, a, "u32"))
op("v_cvt_i32_f64")(lambda x, a: to_integer(x, F64, a, "i32"))
op("v_cvt_u16_f16")(lambda x, a: to_integer(x, F16, a, "u16"))
op("v_cvt_i16_f16")(lambda x, a: to_integer(x, F16, a, "i16"))
op("v_cvt_flr_i32_f32")(lambda x, a: to_integer(x, F32, a, "i32", 2))
op("v_cvt_f16_f32")(lambda x, a: between(x, F16, F32, a))
op("v_cvt_f32_f16")(lambda x, a: between(x, F32, F16, a))
op("v_cvt_f32_f64")(lambda x, a: between(x, F32, F64, a))
op("v_cvt_f64_f32")(lambda x, a: between(x, F64, F32, a))
for _byte in range(4):
    op(f"v_cvt_f32_ubyte{_byte}")(
        lambda x, a, shift=8 * _byte: soft.from_integer(F32, a >> shift & 0xFF)
    )


@op("v_cvt_rpi_i32_f32")
def cvt_rpi(x: Lane, a: int) -> Bits:
    """floor(a + 1/2); whether the sum is rounded to f32 first is open."""
    if soft.is_nan(F32, a) or soft.is_infinite(F32, a):
        return to_integer(x, F32, a, "i32")
    half = (0, 1, -1)
    total = soft.sum_of([soft.value(F32, soft.flushed(F32, a, x.env(F32).keep_in)), half], 0)
    in_f32 = soft.value(F32, soft.rounded(F32, total, Env(x.mode.round32)))
    nearest = soft.value(F32, soft.rounded(F32, total, soft.EXACT))
    floors = (soft.round_integer(*sum_, 2) for sum_ in (total, in_f32, nearest))
    return tuple(saturated(f, "i32") for f in floors)


@op("v_cvt_off_f32_i4")
def cvt_off(x: Lane, a: int) -> int:
    """The low 4 bits, signed, in sixteenths."""
    value = signed(a, 4)
    return soft.rounded(F32, (int(value < 0), abs(value), -4), soft.EXACT)


@op("v_cvt_f32_bf16", plain=True)
def cvt_f32_bf16(x: Lane, a: int) -> Bits:
    """A shift; whether MODE flushes denormal results is open."""
    return a << 16, soft.flushed(F32, a << 16, x.env(F32).keep_out)


@op("v_cvt_pkrtz_f16_f32")
def cvt_pkrtz(x: Lane, a: int, b: int) -> Parts:
    """Truncates always: what is too large becomes the largest number."""
    env = Env(3, x.env(F32).keep_in, x.env(F16).keep_out)
    return two_halves(F16, soft.convert(F16, F32, a, env), soft.convert(F16, F32, b, env))


@op("v_cvt_pk_f16_f32")
def cvt_pk_f16(x: Lane, a: int, b: int) -> Parts:
    env = Env(0, x.env(F32).keep_in, x.env(F16).keep_out)
    return two_halves(F16, soft.convert(F16, F32, a, env), soft.convert(F16, F32, b, env))


@op("v_cvt_pk_bf16_f32", plain=True)
def cvt_pk_bf16(x: Lane, a: int, b: int) -> Parts:
    env = Env(0, x.env(F32).keep_in, True)  # denormal results stay: bf16 has no field in MODE
    return two_halves(BF16, soft.convert(BF16, F32, a, env), soft.convert(BF16, F32, b, env))


@op("v_cvt_pk_u8_f32")
def cvt_pk_u8(x: Lane, a: int, b: int, c: int) -> int:
    """Byte b of c becomes a, rounded as MODE says."""
    byte = to_integer(x, F32, a, "u8", x.mode.round32)
    shift = 8 * (b & 3)
    return c & ~(0xFF << shift) | byte << shift
