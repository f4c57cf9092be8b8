"""Counts of every decision: which operation ran on Tegula, which did not, and why."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

TEGULA = "tegula"
FALLBACK = "fallback"


@dataclass(frozen=True)
class Decision:
    """Where an operation went. ``reason`` explains a fallback; it is "" for a launch."""

    operation: str
    route: str
    reason: str = ""


class Report:
    """A snapshot of the counters. ``launches`` and ``fallbacks`` sum over reasons."""

    def __init__(self, counts: Counter[Decision]) -> None:
        self.counts = counts

    def launches(self, operation: str | None = None) -> int:
        """Calls of an operation (None: of all) that ran on Tegula's kernels."""
        return self._total(TEGULA, operation)

    def fallbacks(self, operation: str | None = None) -> int:
        """Calls of an operation (None: of all) that were left to PyTorch."""
        return self._total(FALLBACK, operation)

    def _total(self, route: str, operation: str | None) -> int:
        return sum(
            count
            for decision, count in self.counts.items()
            if decision.route == route and operation in (None, decision.operation)
        )

    def __str__(self) -> str:
        rows = [
            (decision.operation, decision.route, str(count), decision.reason)
            for decision, count in sorted(self.counts.items(), key=lambda item: str(item[0]))
        ]
        width = max([12, *(len(row[0]) for row in rows)])
        return "\n".join(
            f"{operation:<{width}} {route:<8} {calls:>8}  {reason}".rstrip()
            for operation, route, calls, reason in [
                ("operation", "ran on", "calls", "reason"),
                *rows,
            ]
        )


_counts: Counter[Decision] = Counter()
_lock = threading.Lock()


def count(operation: str, route: str, reason: str = "") -> None:
    """Record one decision."""
    with _lock:
        _counts[Decision(operation, route, reason)] += 1


def report() -> Report:
    """What ran where since the last ``reset_report``, launches counted as they happen.

    A fallback in a compiled graph is counted once, when the graph is compiled.
    """
    with _lock:
        return Report(Counter(_counts))


def reset_report() -> None:
    """Start counting for ``report`` anew."""
    with _lock:
        _counts.clear()
