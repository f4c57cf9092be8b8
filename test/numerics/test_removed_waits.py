"""Each wait and barrier of the GEMM is needed: without it the simulated device finds the race.

The proof in the compiler refuses such kernels (test/unit/compiler/WaitMutationTest.cpp), so they
are made from the lowered text, behind the verifier.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tegula
from tegula import runtime
from tegula.kernels import gemm

LLVM = Path("/usr/lib/llvm-22/bin")
SYNC = re.compile(r"^\s*rocdl\.s\.(?:waitcnt|barrier)\b.*\n", re.MULTILINE)

# Positions of waits whose removal changes nothing: LLVM waits for the fragments of the last
# iteration by itself, because the masked rest loads into their registers.
HARMLESS = {"gfx950": set[int](), "gfx942": {6}}


def without_one(text: str) -> Iterator[str]:
    for match in SYNC.finditer(text):
        yield text[: match.start()] + text[match.end() :]


def assemble(text: str, target: str) -> bytes:
    """The llvm dialect to a code object, as the compiler does it."""
    machine = ("-mtriple=amdgcn-amd-amdhsa", f"-mcpu={target}")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "k.mlir").write_text(text)
        for command in (
            ("mlir-translate", "--mlir-to-llvmir", "k.mlir", "-o", "k.ll"),
            ("opt", *machine, "-passes=amdgpu-attributor", "k.ll", "-o", "k.bc"),
            ("llc", *machine, "-O3", "-filetype=obj", "k.bc", "-o", "k.o"),
            ("ld.lld", "-shared", "-z", "defs", "k.o", "-o", "k.hsaco"),
        ):
            subprocess.run([LLVM / command[0], *command[1:]], cwd=folder, check=True)
        return (Path(folder) / "k.hsaco").read_bytes()


@pytest.mark.parametrize("target", ["gfx950", "gfx942"])
def test_every_removed_wait_and_barrier_is_found(target: str) -> None:
    m, n, k = 256, 256, 344  # several tiles of K, and a masked rest
    rng = np.random.default_rng(3)
    kind = ml_dtypes.bfloat16
    a = rng.integers(-2, 3, (m, k)).astype(kind)
    b = rng.integers(-2, 3, (n, k)).astype(kind).T
    c = np.full((m, n), np.nan, kind)
    exact = (a.astype(np.float32) @ b.astype(np.float32)).astype(kind)
    compiled = gemm.compile(a, b, c, target=target)
    text = gemm.ir("rocdl", a, b, c, target=target)

    with tegula.device(f"sim:{target}"):

        def run(code: bytes) -> None:
            mutant = dataclasses.replace(compiled, code_object=code)
            runtime.launch(mutant, {"a": a, "b": b, "c": c})

        run(assemble(text, target))
        assert np.array_equal(c, exact)
        mutants = list(without_one(text))
        assert len(mutants) >= 8
        for position, mutant in enumerate(mutants):
            if position in HARMLESS[target]:
                run(assemble(mutant, target))
                assert np.array_equal(c, exact)
                continue
            with pytest.raises(tegula.SanitizerReport):
                run(assemble(mutant, target))
