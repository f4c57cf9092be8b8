"""tg.cdiv of run-time scalars rounds up for every dividend and divisor of every type."""

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
