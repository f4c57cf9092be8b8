"""What a launch checks of arrays, from manifests alone: no compiler, no device."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tegula as tg
from tegula.runtime import launching
from tegula.runtime.devices import exception_of, native


def entry(**changes: Any) -> dict[str, Any]:
    """A manifest's view of rank 2: rows at a stride known at launch, tiles of 16 by 64."""
    fields = {"name": "x", "kind": "view", "dtype": "f32", "extents": ["R", "N"], "offset": 0}
    known = {"shape": [None, None], "strides": [None, 1], "align": 4, "reach": [16, 64]}
    return {**fields, **known, **changes}


def record(argument: dict[str, Any], **changes: Any) -> str:
    """The manifest of a kernel with this one view, whose strides are all kernel arguments."""
    slots = [{"argument": 0, "dim": dim, "offset": 8 + 8 * dim} for dim in range(2)]
    fields = {"kernel": "k", "target": "gfx950", "arguments": [argument], "extents": []}
    launch = {"strides": slots, "grid": [1, 1, 1], "block": [64, 1, 1]}
    launch |= {"kernarg_size": 24, "version": 1}
    return json.dumps({**fields, **launch, **changes})


def plan(arguments: tuple[Any, ...], text: str, target: str = "gfx950") -> dict[str, Any]:
    device = tg.runtime.open_device(f"sim:{target}")
    try:
        return device.handle.program(text, b"never loaded").plan(arguments)
    except native().RuntimeFailure as failure:
        raise exception_of(device, *failure.args) from None


def strides_passed(memory: launching.Memory, **changes: Any) -> tuple[int, ...]:
    found = plan((memory,), record(entry(**changes)))
    strides: tuple[int, ...] = struct.unpack_from("<2q", found["kernarg"], 8)
    return strides


def passed(array: np.ndarray, **changes: Any) -> tuple[int, ...]:
    return strides_passed(launching.memory_of(array), **changes)


@pytest.mark.parametrize("seed", range(40))
def test_repeats_is_whether_rows_end_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape, strides = rng.integers(1, 5, 2), rng.integers(0, 6, 2)
    rows = [[r * strides[0] + c * strides[1] for c in range(shape[1])] for r in range(shape[0])]
    by_row = all(max(a) < min(b) for a, b in zip(rows, rows[1:], strict=False))
    columns = list(zip(*rows, strict=True))
    by_column = all(max(a) < min(b) for a, b in zip(columns, columns[1:], strict=False))
    unique = len({offset for row in rows for offset in row}) == shape.prod()
    found = native().rows_repeat(shape.tolist(), strides.tolist())
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


@pytest.mark.parametrize("row", [0, 1, -7])
def test_without_elements_strides_say_nothing(row: int) -> None:
    """C callers give rows of no columns the stride 0; a kernel gets one that is legal."""
    for shape in ((3, 0), (0, 100)):
        array = as_strided(np.zeros(0, np.float32), shape, (4 * row, 4))
        assert passed(array)[0] > 0


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
    with pytest.raises(tg.ArgumentError, match="stride 318 of axis 0, expected a multiple of 16"):
        passed(aligned[: 3 * 318].reshape(3, 318), align=16)
    assert passed(aligned[:318].reshape(1, 318), align=16)[0] % 16 == 0


@pytest.mark.parametrize(
    ("dtype", "columns", "fits"),
    [
        ("bf16", 40, True),
        ("bf16", 39, False),
        ("i8", 38, False),
        ("i8", 36, True),
        ("f32", 39, True),
    ],
)
def test_rows_of_aligned_arrays_end_with_a_whole_word(dtype: str, columns: int, fits: bool) -> None:
    size = {"bf16": 2, "i8": 1, "f32": 4}[dtype]
    memory = launching.Memory(1 << 40, (3, columns), (64, 1), size, True, dtype)
    assert strides_passed(memory, dtype=dtype, align=size) == (64, 1)
    if fits:
        assert strides_passed(memory, dtype=dtype, align=16) == (64, 1)
    else:
        with pytest.raises(tg.ArgumentError, match=f"extent {columns} of axis 1.*4-byte words"):
            strides_passed(memory, dtype=dtype, align=16)


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
    memory = launching.Memory(1 << 40, (300, 64), (pitch, 1), 4, True, "f32")
    if fits:
        assert strides_passed(memory, reach=reach) == (pitch, 1)
    else:
        with pytest.raises(tg.ArgumentError, match="2\\^31 bytes"):
            strides_passed(memory, reach=reach)


def scalar(dtype: str) -> str:
    argument = {"name": "s", "kind": "scalar", "dtype": dtype, "offset": 0}
    return record(argument, strides=[], grid=[["max", ["arg", 0], 1]] if dtype[0] == "i" else [1])


@pytest.mark.parametrize(
    ("dtype", "value", "bytes_"),
    [
        ("i8", -128, b"\x80"),
        ("i8", 255, b"\xff"),
        ("i32", 2**32 - 1, b"\xff" * 4),
        ("i64", -(2**63), bytes(7) + b"\x80"),
        ("i1", True, b"\x01"),
        ("f32", 1.5, struct.pack("<f", 1.5)),
        ("f32", 3, struct.pack("<f", 3)),
        ("f64", 1e300, struct.pack("<d", 1e300)),
    ],
)
def test_scalars_are_packed_in_their_type(dtype: str, value: Any, bytes_: bytes) -> None:
    assert plan((value,), scalar(dtype))["kernarg"][: len(bytes_)] == bytes_


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("i8", 256), ("i8", -129), ("i32", 2**32), ("i1", 2), ("i64", 2**63), ("i32", 1.0)],
)
def test_scalars_out_of_range_are_refused(dtype: str, value: Any) -> None:
    with pytest.raises(tg.Error):
        plan((value,), scalar(dtype))


def two_views(first: str, second: str) -> str:
    views = [entry(name=n, extents=e.split(), offset=8 * i)
             for i, (n, e) in enumerate((("a", first), ("b", second)))]  # fmt: skip
    return record({}, arguments=views, strides=[], kernarg_size=16)


def array_of(*shape: int) -> launching.Memory:
    return launching.Memory(1 << 40, shape, (shape[1], 1), 4, True, "f32")


@pytest.mark.parametrize(
    ("first", "second", "shapes", "words"),
    [
        ("M K", "K N", ((4, 8), (8, 2)), ""),
        ("M K", "K N", ((4, 8), (9, 2)), "'b': found K = 9, expected K = 8, as argument 'a' has"),
        ("M K", "M K/32", ((4, 64), (4, 2)), ""),
        ("M K", "M K/32", ((4, 64), (4, 3)), "'b': found K/32 = 3, expected K/32 = 2"),
        ("M K", "M K/32", ((4, 65), (4, 2)), "'b'.*a multiple"),
        ("M K", "M*K 7", ((4, 8), (32, 7)), ""),
        ("M K", "M*K*2 7", ((4, 8), (32, 7)), "expected M\\*K\\*2 = 64"),
        ("M K", "Q*2 K", ((4, 8), (6, 8)), ""),  # Q is known nowhere
    ],
)
def test_named_extents_agree(
    first: str, second: str, shapes: tuple[tuple[int, int], ...], words: str
) -> None:
    arguments = tuple(array_of(*shape) for shape in shapes)
    if not words:
        assert plan(arguments, two_views(first, second))["grid"] == (1, 1, 1)
        return
    with pytest.raises(tg.ArgumentError, match=words):
        plan(arguments, two_views(first, second))


def test_element_types_are_checked_where_they_are_told() -> None:
    with pytest.raises(tg.ArgumentError, match="'x': found f32, expected bf16"):
        strides_passed(array_of(3, 64), dtype="bf16")


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        (["ceildiv", ["dim", 0, 0], 16], 19),
        (["floordiv", ["dim", 0, 0], 16], 18),
        (["mul", ["sub", ["dim", 0, 0], 1], ["min", ["dim", 0, 1], 2]], 598),
        (["sub", 300, ["dim", 0, 0]], 0),
        (["max", ["add", ["stride", 0, 0], 1], 7], 65),
    ],
)
def test_grids_are_expressions(expression: Any, count: int) -> None:
    assert plan((array_of(300, 64),), record(entry(), grid=[expression]))["grid"] == (count, 1, 1)


def test_a_persistent_grid_is_what_the_device_holds() -> None:
    units = {"gfx942": 304, "gfx950": 256}
    for target, count in units.items():
        planned = plan(
            (array_of(300, 64),),
            record(entry(), grid=[["resident"]], target=target, workgroups_per_cu=3),
            target,
        )
        assert planned["resident"] == planned["grid"][0] == 3 * count


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (["floordiv", 1, ["sub", ["dim", 0, 0], 300]], "grid axis 0.*division by zero"),
        (["mul", ["mul", 2**62, ["dim", 0, 0]], 4], "grid axis 0.*beyond 64 bits"),
        (["mul", 2**31, 2], "grid axis 0.*fewer than 2\\^32"),
        (["sub", 3, ["dim", 0, 0]], "grid axis 0.*found -297, expected 0 or more"),
    ],
)
def test_grids_without_a_count_are_refused(expression: Any, words: str) -> None:
    with pytest.raises(tg.ArgumentError, match=words):
        plan((array_of(300, 64),), record(entry(), grid=[expression]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"grid": [["dim", 0, 2]]}, "no argument has"),
        ({"grid": [["dim", 1, 0]]}, "no argument has"),
        ({"grid": [["arg", 0]]}, "no integer"),
        ({"grid": [["pow", 1, 2]]}, "expression"),
        ({"grid": [["add", 1]]}, "operands"),
        ({"grid": [["resident", 1]]}, "operands"),
        ({"workgroups_per_cu": 0}, "workgroups_per_cu"),
        ({"resident_offset": 4096}, "kernarg_size"),
        ({"grid": [1, 1, 1, 1]}, "three axes"),
        ({"grid": None}, "no list 'grid'"),
        ({"kernarg_size": 20}, "outside its 'kernarg_size'"),
        ({"kernarg_size": 1 << 20}, "'kernarg_size'"),
        ({"block": [0, 1, 1]}, "'block'"),
        ({"target": 7}, "'target'"),
        ({"arguments": [entry(shape=[None])]}, "'strides' of another rank"),
        ({"arguments": [entry(dtype="q7")]}, "'q7'"),
        ({"arguments": [entry(align=0)]}, "'align'"),
        ({"arguments": [entry(kind="pointer")]}, "kind 'pointer'"),
        ({"strides": [{"argument": 0, "dim": 5, "offset": 8}]}, "no argument has"),
    ],
)
def test_malformed_manifests_are_one_line(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(tg.LaunchError, match=words) as caught:
        plan((array_of(3, 64),), record(entry(), **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", "[" * 5000])
def test_manifests_that_are_no_json_are_refused(text: str) -> None:
    with pytest.raises(tg.LaunchError, match="the manifest"):
        plan((array_of(3, 64),), text)


@pytest.mark.parametrize(
    "dtype", [d for d in tg.language.dtypes.ALL if d.bits >= 8 or d.kind == "bool"]
)
def test_every_element_type_of_whole_bytes_has_a_size(dtype: Any) -> None:
    name = dtype.mlir if dtype.kind in ("int", "uint", "bool") else dtype.name
    memory = launching.Memory(1 << 40, (300, 64), (64, 1), max(dtype.bits, 8) // 8, True, name)
    align = max(dtype.bits, 8) // 8
    assert plan((memory,), record(entry(dtype=name, align=align)))["grid"] == (1, 1, 1)


def test_what_cannot_be_described_is_no_earlier_refusal() -> None:
    """An array of six axes, after an argument that was refused."""
    cube = launching.Memory(64, (2,) * 6, (1,) * 6, 4, True, "f32")
    with pytest.raises(tg.ArgumentError, match="'x'.*rank 1"):
        plan((launching.memory_of(np.zeros(4, np.float32)),), record(entry()))
    with pytest.raises(tg.LaunchError, match="an array of rank 6: at most 5 axes"):
        plan((cube,), record(entry()))
