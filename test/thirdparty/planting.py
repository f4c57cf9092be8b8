"""Faults planted in other compilers' code objects: one instruction is changed in place.

``Plant`` says what is changed and what must be reported. Where that is, which instruction stands
there and which source line it comes from is asked of llvm-objdump and llvm-symbolizer.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tegula
import tegula.sim

BIN = "/usr/lib/llvm-22/bin"
WAIT_FOR_NOTHING = "s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)"
Change = Callable[[re.Match[str]], tuple[str, ...]]

#: Kinds whose reports name another access: the one that conflicts, or what is not awaited.
PAIRS = frozenset("use-before-wait wait-states lds-race lds-order global-race stale-scalar".split())


def _tool(name: str, *arguments: str, text: str | None = None) -> str:
    command = [f"{BIN}/{name}", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def assembled(target: str, *text: str) -> bytes:
    """The instructions' bytes."""
    shown = _tool(
        "llvm-mc", "-arch=amdgcn", f"-mcpu={target}", "-show-encoding", text="\n".join(text)
    )
    found = re.findall(r"encoding: \[(.*?)\]", shown)
    return bytes(int(b, 16) for line in found for b in line.split(","))


class Listing:
    """A kernel of a code object as llvm-objdump shows it; places are offsets in ``.text``."""

    def __init__(self, code: bytes, kernel: str) -> None:
        self.code = code
        with tempfile.NamedTemporaryFile(suffix=".co") as file:
            file.write(code)
            file.flush()
            dump = _tool("llvm-objdump", "-d", "-h", file.name)
        section = re.search(r"\.text\s+[0-9a-f]+ ([0-9a-f]+)", dump)
        body = re.search(rf"<{kernel}>:\n(.*?)(?:\n\n|\Z)", dump, re.DOTALL)
        assert section and body, kernel
        self.text = int(section[1], 16)
        rows = re.findall(r"^\s+(\S.*?)\s*// ([0-9A-F]{12}):", body[1], re.MULTILINE)
        self.rows = [(int(address, 16) - self.text, line) for line, address in rows]

    def all(self, pattern: str) -> list[tuple[int, re.Match[str]]]:
        found = ((pc, re.match(pattern, line)) for pc, line in self.rows)
        return [(pc, match) for pc, match in found if match]

    def at(self, pc: int) -> str:
        return next(line for place, line in self.rows if place == pc)

    def after(self, pc: int) -> int:
        return next(place for place, _ in self.rows if place > pc)

    def line(self, pc: int) -> tuple[str, int]:
        """File and line of the source, the innermost of inlined calls."""
        with tempfile.NamedTemporaryFile(suffix=".co") as file:
            file.write(self.code)
            file.flush()
            address = f"{self.text + pc:#x}"
            shown = _tool("llvm-symbolizer", f"--obj={file.name}", "--functions=none", address)
        path, number, _ = shown.splitlines()[0].rsplit(":", 2)
        return path, int(number)

    def offset(self, pc: int) -> int:
        """Where the byte lies in the file: in the segment that is loaded there."""
        return file_offset(self.code, self.text) + pc


def file_offset(code: bytes, address: int) -> int:
    headers, count = int.from_bytes(code[32:40], "little"), int.from_bytes(code[56:58], "little")
    for i in range(count):
        header = code[headers + 56 * i : headers + 56 * (i + 1)]
        kind = int.from_bytes(header[0:4], "little")
        offset, start = (int.from_bytes(header[k : k + 8], "little") for k in (8, 16))
        size = int.from_bytes(header[32:40], "little")
        if kind == 1 and start <= address < start + size:
            return offset + address - start
    raise AssertionError("no segment holds the address")


def apart(value: Any) -> Any:
    """An array with nothing within 64 KiB of it: what a fault hits there is no other argument."""
    if not isinstance(value, np.ndarray):
        return value
    room = 1 << 16
    block = np.zeros(value.nbytes + 2 * room + 256, np.uint8)
    first = room + -(block.ctypes.data + room) % 256
    copy = block[first : first + value.nbytes].view(value.dtype).reshape(value.shape)
    copy[...] = value
    copy.flags.writeable = value.flags.writeable
    return copy


FREED = object()  # an argument: a page of device memory that has been given back


def freed(device: tegula.sim.Device) -> int:
    address = device.malloc(4096)
    device.free(address)
    return address


@dataclass
class Case:
    """What a kernel is launched with. ``ends``: arguments that point behind ``memory``'s arrays."""

    grid: int
    block: int
    args: dict[str, Any]
    memory: dict[str, np.ndarray] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.args = {name: apart(value) for name, value in self.args.items()}
        self.memory = {name: apart(value) for name, value in self.memory.items()}
        for name, array in self.ends.items():
            self.args[name] = self.memory[array].ctypes.data + self.memory[array].nbytes

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        arguments = {n: v for n, v in self.args.items() if isinstance(v, np.ndarray)}
        return arguments | self.memory

    def run(self, device: tegula.sim.Device, code: bytes, kernel: str) -> Any:
        values = (freed(device) if v is FREED else v for v in self.args.values())
        memory = list(self.memory.values())
        return device.load(code)[kernel].launch(self.grid, self.block, *values, memory=memory)


@dataclass(frozen=True)
class Spot:
    """The ``which``-th instruction of the unchanged kernel that matches."""

    pattern: str
    which: int = 0

    def find(self, listing: Listing) -> int:
        return listing.all(self.pattern)[self.which][0]


HERE = Spot("")  # the changed instruction


@dataclass(frozen=True)
class Plant:
    """In ``kernel``, the instruction at ``spot`` becomes ``text`` (of its match).

    The report must be about the instruction ``at``, the other access be ``earlier`` (of kinds that
    have one), and the report hold what ``fields`` says.
    """

    kind: str
    kernel: str
    spot: Spot
    text: Change
    at: Spot = HERE
    earlier: Spot | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.kind}-{self.kernel}-{self.spot.which}-{self.spot.pattern[:16]}"

    def apply(self, target: str, listing: Listing) -> tuple[int, bytes]:
        """(place of the changed instruction, changed code object)."""
        pc, match = listing.all(self.spot.pattern)[self.spot.which]
        end, (last, _) = listing.after(pc), listing.all("s_endpgm")[-1]
        words = [w.replace("END", str((last - pc - 4) // 4)) for w in self.text(match)]
        new = assembled(target, *words)
        new += assembled(target, "s_nop 0") * ((end - pc - len(new)) // 4)
        assert len(new) == end - pc, (match[0], words)
        at = listing.offset(pc)
        return pc, listing.code[:at] + new + listing.code[at + len(new) :]


def appended(text: str) -> Change:
    """With the offset ``text`` instead of the one that it has."""

    def change(m: re.Match[str]) -> tuple[str, ...]:
        words, caches = re.split(r"((?: sc0| sc1| nt)*)$", re.sub(r" offset:\d+", "", m.string))[:2]
        return (f"{words} {text}{caches}",)

    return change


def replaced(*text: str) -> Change:
    return lambda m: text


def dropped(m: re.Match[str]) -> tuple[str, ...]:
    return ("s_nop 0",)


def unawaited(m: re.Match[str]) -> tuple[str, ...]:
    return (WAIT_FOR_NOTHING,)


def findings(run: Callable[[], Any]) -> tuple[tegula.sim.Finding, ...]:
    try:
        done = run()
    except (tegula.SanitizerReport, tegula.LaunchError) as report:
        return tuple(report.findings)
    return tuple(done.findings)


def is_at(place: tuple[str, int], file: str, line: int) -> bool:
    """Whether it is the same line; reports name files as the compiler was given them. Line 0 is
    code that stems from none."""
    return place[0].endswith(file) and bool(file) and line == place[1]


NEAR = re.compile(
    r"(\d+) bytes (past the end of|before the end of|before|inside) [^\[\n]*?"
    r"(?:registered host memory|device allocation|kernarg segment) #\d+ "
    r"\[0x(\w+), 0x(\w+)\) of (\d+) bytes"
)


def near(finding: tegula.sim.Finding) -> tuple[str, int, int, int]:
    """(relation, distance, start, size) of the allocation that a report names first."""
    match = NEAR.search(finding.text)
    assert match, finding.text
    distance, relation = int(match[1]), match[2]
    low, high, size = int(match[3], 16), int(match[4], 16), int(match[5])
    place = {
        "past the end of": high + distance,
        "before the end of": high - distance,
        "before": low - distance,
        "inside": low + distance,
    }[relation]
    assert finding.address == place and high - low == size, finding.text
    return relation, distance, low, size


def check_fields(one: tegula.sim.Finding, fields: Mapping[str, Any], arrays: Any) -> None:
    """``near``: (relation, distance, array or its bytes); ``text``: a pattern; others by name."""
    for name, wanted in fields.items():
        if name == "near":
            relation, distance, start, size = near(one)
            assert (relation, distance) == wanted[:2], one.text
            array = arrays.get(wanted[2])
            assert array is None or start == array.ctypes.data, one.text
            assert size == (wanted[2] if array is None else array.nbytes), one.text
        elif name == "text":
            assert re.search(wanted, one.text), f"{wanted} is not in\n{one.text}"
        else:
            value = getattr(one, name, one.details.get(name))
            value = tuple(value) if isinstance(value, list) else value
            assert value == wanted, f"{name} is {value}, not {wanted}:\n{one.text}"


def check(
    plant: Plant, kernel: str, pc: int, before: Listing, code: bytes, found: Any, arrays: Any
) -> None:
    """One of the findings is the planted one, and says all that there is to say."""
    mine = [f for f in found if f.kind == plant.kind]
    assert mine, f"not found: {[f.text for f in found]}"
    after = Listing(code, kernel)
    at = pc if plant.at == HERE else plant.at.find(before)
    earlier = None
    if plant.earlier is not None:
        earlier = pc if plant.earlier == HERE else plant.earlier.find(before)
    here = [f for f in mine if f.pc == at and earlier in (None, f.details.get("earlier_pc"))]
    shown = "\n".join(f.text for f in mine)
    assert here, f"not at {at:#x} with an earlier access at {earlier and hex(earlier)}:\n{shown}"
    one = here[0]
    assert one.kernel == kernel and one.instruction == after.at(at), one.text
    assert is_at(after.line(at), one.file, one.line), one.text
    assert (earlier is not None) == (plant.kind in PAIRS), "what is the other access?"
    if earlier is not None:
        assert one.details["earlier_instruction"] == after.at(earlier), one.text
        place = one.details["earlier_file"], one.details["earlier_line"]
        assert is_at(after.line(earlier), *place), one.text
    check_fields(one, plant.fields, arrays)
