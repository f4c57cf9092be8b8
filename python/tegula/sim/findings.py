"""What the sanitizers report, as objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SEVERITIES = ("note", "warning", "error")


@dataclass(frozen=True)
class Finding:
    """One report of a launch; ``text`` is what a person reads.

    ``pc`` is a byte offset in the object's ``.text``, ``lanes`` the affected lanes, ``address``
    that of the first of them (0: none), ``file`` is "" without line information, ``count`` tells
    how often it happened at this place. ``details`` is the whole report as JSON has it.
    """

    kind: str
    severity: str
    kernel: str
    workgroup: tuple[int, int, int]
    wave: int
    lanes: tuple[int, ...]
    pc: int
    instruction: str
    file: str
    line: int
    address: int
    count: int
    text: str = field(repr=False)
    details: Mapping[str, Any] = field(repr=False, compare=False, default_factory=dict)

    @property
    def lane(self) -> int | None:
        """The first affected lane; None if the report concerns the whole wave."""
        return self.lanes[0] if self.lanes else None

    @staticmethod
    def of(native: Mapping[str, Any]) -> Finding:
        """From a dict of the binding."""
        values = dict(native)
        mask = values.pop("lane_mask")
        values["lanes"] = tuple(lane for lane in range(64) if mask >> lane & 1)
        values["severity"] = SEVERITIES[values["severity"]]
        values["details"] = json.loads(values.pop("json"))
        return Finding(**values)
