"""A norm and a gate that give out codes and scales, as PyTorch custom ops without a gradient."""

from __future__ import annotations

import torch
from torch import Tensor

from .. import kernels
from ..kernels.rows import LONGEST
from . import reporting
from .eligibility import rms_norm_reason, silu_reason
from .norms import add_rms_norm_op, rms_norm_op
from .ops import DEVICES, require, rows_of
from .rowwise import silu_mul

BLOCK = 32  # elements that share a scale of e8m0
PAIRS = torch.float4_e2m1fn_x2  # two codes a byte
_F8 = (torch.float8_e4m3fn, torch.float8_e5m2)
CODES = (torch.int8, *_F8, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)


def codes_reason(x: Tensor, dtype: torch.dtype, mode: str | None) -> str | None:
    """Rows with elements; codes with one scale a row, or e4m3fn, e5m2, e2m1 in blocks."""
    length = x.shape[-1] if x.ndim else 0
    if not length:
        return "the rows have no elements"
    known = CODES if mode is None else (*_F8, PAIRS)
    if dtype not in known:
        return f"codes of {dtype} are not one of {', '.join(map(str, known))}"
    if mode is not None and length % BLOCK:
        return f"row length {length} is no multiple of {BLOCK}"
    return None


def _outputs(x: Tensor, dtype: torch.dtype, mode: str | None) -> tuple[Tensor, Tensor]:
    width, kind = (
        (1, torch.float32) if mode is None else (x.shape[-1] // BLOCK, torch.float8_e8m0fnu)
    )
    *lead, length = x.shape
    codes = x.new_empty((*lead, length // 2 if dtype == PAIRS else length), dtype=dtype)
    return codes, x.new_empty((*lead, width), dtype=kind)


def _quantize(y: Tensor, codes: Tensor, scales: Tensor, mode: str | None, pow2: bool) -> None:
    """Codes and scales of rows that are too long for one tile, and have been computed before."""
    arrays = map(rows_of, (y, codes, scales))
    if mode is None:
        kernels.fp8_quantize_rows(*arrays, pow2=pow2)
    else:
        kernels.mx_quantize_rows(*arrays, mode=mode)


@torch.library.custom_op("tegula::rms_norm_quantize", mutates_args=(), device_types=DEVICES)
def rms_norm_quantize_op(
    x: Tensor,
    residual: Tensor | None,
    weight: Tensor | None,
    eps: float,
    dtype: torch.dtype,
    mode: str | None,
    pow2: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """codes, scales and x + residual (empty without a residual); see :func:`rms_norm_quantize`."""
    reason = rms_norm_reason(x, weight, residual) or codes_reason(x, dtype, mode)
    require("rms_norm_quantize", reason)
    codes, scales = _outputs(x, dtype, mode)
    total = x.new_empty(0 if residual is None else x.shape)
    if x.shape[-1] > LONGEST:
        if residual is None:
            y, _ = rms_norm_op(x, weight, eps)
        else:
            y, total, _ = add_rms_norm_op(x, residual, weight, eps)
        _quantize(y, codes, scales, mode, pow2)
    else:
        scale = x.new_ones(x.shape[-1]) if weight is None else weight
        more = () if residual is None else (rows_of(residual), rows_of(total))
        targets = rows_of(codes), rows_of(scales)
        kernels.rms_norm_quantize(rows_of(x), scale, *targets, eps, *more, mode=mode, pow2=pow2)
    reporting.count("rms_norm_quantize", reporting.TEGULA)
    return codes, scales, total


@rms_norm_quantize_op.register_fake
def _(
    x: Tensor,
    residual: Tensor | None,
    weight: Tensor | None,
    eps: float,
    dtype: torch.dtype,
    mode: str | None,
    pow2: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    return *_outputs(x, dtype, mode), x.new_empty(0 if residual is None else x.shape)


def rms_norm_quantize(
    x: Tensor,
    weight: Tensor | None,
    eps: float,
    dtype: torch.dtype,
    residual: Tensor | None = None,
    mode: str | None = None,
    pow2: bool = False,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """(codes, scales, total): ``rms_norm`` of total = x + residual (…, N), quantized.

    codes (…, N) of ``dtype``: int8 or an f8 type. Without ``mode`` scales are f32 (…, 1), what rows
    were multiplied by (``pow2``: rounded down to a power of two); with "floor", "ceil", "even" or
    "rceil" they are e8m0 (…, N/32) of blocks in MX formats, and codes may be float4_e2m1fn_x2
    (…, N/2), too. What quantizing the norm gives, but that sums may be added in another order: one
    kernel up to N = 32,768, beyond that two. Raises ``tegula.ArgumentError`` for other types or
    extents. Source: OCP Microscaling Formats 1.0.
    """
    codes, scales, total = rms_norm_quantize_op(x, residual, weight, eps, dtype, mode, pow2)
    return codes, scales, None if residual is None else total


@torch.library.custom_op("tegula::silu_mul_quantize", mutates_args=(), device_types=DEVICES)
def silu_mul_quantize(
    a: Tensor, b: Tensor, dtype: torch.dtype, mode: str | None = None, pow2: bool = False
) -> tuple[Tensor, Tensor]:
    """(codes, scales) of silu(a) · b over (…, N); see :func:`rms_norm_quantize`."""
    require("silu_mul_quantize", silu_reason(a, b) or codes_reason(a, dtype, mode))
    codes, scales = _outputs(a, dtype, mode)
    if a.shape[-1] > LONGEST:
        _quantize(silu_mul(a, b), codes, scales, mode, pow2)
    else:
        rows = map(rows_of, (a, b, codes, scales))
        kernels.silu_mul_quantize(*rows, mode=mode, pow2=pow2)
    reporting.count("silu_mul_quantize", reporting.TEGULA)
    return codes, scales


@silu_mul_quantize.register_fake
def _(
    a: Tensor, b: Tensor, dtype: torch.dtype, mode: str | None = None, pow2: bool = False
) -> tuple[Tensor, Tensor]:
    return _outputs(a, dtype, mode)
