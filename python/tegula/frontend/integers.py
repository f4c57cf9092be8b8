"""Operators on integers, defined for every operand as in NumPy.

``arith`` leaves division by zero, the quotient of the least integer by -1, and shifts by the width
or more undefined; the compiler may then do anything. Where the operand is a constant nothing of
that can happen; else it is replaced before the op, and the result after it.
"""

from __future__ import annotations

import ast

from tegula.frontend.context import Context
from tegula.frontend.convert import emit_binary, like_constant, with_type
from tegula.frontend.values import Scalar, Tile
from tegula.language import dtypes as dt

Value = Tile | Scalar

_OP: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("arith.addi", "arith.addi"),
    ast.Sub: ("arith.subi", "arith.subi"),
    ast.Mult: ("arith.muli", "arith.muli"),
    ast.FloorDiv: ("arith.floordivsi", "arith.divui"),
    ast.Mod: ("arith.remsi", "arith.remui"),
    ast.BitAnd: ("arith.andi", "arith.andi"),
    ast.BitOr: ("arith.ori", "arith.ori"),
    ast.BitXor: ("arith.xori", "arith.xori"),
    ast.LShift: ("arith.shli", "arith.shli"),
    ast.RShift: ("arith.shrsi", "arith.shrui"),
}


def binary(
    ctx: Context,
    kind: type[ast.operator],
    x: Value,
    y: Value,
    constant: float | None,
    node: ast.AST,
) -> Value:
    """``x op y`` for operands of one integer or bool type; ``constant`` is y's value if known."""
    if kind in (ast.FloorDiv, ast.Mod):
        return _divide(ctx, kind, x, y, constant, node)
    if kind in (ast.LShift, ast.RShift):
        return _shift(ctx, kind, x, y, constant, node)
    return emit_binary(ctx, _name(kind, x), x, y, node)


def _name(kind: type[ast.operator], x: Value) -> str:
    return _OP[kind][x.dtype.kind == "uint"]


def _compare(ctx: Context, predicate: str, x: Value, number: int, node: ast.AST) -> Value:
    other = like_constant(ctx, x, number, node)
    ssa = ctx.emit(f"arith.cmpi {predicate}, {x.ssa}, {other.ssa} : {x.type}", node)
    return with_type(x, ssa, dt.bool_)


def _select(ctx: Context, condition: Value, x: Value, y: Value, node: ast.AST) -> Value:
    types = f"{condition.type}, {x.type}" if isinstance(condition, Tile) else x.type
    ssa = ctx.emit(f"arith.select {condition.ssa}, {x.ssa}, {y.ssa} : {types}", node)
    return with_type(x, ssa, x.dtype)


def _divide(
    ctx: Context,
    kind: type[ast.operator],
    x: Value,
    y: Value,
    constant: float | None,
    node: ast.AST,
) -> Value:
    """Floored quotient or remainder: 0 for a divisor of 0, wrapping for the least integer by -1."""
    if constant == 0:
        ctx.fail("front.type.literal", "the divisor is the constant 0", node)
    if ctx.in_grid and kind is ast.FloorDiv:
        return emit_binary(ctx, _name(kind, x), x, y, node)  # a launch refuses what has no value
    zero = like_constant(ctx, y, 0, node)
    signed = y.dtype.kind == "int"
    by_zero = _compare(ctx, "eq", y, 0, node) if constant is None else None
    by_minus = _compare(ctx, "eq", y, -1, node) if signed and constant in (None, -1) else None
    safe = y
    for condition in (by_zero, by_minus):
        if condition is not None:
            safe = _select(ctx, condition, like_constant(ctx, y, 1, node), safe, node)
    result = emit_binary(ctx, _name(kind, x), x, safe, node)
    if kind is ast.Mod:  # by 1 it is 0, which is right for 0 and -1
        return _floor_remainder(ctx, result, safe, node) if signed else result
    if by_minus is not None:
        negative = emit_binary(ctx, "arith.subi", zero, x, node)
        result = _select(ctx, by_minus, negative, result, node)
    return result if by_zero is None else _select(ctx, by_zero, zero, result, node)


def _floor_remainder(ctx: Context, rest: Value, divisor: Value, node: ast.AST) -> Value:
    """Python's ``%`` from the truncating remainder: the sign is the divisor's."""
    mixed = emit_binary(ctx, "arith.xori", rest, divisor, node)
    signs = _compare(ctx, "slt", mixed, 0, node)
    nonzero = _compare(ctx, "ne", rest, 0, node)
    both = emit_binary(ctx, "arith.andi", signs, nonzero, node)
    moved = emit_binary(ctx, "arith.addi", rest, divisor, node)
    return _select(ctx, both, moved, rest, node)


def _shift(
    ctx: Context,
    kind: type[ast.operator],
    x: Value,
    y: Value,
    constant: float | None,
    node: ast.AST,
) -> Value:
    """A shift by the width or more (or by a negative number) leaves 0, or the sign of ``x >>``."""
    width = x.dtype.bits
    if constant is not None and 0 <= constant < width:
        return emit_binary(ctx, _name(kind, x), x, y, node)
    keeps_sign = kind is ast.RShift and x.dtype.kind == "int"
    last = like_constant(ctx, y, width - 1, node)
    safe = emit_binary(ctx, "arith.minui", y, last, node)
    result = emit_binary(ctx, _name(kind, x), x, safe, node)
    if keeps_sign:
        return result
    inside = _compare(ctx, "ult", y, width, node)
    return _select(ctx, inside, result, like_constant(ctx, x, 0, node), node)
