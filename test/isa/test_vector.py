"""Vector arithmetic: VOP1, VOP2, VOPC with their SDWA and DPP forms, VOP3."""

from __future__ import annotations

import pytest

from isa import checking, conversions, lanes, packed, valu
from isa.forms import TARGETS, Form, forms
from isa.oracles import OPS

ENCODINGS = ["VOP1", "VOP1_SDWA", "VOP1_DPP", "VOP2", "VOP2_SDWA", "VOP2_DPP"]
ENCODINGS += ["VOPC", "VOPC_SDWA", "VOP3"]


def of_encoding(target: str, encoding: str) -> list[Form]:
    return [f for f in forms(target) if f.encoding == encoding and f.mnemonic in OPS]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("target", TARGETS)
def test_vector_instructions(target: str, encoding: str) -> None:
    checking.check(f"vector-{encoding}", target, of_encoding(target, encoding), valu.draw_case)


@pytest.mark.parametrize("target", TARGETS)
def test_lanes(target: str) -> None:
    found = [f for f in forms(target) if f.mnemonic in lanes.DRAWS]
    checking.check("lanes", target, found, lanes.draw_case)


@pytest.mark.parametrize("target", TARGETS)
def test_packed(target: str) -> None:
    found = [f for f in forms(target) if packed.has_oracle(f)]
    checking.check("packed", target, found, packed.draw_case)


@pytest.mark.parametrize("target", TARGETS)
def test_conversions(target: str) -> None:
    found = [f for f in forms(target) if conversions.has_oracle(f)]
    checking.check("conversions", target, found, conversions.draw_case)
