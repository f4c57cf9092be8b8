"""Instructions that touch memory: LDS, FLAT, GLOBAL, SCRATCH, MUBUF, SMEM."""

from __future__ import annotations

import pytest

from isa import buffer, checking, flat, lds, scalar_memory
from isa.forms import TARGETS, forms
from isa.memory import LDS_BYTES


@pytest.mark.parametrize("target", TARGETS)
def test_lds(target: str) -> None:
    found = [f for f in forms(target) if lds.has_oracle(f)]
    checking.check("lds", target, found, lds.draw_case, lds=LDS_BYTES)


@pytest.mark.parametrize("encoding", ["FLAT", "GLOBAL", "SCRATCH"])
@pytest.mark.parametrize("target", TARGETS)
def test_flat(target: str, encoding: str) -> None:
    found = [f for f in forms(target) if f.encoding == encoding and flat.has_oracle(f)]
    scratch = flat.SCRATCH_BYTES if encoding == "SCRATCH" else 0
    checking.check(encoding, target, found, flat.draw_case, lds=LDS_BYTES, scratch=scratch)


@pytest.mark.parametrize("target", TARGETS)
def test_buffer(target: str) -> None:
    found = [f for f in forms(target) if buffer.has_oracle(f)]
    checking.check("buffer", target, found, buffer.draw_case, lds=LDS_BYTES)


@pytest.mark.parametrize("target", TARGETS)
def test_scalar_memory(target: str) -> None:
    found = [f for f in forms(target) if scalar_memory.has_oracle(f)]
    checking.check("scalar-memory", target, found, scalar_memory.draw_case, times=3)
