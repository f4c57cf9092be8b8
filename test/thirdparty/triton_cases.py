"""How a case of a Triton kernel is written: what is launched, and how its results are checked.

A case is a function of (target, random generator) that returns a ``Launch``; ``cases`` collects
them from a module. Types and hints are what Triton's JIT would find from the arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import triton
from triton.backends.compiler import GPUTarget

from triton_kernels import source_of

bf16 = ml_dtypes.bfloat16
POINTERS = {
    np.dtype(kind): name
    for kind, name in [
        (np.float64, "*fp64"),
        (np.float32, "*fp32"),
        (np.float16, "*fp16"),
        (bf16, "*bf16"),
        (ml_dtypes.float8_e4m3fn, "*fp8e4nv"),
        (ml_dtypes.float8_e4m3fnuz, "*fp8e4b8"),
        (ml_dtypes.float8_e5m2, "*fp8e5"),
        (np.int64, "*i64"),
        (np.int32, "*i32"),
        (np.int16, "*i16"),
        (np.int8, "*i8"),
        (np.uint8, "*u8"),
    ]
}
SCALARS = {"int32": "i32", "int64": "i64", "float32": "fp32"}


@dataclass
class Launch:
    """A kernel with its arguments; ``want`` maps names of arguments to what they must hold then.

    An expected array of integers, or with no tolerance, must be met exactly; NaN stands for NaN.
    """

    kernel: Any
    grid: tuple[int, ...]
    args: dict[str, Any]
    want: dict[str, Any]
    constants: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    rtol: float = 0
    atol: float = 0
    wide: bool = False  # pointers of 64 bits, not a base and 32 bits

    def check(self) -> None:
        for name, expected in self.want.items():
            found = wide(self.args[name])
            np.testing.assert_allclose(
                found, wide(expected), rtol=self.rtol, atol=self.atol, err_msg=name
            )


Case = Callable[[str, np.random.Generator], Launch]


def wide(array: Any) -> np.ndarray:
    """Small floats as f64; everything else as it is."""
    array = np.asarray(array)
    return array.astype(np.float64) if array.dtype.kind in "fV" else array


def cases(module: ModuleType) -> dict[str, Case]:
    """The public functions of a module that return a ``Launch``, by name."""
    return {
        name: function
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and not name.startswith("_")
        and function.__annotations__.get("return") == "Launch"
    }


def nans(*shape: int, kind: Any = np.float32) -> np.ndarray:
    return np.full(shape, np.nan, dtype=kind)


def small(rng: np.random.Generator, *shape: int, kind: Any = np.float32) -> np.ndarray:
    """Integers from -3 to 3: sums of products are exact in f32."""
    return rng.integers(-3, 4, shape).astype(kind)


def normal(rng: np.random.Generator, *shape: int, kind: Any = np.float32) -> np.ndarray:
    return rng.standard_normal(shape).astype(kind)


def compile_launch(launch: Launch, target: str) -> Any:
    """Triton's CompiledKernel, from its cache if it is there."""
    signature, divisible = {}, []
    for name, value in launch.args.items():
        if isinstance(value, np.ndarray):
            signature[name] = POINTERS[value.dtype]
            continue
        signature[name] = SCALARS[value.dtype.name]
        if value.dtype.kind == "i" and value % 16 == 0:
            divisible.append(name)
    source = source_of(launch.kernel, signature, launch.constants, tuple(divisible), launch.wide)
    options = {"num_warps": 4, "num_stages": 2, "enable_fp_fusion": True, **launch.options}
    return triton.compile(source, target=GPUTarget("hip", target, 64), options=options)


def i32(value: int) -> np.int32:
    return np.int32(value)
