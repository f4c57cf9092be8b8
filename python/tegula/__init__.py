"""Tegula: kernels written with tiles, for AMD CDNA GPUs. Use it as ``import tegula as tg``."""

from __future__ import annotations

from tegula.errors import (
    ArgumentError,
    BranchTypeMismatch,
    ConstantRequired,
    DeviceError,
    Error,
    IndexRank,
    InternalError,
    LaunchError,
    LdsBudget,
    NotWarm,
    RegisterBudget,
    SanitizerReport,
    ScheduleError,
    ShapeMismatch,
    SyntaxNotSupported,
    TypeMismatch,
    UndefinedName,
    UnsupportedOnTarget,
)
from tegula.language.dtypes import (
    DType,
    bf16,
    bool_,
    e8m0,
    f4e2m1,
    f6e2m3,
    f6e3m2,
    f8e4m3fn,
    f8e4m3fnuz,
    f8e5m2,
    f8e5m2fnuz,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
)
from tegula.language.function import Function, function
from tegula.language.markers import Signature, array, auto, const, tile
from tegula.language.primitives import *  # noqa: F403
from tegula.language.library import clamp, gelu, gelu_tanh, relu, sigmoid, silu  # isort: skip
from tegula.kernel import Kernel, kernel  # isort: skip
from tegula.runtime import Device, device  # isort: skip

__version__ = "0.1.0"
