"""Kernels that ship with Tegula, each written once for all targets."""

from tegula.kernels.gemm import gemm
from tegula.kernels.norm_backward import norm_backward, norm_sums
from tegula.kernels.quantize import (
    fp8_dequantize_1x128,
    fp8_largest,
    fp8_quantize_1x128,
    fp8_quantize_128x128,
    fp8_quantize_rows,
    fp8_quantize_tensor,
    mx_dequantize_rows,
    mx_quantize_both,
    mx_quantize_columns,
    mx_quantize_rows,
    mx_quantize_squares,
)
from tegula.kernels.rms_norm import add_rms_norm, rms_norm
from tegula.kernels.rows import column_sums
from tegula.kernels.softmax import softmax

__all__ = [
    "add_rms_norm",
    "column_sums",
    "fp8_dequantize_1x128",
    "fp8_largest",
    "fp8_quantize_128x128",
    "fp8_quantize_1x128",
    "fp8_quantize_rows",
    "fp8_quantize_tensor",
    "gemm",
    "mx_dequantize_rows",
    "mx_quantize_both",
    "mx_quantize_columns",
    "mx_quantize_rows",
    "mx_quantize_squares",
    "norm_backward",
    "norm_sums",
    "rms_norm",
    "softmax",
]
