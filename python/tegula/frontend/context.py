"""State of one trace: the builder, the places of calls, what the result depends on."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from tegula.errors import Span
from tegula.frontend.builder import Builder
from tegula.frontend.source import Source
from tegula.labels import class_of

#: Statements of a kernel with its loops written out; the IR allows 20,000 ops.
MAX_STATEMENTS = 20_000


@dataclass(frozen=True)
class Dependency:
    """A global or captured name that was read, so that a warm call notices when it changes."""

    namespace: Mapping[str, Any]
    name: str
    value: Any
    code: Any = None

    def holds(self) -> bool:
        now = self.namespace.get(self.name, self)
        return now is self.value and (self.code is None or _code_of(now) is self.code)


def _code_of(value: Any) -> Any:
    function = getattr(value, "function", value)
    return getattr(function, "__code__", None)


@dataclass
class Context:
    """Shared by the tracers of a kernel body and of the helpers inlined into it."""

    kernel: str
    target: str
    fastmath: frozenset[str]
    debug: bool = False  # every index is checked against its view
    grid_tiles: tuple[str, tuple[int, ...]] | None = None
    grid_is_persistent: bool = False
    in_grid: bool = False  # while the grid is traced, which becomes an expression of the manifest
    builder: Builder = field(default_factory=Builder)
    dependencies: dict[tuple[int, str], Dependency] = field(default_factory=dict)
    #: Text of every line that a location names, for diagnostics that come back.
    places: dict[tuple[str, int], str] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    calls: list[Span] = field(default_factory=list)
    inlining: list[Any] = field(default_factory=list)
    #: Named extents that an argument has as they are: name → (its view, the type, the axis).
    extents: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    _statements: int = 0

    @property
    def source(self) -> Source:
        return self.sources[-1]

    def span(self, node: ast.AST) -> Span:
        """Place of a node. A call is shown by what is called: its operands have their own."""
        if not isinstance(node, ast.Call):
            return self.source.span(node)
        span = self.source.span(node.func)
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            # A method of an expression: ``.to``, not the expression again.
            owner = self.source.span(node.func.value)
            if owner.end_line == span.line == span.end_line:
                return replace(span, column=owner.end_column)
        return span

    def loc(self, node: ast.AST) -> str:
        """The ``loc(...)`` of ops made for a node, with the calls that it was inlined through."""
        return self._loc([*self.calls, self.span(node)])

    def users_loc(self, node: ast.AST) -> str:
        """As ``loc``, but a helper of this package is where the user calls it."""
        return self._loc([*self.calls, self.span(node)][: self._users_depth() + 1])

    def _loc(self, spans: list[Span]) -> str:
        *calls, span = spans
        for place in spans:
            self.places[(place.file, place.line)] = place.text
        text = _range(span)
        for call in reversed(calls):
            text = f"callsite({text} at {_range(call)})"
        return f"loc({text})"

    def _users_depth(self) -> int:
        """How many calls lead to the user's line: those in helpers of this package do not count."""
        depth = len(self.calls)
        while depth and self.inlining[depth - 1].function.__module__.startswith("tegula."):
            depth -= 1
        return depth

    def emit(self, text: str, node: ast.AST) -> str:
        """Append an op with one result."""
        return self.builder.emit(text, self.loc(node))[0]

    def count_statement(self, node: ast.AST) -> None:
        """Refuse kernels that grow without end when loops are written out and helpers inlined."""
        self._statements += 1
        if self._statements > MAX_STATEMENTS:
            self.fail(
                "front.syntax.size",
                f"the kernel has more than {MAX_STATEMENTS} statements, written out",
                node,
                help="use a plain range in place of tg.unroll and loops over tuples",
            )

    def remember(self, namespace: Mapping[str, Any], name: str, value: Any) -> None:
        dependency = Dependency(namespace, name, value, _code_of(value))
        self.dependencies.setdefault((id(namespace), name), dependency)

    def fail(
        self,
        label: str,
        message: str,
        node: ast.AST,
        help: str | None = None,
        others: Sequence[ast.AST] = (),
        notes: Sequence[tuple[str, Span | None]] = (),
    ) -> NoReturn:
        """Raise the error class of a rule at a node."""
        # A helper of this package is shown by the user's call of it: that line is wrong.
        depth = self._users_depth()
        spans = [*self.calls, self.span(node)]
        inner = [
            (f"in '{self.inlining[i].function.__name__}'", spans[i + 1])
            for i in range(depth, len(self.calls))
        ]
        inlined = [(f"called from '{self.kernel}'", call) for call in reversed(self.calls[:depth])]
        raise class_of(label)(
            message,
            label=label,
            span=spans[depth],
            others=[] if inner else [self.span(other) for other in others],
            notes=[*notes, *inner, *inlined],
            help=help,
        ) from None


def _range(span: Span) -> str:
    end = f":{span.end_column}"
    if span.end_line != span.line:
        end = f"{span.end_line}{end}"
    return f'"{span.file}":{span.line}:{span.column} to {end}'
