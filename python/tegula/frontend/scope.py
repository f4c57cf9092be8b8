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
from tegula.frontend.values import View
from tegula.language.dtypes import DType
from tegula.language.function import Function, Launchable
from tegula.language.primitives import PRIMITIVES

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
                help=equivalent(node.id) or nearest(node.id, (*self.locals, *_BUILTINS)),
            )
        known = nearest(node.id, (*self.locals, *self._captured, *self._globals))
        extents = {
            name
            for value in self.locals.values()
            if isinstance(value, View)
            for name in value.view_type.names
        }
        if node.id in extents:
            known = f"to use an extent as a constant declare it after '*': '{node.id}: tg.const'"
        ctx.fail("front.name.undefined", f"name '{node.id}' is not defined", node, help=known)


def changeable(value: Any) -> bool:
    """Whether a value from outside may change without its name being bound again."""
    if isinstance(value, tuple):
        return any(changeable(part) for part in value)
    fixed = (bool, int, float, str, type(None), DType, Function, Launchable, ModuleType)
    return not (isinstance(value, fixed) or callable(value))


#: What a user of NumPy, PyTorch or Triton may write, and how it is spelled here.
_EQUIVALENT = {
    **{"dot": "tg.mma(a, b, acc)", "matmul": "tg.mma(a, b, acc)", "mm": "tg.mma(a, b, acc)"},
    **{"bmm": "tg.mma(a, b, acc)", "einsum": "tg.mma(a, b, acc)"},
    **{"arange": "tg.iota(shape, axis)", "astype": ".to(dtype)", "cast": ".to(dtype)"},
    **{"type": ".to(dtype)", "float": ".to(tg.f32)", "half": ".to(tg.f16)"},
    **{"bfloat16": ".to(tg.bf16)", "int": ".to(tg.i32)", "long": ".to(tg.i64)"},
    **{"float32": "tg.f32", "float16": "tg.f16", "float64": "tg.f64", "int8": "tg.i8"},
    **{"int16": "tg.i16", "int32": "tg.i32", "int64": "tg.i64", "uint8": "tg.u8"},
    **{"mean": "tg.sum(x, axis) / n", "amax": "tg.max(x, axis)", "amin": "tg.min(x, axis)"},
    **{"absolute": "tg.abs(x)", "fabs": "tg.abs(x)", "power": "tg.pow(x, y)", "clip": "tg.clamp"},
    **{
        "softmax": "e = tg.exp(x - tg.max(x, axis, keepdims=True)), "
        "then e / tg.sum(e, axis, keepdims=True)"
    },
    **{"trans": ".T", "transpose": ".T or tg.permute(x, axes)"},
    **{"full_like": "tg.full(x.shape, value, x.dtype)", "zeros_like": "tg.zeros(x.shape, x.dtype)"},
    **{"num_programs": "the grid's expression", "constexpr": "tg.const", "view": ".reshape"},
    **{"print": 'tg.print("x = {}", x)'},
    **{"rint": "tg.round(x)"},
    **{
        "size": ".shape",
    },
}


def equivalent(name: str) -> str | None:
    """How the language spells what other libraries call ``name``, as a line of help."""
    if name in _EQUIVALENT:
        return f"write {_EQUIVALENT[name]}"
    return f"write tg.{name}" if name in PRIMITIVES or name in ("relu", "clamp") else None


def nearest(name: str, names: Iterable[str], prefix: str = "") -> str | None:
    """``did you mean 'x'?`` for a misspelt name, or None when nothing is near."""
    candidates = [n for n in names if not n.startswith("_")]
    found = difflib.get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"did you mean '{prefix}{found[0]}'?" if found else None
