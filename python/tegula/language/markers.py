"""What stands in a kernel's signature beside arrays: constants, tile extents, view names."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tegula.errors import ArgumentError
from tegula.language.dtypes import DType, TargetFloat, e8m0, f4e2m1
from tegula.language.function import Function
from tegula.language.primitives import is_primitive
from tegula.language.scales import LAYOUTS


class Marker:
    """An annotation or default that means something to the front end and nothing at run time."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"tg.{self._name}"


#: A keyword-only parameter that is known when compiling and never chosen by the compiler.
const: Any = Marker("const")
#: A keyword-only parameter that is the extent of a tile; the predictor may choose it.
tile: Any = Marker("tile")
#: Default of a ``tg.tile``: chosen from shape and target.
auto: Any = Marker("auto")


@dataclass(frozen=True)
class Extent:
    """One extent of a view annotation: ``name * times / by``, a literal, or collapsed axes."""

    name: str = ""
    times: tuple[str, ...] = ()
    factor: int = 1
    by: int = 1
    literal: int | None = None
    leading: bool = False

    def __str__(self) -> str:
        if self.leading:
            return "..."
        if self.literal is not None:
            return str(self.literal)
        text = "*".join((self.name, *self.times))
        if self.factor != 1:
            text += f"*{self.factor}"
        return text if self.by == 1 else f"{text}/{self.by}"


def parse_extent(text: str) -> Extent:
    """Read one word of a view annotation; ValueError says what is wrong with it."""
    if text in ("...", "…"):
        return Extent(leading=True)
    parts = text.replace("/", "*").split("*")
    if any(part.isdigit() and int(part) >= 2**31 for part in parts):
        raise ValueError(f"'{text}' holds a number beyond 2^31 - 1")
    if text.isdigit():
        if int(text) < 1:
            raise ValueError(f"extent '{text}' is not positive")
        return Extent(literal=int(text))
    product, slash, divisor = text.partition("/")
    words = product.split("*")
    names = [word for word in words if word.isidentifier()]
    numbers = [word for word in words if word.isdigit()]
    if not words[0].isidentifier() or len(names) + len(numbers) != len(words):
        raise ValueError(f"'{text}' is no extent: write NAME, NAME/32, NAME*4, A*B or a number")
    if slash and (not divisor.isdigit() or int(divisor) < 1):
        raise ValueError(f"'{text}' must divide by a positive number")
    factor = 1
    for number in numbers:
        factor *= int(number)
    return Extent(names[0], tuple(names[1:]), factor, int(divisor or 1))


def parse_view(text: str) -> tuple[Extent, ...]:
    """Read a view annotation such as ``"M K/32"``."""
    if "," in text:
        words = " ".join(text.replace(",", " ").split())
        raise ValueError(f'extents are separated by spaces, not commas: write "{words}"')
    extents = tuple(parse_extent(word) for word in text.split())
    if not 1 <= len(extents) <= 5:
        raise ValueError(f"a view has 1 to 5 extents, '{text}' has {len(extents)}")
    if any(extent.leading for extent in extents[1:]):
        raise ValueError("'...' stands for leading axes, so it comes first")
    return extents


class Packed(np.ndarray[Any, np.dtype[np.uint8]]):
    """Bytes that hold two elements of ``tg.f4e2m1`` each; see :func:`packed`."""


def packed(data: np.ndarray) -> Packed:
    """A NumPy array of bytes as an array argument of ``tg.f4e2m1``, two elements a byte.

    The pairs lie along the axis of stride 1, the even element in the low half, so that its extent
    is twice that of the bytes (as torch's ``float4_e2m1fn_x2``, which needs no wrapping). Nothing
    is copied. ``ArgumentError`` if the elements are no bytes.
    """
    if not isinstance(data, np.ndarray) or data.dtype.itemsize != 1:
        found = getattr(data, "dtype", type(data).__name__)
        raise ArgumentError("data", str(found), "a NumPy array of uint8")
    if not data.size:  # NumPy gives it strides of 0
        rows = [math.prod(data.shape[axis + 1 :]) or 1 for axis in range(data.ndim)]
        data = np.lib.stride_tricks.as_strided(data, strides=rows)
    return data.view(np.uint8).view(Packed)


@dataclass(frozen=True)
class ArraySpec:
    """What is known of an array when compiling ahead of time; see :func:`array`."""

    dtype: DType
    rank: int
    strides: tuple[int | None, ...]
    align: int
    shape: tuple[int | None, ...]
    large: bool = False
    packed: bool = False
    layout: str | None = None
    groups: int | None = None

    def __repr__(self) -> str:
        parts = [f"{self.dtype!r}, {self.rank}, strides={self.strides}, align={self.align}"]
        if any(extent is not None for extent in self.shape):
            parts.append(f"shape={self.shape}")
        parts += [f"{name}=True" for name in ("large", "packed") if getattr(self, name)]
        if self.layout:
            parts.append(f"layout={self.layout!r}")
        if self.groups is not None:
            parts.append(f"groups={self.groups}")
        return f"tg.array({', '.join(parts)})"


def array(
    dtype: DType,
    rank: int,
    *,
    strides: tuple[int | None, ...] | None = None,
    align: int = 16,
    shape: tuple[int | None, ...] | None = None,
    large: bool = False,
    packed: bool = False,
    layout: str | None = None,
    groups: int | None = None,
) -> ArraySpec:
    """An array argument of a :class:`Signature`.

    ``strides`` are in elements; 1 where it is known to be 1, else None (default: the last is 1).
    Where none is None the kernel is compiled for these very strides, 0 and negative ones included.
    ``align`` is the alignment in bytes of base and strides. ``shape`` gives extents that the
    choice of ``tg.auto`` tiles may use. ``large`` serves arrays in which a loop walks over 2^31
    bytes and more, which others refuse; it costs a few scalar instructions a loop. ``packed``: of
    ``tg.f4e2m1``, two elements a byte along the axis of stride 1. ``layout``: scales, stored as
    :class:`Scales` has them ("blocked_128x4" or "packed_64x4"), of groups along the axis
    ``groups``.
    """
    if not isinstance(dtype, (DType, TargetFloat)):
        raise ArgumentError("dtype", repr(dtype), "an element type, such as tg.f32")
    if type(rank) is not int or not 1 <= rank <= 5:
        raise ArgumentError("rank", repr(rank), "1 to 5 axes")
    if type(align) is not int or align < 1 or align & (align - 1):
        raise ArgumentError("align", repr(align), "a power of two")
    for name, numbers in (("strides", strides), ("shape", shape)):
        if not all(number is None or type(number) is int for number in numbers or ()):
            raise ArgumentError(name, repr(numbers), "integers, None for what is not known")
    strides = strides if strides is not None else (None,) * (rank - 1) + (1,)
    shape = shape if shape is not None else (None,) * rank
    if len(strides) != rank or len(shape) != rank:
        found = f"{len(strides)} strides and {len(shape)} extents"
        raise ArgumentError("rank", rank, found)
    if not all(n is None or 0 <= n < 2**31 for n in shape):
        raise ArgumentError("shape", repr(shape), "extents from 0 to 2^31 - 1")
    if not all(n is None or -(2**62) < n < 2**62 for n in strides):
        raise ArgumentError("strides", repr(strides), "strides between -2^62 and 2^62")
    if packed and (dtype != f4e2m1 or 1 not in strides):
        raise ArgumentError(
            "packed", f"{dtype!r}, strides {strides}", "tg.f4e2m1 with an axis of stride 1"
        )
    if layout is not None and (layout not in LAYOUTS or dtype != e8m0 or rank not in (2, 3)):
        found = f"{layout!r} of {dtype!r}, rank {rank}"
        raise ArgumentError("layout", found, f"one of {', '.join(LAYOUTS)}, of matrices of tg.e8m0")
    if groups is not None and (layout is None or rank != 2 or groups not in (0, 1)):
        raise ArgumentError("groups", groups, "axis 0 or 1 of a matrix with a layout")
    return ArraySpec(
        dtype, rank, tuple(strides), align, tuple(shape), large, packed, layout, groups
    )


@dataclass(frozen=True, init=False)
class Signature:
    """A specialisation stated by hand, for ahead-of-time compiling.

    ``Signature(x=tg.array(tg.bf16, 2), eps=tg.f32, N=4096)``: arrays, scalar types, constants and
    values of named extents, by name.
    """

    entries: dict[str, Any] = field(default_factory=dict)

    def __init__(self, **entries: Any) -> None:
        object.__setattr__(self, "entries", entries)

    def __repr__(self) -> str:
        lines = (f"    {name}={_written(value)},\n" for name, value in self.entries.items())
        return f"tg.Signature(\n{''.join(lines)})"


def _written(value: Any) -> str:
    """A constant as a file states it; helpers by their names."""
    if isinstance(value, tuple):
        return "".join(("(", *(f"{_written(part)}, " for part in value), ")"))
    if is_primitive(value):
        return f"tg.{value.__name__}"
    if isinstance(value, Function):
        in_tg = (value.function.__module__ or "").partition(".")[0] == "tegula"
        return f"tg.{value.function.__name__}" if in_tg else value.function.__name__
    if isinstance(value, float) and not math.isfinite(value):
        return "tg.nan" if math.isnan(value) else "tg.inf" if value > 0 else "-tg.inf"
    return repr(value)
