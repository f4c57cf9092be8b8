"""Options and fixtures of every pytest suite."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")
SEED = 20261129


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run full counts, not seeded samples")


def pytest_configure(config: pytest.Config) -> None:
    global _full
    _full = config.getoption("--full")


_full = False


def sample(cases: Sequence[T], count: int, seed: int = SEED) -> list[T]:
    """Return `cases` whole under --full, else `count` of them drawn with a fixed seed, in order."""
    if _full or count >= len(cases):
        return list(cases)
    chosen = sorted(random.Random(seed).sample(range(len(cases)), count))
    return [cases[index] for index in chosen]
