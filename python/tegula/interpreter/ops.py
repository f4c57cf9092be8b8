"""The primitives, eagerly. Functions with a promised bound are computed in f64 and rounded once."""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tegula.errors import ShapeMismatch, SyntaxNotSupported, TypeMismatch, UnsupportedOnTarget
from tegula.interpreter.ranges import Steps
from tegula.interpreter.rounding import fused, round_once
from tegula.interpreter.tile import Tile, as_tile, operands, with_arithmetic
from tegula.interpreter.view import View, on_view
from tegula.interpreter.workgroup import eager, workgroup
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType
from tegula.language.primitives import EAGER


def _shape(shape: Any) -> tuple[int, ...]:
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if builtins.any(not isinstance(n, int) or n < 1 for n in extents):
        raise ShapeMismatch(f"tile shape {shape}", label="front.shape.extent")
    return extents


class TileCounts(tuple[Tile, ...]):
    """``tg.num_tiles``: as a grid it is launched linear."""


def _index(value: Any) -> Tile:
    """A run-time scalar as kernels have it: an i32, not a weak Python number."""
    return Tile(np.int32(value), dt.i32)


@eager
def _program_id(axis: int) -> Tile:
    if workgroup.ids is None:
        raise SyntaxNotSupported(
            "tg.program_id works in a kernel only", label="front.syntax.outside"
        )
    if not 0 <= axis < len(workgroup.ids):
        raise SyntaxNotSupported(f"the grid has no axis {axis}", label="tile.program_id.c1")
    return _index(workgroup.ids[axis])


@on_view
def _tile_id(view: View, shape: Any) -> tuple[Tile, ...]:
    counts = _counts(view, shape)
    if workgroup.ids is None or workgroup.counts != counts:
        raise SyntaxNotSupported(
            "tg.tile_id needs the grid tg.num_tiles of the same view and shape",
            label="front.syntax.tile_id",
        )
    return tuple(_index(i) for i in np.unravel_index(workgroup.ids[0], counts))


def _counts(view: View, shape: Any) -> tuple[int, ...]:
    extents = _shape(shape)
    return tuple(-(-n // size) for n, size in zip(view.extents, extents, strict=True))


@on_view
def _num_tiles(view: View, shape: Any) -> TileCounts:
    return TileCounts(map(_index, _counts(view, shape)))


#: Workgroups that the interpreter's device holds: few, so that each walks over several tiles.
RESIDENT = 3


@eager
def _persistent() -> Tile:
    return _index(RESIDENT)


@on_view
def _persistent_tiles(view: View, shape: Any) -> Iterator[tuple[Tile, ...]]:
    counts = _counts(view, shape)
    for place in range(int(_program_id(0)), math.prod(counts), RESIDENT):
        yield tuple(_index(i) for i in np.unravel_index(place, counts))


@on_view
def _group_tiles(offs: View, columns: Any, shape: Any) -> Iterator[tuple[Any, ...]]:
    rows, width = _shape(shape)
    ends = [0, *(int(end) for end in offs.data)]
    dealt = 0
    for g, (lo, hi) in enumerate(itertools.pairwise(ends)):
        for m, n in np.ndindex(-(-builtins.max(hi - lo, 0) // rows), -(-int(columns) // width)):
            if dealt % RESIDENT == int(_program_id(0)):
                yield tuple(_index(value) for value in (g, lo, hi, m, n))
            dealt += 1


@eager
def _cdiv(a: Any, b: Any) -> Any:
    for value in (a, b):
        if isinstance(value, Tile) and not value.dtype.is_integer:
            raise TypeMismatch(
                f"tg.cdiv takes integers, not {value.described}", label="front.type.operand"
            )
    rest = a % b  # not -(-a // b): the smallest integer has no negative
    return a // b + (rest != 0 if isinstance(rest, int) else (rest != 0).to(rest.dtype))


@on_view
def _tiles(view: View, axis: int, size: int) -> Steps:
    return Steps(-(-view.extents[axis] // size))


@eager
def _unroll(steps: Steps) -> range:
    return steps.values


@on_view
def _load(view: View, index: tuple[Any, ...], shape: Any, pad: float | None = None) -> Tile:
    extents = _shape(shape)
    data = view.padding(extents, pad)
    outer, inner = view.window(index, extents, "tg.load")
    data[inner] = view.data[outer]
    return Tile(data, view.dtype)


@on_view
def _scalar(view: View, *index: Any) -> Tile:
    return view.element(index[0] if len(index) == 1 and isinstance(index[0], tuple) else index)


@on_view
def _valid(view: View, index: tuple[Any, ...], shape: Any) -> Tile:
    extents = _shape(shape)
    data = np.zeros(extents, np.bool_)
    data[view.window(index, extents, "tg.valid")[1]] = True
    return Tile(data, dt.bool_)


@on_view
def _store(view: View, index: tuple[Any, ...], tile: Tile) -> None:
    view.write(index, tile)


@eager
def _zeros(shape: Any, dtype: DType) -> Tile:
    return Tile(np.zeros(_shape(shape), dtype.numpy), dtype)


@eager
def _full(shape: Any, value: Any, dtype: DType) -> Tile:
    one = as_tile(value, dtype).to(dtype)
    return Tile(np.broadcast_to(one.data, _shape(shape)), dtype)


@eager
def _iota(shape: Any, axis: int) -> Tile:
    extents = _shape(shape)
    counted = np.arange(extents[axis], dtype=np.int32)
    expanded = counted.reshape([-1 if i == axis % len(extents) else 1 for i in range(len(extents))])
    return Tile(np.broadcast_to(expanded, extents), dt.i32)


@eager
def _broadcast_to(tile: Any, shape: Any) -> Tile:
    one = as_tile(tile)
    return Tile(np.broadcast_to(one.data, _shape(shape)), one.dtype)


@eager
def _permute(tile: Tile, axes: tuple[int, ...]) -> Tile:
    return Tile(tile.data.transpose(axes), tile.dtype)


@eager
def _bitcast(tile: Any, dtype: DType) -> Tile:
    one = as_tile(tile)
    if one.dtype.bits != dtype.bits:
        raise TypeMismatch(f"{one.dtype.name} as {dtype.name}", label="tile.bitcast.c1")
    return Tile(np.ascontiguousarray(one.data).view(dtype.numpy).reshape(one.shape), dtype)


# --- Reductions ------------------------------------------------------------------------------


def _reduce(tile: Tile, compute: Callable[..., Any], axis: Any, keepdims: bool, wide: Any) -> Tile:
    data = tile.data.astype(wide) if wide is not None else tile.data
    result = compute(data, axis=axis, keepdims=keepdims)
    if tile.dtype.kind == "bool" and wide is not None:
        return Tile(result, dt.i32)
    return Tile(result, tile.dtype)


def _total(tile: Tile, compute: Callable[..., Any], axis: Any, keepdims: bool) -> Tile:
    """Sums and products: floats in f64, rounded to f32 and then to the tile's type."""
    if not tile.dtype.is_float:
        return _reduce(tile, compute, axis, keepdims, np.int64)
    exact = compute(tile.data.astype(np.float64), axis=axis, keepdims=keepdims)
    step = dt.f64 if tile.dtype == dt.f64 else dt.f32
    return Tile(round_once(np.asarray(exact), step), step).to(tile.dtype)


@eager
def _sum(tile: Tile, axis: Any = None, keepdims: bool = False) -> Tile:
    return _total(tile, np.sum, axis, keepdims)


@eager
def _prod(tile: Tile, axis: Any = None, keepdims: bool = False) -> Tile:
    return _total(tile, np.prod, axis, keepdims)


@eager
def _max(tile: Tile, axis: Any = None, keepdims: bool = False) -> Tile:
    return _reduce(tile, np.max, axis, keepdims, None)


@eager
def _min(tile: Tile, axis: Any = None, keepdims: bool = False) -> Tile:
    return _reduce(tile, np.min, axis, keepdims, None)


def _extremum_index(name: str, compute: Callable[..., Any]) -> None:
    def run(tile: Tile, axis: int | None = None, keepdims: bool = False) -> Tile:
        wide = np.float64 if tile.dtype.is_float else tile.dtype.numpy
        found = compute(tile.data.astype(wide), axis=axis, keepdims=keepdims)
        return Tile(np.asarray(found, np.int32), dt.i32)

    EAGER[name] = run


_extremum_index("argmax", np.argmax)
_extremum_index("argmin", np.argmin)


@eager
def _any(tile: Tile, axis: Any = None, keepdims: bool = False) -> Tile:
    return Tile(np.any(tile.data, axis=axis, keepdims=keepdims), dt.bool_)


@eager
def _all(tile: Tile, axis: Any = None, keepdims: bool = False) -> Tile:
    return Tile(np.all(tile.data, axis=axis, keepdims=keepdims), dt.bool_)


# --- Element-wise ----------------------------------------------------------------------------


def _float(value: Any, what: str) -> Tile:
    one = with_arithmetic(as_tile(float(value) if isinstance(value, int) else value), what)
    return one if one.dtype.is_float else one.to(dt.f32)


def _check_expansion(name: str, dtype: DType) -> None:
    """Devices have no f64 of what needs an expansion, and it is one language."""
    if dtype == dt.f64 and name not in ("sqrt", "rcp", "floor", "ceil", "round", "trunc"):
        raise UnsupportedOnTarget(
            f"{name} of f64 has no expansion; sqrt and rcp have, f32, f16 and bf16 have all "
            "functions: cast first, for example .to(tg.f32)",
            label="tile.target.c1",
        )


def _through_f64(name: str, compute: Callable[..., Any]) -> None:
    def run(x: Any) -> Tile:
        one = _float(x, f"tg.{name}")
        _check_expansion(name, one.dtype)
        with np.errstate(all="ignore"):
            exact = np.asarray(compute(one.data.astype(np.float64)))
            return Tile(round_once(exact, one.dtype), one.dtype)

    EAGER[name] = run


_erfc = np.vectorize(math.erfc, otypes=[np.float64])
_IN_F64: dict[str, Callable[..., Any]] = {
    **{"exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sqrt": np.sqrt},
    **{"sin": np.sin, "cos": np.cos, "tanh": np.tanh, "floor": np.floor, "ceil": np.ceil},
    **{"round": np.rint, "trunc": np.trunc},
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "silu": lambda x: x / (1.0 + np.exp(-x)),
    "gelu": lambda x: x * (0.5 * _erfc(-x * math.sqrt(0.5))),
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "rcp": lambda x: 1.0 / x,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}
for _name, _compute in _IN_F64.items():
    _through_f64(_name, _compute)


@eager
def _abs(x: Any) -> Any:
    if not isinstance(x, Tile):
        return builtins.abs(x)
    return Tile(np.abs(with_arithmetic(x, "tg.abs").data), x.dtype)


@eager
def _isnan(x: Any) -> Tile:
    return Tile(np.isnan(_float(x, "tg.isnan").data.astype(np.float64)), dt.bool_)


@eager
def _isinf(x: Any) -> Tile:
    return Tile(np.isinf(_float(x, "tg.isinf").data.astype(np.float64)), dt.bool_)


@eager
def _sign(x: Any) -> Any:
    if not isinstance(x, Tile):
        return (x > 0) - (x < 0) if x == x else x
    if with_arithmetic(x, "tg.sign").dtype.kind == "bool":
        return x
    with np.errstate(all="ignore"):
        return Tile(np.sign(x.data.astype(np.float64) if x.dtype.is_float else x.data), x.dtype)


@eager
def _pow(x: Any, y: Any) -> Tile:
    a, b, dtype = operands(x, y, "tg.pow")
    dtype = dtype if dtype.is_float else dt.f32
    _check_expansion("pow", dtype)
    with np.errstate(all="ignore"):
        # Not np.power, which takes the square root for 0.5: NaN of -inf, and -0 of -0.
        exact = np.float_power(
            a.to(dtype).data.astype(np.float64), b.to(dtype).data.astype(np.float64)
        )
    return Tile(round_once(np.asarray(exact), dtype), dtype)


def _extremum(name: str, compute: Callable[..., Any], fold: Callable[..., Any]) -> None:
    """NumPy's, but -0 is less than 0."""

    def run(a: Any, b: Any) -> Any:
        if not isinstance(a, Tile) and not isinstance(b, Tile):
            return fold(a, b)
        x, y, dtype = operands(a, b, f"tg.{name}")
        with np.errstate(all="ignore"):
            result = compute(x.data, y.data)
        if dtype.is_float:
            zeros = (x.data == 0) & (y.data == 0)
            with np.errstate(all="ignore"):
                of_zeros = x.data + y.data if fold is builtins.max else -(-x.data - y.data)
            result = np.where(zeros, of_zeros, result)
        return Tile(result, dtype)

    EAGER[name] = run


_extremum("maximum", np.maximum, builtins.max)
_extremum("minimum", np.minimum, builtins.min)


@eager
def _where(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, bool):
        return a if condition else b
    if condition.dtype.kind != "bool":
        raise TypeMismatch("tg.where takes a bool condition", label="front.type.condition")
    if isinstance(a, Tile) and isinstance(b, Tile) and a.dtype == b.dtype:
        x, y, dtype = a, b, a.dtype
    else:
        x, y, dtype = operands(a, b, "tg.where")
    return Tile(np.where(condition.data, x.data, y.data), dtype)


@eager
def _fma(a: Any, b: Any, c: Any) -> Tile:
    """One rounding, at the end."""
    a, b, c = (_float(value, "tg.fma") if isinstance(value, Tile) else value for value in (a, b, c))
    x, y, _ = operands(a, b, "tg.fma")
    x, z, dtype = operands(x, c, "tg.fma")
    x, y, z = (t.to(dtype) for t in (x, y, z))
    return Tile(fused(x.data, y.data, z.data, dtype), dtype)


# --- Matrix product --------------------------------------------------------------------------


def _f8_flavour(dtype: dt.DType) -> str | None:
    """Which E4M3 and E5M2 belong together; None for other types."""
    if not dtype.name.startswith("f8"):
        return None
    return "fnuz" if dtype.name.endswith("fnuz") else "ocp"


@eager
def _mma(a: Tile, b: Tile, acc: Tile) -> Tile:
    if a.shape[-1] != b.shape[-2]:
        raise ShapeMismatch(
            f"tg.mma: K extents differ: a is {a.shape}, b is {b.shape}", label="tile.mma.c2"
        )
    if acc.shape != (*a.shape[:-1], b.shape[-1]):
        raise ShapeMismatch(f"tg.mma: acc is {acc.shape}", label="tile.mma.c3")
    if a.dtype != b.dtype and _f8_flavour(a.dtype) != (_f8_flavour(b.dtype) or "none"):
        raise TypeMismatch(f"tg.mma of {a.dtype.name} and {b.dtype.name}", label="tile.mma.c4")
    multiplied = a.dtype in (dt.i8, dt.f16, dt.bf16, dt.f32, dt.f64) or _f8_flavour(a.dtype)
    if not multiplied:
        raise TypeMismatch(
            f"tg.mma of {a.dtype.name} and {b.dtype.name}; both operands are f16, bf16, i8, f32, "
            "f64, or f8 of one flavour",
            label="tile.mma.c4",
        )
    sums = {dt.i8: dt.i32, dt.f64: dt.f64}.get(a.dtype, dt.f32)
    if acc.dtype != sums:
        raise TypeMismatch(
            f"tg.mma of {a.dtype.name} accumulates in {sums.name}, not {acc.dtype.name}",
            label="tile.mma.c5",
        )
    if a.dtype.is_integer:
        product = a.data.astype(np.int64) @ b.data.astype(np.int64)
        return Tile((product + acc.data).astype(np.int32), dt.i32)
    with np.errstate(invalid="ignore"):  # infinity times zero
        exact = a.data.astype(np.float64) @ b.data.astype(np.float64) + acc.data.astype(np.float64)
    return Tile(round_once(exact, acc.dtype), acc.dtype)
