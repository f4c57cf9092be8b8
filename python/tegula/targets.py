"""The architectures that Tegula compiles for: the tables of ``lib/Target``, from the compiler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tegula.compiler.program import description
from tegula.errors import UnsupportedOnTarget


def names() -> tuple[str, ...]:
    """All targets, oldest first."""
    return tuple(row["name"] for row in description()["targets"])


def facts(target: str) -> Mapping[str, Any]:
    """One target's row: ``lds_bytes``, ``wave_size``, ``mfma`` and what else the table has."""
    row: Mapping[str, Any] = next(row for row in description()["targets"] if row["name"] == target)
    return row


def checked(name: str) -> str:
    """The name, if a target has it; UnsupportedOnTarget says which do."""
    if name not in names():
        message = f"no target '{name}'"
        raise UnsupportedOnTarget(message, label="front.target.name", help=others(str(name)))
    return name


def others(name: str) -> str:
    """What to write instead of the name of no target."""
    from tegula.frontend.scope import nearest  # which imports this module

    return nearest(name, names()) or f"targets are {', '.join(names())}"
