"""Scales that are stored in tiles of some rows and 4 columns."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tegula.errors import ArgumentError
from tegula.language import dtypes as dt

COLUMNS = 4


@dataclass(frozen=True)
class ScaleLayout:
    """Tiles of ``rows`` × 4 scales, one behind the other along the rows of a matrix.

    ``strides`` are bytes within a tile: of a quarter of its rows, of a row, of a column.
    """

    name: str
    rows: int
    strides: tuple[int, int, int]

    @property
    def bytes(self) -> int:
        """Of a tile."""
        return self.rows * COLUMNS


LAYOUTS = {
    layout.name: layout
    for layout in (
        ScaleLayout("blocked_128x4", 128, (4, 16, 1)),
        ScaleLayout("packed_64x4", 64, (1, 4, 64)),
    )
}


@dataclass(frozen=True)
class Blocks:
    """How a matrix lies in such tiles: upright, or as the transpose of what does.

    ``grouped``: the axis of what lies upright along which groups are matrices of their own.
    """

    layout: ScaleLayout
    transposed: bool = False
    grouped: int | None = None

    def upright(self, axis: int) -> int:
        """An axis of the matrix as one of what lies upright."""
        return 1 - axis if self.transposed else axis


class Scales:
    """A matrix of e8m0 scales that is stored in tiles: an array argument.

    ``Scales(buffer, layout="blocked_128x4", shape=(R, C))``, which torch calls ``SWIZZLE_32_4_4``:
    scale (r, c) is byte
    ``((r // 128) * ceil(C / 4) + c // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4`` of the
    buffer, a contiguous NumPy array or torch tensor of ``round_up(R, 128) * round_up(C, 4)`` bytes
    (u8, i8 or e8m0). With ``layout="packed_64x4"`` it is byte
    ``((r // 64) * ceil(C / 4) + c // 4) * 256 + c % 4 * 64 + r % 16 * 4 + r % 64 // 16`` of
    ``round_up(R, 64) * round_up(C, 4)``: lane r % 16 + 16 · (c % 4) of a wave finds what
    ``v_mfma_scale_f32_16x16x128_f8f6f4`` takes for four products in one dword.

    A kernel loads and stores tiles of it as of any matrix (R, C); extents of tiles are powers of
    two, or multiples of 128 (64) and 4. Bytes that stand for no scale are written as zeros where a
    tile reaches them, and left alone elsewhere: allocate them as zeros. ``.T`` is the transposed
    matrix (C, R) in the same memory.

    Of ``shape=(E, R, C)`` each of E matrices lies as above, one behind the other, and ``.mT`` are
    the transposed ones (E, C, R). Tiles of them have the extent 1 along E.

    With ``groups=G`` the rows, or with ``axis=1`` the columns, of a matrix are in G groups of which
    each lies as a matrix of its own, padded, one behind the other: the buffer has
    ``(R + G · 128) · round_up(C, 4)`` (64 for 128 in the other layout), or
    ``round_up(R, 128) · (C + G · 4)`` bytes. ``tg.group_view`` is one of them in a kernel.
    """

    def __init__(
        self,
        buffer: Any,
        *,
        layout: str,
        shape: tuple[int, ...],
        groups: int | None = None,
        axis: int = 0,
    ) -> None:
        if layout not in LAYOUTS:
            raise ArgumentError("layout", repr(layout), " | ".join(map(repr, LAYOUTS)))
        if len(shape) not in (2, 3) or any(type(n) is not int or n < 1 for n in shape):
            raise ArgumentError("shape", shape, "two or three extents of at least 1")
        if groups is not None and (type(groups) is not int or groups < 1 or len(shape) == 3):
            raise ArgumentError("groups", groups, "at least 1, of the rows or columns of a matrix")
        if axis not in (0, 1):
            raise ArgumentError("axis", axis, "0, groups of rows, or 1, groups of columns")
        self.shape = tuple(shape)
        tile = LAYOUTS[layout]
        self.stored_as = Blocks(tile, grouped=None if groups is None else axis)
        rows, columns = _up(shape[-2], tile.rows), _up(shape[-1], COLUMNS)
        if groups is not None:
            padding = groups * (COLUMNS if axis else tile.rows)
            rows, columns = (rows, shape[1] + padding) if axis else (shape[0] + padding, columns)
        wanted = math.prod(shape[:-2]) * rows * columns
        flat = _flat_bytes(buffer)
        if flat.shape[0] != wanted:
            raise ArgumentError("buffer", f"{flat.shape[0]} bytes", f"{wanted} for {self.shape}")
        quarter, row, column = tile.strides
        inner, across = tile.rows // 4, columns // COLUMNS
        if groups is not None:
            # (tiles, 4, rows / 4, 4)
            extents: tuple[int, ...] = (wanted // tile.bytes, 4, inner, COLUMNS)
            strides: tuple[int, ...] = (tile.bytes, quarter, row, column)
        else:
            # (rows of tiles of all E matrices, 4, rows / 4, C / 4, 4)
            extents = (wanted // tile.bytes // across, 4, inner, across, COLUMNS)
            strides = (across * tile.bytes, quarter, row, tile.bytes, column)
        #: The same memory, tile by tile.
        self.blocks = _strided(flat, extents, strides)

    @property
    def mT(self) -> Scales:
        """Each matrix transposed, in the same memory."""
        turned = copy.copy(self)
        turned.shape = (*self.shape[:-2], self.shape[-1], self.shape[-2])
        turned.stored_as = replace(self.stored_as, transposed=not self.stored_as.transposed)
        return turned

    @property
    def T(self) -> Scales:
        """The transposed matrix, in the same memory."""
        if len(self.shape) != 2:
            raise ArgumentError("self", self, "a matrix; several are transposed by `.mT`")
        return self.mT

    def __repr__(self) -> str:
        return f"Scales(layout={self.stored_as.layout.name!r}, shape={self.shape})"


def _up(extent: int, size: int) -> int:
    return -(-extent // size) * size


def _flat_bytes(buffer: Any) -> Any:
    """One byte an element, one behind the other, of an array or a tensor."""
    if isinstance(buffer, np.ndarray):
        if buffer.dtype.itemsize != 1 or not buffer.flags.c_contiguous:
            raise ArgumentError("buffer", f"{buffer.dtype}", "contiguous bytes (u8, i8 or e8m0)")
        return buffer.reshape(-1).view(dt.e8m0.numpy)
    if type(buffer).__module__.partition(".")[0] == "torch":
        import torch

        if buffer.element_size() != 1 or not buffer.is_contiguous():
            raise ArgumentError("buffer", f"{buffer.dtype}", "contiguous bytes (u8, i8 or e8m0)")
        return buffer.reshape(-1).view(torch.float8_e8m0fnu)
    raise ArgumentError("buffer", type(buffer).__name__, "a NumPy array or a torch tensor")


def _strided(flat: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    if isinstance(flat, np.ndarray):
        return np.lib.stride_tricks.as_strided(flat, shape, strides)
    return flat.as_strided(shape, strides)


def stored(value: Any) -> Any:
    """An argument as it lies in memory: the blocks of scales, anything else as it is."""
    return value.blocks if isinstance(value, Scales) else value
