"""``range`` as kernels have it: what it counts are i32 scalars, not weak numbers of Python."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from tegula.errors import ConstantRequired, SyntaxNotSupported
from tegula.interpreter.tile import Tile
from tegula.language import dtypes as dt
from tegula.language import function as helpers


class Steps:
    """``range(…)`` in a kernel, or ``tg.tiles``; ``tg.unroll`` takes its numbers as constants."""

    def __init__(self, *bounds: Any) -> None:
        if len(bounds) == 3 and int(bounds[2]) == 0:
            raise ConstantRequired("the step of a range is 0", label="front.const.step")
        self.values = builtins.range(*(int(bound) for bound in bounds))

    def __iter__(self) -> Iterator[Tile]:
        return (Tile(np.asarray(value, np.int32), dt.i32) for value in self.values)

    def __len__(self) -> int:
        raise SyntaxNotSupported("'len' takes constants here", label="front.const.call")


def as_interpreted(function: FunctionType) -> FunctionType:
    """The function with :class:`Steps` for ``range``. Its code is the same: breakpoints hold."""
    if "range" in function.__globals__:
        return function  # a name of the user's
    names = {**function.__globals__, "range": Steps}
    made = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _call(helper: helpers.Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return as_interpreted(helper.function)(*args, **kwargs)


helpers.run_helper = _call
