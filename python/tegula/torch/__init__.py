"""Tegula in PyTorch: custom ops, ``torch.compile(backend="tegula")``, eager overrides, a report.

CPU tensors run on the selected simulated device (``with tegula.device("sim:gfx950")`` or
``TEGULA_DEVICE``), tensors of a ROCm GPU on that GPU. The three ways in share one predicate
(``eligibility.py``); every decision is counted: ``report()`` says which call ran where, and why.
"""

from __future__ import annotations

import inspect
from types import ModuleType

from torch.library import CustomOpDef

from . import norms, ops, quantized, rowwise, torchao, torchao_fp8
from .backend import backend
from .eager import enable
from .norms import add_rms_norm, layer_norm, layer_norm_backward, rms_norm, rms_norm_backward
from .ops import mm
from .quantized import rms_norm_quantize, silu_mul_quantize
from .reporting import report, reset_report
from .rowwise import (
    log_softmax,
    rotary,
    silu_mul,
    silu_mul_backward,
    softmax,
    softmax_backward,
)

__all__ = [
    "add_rms_norm",
    "backend",
    "enable",
    "layer_norm",
    "layer_norm_backward",
    "log_softmax",
    "mm",
    "report",
    "reset_report",
    "rms_norm",
    "rms_norm_backward",
    "rms_norm_quantize",
    "rotary",
    "silu_mul",
    "silu_mul_backward",
    "silu_mul_quantize",
    "softmax",
    "softmax_backward",
    "torchao",
    "torchao_fp8",
]


def _describe(*modules: ModuleType) -> None:
    """Give custom ops the docstrings and signatures of their functions, for ``help``."""
    for module in modules:
        for op in vars(module).values():
            if isinstance(op, CustomOpDef):
                function = op._init_fn
                shown = {name: getattr(function, name) for name in ("__doc__", "__name__")}
                vars(op).update(shown, __signature__=inspect.signature(function))


_describe(norms, ops, quantized, rowwise, torchao, torchao_fp8)
