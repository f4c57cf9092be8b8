"""Evaluates expressions: constants by Python, the rest into ops."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tegula.frontend import (
    arithmetic,
    branches,
    convert,
    elementwise,
    shapes,
    subscript,
    views,
)
from tegula.frontend.calls import call
from tegula.frontend.scope import equivalent, nearest
from tegula.frontend.unsupported import EXPRESSIONS
from tegula.frontend.values import Extents, Method, Scalar, Tile, View, describe, is_constant
from tegula.language import dtypes as dt

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer

_TILE_METHODS = ("to", "reshape")
_TILE_ATTRIBUTES = ("shape", "dtype", "ndim", "T")
_VIEW_ATTRIBUTES = ("shape", "strides", "dtype", "ndim", "T")


def evaluate(tracer: Tracer, node: ast.expr) -> Any:
    """Value of an expression; see :mod:`tegula.frontend.values`."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        suffix, what, instead = EXPRESSIONS.get(
            type(node), ("expression", f"'{type(node).__name__}'", "")
        )
        tracer.ctx.fail(
            f"front.syntax.{suffix}",
            f"{what} has no meaning in a kernel",
            node,
            help=instead or None,
        )
    value = handler(tracer, node)
    return value.on(tracer.ctx.target) if isinstance(value, dt.TargetFloat) else value


def _constant(tracer: Tracer, node: ast.Constant) -> Any:
    if isinstance(node.value, (complex, bytes)):
        tracer.ctx.fail("front.type.operand", f"no {type(node.value).__name__} in a kernel", node)
    return node.value


def _name(tracer: Tracer, node: ast.Name) -> Any:
    return tracer.scope.lookup(tracer.ctx, node)


def _tuple(tracer: Tracer, node: ast.Tuple) -> tuple[Any, ...]:
    return tuple(evaluate(tracer, part) for part in node.elts)


def _binary(tracer: Tracer, node: ast.BinOp) -> Any:
    left, right = evaluate(tracer, node.left), evaluate(tracer, node.right)
    return arithmetic.binary(tracer.ctx, node.op, left, right, node)


def _unary(tracer: Tracer, node: ast.UnaryOp) -> Any:
    return arithmetic.unary(tracer.ctx, node.op, evaluate(tracer, node.operand), node)


def _compare(tracer: Tracer, node: ast.Compare) -> Any:
    """Chained comparisons are joined with ``and``, as in Python."""
    left = evaluate(tracer, node.left)
    result: Any = True
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(tracer, right_node)
        part = arithmetic.compare(tracer.ctx, op, left, right, node)
        if len(node.ops) > 1:
            part = convert.as_scalar(tracer.ctx, part, node)
        if len(node.ops) > 1 and isinstance(part, Tile):
            tracer.ctx.fail(
                "front.type.condition",
                "a chained comparison stands for 'and', which needs scalars, not tiles",
                node,
                help="write (0 < x) & (x < 1)",
            )
        result = part if result is True else _join(tracer, ast.BitAnd(), result, part, node)
        left = right
    return result


def _boolean(tracer: Tracer, node: ast.BoolOp) -> Any:
    """``and``/``or`` of scalars; constants decide at once, and what follows is not looked at."""
    is_and = isinstance(node.op, ast.And)
    result: Any = is_and
    for part_node in node.values:

        def evaluate_part(part_node: ast.expr = part_node) -> Any:
            part = evaluate(tracer, part_node)
            return part if is_constant(part) else condition(tracer, part, part_node)

        part, lines = _apart(tracer, evaluate_part)
        if is_constant(part):
            tracer.ctx.builder.extend(lines)
            if bool(part) != is_and:
                return part
        elif is_constant(result) or not _needs_branch(lines):
            tracer.ctx.builder.extend(lines)
            op: ast.operator = ast.BitAnd() if is_and else ast.BitOr()
            result = part if is_constant(result) else _join(tracer, op, result, part, node)
        else:
            known = convert.constant_scalar(tracer.ctx, not is_and, dt.bool_, node)
            sides = [(part, lines), (known, [])] if is_and else [(known, []), (part, lines)]
            result = _choose(tracer, node, result, *sides)
    return result


def _join(tracer: Tracer, op: ast.operator, a: Any, b: Any, node: ast.AST) -> Any:
    return arithmetic.binary(tracer.ctx, op, a, b, node)


#: What is not evaluated for nothing: it must not happen, or it costs more than a branch.
_BRANCH = re.compile(
    r"= (scf\.|tile\.(load|scalar|reduce|mma)\b)|^ *(scf\.if|tile\.(assert|print)) "
)


def _needs_branch(lines: list[str]) -> bool:
    return any(_BRANCH.search(line) for line in lines)


def _apart(tracer: Tracer, compute: Callable[[], Any]) -> tuple[Any, list[str]]:
    """A value, and the ops that compute it, which are not in the program yet."""
    with tracer.ctx.builder.region() as lines:
        value = compute()
    return value, lines


def _choose(
    tracer: Tracer,
    node: ast.AST,
    test: Scalar,
    yes: tuple[Any, list[str]],
    no: tuple[Any, list[str]],
) -> Any:
    """One of two values of one type, with only the ops of that one executed."""
    (a, a_lines), (b, b_lines) = yes, no
    (ssa,) = branches.emit_if(tracer, node, test, a_lines, b_lines, [(a, b)])
    return convert.with_type(a, ssa, a.dtype)


def condition(tracer: Tracer, value: Any, node: ast.AST) -> Any:
    """A constant or a run-time bool; tiles have no truth value."""
    if is_constant(value):
        return bool(value)
    value = convert.as_scalar(tracer.ctx, value, node)
    if not isinstance(value, Scalar):
        tracer.ctx.fail(
            "front.type.condition",
            f"a condition must be a scalar, not {describe(value)}",
            node,
            help="choose between tiles with tg.where, or reduce with tg.any or tg.all",
        )
    return convert.cast(tracer.ctx, value, dt.bool_, node)


def _conditional(tracer: Tracer, node: ast.IfExp) -> Any:
    """``a if c else b``: one of two values of one type; loads of the other are not executed."""
    test = condition(tracer, evaluate(tracer, node.test), node.test)
    if is_constant(test):
        return evaluate(tracer, node.body if test else node.orelse)
    a, a_lines = _apart(tracer, lambda: evaluate(tracer, node.body))
    b, b_lines = _apart(tracer, lambda: evaluate(tracer, node.orelse))
    a, b = branches.as_scalars(tracer, a, b, a_lines, b_lines)
    pair = branches.unify_pair(tracer, a, b)
    if pair is None:
        tracer.ctx.fail(
            "front.branch.types",
            f"the value is {describe(a)} or {describe(b)}",
            node,
            help="give it one type and shape on both sides; tg.where converts and broadcasts",
        )
    if pair[0] is pair[1]:
        return pair[0]
    if isinstance(pair[0], tuple):
        tracer.ctx.fail(
            "front.branch.types", "a choice of two tuples", node, help="write an 'if' statement"
        )
    if _needs_branch([*a_lines, *b_lines]):
        return _choose(tracer, node, test, (pair[0], a_lines), (pair[1], b_lines))
    tracer.ctx.builder.extend([*a_lines, *b_lines])
    return elementwise.select(tracer.ctx, test, *pair, node)


def _attribute(tracer: Tracer, node: ast.Attribute) -> Any:
    owner = evaluate(tracer, node.value)
    if isinstance(owner, (Tile, Scalar)):
        return _tile_attribute(tracer, owner, node)
    if isinstance(owner, View):
        return _view_attribute(tracer, owner, node)
    if not is_constant(owner):
        tracer.ctx.fail("front.name.attribute", f"{describe(owner)} has no '{node.attr}'", node)
    if not hasattr(owner, node.attr):
        prefix = f"{ast.unparse(node.value)}."
        public = [name for name in dir(owner) if not name.startswith("_")]
        tracer.ctx.fail(
            "front.name.attribute",
            f"'{prefix}{node.attr}' does not exist",
            node,
            help=(equivalent(node.attr) if _is_tegula(owner) else None)
            or nearest(node.attr, public, prefix),
        )
    value = getattr(owner, node.attr)
    if isinstance(owner, ModuleType):
        tracer.ctx.remember(vars(owner), node.attr, value)
    return value


def _is_tegula(owner: Any) -> bool:
    return isinstance(owner, ModuleType) and owner.__name__ == "tegula"


def _tile_attribute(tracer: Tracer, owner: Tile | Scalar, node: ast.Attribute) -> Any:
    if node.attr == "dtype":
        return owner.dtype
    if node.attr == "to":
        return Method(owner, "to")
    if isinstance(owner, Tile) and node.attr in (*_TILE_METHODS, *_TILE_ATTRIBUTES):
        if node.attr == "shape":
            return owner.shape
        if node.attr == "ndim":
            return len(owner.shape)
        if node.attr == "T":
            return shapes.transpose(
                tracer.ctx, owner, tuple(reversed(range(len(owner.shape)))), node
            )
        return Method(owner, node.attr)
    names = ("dtype", "to") if isinstance(owner, Scalar) else (*_TILE_METHODS, *_TILE_ATTRIBUTES)
    tracer.ctx.fail(
        "front.name.attribute",
        f"{describe(owner)} has no '{node.attr}'",
        node,
        help=equivalent(node.attr)
        or nearest(node.attr, names, ".")
        or "it has " + ", ".join(f".{name}" for name in names),
    )


def _view_attribute(tracer: Tracer, owner: View, node: ast.Attribute) -> Any:
    if node.attr in ("shape", "strides"):
        return Extents(owner, strides=node.attr == "strides")
    if node.attr == "dtype":
        return owner.dtype
    if node.attr == "ndim":
        return owner.view_type.rank
    if node.attr == "T":
        return views.transposed(tracer.ctx, owner, node)
    tracer.ctx.fail(
        "front.name.attribute",
        f"{describe(owner)} has no '{node.attr}'",
        node,
        help=nearest(node.attr, _VIEW_ATTRIBUTES, ".")
        or "a view is read with tg.load, which gives a tile",
    )


def _subscript(tracer: Tracer, node: ast.Subscript) -> Any:
    return subscript.subscript(tracer, node, evaluate(tracer, node.value))


_HANDLERS: dict[type[ast.expr], Any] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Tuple: _tuple,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: call,
}
