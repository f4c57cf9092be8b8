"""Each wait and barrier of the GEMM is needed, and two judges that share no code agree on it.

A mutant lacks a wait or barrier, or waits for less (pass ``cdna-test-mutate-waits``). The proof in
the compiler must refuse it. Compiled behind the verifier's back and run, it must be found by the
simulated device. It may go unfound for one reason only: LLVM, which waits for registers, happens to
wait early enough too. That is decided on the mutant's own machine code.
"""

from __future__ import annotations

import functools
import re
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
from stages import code_object, passes, with_code
from tegula import runtime
from tegula.kernels import gemm

OBJDUMP = "/usr/lib/llvm-22/bin/llvm-objdump"
# Schedules and loops of the golden kernels; K has several whole tiles and a masked rest.
TILES = {"gfx950": {"BM": 256, "BN": 256, "BK": 64}, "gfx942": {"BM": 256, "BN": 256, "BK": 32}}
M, N, K = 256, 256, 344
MUTANTS = {"gfx950": 14, "gfx942": 15}
INSTRUCTION = re.compile(
    r"^\t(?P<name>\S+)(?P<operands>.*?)\s*// (?P<pc>[0-9A-F]+):[0-9A-F ]+"
    r"(?:<\w+(?:\+0x(?P<target>[0-9a-f]+))?>)?",
    re.MULTILINE,
)


@dataclass
class Golden:
    """The GEMM for one target: its cdna text, and what is needed to run a variant of it."""

    target: str
    cdna: str
    compiled: Any
    arguments: dict[str, np.ndarray]

    def run(self, code: bytes) -> None:
        """Raises SanitizerReport, or the result is right and not even a warning was given."""
        a, b, c = self.arguments.values()
        c[:] = np.nan
        with tegula.device(f"sim:{self.target}") as device:
            variant = with_code(self.compiled, code)
            runtime.launch(variant, self.arguments)
            assert device.handle.findings()[0] == 0
        exact = a.astype(np.float32) @ b.astype(np.float32)
        assert np.array_equal(c, exact.astype(c.dtype))


@functools.cache
def golden(target: str) -> Golden:
    rng = np.random.default_rng(3)
    kind = ml_dtypes.bfloat16
    a = rng.integers(-2, 3, (M, K)).astype(kind)
    b = rng.integers(-2, 3, (N, K)).astype(kind).T
    c = np.zeros((M, N), kind)
    tiles = TILES[target]
    compiled = gemm.compile(a, b, c, **tiles, target=target)
    text = gemm.ir("cdna", a, b, c, **tiles, target=target)
    return Golden(target, text, compiled, {"a": a, "b": b, "c": c})


def outstanding_at_barriers(code: bytes) -> list[tuple[int, int]]:
    """For each s_barrier the most (LDS, memory) operations that some path leaves outstanding."""
    with tempfile.NamedTemporaryFile(suffix=".hsaco") as file:
        file.write(code)
        file.flush()
        text = subprocess.run([OBJDUMP, "-d", file.name], capture_output=True, check=True).stdout
    rows = list(INSTRUCTION.finditer(text.decode()))
    start = int(rows[0]["pc"], 16)
    index = {int(row["pc"], 16) - start: i for i, row in enumerate(rows)}
    most = [(-1, -1)] * len(rows)
    work = [(0, (0, 0))]
    while work:
        i, arriving = work.pop()
        lgkm, vm = (max(pair) for pair in zip(most[i], arriving, strict=True))
        if (lgkm, vm) == most[i]:
            continue
        most[i] = (lgkm, vm)
        name, operands = rows[i]["name"], rows[i]["operands"]
        if name.startswith("ds_"):
            lgkm = min(lgkm + 1, 15)
        elif name.startswith(("buffer_", "global_")):
            vm = min(vm + 1, 63)
        elif name == "s_waitcnt":
            waits = dict(re.findall(r"(\w+)\((\d+)\)", operands))
            lgkm = min(lgkm, int(waits.get("lgkmcnt", lgkm)))
            vm = min(vm, int(waits.get("vmcnt", vm)))
        if name.startswith(("s_branch", "s_cbranch")):
            work.append((index[int(rows[i]["target"] or "0", 16)], (lgkm, vm)))
        if name not in ("s_branch", "s_endpgm"):
            work.append((i + 1, (lgkm, vm)))
    return [at for at, row in zip(most, rows, strict=True) if row["name"] == "s_barrier"]


def mutation(index: int, keep_form: bool = False) -> str:
    options = f"index={index} keep-form={str(keep_form).lower()}"
    return f"cdna.kernel(cdna-test-mutate-waits{{{options}}})"


@pytest.mark.parametrize("target", TILES)
def test_the_mutants_are_all_there_are(target: str) -> None:
    beyond = passes(golden(target).cdna, mutation(MUTANTS[target]))
    assert f"kernel has {MUTANTS[target]} mutations".encode() in beyond.stderr


@pytest.mark.parametrize("target", TILES)
def test_the_proof_refuses_every_mutant(target: str) -> None:
    text = golden(target).cdna
    prove = "cdna.kernel(cdna-prove-waits)"
    assert passes(text, prove).returncode == 0
    for index in range(MUTANTS[target]):
        refused = passes(text, mutation(index), prove)
        assert refused.returncode != 0, f"mutant {index} was accepted"
        assert re.search(rb"error: .*\[cdna\.proof\.c\d\]", refused.stderr), refused.stderr


@pytest.mark.parametrize("target", TILES)
def test_the_device_finds_every_mutant(target: str) -> None:
    kernel = golden(target)
    whole = code_object(kernel.cdna, target)
    kernel.run(whole)
    complete = outstanding_at_barriers(whole)
    assert all(lgkm == 0 for lgkm, _ in complete)
    found, differing = 0, 0
    for index in range(MUTANTS[target]):
        code = code_object(kernel.cdna, target, mutation(index, keep_form=True))
        same_waits = outstanding_at_barriers(code) == complete
        differing += not same_waits
        try:
            kernel.run(code)
        except tegula.SanitizerReport:
            found += 1
        else:
            # In the last iteration the fragments for a tile that does not exist are outstanding;
            # the masked loads of the rest use their registers, so LLVM waits before the barrier.
            assert same_waits, f"mutant {index} was not found"
    assert found >= 13
    assert differing >= 4  # the comparison can tell
