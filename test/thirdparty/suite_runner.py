"""Kernels of the OpenCL suite (test/unit/sim/isa-suite.cl) and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import tegula.sim
from reports import objections

bf16 = ml_dtypes.bfloat16
f16, f32 = np.float16, np.float32
CASES: dict[str, Callable[[Any, np.random.Generator], None]] = {}
#: What is wrong with a kernel of the suite: the kinds of findings that each launch must have, and
#: those that depend on how clang orders it.
FAULTS: dict[str, tuple[set[str], set[str]]] = {}


@dataclass
class Launcher:
    """One kernel of one code object; a call launches it and looks at what is reported."""

    kernel: tegula.sim.Kernel
    target: str

    def __call__(self, groups: Any, block: int, *values: Any, lds: int = 0) -> None:
        done = self.kernel.launch(groups, block, *values, lds=lds, check=False)
        found = {f.kind for f in objections(done.findings)}
        required, possible = FAULTS.get(self.kernel.name, (set(), set()))
        texts = [f.text for f in done.findings][:4]
        assert required <= found <= required | possible, (found, texts)


def case(function: Callable[[Any, np.random.Generator], None]) -> Any:
    """The oracle of the kernel of that name: launches it and judges its results."""
    CASES[function.__name__] = function
    return function


def faulty(*kinds: str, possible: Sequence[str] = ()) -> Callable[[Any], Any]:
    """A case whose kernel has these faults."""

    def register(function: Any) -> Any:
        FAULTS[function.__name__] = set(kinds), set(possible)
        return case(function)

    return register


def small(rng: np.random.Generator, *shape: int, kind: Any) -> np.ndarray:
    return rng.integers(-3, 4, shape).astype(kind)


def bits(x: np.ndarray, kind: Any) -> np.ndarray:
    return np.ascontiguousarray(x).view(kind)
