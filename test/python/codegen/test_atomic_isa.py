"""Which instructions atomic updates become: one a register, and fences only where asked for."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg

TARGETS = ("gfx942", "gfx950")
ROWS, COLUMNS = 8, 64
F16, BF16 = np.float16, ml_dtypes.bfloat16


@tg.function
def update(view, tile, kind, order, scope):
    if kind == "add":
        tg.atomic_add(view, (0, 0), tile, order, scope)
    if kind == "max":
        tg.atomic_max(view, (0, 0), tile, order, scope)
    if kind == "min":
        tg.atomic_min(view, (0, 0), tile, order, scope)
    if kind == "and":
        tg.atomic_and_(view, (0, 0), tile, order, scope)
    if kind == "or":
        tg.atomic_or_(view, (0, 0), tile, order, scope)
    if kind == "xor":
        tg.atomic_xor(view, (0, 0), tile, order, scope)
    if kind == "xchg":
        tg.atomic_xchg(view, (0, 0), tile, order, scope)


@tg.kernel(grid=lambda x: (1,))
def one_tile(
    x: "M N", out: "M N", *, kind: tg.const, order: tg.const = "relaxed", scope: tg.const = "agent"
):
    update(out, tg.load(x, (0, 0), (ROWS, COLUMNS)), kind, order, scope)


def instructions(dtype: Any, kind: str, target: str, waves: int = 1, **words: str) -> Counter[str]:
    """How often each memory instruction, fence and barrier stands in the kernel."""
    x = np.zeros((ROWS, COLUMNS), dtype)
    scheduled = one_tile.with_schedule(**{target: {"waves": (1, waves)}})
    text = scheduled.ir("asm", x, x, target=target, kind=kind, **words)
    return Counter(re.findall(r"^\t((?:global|buffer|flat|ds|s_barrier)\w*)", text, re.M))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("dtype", "kind", "instruction", "elements"),
    [
        (np.float32, "add", "global_atomic_add_f32", 1),
        (np.float64, "add", "global_atomic_add_f64", 1),
        (BF16, "add", "global_atomic_pk_add_bf16", 2),
        (F16, "add", "global_atomic_pk_add_f16", 2),
        *((t, "add", "global_atomic_add", 1) for t in (np.int32, np.uint32)),
        (np.int32, "max", "global_atomic_smax", 1),
        (np.int32, "min", "global_atomic_smin", 1),
        (np.uint32, "max", "global_atomic_umax", 1),
        (np.uint32, "min", "global_atomic_umin", 1),
        (np.int64, "max", "global_atomic_smax_x2", 1),
        (np.uint64, "min", "global_atomic_umin_x2", 1),
        (np.int64, "add", "global_atomic_add_x2", 1),
        *((np.int32, kind, f"global_atomic_{kind}", 1) for kind in ("and", "or", "xor")),
        (np.int32, "xchg", "global_atomic_swap", 1),
        (np.float32, "xchg", "global_atomic_swap", 1),
        (np.float64, "xchg", "global_atomic_swap_x2", 1),
    ],
)
def test_one_instruction_a_lane_group(
    target: str, dtype: Any, kind: str, instruction: str, elements: int
) -> None:
    found = instructions(dtype, kind, target)
    updates = {name: n for name, n in found.items() if "atomic" in name}
    assert updates == {instruction: ROWS * COLUMNS // 64 // elements}
    assert not found["buffer_wbl2"] and not found["buffer_inv"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["max", "min"])
def test_extrema_of_floats_are_one_instruction_a_sign(target: str, kind: str) -> None:
    found = instructions(np.float32, kind, target)
    signed, unsigned = ("smax", "umin") if kind == "max" else ("smin", "umax")
    each = ROWS * COLUMNS // 64
    updates = {name: n for name, n in found.items() if "atomic" in name}
    assert updates == {f"global_atomic_{signed}": each, f"global_atomic_{unsigned}": each}
    assert not found["buffer_wbl2"] and not found["buffer_inv"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("waves", [1, 4])
@pytest.mark.parametrize(
    ("order", "writes_back", "invalidates"),
    [("relaxed", 0, 0), ("acquire", 0, 1), ("release", 1, 0), ("acq_rel", 1, 1)],
)
def test_one_pair_of_fences_a_tile(
    target: str, waves: int, order: str, writes_back: int, invalidates: int
) -> None:
    for scope in ("agent", "system"):
        found = instructions(np.float32, "add", target, waves, order=order, scope=scope)
        assert found["buffer_wbl2"] == writes_back and found["buffer_inv"] == invalidates
        # All waves have released before one updates, all updates are back before one acquires.
        assert found["s_barrier"] == (0 if waves == 1 else writes_back + invalidates)
    inside = instructions(np.float32, "add", target, waves, order=order, scope="workgroup")
    assert not inside["buffer_wbl2"] and not inside["buffer_inv"]


@tg.kernel(grid=lambda x: (1,))
def wrong(x: "M N", *, what: tg.const):
    t = tg.load(x, (0, 0), (8, 8))
    if what == "kind":
        tg.atomic_and_(x, (0, 0), t)
    if what == "rank":
        tg.atomic_add(x, (0,), t)
    if what == "gather":
        tg.store(x, (0, 0), tg.gather(x, (tg.iota((8, 8), 0),)))
    if what == "width":
        tg.store(x, (0, 0), tg.atomic_cas(x, (0, 0), t, t))


@pytest.mark.parametrize(
    ("what", "dtype", "label", "error", "message"),
    [
        ("kind", np.float32, "tile.atomic_rmw.c1", tg.TypeMismatch, "f64 add max min xchg"),
        ("kind", np.int8, "tile.atomic_rmw.c1", tg.TypeMismatch, "i32 and i64 have add max min"),
        ("rank", np.float32, "tile.atomic_rmw.c5", tg.IndexRank, "for a view of rank 2"),
        ("gather", np.float32, "tile.gather.c1", tg.IndexRank, "1 indices for a view of rank 2"),
        ("width", np.float16, "tile.atomic_cas.c1", tg.TypeMismatch, "32 and 64 bits"),
    ],
)
def test_mistakes_are_refused_at_their_line(
    what: str, dtype: Any, label: str, error: type[tg.Error], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        wrong.ir("asm", np.zeros((8, 8), dtype), target="gfx950", what=what)
    assert caught.value.label == label and caught.value.span is not None
    assert "tg." in caught.value.span.text
