"""A launch that stops: breakpoints, watchpoints, single steps, registers, traces, heat maps.

    with kernel.debug(2, 64, out, np.int32(7)) as debugger:
        debugger.break_at(line=23)
        event = debugger.run()
        print(event.instruction, debugger.register("v0"))

The launch runs in the order that it has without a debugger. A device has one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..errors import ArgumentError
from .arguments import described

if TYPE_CHECKING:
    from .device import Kernel, Run

T = TypeVar("T")
REASONS = ("started", "breakpoint", "watchpoint", "step", "finding", "wave ended", "ended")
_PC, _LINE, _MEMORY, _LDS = range(4)
_ANY = 2**64 - 1
_ANY_WAVE = 2**32 - 1
_ACCESS = {"r": 1, "w": 2, "rw": 3}


@dataclass(frozen=True)
class Event:
    """Why the launch stopped, and the next instruction of the wave that did.

    ``reason`` is one of "started", "breakpoint", "watchpoint" (after the access, whose first byte
    and lane are ``address`` and ``lane``), "step", "finding" (after the instruction; ``finding`` is
    the report), "wave ended" (the one that was stepped) and "ended" (the launch).
    """

    reason: str
    breakpoint: int
    workgroup: int
    wave: int
    pc: int
    instruction: str
    file: str
    line: int
    address: int
    lane: int
    finding: str


@dataclass(frozen=True)
class WaveState:
    """A resident wave: its next instruction and whether it "runs", "sleeps", …"""

    workgroup: int
    wave: int
    pc: int
    state: str
    instruction: str
    file: str
    line: int
    selected: bool


@dataclass(frozen=True)
class Heat:
    """Lane accesses that began in a bucket of memory or of LDS (base 0); atomics are both."""

    lds: bool
    base: int
    offset: int
    reads: int
    writes: int


class Debugger:
    """Made by ``Kernel.debug``; a context manager that abandons a launch that hasn't ended.

    Methods raise ``LaunchError`` where there is no such place, wave or register.
    """

    def __init__(self, kernel: Kernel, handle: Any, keep: Any) -> None:
        self.kernel = kernel
        self._handle = handle
        self._keep = keep  # arrays that the launch uses
        self.event = self._event()

    # --- Where it stops ---------------------------------------------------------------------------

    def break_at(
        self,
        *,
        pc: int | None = None,
        line: int | None = None,
        file: str = "",
        workgroup: int | None = None,
        wave: int | None = None,
        once: bool = False,
    ) -> int:
        """Stop before an instruction, by its offset in .text or by line and end of the file name.

        ``workgroup`` (its linear number) and ``wave`` narrow it. Returns the breakpoint's number.
        """
        if (pc is None) == (line is None):
            raise ArgumentError("pc", (pc, line), "either pc or line")
        kind = _PC if line is None else _LINE
        return self._break(kind, pc or 0, file, line or 0, 0, 0, 0, workgroup, wave, once)

    def watch(
        self,
        what: Any,
        nbytes: int | None = None,
        *,
        access: str = "w",
        workgroup: int | None = None,
        wave: int | None = None,
    ) -> int:
        """Stop after an access ("r", "w" or "rw") to an array, or to bytes at an address."""
        if hasattr(what, "__index__") and not hasattr(what, "shape"):
            address, size = int(what), 4 if nbytes is None else nbytes
        else:
            low, high = described(what, "what").byte_range()
            address, size = low, high - low if nbytes is None else nbytes
        return self._watch(_MEMORY, address, size, access, workgroup, wave)

    def watch_lds(
        self,
        offset: int,
        nbytes: int = 4,
        *,
        access: str = "w",
        workgroup: int | None = None,
        wave: int | None = None,
    ) -> int:
        """Stop after an access to bytes of a workgroup's LDS."""
        return self._watch(_LDS, offset, nbytes, access, workgroup, wave)

    def delete(self, number: int) -> None:
        """Remove a breakpoint or watchpoint."""
        self._call(self._handle.delete, number)

    def stop_at_findings(self, on: bool = True) -> None:
        """Stop after instructions that are reported for the first time."""
        self._call(self._handle.stop_at_findings, on)

    # --- Going on ---------------------------------------------------------------------------------

    def run(self) -> Event:
        """Run until something stops it."""
        self._call(self._handle.run)
        self.event = self._event()
        return self.event

    def step(self, count: int = 1) -> Event:
        """Run until the selected wave has executed ``count`` more instructions."""
        self._call(self._handle.step, count)
        self.event = self._event()
        return self.event

    def finish(self, check: bool = True) -> Run:
        """Run to the end, whatever would stop it; then what ``Kernel.launch`` returns or raises."""
        return self.kernel._outcome(self._handle.finish, check)

    def close(self) -> None:
        """End the debugger. A launch that hasn't ended is abandoned: what it wrote stays."""
        self._handle.close()

    def __enter__(self) -> Debugger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # --- Looking ----------------------------------------------------------------------------------

    def waves(self) -> list[WaveState]:
        """Resident waves, in order."""
        return [WaveState(*wave) for wave in self._call(self._handle.waves)]

    def select(self, workgroup: int, wave: int) -> None:
        """Look at another wave until the launch stops again."""
        self._call(self._handle.select, workgroup, wave)

    def register(self, name: str) -> Any:
        """A register of the selected wave: v and a as 64 uint32, others ("s4", "exec") an int."""
        values = self._call(self._handle.register, name)
        if len(values) == 64:
            return np.array(values, dtype=np.uint32)
        return sum(value << 32 * i for i, value in enumerate(values))

    def lds(self, offset: int, nbytes: int) -> bytes:
        """Bytes of LDS of the selected wave's workgroup."""
        return bytes(self._call(self._handle.lds, offset, nbytes))

    def scratch(self, lane: int, offset: int, nbytes: int) -> bytes:
        """Bytes of a lane's scratch memory."""
        return bytes(self._call(self._handle.scratch, lane, offset, nbytes))

    def memory(self, address: int, nbytes: int) -> bytes:
        """Bytes of memory that kernels may touch."""
        return bytes(self._call(self._handle.memory, address, nbytes))

    def trace(self, *, workgroup: int | None = None, wave: int | None = None) -> None:
        """From here on, keep a record of every instruction of these waves for ``traced()``."""
        self._call(self._handle.trace, *_waves(workgroup, wave))

    def traced(self) -> list[dict[str, Any]]:
        """Instructions since the last call: their wave, pc, text, exec, writes and memory."""
        return [json.loads(line) for line in self._handle.take_trace().splitlines()]

    def heat(self, bucket: int) -> None:
        """From here on, count accesses by buckets of so many bytes."""
        self._call(self._handle.heat, bucket)

    def heatmap(self) -> list[Heat]:
        """The buckets that were touched, by address; LDS last. Also after ``finish``."""
        return [Heat(*row) for row in self._call(self._handle.heatmap)]

    # --- Inside -----------------------------------------------------------------------------------

    def _event(self) -> Event:
        fields = self._handle.event()
        return Event(**{**fields, "reason": REASONS[fields["reason"]]})

    def _call(self, function: Callable[..., T], *args: Any) -> T:
        with self.kernel.device._translated():
            return function(*args)

    def _watch(
        self, kind: int, address: int, size: int, access: str, group: int | None, wave: int | None
    ) -> int:
        if access not in _ACCESS:
            raise ArgumentError("access", access, " or ".join(_ACCESS))
        return self._break(kind, 0, "", 0, address, size, _ACCESS[access], group, wave, False)

    def _break(self, *values: Any) -> int:
        *place, group, wave, once = values
        return self._call(self._handle.break_at, *place, *_waves(group, wave), once)


def _waves(workgroup: int | None, wave: int | None) -> tuple[int, int]:
    return _ANY if workgroup is None else workgroup, _ANY_WAVE if wave is None else wave
