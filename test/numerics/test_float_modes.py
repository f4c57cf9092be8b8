"""Options that change arithmetic do: denormals and fast-math flags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula as tg
from tegula.kernel_object import FASTMATH, Kernel

TINY = np.float32(1e-40)


def scale(**options: Any) -> Kernel:
    @tg.kernel(grid=lambda x: (1,), **options)
    def scaled(x: "N", y: "N", out: "N") -> None:
        a, b = tg.load(x, (0,), (256,)), tg.load(y, (0,), (256,))
        tg.store(out, (0,), a * b + a / b)

    return scaled


def exponential(**options: Any) -> Kernel:
    @tg.kernel(grid=lambda x: (1,), **options)
    def raised(x: "N", y: "N", out: "N") -> None:
        tg.store(out, (0,), tg.exp(tg.load(x, (0,), (256,))))

    return raised


def test_denormals_flush(device: Any) -> None:
    x, ones = np.full(256, TINY), np.ones(256, np.float32)
    kept, flushed = np.zeros_like(x), np.zeros_like(x)
    scale()(x, ones, kept)
    scale(denormals="flush")(x, ones, flushed)
    np.testing.assert_array_equal(kept, TINY + TINY)
    np.testing.assert_array_equal(flushed, 0)
    plain = scale().compile(x, ones, kept)
    preserve = scale(denormals="preserve").compile(x, ones, kept)
    flush = scale(denormals="flush").compile(x, ones, kept)
    assert preserve.code_object == plain.code_object != flush.code_object
    assert flush.manifest["denormals"] == "flush" and "denormals" not in plain.manifest


@pytest.mark.parametrize("flag", sorted(FASTMATH))
def test_each_flag_reaches_llvm(device: Any, flag: str) -> None:
    arrays = [np.ones(256, np.float32)] * 3
    plain = scale().ir("llvm", *arrays)
    fast = scale(fastmath={flag}).ir("llvm", *arrays)
    for op in ("fmul", "fadd", "fdiv"):
        assert f"{op} {flag} " in fast and f"{op} {flag} " not in plain


@pytest.mark.parametrize(
    ("function", "flag"),
    [(scale, "contract"), (scale, "afn"), (exponential, "afn")],
)
def test_flags_change_the_code(device: Any, function: Any, flag: str) -> None:
    arrays = [np.ones(256, np.float32)] * 3
    plain = function().compile(*arrays).code_object
    assert function(fastmath={flag}).compile(*arrays).code_object != plain
