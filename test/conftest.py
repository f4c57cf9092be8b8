"""Options of every pytest suite."""

from __future__ import annotations

from pathlib import Path

import pytest

import sampling
import stages

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--build", default="build", help="CMake build directory, for test tools")
    parser.addoption("--full", action="store_true", help="run full counts, not seeded samples")


def pytest_configure(config: pytest.Config) -> None:
    sampling.full = config.getoption("--full")
    stages.tools = ROOT / config.getoption("--build") / "bin"
