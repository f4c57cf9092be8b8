"""Tiles and run-time scalars of the interpreter: a NumPy array with the language's arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tegula.errors import IndexRank, ShapeMismatch, SyntaxNotSupported, TypeMismatch
from tegula.interpreter.rounding import convert
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType
from tegula.language.primitives import EAGER


class Tile:
    """An immutable tile; rank 0 is a scalar, which alone has a truth value."""

    __array_ufunc__ = None  # NumPy scalars leave operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Any, dtype: DType) -> None:
        dtype = dt.concrete(dtype)
        self.data = np.asarray(data).astype(dtype.numpy, copy=False)
        self.dtype = dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def T(self) -> Tile:
        return Tile(self.data.T, self.dtype)

    def __repr__(self) -> str:
        return f"Tile({self.data!r}, {self.dtype!r})"

    @property
    def described(self) -> str:
        """How a message calls it: what it is, without its elements."""
        shape = "x".join(map(str, self.shape))
        return f"a {shape} tile of {self.dtype.name}" if shape else f"a run-time {self.dtype.name}"

    def to(
        self, dtype: DType, rounding: str = "rne", seed: Any = None, saturate: Any = None
    ) -> Tile:
        dtype = dt.concrete(dtype)
        number = None if seed is None else int(seed)
        return Tile(convert(self.data, self.dtype, dtype, rounding, saturate, number), dtype)

    def reshape(self, *shape: Any) -> Tile:
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        if int(np.prod(extents)) != self.data.size:
            raise ShapeMismatch(f"{self.shape} as {extents}", label="tile.reshape.c1")
        return Tile(self.data.reshape(extents), self.dtype)

    def __getitem__(self, index: Any) -> Tile:
        checked: list[Any] = []
        axis = 0
        for part in expanded(index, self.ndim):
            if part is not None and axis >= self.ndim:
                raise IndexRank(f"too many indices for {self.described}", label="front.index.rank")
            checked.append(part if part is None else self._part(part, axis))
            axis += part is not None
        return Tile(self.data[tuple(checked)], self.dtype)

    def _part(self, part: Any, axis: int) -> Any:
        bounds = (part.start, part.stop, part.step) if isinstance(part, slice) else (part,)
        if any(value is not None and type(value) is not int for value in bounds):
            raise IndexRank("a tile is indexed with constants only", label="front.index.tile")
        if isinstance(part, slice) and part.step not in (None, 1):
            raise IndexRank("a slice of a tile has step 1", label="front.index.step")
        extent = self.shape[axis]
        places = range(extent)[part] if isinstance(part, slice) else (part,)
        inside = all(
            -extent <= v <= extent - (not isinstance(part, slice))
            for v in bounds[:2]
            if v is not None
        )
        if not (inside and len(places)):
            raise IndexRank(
                f"index {part} of axis {axis} of {self.described}", label="front.index.bound"
            )
        return part

    def __bool__(self) -> bool:
        if self.ndim:
            raise TypeMismatch("a tile has no truth value", label="front.type.condition")
        return bool(self.data)

    def __index__(self) -> int:
        if self.ndim or not self.dtype.is_integer:
            raise TypeMismatch(f"{self.described} is no integer scalar", label="front.type.index")
        return int(self.data)

    def __int__(self) -> int:
        return self.__index__()

    def __neg__(self) -> Tile:
        wide = self.to(dt.i32) if self.dtype.kind == "bool" else with_arithmetic(self, "-")
        return Tile(-wide.data, wide.dtype)

    def __pos__(self) -> Tile:
        return with_arithmetic(self, "+")

    def __invert__(self) -> Tile:
        if self.dtype.is_float:
            _no_meaning("~", self)
        return Tile(~with_arithmetic(self, "~").data, self.dtype)


def expanded(index: Any, rank: int) -> tuple[Any, ...]:
    """An index with as many ``:`` as its ``...`` stands for."""
    parts = index if isinstance(index, tuple) else (index,)
    at = [i for i, part in enumerate(parts) if part is ...]
    if not at:
        return parts
    left = rank - sum(part is not None for part in parts) + 1
    return (*parts[: at[0]], *[slice(None)] * max(left, 0), *parts[at[0] + 1 :])


def weak(value: Any, other: DType) -> DType:
    """Type of a Python number beside ``other``."""
    if isinstance(value, float) and not other.is_float:
        return dt.f32
    if other.kind == "bool" and not isinstance(value, bool):
        return dt.i32
    return other


def as_tile(value: Any, dtype: DType | None = None) -> Tile:
    """A tile of a tile or number; numbers take ``dtype`` or their natural type."""
    if isinstance(value, Tile):
        return value
    if dtype is None:
        dtype = (
            dt.bool_ if isinstance(value, bool) else dt.i32 if isinstance(value, int) else dt.f32
        )
    if not dt.in_range(value, dtype):
        raise TypeMismatch(
            f"the constant {value!r} is out of the range of {dtype.name}",
            label="front.type.literal",
        )
    return Tile(np.asarray(value, dtype=dtype.numpy), dtype)


def _no_meaning(what: str, *values: Any) -> NoReturn:
    names = [value.dtype.name for value in values if isinstance(value, Tile)]
    raise TypeMismatch(
        f"'{what}' has no meaning for {' with '.join(names)}", label="front.type.arithmetic"
    )


def with_arithmetic(tile: Tile, what: str) -> Tile:
    """The tile, if there is arithmetic on its type."""
    if not tile.dtype.has_arithmetic:
        _no_meaning(what, tile)
    return tile


def mask(where: Any, label: str) -> np.ndarray:
    """Which elements a ``where=`` chooses."""
    chosen = as_tile(where)
    if chosen.dtype.kind != "bool":
        raise TypeMismatch(f"where is a tile of bool, not {chosen.described}", label=label)
    return chosen.data


def operands(a: Any, b: Any, what: str) -> tuple[Tile, Tile, DType]:
    """Both operands as tiles of their promoted type."""
    if not isinstance(a, Tile) and not isinstance(b, Tile):
        a, b = as_tile(a), as_tile(b)
    if isinstance(a, Tile) and isinstance(b, Tile):
        dtype = dt.promote(a.dtype, b.dtype)
    else:
        tile, number = (a, b) if isinstance(a, Tile) else (b, a)
        dtype = weak(number, tile.dtype) if tile.dtype.has_arithmetic else None
    if dtype is None:
        _no_meaning(what, a, b)
    x, y = (as_tile(v, dtype).to(dtype) for v in (a, b))
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ShapeMismatch(
            f"shapes {x.shape} and {y.shape} do not broadcast", label="front.shape.broadcast"
        ) from None
    return x, y, dtype


def _binary(name: str, compute: Callable[..., Any]) -> tuple[Any, Any]:
    def run(a: Any, b: Any) -> Tile:
        x, y, dtype = operands(a, b, name)
        if name in _INTEGER_ONLY and dtype.is_float:
            _no_meaning(name, x)
        if name in ("//", "%") and not dtype.is_float and not isinstance(b, Tile) and b == 0:
            raise TypeMismatch("the divisor is the constant 0", label="front.type.literal")
        if name == "/" and not dtype.is_float:
            x, y, dtype = x.to(dt.f32), y.to(dt.f32), dt.f32
        if dtype.kind == "bool" and name not in "&|^":
            x, y, dtype = x.to(dt.i32), y.to(dt.i32), dt.i32
        with np.errstate(all="ignore"):
            return Tile(compute(x.data, y.data), dtype)

    return run, lambda a, b: run(b, a)


def _comparison(name: str, compute: Callable[..., Any]) -> Any:
    def run(a: Any, b: Any) -> Tile:
        x, y, _ = operands(a, b, name)
        with np.errstate(all="ignore"):
            return Tile(compute(x.data, y.data), dt.bool_)

    return run


def _floor_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of floats the floor of ``a / b``; NumPy takes that of the quotient before rounding."""
    if np.issubdtype(a.dtype, np.integer):
        return np.floor_divide(a, b)
    return np.floor(a / b)


def _remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of floats the exact remainder, to which the divisor is added once where the signs differ."""
    if np.issubdtype(a.dtype, np.integer):
        return np.remainder(a, b)
    rest = np.fmod(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)
    moved = np.where((rest < 0) != (b < 0), rest + b, rest)
    return np.where(rest == 0, np.copysign(np.zeros_like(rest), b), moved)


#: Operators that floats have not.
_INTEGER_ONLY = ("&", "|", "^", "<<", ">>")
_BINARY: dict[str, tuple[str, Callable[..., Any]]] = {
    "add": ("+", np.add),
    "sub": ("-", np.subtract),
    "mul": ("*", np.multiply),
    "truediv": ("/", np.divide),
    "floordiv": ("//", _floor_divide),
    "mod": ("%", _remainder),
    "and": ("&", np.bitwise_and),
    "or": ("|", np.bitwise_or),
    "xor": ("^", np.bitwise_xor),
    "lshift": ("<<", np.left_shift),
    "rshift": (">>", np.right_shift),
}
for _method, (_name, _compute) in _BINARY.items():
    _left, _right = _binary(_name, _compute)
    setattr(Tile, f"__{_method}__", _left)
    setattr(Tile, f"__r{_method}__", _right)
for _method, (_name, _compute) in {
    **{"lt": ("<", np.less), "le": ("<=", np.less_equal), "gt": (">", np.greater)},
    **{"ge": (">=", np.greater_equal), "eq": ("==", np.equal), "ne": ("!=", np.not_equal)},
}.items():
    setattr(Tile, f"__{_method}__", _comparison(_name, _compute))


def _power(a: Any, exponent: Any) -> Any:
    small = isinstance(exponent, int) and not isinstance(exponent, bool) and 1 <= exponent <= 4
    if not small and operands(a, exponent, "**")[2].is_float:
        return EAGER["pow"](a, exponent)
    if not small:
        raise SyntaxNotSupported(
            "'**' of integers takes a constant power from 1 to 4", label="front.syntax.operator"
        )
    result = a
    for _ in range(exponent - 1):
        result = result * a
    return result


setattr(Tile, "__pow__", _power)  # noqa: B010  as above, for mypy's sake
setattr(Tile, "__rpow__", lambda a, base: _power(as_tile(base, weak(base, a.dtype)), a))  # noqa: B010
