"""Tiles of rank 0 as scalars, parts of tiles and views, scalars that others change."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg

TYPES = {
    **{"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16},
    **{"i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64},
    **{"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64},
}


@tg.kernel(grid=lambda x: (x.shape[0],))
def conditions(x: "M N", out: "M 1", *, N: tg.const):
    i = tg.program_id(0)
    t = tg.load(x, (i, 0), (1, N))
    total = tg.sum(t)
    found = tg.zeros((1, 1), tg.i32)
    if tg.any(t > 100):
        found = found + 1
    if not tg.all(t > 0) and total < 50:
        found = found + 2
    if 0 < tg.max(t) <= 7 or tg.min(t) > 90:
        found = found + 4
    kept = found + 8 if tg.argmax(t) == 2 else found
    steps = tg.zeros((1, 1), tg.i32)
    left = tg.max(t)
    while left > 0:
        steps = steps + 1
        left = left - 30
    for _ in range(tg.argmin(t)):
        steps = steps + 1000
    tg.store(out, (i, 0), kept + steps * 16)


def reference(row: np.ndarray) -> int:
    found = 1 if (row > 100).any() else 0
    if not (row > 0).all() and row.sum() < 50:
        found += 2
    if 0 < row.max() <= 7 or row.min() > 90:
        found += 4
    if row.argmax() == 2:
        found += 8
    steps, left = 0, int(row.max())
    while left > 0:
        steps, left = steps + 1, left - 30
    return found + (steps + 1000 * int(row.argmin())) * 16


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
@pytest.mark.parametrize("n", [4, 100, 1000, 2880])
def test_conditions_and_bounds(device: tg.Device, dtype: Any, n: int) -> None:
    """One wave and several: all of them take the same way."""
    rng = np.random.default_rng(n)
    x = rng.integers(-5, 130, (8, n)).astype(dtype)
    x[1], x[2], x[3] = 3, 95, -1
    x[4, 2], x[5, 0], x[6] = 500, -500, 0
    out, told = (np.zeros((8, 1), np.int32) for _ in range(2))
    conditions(x, out)
    conditions.interpret(x, told)
    assert out[:, 0].tolist() == told[:, 0].tolist() == [reference(row) for row in x]


@tg.kernel(grid=lambda x: (1,))
def as_scalars(x: "N", table: "K N", out: "N", *, N: tg.const):
    """Of every type: an element of a tile goes into a scalar, and back."""
    t = tg.load(x, (0,), (N,))
    last = tg.max(t) if t.dtype != tg.bool_ else tg.any(t)
    full = tg.full((N,), last, t.dtype)
    row = tg.load(table[tg.argmax(t)], (0,), (N,))
    tg.store(out, (0,), tg.where(tg.iota((N,), 0) < 2, full, row))


@pytest.mark.parametrize("name", TYPES)
def test_every_type(device: tg.Device, name: str) -> None:
    values = [0, 1, 0] if name == "bool" else [3, 100, 7]
    x = np.array([*values, 1 if name != "bool" else 0, 0], TYPES[name])
    table = np.arange(25).reshape(5, 5).astype(TYPES[name])
    out, told = np.zeros_like(x), np.zeros_like(x)
    as_scalars(x, table, out)
    as_scalars.interpret(x, table, told)
    want = np.where(np.arange(5) < 2, x.max(), table[x.argmax()])
    assert (out == want).all() and (told == want).all()


@tg.kernel(grid=lambda x: (1,))
def parts(x: "A B C", out: "K 4"):
    t = tg.load(x, (0, 0, 0), (3, 4, 5))
    tg.store(out, (0, 0), t[1, :, 2][None])
    tg.store(out, (1, 0), t[-1, ..., -5][None])
    tg.store(out, (2, 0), tg.sum(t[..., 1:3], axis=(0, 2))[None, :])
    tg.store(out, (3, 0), t[0:1, :, 4].reshape(1, 4))
    u = tg.load(x[..., 3], (0, 0), (3, 4))
    tg.store(out, (4, 0), u[2:])
    v = tg.load(x[1, ..., None], (0, 0, 0), (4, 5, 1))
    tg.store(out, (5, 0), v[:, 3, :].T)
    w = tg.load(x[..., None, :, 2], (0, 0, 0), (3, 1, 4))
    tg.store(out, (6, 0), w[1])


def test_parts_of_tiles_and_views(device: tg.Device) -> None:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    out, told = np.zeros((7, 4), np.float32), np.zeros((7, 4), np.float32)
    parts(x, out)
    parts.interpret(x, told)
    want = [x[1, :, 2], x[-1, ..., -5], x[..., 1:3].sum((0, 2)), x[0, :, 4], x[2, :, 3]]
    want += [x[1, :, 3], x[1, :, 2]]
    assert np.array_equal(out, want) and np.array_equal(told, want)


@tg.kernel(grid=lambda x: (x.shape[0],))
def takes_turns(x: "W N", ticket: "1", order: "W", rest: "1", *, N: tg.const):
    """Each workgroup waits for its turn: scalars that others change while all waves read them."""
    i = tg.program_id(0)
    t = tg.load(x, (i, 0), (1, N))
    turn = tg.scalar(ticket, 0)
    while turn != i:
        turn = tg.sum(tg.atomic_add(ticket, (0,), tg.zeros((1,), tg.i32), fetch=True))
    at = tg.scalar(ticket, 0) - i  # nobody else's turn
    total = tg.sum(t, axis=1).to(tg.i32)
    tg.store(order, (i,), total + at)
    if tg.scalar(ticket, 0) > 1000:
        tg.store(rest, (0,), tg.full((1,), 1, tg.i32))
    tg.atomic_add(ticket, (0,), tg.full((1,), 1, tg.i32), order="release")


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("n", [64, 2048])
def test_scalars_that_others_change(target: str, n: int) -> None:
    """Races all of them, so without the check that would say so."""
    x = np.ones((6, n), np.float32)
    ticket, order, rest = np.zeros(1, np.int32), np.zeros(6, np.int32), np.zeros(1, np.int32)
    with tg.device(f"sim:{target}", threads=1, sanitizers=False):
        takes_turns(x, ticket, order, rest)
    assert ticket[0] == 6 and (order == n).all() and rest[0] == 0


def test_only_scalars_that_others_may_change_go_round() -> None:
    """Without atomic updates of what it lies in, a scalar costs a load and no LDS."""
    ids, x = np.zeros(4, np.int32), np.zeros((4, 2048), np.float32)
    plain = reads.with_debug(False).compile(x, ids, x.copy(), target="gfx950").manifest
    assert plain["lds_bytes"] == 0
    updated = counts.compile(x, ids, x.copy(), target="gfx950").manifest
    assert updated["lds_bytes"] > 0
    text = reads.with_debug(False).ir("asm", x, ids, x.copy(), target="gfx950")
    assert "s_barrier" not in text and "ds_" not in text


@tg.kernel(grid=lambda ids: (ids.shape[0],))
def reads(x: "V N", ids: "T", out: "T N", *, N: tg.const):
    t = tg.program_id(0)
    tg.store(out, (t, 0), tg.load(x[tg.scalar(ids, t)], (0,), (N,))[None])


@tg.kernel(grid=lambda ids: (ids.shape[0],))
def counts(x: "V N", ids: "T", out: "T N", *, N: tg.const):
    t = tg.program_id(0)
    tg.store(out, (t, 0), tg.load(x[tg.scalar(ids, t)], (0,), (N,))[None])
    tg.atomic_add(ids, (t,), tg.full((1,), 1, tg.i32))
