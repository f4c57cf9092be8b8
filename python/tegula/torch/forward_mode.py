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

#: (arguments, their tangents or None) → the result's tangent.
Formula = Callable[[tuple[Any, ...], tuple[Any, ...]], torch.Tensor]
_fragment = torch.library.Library("tegula", "FRAGMENT")


def register_jvp(op: CustomOpDef, formula: Formula) -> None:
    """Let an op of ``tegula::`` whose backward pass is registered carry tangents.

    Its autograd kernel is replaced by one that does the same, on the primal values.
    """
    overload = op._opoverload
    plain = make_autograd_impl(overload, op)
    parameters = overload._schema.arguments

    def with_tangents(keyset: Any, *given: Any) -> torch.Tensor:
        duals = [
            forward_ad.unpack_dual(value) if isinstance(value, torch.Tensor) else (value, None)
            for value in given
        ]
        if all(tangent is None for _, tangent in duals):
            found: torch.Tensor = plain(keyset, *given)
            return found
        rest = [p.default_value for p in parameters[len(given) :]]  # the dispatcher drops them
        values = (*(value for value, _ in duals), *rest)
        tangents = (*(tangent for _, tangent in duals), *(None for _ in rest))
        return forward_ad.make_dual(plain(keyset, *values), formula(values, tangents))

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning only once", UserWarning)
        _fragment.impl(op._name, with_tangents, "Autograd", with_keyset=True)
