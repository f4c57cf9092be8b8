"""Kernels that ship with Tegula, each written once for all targets."""

from tegula.kernels.gemm import gemm
from tegula.kernels.rms_norm import rms_norm
from tegula.kernels.softmax import softmax

__all__ = ["gemm", "rms_norm", "softmax"]
