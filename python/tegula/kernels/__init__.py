"""Kernels that ship with Tegula, each written once for all targets."""

from tegula.kernels.gemm import gemm
from tegula.kernels.grouped_quantize import (
    fp8_expert_columns,
    fp8_group_columns,
    fp8_group_columns_apart,
    fp8_group_largest,
    mx_quantize_expert_squares,
    mx_quantize_experts,
)
from tegula.kernels.layer_norm import layer_norm
from tegula.kernels.norm_backward import norm_backward, norm_sums
from tegula.kernels.quantize import (
    fp8_dequantize_1x128,
    fp8_largest,
    fp8_quantize_1x128,
    fp8_quantize_128x1,
    fp8_quantize_128x128,
    fp8_quantize_rows,
    fp8_quantize_tensor,
    mx_dequantize_rows,
    mx_quantize_both,
    mx_quantize_columns,
    mx_quantize_rows,
    mx_quantize_squares,
)
from tegula.kernels.rms_norm import add_rms_norm, rms_norm, rms_norm_quantize
from tegula.kernels.rotary import rotary
from tegula.kernels.rows import column_sums
from tegula.kernels.scale_layouts import copy_group_scales, copy_scales
from tegula.kernels.silu_mul import silu_mul, silu_mul_backward, silu_mul_quantize
from tegula.kernels.softmax import log_softmax, softmax, softmax_backward

__all__ = [
    "add_rms_norm",
    "column_sums",
    "copy_group_scales",
    "copy_scales",
    "fp8_dequantize_1x128",
    "fp8_expert_columns",
    "fp8_group_columns",
    "fp8_group_columns_apart",
    "fp8_group_largest",
    "fp8_largest",
    "fp8_quantize_128x1",
    "fp8_quantize_128x128",
    "fp8_quantize_1x128",
    "fp8_quantize_rows",
    "fp8_quantize_tensor",
    "gemm",
    "layer_norm",
    "log_softmax",
    "mx_dequantize_rows",
    "mx_quantize_both",
    "mx_quantize_columns",
    "mx_quantize_expert_squares",
    "mx_quantize_experts",
    "mx_quantize_rows",
    "mx_quantize_squares",
    "norm_backward",
    "norm_sums",
    "rms_norm",
    "rms_norm_quantize",
    "rotary",
    "silu_mul",
    "silu_mul_backward",
    "silu_mul_quantize",
    "softmax",
    "softmax_backward",
]
