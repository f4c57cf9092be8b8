"""What an expression of a kernel evaluates to while it is traced.

Constants are plain Python objects. What exists only on the device is one of the classes below; all
of them are immutable names of SSA values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tegula.language.dtypes import DType
from tegula.language.scales import Blocks


@dataclass(frozen=True)
class Tile:
    """An SSA tensor of static shape."""

    ssa: str
    dtype: DType
    shape: tuple[int, ...]

    @property
    def type(self) -> str:
        return tensor_type(self.shape, self.dtype)

    def __str__(self) -> str:
        return f"a {shape_text(self.shape)} tile of {self.dtype.name}"


@dataclass(frozen=True)
class Scalar:
    """An SSA scalar, the same in every lane of the workgroup."""

    ssa: str
    dtype: DType

    @property
    def type(self) -> str:
        return self.dtype.mlir

    def __str__(self) -> str:
        return f"a run-time {self.dtype.name}"


@dataclass(frozen=True)
class ViewType:
    """Type of a view; None is an extent or stride known only at run time.

    Of a packed one, which holds two elements a byte, extents and strides count bytes.
    """

    dtype: DType
    shape: tuple[int | None, ...]
    names: tuple[str, ...]
    strides: tuple[int | None, ...]
    align: int = 1
    #: Spans 2^31 bytes or more: an attribute of the argument, not of the type.
    large: bool = False
    #: The axis along which pairs of elements share a byte.
    packed: int | None = None
    #: How scales are stored in tiles. In IR it is a view of rank 5, of groups of rank 4; ``shape``
    #: and ``names`` are those of the matrix.
    blocked: Blocks | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        extents = "".join("?x" if n is None else f"{n}x" for n in self.shape)
        if self.blocked:
            align = f", align = {self.align}" if self.align > 1 else ""
            layout = self.blocked.layout
            quarter, row, column = layout.strides
            if self.blocked.grouped is not None:
                extents = f"?x4x{layout.rows // 4}x4"
                strides = f"[{layout.bytes}, {quarter}, {row}, {column}]"
            else:
                extents = f"?x4x{layout.rows // 4}x?x4"
                strides = f"[?, {quarter}, {row}, {layout.bytes}, {column}]"
            return f"!tile.view<{extents}x{self.dtype.mlir}, strides = {strides}{align}>"
        element = "i8" if self.packed is not None else self.dtype.mlir
        parts = [f"!tile.view<{extents}{element}"]
        if any(self.names):
            parts.append("names = [" + ", ".join(f'"{name}"' for name in self.names) + "]")
        strides = ", ".join("?" if s is None else str(s) for s in self.strides)
        parts.append(f"strides = [{strides}]")
        if self.align > max(1, int(self.dtype.itemsize)):
            parts.append(f"align = {self.align}")
        return ", ".join(parts) + ">"


@dataclass(frozen=True)
class Part:
    """One of the groups of scales as it lies upright.

    Its first tile, how many lie one below the other and side by side, and its rows and columns.
    """

    first: int | Scalar
    down: int | Scalar
    across: int | Scalar
    extents: tuple[int | Scalar, int | Scalar]


@dataclass(frozen=True)
class View:
    """An SSA view; ``origin`` is how a message names it."""

    ssa: str
    view_type: ViewType
    origin: str
    #: Of scales that are stored group by group, one that ``tg.group_view`` took.
    part: Part | None = None

    @property
    def type(self) -> str:
        return str(self.view_type)

    @property
    def dtype(self) -> DType:
        return self.view_type.dtype

    def __str__(self) -> str:
        return f"view '{self.origin}' of rank {self.view_type.rank}"


@dataclass(frozen=True)
class Extents:
    """``view.shape`` or ``view.strides``, read one element at a time."""

    view: View
    strides: bool = False


@dataclass(frozen=True)
class Method:
    """A method of a tile, scalar or view, before it is called."""

    owner: Any
    name: str


@dataclass(frozen=True)
class Steps:
    """``range`` or ``tg.tiles``: what a ``for`` walks. Bounds and step are constants or scalars."""

    start: Any
    stop: Any
    step: Any
    unroll: bool = False


RUN_TIME = (Tile, Scalar, View, Extents, Method, Steps)


def is_constant(value: Any) -> bool:
    """Whether the value is known when compiling, the parts of tuples included."""
    if isinstance(value, (tuple, list)):
        return all(is_constant(part) for part in value)
    return not isinstance(value, RUN_TIME)


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def shape_text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "rank-0"


def tensor_type(shape: tuple[int, ...], dtype: DType) -> str:
    return "tensor<" + "".join(f"{n}x" for n in shape) + dtype.mlir + ">"


def describe(value: Any) -> str:
    """How a message calls a value."""
    if isinstance(value, (Tile, Scalar, View)):
        return str(value)
    if isinstance(value, Extents):
        return "the strides of a view" if value.strides else "the shape of a view"
    if isinstance(value, tuple):
        return "a tuple"
    return f"the constant {value!r}"
