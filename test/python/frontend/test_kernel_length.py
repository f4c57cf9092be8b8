"""The library's kernels stay short: lines of bodies as ``ruff format`` leaves them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType

import pytest

import tegula as tg
from tegula import kernels

QUANTIZER = 16
QUANTIZERS = ("quantize", "grouped_quantize", "scale_layouts")
MOST = {
    "add_rms_norm": 14,
    "column_sums": 5,
    "gemm": 12,
    "layer_norm": 20,
    "log_softmax": 22,
    "norm_backward": 25,
    "norm_sums": 15,
    "rms_norm": 8,
    "rms_norm_quantize": 18,
    "rotary": 8,
    "silu_mul": 8,
    "silu_mul_backward": 10,
    "silu_mul_quantize": 16,
    "softmax": 8,
    "softmax_backward": 14,
}


def lines(function: FunctionType) -> int:
    """Lines of a body without its docstring."""
    [definition] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(definition, ast.FunctionDef)
    body = [n for n in definition.body if not isinstance(getattr(n, "value", None), ast.Constant)]
    assert body[-1].end_lineno is not None
    return body[-1].end_lineno - body[0].lineno + 1


def helpers(function: FunctionType) -> Iterator[FunctionType]:
    """The ``@tg.function`` helpers that a kernel of the library calls, each once."""
    seen, open_ones = {function}, [function]
    while open_ones:
        current = open_ones.pop()
        for name in current.__code__.co_names:
            value = current.__globals__.get(name)
            if isinstance(value, tg.Function) and value.function not in seen:
                seen.add(value.function)
                open_ones.append(value.function)
                yield value.function


@pytest.mark.parametrize("name", kernels.__all__)
def test_body_lines(name: str) -> None:
    function = getattr(kernels, name).function
    assert (name in MOST) != (function.__module__.rpartition(".")[2] in QUANTIZERS)
    assert lines(function) + sum(map(lines, helpers(function))) <= MOST.get(name, QUANTIZER)
