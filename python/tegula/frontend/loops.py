"""``for``: loops of constants are written out, all others become one ``scf.for``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tegula.frontend import arithmetic, convert
from tegula.frontend.branches import fits
from tegula.frontend.memory import Unrolled
from tegula.frontend.scope import Conflict, Undefined
from tegula.frontend.values import Scalar, Steps, Tile, describe, is_number
from tegula.language import dtypes as dt

if TYPE_CHECKING:
    from tegula.frontend.statements import Flow
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
    if not isinstance(walked, Steps):
        tracer.ctx.fail(
            "front.type.for",
            f"a 'for' does not walk {describe(walked)}",
            node.iter,
            help="write range(...), tg.tiles(view, axis, size) or a tuple of constants",
        )
    if not isinstance(node.target, ast.Name):
        tracer.ctx.fail("front.type.unpack", "a range gives one value", node.target)
    _loop(tracer, node, node.target, walked)
    return None


def _written_out(tracer: Tracer, node: ast.For, values: tuple[Any, ...]) -> Flow:
    from tegula.frontend import statements

    tracer.nesting.append("unrolled")
    for value in values:
        statements._bind_target(tracer, node.target, value)
        flow = statements.run(tracer, node.body)
        if isinstance(flow, statements.Return):
            tracer.nesting.pop()
            return flow
        if isinstance(flow, statements.Leave) and flow.is_break:
            break
    tracer.nesting.pop()
    return None


def _loop(tracer: Tracer, node: ast.For, target: ast.Name, steps: Steps) -> None:
    """One ``scf.for`` with i32 bounds; what the body changes is carried."""
    from tegula.frontend import statements

    ctx = tracer.ctx
    bounds = _bounds(tracer, steps, node)
    before, assigned = dict(tracer.scope.locals), dict(tracer.assigned)
    names = [name for name in assigned_names(node.body) if name != target.id]
    known = [n for n in names if n in before and not isinstance(before[n], (Undefined, Conflict))]
    exposed = [name for name in known if reads_first(node.body, name)]
    carried = {name: _initial(tracer, name, node) for name in known}
    counter = Scalar(ctx.builder.fresh(), dt.i32)
    arguments = {
        name: convert.with_type(value, ctx.builder.fresh(), value.dtype)
        for name, value in carried.items()
        if value is not None
    }
    tracer.scope.locals.update(arguments)
    tracer.nesting.append("for")
    with ctx.builder.region() as lines:
        tracer.bind(target.id, _counter_value(tracer, steps, counter, node), target)
        statements.run(tracer, node.body)
        after = tracer.scope.locals
        kept = _kept(tracer, node, exposed, arguments, before, after)
        if kept:
            outs = ", ".join(value.ssa for value in kept.values())
            types = ", ".join(value.type for value in kept.values())
            ctx.builder.emit(f"scf.yield {outs} : {types}", ctx.loc(node), 0)
    tracer.nesting.pop()
    later = tracer.assigned
    tracer.scope.locals, tracer.assigned = before, assigned
    _emit(tracer, node, counter, bounds, lines, carried, arguments, kept)
    _forget(tracer, target.id, names, kept, after, later)


def _bounds(tracer: Tracer, steps: Steps, node: ast.AST) -> tuple[str, str, str]:
    """SSA names of lower bound, upper bound and step; a falling range counts up instead."""
    ctx = tracer.ctx
    if steps.step > 0:
        start, stop, step = steps.start, steps.stop, steps.step
    else:
        distance = arithmetic.binary(ctx, ast.Sub(), steps.start, steps.stop, node)
        up = arithmetic.binary(ctx, ast.Add(), distance, -steps.step - 1, node)
        start, step = 0, 1
        stop = arithmetic.binary(ctx, ast.FloorDiv(), up, -steps.step, node)
    values = (
        convert.constant_scalar(ctx, v, dt.i32, node) if isinstance(v, int) else v
        for v in (start, stop, step)
    )
    low, high, by = (value.ssa for value in values)
    return low, high, by


def _counter_value(tracer: Tracer, steps: Steps, counter: Scalar, node: ast.AST) -> Any:
    if steps.step > 0:
        return counter
    moved = arithmetic.binary(tracer.ctx, ast.Mult(), counter, steps.step, node)
    return arithmetic.binary(tracer.ctx, ast.Add(), moved, steps.start, node)


def _initial(tracer: Tracer, name: str, node: ast.AST) -> Tile | Scalar | None:
    """Value on entry of what the body changes; None when it cannot be carried (a view, a tuple)."""
    value = tracer.scope.locals[name]
    if isinstance(value, (Tile, Scalar)):
        return value
    if is_number(value):
        return convert.constant_scalar(tracer.ctx, value, convert.natural_dtype(value), node)
    return None


def _kept(
    tracer: Tracer,
    node: ast.For,
    exposed: list[str],
    arguments: dict[str, Any],
    before: dict[str, Any],
    after: dict[str, Any],
) -> dict[str, Any]:
    """What the loop yields. A name that the body reads before it writes must keep its type."""
    kept = {}
    for name, argument in arguments.items():
        value = after[name]
        if is_number(value) and isinstance(argument, Scalar) and fits(value, argument):
            value = convert.constant_scalar(tracer.ctx, value, argument.dtype, node)
        same = type(value) is type(argument) and value.type == argument.type
        if same and value.dtype == argument.dtype:
            kept[name] = value
        elif name in exposed:
            _changed(tracer, node, name, argument, value)
    for name in exposed:
        if name not in arguments and after[name] is not before[name]:
            _changed(tracer, node, name, before[name], after[name])
    return kept


def _changed(tracer: Tracer, node: ast.For, name: str, entry: Any, value: Any) -> None:
    if isinstance(value, (Undefined, Conflict)):
        found = "has one type on one path and another, or none, on the other"
    else:
        found = f"becomes {describe(value)}"
    tracer.ctx.fail(
        "front.branch.loop",
        f"'{name}' is {describe(entry)} when the loop starts and {found} in it",
        node,
        help="a variable keeps one type and shape in a loop: convert before the loop or in it",
        notes=[(f"'{name}' changes here", tracer.assigned.get(name))],
    )


def _emit(
    tracer: Tracer,
    node: ast.For,
    counter: Scalar,
    bounds: tuple[str, str, str],
    lines: list[str],
    carried: dict[str, Any],
    arguments: dict[str, Any],
    kept: dict[str, Any],
) -> None:
    head = f"scf.for {counter.ssa} = {bounds[0]} to {bounds[1]} step {bounds[2]}"
    if kept:
        pairs = ", ".join(f"{arguments[name].ssa} = {carried[name].ssa}" for name in kept)
        types = ", ".join(value.type for value in kept.values())
        head += f" iter_args({pairs}) -> ({types})"
    loc = tracer.ctx.loc(node)
    results = tracer.ctx.builder.emit_regions(f"{head} : i32", [("", lines)], loc, len(kept))
    for name, ssa in zip(kept, results, strict=True):
        value = arguments[name]
        tracer.bind(name, convert.with_type(value, ssa, value.dtype), node)


def _forget(
    tracer: Tracer,
    target: str,
    names: list[str],
    kept: dict[str, Any],
    after: dict[str, Any],
    later: dict[str, Any],
) -> None:
    """Names that only the body defined, or changed the type of, have no value after the loop."""
    for name in (target, *names):
        if name in kept or name not in after:
            continue
        entry, value = tracer.scope.locals.get(name), after[name]
        if entry is value and name != target:
            continue
        if isinstance(value, (Undefined, Conflict)):
            tracer.scope.locals[name] = value
            continue
        span = later[name]
        if name in tracer.scope.locals and name != target and not isinstance(entry, Undefined):
            spans = (tracer.assigned.get(name), span)
            tracer.scope.locals[name] = Conflict(
                (describe(entry), describe(value)), spans, "a loop and the code before it"
            )
        else:
            tracer.scope.locals[name] = Undefined("defined inside a loop only", span)


# --- What a body assigns and reads -----------------------------------------------------------


def assigned_names(body: list[ast.stmt]) -> list[str]:
    """Names that the statements assign, in order of first appearance."""
    names: dict[str, None] = {}
    for statement in body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                names[part.id] = None
    return list(names)


def reads_first(body: list[ast.stmt], name: str) -> bool:
    """Whether some path through the statements reads the name before it writes it."""
    for statement in body:
        if isinstance(statement, ast.Assign) and not _reads(statement.value, name):
            if any(_stores(target, name) for target in statement.targets):
                return False
            continue
        if isinstance(statement, ast.AugAssign) and _stores(statement.target, name):
            return True
        if _reads(statement, name):
            return True
    return True


def _reads(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
        for part in ast.walk(node)
    )


def _stores(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))
