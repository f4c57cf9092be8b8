"""Operators: promotion, broadcasting, and the ``arith`` op of each."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from tegula.frontend import convert, integers
from tegula.frontend.context import Context
from tegula.frontend.convert import (
    broadcast,
    broadcast_shape,
    cast,
    emit_binary,
    like_constant,
    with_type,
)
from tegula.frontend.registry import HANDLERS
from tegula.frontend.values import Scalar, Tile, View, describe, is_constant, is_number
from tegula.language import dtypes as dt
from tegula.language import primitives
from tegula.language.dtypes import DType

Value = Tile | Scalar

#: Bits of an integer constant, characters of a text, elements of a tuple.
LARGEST = 4096

PYTHON_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
PYTHON_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
SYMBOL: dict[type[ast.AST], str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//"},
    **{ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"},
    **{ast.LShift: "<<", ast.RShift: ">>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">"},
    **{ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.MatMult: "@"},
}
_FLOAT_OP: dict[type[ast.operator], str] = {
    ast.Add: "arith.addf",
    ast.Sub: "arith.subf",
    ast.Mult: "arith.mulf",
    ast.Div: "arith.divf",
}
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
# Ordered comparisons, but != is true for NaN as in NumPy.
_FLOAT_PREDICATE = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_INTEGER_PREDICATE = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def fastmath(ctx: Context) -> str:
    """The kernel's fast-math set as the clause of one op."""
    return f" fastmath<{','.join(sorted(ctx.fastmath))}>" if ctx.fastmath else ""


def common_dtype(ctx: Context, a: Any, b: Any, node: ast.AST, symbol: str) -> DType:
    """Promoted type of two operands of which at least one exists at run time."""
    for value in (a, b):
        if not (isinstance(value, (Tile, Scalar)) or is_number(value)):
            hint = "read it with tg.load, which gives a tile" if isinstance(value, View) else None
            message = f"'{symbol}' does not take {describe(value)}"
            ctx.fail("front.type.operand", message, node, help=hint)
    if is_number(a):
        a, b = b, a
    result = None
    if not is_number(b):
        result = dt.promote(a.dtype, b.dtype)
    elif a.dtype.has_arithmetic:
        result = convert.weak_dtype(b, a.dtype)
    if result is None:
        pair = a.dtype.name if is_number(b) else f"{a.dtype.name} with {b.dtype.name}"
        ctx.fail(
            "front.type.arithmetic",
            f"'{symbol}' has no meaning for {pair}",
            node,
            help="cast to a type with arithmetic first, for example .to(tg.f32)",
        )
    return result


def unify(ctx: Context, values: list[Any], dtype: DType, node: ast.AST) -> list[Value]:
    """Cast and broadcast the operands of an element-wise op to one type and shape."""
    shapes = [value.shape for value in values if isinstance(value, Tile)]
    if shapes:
        shape = broadcast_shape(ctx, shapes, node)
        return [broadcast(ctx, value, shape, dtype, node) for value in values]
    return [
        convert.constant_scalar(ctx, value, dtype, node)
        if is_number(value)
        else cast(ctx, value, dtype, node)
        for value in values
    ]


def binary(ctx: Context, op: ast.operator, a: Any, b: Any, node: ast.AST) -> Any:
    """``a op b``; constants are folded by Python."""
    kind = type(op)
    symbol = SYMBOL[kind]
    if kind not in PYTHON_BINARY:
        ctx.fail(
            "front.syntax.operator", f"no '{symbol}' here", node, help="write tg.mma(a, b, acc)"
        )
    if is_constant(a) and is_constant(b):
        _check_size(ctx, kind, a, b, node)
        return fold(ctx, lambda: PYTHON_BINARY[kind](a, b), node)
    if kind is ast.Pow:
        return _power(ctx, a, b, node)
    dtype = common_dtype(ctx, a, b, node, symbol)
    if kind is ast.Div and not dtype.is_float:
        dtype = dt.f32
    if dtype.kind == "bool" and kind not in _BITWISE:
        dtype = dt.i32
    x, y = unify(ctx, [a, b], dtype, node)
    if dtype.is_float:
        return _float_binary(ctx, kind, x, y, node)
    return integers.binary(ctx, kind, x, y, b if is_number(b) else None, node)


def _check_size(ctx: Context, kind: type[ast.operator], a: Any, b: Any, node: ast.AST) -> None:
    """Refuse constants such as ``9**9**9``, which Python would compute for hours."""
    size = 0
    if isinstance(a, str) and kind is ast.Mod:
        ctx.fail("front.type.arithmetic", "'%' has no meaning for a text", node)
    if isinstance(a, int) and isinstance(b, int) and kind is ast.Pow:
        size = a.bit_length() * b
    elif isinstance(b, int) and kind is ast.LShift:
        size = b
    elif kind is ast.Mult:
        lengths = [len(v) for v in (a, b) if isinstance(v, (str, tuple))]
        counts = [v for v in (a, b) if isinstance(v, int)]
        size = lengths[0] * counts[0] if lengths and counts else 0
    if size > LARGEST:
        too_large(ctx, node)


def _float_binary(
    ctx: Context, kind: type[ast.operator], x: Value, y: Value, node: ast.AST
) -> Value:
    if kind in _FLOAT_OP:
        return emit_binary(ctx, _FLOAT_OP[kind], x, y, node, fastmath(ctx))
    if kind is ast.FloorDiv:
        quotient = emit_binary(ctx, "arith.divf", x, y, node, fastmath(ctx))
        return with_type(x, ctx.emit(f"math.floor {quotient.ssa} : {x.type}", node), x.dtype)
    if kind is ast.Mod:
        return _float_remainder(ctx, x, y, node)
    ctx.fail(
        "front.type.arithmetic",
        f"'{SYMBOL[kind]}' has no meaning for {x.dtype.name}",
        node,
        help="it works on integers and, for & | ^, on bool",
    )


def _float_remainder(ctx: Context, x: Value, y: Value, node: ast.AST) -> Value:
    """Python's ``%``, with the sign of the divisor: one addition after the exact remainder."""
    zero = like_constant(ctx, x, 0, node)

    def is_negative(value: Value) -> Value:
        return emit_compare(ctx, "olt", value, zero, node)

    def choose(test: Value, a: Value, b: Value) -> Value:
        types = f"{test.type}, {a.type}" if isinstance(test, Tile) else a.type
        ssa = ctx.emit(f"arith.select {test.ssa}, {a.ssa}, {b.ssa} : {types}", node)
        return with_type(a, ssa, a.dtype)

    rest = emit_binary(ctx, "arith.remf", x, y, node)
    moved = emit_binary(ctx, "arith.addf", rest, y, node)
    differ = emit_binary(ctx, "arith.xori", is_negative(rest), is_negative(y), node)
    signed = emit_binary(ctx, "math.copysign", zero, y, node)
    result = choose(differ, moved, rest)
    return choose(emit_compare(ctx, "oeq", rest, zero, node), signed, result)


def emit_compare(ctx: Context, predicate: str, x: Value, y: Value, node: ast.AST) -> Value:
    ssa = ctx.emit(f"arith.cmpf {predicate}, {x.ssa}, {y.ssa} : {x.type}", node)
    return with_type(x, ssa, dt.bool_)


def _power(ctx: Context, a: Any, b: Any, node: ast.AST) -> Any:
    """Small constant powers are products; others are ``tg.pow``, which floats have."""
    is_float = common_dtype(ctx, a, b, node, "**").is_float
    if isinstance(b, int) and not isinstance(b, bool) and 1 <= b <= 4:
        result = a
        for _ in range(b - 1):
            result = binary(ctx, ast.Mult(), result, a, node)
        return result
    if is_float:
        return HANDLERS[primitives.pow](ctx, node, a, b)
    ctx.fail(
        "front.syntax.operator",
        "'**' of integers takes a constant power from 1 to 4",
        node,
        help="cast to a float first, for example .to(tg.f32)",
    )


def compare(ctx: Context, op: ast.cmpop, a: Any, b: Any, node: ast.AST) -> Any:
    """``a op b`` as bool."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _identity(ctx, op, a, b, node)
    if is_constant(a) and is_constant(b):
        if isinstance(op, (ast.In, ast.NotIn)):
            return fold(ctx, lambda: (a in b) == isinstance(op, ast.In), node)
        return fold(ctx, lambda: PYTHON_COMPARE[type(op)](a, b), node)
    if isinstance(op, (ast.In, ast.NotIn)):
        ctx.fail(
            "front.syntax.operator",
            "'in' takes constants only",
            node,
            help="compare with each: (x == a) | (x == b)",
        )
    symbol = SYMBOL[type(op)]
    dtype = common_dtype(ctx, a, b, node, symbol)
    x, y = unify(ctx, [a, b], dtype, node)
    if dtype.is_float:
        name = f"arith.cmpf {_FLOAT_PREDICATE[symbol]}"
    else:
        word = _INTEGER_PREDICATE[symbol]
        sign = "" if word in ("eq", "ne") else ("s" if dtype.kind == "int" else "u")
        name = f"arith.cmpi {sign}{word}"
    tail = fastmath(ctx) if dtype.is_float else ""
    ssa = ctx.emit(f"{name}, {x.ssa}, {y.ssa}{tail} : {x.type}", node)
    return with_type(x, ssa, dt.bool_)


def _identity(ctx: Context, op: ast.cmpop, a: Any, b: Any, node: ast.AST) -> bool:
    """``is``: for None, and for constants; a run-time value is never None."""
    if is_constant(a) and is_constant(b):
        same = a is b
    elif a is None or b is None:
        same = False
    else:
        ctx.fail("front.syntax.operator", "'is' compares constants only; write ==", node)
    return same == isinstance(op, ast.Is)


def fold(ctx: Context, compute: Callable[[], Any], node: ast.AST) -> Any:
    """Evaluate an expression of constants; what Python refuses is refused at its line."""
    try:
        result = compute()
    except Exception as problem:
        ctx.fail("front.const.fold", f"constant expression: {problem}", node)
    if _bits_or_length(result) > LARGEST:
        too_large(ctx, node)
    return result


def too_large(ctx: Context, node: ast.AST) -> NoReturn:
    ctx.fail("front.const.fold", "the constant is too large", node)


def _bits_or_length(value: Any) -> int:
    if isinstance(value, int):
        return value.bit_length()
    return len(value) if isinstance(value, (str, tuple)) else 0


def unary(ctx: Context, op: ast.unaryop, value: Any, node: ast.AST) -> Any:
    """``-x``, ``+x``, ``~x``, ``not x``."""
    if is_constant(value):
        python: dict[type[ast.unaryop], Callable[[Any], Any]] = {
            ast.USub: operator.neg,
            ast.UAdd: operator.pos,
            ast.Invert: operator.invert,
            ast.Not: operator.not_,
        }
        return fold(ctx, lambda: python[type(op)](value), node)
    value = convert.run_time(ctx, value, node)
    if isinstance(op, ast.Not):
        value = convert.as_scalar(ctx, value, node)
    if isinstance(op, ast.Not) and isinstance(value, Tile):
        ctx.fail(
            "front.type.condition", f"'not' needs a scalar, not {value}", node, help="write ~x"
        )
    if isinstance(op, ast.Not):
        value = cast(ctx, value, dt.bool_, node)
    if not value.dtype.has_arithmetic:
        ctx.fail("front.type.arithmetic", f"no arithmetic on {value.dtype.name}", node)
    if isinstance(op, ast.UAdd):
        return value
    if isinstance(op, ast.USub):
        return negate(ctx, value, node)
    if value.dtype.is_float:
        ctx.fail("front.type.arithmetic", f"'~' has no meaning for {value.dtype.name}", node)
    ones = like_constant(ctx, value, _all_ones(value.dtype), node)
    return emit_binary(ctx, "arith.xori", value, ones, node)


def _all_ones(dtype: DType) -> int:
    return {"bool": 1, "int": -1}.get(dtype.kind, (1 << dtype.bits) - 1)


def negate(ctx: Context, value: Value, node: ast.AST) -> Value:
    """``-value``; a bool becomes an i32 first."""
    if value.dtype.is_float:
        ssa = ctx.emit(f"arith.negf {value.ssa}{fastmath(ctx)} : {value.type}", node)
        return with_type(value, ssa, value.dtype)
    if value.dtype.kind == "bool":
        value = cast(ctx, value, dt.i32, node)
    return emit_binary(ctx, "arith.subi", like_constant(ctx, value, 0, node), value, node)
