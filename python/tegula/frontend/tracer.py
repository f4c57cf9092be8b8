"""Traces one function: a kernel's body, or a helper inlined into it."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from tegula.errors import Span
from tegula.frontend import exits, expressions, statements
from tegula.frontend.context import Context
from tegula.frontend.scope import Scope
from tegula.frontend.source import find


class Tracer:
    """A function's tree, its scope, and where it is in nested run-time control flow."""

    def __init__(self, ctx: Context, function: FunctionType) -> None:
        self.ctx = ctx
        self.tree = find(function)
        self.scope = Scope(function)
        self.is_kernel = False
        #: What stands around the current statement: run-time "if", run-time "loop", "unrolled".
        self.nesting: list[str] = []
        #: Where each local name got its current value.
        self.assigned: dict[str, Span] = {}

    def expr(self, node: ast.expr) -> Any:
        return expressions.evaluate(self, node)

    def bind(self, name: str, value: Any, node: ast.AST) -> None:
        self.scope.locals[name] = value
        self.assigned[name] = self.ctx.span(node)

    def function_body(self, arguments: dict[str, Any]) -> Any:
        """Run the whole body with parameters bound, and return what it returns."""
        self.ctx.sources.append(self.tree.source)
        for name, value in arguments.items():
            self.bind(name, value, self.tree.node)
        self.scope.locals[exits.RETURN] = False
        flow = statements.run(self, self.tree.node.body)
        value = exits.returned(self, flow, self.tree.node)
        self.ctx.sources.pop()
        return value
