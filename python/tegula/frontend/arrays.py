"""What a kernel needs to know of an array: NumPy arrays and torch tensors, read without a copy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tegula.errors import ArgumentError
from tegula.frontend.values import ViewType
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType
from tegula.language.markers import ArraySpec, Extent, Packed
from tegula.language.scales import LAYOUTS, Blocks, Scales
from tegula.runtime.devices import native
from tegula.runtime.launching import is_tensor

#: The most alignment in bytes of base and strides that a specialisation knows: the widest access.
ALIGN = 16
#: Bytes of what the bound of a buffer lets through or drops as one.
DWORD = 4
#: Bytes that an offset of 32 bits reaches.
LARGE = 2**31


@dataclass(frozen=True)
class ArrayInfo:
    """Element type, extents, strides in elements; None is unknown, as in a signature."""

    dtype: DType
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    #: Bytes of which base and rows are known to be multiples: 16, 8, 4, or 1 for the elements' own.
    align: int
    #: Elements overlap, as after ``numpy.broadcast_to``, or an axis runs backwards: compiled for
    #: these very strides.
    repeats: bool = False
    #: Spans LARGE bytes or more, so that offsets within it may need 64 bits.
    large: bool = False
    #: The axis along which pairs of elements share a byte.
    packed: int | None = None
    #: How scales are stored in tiles.
    blocked: Blocks | None = None


def warm_key(value: Any) -> Any:
    """All of an argument that a specialisation depends on, cheap and hashable."""
    if isinstance(value, Scales):
        return (Scales, value.shape, value.stored_as, warm_key(value.blocks))
    if isinstance(value, np.ndarray):
        # Comparing dtype objects of ml_dtypes costs more than the rest of a warm call.
        return (type(value), native().array_key(value, ALIGN))
    if is_tensor(value):
        try:
            address = value.data_ptr() % ALIGN
            memory = (value.shape, value.stride(), address, value.device, value.is_neg())
        except RuntimeError:  # a sparse, nested or fake one; the checks will say so
            return object()
        return (type(value), value.dtype, *memory)
    return type(value)


def inspect_array(name: str, value: Any) -> ArrayInfo:
    """Read an array argument; ArgumentError when it is none or has a type kernels do not know."""
    if isinstance(value, ArraySpec):
        dtype = dt.concrete(value.dtype)
        pairs = unit_axis(value.strides) if value.packed else None
        # Strides that are all known are those it is compiled for.
        are_known = value.rank > 1 and None not in value.strides and not value.packed
        return ArrayInfo(
            dtype,
            value.shape,
            value.strides,
            _proven([value.align]),
            are_known,
            value.large,
            pairs,
            Blocks(LAYOUTS[value.layout], grouped=value.groups) if value.layout else None,
        )
    if isinstance(value, Scales):
        blocks = inspect_array(name, value.blocks)
        return replace(
            blocks,
            shape=value.shape,
            strides=(None,) * len(value.shape),
            align=_proven([_address(value.blocks)]),
            blocked=value.stored_as,
        )
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(name, "a masked array", "an array; pass `.filled(value)`")
    if isinstance(value, np.ndarray):
        dtype = dt.from_numpy(value.dtype)
        size = max(1, value.itemsize)
        if any(stride % size for stride in value.strides):
            raise ArgumentError(name, f"byte strides {value.strides}", f"multiples of {size}")
        address = _address(value)
        strides: tuple[int, ...] = tuple(stride // size for stride in value.strides)
    elif is_tensor(value):
        _check_tensor(name, value)
        dtype, size = dt.from_torch(value.dtype), value.element_size()
        address, strides = value.data_ptr(), tuple(value.stride())
    else:
        raise ArgumentError(name, type(value).__name__, "a NumPy array or a torch tensor")
    if dtype is None:
        raise ArgumentError(name, f"elements of {value.dtype}", "an element type of tg")
    if address % size:
        raise ArgumentError(name, f"address {address:#x}", f"a multiple of {size}, the element")
    shape = tuple(value.shape)
    align = _alignment(address, shape, strides, size)
    span = size + sum((n - 1) * abs(s) * size for n, s in zip(shape, strides, strict=True) if n > 1)
    repeats = native().rows_repeat(shape, strides)
    info = ArrayInfo(dtype, shape, strides, align, repeats, span >= LARGE)
    return _in_elements(name, info) if is_packed(value) else info


def _address(value: Any) -> int:
    return int(value.data_ptr() if is_tensor(value) else native().address_of(value))


def is_packed(value: Any) -> bool:
    """Whether a byte holds two elements."""
    return isinstance(value, Packed) or (is_tensor(value) and "_x2" in str(value.dtype))


def _in_elements(name: str, info: ArrayInfo) -> ArrayInfo:
    """What was read of bytes, for the pairs of four-bit floats in them."""
    axis = unit_axis(info.strides)
    if axis is None or info.repeats:
        raise ArgumentError(
            name, f"strides {info.strides} in bytes", "pairs of elements along an axis of stride 1"
        )
    shape = tuple(n if n is None or d != axis else 2 * n for d, n in enumerate(info.shape))
    strides = tuple(s if s is None or d == axis else 2 * s for d, s in enumerate(info.strides))
    return replace(info, dtype=dt.f4e2m1, shape=shape, strides=strides, packed=axis)


def _check_tensor(name: str, value: Any) -> None:
    """Its memory holds its values: strided, and not the negative of them."""
    if value.is_nested:
        raise ArgumentError(name, "a nested tensor", "one of a single shape")
    if str(value.layout) != "torch.strided":
        raise ArgumentError(name, f"a tensor of layout {value.layout}", "torch.strided")
    if value.is_neg():
        raise ArgumentError(name, "a lazily negated view", "a tensor; pass `.resolve_neg()`")
    if value.device.type not in ("cpu", "cuda"):
        raise ArgumentError(name, f"a tensor on '{value.device}'", "one on a CPU or an AMD GPU")


def unit_axis(strides: tuple[int | None, ...]) -> int | None:
    """The axis along which elements are adjacent: the last one with stride 1."""
    return max((axis for axis, stride in enumerate(strides) if stride == 1), default=None)


def _proven(bytes_: Iterable[int]) -> int:
    """The largest power of two that divides all of them, at most ALIGN; 1 where it is no dword."""
    bits = ALIGN
    for number in bytes_:
        bits |= number
    return bits & -bits if bits % DWORD == 0 else 1


def _alignment(address: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> int:
    """What base and rows are multiples of, where rows end with a whole dword.

    Operands of products are read in dwords, and the last row may be the end of its memory.
    """
    unit = unit_axis(strides)
    if len(shape) > 1 and unit is not None and shape[unit] * size % DWORD != 0:
        return 1
    return _proven([address, *(s * size for axis, s in enumerate(strides) if axis != unit)])


def view_type(
    info: ArrayInfo, extents: tuple[Extent, ...], known: dict[str, int | None]
) -> ViewType:
    """Type of a view: extents that are constants are static, of the strides only the unit one."""
    unit = unit_axis(info.strides)
    strides = tuple(1 if axis == unit else None for axis in range(len(extents)))
    if info.repeats:
        strides = info.strides
    # A type has no static extent of 0: such arrays are views of unknown extents.
    shape = tuple(extent_value(extent, known) or extent.literal for extent in extents)
    names = tuple("" if extent.leading else str(extent) for extent in extents)
    if info.blocked:
        align = min(info.align, DWORD)
        strides = (None,) * len(extents)
        return ViewType(info.dtype, shape, names, strides, align, False, None, info.blocked)
    if info.packed is not None:
        shape, names = _of_bytes(shape, names, extents, info.packed)
    align = info.align if info.align > info.dtype.itemsize else 1
    return ViewType(info.dtype, shape, names, strides, align, info.large, info.packed)


def _of_bytes(
    shape: tuple[int | None, ...], names: tuple[str, ...], extents: tuple[Extent, ...], axis: int
) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    """Extents and their names, with that of the pairs halved."""
    known, extent = shape[axis], extents[axis]
    plain = extent.name and not extent.times and extent.factor == extent.by == 1
    half = None if known is None else known // 2
    name = f"{extent.name}/2" if plain else str(half) if extent.literal is not None else ""
    return (
        (*shape[:axis], half, *shape[axis + 1 :]),
        (*names[:axis], name, *names[axis + 1 :]),
    )


def stated(name: str, info: ArrayInfo) -> ArraySpec:
    """What a view's type says of an array, as an entry of a signature."""
    if info.blocked and info.blocked.transposed:
        raise ArgumentError(name, "the transpose of scales in blocks", "the scales themselves")
    unit = unit_axis(info.strides)
    strides = tuple(1 if axis == unit else None for axis in range(len(info.shape)))
    if info.repeats:
        strides = info.strides
    align = max(int(info.dtype.itemsize), min(info.align, DWORD) if info.blocked else info.align)
    layout = info.blocked.layout.name if info.blocked else None
    return ArraySpec(
        info.dtype,
        len(info.shape),
        strides,
        align,
        info.shape,
        info.large,
        info.packed is not None,
        layout,
        info.blocked.grouped if info.blocked else None,
    )


def extent_value(extent: Extent, known: dict[str, int | None]) -> int | None:
    """Value of an extent from the names that are known; None when one is not."""
    if extent.leading:
        return None
    if extent.literal is not None:
        return extent.literal
    product = extent.factor
    for name in (extent.name, *extent.times):
        value = known.get(name)
        if value is None:
            return None
        product *= value
    return product // extent.by


def collapsed(name: str, value: Any, rank: int) -> Any:
    """The array with its leading axes seen as one, so that it has the given rank."""
    if isinstance(value, ArraySpec) or not hasattr(value, "shape") or value.ndim < rank:
        return value
    count = value.ndim - rank + 1
    shape = tuple(value.shape)
    tensor = is_tensor(value)
    strides = tuple(value.stride()) if tensor else value.strides
    extent, stride = 1, strides[count - 1]
    for axis in reversed(range(count)):
        if shape[axis] != 1 and extent != 1 and strides[axis] != stride * extent:
            raise ArgumentError(
                name, f"strides {strides}", f"the first {count} axes to collapse without a copy"
            )
        if extent == 1:
            stride = strides[axis]
        extent *= shape[axis]
    new_shape, new_strides = (extent, *shape[count:]), (stride, *strides[count:])
    if tensor:
        return value.as_strided(new_shape, new_strides)
    return np.lib.stride_tricks.as_strided(value, new_shape, new_strides, subok=True)
