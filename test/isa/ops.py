"""The registry of oracles: what an instruction computes in one lane, on bits.

An oracle takes the lane's context and the bits of its sources, modifiers done, and returns bits, an
integer of any size (wrapped or clamped by the caller), ``softfloat.NAN``, or a tuple of those where
descriptions leave the choice; with a second result, a pair. They are written from the descriptions
of the instructions; none looks at the simulator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .machine import Mode
from .softfloat import Env, Format


@dataclass
class Lane:
    """What an oracle may need beyond its sources."""

    target: str
    mode: Mode
    lane: int
    old: int = 0  # the destination before
    carry: int = 0  # this lane's bit of the mask operand or of VCC
    op_sel: int = 0
    immediate: int = 0

    def env(self, f: Format) -> Env:
        return self.mode.env(f)


@dataclass(frozen=True)
class Parts:
    """A result of several values: (first bit, type, bits)."""

    parts: tuple[tuple[int, str, Any], ...]


def two_halves(f: Format, low: Any, high: Any) -> Parts:
    return Parts(((0, f.name, low), (f.width, f.name, high)))


@dataclass(frozen=True)
class Op:
    """``clamp`` is the type to whose range the clamp bit saturates, if not the destination's.

    ``keeps_denormals``: only tried with denormals kept, as nobody says what it does without.
    ``rounds_nearest``: the same of the rounding mode. ``plain``: the same of omod and clamp.
    """

    function: Callable[..., Any]
    clamp: str | None = None
    keeps_denormals: bool = False
    rounds_nearest: bool = False
    plain: bool = False
    overflow_mode: bool = False  # looks at FP16_OVFL


OPS: dict[str, Op] = {}


def op(*names: str, **properties: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register an oracle under the mnemonics that it describes."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            assert name not in OPS, name
            OPS[name] = Op(function, **properties)
        return function

    return register


def signed(x: int, bits: int = 32) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def saturated(x: int, kind: str) -> int:
    """An exact integer within the range of a type such as "i16"."""
    bits = int(kind[1:])
    low, high = (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
    )
    return min(max(x, low), high)
