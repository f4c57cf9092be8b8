"""Element-wise functions: the ``math`` ops that are exact, ``tile.math`` for the rest."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from tegula.frontend import convert
from tegula.frontend.arithmetic import common_dtype, compare, fastmath, negate, unify
from tegula.frontend.context import Context
from tegula.frontend.convert import cast, like_constant, with_type
from tegula.frontend.registry import HANDLERS, handles
from tegula.frontend.values import Scalar, Tile, describe, is_constant, is_number
from tegula.language import dtypes as dt
from tegula.language import primitives as p

_PROMISED = (
    *("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "rcp", "sin", "cos", "tanh", "erf"),
    *("sigmoid", "silu", "gelu"),
)
_EXACT = {"floor": "floor", "ceil": "ceil", "round": "roundeven", "trunc": "trunc"}


def _floating(ctx: Context, value: Any, node: ast.AST, what: str) -> Tile | Scalar:
    """The operand as a float: integers become f32."""
    if is_number(value):
        # Never the host's libm: a constant goes to the device like any other value.
        return convert.constant_scalar(ctx, builtins.float(value), dt.f32, node)
    value = convert.run_time(ctx, value, node)
    if not value.dtype.has_arithmetic:
        ctx.fail(
            "front.type.arithmetic",
            f"{what} has no meaning for {value.dtype.name}",
            node,
            help="cast first, for example .to(tg.f32)",
        )
    return value if value.dtype.is_float else cast(ctx, value, dt.f32, node)


def _promised(name: str) -> Callable[..., Any]:
    def handler(ctx: Context, node: ast.AST, x: Any) -> Any:
        value = _floating(ctx, x, node, f"tg.{name}")
        ssa = ctx.emit(f"tile.math {name} {value.ssa}{fastmath(ctx)} : {value.type}", node)
        return with_type(value, ssa, value.dtype)

    return handler


def _exact(name: str, op: str) -> Callable[..., Any]:
    def handler(ctx: Context, node: ast.AST, x: Any) -> Any:
        value = _floating(ctx, x, node, f"tg.{name}")
        ssa = ctx.emit(f"math.{op} {value.ssa}{fastmath(ctx)} : {value.type}", node)
        return with_type(value, ssa, value.dtype)

    return handler


for _name in _PROMISED:
    HANDLERS[p.PRIMITIVES[_name]] = _promised(_name)
for _name, _op in _EXACT.items():
    HANDLERS[p.PRIMITIVES[_name]] = _exact(_name, _op)


@handles(p.abs)
def _abs(ctx: Context, node: ast.AST, x: Any) -> Any:
    if is_number(x):
        return builtins.abs(x)
    value = convert.run_time(ctx, x, node)
    if value.dtype.kind in ("bool", "uint"):
        return value
    if value.dtype.is_float:
        value = _floating(ctx, value, node, "tg.abs")
        ssa = ctx.emit(f"math.absf {value.ssa}{fastmath(ctx)} : {value.type}", node)
    else:
        negative = negate(ctx, value, node)
        ssa = ctx.emit(f"arith.maxsi {value.ssa}, {negative.ssa} : {value.type}", node)
    return with_type(value, ssa, value.dtype)


@handles(p.sign)
def _sign(ctx: Context, node: ast.AST, x: Any) -> Any:
    if is_number(x):
        return (x > 0) - (x < 0) if x == x else x
    value = convert.run_time(ctx, x, node)
    if not value.dtype.has_arithmetic:
        value = _floating(ctx, value, node, "tg.sign")
    if value.dtype.kind == "bool":
        return value
    one, zero = (like_constant(ctx, value, number, node) for number in (1, 0))
    if value.dtype.kind == "uint":
        return select(ctx, compare(ctx, ast.Eq(), value, zero, node), zero, one, node)
    minus = like_constant(ctx, value, -1, node)
    rest = select(ctx, compare(ctx, ast.Eq(), value, zero, node), zero, value, node)
    below = select(ctx, compare(ctx, ast.Lt(), value, zero, node), minus, rest, node)
    return select(ctx, compare(ctx, ast.Gt(), value, zero, node), one, below, node)


@handles(p.pow)
def power(ctx: Context, node: ast.AST, x: Any, y: Any) -> Any:
    """``tile.math pow`` on operands of one float type; integers become f32."""
    dtype = common_dtype(ctx, x, y, node, "tg.pow") if not (is_number(x) and is_number(y)) else None
    dtype = dtype if dtype is not None and dtype.is_float else dt.f32
    if is_number(x) and is_number(y):
        a, b = (convert.constant_scalar(ctx, float(v), dtype, node) for v in (x, y))
    else:
        a, b = unify(ctx, [x, y], dtype, node)  # type: ignore[assignment]
    ssa = ctx.emit(f"tile.math pow {a.ssa}, {b.ssa}{fastmath(ctx)} : {a.type}", node)
    return with_type(a, ssa, dtype)


@handles(p.isnan)
def _isnan(ctx: Context, node: ast.AST, x: Any) -> Any:
    value = _floating(ctx, x, node, "tg.isnan")
    ssa = ctx.emit(f"arith.cmpf uno, {value.ssa}, {value.ssa} : {value.type}", node)
    return with_type(value, ssa, dt.bool_)


@handles(p.isinf)
def _isinf(ctx: Context, node: ast.AST, x: Any) -> Any:
    value = _floating(ctx, x, node, "tg.isinf")
    size = ctx.emit(f"math.absf {value.ssa} : {value.type}", node)
    limit = like_constant(ctx, value, p.inf, node)
    ssa = ctx.emit(f"arith.cmpf oeq, {size}, {limit.ssa} : {value.type}", node)
    return with_type(value, ssa, dt.bool_)


def _extremum(name: str, fold: Callable[..., Any]) -> Callable[..., Any]:
    def handler(ctx: Context, node: ast.AST, a: Any, b: Any) -> Any:
        if is_number(a) and is_number(b):
            return fold(a, b)
        dtype = common_dtype(ctx, a, b, node, f"tg.{name}")
        x, y = unify(ctx, [a, b], dtype, node)
        word = name[:3]
        op = f"{word}imumf" if dtype.is_float else f"{word}{'s' if dtype.kind == 'int' else 'u'}i"
        tail = fastmath(ctx) if dtype.is_float else ""
        ssa = ctx.emit(f"arith.{op} {x.ssa}, {y.ssa}{tail} : {x.type}", node)
        return with_type(x, ssa, dtype)

    return handler


HANDLERS[p.maximum] = _extremum("maximum", builtins.max)
HANDLERS[p.minimum] = _extremum("minimum", builtins.min)


@handles(p.fma)
def _fma(ctx: Context, node: ast.AST, a: Any, b: Any, c: Any) -> Any:
    dtype = None
    for value in (a, b, c):
        if not is_number(value):
            value = _floating(ctx, value, node, "tg.fma")
            dtype = value.dtype if dtype is None else dt.promote(dtype, value.dtype)
    x, y, z = unify(ctx, [a, b, c], dtype or dt.f32, node)
    ssa = ctx.emit(f"math.fma {x.ssa}, {y.ssa}, {z.ssa}{fastmath(ctx)} : {x.type}", node)
    return with_type(x, ssa, x.dtype)


@handles(p.where)
def _where(ctx: Context, node: ast.AST, condition: Any, a: Any, b: Any) -> Any:
    if is_constant(condition):
        return a if condition else b
    if not isinstance(condition, (Tile, Scalar)) or condition.dtype.kind != "bool":
        ctx.fail(
            "front.type.condition",
            f"tg.where takes a bool condition, not {describe(condition)}",
            node,
            help="compare it, for example x != 0",
        )
    return select(ctx, condition, a, b, node)


def select(ctx: Context, condition: Tile | Scalar, a: Any, b: Any, node: ast.AST) -> Any:
    """``arith.select`` with promotion and broadcasting of all three operands."""
    if is_number(a) and is_number(b):
        dtypes = [convert.natural_dtype(value) for value in (a, b)]
        dtype = dt.promote(dtypes[0], dtypes[1])
        assert dtype is not None
    elif isinstance(a, (Tile, Scalar)) and isinstance(b, (Tile, Scalar)) and a.dtype == b.dtype:
        dtype = a.dtype  # choosing is no arithmetic: narrow floats may be chosen, too
    else:
        dtype = common_dtype(ctx, a, b, node, "tg.where")
    if isinstance(condition, Tile):
        shapes = [v.shape for v in (condition, a, b) if isinstance(v, Tile)]
        shape = convert.broadcast_shape(ctx, shapes, node)
        mask: Tile | Scalar = convert.broadcast(ctx, condition, shape, dt.bool_, node)
        x, y = (convert.broadcast(ctx, value, shape, dtype, node) for value in (a, b))
        types = f"{mask.type}, {x.type}"
    else:
        mask = condition
        x, y = unify(ctx, [a, b], dtype, node)  # type: ignore[assignment]
        types = x.type
    ssa = ctx.emit(f"arith.select {mask.ssa}, {x.ssa}, {y.ssa} : {types}", node)
    return with_type(x, ssa, dtype)
