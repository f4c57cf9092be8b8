"""Writes tile IR as text: SSA names, nested regions, constants at the top, locations.

Text is the format of record (cached, dumped, reported), so it is written directly; nothing of
MLIR is loaded into the user's process.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from tegula.language.dtypes import DType


def literal(value: float, dtype: DType) -> str:
    """A number as an MLIR attribute of the type, rounded to the type first."""
    if dtype.kind == "bool":
        return "true" if value else "false"
    if dtype.is_integer:
        signed = int(value)
        # MLIR reads integers of signless types as signed; the upper half of unsigned ones wraps.
        return str(signed - (1 << dtype.bits) if signed >> (dtype.bits - 1) == 1 else signed)
    rounded = np.array(value, dtype=dtype.numpy)
    as_double = float(rounded.astype(np.float64))
    if not math.isfinite(as_double):
        raw = int.from_bytes(rounded.tobytes(), "little")
        return f"0x{raw:0{dtype.bits // 4}X}"
    return decimal(as_double)


def decimal(value: float) -> str:
    """A finite double in MLIR's float syntax, which wants a point before any exponent."""
    mantissa, e, exponent = repr(value).partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return mantissa + e + exponent


class Builder:
    """One function's body. ``emit`` appends an op to the innermost open region."""

    def __init__(self) -> None:
        self._regions: list[list[str]] = [[]]
        self._count = 0
        #: (text, type) → (SSA name, location of its first use)
        self._constants: dict[tuple[str, str], tuple[str, str]] = {}

    def fresh(self) -> str:
        self._count += 1
        return f"%{self._count - 1}"

    def _append(self, line: str) -> None:
        self._regions[-1].append("  " * len(self._regions) + line)

    def inner(self, line: str) -> str:
        """A line indented for a region that is about to be emitted."""
        return "  " * (len(self._regions) + 1) + line

    def emit(self, text: str, loc: str, results: int = 1) -> list[str]:
        """Append an op with ``results`` results and return their names."""
        if results == 0:
            self._append(f"{text} {loc}")
            return []
        name = self.fresh()
        if results == 1:
            self._append(f"{name} = {text} {loc}")
            return [name]
        self._append(f"{name}:{results} = {text} {loc}")
        return [f"{name}#{i}" for i in range(results)]

    def constant(self, value: str, type_text: str, loc: str) -> str:
        """Name of a constant; each distinct one is written once at the top of the function."""
        key = (value, type_text)
        if key not in self._constants:
            # The point keeps the name apart from parameters, which are called as in Python.
            self._constants[key] = (f"%c.{len(self._constants)}", loc)
        return self._constants[key][0]

    @contextmanager
    def region(self) -> Iterator[list[str]]:
        """Collect the ops emitted inside into a list of lines."""
        lines: list[str] = []
        self._regions.append(lines)
        try:
            yield lines
        finally:
            self._regions.pop()

    def extend(self, lines: Sequence[str]) -> None:
        """Append ops that were collected in a region."""
        self._regions[-1].extend(lines)

    def emit_regions(
        self, head: str, regions: Sequence[tuple[str, list[str]]], loc: str, results: int
    ) -> list[str]:
        """Append an op with regions: ``regions`` are (text that opens it, its lines)."""
        names: list[str] = []
        if results:
            name = self.fresh()
            names = [name] if results == 1 else [f"{name}#{i}" for i in range(results)]
            head = f"{name}{'' if results == 1 else f':{results}'} = {head}"
        opening = f"{head}{regions[0][0]} {{"
        self._append(opening)
        self._regions[-1].extend(regions[0][1])
        for text, lines in regions[1:]:
            self._append(f"}} {text} {{")
            self._regions[-1].extend(lines)
        self._append(f"}} {loc}")
        return names

    def lines(self) -> list[str]:
        """The finished body: constants, then ops."""
        constants = [
            f"  {name} = arith.constant {_constant_text(value, type_text)} {loc}"
            for (value, type_text), (name, loc) in self._constants.items()
        ]
        return constants + self._regions[0]


def _constant_text(value: str, type_text: str) -> str:
    if type_text == "i1":
        return value
    if type_text.startswith("tensor"):
        return f"dense<{value}> : {type_text}"
    return f"{value} : {type_text}"
