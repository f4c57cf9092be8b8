"""What Python knows of targets is what the compiler says, asked once; nothing is written down."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from fake_compiler import GOOD

import tegula as tg
from tegula import targets
from tegula.compiler import program, service
from tegula.frontend import tiles
from tegula.kernels import softmax

PRODUCT = {"M": 4096, "N": 4096, "K": 4096}


def described_as(folder: Path, described: dict[str, object]) -> None:
    """Installs a compiler that describes itself so."""
    script = folder / "native" / "bin" / "tegula-compile"
    script.write_text(f"#!/bin/sh\necho '{json.dumps(described)}'; echo . >> {folder}/asked\n")


def test_names_and_facts_come_from_the_compiler() -> None:
    assert set(targets.names()) == {"gfx942", "gfx950"}
    assert targets.facts("gfx950")["lds_bytes"] == 163840
    assert targets.facts("gfx942")["wave_size"] == 64


def test_a_new_target_needs_no_python(compiler: Callable[[str], Path]) -> None:
    folder = compiler(GOOD)
    row = {"name": "gfx9999", "lds_bytes": 327680}
    described_as(folder, {"compiler": "x", "libraries": [], "targets": [row]})
    assert targets.names() == ("gfx9999",)
    assert tiles.choose(["BK"], PRODUCT, "gfx9999", tiles.Operand(2)) == {"BK": 128}
    x = np.zeros((2, 64), ml_dtypes.bfloat16)
    assert "gfx9999" in softmax.trace(x, x.copy(), target="gfx9999").text
    with pytest.raises(tg.UnsupportedOnTarget, match="gfx950"):
        softmax.trace(x, x.copy(), target="gfx950")
    assert (folder / "asked").read_text() == ".\n"


@pytest.mark.parametrize(
    ("target", "itemsize", "depth"),
    [
        ("gfx950", 2, 64),
        ("gfx942", 2, 32),
        ("gfx950", 4, 32),
        ("gfx942", 4, 16),
        ("gfx950", 1, 128),
    ],
)
def test_the_full_tile_fills_lds(target: str, itemsize: int, depth: int) -> None:
    assert tiles.choose(["BK"], PRODUCT, target, tiles.Operand(itemsize)) == {"BK": depth}
    assert 2 * (256 + 256) * depth * itemsize <= targets.facts(target)["lds_bytes"]


def test_another_build_of_the_compiler_or_of_llvm_compiles_again(
    compiler: Callable[[str], Path],
) -> None:
    folder = compiler(GOOD)
    x = np.zeros((2, 64), ml_dtypes.bfloat16)
    module = softmax.trace(x, x.copy(), target="gfx950")
    script = folder / "native" / "bin" / "tegula-compile"
    worker, rows = script.read_text(), program.description()["targets"]
    before = service.compiles
    for build, count in (("p llvm-1", 1), ("p llvm-1", 1), ("p llvm-2", 2), ("q llvm-2", 3)):
        text = json.dumps({"compiler": build, "libraries": [], "targets": rows})
        line = next(l for l in worker.splitlines() if l.startswith("    print("))
        script.write_text(worker.replace(line, f"    print({text!r})"))
        service.run(module, "gfx950", "object")
        assert service.compiles - before == count, build


def test_the_build_id_names_the_program_and_llvm() -> None:
    built, llvm = program.build_id().split(" ")
    assert len(built) == 40 and llvm.startswith("llvm-22.")
    assert len(llvm.rpartition("-")[2]) == 16
