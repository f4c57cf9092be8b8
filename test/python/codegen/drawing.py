"""Random legal schedules, tiles and memory orders of ``gemm``."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ml_dtypes
import numpy as np

import tegula as tg
from sampling import SEED
from tegula import errors
from tegula.kernels import gemm

TYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}
HALF = {
    "gfx942": ("16x16x16", "32x32x8"),
    "gfx950": ("16x16x16", "16x16x32", "32x32x8", "32x32x16"),
}
MMA = {
    (target, kind): ("16x16x4", "32x32x2") if kind == "f32" else HALF[target]
    for target in HALF
    for kind in TYPES
}
ROWS = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)
DEPTHS = (32, 64, 64, 96, 128, 128, 256, 512)
WAVES = (1, 2, 4, 8, 16)
#: What a draw that is not legal ends in; anything else is a fault.
REFUSED = (errors.ScheduleError, errors.LdsBudget, errors.RegisterBudget)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def static_gemm(
    a: "M K", b: "K N", c: "M N", *, K: tg.const, BM: tg.tile, BN: tg.tile, BK: tg.tile
):
    """gemm of an extent that the compiler knows."""
    m, n = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    tg.store(c, (m, n), acc.to(c.dtype))


def stored(matrix: np.ndarray, order: str) -> np.ndarray:
    """The matrix in memory order ``N`` or ``T``, its rows 16 elements apart or a multiple."""
    if order == "T":
        return stored(matrix.T, "N").T
    rows, columns = matrix.shape
    wide = np.zeros((rows, -(-columns // 16) * 16), matrix.dtype)
    wide[:, :columns] = matrix
    return wide[:, :columns]


@dataclass(frozen=True)
class Draw:
    """One product: ``shape`` is (M, N, K), ``tile`` (BM, BN, BK)."""

    target: str
    kind: str
    layout: str
    tile: tuple[int, int, int]
    shape: tuple[int, int, int]
    schedule: Mapping[str, Any]

    @cached_property
    def arguments(self) -> dict[str, np.ndarray]:
        m, n, k = self.shape
        rng = np.random.default_rng([m, n, k])
        a, b = (rng.integers(-2, 3, s).astype(TYPES[self.kind]) for s in ((m, k), (k, n)))
        c = np.full((m, n), np.nan, np.float32)
        return {"a": stored(a, self.layout[0]), "b": stored(b, self.layout[1]), "c": c}

    def empty(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Operands of one tile each way and ``k`` deep, whose values don't matter."""
        (m, n, _), kind = self.tile, TYPES[self.kind]
        left, right = (
            np.zeros(shape[::-1], kind).T if order == "T" else np.zeros(shape, kind)
            for order, shape in zip(self.layout, ((m, k), (k, n)), strict=True)
        )
        return left, right, np.zeros((m, n), np.float32)

    @property
    def kernel(self) -> Any:
        return gemm.with_schedule(**{self.target: dict(self.schedule)})

    @property
    def tiles(self) -> dict[str, int]:
        return dict(zip(("BM", "BN", "BK"), self.tile, strict=True))

    def compile(self, **arguments: np.ndarray) -> Any:
        views = {**self.arguments, **arguments}
        return self.kernel.compile(*views.values(), **self.tiles, target=self.target)

    def ir(self, stage: str) -> str:
        views = self.arguments.values()
        text: str = self.kernel.ir(stage, *views, **self.tiles, target=self.target)
        return text


def _draw(rng: random.Random, target: str) -> Draw:
    tile = (rng.choice(ROWS), rng.choice(ROWS), rng.choice(DEPTHS))
    kind = rng.choice(("bf16", "bf16", "f16", "f32"))
    mma = rng.choice(MMA[target, kind])
    lds = rng.choice(("direct", "direct", "register", "none"))
    schedule = dict(
        waves=(rng.choice(WAVES), rng.choice(WAVES)),
        mma=mma,
        stages=1 if lds == "none" else rng.randint(1, 5),
        lds=lds,
        raster=dict(group=rng.choice((1, 2, 8)), xcd=rng.random() < 0.5),
        persistent=rng.random() < 0.2,
        # Partial sums are stored with what lies beyond m and n, so tiles with tails aren't copied
        # directly then.
        split_k=1 if lds == "direct" else rng.choice((1, 1, 2, 3)),
    )
    steps, tails = rng.choice((1, 2, 3, 5, 7)), rng.choice((0, 0, 8, -6))
    shape = (
        tile[0] + rng.choice((0, 2, -6)),
        tile[1] + rng.choice((0, 8, -6)),
        max(1, tile[2] * steps + tails),
    )
    layout = rng.choice(("NN", "NT", "TN", "TT"))
    return Draw(target, kind, layout, tile, shape, schedule)


def legal_draw(target: str, index: int) -> tuple[Draw, Any]:
    """The first draw of stream ``index`` that the compiler takes, and what it makes of it."""
    rng = random.Random(f"{SEED} {target} {index}")
    for _ in range(400):
        draw = _draw(rng, target)
        try:
            return draw, draw.compile()
        except REFUSED:
            continue
    raise AssertionError("400 draws and none is legal")
