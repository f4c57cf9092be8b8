"""Finds the syntax tree of a function and turns its nodes into places.

File names are relative to the root of the module (``tegula/kernels/gemm.py``), so that the bytes
of a code object do not depend on where a package is installed.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from tegula.errors import Span, SyntaxNotSupported
from tegula.language.text import lines_of


def relative_name(filename: str, module: str) -> str:
    """Path of a module's file from the folder that holds its top-level package."""
    parts = filename.replace("\\", "/").split("/")
    depth = 1 if module == "__main__" else module.count(".") + 1
    if parts[-1] == "__init__.py":
        depth += 1
    return "/".join(parts[-depth:])


@dataclass(frozen=True)
class Source:
    """A file: its lines, and the name that locations use."""

    name: str
    lines: list[str]

    def span(self, node: ast.AST) -> Span:
        """Range of a node, with its first line."""
        first = int(getattr(node, "lineno", 1))
        last = int(getattr(node, "end_lineno", first) or first)
        start = int(getattr(node, "col_offset", 0)) + 1
        stop = int(getattr(node, "end_col_offset", start) or start) + 1
        text = self.lines[first - 1].rstrip("\n") if first <= len(self.lines) else ""
        return Span(self.name, first, start, last, stop, text)


@dataclass(frozen=True)
class FunctionSource:
    """A function's tree in its file."""

    source: Source
    node: ast.FunctionDef


_PARSED: dict[str, tuple[list[str], ast.Module]] = {}


def _tree(filename: str, lines: list[str]) -> ast.Module:
    """Parse a file once for as long as its text stays the same."""
    known = _PARSED.get(filename)
    if known is None or known[0] is not lines:
        known = (lines, ast.parse("".join(lines)))
        _PARSED[filename] = known
    return known[1]


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def find(function: FunctionType) -> FunctionSource:
    """The tree of a function; ``SyntaxNotSupported`` when there is no source text."""
    code = function.__code__
    lines = lines_of(function)
    if lines:
        name = relative_name(code.co_filename, function.__module__ or "__main__")
        for node in ast.walk(_tree(code.co_filename, lines)):
            if isinstance(node, ast.FunctionDef) and _matches(node, code):
                return FunctionSource(Source(name, lines), node)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise SyntaxNotSupported(
            f"'{function.__name__}' is an 'async def'",
            label="front.syntax.async",
            help="write 'def': a kernel is sequential code",
        )
    if function.__name__ == "<lambda>":
        raise SyntaxNotSupported(
            "a lambda cannot be compiled",
            label="front.syntax.source",
            help="write it as a function with 'def'",
        )
    raise SyntaxNotSupported(
        f"the source text of '{function.__name__}' is not available",
        label="front.syntax.source",
        help="define the kernel in a file; text given to exec() or typed into a prompt has none",
    )


def _matches(node: ast.FunctionDef, code: CodeType) -> bool:
    return node.name == code.co_name and _first_line(node) == code.co_firstlineno


class Captured(Mapping[str, Any]):
    """Variables of enclosing functions, read when asked, so that a change is seen."""

    def __init__(self, function: FunctionType) -> None:
        names = function.__code__.co_freevars
        self._cells = dict(zip(names, function.__closure__ or (), strict=True))

    def __getitem__(self, name: str) -> Any:
        try:
            return self._cells[name].cell_contents
        except ValueError:
            raise KeyError(name) from None  # the enclosing function has not assigned it yet

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._cells if name in self)

    def __len__(self) -> int:
        return len(self._cells)
