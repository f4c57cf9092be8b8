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

from . import norms, ops, plain, reporting, rowwise
from .eligibility import (
    addmm_reason,
    device_reason,
    layer_norm_reason,
    mm_reason,
    rms_norm_reason,
    silu_reason,
    softmax_reason,
)

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


def _layer_norm_reason(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> str | None:
    return layer_norm_reason(x, shape, weight, bias)


def _layer_norm(x: Tensor, shape: Any, weight: Any, bias: Any, eps: float) -> tuple[Tensor, ...]:
    """ATen gives mean and rstd in f32 on GPUs, in the input's type on CPUs."""
    kind = x.dtype if x.device.type == "cpu" else torch.float32
    out, mean, rstd = norms.layer_norm_op(x, shape, weight, bias, eps)
    return out, mean.to(kind), rstd.to(kind)


def _layer_norm_backward_reason(
    dy: Any, x: Any, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> str | None:
    return layer_norm_reason(x, shape, weight, bias, dy)


def _layer_norm_backward(
    dy: Any, x: Any, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> tuple[Tensor | None, ...]:
    grads = norms.layer_norm_backward(dy, x, shape, mean, rstd, weight, bias)
    return tuple(grad if wanted else None for grad, wanted in zip(grads, mask, strict=True))


def _fused_rms_norm_reason(x: Any, shape: Any, weight: Any, eps: float | None) -> str | None:
    return rms_norm_reason(x, weight) if len(shape) == 1 else "several axes are normalised"


def _fused_rms_norm(x: Tensor, shape: Any, weight: Any, eps: float | None) -> Any:
    return norms.rms_norm_op(x, weight, torch.finfo(torch.float32).eps if eps is None else eps)


def _fused_rms_norm_backward_reason(
    dy: Any, x: Any, shape: Any, rstd: Any, weight: Any, mask: Any
) -> str | None:
    return rms_norm_reason(x, weight, dy) if len(shape) == 1 else "several axes are normalised"


def _fused_rms_norm_backward(
    dy: Any, x: Any, shape: Any, rstd: Any, weight: Any, mask: Any
) -> tuple[Tensor | None, ...]:
    grads = norms.rms_norm_backward(dy, x, rstd, weight)
    return tuple(grad if wanted else None for grad, wanted in zip(grads, mask, strict=True))


def _softmax_reason(x: Any, dim: int, to_float: bool) -> str | None:
    return softmax_reason(x, dim)


def _softmax(x: Tensor, dim: int, to_float: bool) -> Tensor:
    return rowwise.softmax(x, dim, torch.float32 if to_float else None)


def _log_softmax(x: Tensor, dim: int, to_float: bool) -> Tensor:
    return rowwise.log_softmax(x, dim, torch.float32 if to_float else None)


def _softmax_backward_reason(dy: Any, y: Any, dim: int, kind: torch.dtype) -> str | None:
    return softmax_reason(y, dim, kind, dy)


def _softmax_backward(dy: Tensor, y: Tensor, dim: int, kind: torch.dtype) -> Any:
    return rowwise.softmax_backward(dy, y, dim, False, kind)


def _log_softmax_backward(dy: Tensor, y: Tensor, dim: int, kind: torch.dtype) -> Any:
    return rowwise.softmax_backward(dy, y, dim, True, kind)


def _silu_backward_reason(dy: Any, a: Any) -> str | None:
    return silu_reason(a, dy)


def _silu_backward(dy: Tensor, a: Tensor) -> Any:
    return rowwise.silu_mul_backward(dy, a)[0]


def _always(*_: Any, **__: Any) -> None:
    """An op of ours checks its arguments itself."""


#: By name in reports: an op of ATen, when Tegula takes it, and what then runs.
_ATEN: list[tuple[str, Any, Callable[..., str | None], Callable[..., Any]]] = [
    ("mm", aten.mm, mm_reason, ops.mm),
    ("addmm", aten.addmm, addmm_reason, _addmm),
    ("layer_norm", aten.native_layer_norm, _layer_norm_reason, _layer_norm),
    (
        "layer_norm_backward",
        aten.native_layer_norm_backward,
        _layer_norm_backward_reason,
        _layer_norm_backward,
    ),
    ("rms_norm", aten._fused_rms_norm, _fused_rms_norm_reason, _fused_rms_norm),
    (
        "rms_norm_backward",
        aten._fused_rms_norm_backward,
        _fused_rms_norm_backward_reason,
        _fused_rms_norm_backward,
    ),
    ("softmax", aten._softmax, _softmax_reason, _softmax),
    ("log_softmax", aten._log_softmax, _softmax_reason, _log_softmax),
    (
        "softmax_backward",
        aten._softmax_backward_data,
        _softmax_backward_reason,
        _softmax_backward,
    ),
    (
        "softmax_backward",
        aten._log_softmax_backward_data,
        _softmax_backward_reason,
        _log_softmax_backward,
    ),
    ("silu_mul", aten.silu, silu_reason, rowwise.silu_mul),
    ("silu_mul_backward", aten.silu_backward, _silu_backward_reason, _silu_backward),
]
#: Ops of ours, and what they mean in plain PyTorch.
_OWN: list[tuple[str, Any, Callable[..., Any]]] = [
    ("rms_norm", own.rms_norm, plain.rms_norm),
    ("rms_norm_backward", own.rms_norm_backward, plain.rms_norm_backward),
    ("add_rms_norm", own.add_rms_norm, plain.add_rms_norm),
    ("silu_mul", own.silu_mul, plain.silu_mul),
]

ROUTES: dict[Any, Route] = {
    **{op.default: Route(name, why, run, op.default) for name, op, why, run in _ATEN},
    **{op.default: Route(name, _always, op.default, meaning) for name, op, meaning in _OWN},
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
