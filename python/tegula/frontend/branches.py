"""Run-time ``if``: both branches are traced, and names that differ are joined."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tegula.errors import Span
from tegula.frontend import convert
from tegula.frontend.scope import Conflict, Undefined
from tegula.frontend.values import Scalar, Tile, describe, is_number
from tegula.language import dtypes as dt

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer


@dataclass
class Branch:
    """What tracing one branch gave: its lines, and the names after it."""

    lines: list[str]
    names: dict[str, Any]
    assigned: dict[str, Span]


def run_if(
    tracer: Tracer,
    node: ast.If,
    test: Scalar,
    then_body: list[ast.stmt],
    else_body: list[ast.stmt],
    run: Callable[..., Any],
) -> None:
    """Trace both branches and emit one ``scf.if`` that yields the names they disagree on."""
    before, assigned = dict(tracer.scope.locals), dict(tracer.assigned)
    tracer.nesting.append("if")
    branches = []
    for body in (then_body, else_body):
        tracer.scope.locals, tracer.assigned = dict(before), dict(assigned)
        with tracer.ctx.builder.region() as lines:
            run(tracer, body)
        branches.append(Branch(lines, tracer.scope.locals, tracer.assigned))
    tracer.nesting.pop()
    tracer.scope.locals, tracer.assigned = before, assigned
    _emit(tracer, node, test, branches)


def _emit(tracer: Tracer, node: ast.If, test: Scalar, branches: list[Branch]) -> None:
    ctx = tracer.ctx
    joined: list[tuple[str, Any, Any]] = []
    for name in {**branches[0].names, **branches[1].names}:
        _join(tracer, name, branches, joined)
    loc = ctx.loc(node)
    if joined:
        types = ", ".join(a.type for _, a, _ in joined)
        for side, branch in enumerate(branches):
            names = ", ".join((a, b)[side].ssa for _, a, b in joined)
            branch.lines.append(ctx.builder.inner(f"scf.yield {names} : {types} {loc}"))
        head = f"scf.if {test.ssa} -> ({types})"
    else:
        head = f"scf.if {test.ssa}"
    regions = [("", branches[0].lines)]
    if joined or branches[1].lines:
        regions.append(("else", branches[1].lines))
    results = ctx.builder.emit_regions(head, regions, loc, len(joined))
    for (name, a, _), ssa in zip(joined, results, strict=True):
        tracer.bind(name, convert.with_type(a, ssa, a.dtype), node)


def _join(
    tracer: Tracer, name: str, branches: list[Branch], joined: list[tuple[str, Any, Any]]
) -> None:
    """Decide what a name means after the ``if``: one value, a joined one, or an error on use."""
    missing = object()
    a, b = (branch.names.get(name, missing) for branch in branches)
    spans = [branch.assigned.get(name) for branch in branches]
    if a is b or (type(a) is type(b) and is_number(a) and a == b):
        tracer.scope.locals[name] = a
        span = spans[0] or spans[1]
        if span is not None:
            tracer.assigned[name] = span
        return
    for one, span in ((a, spans[1]), (b, spans[0])):
        if one is missing or isinstance(one, Undefined):
            where = one.where if isinstance(one, Undefined) else span
            assert where is not None
            tracer.scope.locals[name] = Undefined("defined on one path of an 'if' only", where)
            return
    pair = unify_pair(tracer, a, b)
    if pair is None:
        found = (describe(a), describe(b))
        tracer.scope.locals[name] = Conflict(found, (spans[0], spans[1]), "the paths of an 'if'")
        return
    joined.append((name, *pair))


def unify_pair(tracer: Tracer, a: Any, b: Any) -> tuple[Any, Any] | None:
    """Both values as one type, or None when they have two: numbers take the other's type."""
    ctx, node = tracer.ctx, tracer.tree.node
    if is_number(a) and is_number(b):
        wide = dt.promote(convert.natural_dtype(a), convert.natural_dtype(b))
        assert wide is not None
        return (
            convert.constant_scalar(ctx, a, wide, node),
            convert.constant_scalar(ctx, b, wide, node),
        )
    if is_number(a) or is_number(b):
        number, other = (a, b) if is_number(a) else (b, a)
        if not isinstance(other, Scalar) or not fits(number, other):
            return None
        made = convert.constant_scalar(ctx, number, other.dtype, node)
        return (made, b) if is_number(a) else (a, made)
    if isinstance(a, (Tile, Scalar)) and type(a) is type(b) and a.type == b.type:
        return (a, b) if a.dtype == b.dtype else None
    return None


def fits(number: Any, other: Scalar | Tile) -> bool:
    """Whether a Python number is a value of the other's type without changing its kind."""
    return convert.weak_dtype(number, other.dtype) == other.dtype and dt.in_range(
        number, other.dtype
    )
