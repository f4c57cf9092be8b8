"""Kernels that ship with Tegula, each written once for all targets."""

from tegula.kernels.gemm import gemm
from tegula.kernels.norm_backward import norm_backward, norm_sums
from tegula.kernels.rms_norm import add_rms_norm, rms_norm
from tegula.kernels.rows import column_sums
from tegula.kernels.softmax import softmax

__all__ = [
    "add_rms_norm",
    "column_sums",
    "gemm",
    "norm_backward",
    "norm_sums",
    "rms_norm",
    "softmax",
]
