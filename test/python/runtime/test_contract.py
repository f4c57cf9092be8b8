"""What a launch checks of arrays, from manifests alone: no compiler, no device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tegula as tg
from tegula.runtime import contract, launching


def entry(**changes: Any) -> dict[str, Any]:
    """A manifest's view of rank 2: rows at a stride known at launch, tiles of 16 by 64."""
    fields = {"name": "x", "kind": "view", "dtype": "f32", "extents": ["R", "N"], "offset": 0}
    known = {"shape": [None, None], "strides": [None, 1], "align": 4, "reach": [16, 64]}
    return {**fields, **known, **changes}


def passed(array: np.ndarray, **changes: Any) -> tuple[int, ...]:
    return launching.checked(entry(**changes), launching.memory_of(array)).strides


@pytest.mark.parametrize("seed", range(40))
def test_repeats_is_whether_rows_end_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape, strides = rng.integers(1, 5, 2), rng.integers(0, 6, 2)
    rows = [[r * strides[0] + c * strides[1] for c in range(shape[1])] for r in range(shape[0])]
    by_row = all(max(a) < min(b) for a, b in zip(rows, rows[1:], strict=False))
    columns = list(zip(*rows, strict=True))
    by_column = all(max(a) < min(b) for a, b in zip(columns, columns[1:], strict=False))
    unique = len({offset for row in rows for offset in row}) == shape.prod()
    found = contract.repeats(tuple(map(int, shape)), tuple(map(int, strides)))
    assert found == (not (unique and (by_row or by_column)))


def test_rows_that_exist_keep_their_stride() -> None:
    assert passed(np.zeros((3, 100), np.float32)) == (100, 1)
    assert passed(np.zeros((3, 200), np.float32)[:, :100]) == (200, 1)


@pytest.mark.parametrize("length", [1, 40, 64, 1000])
def test_the_only_row_gets_a_stride_that_leaves_it(length: int) -> None:
    stride, unit = passed(np.zeros(length, np.float32)[None])
    # Row 1 of the tile must not reach into what a tile may read of row 0.
    assert unit == 1 and stride >= min(length, 64) and stride % 16 == 0


def test_an_axis_of_one_element_may_have_a_negative_stride() -> None:
    assert passed(np.zeros((1, 100), np.float32)[::-1])[0] >= 64


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((3, 100), np.float32)[::-1], "strides \\(-100, 1\\)"),
        (np.broadcast_to(np.zeros((1, 100), np.float32), (3, 100)), "overlap"),
        (as_strided(np.zeros(999, np.float32), (3, 100), (160, 4)), "overlap"),
        (np.zeros((3, 200), np.float32)[:, ::2], "stride 2 of axis 1"),
        (np.zeros(100, np.float32), "rank 1"),
    ],
)
def test_arrays_that_the_code_object_cannot_serve(array: np.ndarray, words: str) -> None:
    with pytest.raises(tg.ArgumentError, match=f"'x'.*{words}"):
        passed(array)


def test_static_extents_and_strides_hold() -> None:
    zeros = np.zeros((3, 100), np.float32)
    assert passed(zeros, shape=[None, 100]) == (100, 1)
    with pytest.raises(tg.ArgumentError, match="extent 100 of axis 1, expected 64"):
        passed(zeros, shape=[None, 64])
    rows = np.broadcast_to(np.zeros((1, 100), np.float32), (3, 100))
    assert passed(rows, strides=[0, 1]) == (0, 1)


def test_addresses_are_as_aligned_as_was_promised() -> None:
    base = np.zeros(1001, np.float32)
    offset = (-base.ctypes.data // 4) % 4
    aligned, shifted = base[offset:][:960], base[offset + 1 :][:960]
    assert passed(aligned.reshape(3, 320), align=16) == (320, 1)
    with pytest.raises(tg.ArgumentError, match="expected a multiple of 16"):
        passed(shifted.reshape(3, 320), align=16)


@pytest.mark.parametrize(
    ("pitch", "reach", "fits"),
    [
        (2**25, [16, 64], True),
        (2**25 + 2**22, [16, 64], False),
        (2**28, [1, 64], True),  # rows one by one: each has its own base
        (2**20, [None, 64], True),  # 300 rows of 4 MiB
        (2**21, [None, 64], False),  # 300 rows of 8 MiB, walked by a 32-bit offset
    ],
)
def test_offsets_stay_below_2_to_31(pitch: int, reach: list[int | None], fits: bool) -> None:
    view = contract.View.of(entry(reach=reach))
    if fits:
        assert contract.strides_to_pass(view, (300, 64), (pitch, 1), 4) == (pitch, 1)
    else:
        with pytest.raises(tg.ArgumentError, match="2\\^31 bytes"):
            contract.strides_to_pass(view, (300, 64), (pitch, 1), 4)
