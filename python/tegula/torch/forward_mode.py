"""Forward-mode derivatives (``torch.func.jvp``, dual levels) of custom ops.

PyTorch's custom ops know the backward pass alone, and drop tangents without a word.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch._library.autograd import make_autograd_impl
from torch._library.custom_ops import CustomOpDef
from torch.autograd import forward_ad

#: (arguments, their tangents or None) → the result's tangent, or one a result, None for constants.
Formula = Callable[[tuple[Any, ...], tuple[Any, ...]], Any]
_fragment = torch.library.Library("tegula", "FRAGMENT")


def _dual(value: torch.Tensor, tangent: torch.Tensor | None) -> torch.Tensor:
    if tangent is None:
        return value
    dual: torch.Tensor = forward_ad.make_dual(value, tangent)
    return dual


def derivative_of(function: Callable[..., Any]) -> Formula:
    """The formula of an op that is ``function`` of plain PyTorch."""

    def formula(values: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        found = function(*map(_dual, values, tangents))
        if isinstance(found, torch.Tensor):
            return forward_ad.unpack_dual(found).tangent
        return tuple(forward_ad.unpack_dual(result).tangent for result in found)

    return formula


def register_jvp(op: CustomOpDef, formula: Formula) -> None:
    """Let an op of ``tegula::`` whose backward pass is registered carry tangents.

    Its autograd kernel is replaced by one that does the same, on the primal values.
    """
    overload = op._opoverload
    plain = make_autograd_impl(overload, op)
    parameters = overload._schema.arguments

    def with_tangents(keyset: Any, *given: Any) -> Any:
        duals = [
            forward_ad.unpack_dual(value) if isinstance(value, torch.Tensor) else (value, None)
            for value in given
        ]
        if all(tangent is None for _, tangent in duals):
            return plain(keyset, *given)
        rest = [p.default_value for p in parameters[len(given) :]]  # the dispatcher drops them
        values = (*(value for value, _ in duals), *rest)
        tangents = (*(tangent for _, tangent in duals), *(None for _ in rest))
        found, moved = plain(keyset, *values), formula(values, tangents)
        if isinstance(found, torch.Tensor):
            return _dual(found, moved)
        return tuple(map(_dual, found, moved))

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning only once", UserWarning)
        _fragment.impl(op._name, with_tangents, "Autograd", with_keyset=True)
