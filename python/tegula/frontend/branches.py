"""Run-time ``if``: both branches are traced, and names that differ are joined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
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
    node: ast.AST,
    test: Scalar,
    then_part: Callable[[], Any],
    else_part: Callable[[], Any],
) -> None:
    """Trace both branches and emit one ``scf.if`` that yields the names they disagree on."""
    before, assigned = dict(tracer.scope.locals), dict(tracer.assigned)
    tracer.nesting.append("if")
    branches = []
    for part in (then_part, else_part):
        tracer.scope.locals, tracer.assigned = dict(before), dict(assigned)
        with tracer.ctx.builder.region() as lines:
            part()
        branches.append(Branch(lines, tracer.scope.locals, tracer.assigned))
    tracer.nesting.pop()
    tracer.scope.locals, tracer.assigned = before, assigned
    _emit(tracer, node, test, branches)


def _emit(tracer: Tracer, node: ast.AST, test: Scalar, branches: list[Branch]) -> None:
    joined: list[tuple[str, Any, Any]] = []
    for name in {**branches[0].names, **branches[1].names}:
        _join(tracer, name, branches, joined)
    pairs = [pair for _, a, b in joined for pair in _leaves(a, b)]
    results = emit_if(tracer, node, test, branches[0].lines, branches[1].lines, pairs)
    values = iter(results)
    for name, a, b in joined:
        tracer.bind(name, _rebuilt(a, b, values), node)


def emit_if(
    tracer: Tracer,
    node: ast.AST,
    test: Scalar,
    then_lines: list[str],
    else_lines: list[str],
    pairs: list[tuple[Any, Any]],
) -> list[str]:
    """``scf.if`` of two regions that yield the first, or the second, of each pair."""
    builder, loc = tracer.ctx.builder, tracer.ctx.loc(node)
    head = f"scf.if {test.ssa}"
    if pairs:
        types = ", ".join(a.type for a, _ in pairs)
        for side, lines in enumerate((then_lines, else_lines)):
            names = ", ".join(pair[side].ssa for pair in pairs)
            lines.append(builder.inner(f"scf.yield {names} : {types} {loc}"))
        head += f" -> ({types})"
    regions = [("", then_lines)]
    if pairs or else_lines:
        regions.append(("else", else_lines))
    return builder.emit_regions(head, regions, loc, len(pairs))


def _leaves(a: Any, b: Any) -> list[tuple[Any, Any]]:
    """Pairs of values that differ; tuples are taken apart."""
    if a is b:
        return []
    if isinstance(a, tuple):
        return [pair for x, y in zip(a, b, strict=True) for pair in _leaves(x, y)]
    return [(a, b)]


def _rebuilt(a: Any, b: Any, results: Iterator[str]) -> Any:
    if a is b:
        return a
    if isinstance(a, tuple):
        return tuple(_rebuilt(x, y, results) for x, y in zip(a, b, strict=True))
    return convert.with_type(a, next(results), a.dtype)


def _join(
    tracer: Tracer, name: str, branches: list[Branch], joined: list[tuple[str, Any, Any]]
) -> None:
    """Decide what a name means after the ``if``: one value, a joined one, or an error on use."""
    missing = object()
    a, b = (branch.names.get(name, missing) for branch in branches)
    spans = [branch.assigned.get(name) for branch in branches]
    if _same(a, b):
        tracer.scope.locals[name] = a
        span = spans[0] or spans[1]
        if span is not None:
            tracer.assigned[name] = span
        return
    if any(one is missing or isinstance(one, Undefined) for one in (a, b)):
        places = [one.where for one in (a, b) if isinstance(one, Undefined)]
        places += [span for span in spans if span is not None]
        tracer.scope.locals[name] = Undefined("defined on one path of an 'if' only", places[0])
        return
    a, b = as_scalars(tracer, a, b, branches[0].lines, branches[1].lines)
    pair = unify_pair(tracer, a, b)
    if pair is None:
        found = (describe(a), describe(b))
        tracer.scope.locals[name] = Conflict(found, (spans[0], spans[1]), "the paths of an 'if'")
        return
    joined.append((name, *pair))


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and is_number(a) and a == b)


def as_scalars(
    tracer: Tracer, a: Any, b: Any, a_lines: list[str], b_lines: list[str]
) -> tuple[Any, Any]:
    """Both values, a tile of rank 0 as a scalar where the other is one; its ops join its lines."""
    values = [a, b]
    for side, lines in enumerate((a_lines, b_lines)):
        other = values[1 - side]
        if isinstance(other, Scalar) or is_number(other):
            with tracer.ctx.builder.region() as more:
                values[side] = convert.as_scalar(tracer.ctx, values[side], tracer.tree.node)
            lines.extend(more)
    return values[0], values[1]


def unify_pair(tracer: Tracer, a: Any, b: Any) -> tuple[Any, Any] | None:
    """Both values as one type, or None when they have two: numbers take the other's type.

    Where both are the same nothing has to be chosen, and the two results are one object.
    """
    ctx, node = tracer.ctx, tracer.tree.node
    if _same(a, b):
        return a, a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        parts = [unify_pair(tracer, x, y) for x, y in zip(a, b, strict=True)]
        known = [part for part in parts if part is not None]
        whole = tuple(x for x, _ in known), tuple(y for _, y in known)
        return whole if len(known) == len(parts) else None
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
