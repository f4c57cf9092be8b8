"""Statements in order; :mod:`tegula.frontend.exits` says how they end early."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tegula.frontend import arithmetic, branches, exits, loops, whiles
from tegula.frontend.exits import Flow
from tegula.frontend.expressions import condition
from tegula.frontend.unsupported import STATEMENTS
from tegula.frontend.values import Extents, describe, is_constant
from tegula.frontend.views import all_elements

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer


def run(tracer: Tracer, body: list[ast.stmt]) -> Flow:
    """Trace statements until one leaves."""
    for position, node in enumerate(body):
        tracer.ctx.count_statement(node)
        rest = body[position + 1 :]
        if isinstance(node, ast.If):
            flow, consumed = _if(tracer, node, rest)
        else:
            flow, consumed = _statement(tracer, node), False
        if flow is not None or consumed:
            return flow
        if isinstance(node, (ast.For, ast.While)) and _guard(tracer, node, rest):
            return None
    return None


def _guard(tracer: Tracer, node: ast.stmt, rest: list[ast.stmt]) -> bool:
    """What follows a loop that may have returned runs if it has not; False when it never does."""
    gone = exits.left(tracer, (exits.RETURN,), node)
    if gone is False:
        return False
    if gone is not True and rest:
        branches.run_if(
            tracer,
            node,
            gone,
            lambda: tracer.bind(exits.RETURN, True, node),
            lambda: run(tracer, rest),
        )
    return True


def _statement(tracer: Tracer, node: ast.stmt) -> Flow:
    match node:
        case ast.Assign():
            _assign(tracer, node)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            bind_target(tracer, target, tracer.expr(value))
        case ast.AnnAssign(target=target):
            tracer.ctx.fail(
                "front.syntax.declaration",
                f"'{ast.unparse(target)}' is declared without a value",
                node,
                help="assign it: the value has a type",
            )
        case ast.AugAssign():
            _augmented(tracer, node)
        case ast.Expr():
            tracer.expr(node.value)
        case ast.For():
            return loops.run_for(tracer, node)
        case ast.While():
            whiles.run_while(tracer, node)
        case ast.Return():
            return exits.run_return(tracer, node)
        case ast.Continue() | ast.Break():
            return exits.run_leave(tracer, node)
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
        bind_target(tracer, target, value)


def bind_target(tracer: Tracer, target: ast.expr, value: Any) -> None:
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
        bind_target(tracer, part, one)


def _augmented(tracer: Tracer, node: ast.AugAssign) -> None:
    if not isinstance(node.target, ast.Name):
        bind_target(tracer, node.target, None)
        return
    name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
    value = arithmetic.binary(tracer.ctx, node.op, tracer.expr(name), tracer.expr(node.value), node)
    tracer.bind(node.target.id, value, node)


# --- if --------------------------------------------------------------------------------------


def _if(tracer: Tracer, node: ast.If, rest: list[ast.stmt]) -> tuple[Flow, bool]:
    """An ``if``; True when it has run ``rest`` as well.

    A constant condition chooses now. When a branch of a run-time ``if`` leaves early, what follows
    moves into the branches that do not, so that no jump is needed.
    """
    test = condition(tracer, tracer.expr(node.test), node.test)
    leaves = exits.may_leave(node.body) or exits.may_leave(node.orelse)
    tail = rest if leaves else []
    if is_constant(test):
        return run(tracer, [*(node.body if test else node.orelse), *tail]), leaves
    branches.run_if(
        tracer,
        node,
        test,
        lambda: run(tracer, [*node.body, *tail]),
        lambda: run(tracer, [*node.orelse, *tail]),
    )
    return None, leaves
