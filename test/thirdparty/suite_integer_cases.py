"""The kernel of the OpenCL suite that tortures integers: all of C's operators and many builtins."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite_runner import case

MASK = 0xFFFFFFFF


def signed(x: int, width: int = 32) -> int:
    x &= (1 << width) - 1
    return x - (1 << width) if x >> (width - 1) else x


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return a - b * quotient(a, b)


def bytes_of(x: int) -> list[int]:
    return list((x & MASK).to_bytes(4, "little"))


def permuted(high: int, low: int, select: int) -> int:
    """v_perm_b32; 8 to 11 are copies of a sign, from 13 on all ones."""
    data = bytes_of(low) + bytes_of(high)
    signs = [255 * (data[n] >> 7) for n in (1, 3, 5, 7)]
    table = [*data, *signs, 0]
    chosen = [table[s] if s < 13 else 255 for s in bytes_of(select)]
    return int.from_bytes(bytes(chosen), "little")


def average(v: int, w: int, a: int) -> int:
    """v_lerp_u8"""
    found = [(x + y + (r & 1)) >> 1 for x, y, r in zip(*map(bytes_of, (v, w, a)), strict=True)]
    return int.from_bytes(bytes(found), "little")


def builtins(v: int, w: int, a: int) -> int:
    """The sum of what clang's and the target's builtins give."""
    u, z, c = v & MASK, w & MASK, a & MASK
    trailing = ((u | 1) & -(u | 1)).bit_length() - 1
    found = [
        bin(u).count("1"),
        32 - (z | 1).bit_length(),
        trailing,
        int(f"{z:032b}"[::-1], 2),
        u << 7 | u >> 25,
        c + sum(abs(x - y) for x, y in zip(bytes_of(u), bytes_of(z), strict=True)),
        permuted(u, z, c),
        (u << 32 | z) >> (c & 31),
        (u << 32 | z) >> 8 * (c & 3),
        u >> (z & 31) & ((1 << (c & 31)) - 1),
        signed(u >> 3, 7),
        average(u, z, c),
    ]
    return sum(found)


def dot_bytes(v: int, w: int) -> int:
    return sum(signed(x, 8) * signed(y, 8) for x, y in zip(bytes_of(v), bytes_of(w), strict=True))


@case
def tort_i(run: Any, rng: Any) -> None:
    x = rng.integers(-(2**31), 2**31, 10000).astype(np.int32)
    y = rng.integers(-(2**63), 2**63 - 1, 512).astype(np.int64)
    x[:8], x[256:264] = [0, 1, -1, 5, 2**31 - 1, -(2**31), 7, 31], [3, 1, 5, -7, 32, 33, 64, -31]
    a, b = 0x0C0D1305, -12345678901
    v, w, first, second = (m.copy().tolist() for m in (x[:256], x[256:512], y[:256], y[256:]))
    run(1, 256, x, y, np.int32(a), np.int64(b))
    for i, (p, q, big, other) in enumerate(zip(v, w, first, second, strict=True)):
        u, z, wide = p & MASK, q & MASK, big & (2**64 - 1)
        want = {
            0: quotient(p, q) + remainder(p, a),
            512: u // z + u % a,
            1024: builtins(p, q, a),
            2048: p & q | ~p & a,
            3000: (p << 3) + q,
            4000: p << (q & 31) | a,
            5000: (p ^ q) + a,
            6000: p + q + a,
            7000: p * q + a,
            8000: (p * q >> 32) + (u * z >> 32),
            9000: v[i & ~63 | a & 63],
            9500: dot_bytes(p, q) + a,
        }
        found = {at: int(x[i + at]) for at in want}
        assert found == {at: signed(value) for at, value in want.items()}, (i, p, q)
        low = big * other + (big >> (p & 63)) - (other << (q & 63)) + (wide >> 3)
        assert int(y[i]) == signed(low, 64)
        assert int(y[i + 256]) == signed(quotient(big, b | 1) + min(big, other), 64)
