"""The device's disassembly equals llvm-objdump's: code objects of the tests, random encodings."""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from pathlib import Path

import pytest

import sampling
from isa import machine
from isa.forms import ROOT, TARGETS, forms
from isa.parts import part_of

COMPARE = ROOT / "test" / "unit" / "sim" / "decode" / "compare.py"
PRINTER = ROOT / "build" / "bin" / "sim-print-words"
LLVM = "/usr/lib/llvm-22/bin"
WORDS, WORDS_FULL, SEED = 5_000, 1_000_000, 2


def compare(mode: str, target: str, what: str, folder: Path) -> None:
    command = [sys.executable, str(COMPARE), mode, str(PRINTER), LLVM, target, what]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-2000:]


@pytest.mark.parametrize("target", TARGETS)
def test_random_encodings(target: str, tmp_path: Path) -> None:
    """A million words a target in a full run, fields drawn round every opcode."""
    compare("words", target, f"{WORDS_FULL if sampling.full else WORDS}:{SEED}", tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_every_instruction_of_the_list(target: str, tmp_path: Path) -> None:
    """Each of the 1,243 mnemonics in each of its encodings has been seen to print as LLVM's."""
    with open(COMPARE.parent.parent / "isa-coverage.csv", encoding="utf-8") as file:
        archs = {row["mnemonic"]: row["archs"].split() for row in csv.DictReader(file)}
    assert len(archs) == 1243
    assert sum(target in a for a in archs.values()) == {"gfx942": 1145, "gfx950": 1241}[target]
    compare("every", target, f"400:{SEED}", tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_instructions_of_these_tests(target: str, tmp_path: Path) -> None:
    """Every form that has an oracle, as LLVM's assembler encodes it."""
    kernels = []
    for form in forms(target):
        part = part_of(form)
        if part is not None:
            rng = random.Random(f"print.{form.name}.{target}")
            cases = [part.draw(form, rng, index) for index in range(1, 4)]
            kernels.append(machine.Kernel(form.name.replace(".", "_"), cases, 65536, 256))
    texts = [machine.kernel_text(k, machine.Writer(k)) for k in kernels]
    path = tmp_path / "forms.co"
    path.write_bytes(machine.assemble(target, "".join(texts)))
    assert len(kernels) > 1500
    compare("object", target, str(path), tmp_path)
