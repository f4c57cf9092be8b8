"""Small kernels made at random: what the device computes is what NumPy computes.

Values are small integers, so that sums are exact in every order.
"""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

SEEDS = range(16)
TYPES = {
    "f32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
}
KERNEL = """
import tegula as tg

@tg.kernel(grid=lambda g, BM, BN: (tg.cdiv(g.shape[0], BM), tg.cdiv(g.shape[1], BN)))
def k(
    x: "R N", y: "R2 N2", z: "A B", g: "G H", out: "P Q", turned: "Q P",
    s: tg.i32, s0: tg.i32, c0: tg.i32, n: tg.i32, *, BM: tg.const = {BM}, BN: tg.const = {BN},
):
    i, j = tg.program_id(0), tg.program_id(1)
{body}
"""
INDICES = ["(i, j)", "(i, j)", "(i - s, j)", "(i, j - s)", "(i + s, j)"]
SECOND = [
    "tg.load(y, (i, j), (BM, BN))",
    "tg.load(y, (0, j), (1, BN))",
    "tg.load(y, (i, 0), (BM, 1), pad=2)",
    "tg.load(y[s0:, c0:], (i, j), (BM, BN), pad=3)",
    "tg.load(z.T, (i, j), (BM, BN))",
    "tg.load(y[s0], (j,), (BN,))[None, :]",
]
STEPS = [
    "t = t + w",
    "t = t - w",
    "t = tg.maximum(t, w)",
    "t = tg.minimum(t, w)",
    "t = tg.where(t > w, t, w * 2)",
    "t = tg.abs(t - 50)",
    "t = -t * 3 + 1",
    "t = t + tg.sum(v, axis=0, keepdims=True)",
    "t = t + tg.sum(v, axis=1, keepdims=True)",
    "t = t - tg.max(v, axis=0, keepdims=True)",
    "t = t - tg.min(v, axis=1, keepdims=True)",
    "for q in range(n):\n    t = t + tg.load(x, (i, q), (BM, BN)).to({up})",
    "for q in tg.tiles(x, axis=1, size=BN):\n"
    "    t = t + tg.sum(tg.load(x, (i, q), (BM, BN)).to({up}), axis=1, keepdims=True)",
    "if s > 0:\n    t = t + w\nelse:\n    t = t - v",
    "t = t + tg.iota((BM, BN), axis=1).to({up})",
]
STORES = [
    "tg.store(out, (i, j), t)",
    "tg.store(turned, (j, i), t.T)",
    "tg.store(out[s0:, c0:], (i, j), t)",
    "tg.store(out, (i - s, j), t)",
]


def source(r: random.Random, up: str) -> str:
    lines = [f"v = tg.load(x, {r.choice(INDICES)}, (BM, BN), pad={r.choice([0, 0, 7])}).to({up})"]
    lines += [f"w = {r.choice(SECOND)}.to({up})", "t = v"]
    lines += [r.choice(STEPS).format(up=up) for _ in range(r.randint(1, 5))]
    lines.append(r.choice(STORES))
    body = "\n".join("    " + line for text in lines for line in text.split("\n"))
    tile = {"BM": r.choice([1, 2, 3, 16, 32, 48]), "BN": r.choice([1, 5, 20, 64, 96, 128])}
    return KERNEL.format(body=body, **tile)


def in_memory(r: random.Random, a: np.ndarray) -> np.ndarray:
    """The same numbers with other strides or at another address; or the first row repeated."""
    rows, columns = a.shape
    form = r.choice(["dense", "dense", "pitch", "offset", "turned", "repeated", "step"])
    if form == "repeated":
        return np.broadcast_to(a[:1], a.shape)
    if form == "turned":
        return np.ascontiguousarray(a.T).T
    room = {"pitch": np.zeros((rows, columns + r.randint(1, 9)), a.dtype)[:, :columns]}
    room["offset"] = np.zeros(a.size + 3, a.dtype)[r.randint(1, 3) :][: a.size].reshape(a.shape)
    room["step"] = np.zeros((rows, 2 * columns), a.dtype)[:, ::2]
    if form in room:
        room[form][:] = a
        return room[form]
    return a


@pytest.mark.parametrize("seed", SEEDS)
def test_generated(device: Any, tmp_path: Path, seed: int) -> None:
    r, numbers = random.Random(seed), np.random.default_rng(seed)
    dtype = r.choice(list(TYPES))
    up = "tg.i32" if dtype.startswith("i") else "tg.f32"
    path = tmp_path / f"generated_{seed}.py"
    path.write_text(source(r, up))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    rows, columns = r.choice([1, 2, 7, 33, 50]), r.choice([1, 3, 17, 64, 65, 130])
    shapes = [(rows, columns), (max(rows, 4), max(columns, 8)), (columns, rows)]
    arrays = [in_memory(r, numbers.integers(0, 60, s).astype(TYPES[dtype])) for s in shapes]
    arrays.append(np.zeros((rows, columns), np.int8))
    result = np.float32 if up == "tg.f32" else np.int32
    out = np.full((rows + 5, columns + 9), -9, result)
    expected, found = [out, out.T.copy()], [out.copy(), out.T.copy()]
    scalars = (r.choice([-1, 0, 1, 2]), r.randint(0, 2), r.randint(0, 5), r.choice([0, 1, 3]))
    module.k.interpret(*arrays, *expected, *scalars)
    module.k(*arrays, *found, *scalars)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, path.read_text())
