"""Options of every pytest suite."""

from __future__ import annotations

import pytest

import sampling


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run full counts, not seeded samples")


def pytest_configure(config: pytest.Config) -> None:
    sampling.full = config.getoption("--full")
