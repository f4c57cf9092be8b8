"""Random legal schedules, tiles, types and memory orders of a matrix product."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import ml_dtypes
import numpy as np

import tegula as tg
from sampling import SEED
from tegula import errors, targets
from tegula.kernels import gemm

TYPES: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}
SUMS = {"f32": (tg.f32, np.float32), "f64": (tg.f64, np.float64), "i32": (tg.i32, np.int32)}
ROWS = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)
DEPTHS = (32, 48, 64, 64, 80, 96, 128, 128, 192, 256, 384, 512)
#: What a draw that is not legal ends in; anything else is a fault.
REFUSED = (errors.ScheduleError, errors.LdsBudget, errors.RegisterBudget)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def typed_gemm(
    a: "M K", b: "K N", c: "M N", *, BM: tg.tile, BN: tg.tile, BK: tg.tile, ACC: tg.const
):
    """gemm with an accumulator of type ACC."""
    m, n = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), ACC)
    for k in tg.tiles(a, axis=1, size=BK):
        acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    tg.store(c, (m, n), acc)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def static_gemm(
    a: "M K",
    b: "K N",
    c: "M N",
    *,
    K: tg.const,
    BM: tg.tile,
    BN: tg.tile,
    BK: tg.tile,
    ACC: tg.const,
):
    """gemm of an extent that the compiler knows."""
    m, n = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), ACC)
    for k in tg.tiles(a, axis=1, size=BK):
        acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    tg.store(c, (m, n), acc)


@dataclass(frozen=True)
class Instruction:
    """A matrix instruction of one block, as the target's table has it."""

    shape: str
    mnemonic: str
    a: str
    b: str
    acc: str


@cache
def instructions(target: str) -> tuple[Instruction, ...]:
    """Those whose operands are types that a kernel can multiply."""
    rows = targets.facts(target)["mfma"]
    return tuple(
        Instruction(row["shape"], row["mnemonic"], row["a"], row["b"], row["acc"])
        for row in rows
        if row["blocks"] == 1 and row["a"] in TYPES and row["b"] in TYPES
    )


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
    """One product: ``shape`` is (M, N, K), ``tile`` (BM, BN, BK), ``layout`` of a, b and c."""

    target: str
    inst: Instruction
    layout: str
    tile: tuple[int, int, int]
    shape: tuple[int, int, int]
    schedule: Mapping[str, Any]

    @cached_property
    def arguments(self) -> dict[str, np.ndarray]:
        m, n, k = self.shape
        rng = np.random.default_rng([m, n, k])
        a, b = (
            rng.integers(-2, 3, shape).astype(TYPES[kind])
            for shape, kind in (((m, k), self.inst.a), ((k, n), self.inst.b))
        )
        views = {"a": stored(a, self.layout[0]), "b": stored(b, self.layout[1])}
        return {**views, "c": self.result()}

    def result(self) -> np.ndarray:
        """An array for the product, full of what no product is."""
        m, n, _ = self.shape
        _, kind = SUMS[self.inst.acc]
        junk = np.iinfo(kind).min if self.inst.acc == "i32" else np.nan
        return stored(np.full((m, n), junk, kind), self.layout[2])

    def empty(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Operands of one tile each way and ``k`` deep, whose values don't matter."""
        m, n, _ = self.tile
        left, right = (
            np.zeros(shape[::-1], TYPES[kind]).T if order == "T" else np.zeros(shape, TYPES[kind])
            for order, shape, kind in (
                (self.layout[0], (m, k), self.inst.a),
                (self.layout[1], (k, n), self.inst.b),
            )
        )
        return left, right, np.zeros((m, n), SUMS[self.inst.acc][1])

    @property
    def function(self) -> Any:
        """``gemm``, which sums in f32, or its like for other sums."""
        return gemm if self.inst.acc == "f32" else typed_gemm

    @property
    def kernel(self) -> Any:
        return self.function.with_schedule(**{self.target: dict(self.schedule)})

    @property
    def tiles(self) -> dict[str, Any]:
        """Extents of the tile and the type of the sums."""
        extents = dict(zip(("BM", "BN", "BK"), self.tile, strict=True))
        return {**extents, "ACC": SUMS[self.inst.acc][0]}

    @property
    def constants(self) -> dict[str, Any]:
        """Those of ``function``."""
        return {k: v for k, v in self.tiles.items() if k != "ACC" or self.function is not gemm}

    def compile(self, **arguments: np.ndarray) -> Any:
        views = {**self.arguments, **arguments}
        return self.kernel.compile(*views.values(), **self.constants, target=self.target)

    def ir(self, stage: str) -> str:
        views = self.arguments.values()
        text: str = self.kernel.ir(stage, *views, **self.constants, target=self.target)
        return text

    def interpreted(self) -> np.ndarray:
        c = self.result()
        self.function.interpret(self.arguments["a"], self.arguments["b"], c, **self.constants)
        return c


def _waves(rng: random.Random) -> tuple[int, int]:
    """Any grid of at most 16 waves, half of them of a power of two."""
    count = rng.choice((1, 2, 4, 8, 16, 4, 8, rng.randint(1, 16)))
    rows = rng.choice([rows for rows in range(1, count + 1) if count % rows == 0])
    return rows, count // rows


def _draw(rng: random.Random, target: str) -> Draw:
    tile = (rng.choice(ROWS), rng.choice(ROWS), rng.choice(DEPTHS))
    # Types first: 8-bit ones have the most instructions.
    sums = rng.choice(("half", "half", "half", "f32", "f64", "i32", "f8"))
    inst = rng.choice([i for i in instructions(target) if _family(i) == sums])
    lds = rng.choice(("direct", "direct", "register", "none"))
    schedule = dict(
        waves=_waves(rng),
        mma=inst.shape,
        stages=1 if lds == "none" else rng.randint(1, 5),
        lds=lds,
        raster=dict(group=rng.choice((1, 2, 8)), xcd=rng.random() < 0.5),
        persistent=rng.random() < 0.2,
        split_k=rng.choice((1, 1, 1, 2, 3)),
        occupancy=rng.choice((1, 1, 1, 2, 3, 4)),
        pingpong=rng.random() < 0.2,
    )
    steps, tails = rng.choice((1, 2, 3, 5, 7)), rng.choice((0, 0, 8, -6))
    shape = (
        tile[0] + rng.choice((0, 2, -6)),
        tile[1] + rng.choice((0, 8, -6)),
        max(1, tile[2] * steps + tails),
    )
    layout = rng.choice(("NN", "NT", "TN", "TT")) + rng.choice("NNT")
    return Draw(target, inst, layout, tile, shape, schedule)


def _family(inst: Instruction) -> str:
    if inst.a in ("bf16", "f16"):
        return "half"
    return "f8" if inst.a.startswith("f8") else inst.acc


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
