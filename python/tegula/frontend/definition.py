"""A kernel's parameters, read from its signature in the source text.

The text is read rather than the annotations, so that ``from __future__ import annotations`` changes
nothing, and so that every complaint has a line.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from tegula.errors import Span
from tegula.frontend.source import Captured, FunctionSource, find
from tegula.labels import class_of
from tegula.language import dtypes as dt
from tegula.language import markers
from tegula.language.markers import Extent

#: Types of scalar parameters: what a kernarg segment holds and C can pass.
_SCALARS = (dt.bool_, dt.i32, dt.i64, dt.f32, dt.f64)

#: Keywords of ``kernel(…)`` and ``kernel.compile(…)``.
_RESERVED = ("stream", "target")


@dataclass(frozen=True)
class Parameter:
    """One parameter: a ``view``, a ``scalar``, a ``const`` or a ``tile`` extent."""

    name: str
    kind: str
    extents: tuple[Extent, ...] = ()
    dtype: dt.DType | None = None
    optional: bool = False
    default: Any = None
    has_default: bool = False

    def __str__(self) -> str:
        if self.kind == "view":
            return f'{self.name}: "{" ".join(map(str, self.extents))}"' + (
                " = None" if self.optional else ""
            )
        kind = repr(self.dtype) if self.dtype else f"tg.{self.kind}"
        return f"{self.name}: {kind}" + (f" = {self.default!r}" if self.has_default else "")


@dataclass(frozen=True)
class Definition:
    """A kernel's name, parameters and tree."""

    name: str
    parameters: tuple[Parameter, ...]
    tree: FunctionSource
    grid: ast.Lambda

    @property
    def arguments(self) -> tuple[Parameter, ...]:
        """What becomes an argument of the code object."""
        return tuple(p for p in self.parameters if p.kind in ("view", "scalar"))

    @property
    def constants(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.kind in ("const", "tile"))

    def signature(self) -> str:
        """The signature as a user reads it."""
        words = [str(p) for p in self.arguments]
        if self.constants:
            words += ["*", *(str(p) for p in self.constants)]
        return f"{self.name}({', '.join(words)})"


def define(function: FunctionType) -> Definition:
    """Read a kernel's signature and grid."""
    reader = _Reader(function, find(function))
    node = reader.tree.node
    if node.args.vararg or node.args.kwarg:
        reader.fail(
            "front.syntax.star", "no star-arguments in a kernel", node, "name each parameter"
        )
    names: list[tuple[str, ast.AST]] = [(node.name, node)]
    names += [(a.arg, a) for a in ast.walk(node.args) if isinstance(a, ast.arg)]
    for name, part in names:
        if not name.isascii():
            # They become symbols of the code object and of its C header.
            reader.fail("front.syntax.parameter", f"the name '{name}' is not ASCII", part)
        if name in _RESERVED:
            reader.fail(
                "front.syntax.parameter",
                f"'{name}' is an argument of every kernel's calls",
                part,
                help="choose another name",
            )
    parameters = (*reader.positional(node.args), *reader.keyword(node.args))
    return Definition(function.__name__, parameters, reader.tree, reader.grid())


class _Reader:
    def __init__(self, function: FunctionType, tree: FunctionSource) -> None:
        self.tree = tree
        self.names = {**function.__globals__, **Captured(function)}

    def span(self, node: ast.AST) -> Span:
        return self.tree.source.span(node)

    def fail(self, label: str, message: str, node: ast.AST, help: str | None = None) -> Any:
        raise class_of(label)(message, label=label, span=self.span(node), help=help)

    def value(self, node: ast.expr) -> Any:
        """An annotation or default, evaluated as Python does."""
        try:
            return eval(compile(ast.Expression(node), self.tree.source.name, "eval"), self.names)
        except Exception as problem:
            self.fail("front.name.undefined", f"'{ast.unparse(node)}': {problem}", node)

    def positional(self, args: ast.arguments) -> list[Parameter]:
        nodes = [*args.posonlyargs, *args.args]
        defaults: list[ast.expr | None] = [None] * (len(nodes) - len(args.defaults))
        defaults += args.defaults
        return [self._positional(a, d) for a, d in zip(nodes, defaults, strict=True)]

    def _positional(self, arg: ast.arg, default: ast.expr | None) -> Parameter:
        kind = self._annotation(arg)
        if isinstance(kind, str):
            return self._view(arg, kind, default)
        if isinstance(kind, dt.DType):
            if kind not in _SCALARS:
                names = ", ".join(repr(dtype) for dtype in _SCALARS)
                self.fail(
                    "front.syntax.parameter",
                    f"scalar '{arg.arg}' is declared {kind!r}",
                    arg,
                    help=f"a scalar parameter is one of {names}",
                )
            if default is None:
                return Parameter(arg.arg, "scalar", dtype=kind)
            value = self.value(default)
            return Parameter(arg.arg, "scalar", dtype=kind, default=value, has_default=True)
        if kind in (markers.const, markers.tile):
            self.fail(
                "front.syntax.parameter",
                f"constant '{arg.arg}' must be keyword-only",
                arg,
                help="put '*' before it",
            )
        return self._no_annotation(arg)

    def _annotation(self, arg: ast.arg) -> Any:
        return None if arg.annotation is None else self.value(arg.annotation)

    def _no_annotation(self, arg: ast.arg) -> Any:
        self.fail(
            "front.syntax.parameter",
            f"parameter '{arg.arg}' has no annotation that says what it is",
            arg,
            help=f'write {arg.arg}: "M N" for an array, {arg.arg}: tg.f32 for a scalar, or '
            f"{arg.arg}: tg.const after '*'",
        )

    def _view(self, arg: ast.arg, text: str, default: ast.expr | None) -> Parameter:
        if default is not None and self.value(default) is not None:
            self.fail(
                "front.syntax.parameter", f"the only default of array '{arg.arg}' is None", default
            )
        assert arg.annotation is not None
        try:
            extents = markers.parse_view(text)
        except ValueError as problem:
            self.fail("front.syntax.parameter", f"array '{arg.arg}': {problem}", arg.annotation)
        return Parameter(arg.arg, "view", extents=extents, optional=default is not None)

    def keyword(self, args: ast.arguments) -> list[Parameter]:
        pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        return [self._keyword(arg, default) for arg, default in pairs]

    def _keyword(self, arg: ast.arg, default: ast.expr | None) -> Parameter:
        kind = self._annotation(arg)
        if kind is not markers.const and kind is not markers.tile:
            if isinstance(kind, (str, dt.DType)):
                self.fail("front.syntax.parameter", f"'{arg.arg}' must come before '*'", arg)
            return self._no_annotation(arg)
        word = "const" if kind is markers.const else "tile"
        value = None if default is None else self.value(default)
        if value is markers.auto and word == "const":
            self.fail(
                "front.syntax.parameter",
                f"'{arg.arg}' is tg.const, which is never chosen",
                arg,
                help="declare it tg.tile",
            )
        return Parameter(arg.arg, word, default=value, has_default=default is not None)

    def grid(self) -> ast.Lambda:
        """The lambda in the decorator ``@tg.kernel(grid=lambda …: …)``."""
        for decorator in self.tree.node.decorator_list:
            if isinstance(decorator, ast.Call):
                for keyword in decorator.keywords:
                    if keyword.arg == "grid" and isinstance(keyword.value, ast.Lambda):
                        return keyword.value
        return self.fail(
            "front.syntax.grid",
            "the grid must be a lambda written in the decorator",
            next(iter(self.tree.node.decorator_list), self.tree.node),
            help="write @tg.kernel(grid=lambda x: (x.shape[0],))",
        )
