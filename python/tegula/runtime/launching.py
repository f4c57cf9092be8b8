"""Launching a compiled kernel: kernel arguments, grid and memory ranges, all from its manifest."""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import ArgumentError
from .contract import View, check_address, strides_to_pass
from .devices import Device, current_device, open_device, translated

# struct codes of scalar arguments; bf16 and f16 scalars don't exist in the language
_SCALARS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}


class Memory(NamedTuple):
    """Where an array lies: address, extents and strides in elements, bytes an element, rights."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    writable: bool
    on_host: bool

    def byte_range(self) -> tuple[int, int]:
        """First and one-past-last byte that any element touches."""
        low = high = 0
        for extent, stride in zip(self.shape, self.strides, strict=True):
            reach = (extent - 1) * stride * self.itemsize
            low, high = low + min(reach, 0), high + max(reach, 0)
        return self.address + low, self.address + high + self.itemsize


def memory_of(array: Any) -> Memory:
    """Describe a NumPy array or a torch tensor without copying it."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        on_host = array.device.type == "cpu"
        shape = tuple(array.shape)
        return Memory(array.data_ptr(), shape, array.stride(), array.element_size(), True, on_host)
    size = array.itemsize
    strides = tuple(s // size for s in array.strides)
    address = array.__array_interface__["data"][0]
    return Memory(address, array.shape, strides, size, bool(array.flags.writeable), True)


def merged(ranges: list[tuple[int, int, bool]]) -> list[tuple[int, int, bool]]:
    """(address, bytes, writable) of the union of (low, high, writable) ranges."""
    result: list[list[Any]] = []
    for low, high, writable in sorted(ranges):
        if result and low < result[-1][1]:
            result[-1][1] = max(result[-1][1], high)
            result[-1][2] = result[-1][2] or writable
        else:
            result.append([low, high, writable])
    return [(low, high - low, writable) for low, high, writable in result]


def evaluate(expression: Any, values: list[Any]) -> int:
    """Value of a manifest's grid expression; ``values`` are Memory or numbers, one an argument."""
    if isinstance(expression, int):
        return expression
    kind, *operands = expression
    if kind == "dim":
        extent: int = values[operands[0]].shape[operands[1]]
        return extent
    if kind == "stride":
        stride: int = values[operands[0]].strides[operands[1]]
        return stride
    if kind == "arg":
        return int(values[operands[0]])
    a, b = (evaluate(operand, values) for operand in operands)
    if kind == "add":
        return a + b
    if kind == "sub":
        return a - b
    if kind == "mul":
        return a * b
    if kind == "floordiv":
        return a // b
    if kind == "ceildiv":
        return -(-a // b)
    return min(a, b) if kind == "min" else max(a, b)


def grid_of(manifest: Mapping[str, Any], values: list[Any]) -> tuple[int, int, int]:
    """Workgroups on three axes; ArgumentError names an axis that has no usable count."""
    axes = []
    for axis, expression in enumerate(manifest["grid"]):
        try:
            count = max(0, evaluate(expression, values))
        except ZeroDivisionError:
            raise ArgumentError(f"grid axis {axis}", "a division by zero", "a count") from None
        if count >= 2**32:
            raise ArgumentError(f"grid axis {axis}", count, "fewer than 2^32 workgroups")
        axes.append(count)
    x, y, z = (*axes, *[1] * (3 - len(axes)))
    return x, y, z


def pack(manifest: Mapping[str, Any], values: list[Any]) -> bytes:
    """The kernarg segment: arguments, extents, strides, at the manifest's offsets."""
    kernarg = bytearray(manifest["kernarg_size"])
    for argument, value in zip(manifest["arguments"], values, strict=True):
        if argument["kind"] == "view":
            struct.pack_into("<Q", kernarg, argument["offset"], value.address)
        else:
            try:
                struct.pack_into(
                    "<" + _SCALARS[argument["dtype"]], kernarg, argument["offset"], value
                )
            except (struct.error, OverflowError):
                raise ArgumentError(argument["name"], value, argument["dtype"]) from None
    for extent in manifest["extents"]:
        value = values[extent["argument"]].shape[extent["dim"]]
        struct.pack_into("<i", kernarg, extent["offset"], value)
    for stride in manifest["strides"]:
        value = values[stride["argument"]].strides[stride["dim"]]
        struct.pack_into("<q", kernarg, stride["offset"], value)
    return bytes(kernarg)


def checked(argument: Mapping[str, Any], memory: Memory) -> Memory:
    """The array as the kernel sees it. ArgumentError when the code object cannot serve it."""
    view = View.of(argument)
    check_address(view, memory.address, memory.itemsize)
    strides = strides_to_pass(view, memory.shape, memory.strides, memory.itemsize)
    return memory._replace(strides=strides)


def launch(
    compiled: Any, args: Mapping[str, Any], stream: int | None = None, on: Device | None = None
) -> None:
    """Launch ``compiled`` (``code_object`` bytes and ``manifest`` dict) on ``args`` by name.

    Arrays in host memory run on ``on``, else the selected device, a simulated one; tensors of a GPU
    run on it through HIP. Raises ``LaunchError``, ``DeviceError`` or ``SanitizerReport``.
    """
    manifest = compiled.manifest
    values: list[Any] = []
    for argument in manifest["arguments"]:
        value = args[argument["name"]]
        is_view = argument["kind"] == "view"
        values.append(checked(argument, memory_of(value)) if is_view else value)
    memories = [v for v in values if isinstance(v, Memory)]
    if on is None:
        on = _device_of(memories, args)
    if on.target != manifest["target"]:
        text = f"the kernel was compiled for {manifest['target']}, {on.name} is {on.target}"
        raise ArgumentError("target", manifest["target"], on.target, text)
    if on.uses_host_memory != all(m.on_host for m in memories):
        raise ArgumentError("device", on.name, "the device on which the arrays lie")
    grid = grid_of(manifest, values)
    ranges: list[tuple[int, int, bool]] = []
    if on.uses_host_memory:
        ranges = merged([(*m.byte_range(), m.writable) for m in memories if 0 not in m.shape])
    kernel = on.kernel(compiled)
    block = tuple(manifest["block"])
    with translated(on):
        executed = kernel.handle.launch(grid, block, 0, pack(manifest, values), ranges, stream or 0)
    kernel.launches += 1
    kernel.instructions.update(executed)


def _device_of(memories: list[Memory], args: Mapping[str, Any]) -> Device:
    """The selected device for host memory; the tensors' own one otherwise."""
    if all(m.on_host for m in memories):
        return current_device()
    indices = {a.device.index or 0 for a in args.values() if getattr(a, "is_cuda", False)}
    if len(indices) != 1 or not all(not m.on_host for m in memories):
        raise ArgumentError("device", "arrays on several devices", "all arrays on one device")
    return open_device(f"hip:{indices.pop()}")
