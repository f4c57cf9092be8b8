"""Options of every pytest suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many different Triton kernels ran clean on each target, and what tests tell."""
    found: dict[str, list[str]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "triton_kernel":
                found.setdefault(value[0], []).append(value[1])
            elif name == "told":
                terminalreporter.write_line(value)
    for target, kernels in sorted(found.items()):
        different, total = len(set(kernels)), len(kernels)
        line = f"{target}: {different} different Triton kernels in {total} configurations, clean"
        terminalreporter.write_line(line)
