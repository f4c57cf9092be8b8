"""The one registry of environment variables. Nothing else in the package reads the environment.

``tegula env`` prints the table with the values in force.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tegula.errors import ArgumentError


@dataclass(frozen=True)
class Knob:
    """One variable: its name, what it means, how its text is read, and its default."""

    variable: str
    meaning: str
    parse: Callable[[str], Any]
    default: Callable[[], Any]

    def value(self) -> Any:
        """The value in force. ArgumentError names the variable if its text has none."""
        text = os.environ.get(self.variable)
        if not text:
            return self.default()
        try:
            return self.parse(text)
        except ValueError as problem:
            raise ArgumentError(self.variable, repr(text), str(problem)) from None


def _cache_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tegula"


def _flag(text: str) -> bool:
    return text.strip().lower() not in ("0", "false", "off", "no")


def _number(kind: type, low: float, high: float) -> Callable[[str], Any]:
    """A reader of numbers in a range."""

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            what = "an integer" if kind is int else "a number"
            raise ValueError(f"{what} from {low:,} to {high:,}")
        return value

    return read


def _workers() -> int:
    return max(1, min(4, os.cpu_count() or 1))


REGISTRY: dict[str, Knob] = {
    "device": Knob(
        "TEGULA_DEVICE",
        "device of NumPy arrays and CPU tensors, e.g. sim:gfx950",
        str,
        lambda: None,
    ),
    "native_dir": Knob(
        "TEGULA_NATIVE_DIR",
        "folder with bin/ and lib/ of the compiler and the libraries",
        Path,
        lambda: Path(__file__).parent / "_native",
    ),
    "cache_dir": Knob("TEGULA_CACHE_DIR", "folder of the compile cache", Path, _cache_home),
    "cache": Knob("TEGULA_CACHE", "0 turns the compile cache on disk off", _flag, lambda: True),
    "compile_timeout": Knob(
        "TEGULA_COMPILE_TIMEOUT",
        "seconds that one compile may take",
        _number(float, 0.01, 86_400),
        lambda: 120.0,
    ),
    "compile_memory": Knob(
        "TEGULA_COMPILE_MEMORY",
        "MiB of address space of a compile worker",
        _number(int, 256, 2**30),
        lambda: 8192,
    ),
    "compile_workers": Knob(
        "TEGULA_COMPILE_WORKERS",
        "compile workers that may run at a time",
        _number(int, 1, 1024),
        _workers,
    ),
    "debug": Knob(
        "TEGULA_DEBUG",
        "1 makes kernels that are declared from then on debug builds",
        _flag,
        lambda: False,
    ),
    "reproducer_dir": Knob(
        "TEGULA_REPRODUCER_DIR",
        "folder in which reproducers of internal errors are written",
        Path,
        lambda: _cache_home() / "reproducers",
    ),
}


def get(name: str) -> Any:
    """Value of a knob, read now, so that a test can change the environment."""
    return REGISTRY[name].value()


def table() -> list[tuple[str, str, str]]:
    """(variable, value in force, meaning) of every knob."""
    return [(k.variable, _shown(k.value()), k.meaning) for k in REGISTRY.values()]


def _shown(value: Any) -> str:
    """As it would be written in the environment."""
    if value is None:
        return "not set"
    return str(int(value)) if isinstance(value, bool) else str(value)
