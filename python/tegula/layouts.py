"""Layouts in Python, to look at: ``tegula layout`` draws them.

The compiler prints a layout as ``#cdna.layout<reg = […], lane = […], wave = […]>``
(``kernel.ir("cdna", …)``): each bit of the register, lane or wave number switches the coordinates
of its vector, see ``include/tegula/Layout/LinearLayout.h``. Nothing here decides anything.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tegula.errors import ArgumentError

Vector = tuple[int, ...]
Vectors = tuple[Vector, ...]

#: Bytes of an element by its name in the IR; a bool is a byte in LDS.
ELEMENT_BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}
ELEMENT_BYTES |= {"bf16": 2, "f16": 2, "f32": 4, "f64": 8}


def _field(text: str, name: str) -> str | None:
    """The list behind ``name =``, brackets included."""
    found = re.search(rf"\b{name} = (\[(?:[^\[\]]|\[[^\]]*\])*\])", text)
    return found[1] if found else None


def _numbers(text: str | None) -> Vector:
    return tuple(int(n) for n in re.findall(r"-?\d+", text or ""))


def _vectors(text: str, name: str) -> Vectors:
    listed = _field(text, name)
    if listed is None:
        expected = "#cdna.layout<reg = […], lane = […], wave = […]>"
        raise ArgumentError("layout", f"no '{name} ='", expected)
    return tuple(_numbers(vector) for vector in re.findall(r"\[[-\d, ]*\]", listed[1:-1]))


@dataclass(frozen=True)
class Place:
    """A register of a lane of a wave."""

    register: int
    lane: int
    wave: int


@dataclass(frozen=True)
class Layout:
    """Which register of which lane of which wave holds which element of a tile."""

    reg: Vectors
    lane: Vectors
    wave: Vectors
    repeat: Vector
    wave_repeat: Vectors  # (dimension, count), highest digit of the wave first; -1: copies

    @staticmethod
    def parse(text: str) -> Layout:
        """From the text that the compiler prints."""
        reg, lane, wave = (_vectors(text, name) for name in ("reg", "lane", "wave"))
        vectors = reg + lane + wave
        ranks = {len(vector) for vector in vectors}
        if len(lane) != 6 or len(ranks) != 1 or min(itertools.chain(*vectors), default=0) < 0:
            expected = "six lane vectors, all vectors of one length, of numbers from 0 on"
            raise ArgumentError("layout", text, expected)
        ones = (1,) * ranks.pop()
        repeat = _numbers(_field(text, "repeat")) or ones
        digits = _vectors(text, "wave_repeat") if "wave_repeat" in text else ()
        if len(repeat) != len(ones) or any(
            len(digit) != 2 or digit[0] >= len(ones) for digit in digits
        ):
            expected = f"{len(ones)} repeats, wave repeats [dimension, count]"
            raise ArgumentError("layout", text, expected)
        return Layout(reg, lane, wave, repeat, digits)

    @property
    def rank(self) -> int:
        """Dimensions of the tile."""
        return len(self.repeat)

    @property
    def registers(self) -> int:
        """Elements that a lane holds, phantoms included, before they are packed into dwords."""
        return math.prod(self.repeat) << len(self.reg)

    @property
    def waves(self) -> int:
        """Waves of a workgroup that the layout is made for."""
        return math.prod(count for _, count in self.wave_repeat) << len(self.wave)

    def base(self) -> Vector:
        """Extents of the tile that the vectors reach."""
        switched = [0] * self.rank
        for vector in self.reg + self.lane + self.wave:
            switched = [a | b for a, b in zip(switched, vector, strict=True)]
        return tuple(bits + 1 for bits in switched)

    def element(self, place: Place) -> Vector:
        """The coordinates at a place; beyond the tile they are a phantom's."""
        at = [0] * self.rank
        for vectors, number in (
            (self.reg, place.register),
            (self.lane, place.lane),
            (self.wave, place.wave),
        ):
            for bit, vector in enumerate(vectors):
                if number >> bit & 1:
                    at = [a ^ b for a, b in zip(at, vector, strict=True)]
        copy = _row_major(place.register >> len(self.reg), self.repeat)
        steps = list(copy)
        counts = tuple(count for _, count in self.wave_repeat)
        numbers = _row_major(place.wave >> len(self.wave), counts)
        for (dim, count), number in zip(self.wave_repeat, numbers, strict=True):
            if dim >= 0:
                steps[dim] = steps[dim] * count + number
        return tuple(a + b * s for a, b, s in zip(at, self.base(), steps, strict=True))

    def places(self) -> Iterator[Place]:
        """All places, waves outermost, registers innermost."""
        for wave, lane, register in itertools.product(
            range(self.waves), range(64), range(self.registers)
        ):
            yield Place(register, lane, wave)

    def holders(self, shape: Vector) -> dict[Vector, list[Place]]:
        """Of each element of a tile the places that hold it, in the order of ``places``."""
        found: dict[Vector, list[Place]] = {}
        for place in self.places():
            element = self.element(place)
            if all(c < extent for c, extent in zip(element, shape, strict=True)):
                found.setdefault(element, []).append(place)
        return found

    def run(self, dim: int, most: int) -> int:
        """Elements next to each other along ``dim`` in the lowest registers, ``most`` at most."""
        length = 1
        for vector in self.reg:
            step = tuple(length if d == dim else 0 for d in range(self.rank))
            if vector != step or 2 * length > most:
                break
            length *= 2
        return length


def _row_major(index: int, extents: Vector) -> Vector:
    digits = []
    for extent in reversed(extents):
        digits.append(index % extent)
        index //= extent
    return tuple(reversed(digits))


@dataclass(frozen=True)
class Buffer:
    """A buffer in LDS: rows of ``pitch`` bytes along ``order[0]``, 16-byte chunks XORed by row."""

    shape: Vector
    element: str
    order: Vector
    pitch: int
    xor: Vector

    @staticmethod
    def parse(text: str) -> Buffer:
        """From ``!cdna.lds<64x64xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]>``."""
        found = re.search(r"((?:\d+x)+)([a-z]+\d+)", text)
        order = _numbers(_field(text, "order"))
        if found is None or found[2] not in ELEMENT_BYTES or not order:
            expected = "!cdna.lds<64x64xbf16, order = [1, 0], …>, elements of 8 bits or more"
            raise ArgumentError("lds", text, expected)
        shape = _numbers(found[1])
        if sorted(order) != list(range(len(shape))):
            raise ArgumentError("lds", text, f"an order of {len(shape)} dimensions")
        pitch = re.search(r"pitch = (\d+)", text)
        natural = shape[order[0]] * ELEMENT_BYTES[found[2]]
        row = int(pitch[1]) if pitch else natural
        return Buffer(shape, found[2], order, row, _numbers(_field(text, "xor")))

    @property
    def element_bytes(self) -> int:
        """Bytes of an element in LDS; a bool takes one."""
        return ELEMENT_BYTES[self.element]

    def address(self, element: Vector) -> int:
        """The first byte of an element, swizzle included."""
        row, weight = 0, 1
        for d in self.order[1:]:
            row += element[d] * weight
            weight *= self.shape[d]
        mask = 0
        for bit, value in enumerate(self.xor):
            mask ^= value if row >> bit & 1 else 0
        return (row * self.pitch + element[self.order[0]] * self.element_bytes) ^ mask << 4


@dataclass(frozen=True)
class Phase:
    """Lanes that LDS serves at a time: the dwords that each bank has to move for them."""

    lanes: tuple[int, ...]
    dwords: dict[int, set[int]]  # by bank

    @property
    def clocks(self) -> int:
        """Clocks that the phase takes: dwords of the busiest bank; 1 is free of conflicts."""
        return max(map(len, self.dwords.values()), default=0)


@dataclass(frozen=True)
class Instruction:
    """One access of wave 0: its first register, bytes a lane, and its phases."""

    register: int
    width: int
    phases: list[Phase]


def instructions(
    layout: Layout, buffer: Buffer, phases: dict[str, dict[str, object]], use: str
) -> list[Instruction]:
    """The accesses that write or read a tile of ``layout`` (``use``: ``write``, ``read``).

    ``phases`` is the target's ``lds_phases`` (``tegula.targets.facts``).
    """
    size = buffer.element_bytes
    aligned = buffer.pitch & -buffer.pitch
    run = layout.run(buffer.order[0], min(16, aligned) // size)
    service = phases[f"{use}_{max(4, run * size)}"]
    masks, banks = service["masks"], service["banks"]
    assert isinstance(masks, list) and isinstance(banks, int)
    found = []
    for register in range(0, layout.registers, run):
        lanes: dict[tuple[int, ...], list[int]] = {}
        for lane in range(64):
            parities = tuple((lane & mask).bit_count() & 1 for mask in reversed(masks))
            lanes.setdefault(parities, []).append(lane)
        served = []
        for _, together in sorted(lanes.items()):
            dwords: dict[int, set[int]] = {}
            for lane in together:
                element = layout.element(Place(register, lane, 0))
                if any(c >= extent for c, extent in zip(element, buffer.shape, strict=True)):
                    continue  # a phantom: it stays out
                first = buffer.address(element)
                for dword in range(first // 4, (first + run * size - 1) // 4 + 1):
                    dwords.setdefault(dword % banks, set()).add(dword)
            served.append(Phase(tuple(together), dwords))
        found.append(Instruction(register, run * size, served))
    return found
