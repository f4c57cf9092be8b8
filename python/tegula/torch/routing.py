"""Which operations of ATen have one of Tegula's, and where each call goes.

One table serves graphs and eager mode: what an operation needs to be eligible, and what runs it.
A graph outlives the ``with tegula.device(…)`` block in which it was compiled, so whether there is a
device is asked at each call, and counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from . import norms, ops, plain, reporting
from .eligibility import addmm_reason, device_reason, mm_reason

aten = torch.ops.aten
own = torch.ops.tegula


@dataclass(frozen=True)
class Route:
    """An operation: its name in reports, and three functions of its arguments.

    ``reason`` says why Tegula does not take it, or None; ``tegula`` runs it there; ``plain`` is
    what PyTorch does.
    """

    name: str
    reason: Callable[..., str | None]
    tegula: Callable[..., Any]
    plain: Callable[..., Any]


def _addmm(bias: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return ops.mm(a, b, bias)  # type: ignore[no-any-return]


def _always(*_: Any, **__: Any) -> None:
    """An op of ours checks its arguments itself."""


ROUTES: dict[Any, Route] = {
    aten.mm.default: Route("mm", mm_reason, ops.mm, aten.mm.default),
    aten.addmm.default: Route("addmm", addmm_reason, _addmm, aten.addmm.default),
    own.rms_norm.default: Route("rms_norm", _always, own.rms_norm.default, plain.rms_norm),
    own.add_rms_norm.default: Route(
        "add_rms_norm", _always, own.add_rms_norm.default, plain.add_rms_norm
    ),
    own.rms_norm_backward.default: Route(
        "rms_norm_backward", _always, own.rms_norm_backward.default, plain.rms_norm_backward
    ),
}


def call(target: Any, *args: Any, **kwargs: Any) -> Any:
    """What a rewritten graph calls in place of ``target``."""
    route = ROUTES[target]
    tensors = [v for v in (*args, *kwargs.values()) if isinstance(v, Tensor)]
    reason = device_reason(*tensors)
    if reason is None:
        return route.tegula(*args, **kwargs)
    reporting.count(route.name, reporting.FALLBACK, reason)
    return route.plain(*args, **kwargs)


assert norms  # importing it registers torch.ops.tegula.*
