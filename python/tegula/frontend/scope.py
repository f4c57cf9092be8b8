"""Names of a kernel body and what they are bound to."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from tegula.errors import Span
from tegula.frontend.context import Context
from tegula.frontend.source import Captured
from tegula.language.dtypes import DType
from tegula.language.function import Function, Launchable

#: What may be read from Python's builtins; the rest has no meaning on a device.
_BUILTINS = ("range", "len", "min", "max", "abs", "int", "float", "bool", "True", "False", "None")


@dataclass(frozen=True)
class Undefined:
    """A name that has a value on some paths only. ``where`` is the place of that value."""

    reason: str
    where: Span


@dataclass(frozen=True)
class Conflict:
    """A name with two types where paths meet. It is an error only when it is read."""

    found: tuple[str, str]
    spans: tuple[Span | None, Span | None]
    paths: str


class Scope:
    """Local names over captured ones, globals and a few builtins."""

    def __init__(self, function: FunctionType) -> None:
        self.locals: dict[str, Any] = {}
        self._captured = Captured(function)
        self._globals = function.__globals__

    def lookup(self, ctx: Context, node: ast.Name) -> Any:
        """Value of a name; what is read from outside is recorded as a dependency."""
        name = node.id
        if name in self.locals:
            value = self.locals[name]
            if isinstance(value, Undefined):
                self._undefined(ctx, node, value)
            if isinstance(value, Conflict):
                self._conflict(ctx, node, value)
            return value
        for namespace in (self._captured, self._globals):
            if name in namespace:
                value = namespace[name]
                if changeable(value):
                    self._changeable(ctx, node, value)
                ctx.remember(namespace, name, value)
                return value
        if name in _BUILTINS:
            return getattr(builtins, name)
        self._missing(ctx, node)

    def _undefined(self, ctx: Context, node: ast.Name, value: Undefined) -> Any:
        ctx.fail(
            "front.name.path",
            f"'{node.id}' is {value.reason}",
            node,
            help=f"give '{node.id}' a value before the statement, so that every path has one",
            notes=[(f"'{node.id}' gets a value here", value.where)],
        )

    def _conflict(self, ctx: Context, node: ast.Name, value: Conflict) -> Any:
        first, second = value.found
        ctx.fail(
            "front.branch.types",
            f"'{node.id}' is {first} or {second}, by {value.paths}",
            node,
            help="give it one type and shape on every path",
            notes=[
                (f"here it is {found}", span)
                for found, span in zip(value.found, value.spans, strict=True)
                if span
            ],
        )

    def _changeable(self, ctx: Context, node: ast.Name, value: Any) -> Any:
        ctx.fail(
            "front.const.mutable",
            f"'{node.id}' is a {type(value).__name__}, which may change after compiling",
            node,
            help="make it a tuple, or pass it as an argument or tg.const",
        )

    def _missing(self, ctx: Context, node: ast.Name) -> Any:
        if hasattr(builtins, node.id):
            ctx.fail(
                "front.syntax.builtin",
                f"'{node.id}' has no meaning in a kernel",
                node,
                help=nearest(node.id, (*self.locals, *_BUILTINS)),
            )
        ctx.fail(
            "front.name.undefined",
            f"name '{node.id}' is not defined",
            node,
            help=nearest(node.id, (*self.locals, *self._captured, *self._globals)),
        )


def changeable(value: Any) -> bool:
    """Whether a value from outside may change without its name being bound again."""
    if isinstance(value, tuple):
        return any(changeable(part) for part in value)
    fixed = (bool, int, float, str, type(None), DType, Function, Launchable, ModuleType)
    return not (isinstance(value, fixed) or callable(value))


def nearest(name: str, names: Iterable[str], prefix: str = "") -> str | None:
    """``did you mean 'x'?`` for a misspelt name, or None when nothing is near."""
    candidates = [n for n in names if not n.startswith("_")]
    found = difflib.get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"did you mean '{prefix}{found[0]}'?" if found else None
