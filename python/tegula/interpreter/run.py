"""Walks the grid."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tegula.errors import ArgumentError, Error, ShapeMismatch
from tegula.frontend.arrays import inspect_array, is_packed
from tegula.frontend.definition import Definition
from tegula.frontend.specialise import Resolved
from tegula.frontend.values import ViewType
from tegula.interpreter.grouped import GroupedScales
from tegula.interpreter.ops import TileCounts
from tegula.interpreter.places import raised
from tegula.interpreter.ranges import as_interpreted
from tegula.interpreter.tile import Tile
from tegula.interpreter.view import Known, View, as_numpy
from tegula.interpreter.workgroup import workgroup
from tegula.language import dtypes as dt
from tegula.language.markers import packed
from tegula.language.scales import Scales, stored


def run(
    function: FunctionType, grid: Callable[..., Any], definition: Definition, resolved: Resolved
) -> None:
    """Run a kernel's body for every workgroup of its grid, in order."""
    unpacked: list[PackedArray | BlockedArray] = []
    values = _values(definition, resolved, unpacked)
    function = as_interpreted(function)
    wanted = definition.grid.args.args
    shape = grid(**{arg.arg: values[arg.arg] for arg in wanted})
    counts = shape if isinstance(shape, TileCounts) else None
    axes = (math.prod(map(int, counts)),) if counts is not None else shape
    axes = axes if isinstance(axes, tuple) else (axes,)
    if not 1 <= len(axes) <= 3:
        raise ShapeMismatch(f"a grid has 1 to 3 axes, not {len(axes)}", label="front.shape.grid")
    for number, axis in enumerate(map(int, axes)):
        if axis < 0:
            raise ArgumentError(f"grid axis {number}", axis, "0 or more workgroups")
    try:
        workgroup.counts = tuple(map(int, counts)) if counts is not None else None
        workgroup.kernel = definition.name
        # The first axis runs fastest, as on the device.
        for ids in itertools.product(*(range(int(axis)) for axis in reversed(axes))):
            workgroup.ids = ids[::-1]
            function(**values)
    except Error as problem:
        problem.span = problem.span or raised(problem.__traceback__)
        raise
    finally:
        workgroup.ids = workgroup.counts = None
        for array in unpacked:
            array.write_back()


class PackedArray:
    """An array of two elements a byte, with a byte for each while the kernel runs."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data.view(np.ndarray).view(np.uint8)
        info = inspect_array("array", packed(self.data))
        assert info.packed is not None
        self.axis = info.packed
        halves = np.stack([self.data & 15, self.data >> 4], axis=self.axis + 1)
        shape = tuple(n or 0 for n in info.shape)
        self.elements = halves.reshape(shape).view(dt.f4e2m1.numpy)
        self.elements.flags.writeable = self.data.flags.writeable

    def write_back(self) -> None:
        codes = np.moveaxis(self.elements.view(np.uint8), self.axis, 0)
        pairs = codes[0::2] & 15 | codes[1::2] << 4
        if self.data.flags.writeable:
            self.data[...] = np.moveaxis(pairs, 0, self.axis)


class BlockedArray:
    """Scales in blocks, as matrices while the kernel runs."""

    def __init__(self, blocks: np.ndarray, scales: Scales) -> None:
        self.blocks = blocks
        several = scales.shape[:-2]
        self.whole = blocks.reshape(*several, -1, blocks.shape[3] * 4)  # a copy
        self.whole.flags.writeable = blocks.flags.writeable
        upright = self.whole.swapaxes(-1, -2) if scales.stored_as.transposed else self.whole
        self.elements = upright[..., : scales.shape[-2], : scales.shape[-1]]

    def write_back(self) -> None:
        if self.blocks.flags.writeable:
            self.blocks[...] = self.whole.reshape(self.blocks.shape)


def _values(
    definition: Definition, resolved: Resolved, unpacked: list[PackedArray | BlockedArray]
) -> dict[str, Any]:
    """Arguments as the body sees them: views, run-time scalars, constants."""
    values: dict[str, Any] = dict(resolved.constants)
    for parameter in definition.arguments:
        value = resolved.values.get(parameter.name)
        if value is None:
            values[parameter.name] = None
        elif parameter.kind == "view":
            data = as_numpy(parameter.name, stored(value))
            if isinstance(value, Scales) and value.stored_as.grouped is not None:
                values[parameter.name] = GroupedScales(data, value, parameter.name)
                continue
            if isinstance(value, Scales):
                unpacked.append(BlockedArray(data, value))
                data = unpacked[-1].elements
            elif is_packed(value):
                unpacked.append(PackedArray(data))
                data = unpacked[-1].elements
            dtype = dt.from_numpy(data.dtype)
            assert dtype is not None
            kind = resolved.types[parameter.name]
            assert isinstance(kind, ViewType)
            values[parameter.name] = View(data, dtype, parameter.name, *_known(kind), kind.packed)
        else:
            assert parameter.dtype is not None
            # Not a Python number, which would be weak: the parameter has a type.
            values[parameter.name] = Tile(np.asarray(value, parameter.dtype.numpy), parameter.dtype)
    return values


def _known(kind: ViewType) -> tuple[Known, Known]:
    """Extents and strides that are constants, in elements."""
    if kind.packed is None:
        return kind.shape, kind.strides
    shape = tuple(_twice(n, d == kind.packed) for d, n in enumerate(kind.shape))
    return shape, tuple(_twice(s, d != kind.packed) for d, s in enumerate(kind.strides))


def _twice(bytes_: int | None, holds_pairs: bool) -> int | None:
    return 2 * bytes_ if bytes_ is not None and holds_pairs else bytes_
