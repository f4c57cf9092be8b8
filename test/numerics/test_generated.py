"""Kernels made at random: the device computes what Python computes, twice the same, from one code.

1,000 kernels on each target in a full run; a seeded sample of them else.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

import sampling
from numerics import programs
from tegula.interpreter.tile import Tile

BATCHES = 10
COUNT = 100 if sampling.full else 2  # kernels a batch and target


class Drawn:
    """Choices of hypothesis, which makes a failing program small."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.number(0, len(options) - 1)]

    def number(self, low: int, high: int) -> int:
        return self.data.draw(st.integers(low, high))


_numbers = itertools.count()


def kernel_of(text: str, folder: Path) -> Any:
    path = folder / f"generated_{next(_numbers)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.k


@pytest.fixture
def largest(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The largest finite number that the interpreter met: what rounding errors are relative to.

    The cache on disk is off.
    """
    monkeypatch.setenv("TEGULA_CACHE", "0")
    seen = [1.0]
    plain = Tile.__init__

    def init(self: Tile, data: Any, dtype: Any) -> None:
        plain(self, data, dtype)
        if dtype.is_float:
            size = np.abs(self.data.astype(np.float64))
            seen[0] = max(seen[0], float(size.max(initial=0, where=np.isfinite(size))))

    monkeypatch.setattr(Tile, "__init__", init)
    yield seen


def check(program: programs.Program, kernel: Any, chooser: Any, largest: list[float]) -> None:
    inputs, outputs, scalars = programs.arguments(chooser, program)
    tile = dict(zip(("BM", "BN"), program.tile, strict=True))
    expected, first, second = ([out.copy() for out in outputs] for _ in range(3))
    largest[0] = 1.0
    kernel.interpret(*inputs, *expected, *scalars, **tile)
    kernel(*inputs, *first, *scalars, **tile)
    kernel(*inputs, *second, *scalars, **tile)
    for a, b, again in zip(first, expected, second, strict=True):
        assert a.tobytes() == again.tobytes(), "two runs, two results"
        if program.types["out"].is_float:  # NumPy knows no NaN of the narrow types
            a, b = a.astype(np.float64), b.astype(np.float64)
        if not program.rough:
            np.testing.assert_array_equal(a, b)
            continue
        bound = 64 * largest[0] * 2.0**-program.bits
        np.testing.assert_allclose(a, b, rtol=0, atol=bound)
    # Without the cache on disk; a kernel with other schedules (here none) shares nothing in memory.
    code, other = (
        one.compile(*inputs, *outputs, *scalars, **tile).code_object
        for one in (kernel, kernel.with_schedule())
    )
    assert code == other, "two compiles, two code objects"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_generated(device: Any, tmp_path: Path, batch: int, largest: list[float]) -> None:
    @hypothesis.seed(batch)
    @settings(
        max_examples=COUNT,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @hypothesis.given(st.data())
    def run(data: st.DataObject) -> None:
        chooser = Drawn(data)
        program = programs.write(chooser)
        hypothesis.note(program.text)
        check(program, kernel_of(program.text, tmp_path), chooser, largest)

    run()
