"""The architectures that Tegula compiles for: the tables of ``lib/Target``, from the compiler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tegula.compiler.program import description


def names() -> tuple[str, ...]:
    """All targets, oldest first."""
    return tuple(row["name"] for row in description()["targets"])


def facts(target: str) -> Mapping[str, Any]:
    """One target's row: ``lds_bytes``, ``wave_size``, ``mfma`` and what else the table has."""
    row: Mapping[str, Any] = next(row for row in description()["targets"] if row["name"] == target)
    return row
