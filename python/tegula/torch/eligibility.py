"""The one predicate of all three ways in: None if Tegula takes an operation, else why not.

What ``…_reason`` say holds for a graph: only metadata is read, so the same functions decide for
tensors and for FakeTensors. Whether there is a device is ``device_reason``'s, at each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..runtime import default_device_name

TYPES = (torch.bfloat16, torch.float16, torch.float32)


def device_reason(*tensors: torch.Tensor) -> str | None:
    """Why no launch can be made on these tensors now, or None. Asked at each call."""
    kinds = {tensor.device.type for tensor in tensors}
    if len(kinds) != 1:
        return "tensors on several devices"
    kind = kinds.pop()
    if kind == "cpu" and default_device_name() is None:
        return "no simulated device is selected for CPU tensors"
    if kind == "cuda" and torch.version.hip is None:
        return "the GPU is not an AMD one"
    if kind not in ("cpu", "cuda"):
        return f"no driver for device type {kind}"
    return None


def mm_reason(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None = None) -> str | None:
    """(M, K) × (K, N) + (N): f16, bf16 or f32, one type, any strides, any extents."""
    operands = (a, b) if bias is None else (a, b, bias)
    if a.dtype not in TYPES:
        return f"dtype {a.dtype} is not f16, bf16 or f32"
    if any(tensor.dtype != a.dtype for tensor in operands):
        return "dtypes differ"
    if a.ndim != 2 or b.ndim != 2:
        return "not two matrices"
    if a.shape[1] != b.shape[0]:
        return f"the contracted extents are {a.shape[1]} and {b.shape[0]}"
    if bias is not None and bias.ndim != 1:
        return "the added term is not a row vector"
    return None


def addmm_reason(
    bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: Any = 1, alpha: Any = 1
) -> str | None:
    """``mm_reason`` for beta · bias + alpha · (a @ b), with a bias of one element a column."""
    if beta != 1 or alpha != 1:
        return "beta or alpha is not 1"
    if bias.ndim == 1 and bias.shape[0] != b.shape[-1]:
        return "the added term is broadcast along rows"
    return mm_reason(a, b, bias)


def rms_norm_reason(
    x: torch.Tensor, weight: torch.Tensor | None, *others: torch.Tensor | None
) -> str | None:
    """x (…, N), weight (N) and others like x: f16, bf16 or f32, one type, any strides."""
    if x.dtype not in TYPES:
        return f"dtype {x.dtype} is not f16, bf16 or f32"
    given = [tensor for tensor in (weight, *others) if tensor is not None]
    if any(tensor.dtype != x.dtype for tensor in given):
        return "dtypes differ"
    if x.ndim == 0:
        return "there is no axis to normalise"
    if any(tensor is not None and tensor.shape != x.shape for tensor in others):
        return "shapes differ"
    if weight is not None and weight.ndim != 1:
        return "the weight is not a vector"
    if weight is not None and weight.shape[0] != x.shape[-1]:
        return "the weight is broadcast along rows"
    return None


def layer_norm_reason(
    x: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    *others: torch.Tensor,
) -> str | None:
    """x and others like it of f16, bf16 or f32; weight and bias, both of that type or of f32."""
    if x.dtype not in TYPES:
        return f"dtype {x.dtype} is not f16, bf16 or f32"
    given = [tensor for tensor in (weight, bias) if tensor is not None]
    kinds = {tensor.dtype for tensor in given}
    if any(other.dtype != x.dtype for other in others):
        return "dtypes differ"
    if len(kinds) > 1 or not kinds <= {x.dtype, torch.float32}:
        return "weight and bias are neither of the input's type nor of f32"
    axes = len(normalized_shape)
    if not axes or tuple(x.shape[-axes:]) != tuple(normalized_shape):
        return "the normalised shape is not that of the last axes"
    if any(tuple(tensor.shape) != tuple(normalized_shape) for tensor in given):
        return "weight or bias is not of the normalised shape"
    if any(other.shape != x.shape for other in others):
        return "shapes differ"
    return None


def softmax_reason(
    x: torch.Tensor, dim: int, dtype: torch.dtype | None = None, *others: torch.Tensor
) -> str | None:
    """f16, bf16 or f32 in and out, along an axis that x has."""
    for kind in (x.dtype, x.dtype if dtype is None else dtype):
        if kind not in TYPES:
            return f"dtype {kind} is not f16, bf16 or f32"
    if any(other.dtype != x.dtype for other in others):
        return "dtypes differ"
    if any(other.shape != x.shape for other in others):
        return "shapes differ"
    if not -x.ndim <= dim < x.ndim:
        return f"there is no axis {dim}"
    return None


def silu_reason(a: torch.Tensor, *others: torch.Tensor | None) -> str | None:
    """f16, bf16 or f32, all of one type and shape."""
    if a.dtype not in TYPES:
        return f"dtype {a.dtype} is not f16, bf16 or f32"
    if any(other is not None and other.dtype != a.dtype for other in others):
        return "dtypes differ"
    if any(other is not None and other.shape != a.shape for other in others):
        return "shapes differ"
    return None


def rotary_reason(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> str | None:
    """x (B, S, H, D), cos and sin (S, C) or (B, S, C) with 2·C ≤ D; f16, bf16 or f32."""
    if any(tensor.dtype not in TYPES for tensor in (x, cos, sin)):
        return "dtypes are not f16, bf16 or f32"
    if cos.dtype != sin.dtype or cos.shape != sin.shape:
        return "cos and sin differ in type or shape"
    if x.ndim != 4 or cos.ndim not in (2, 3):
        return "not (batch, position, head, D) and ([batch,] position, C)"
    if tuple(cos.shape[:-1]) not in (tuple(x.shape[:2]), tuple(x.shape[1:2]), (1, x.shape[1])):
        return "angles are not of the batch and positions of the input"
    if 2 * cos.shape[-1] > x.shape[-1]:
        return f"{cos.shape[-1]} pairs do not fit a head of {x.shape[-1]}"
    return None


def blocks_reason(x: torch.Tensor, rank: int, axes: Sequence[int], size: int) -> str | None:
    """f16, bf16 or f32 of a rank, with whole blocks of ``size`` elements along the axes."""
    if x.dtype not in TYPES:
        return f"dtype {x.dtype} is not f16, bf16 or f32"
    if x.ndim != rank:
        return f"the input has {x.ndim} axes, not {rank}"
    for axis in axes:
        if x.shape[axis] % size:
            return f"extent {x.shape[axis]} of axis {axis} must be a multiple of block_size {size}"
    return None


def groups_reason(offs: torch.Tensor) -> str | None:
    """A vector of int32 or int64, where groups end."""
    if offs.dtype not in (torch.int32, torch.int64) or offs.ndim != 1:
        return f"offsets are {offs.ndim}-D of {offs.dtype}, not a vector of int32 or int64"
    return None
