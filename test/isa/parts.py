"""Which cases prove which forms: every form that the device executes belongs to one part.

``test_forms.py`` runs the parts and fails when a form belongs to none.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from . import (
    buffer,
    control,
    conversions,
    flat,
    lanes,
    lds,
    matrix,
    packed,
    scalar,
    scalar_memory,
    sparse,
    typed,
    valu,
)
from .forms import Form, forms
from .machine import Case
from .memory import LDS_BYTES
from .ops_scalar import NOTHING, SCALAR
from .oracles import OPS

Draw = Callable[[Form, random.Random, int], Case]


@dataclass(frozen=True)
class Part:
    """``times`` multiplies the number of cases, where a case is not 64 of them."""

    name: str
    holds: Callable[[Form], bool]
    draw: Draw
    times: int = 1
    resources: dict[str, int] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.name

    def forms(self, target: str) -> list[Form]:
        return [f for f in forms(target) if part_of(f) is self]


def of_encoding(encoding: str) -> Part:
    def holds(f: Form) -> bool:
        return f.encoding == encoding and f.mnemonic in OPS

    return Part(f"vector-{encoding}", holds, valu.draw_case)


def of_segment(encoding: str) -> Part:
    """FLAT, GLOBAL or SCRATCH."""
    resources = {"lds": LDS_BYTES}
    if encoding == "SCRATCH":
        resources["scratch"] = flat.SCRATCH_BYTES
    return Part(
        encoding,
        lambda f: f.encoding == encoding and flat.has_oracle(f),
        flat.draw_case,
        resources=resources,
    )


_LDS = {"lds": LDS_BYTES}
#: The first one that holds a form has it.
PARTS = (
    Part("lds", lds.has_oracle, lds.draw_case, resources=_LDS),
    *map(of_segment, ("FLAT", "GLOBAL", "SCRATCH")),
    Part("buffer", buffer.has_oracle, buffer.draw_case, resources=_LDS),
    Part("typed", typed.has_oracle, typed.draw_case, resources=_LDS),
    Part("scalar-memory", scalar_memory.has_oracle, scalar_memory.draw_case, times=3),
    Part("conversions", conversions.has_oracle, conversions.draw_case),
    Part("packed", packed.has_oracle, packed.draw_case),
    Part("matrix", matrix.has_oracle, matrix.draw_case),
    Part("sparse", sparse.has_oracle, sparse.draw_case),
    Part("lanes", lambda f: f.mnemonic in lanes.DRAWS, lanes.draw_case),
    Part("control", lambda f: f.mnemonic in control.PROGRAMS, control.draw_case, times=2),
    Part(
        "scalar",
        lambda f: f.mnemonic in SCALAR or f.mnemonic in NOTHING,
        scalar.draw_case,
        times=3,
    ),
    *map(
        of_encoding,
        ("VOP1", "VOP1_SDWA", "VOP1_DPP", "VOP2", "VOP2_SDWA", "VOP2_DPP", "VOPC", "VOPC_SDWA",
         "VOP3"),
    ),
)  # fmt: skip


def part_of(form: Form) -> Part | None:
    return next((p for p in PARTS if p.holds(form)), None)
