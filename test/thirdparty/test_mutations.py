"""clang's kernels with one wait or one wait state taken away: the device must say which.

The bytes of one ``s_waitcnt`` become a wait for nothing, or ``s_nop N`` becomes ``s_nop 0``. What
is found must name the instruction that came too early and the one that it should have waited for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula.sim
from planting import Listing

WAIT_FOR_NOTHING = bytes.fromhex("7fcf8cbf")
NOP_0 = bytes.fromhex("000080bf")
RNG = np.random.default_rng(11)
Mutant = tuple[int, bytes]


def mutants(code: bytes, kernel: str, pattern: str, new: bytes) -> Iterator[Mutant]:
    """(offset in .text of the instruction, changed code object) for each match."""
    listing = Listing(code, kernel)
    for pc, _ in listing.all(pattern):
        at = listing.offset(pc)
        yield pc, code[:at] + new + code[at + 4 :]


def found(
    device: tegula.sim.Device, code: bytes, kernel: str, run: Callable[[Any], None]
) -> tegula.sim.Finding | None:
    try:
        run(device.load(code)[kernel])
    except tegula.SanitizerReport as report:
        return report.findings[0]
    return None


def vector_add(kernel: Any) -> None:
    a, b = RNG.standard_normal((2, 1000)).astype(np.float32)
    kernel.launch(4, 256, np.zeros(1000, dtype=np.float32), a, b, np.int32(1000))


def mfma_f16(kernel: Any) -> None:
    a, b = RNG.integers(-3, 4, (2, 16, 64)).astype(np.float16)
    kernel.launch(1, 64, np.zeros((16, 16), dtype=np.float32), a, b, np.int32(64))


def reverse_wave(kernel: Any) -> None:
    x = RNG.integers(-1000, 1000, 256).astype(np.int32)
    kernel.launch(1, 256, np.zeros_like(x), x)


@pytest.mark.parametrize("run", [vector_add, mfma_f16, reverse_wave])
def test_each_wait_is_missed(
    device: tegula.sim.Device, clang_objects: dict[str, bytes], run: Callable[[Any], None]
) -> None:
    code, kernel = clang_objects[device.target], run.__name__
    assert found(device, code, kernel, run) is None
    cases = list(mutants(code, kernel, "s_waitcnt", WAIT_FOR_NOTHING))
    assert len(cases) >= 2
    for pc, mutant in cases:
        finding = found(device, mutant, kernel, run)
        assert finding is not None, f"{kernel}: the wait at {pc:#x} is not missed"
        assert finding.kind == "use-before-wait"
        assert finding.pc > pc and finding.details["earlier_pc"] < pc
        assert re.match("s_|global_|buffer_|ds_", finding.details["earlier_instruction"])
        assert finding.file.endswith("kernels.cl")


def mfma_bf16(kernel: Any) -> None:
    a, b = RNG.integers(-3, 4, (2, 64, 128)).astype(ml_dtypes.bfloat16)
    kernel.launch(1, 256, np.zeros((64, 64), dtype=np.float32), a, b, np.int32(128))


def test_each_wait_state_is_missed(
    device: tegula.sim.Device, clang_objects: dict[str, bytes]
) -> None:
    code = clang_objects[device.target]
    assert found(device, code, "mfma_bf16", mfma_bf16) is None
    cases = list(mutants(code, "mfma_bf16", "s_nop [1-9]", NOP_0))
    assert cases
    for pc, mutant in cases:
        finding = found(device, mutant, "mfma_bf16", mfma_bf16)
        assert finding is not None, f"the states at {pc:#x} are not missed"
        assert finding.kind == "wait-states"
        assert finding.pc > pc and finding.details["earlier_instruction"].startswith("v_mfma")
