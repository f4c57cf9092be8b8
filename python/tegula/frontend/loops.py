"""``for``: loops of constants are written out, all others become one op."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tegula.frontend import arithmetic, branches, carried, convert, exits
from tegula.frontend.carried import Carried
from tegula.frontend.context import Context
from tegula.frontend.elementwise import select
from tegula.frontend.exits import Flow
from tegula.frontend.groups import GroupTiles, run_groups
from tegula.frontend.memory import PersistentTiles, Unrolled
from tegula.frontend.registry import HANDLERS
from tegula.frontend.values import Scalar, Steps, describe, is_constant
from tegula.language import dtypes as dt
from tegula.language import primitives

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer


def run_for(tracer: Tracer, node: ast.For) -> Flow:
    """A ``for`` over a range, the tiles of a view, or a tuple of constants."""
    if node.orelse:
        tracer.ctx.fail("front.syntax.for_else", "no 'else' of a 'for' in a kernel", node)
    walked = tracer.expr(node.iter)
    if isinstance(walked, Unrolled):
        return _written_out(tracer, node, walked.values)
    if isinstance(walked, (tuple, list)) and len(walked) <= 64:
        return _written_out(tracer, node, tuple(walked))
    if isinstance(walked, PersistentTiles):
        tiles = walked
        _loop(tracer, node, walked.steps, lambda step: tiles.tile(tracer.ctx, step, node.iter))
        return None
    if isinstance(walked, GroupTiles):
        return run_groups(tracer, node, walked)
    if not isinstance(walked, Steps):
        tracer.ctx.fail(
            "front.type.for",
            f"a 'for' does not walk {describe(walked)}",
            node.iter,
            help="write range(...), tg.tiles(view, axis, size) or a tuple of constants",
        )
    if not isinstance(node.target, ast.Name):
        tracer.ctx.fail("front.type.unpack", "a range gives one value", node.target)
    steps = walked
    _loop(tracer, node, walked, lambda counter: _counter_value(tracer, steps, counter, node))
    return None


def _written_out(tracer: Tracer, node: ast.For, values: tuple[Any, ...]) -> Flow:
    """One copy of the body for each value, which runs unless a copy before it left the loop."""
    from tegula.frontend import statements

    flow: Flow = None

    def copy(value: Any) -> None:
        nonlocal flow
        statements.bind_target(tracer, node.target, value)
        flow = statements.run(tracer, node.body)

    outer = tracer.scope.locals.get(exits.BREAK)  # None: no loop is around
    tracer.scope.locals[exits.BREAK] = False
    tracer.nesting.append("unrolled")
    for value in values:
        gone = exits.left(tracer, (exits.BREAK, exits.RETURN), node)
        if gone is True:
            break
        if gone is False:
            copy(value)
        else:
            branches.run_if(tracer, node, gone, lambda: None, functools.partial(copy, value))
            flow = None
        if isinstance(flow, exits.Return):
            break
    tracer.nesting.pop()
    tracer.scope.locals.pop(exits.BREAK)
    if outer is not None:
        tracer.scope.locals[exits.BREAK] = outer
    return flow if isinstance(flow, exits.Return) else None


def _loop(
    tracer: Tracer, node: ast.For, steps: Steps, walked_value: Callable[[Scalar], Any]
) -> None:
    """One ``scf.for`` with i32 bounds; an ``scf.while`` when a run-time value may end it early.

    ``walked_value`` makes what the target is bound to from the loop's counter.
    """
    from tegula.frontend import statements

    ctx = tracer.ctx
    bounds = _bounds(tracer, steps, node)
    state = carried.enter(tracer, node, carried.names_stored(node.target), None)
    counter = Scalar(ctx.builder.fresh(), dt.i32)
    state.inside = carried.arguments(tracer, state)
    tracer.scope.locals[exits.BREAK] = False
    tracer.nesting.append("loop")
    with ctx.builder.region() as lines:
        statements.bind_target(tracer, node.target, walked_value(counter))
        statements.run(tracer, node.body)
        carried.keep(tracer, state)
        gone = exits.left(tracer, (exits.BREAK, exits.RETURN), node)
        yielded = list(state.kept.values())
        if gone is not False:
            yielded.insert(0, _next(tracer, counter, bounds, gone, node))
        emit_yield(ctx, yielded, node)
    tracer.nesting.pop()
    if gone is False:
        results = _emit_for(tracer, state, counter, bounds, lines)
    else:
        results = _emit_while(tracer, state, counter, bounds, lines)[1:]
    carried.leave(tracer, state, results)


def emit_yield(ctx: Context, values: list[Any], node: ast.AST) -> None:
    """The end of a loop's body; without values there is nothing to write."""
    if values:
        outs = ", ".join(value.ssa for value in values)
        types = ", ".join(value.type for value in values)
        ctx.builder.emit(f"scf.yield {outs} : {types}", ctx.loc(node), 0)


#: The last number of the i32 in which a loop counts.
_LAST = 2**31 - 1


def _is_rising(steps: Steps) -> bool:
    """Whether the step can be the loop's: known to be positive, and no sum of it wraps."""
    if not isinstance(steps.step, int) or steps.step < 0:
        return False
    return not isinstance(steps.stop, int) or steps.stop + steps.step - 1 <= _LAST


def _bounds(tracer: Tracer, steps: Steps, node: ast.AST) -> tuple[str, str, str]:
    """SSA names of lower bound, upper bound and step; others than rising ranges count from 0."""
    ctx = tracer.ctx
    if _is_rising(steps):
        start, stop, step = steps.start, steps.stop, steps.step
    else:
        start, stop, step = 0, _count(ctx, steps, node), 1
    values = (
        convert.constant_scalar(ctx, v, dt.i32, node) if isinstance(v, int) else v
        for v in (start, stop, step)
    )
    low, high, by = (value.ssa for value in values)
    return low, high, by


def _count(ctx: Context, steps: Steps, node: ast.AST) -> Any:
    """How many numbers a range has, at most what i32 counts; a run-time step of 0 takes none."""
    start, stop, step = steps.start, steps.stop, steps.step
    if is_constant((start, stop, step)):
        return min(len(range(start, stop, step)), _LAST)
    low, high, size = start, stop, step
    if is_constant(step):
        if step < 0:
            low, high, size = stop, start, -step
    else:
        rises = arithmetic.compare(ctx, ast.Gt(), step, 0, node)
        negative = arithmetic.binary(ctx, ast.Sub(), 0, step, node)
        low, high = (select(ctx, rises, *pair, node) for pair in ((start, stop), (stop, start)))
        size = convert.cast(ctx, select(ctx, rises, step, negative, node), dt.u32, node)
    # As u32 the distance of any two bounds is exact.
    distance = convert.cast(ctx, arithmetic.binary(ctx, ast.Sub(), high, low, node), dt.u32, node)
    some = arithmetic.compare(ctx, ast.Lt(), low, high, node)
    span = select(ctx, some, distance, 0, node)
    numbers = HANDLERS[primitives.cdiv](ctx, node, span, size)
    counted = HANDLERS[primitives.minimum](ctx, node, numbers, _LAST)
    return convert.cast(ctx, counted, dt.i32, node)


def _counter_value(tracer: Tracer, steps: Steps, counter: Scalar, node: ast.AST) -> Any:
    if _is_rising(steps):
        return counter
    moved = arithmetic.binary(tracer.ctx, ast.Mult(), counter, steps.step, node)
    return arithmetic.binary(tracer.ctx, ast.Add(), moved, steps.start, node)


def _next(
    tracer: Tracer, counter: Scalar, bounds: tuple[str, str, str], gone: Any, node: ast.AST
) -> Scalar:
    """The counter of the next iteration; once the loop was left it is the end."""
    ctx = tracer.ctx
    if gone is True:
        return Scalar(bounds[1], dt.i32)
    after = ctx.emit(f"arith.addi {counter.ssa}, {bounds[2]} : i32", node)
    return Scalar(ctx.emit(f"arith.select {gone.ssa}, {bounds[1]}, {after} : i32", node), dt.i32)


def _emit_for(
    tracer: Tracer,
    state: Carried,
    counter: Scalar,
    bounds: tuple[str, str, str],
    lines: list[str],
) -> list[str]:
    head = f"scf.for {counter.ssa} = {bounds[0]} to {bounds[1]} step {bounds[2]}"
    if state.kept:
        pairs = ", ".join(
            f"{state.inside[name].ssa} = {state.entry[name].ssa}" for name in state.kept
        )
        types = ", ".join(value.type for value in state.kept.values())
        head += f" iter_args({pairs}) -> ({types})"
    loc = tracer.ctx.loc(state.node)
    return tracer.ctx.builder.emit_regions(f"{head} : i32", [("", lines)], loc, len(state.kept))


def _emit_while(
    tracer: Tracer,
    state: Carried,
    counter: Scalar,
    bounds: tuple[str, str, str],
    lines: list[str],
) -> list[str]:
    ctx = tracer.ctx
    entry = [Scalar(bounds[0], dt.i32), *(state.entry[name] for name in state.kept)]
    tested = [convert.with_type(v, ctx.builder.fresh(), v.dtype) for v in entry]
    inside = [counter, *(state.inside[name] for name in state.kept)]
    with ctx.builder.region() as before:
        more = ctx.emit(f"arith.cmpi slt, {tested[0].ssa}, {bounds[1]} : i32", state.node)
        pass_on(ctx, more, tested, state.node)
    return emit_while(ctx, entry, tested, before, inside, lines, state.node)


def pass_on(ctx: Context, more: str, values: list[Any], node: ast.AST) -> None:
    """The end of the region that tests: whether to go on, and with what."""
    tail = ""
    if values:
        types = ", ".join(value.type for value in values)
        tail = f" {', '.join(value.ssa for value in values)} : {types}"
    ctx.builder.emit(f"scf.condition({more}){tail}", ctx.loc(node), 0)


def emit_while(
    ctx: Context,
    entry: list[Any],
    tested: list[Any],
    before: list[str],
    inside: list[Any],
    body: list[str],
    node: ast.AST,
) -> list[str]:
    """``scf.while``; ``tested`` and ``inside`` are the arguments of its two regions."""
    pairs = ", ".join(f"{a.ssa} = {b.ssa}" for a, b in zip(tested, entry, strict=True))
    types = ", ".join(value.type for value in entry)
    clause = f" ({pairs}) : ({types}) -> ({types})" if entry else " : () -> ()"
    names = ", ".join(f"{value.ssa}: {value.type}" for value in inside)
    label = [ctx.builder.inner(f"^bb0({names}):")] if inside else []
    if not inside:  # else the body ends with what it yields
        body = [*body, ctx.builder.inner(f"scf.yield {ctx.loc(node)}")]
    regions = [("", before), ("do", [*label, *body])]
    return ctx.builder.emit_regions(f"scf.while{clause}", regions, ctx.loc(node), len(entry))
