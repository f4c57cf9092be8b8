"""Which handler compiles which primitive."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tegula.frontend.context import Context
from tegula.frontend.values import describe, is_constant

#: ``handler(ctx, node, **arguments)``, by primitive; arguments are named as in its declaration.
HANDLERS: dict[Any, Callable[..., Any]] = {}


def handles(primitive: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the handler of a primitive."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        HANDLERS[primitive] = handler
        return handler

    return register


def constant_shape(ctx: Context, shape: Any, node: ast.AST) -> tuple[int, ...]:
    """A tile shape: a tuple of positive constants (or one)."""
    parts = shape if isinstance(shape, (tuple, list)) else (shape,)
    for part in parts:
        if not is_constant(part):
            ctx.fail(
                "front.const.shape",
                f"a tile shape must be known when compiling, but holds {describe(part)}",
                node,
                help="take it from a parameter declared tg.const or tg.tile",
            )
        if isinstance(part, bool) or not isinstance(part, int):
            ctx.fail("front.const.shape", f"a tile shape holds integers, not {part!r}", node)
        if part < 1:
            ctx.fail("front.shape.extent", f"a tile extent is at least 1, not {part}", node)
    return tuple(parts)


def constant_axis(ctx: Context, axis: Any, rank: int, node: ast.AST) -> int:
    """An axis of a tile or view of the given rank, counted from 0."""
    if not is_constant(axis) or isinstance(axis, bool) or not isinstance(axis, int):
        ctx.fail("front.const.axis", f"an axis is a constant integer, not {describe(axis)}", node)
    if not -rank <= axis < rank:
        ctx.fail("front.shape.axis", f"axis {axis} does not exist: the rank is {rank}", node)
    return axis % rank
