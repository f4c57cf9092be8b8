"""Kernel arguments: from Python values to the bytes of a kernarg segment and memory ranges."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..runtime.launching import Memory, is_tensor, memory_of

Bounds = tuple[int, int, bool]  # first byte, one past the last, writable
_FLOATS = {4: "<f", 8: "<d"}


@dataclass(frozen=True)
class KernelArgument:
    """One argument as the code object's metadata has it; offset and size in bytes."""

    name: str
    kind: str  # "global_buffer", "by_value", "hidden_…"
    offset: int
    size: int

    @property
    def hidden(self) -> bool:
        """Whether the device fills it in."""
        return self.kind.startswith("hidden_")


def described(value: Any, name: str) -> Memory:
    """Where an array lies. ArgumentError for what is no array in host memory, or has no elements
    there: sparse tensors, and views that torch negates or conjugates when they are read."""
    if is_tensor(value):
        if value.device.type != "cpu":
            raise ArgumentError(name, f"a tensor on {value.device}", "one in host memory")
        if str(value.layout) != "torch.strided":
            raise ArgumentError(name, f"a tensor of layout {value.layout}", "a dense one")
        if value.is_neg() or value.is_conj():
            view = "negated" if value.is_neg() else "conjugated"
            raise ArgumentError(
                name, f"a view that is {view} when read", "resolve_neg() or resolve_conj() of it"
            )
    elif not isinstance(value, np.ndarray):
        raise ArgumentError(name, type(value).__name__, "an array, a number, bytes or None")
    return memory_of(value)


def encoded(value: Any, size: int | None, name: str) -> bytes:
    """A value that is no array. ``size`` None: unknown, so the value's own type must tell it."""
    if isinstance(value, np.generic):
        data = value.tobytes()
    elif isinstance(value, bytes):
        data = value
    elif value is None:
        data = bytes(8)
    elif isinstance(value, int) and size is not None:
        data = _integer(int(value), size, name)
    elif isinstance(value, float) and size in _FLOATS:
        data = _float(value, size, name)
    else:
        where = "of unknown size" if size is None else f"of {size} bytes"
        raise ArgumentError(name, repr(value), f"a NumPy scalar for an argument {where}")
    if size is not None and len(data) != size:
        raise ArgumentError(name, f"{len(data)} bytes ({type(value).__name__})", f"{size} bytes")
    return data


def _integer(value: int, size: int, name: str) -> bytes:
    if not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
        raise ArgumentError(name, value, f"an integer of {size} bytes")
    return (value % (1 << (8 * size))).to_bytes(size, "little")


def _float(value: float, size: int, name: str) -> bytes:
    try:
        return struct.pack(_FLOATS[size], value)
    except OverflowError:
        raise ArgumentError(name, value, f"a float of {size} bytes") from None


def memory_bounds(memories: Iterable[Memory]) -> list[Bounds]:
    """The bytes that kernels may touch; an array without elements has none."""
    return [(*m.byte_range(), m.writable) for m in memories if 0 not in m.shape]


def array_names(arguments: Sequence[KernelArgument], values: Sequence[Any]) -> dict[int, str]:
    """What reports call the arrays of a launch, by address."""
    explicit = [a.name for a in arguments if not a.hidden] or [""] * len(values)
    return {
        memory_of(value).address: f"argument {number}" + (f" ({name})" if name else "")
        for number, (name, value) in enumerate(zip(explicit, values, strict=False), 1)
        if is_tensor(value) or isinstance(value, np.ndarray)
    }


def _refuse_strided(value: Any, name: str) -> None:
    """A kernel gets an address alone. Of torch views that is usual: Triton passes strides too."""
    if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
        found = f"a view of shape {value.shape} with strides {value.strides} (bytes)"
        raise ArgumentError(name, found, "an array in C order, as np.ascontiguousarray makes it")


def pack(arguments: Sequence[KernelArgument], values: Sequence[Any]) -> tuple[bytes, list[Memory]]:
    """Bytes of the kernarg segment, and the arrays in it.

    An array becomes its address; an int that is passed for a pointer is an address too. A Python
    int or float takes the size that the object states. Objects that state no arguments get the
    values one after the other, each aligned to its size.
    """
    explicit = [a for a in arguments if not a.hidden]
    if explicit and len(explicit) != len(values):
        found, expected = f"{len(values)} arguments", f"{len(explicit)}"
        raise ArgumentError("*args", found, expected)
    kernarg, memories = bytearray(), []
    for number, value in enumerate(values):
        argument = explicit[number] if explicit else None
        name = argument.name if argument and argument.name else str(number)
        size = argument.size if argument else None
        if value is not None and not isinstance(value, (int, float, bytes, np.generic)):
            _refuse_strided(value, name)
            memories.append(described(value, name))
            value = np.uint64(memories[-1].address)
        data = encoded(value, size, name)
        offset = argument.offset if argument else len(kernarg) + -len(kernarg) % max(1, len(data))
        kernarg += bytes(max(0, offset + len(data) - len(kernarg)))
        kernarg[offset : offset + len(data)] = data
    return bytes(kernarg), memories
