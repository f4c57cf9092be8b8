"""Statements in order, and how ``return`` and ``continue`` leave them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tegula.frontend import arithmetic, branches, loops
from tegula.frontend.expressions import condition
from tegula.frontend.unsupported import STATEMENTS
from tegula.frontend.values import Extents, describe, is_constant
from tegula.frontend.views import all_elements

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer


@dataclass(frozen=True)
class Return:
    """The function ended, with a value for a helper."""

    value: Any


@dataclass(frozen=True)
class Leave:
    """A loop's body ended early: ``continue``, or ``break`` of a loop that is written out."""

    is_break: bool


#: How a sequence of statements ended; None is "at its end".
Flow = Return | Leave | None


def run(tracer: Tracer, body: list[ast.stmt]) -> Flow:
    """Trace statements until one leaves."""
    for position, node in enumerate(body):
        tracer.ctx.count_statement(node)
        if isinstance(node, ast.If):
            flow, consumed = _if(tracer, node, body[position + 1 :])
            if flow is not None or consumed:
                return flow
            continue
        flow = _statement(tracer, node)
        if flow is not None:
            return flow
    return None


def _statement(tracer: Tracer, node: ast.stmt) -> Flow:
    match node:
        case ast.Assign():
            _assign(tracer, node)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            _bind_target(tracer, target, tracer.expr(value))
        case ast.AugAssign():
            _augmented(tracer, node)
        case ast.Expr():
            tracer.expr(node.value)
        case ast.For():
            return loops.run_for(tracer, node)
        case ast.Return():
            return _return(tracer, node)
        case ast.Continue() | ast.Break():
            return _leave(tracer, node)
        case ast.Pass():
            pass
        case _:
            suffix, what, instead = STATEMENTS.get(
                type(node), ("statement", f"'{type(node).__name__}'", "")
            )
            tracer.ctx.fail(
                f"front.syntax.{suffix}", f"no {what} in a kernel", node, help=instead or None
            )
    return None


def _assign(tracer: Tracer, node: ast.Assign) -> None:
    value = tracer.expr(node.value)
    for target in node.targets:
        _bind_target(tracer, target, value)


def _bind_target(tracer: Tracer, target: ast.expr, value: Any) -> None:
    if isinstance(target, ast.Name):
        tracer.bind(target.id, value, target)
        return
    if not isinstance(target, ast.Tuple):
        tracer.ctx.fail(
            "front.syntax.mutation",
            f"'{ast.unparse(target)}' cannot be assigned: a kernel changes names, not objects",
            target,
            help="write to memory with tg.store; make a changed tile with tg.where",
        )
    if isinstance(value, Extents):
        value = all_elements(tracer.ctx, value, target)
    if not isinstance(value, tuple):
        tracer.ctx.fail("front.type.unpack", f"{describe(value)} cannot be unpacked", target)
    if len(value) != len(target.elts):
        tracer.ctx.fail(
            "front.type.unpack", f"{len(value)} values for {len(target.elts)} names", target
        )
    for part, one in zip(target.elts, value, strict=True):
        _bind_target(tracer, part, one)


def _augmented(tracer: Tracer, node: ast.AugAssign) -> None:
    if not isinstance(node.target, ast.Name):
        _bind_target(tracer, node.target, None)
        return
    name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
    value = arithmetic.binary(tracer.ctx, node.op, tracer.expr(name), tracer.expr(node.value), node)
    tracer.bind(node.target.id, value, node)


def _return(tracer: Tracer, node: ast.Return) -> Return:
    value = None if node.value is None else tracer.expr(node.value)
    if tracer.is_kernel and value is not None:
        tracer.ctx.fail(
            "front.syntax.return",
            "a kernel returns nothing",
            node,
            help="store results with tg.store into an array parameter",
        )
    loop, under_if = _innermost_loop(tracer.nesting)
    if "for" in tracer.nesting or (loop and under_if):
        tracer.ctx.fail(
            "front.syntax.return",
            "'return' that depends on a run-time value inside a 'for'",
            node,
            help="choose the bounds of the loop so that it ends, and return after it",
        )
    if tracer.nesting and not tracer.is_kernel:
        tracer.ctx.fail(
            "front.syntax.return",
            "'return' of a helper under a run-time 'if'",
            node,
            help="assign in both branches and return at the end, or use tg.where",
        )
    return Return(value)


def _leave(tracer: Tracer, node: ast.stmt) -> Leave:
    is_break = isinstance(node, ast.Break)
    loop, under_if = _innermost_loop(tracer.nesting)
    if is_break and (loop == "for" or under_if):
        tracer.ctx.fail(
            "front.syntax.break",
            "'break' in a run-time loop",
            node,
            help="bound the loop with tg.minimum, or guard its body with 'if'",
        )
    return Leave(is_break)


def _innermost_loop(nesting: list[str]) -> tuple[str, bool]:
    """Kind of the loop around a statement, and whether a run-time ``if`` stands between."""
    for position in reversed(range(len(nesting))):
        if nesting[position] != "if":
            return nesting[position], position + 1 < len(nesting)
    return "", bool(nesting)


# --- if --------------------------------------------------------------------------------------


def _if(tracer: Tracer, node: ast.If, rest: list[ast.stmt]) -> tuple[Flow, bool]:
    """An ``if``; True when it has run ``rest`` as well.

    A constant condition chooses now. When a branch of a run-time ``if`` leaves early, what follows
    moves into the branches that do not, so that no jump is needed.
    """
    test = condition(tracer, tracer.expr(node.test), node.test)
    if is_constant(test):
        return run(tracer, node.body if test else node.orelse), False
    leaves = _may_leave(node.body) or _may_leave(node.orelse)
    tail = rest if leaves else []
    branches.run_if(tracer, node, test, [*node.body, *tail], [*node.orelse, *tail], run)
    return None, leaves


def _may_leave(body: list[ast.stmt]) -> bool:
    """Whether a ``return``, or a ``continue`` of the loop around, stands in the statements."""
    for node in body:
        if isinstance(node, (ast.Return, ast.Continue, ast.Break)):
            return True
        if isinstance(node, ast.If) and (_may_leave(node.body) or _may_leave(node.orelse)):
            return True
    return False
