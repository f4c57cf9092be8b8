"""The library's kernels stay short: lines of a body as `ruff format` leaves it."""

from __future__ import annotations

import ast
import inspect

import pytest

from tegula import kernels


@pytest.mark.parametrize("name, most", [("rms_norm", 8), ("gemm", 12), ("softmax", 8)])
def test_body_lines(name: str, most: int) -> None:
    function = getattr(kernels, name).function
    tree = ast.parse(inspect.getsource(inspect.getmodule(function)))
    [definition] = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    others = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name != name]
    body = [n for n in definition.body if not isinstance(getattr(n, "value", None), ast.Constant)]
    lines = body[-1].end_lineno - body[0].lineno + 1
    assert not others  # helpers would count
    assert lines <= most


def test_quantizers() -> None:
    tree = ast.parse(inspect.getsource(kernels.quantize))
    definitions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    assert {n.name for n in definitions} <= set(kernels.__all__)  # no helpers
    for definition in definitions:
        body = definition.body[1:]  # after the docstring
        assert body[-1].end_lineno - body[0].lineno + 1 <= 16, definition.name
