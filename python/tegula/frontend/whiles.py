"""``while`` on scalars: an ``scf.while`` that carries what its body changes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tegula.frontend import arithmetic, carried, convert, exits, loops
from tegula.frontend.carried import Carried
from tegula.frontend.expressions import condition
from tegula.frontend.values import Scalar, is_constant
from tegula.language import dtypes as dt

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer


def run_while(tracer: Tracer, node: ast.While) -> None:
    """Trace the condition and the body once each."""
    from tegula.frontend import statements

    if node.orelse:
        tracer.ctx.fail("front.syntax.for_else", "no 'else' of a 'while' in a kernel", node)
    state = carried.enter(tracer, node, [], node.test)
    tested = carried.arguments(tracer, state)
    with tracer.ctx.builder.region() as test_lines:
        test = condition(tracer, tracer.expr(node.test), node.test)
    if test is False:
        tracer.scope.locals = state.before
        return
    state.inside = carried.arguments(tracer, state)
    tracer.scope.locals[exits.BREAK] = False
    tracer.nesting.append("loop")
    with tracer.ctx.builder.region() as lines:
        statements.run(tracer, node.body)
        carried.keep(tracer, state)
        gone = exits.left(tracer, (exits.BREAK, exits.RETURN), node)
        yielded = list(state.kept.values())
        if gone is not False:
            yielded.insert(0, _negated(tracer, gone, node))
        loops.emit_yield(tracer.ctx, yielded, node)
    tracer.nesting.pop()
    if test is True and gone is False:
        tracer.ctx.fail(
            "front.syntax.endless",
            "the loop never ends",
            node,
            help="its condition is a constant, and nothing leaves it: add a 'break'",
        )
    results = _emit(tracer, state, tested, test, test_lines, gone is not False, lines)
    carried.leave(tracer, state, results)


def _negated(tracer: Tracer, gone: Any, node: ast.AST) -> Scalar:
    if is_constant(gone):
        return convert.constant_scalar(tracer.ctx, not gone, dt.bool_, node)
    goes_on: Scalar = arithmetic.unary(tracer.ctx, ast.Not(), gone, node)
    return goes_on


def _emit(
    tracer: Tracer,
    state: Carried,
    tested: dict[str, Any],
    test: Any,
    test_lines: list[str],
    has_exits: bool,
    lines: list[str],
) -> list[str]:
    """A loop with exits carries first whether it goes on."""
    ctx, node = tracer.ctx, state.node
    entry = [state.entry[name] for name in state.kept]
    arguments = [tested[name] for name in state.kept]
    inside = [state.inside[name] for name in state.kept]
    if has_exits:
        entry.insert(0, convert.constant_scalar(ctx, True, dt.bool_, node))
        arguments.insert(0, Scalar(ctx.builder.fresh(), dt.bool_))
        inside.insert(0, Scalar(ctx.builder.fresh(), dt.bool_))
    with ctx.builder.region() as before:
        more = _more(tracer, arguments[0] if has_exits else None, test, test_lines, node)
        loops.pass_on(ctx, more, arguments, node)
    results = loops.emit_while(ctx, entry, arguments, before, inside, lines, node)
    return results[1:] if has_exits else results


def _more(
    tracer: Tracer, goes_on: Scalar | None, test: Any, test_lines: list[str], node: ast.AST
) -> str:
    """The condition, which is not looked at once the loop was left."""
    ctx = tracer.ctx
    if is_constant(test):
        assert goes_on is not None
        return goes_on.ssa
    if goes_on is None:
        ctx.builder.extend(test_lines)
        return str(test.ssa)
    loc = ctx.loc(node)
    stops = convert.constant_scalar(ctx, False, dt.bool_, node)
    yes = [*test_lines, ctx.builder.inner(f"scf.yield {test.ssa} : i1 {loc}")]
    no = [ctx.builder.inner(f"scf.yield {stops.ssa} : i1 {loc}")]
    head = f"scf.if {goes_on.ssa} -> (i1)"
    return ctx.builder.emit_regions(head, [("", yes), ("else", no)], loc, 1)[0]
