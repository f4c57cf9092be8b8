"""How ``return``, ``break`` and ``continue`` leave statements when a run-time value decides.

A path that leaves sets a flag, which is a local name like any other (its name is none of Python's):
where paths meet it is joined, and loops carry it. A flag that is the constant False costs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tegula.frontend import arithmetic
from tegula.frontend.scope import Conflict, Undefined

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer

#: Flags: the innermost loop was left, the function was left; and what a helper returns.
BREAK, RETURN, VALUE = ".break", ".return", ".value"


@dataclass(frozen=True)
class Return:
    """The function ended, with a value for a helper."""

    value: Any


@dataclass(frozen=True)
class Leave:
    """A loop's body ended early: ``continue`` or ``break``."""

    is_break: bool


#: How a sequence of statements ended; None is "at its end".
Flow = Return | Leave | None


def run_return(tracer: Tracer, node: ast.Return) -> Return:
    """``return``: nothing of a kernel, a value of a helper."""
    value = None if node.value is None else tracer.expr(node.value)
    if tracer.is_kernel and value is not None:
        tracer.ctx.fail(
            "front.syntax.return",
            "a kernel returns nothing",
            node,
            help="store results with tg.store into an array parameter",
        )
    if value is not None and "loop" in tracer.nesting:
        tracer.ctx.fail(
            "front.syntax.return",
            "'return' with a value inside a run-time loop",
            node,
            help="assign the value to a name, 'break', and return it after the loop",
        )
    if any(kind != "if" for kind in tracer.nesting):
        tracer.bind(RETURN, True, node)
    if tracer.nesting and value is not None:
        tracer.bind(VALUE, value, node)
    return Return(value)


def returned(tracer: Tracer, flow: Flow, node: ast.AST) -> Any:
    """What a function returned; ``flow`` is how its body ended, ``node`` is the function."""
    if isinstance(flow, Return):
        return flow.value
    value = tracer.scope.locals.get(VALUE)
    if isinstance(value, Undefined):
        tracer.ctx.fail(
            "front.branch.returns",
            "a helper returns a value on some paths only",
            node,
            notes=[("a value is returned here", value.where)],
        )
    if isinstance(value, Conflict):
        tracer.ctx.fail(
            "front.branch.returns",
            f"a helper returns {value.found[0]} or {value.found[1]}",
            node,
            help="give it one type and shape on every path",
            notes=[("returned here", span) for span in value.spans if span],
        )
    return value


def run_leave(tracer: Tracer, node: ast.Break | ast.Continue) -> Leave:
    """``break`` and ``continue``."""
    is_break = isinstance(node, ast.Break)
    if is_break:
        tracer.bind(BREAK, True, node)
    return Leave(is_break)


def left(tracer: Tracer, flags: Iterable[str], node: ast.AST) -> Any:
    """Whether one of the flags is set: a constant, or a run-time bool."""
    result: Any = False
    for name in flags:
        flag = tracer.scope.locals.get(name, False)
        if flag is True:
            return True
        if flag is not False:
            known = result is False
            result = (
                flag if known else arithmetic.binary(tracer.ctx, ast.BitOr(), result, flag, node)
            )
    return result


def may_leave(body: list[ast.stmt]) -> bool:
    """Whether the statements may end early: by ``return``, or out of the loop around them."""
    return _contains(body, (ast.Return, ast.Continue, ast.Break))


def may_return(body: list[ast.stmt]) -> bool:
    """Whether a ``return`` stands in the statements."""
    return _contains(body, (ast.Return,))


def _contains(body: list[ast.stmt], kinds: tuple[type[ast.stmt], ...]) -> bool:
    for node in body:
        if isinstance(node, kinds):
            return True
        if isinstance(node, ast.If) and (
            _contains(node.body, kinds) or _contains(node.orelse, kinds)
        ):
            return True
        # What leaves an inner loop does not leave this one, but for a return.
        if isinstance(node, (ast.For, ast.While)) and may_return(node.body):
            return True
    return False
