"""Full counts under ``--full``, seeded samples otherwise."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
SEED = 20261129
full = False  # set by conftest.py from the command line, before tests are collected


def sample(cases: Sequence[T], count: int, seed: int = SEED) -> list[T]:
    """``cases`` whole in a full run, else ``count`` of them drawn with a fixed seed, in order."""
    if full or count >= len(cases):
        return list(cases)
    chosen = sorted(random.Random(seed).sample(range(len(cases)), count))
    return [cases[index] for index in chosen]
