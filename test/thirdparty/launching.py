"""Launching code objects of other compilers: arguments in order, no manifest."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

import tegula
from tegula.runtime.devices import translated
from tegula.runtime.launching import memory_of, merged


def pack_arguments(values: list[Any]) -> tuple[bytes, list[tuple[int, int, bool]]]:
    """(kernarg segment, memory ranges): arrays as pointers, NumPy scalars, None as null."""
    kernarg, ranges = bytearray(), []
    for value in values:
        if isinstance(value, np.generic):
            data = value.tobytes()
        elif value is None:
            data = struct.pack("<Q", 0)
        else:
            memory = memory_of(value)
            ranges.append((*memory.byte_range(), memory.writable))
            data = struct.pack("<Q", memory.address)
        kernarg += bytes(-len(kernarg) % len(data)) + data
    return bytes(kernarg), merged(ranges)


def run_object(
    device: tegula.runtime.Device,
    code: bytes,
    kernel: str,
    grid: tuple[int, ...],
    block: int,
    *values: Any,
    lds: int = 0,
) -> None:
    """Launch and wait. A sanitizer finding raises ``tegula.SanitizerReport``."""
    kernarg, ranges = pack_arguments(list(values))
    dims = (*grid, *[1] * (3 - len(grid)))
    with translated(device):
        handle = device.handle.load(code).kernel(kernel)
        handle.launch(dims, (block, 1, 1), lds, kernarg, ranges)
