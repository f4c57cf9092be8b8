"""tg.cdiv of scalars and tiles rounds up for every dividend and divisor of every type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula as tg


@tg.kernel(grid=lambda a: (a.shape[0],))
def quotients(a: "N", b: "N", out: "N", by_three: "N") -> None:
    i = tg.program_id(0)
    x, y = tg.scalar(a, i), tg.scalar(b, i)
    tg.store(out, (i,), tg.full((1,), tg.cdiv(x, y), out.dtype))
    tg.store(by_three, (i,), tg.full((1,), tg.cdiv(x, 3), out.dtype))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_every_quotient_is_rounded_up(device: Any, dtype: Any) -> None:
    info = np.iinfo(dtype)
    values = {v for v in (-7, -1, 1, 2, 3, 7, 2**31) if info.min <= v <= info.max}
    values |= {int(info.min), int(info.max), int(info.max) - 1}
    pairs = [(x, y) for x in sorted(values) for y in sorted(values - {0})]
    a, b = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    # -(smallest // -1) is no number of the type: it wraps, as everywhere.
    right = np.array([-(-x // y) % 2**info.bits for x, y in pairs], np.uint64).astype(dtype)
    thirds = np.array([-(-x // 3) % 2**info.bits for x, _ in pairs], np.uint64).astype(dtype)
    for call in (quotients, quotients.interpret):
        out, by_three = np.zeros_like(a), np.zeros_like(a)
        call(a, b, out, by_three)
        np.testing.assert_array_equal(out, right)
        np.testing.assert_array_equal(by_three, thirds)


@tg.kernel(grid=lambda a: (1,))
def of_tiles(a: "N 1", b: "N", out: "N N", *, N: tg.const) -> None:
    x, y = tg.load(a, (0, 0), (N, 1)), tg.load(b, (0,), (N,))
    tg.store(out, (0, 0), tg.cdiv(x, y) + tg.cdiv(x, 3) * tg.cdiv(5, y))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint64])
def test_quotients_of_tiles(device: Any, dtype: Any) -> None:
    info = np.iinfo(dtype)
    values = sorted({v for v in (-7, -1, 1, 2, 3, 7) if v >= info.min} | {int(info.max)})
    values = [int(info.min) or 5, *values]
    right = [[-(-x // y) + -(-x // 3) * -(-5 // y) for y in values] for x in values]
    a = np.array(values, dtype)
    for call in (of_tiles, of_tiles.interpret):
        out = np.zeros((len(values), len(values)), dtype)
        call(a[:, None], a, out)
        wrapped = [[v % 2**info.bits for v in row] for row in right]
        np.testing.assert_array_equal(out, np.array(wrapped, np.uint64).astype(dtype))


@tg.kernel(grid=lambda a: (1,))
def of_bools(a: "N") -> None:
    x = tg.load(a, (0,), (4,))
    tg.store(a, (0,), tg.cdiv(x, 3) > 0)


def test_only_integers_are_rounded_up(device: Any) -> None:
    for call in (of_bools, of_bools.interpret):
        with pytest.raises(tg.TypeMismatch, match="takes integers, not a 4 tile of bool"):
            call(np.zeros(4, np.bool_))
