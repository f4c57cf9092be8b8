"""Launching a compiled kernel: describing arrays, and what its runtime says about them.

Grid, kernel arguments and the contract of the code object are the runtime's (lib/Runtime).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArgumentError
from .determinism import refuse
from .devices import Device, current_device, native, open_device


class Memory(NamedTuple):
    """Where an array lies: address, extents and strides in elements, bytes an element, rights.

    ``dtype`` is the element type as manifests write it, None where the caller has checked it.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    writable: bool
    dtype: str | None

    def byte_range(self) -> tuple[int, int]:
        """First and one-past-last byte that any element touches."""
        low = high = 0
        for extent, stride in zip(self.shape, self.strides, strict=True):
            reach = (extent - 1) * stride * self.itemsize
            low, high = low + min(reach, 0), high + max(reach, 0)
        return self.address + low, self.address + high + self.itemsize


def is_tensor(array: Any) -> bool:
    """Whether it is a tensor of PyTorch, which is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def is_array(value: Any) -> bool:
    """Whether it has axes; without any it is a number."""
    return hasattr(value, "shape") and value.shape != ()


def memory_of(array: Any) -> Memory:
    """Describe a NumPy array or a torch tensor without copying it."""
    if is_tensor(array):
        shape = tuple(array.shape)
        return Memory(array.data_ptr(), shape, array.stride(), array.element_size(), True, None)
    size = array.itemsize
    strides = tuple([s // size for s in array.strides])
    address = native().address_of(array)
    return Memory(address, array.shape, strides, size, array.flags.writeable, None)


def describe(value: Any) -> Any:
    """An argument as the native runtime takes it: a NumPy array, a Memory, or a Python number."""
    if type(value) is np.ndarray and value.ndim:
        return value
    if is_array(value):
        return memory_of(value)
    return value.item() if hasattr(value, "item") else value


def launch(
    compiled: Any, args: Mapping[str, Any], stream: int | None = None, on: Device | None = None
) -> None:
    """Launch ``compiled`` (``code_object`` bytes and ``manifest`` dict) on ``args`` by name.

    Arrays in host memory run on ``on``, else the selected device, a simulated one; tensors of a GPU
    run on it through HIP. Raises ``ArgumentError``, ``LaunchError``, ``DeviceError`` or
    ``SanitizerReport``.
    """
    refuse(compiled.manifest)
    values = [args[argument["name"]] for argument in compiled.manifest["arguments"]]
    if on is None:
        on = device_of(values)
    on.kernel(compiled).launch(on, tuple(map(describe, values)), stream or 0)


def device_of(values: Sequence[Any]) -> Device:
    """The selected device for arrays in host memory; otherwise the one on which tensors lie."""
    if not any(map(is_tensor, values)):
        return current_device()
    indices = {
        value.device.index or 0 if value.is_cuda else None for value in values if is_tensor(value)
    }
    if not indices - {None}:
        return current_device()
    on_host = any(is_array(v) and not is_tensor(v) for v in values)
    if len(indices) != 1 or on_host:
        raise ArgumentError("device", "arrays on several devices", "all arrays on one device")
    return open_device(f"hip:{indices.pop()}")
