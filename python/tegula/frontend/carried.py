"""What a run-time loop carries: the names that its body changes, with one type each."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tegula.errors import Span
from tegula.frontend import convert, exits
from tegula.frontend.branches import fits
from tegula.frontend.scope import Conflict, Undefined
from tegula.frontend.values import Scalar, Tile, describe, is_number

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer

Loop = ast.For | ast.While


@dataclass
class Carried:
    """Names of a loop, from before it to what it yields."""

    node: Loop
    names: list[str]  #: what the body assigns
    targets: list[str]  #: the counter's name, or several
    exposed: list[str]  #: names whose value of the iteration before is read
    before: dict[str, Any]
    assigned: dict[str, Span]
    entry: dict[str, Any] = field(default_factory=dict)  #: values on entry
    inside: dict[str, Any] = field(default_factory=dict)  #: names of the region's arguments
    kept: dict[str, Any] = field(default_factory=dict)  #: what the body yields


def enter(tracer: Tracer, node: Loop, targets: list[str], tested: ast.expr | None) -> Carried:
    """Look up what the body will change. ``tested`` is the condition of a ``while``."""
    names = [name for name in assigned_names(node.body) if name not in targets]
    if exits.may_return(node.body):
        names.append(exits.RETURN)
        tracer.scope.locals.setdefault(exits.RETURN, False)
    before, assigned = dict(tracer.scope.locals), dict(tracer.assigned)
    known = [n for n in names if n in before and not isinstance(before[n], (Undefined, Conflict))]
    exposed = [
        name
        for name in known
        if reads_first(node.body, name) or (tested is not None and _reads(tested, name))
    ]
    state = Carried(node, names, targets, exposed, before, assigned)
    for name in known:
        value = _initial(tracer, name, node)
        if value is not None:
            state.entry[name] = value
    return state


def arguments(tracer: Tracer, state: Carried) -> dict[str, Any]:
    """Fresh names of what a region of the loop receives, bound to the Python names."""
    fresh = {
        name: convert.with_type(value, tracer.ctx.builder.fresh(), value.dtype)
        for name, value in state.entry.items()
    }
    tracer.scope.locals.update(fresh)
    if exits.RETURN in fresh:
        tracer.scope.locals[exits.RETURN] = False  # else the loop would have ended
    return fresh


def _initial(tracer: Tracer, name: str, node: ast.AST) -> Tile | Scalar | None:
    """Value on entry of what the body changes; None when it cannot be carried (a view, a tuple)."""
    value = tracer.scope.locals[name]
    if isinstance(value, (Tile, Scalar)):
        return value
    if is_number(value):
        return convert.constant_scalar(tracer.ctx, value, convert.natural_dtype(value), node)
    return None


def keep(tracer: Tracer, state: Carried) -> None:
    """Find what the loop yields. A name that the body reads before it writes must keep its type."""
    after = tracer.scope.locals
    for name, argument in state.inside.items():
        value = after[name]
        if name == exits.RETURN and value is False:
            continue  # no path returns
        value = _like(tracer, value, argument, state.node)
        same = type(value) is type(argument) and value.type == argument.type
        if same and value.dtype == argument.dtype:
            state.kept[name] = value
        elif name in state.exposed:
            _changed(tracer, state, name, argument, value)
    for name in state.exposed:
        if name not in state.inside and after[name] is not state.before[name]:
            _changed(tracer, state, name, state.before[name], after[name])


def _like(tracer: Tracer, value: Any, argument: Tile | Scalar, node: ast.AST) -> Any:
    """A number, a scalar or a tile of rank 0 as that of them which the loop began with."""
    ctx = tracer.ctx
    if is_number(value) and _is_single(argument) and fits(value, argument):
        return convert.like_constant(ctx, argument, value, node)
    if isinstance(argument, Scalar):
        return convert.as_scalar(ctx, value, node)
    if isinstance(value, Scalar) and _is_single(argument) and value.dtype == argument.dtype:
        return convert.broadcast(ctx, value, (), value.dtype, node)
    return value


def _is_single(value: Tile | Scalar) -> bool:
    return isinstance(value, Scalar) or not value.shape


def _changed(tracer: Tracer, state: Carried, name: str, entry: Any, value: Any) -> None:
    if isinstance(value, Conflict):
        found = f"becomes {' or '.join(value.found)}"
    elif isinstance(value, Undefined):
        found = "is not defined on each path"
    else:
        found = f"becomes {describe(value)}"
    tracer.ctx.fail(
        "front.branch.loop",
        f"'{name}' is {describe(entry)} when the loop starts and {found} in it",
        state.node,
        help="a variable keeps one type and shape in a loop: convert before the loop or in it",
        notes=[
            (f"'{name}' starts here", state.assigned.get(name)),
            (f"'{name}' changes here", tracer.assigned.get(name)),
        ],
    )


def leave(tracer: Tracer, state: Carried, results: list[str]) -> None:
    """Bind what the loop yielded; forget names that only its body defined, or changed the type of.

    ``results`` are the names of the op's results for what is kept, in order.
    """
    after, later = tracer.scope.locals, tracer.assigned
    tracer.scope.locals, tracer.assigned = state.before, state.assigned
    for name, ssa in zip(state.kept, results, strict=True):
        value = state.entry[name]
        tracer.bind(name, convert.with_type(value, ssa, value.dtype), state.node)
    for one in (*state.targets, *state.names):
        if one not in state.kept and one in after and one != exits.RETURN:
            _forget(tracer, one, one in state.targets, after[one], later)


def _forget(tracer: Tracer, name: str, is_target: bool, value: Any, later: dict[str, Span]) -> None:
    entry = tracer.scope.locals.get(name)
    if entry is value and not is_target:
        return
    if isinstance(value, (Undefined, Conflict)):
        tracer.scope.locals[name] = value
        return
    known = name in tracer.scope.locals and not is_target and not isinstance(entry, Undefined)
    if known:
        spans = (tracer.assigned.get(name), later[name])
        tracer.scope.locals[name] = Conflict(
            (describe(entry), describe(value)), spans, "a loop and the code before it"
        )
    else:
        tracer.scope.locals[name] = Undefined("defined inside a loop only", later[name])


# --- What a body assigns and reads -----------------------------------------------------------


def assigned_names(body: list[ast.stmt]) -> list[str]:
    """Names that the statements assign, in order of first appearance."""
    names: dict[str, None] = {}
    for statement in body:
        names.update(dict.fromkeys(names_stored(statement)))
    return list(names)


def names_stored(node: ast.AST) -> list[str]:
    """Names that are assigned in a statement or target."""
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return [part.id for part in parts if isinstance(part.ctx, ast.Store)]


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
