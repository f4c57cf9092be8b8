"""Triton's compiled kernels, launched from their own metadata. Triton itself is not imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ..errors import ArgumentError
from .device import Device, Dims, Run, dims

_LANES = 64
_INTEGERS = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "u1": 1,
    "u8": 1,
    "u16": 2,
    "u32": 4,
    "u64": 8,
}
_FLOATS = {
    "fp32": np.float32,
    "f32": np.float32,
    "fp64": np.float64,
    "fp16": np.float16,
    "bf16": ml_dtypes.bfloat16,
}


def launch_triton(device: Device, compiled: Any, grid: Dims, *args: Any, check: bool = True) -> Run:
    """Run what ``triton.compile`` made for the device's target (a ``CompiledKernel``).

    ``args`` are its run-time arguments in order, constexprs left out. The workgroup, dynamic LDS
    and scratch memory come from ``compiled.metadata``. Raises what ``Kernel.launch`` raises.
    """
    metadata = compiled.metadata
    kernel = device.load(compiled.asm["hsaco"])[metadata.name]
    values = typed(compiled.src.signature.values(), args)
    workgroups = int(np.prod([int(e) for e in dims("grid", grid)]))
    scratch = [
        device.malloc(size * workgroups) if size else None
        for size in (metadata.global_scratch_size or 0, metadata.profile_scratch_size or 0)
    ]
    try:
        block = _LANES * metadata.num_warps
        return kernel.launch(grid, block, *values, *scratch, lds=metadata.shared, check=check)
    finally:
        for address in scratch:
            if address is not None:
                device.free(address)


def typed(signature: Any, args: Sequence[Any]) -> list[Any]:
    """Arguments with the types of a signature (tuples flattened, constexprs left out)."""
    types, values = list(_flat(signature)), list(_flat(args))
    types = [kind for kind in types if kind != "constexpr"]
    if len(types) != len(values):
        raise ArgumentError("*args", f"{len(values)} arguments", f"{len(types)} run-time arguments")
    return [
        _typed(kind, value, number)
        for number, (kind, value) in enumerate(zip(types, values, strict=True))
    ]


def _flat(items: Any) -> Iterator[Any]:
    for item in items:
        if isinstance(item, tuple):
            yield from _flat(item)
        else:
            yield item


def _typed(kind: str, value: Any, number: int) -> Any:
    if kind.startswith("*") or not isinstance(value, (bool, int, float, np.generic)):
        return value
    if kind in _FLOATS:
        return _FLOATS[kind](value)
    if kind not in _INTEGERS:
        raise ArgumentError(
            str(number), f"a parameter of type {kind}", "a pointer, integer or float"
        )
    bits = 8 * _INTEGERS[kind]
    if (
        not isinstance(value, (bool, int, np.integer, np.bool_))
        or not -(1 << bits - 1) <= value < 1 << bits
    ):
        raise ArgumentError(str(number), repr(value), kind)
    return (int(value) % (1 << bits)).to_bytes(bits // 8, "little")
