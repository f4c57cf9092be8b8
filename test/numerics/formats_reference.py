"""Number formats, block scales and scale layouts by their definitions: integers and NumPy only.

What casts, quantizers and layouts are held against. It shares no code with the compiler, the
interpreter or the simulated device.
"""

from __future__ import annotations

import numpy as np

U32 = np.uint32
#        E  M  bias  max    max_code
FMT = {
    "e4m3fn": (4, 3, 7, 448.0, 0x7E),
    "e4m3fnuz": (4, 3, 8, 240.0, 0x7F),
    "e5m2": (5, 2, 15, 57344.0, 0x7B),
    "e5m2fnuz": (5, 2, 16, 57344.0, 0x7F),
    "e2m1": (2, 1, 1, 6.0, 0x07),
    "e2m3": (2, 3, 1, 7.5, 0x1F),
    "e3m2": (3, 2, 3, 28.0, 0x1F),
}


def round_code(mag_bits, fmt):
    """fp32 magnitude bits (finite) -> rounded code without sign; > max_code means overflow."""
    E, M, bias, _, _ = FMT[fmt]
    b = mag_bits.astype(np.int64)
    e, m = b >> 23, b & 0x7FFFFF
    sig = np.where(e == 0, m, m | 0x800000)  # value = sig * 2**ex
    ex = np.where(e == 0, 1, e) - 150
    emin = 1 - bias
    top = np.maximum(np.where(e == 0, -127, e - 127), emin)  # exponent of the quantum's binade
    sh = np.minimum(top - M - ex, 60)  # bits to drop, always > 0
    n = sig >> sh
    rest = sig & ((np.int64(1) << sh) - 1)
    half = np.int64(1) << (sh - 1)
    n = n + ((rest > half) | ((rest == half) & ((n & 1) == 1)))
    return ((top - emin) << M) + n  # carries into the exponent by itself


def encode_sat(x, fmt):
    """Saturating: finite overflow and +-Inf -> +-max; NaN -> NaN code (0 where none exists)."""
    E, M, bias, _, max_code = FMT[fmt]
    b = np.asarray(x, np.float32).view(U32)
    sign = (b >> 31).astype(np.int64)
    mag = b & U32(0x7FFFFFFF)
    nan, inf = mag > 0x7F800000, mag == 0x7F800000
    code = round_code(np.where(nan | inf, 0, mag), fmt)
    code = np.where(inf, max_code, np.minimum(code, max_code))
    if fmt.endswith("fnuz"):
        out = np.where(code == 0, 0, code | (sign << 7))  # no negative zero
        out = np.where(nan, 0x80, out)
    elif fmt in ("e4m3fn", "e5m2"):
        out = np.where(nan, 0x7F, code) | (sign << 7)
    else:
        out = np.where(nan, 0, code) | (sign << (E + M))  # NaN is unspecified: +-0 here
    return out.astype(np.uint8)


POW2 = {"e4m3fn": 8, "e5m2": 15, "e2m3": 2, "e3m2": 4, "e2m1": 2}


def block_amax(xb):  # xb: [..., B] float32
    a = np.abs(xb)
    return np.where(np.isnan(a).any(-1), np.float32(np.nan), a.max(-1)).astype(np.float32)


def mx_scale(amax, fmt, mode):
    M, max_pos = FMT[fmt][1], FMT[fmt][3]
    if mode == "rceil":
        d = (amax * np.float32(1.0 / max_pos)).astype(np.float32)
        b = d.view(U32).astype(np.int64)
        e, m = (b >> 23) & 255, b & 0x7FFFFF
        s = e + np.where(e == 0, m > 0x400000, m != 0)
        return np.where(b >= 0x7F800000, 255, s).astype(np.uint8)
    b = amax.view(U32).astype(np.int64) & 0x7FFFFFFF
    bad = b >= 0x7F800000  # Inf or NaN
    if mode == "even":
        b = np.where(bad, b, (b + (1 << (22 - M))) & 0xFF800000)
        bad = b >= 0x7F800000  # the carry may reach Inf
    e = ((b >> 23) & 255) - 127
    if mode == "ceil":
        e = e + ((b & 0x7FFFFF) != 0)
    s = np.clip(e - POW2[fmt], -127, 128) + 127
    return np.where(bad, 255, s).astype(np.uint8)


def e8m0_to_f32(s):
    s = s.astype(np.int64)
    bits = np.where(s == 255, 0x7FC00000, np.where(s == 0, 0x00400000, s << 23))
    return bits.astype(U32).view(np.float32)


def mx_quantize(x, fmt, mode, block=32):  # scales along the last axis
    x = np.asarray(x, np.float32)
    xb = x.reshape(*x.shape[:-1], x.shape[-1] // block, block)
    s = mx_scale(block_amax(xb), fmt, mode)
    r = e8m0_to_f32((254 - s.astype(np.int64)) & 255)
    with np.errstate(all="ignore"):
        y = (xb * r[..., None]).astype(np.float32)
    return s, encode_sat(y, fmt).reshape(x.shape)


def blocked_offset(r, c, C):
    return (
        ((r // 128) * ((C + 3) // 4) + c // 4) * 512 + (r % 32) * 16 + ((r % 128) // 32) * 4 + c % 4
    )


def to_blocked(s):
    R, C = s.shape
    out = np.zeros(-(-R // 128) * 128 * (-(-C // 4) * 4), np.uint8)
    r, c = np.meshgrid(np.arange(R), np.arange(C), indexing="ij")
    out[blocked_offset(r, c, C)] = s
    return out


def to_blocked_m_groups(s, offs):  # C % 4 == 0
    M, C = s.shape
    out = np.zeros((M + 128 * len(offs)) * C, np.uint8)
    starts = [0]
    b = 0
    for e in offs:
        if e > b:
            t = to_blocked(s[b:e])
            out[starts[-1] * C : starts[-1] * C + t.size] = t
        starts.append(starts[-1] + -(-(e - b) // 128) * 128)
        b = e
    return out.reshape(-1, C), starts


def to_blocked_k_groups(s, offs):
    M, C = s.shape
    Mp = -(-M // 128) * 128
    out = np.zeros(Mp * (C + 4 * len(offs)), np.uint8)
    starts = [0]
    b = 0
    for e in offs:
        if e > b:
            t = to_blocked(s[:, b:e])
            out[starts[-1] * Mp : starts[-1] * Mp + t.size] = t
        starts.append(starts[-1] + -(-(e - b) // 4) * 4)
        b = e
    return out.reshape(Mp, -1), starts


def fp8_scale(amax, fmt, pow2):  # amax: float32 array, already max over the group
    s = (np.float64(FMT[fmt][3]) / np.maximum(amax.astype(np.float64), 1e-12)).astype(np.float32)
    if pow2:  # exp2(floor(log2 s)): clear the mantissa
        s = np.where(np.isnan(s), s, (s.view(U32) & U32(0xFF800000)).view(np.float32))
    return s


def fp8_cast(x, s, fmt):  # s broadcast to x
    m = np.float32(FMT[fmt][3])
    with np.errstate(all="ignore"):
        y = (np.asarray(x, np.float32) * s).astype(np.float32)
    return encode_sat(np.clip(y, -m, m), fmt)
