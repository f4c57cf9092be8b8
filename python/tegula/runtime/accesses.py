"""Memory accesses of a kernel, counted by a simulated device as they are executed.

Bank conflicts follow the device's table of LDS phases and banks, part of which is an estimate (see
``lib/Sim/Counters``). Nothing here is a time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Access:
    """One memory instruction. Counts are sums over all executions by waves."""

    pc: int  # byte offset in .text
    instruction: str
    space: str  # lds, global, flat, scratch, scalar
    use: str  # read, write, atomic, copy (from memory to LDS)
    width: int  # bytes of a lane
    executions: int
    lanes: int  # lane accesses
    bytes: int
    phases: int  # LDS cycles without conflicts
    conflicts: int  # LDS cycles lost by bank conflicts
    segments_64: int  # aligned segments of memory that an execution touches
    segments_128: int
    file: str = ""
    line: int = 0

    def __add__(self, other: Access) -> Access:
        sums = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return replace(self, **sums)


_COUNTS = ("executions", "lanes", "bytes", "phases", "conflicts", "segments_64", "segments_128")


@dataclass
class Traffic:
    """Accesses of one kind (read, written, atomic) to the memory of one argument."""

    executions: int = 0  # wave-instructions that touched it
    bytes: int = 0
    segments_64: int = 0
    segments_128: int = 0
    lanes: Counter[int] = field(default_factory=Counter)  # lane accesses by width in bytes

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one entry of a report."""
        self.executions += row["executions"]
        self.bytes += row["bytes"]
        self.segments_64 += row["segments_64"]
        self.segments_128 += row["segments_128"]
        self.lanes.update({int(width): count for width, count in row["lanes"].items()})


@dataclass
class ArgumentTraffic:
    """What a kernel did to the memory of one argument."""

    read: Traffic = field(default_factory=Traffic)
    written: Traffic = field(default_factory=Traffic)
    atomic: Traffic = field(default_factory=Traffic)


class Accesses:
    """All memory accesses of a kernel since the device's counters were reset.

    ``by_pc`` has its memory instructions in program order. ``arguments`` has the traffic by the
    argument's name; arguments whose memory overlaps share an entry named ``a+b``.
    """

    def __init__(self) -> None:
        self.by_pc: dict[int, Access] = {}
        self.arguments: dict[str, ArgumentTraffic] = {}

    def clear(self) -> None:
        """Forget all launches so far."""
        self.by_pc.clear()
        self.arguments.clear()

    def add(self, report: str, addresses: Mapping[str, int]) -> None:
        """Add a launch: its report (JSON) and the first byte of each array argument."""
        rows = json.loads(report)
        for row in rows["instructions"]:
            access = Access(**row)
            before = self.by_pc.get(access.pc)
            self.by_pc[access.pc] = before + access if before else access
        self.by_pc = dict(sorted(self.by_pc.items()))
        found = []
        for row in rows["memory"]:
            low, high = row["address"], row["address"] + row["size"]
            names = [name for name, address in addresses.items() if low <= address < high]
            if names:
                found.append((names, row))
        order = list(addresses)
        for names, row in sorted(found, key=lambda pair: order.index(pair[0][0])):
            traffic = self.arguments.setdefault("+".join(names), ArgumentTraffic())
            for kind in ("read", "written", "atomic"):
                getattr(traffic, kind).add(row[kind])

    @property
    def lds(self) -> list[Access]:
        """The instructions that read or write LDS, copies from memory to LDS included."""
        return [a for a in self.by_pc.values() if a.space == "lds" or a.use == "copy"]

    def __str__(self) -> str:
        lines = [
            f"  {name:<10} {a.read.bytes:>14,} bytes read {a.written.bytes:>14,} written"
            + (f" {a.atomic.bytes:>14,} atomic" if a.atomic.bytes else "")
            for name, a in self.arguments.items()
        ]
        phases = sum(access.phases for access in self.lds)
        if phases:
            lines.append(
                f"  {'LDS':<10} {phases:>14,} cycles, {self.conflicts:,} lost by conflicts"
            )
        return "\n".join(lines)

    @property
    def conflicts(self) -> int:
        """LDS cycles lost by bank conflicts."""
        return sum(access.conflicts for access in self.by_pc.values())
