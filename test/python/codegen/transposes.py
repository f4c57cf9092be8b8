"""Kernels that change the order of dimensions, and their runs on a device that counts accesses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import tegula
import tegula as tg
from tegula.kernel_object import Kernel
from tegula.runtime.accesses import Accesses


@tg.kernel(grid=lambda x, BM, BN: (tg.cdiv(x.shape[0], BM), tg.cdiv(x.shape[1], BN)))
def by_tile(x: "M N", out: "N M", *, BM: tg.const, BN: tg.const):
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(out, (j, i), tg.load(x, (i, j), (BM, BN)).T)


@tg.kernel(grid=lambda x, BM, BN: (tg.cdiv(x.shape[0], BM), tg.cdiv(x.shape[1], BN)))
def of_known_extents(x: "M N", out: "N M", *, M: tg.const, N: tg.const, BM: tg.const, BN: tg.const):
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(out, (j, i), tg.load(x, (i, j), (BM, BN)).T)


@tg.kernel(grid=lambda x, BM, BN: (tg.cdiv(x.shape[0], BM), tg.cdiv(x.shape[1], BN)))
def by_view(x: "M N", out: "N M", *, BM: tg.const, BN: tg.const):
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(out.T, (i, j), tg.load(x, (i, j), (BM, BN)))


@tg.kernel(
    grid=lambda x, BA, BB, BC: (
        tg.cdiv(x.shape[0], BA),
        tg.cdiv(x.shape[1], BB),
        tg.cdiv(x.shape[2], BC),
    )
)
def permuted(x: "A B C", out: "D E F", *, BA: tg.const, BB: tg.const, BC: tg.const, p: tg.const):
    i, j, k = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    t = tg.load(x, (i, j, k), (BA, BB, BC))
    if p == (0, 2, 1):
        tg.store(out, (i, k, j), tg.permute(t, (0, 2, 1)))
    elif p == (1, 0, 2):
        tg.store(out, (j, i, k), tg.permute(t, (1, 0, 2)))
    elif p == (2, 1, 0):
        tg.store(out, (k, j, i), tg.permute(t, (2, 1, 0)))
    elif p == (1, 2, 0):
        tg.store(out, (j, k, i), tg.permute(t, (1, 2, 0)))
    else:
        tg.store(out, (k, i, j), tg.permute(t, (2, 0, 1)))


def aligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array of zeros that begins at a multiple of 128 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + 128, np.uint8)
    first = -room.ctypes.data % 128
    return room[first : first + size].view(dtype).reshape(shape)


def numbers(shape: tuple[int, ...], dtype: Any, seed: int = 3) -> np.ndarray:
    """Every bit pattern of the type may occur, but for bools."""
    array = aligned(shape, dtype)
    high = 2 if np.dtype(dtype) == np.bool_ else 256
    array.reshape(-1).view(np.uint8)[:] = np.random.default_rng(seed).integers(
        0, high, array.nbytes
    )
    return array


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and np.array_equal(
        np.ascontiguousarray(left).view(np.uint8), np.ascontiguousarray(right).view(np.uint8)
    )


@dataclass
class Run:
    """A launch: what it was compiled to and the memory accesses that it executed."""

    compiled: Any
    accesses: Accesses
    out: np.ndarray

    @property
    def remarks(self) -> list[str]:
        return [str(remark["message"]) for remark in self.compiled.remarks]

    def lds_widths(self) -> Counter[tuple[str, int]]:
        """(use, bytes of a lane) → executions."""
        widths: Counter[tuple[str, int]] = Counter()
        for access in self.accesses.lds:
            widths[access.use, access.width] += access.executions
        return widths


def run(
    kernel: Kernel, target: str, x: np.ndarray, shape: tuple[int, ...], **constants: Any
) -> Run:
    out = numbers(shape, x.dtype, seed=4)
    with tegula.device(f"sim:{target}", count_accesses=True) as device:
        device.reset_counters()
        kernel(x, out, **constants)
        [use] = device.usage()
    return Run(kernel.compile(x, out, target=target, **constants), use.accesses, out)
