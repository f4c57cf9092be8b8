"""Products on a simulated device that counts accesses, and what their tiles imply."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import tegula
from stages import with_code
from tegula import runtime
from tegula.kernels import gemm
from tegula.runtime import Access
from tegula.runtime.accesses import Accesses

BF16 = ml_dtypes.bfloat16
GOLDEN = {"gfx950": dict(BM=256, BN=256, BK=64), "gfx942": dict(BM=256, BN=256, BK=32)}


@dataclass(frozen=True)
class Product:
    """One workgroup's product of ``depth`` tiles along K, the operands' memory order by layout."""

    target: str
    layout: str
    tiles: Mapping[str, int]
    depth: int
    schedule: Mapping[str, Any] | None = None
    dtype: Any = BF16

    def arguments(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(5)
        m, n, k = self.tiles["BM"], self.tiles["BN"], self.tiles["BK"] * self.depth
        a, b = (rng.integers(-2, 3, shape).astype(self.dtype) for shape in ((m, k), (k, n)))
        left, right = (
            np.ascontiguousarray(array.T).T if order == "T" else array
            for array, order in zip((a, b), self.layout, strict=True)
        )
        return {"a": left, "b": right, "c": np.full((m, n), np.nan, self.dtype)}

    @property
    def kernel(self) -> Any:
        return gemm.with_schedule(**{self.target: self.schedule}) if self.schedule else gemm

    def compile(self) -> Any:
        return self.kernel.compile(*self.arguments().values(), **self.tiles, target=self.target)

    def ir(self, stage: str) -> str:
        text: str = self.kernel.ir(
            stage, *self.arguments().values(), **self.tiles, target=self.target
        )
        return text

    def run(self, code: bytes | None = None) -> list[Access]:
        """The LDS accesses of a launch whose result is right, by this or other code."""
        return self.accesses(code).lds

    def accesses(self, code: bytes | None = None) -> Accesses:
        """All memory accesses of such a launch."""
        compiled, arguments = self.compile(), self.arguments()
        if code is not None:
            compiled = with_code(compiled, code)
        name = f"sim:{self.target}"
        with tegula.device(name, sanitizers=False, count_accesses=True) as device:
            device.reset_counters()
            runtime.launch(compiled, arguments)
            [use] = device.usage()
        a, b, c = arguments.values()
        assert np.array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(c.dtype))
        return use.accesses

    def deeper(self, tiles: int) -> Product:
        return dataclasses.replace(self, depth=self.depth + tiles)


def bytes_of(accesses: list[Access], *uses: str) -> int:
    return sum(access.bytes for access in accesses if access.use in uses)


def loop_bytes(product: Product, waves: tuple[int, int]) -> tuple[int, int]:
    """(read, filled): bytes of LDS that one step along K moves, by tile and wave grid.

    Every wave reads its rows of a and its columns of b; the tiles are filled once.
    """
    m, n, k = (product.tiles[name] for name in ("BM", "BN", "BK"))
    row = k * np.dtype(product.dtype).itemsize
    return (waves[1] * m + waves[0] * n) * row, (m + n) * row


def moved_by_a_step(product: Product) -> tuple[int, int]:
    """(read, filled) as executed: the difference that two more steps make, halved."""
    short, long = product.run(), product.deeper(2).run()
    read = bytes_of(long, "read") - bytes_of(short, "read")
    filled = bytes_of(long, "write", "copy") - bytes_of(short, "write", "copy")
    return read // 2, filled // 2
