"""Walks the grid."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tegula.errors import ShapeMismatch
from tegula.frontend.definition import Definition
from tegula.frontend.specialise import Resolved
from tegula.frontend.values import ViewType
from tegula.interpreter.ops import TileCounts
from tegula.interpreter.ranges import as_interpreted
from tegula.interpreter.tile import Tile
from tegula.interpreter.view import View, as_numpy
from tegula.interpreter.workgroup import workgroup
from tegula.language import dtypes as dt


def run(
    function: FunctionType, grid: Callable[..., Any], definition: Definition, resolved: Resolved
) -> None:
    """Run a kernel's body for every workgroup of its grid, in order."""
    values = _values(definition, resolved)
    function = as_interpreted(function)
    wanted = definition.grid.args.args
    shape = grid(**{arg.arg: values[arg.arg] for arg in wanted})
    counts = shape if isinstance(shape, TileCounts) else None
    axes = (math.prod(map(int, counts)),) if counts is not None else shape
    axes = axes if isinstance(axes, tuple) else (axes,)
    if not 1 <= len(axes) <= 3:
        raise ShapeMismatch(f"a grid has 1 to 3 axes, not {len(axes)}", label="front.shape.grid")
    try:
        workgroup.counts = tuple(map(int, counts)) if counts is not None else None
        workgroup.kernel = definition.name
        # The first axis runs fastest, as on the device.
        for ids in itertools.product(*(range(int(axis)) for axis in reversed(axes))):
            workgroup.ids = ids[::-1]
            function(**values)
    finally:
        workgroup.ids = workgroup.counts = None


def _values(definition: Definition, resolved: Resolved) -> dict[str, Any]:
    """Arguments as the body sees them: views, run-time scalars, constants."""
    values: dict[str, Any] = dict(resolved.constants)
    for parameter in definition.arguments:
        value = resolved.values.get(parameter.name)
        if value is None:
            values[parameter.name] = None
        elif parameter.kind == "view":
            data = as_numpy(parameter.name, value)
            dtype = dt.from_numpy(data.dtype)
            assert dtype is not None
            kind = resolved.types[parameter.name]
            assert isinstance(kind, ViewType)
            known = kind.shape, kind.strides
            values[parameter.name] = View(data, dtype, parameter.name, *known)
        else:
            assert parameter.dtype is not None
            # Not a Python number, which would be weak: the parameter has a type.
            values[parameter.name] = Tile(np.asarray(value, parameter.dtype.numpy), parameter.dtype)
    return values
