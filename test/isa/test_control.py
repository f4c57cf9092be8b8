"""Branches, calls, MODE, indexing, and the instructions that end a wave."""

from __future__ import annotations

import numpy as np
import pytest

import tegula
import tegula.sim
from isa import checking, control, machine, record
from isa.forms import TARGETS, Form, forms
from isa.machine import Case, Kernel, Output

ENDING = ("s_endpgm", "s_endpgm_saved", "s_trap")


@pytest.mark.parametrize("target", TARGETS)
def test_control_instructions(target: str) -> None:
    found = [f for f in forms(target) if f.mnemonic in control.PROGRAMS]
    checking.check("control", target, found, control.draw_case, times=2)


def ending(target: str) -> list[Form]:
    return [f for f in forms(target) if f.mnemonic in ENDING]


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_runs_behind_the_end(target: str) -> None:
    """Each of 8 lengths of a program: what comes before the end is stored, the rest is not."""
    tested = []
    for form in ending(target):
        text = form.mnemonic + (" 2" if form.mnemonic == "s_trap" else "")
        for before in range(8):
            cases = [Case(f"s_mov_b32 s20, {i}", outputs=[Output(("s20",), [i])]) for i in range(9)]
            cases[before + 1 if before < 8 else 8].text = text
            kernel = Kernel("ends", cases)
            writer = machine.Writer(kernel)
            code = machine.assemble(target, machine.kernel_text(kernel, writer))
            handle = tegula.sim.Device(target, threads=1).load(code)["ends"]
            outputs = np.full((writer.rows_out, 64), 0xDEADBEEF, np.uint32)
            inputs = np.zeros((1, 64), np.uint32)
            if form.mnemonic == "s_trap":
                with pytest.raises(tegula.LaunchError, match="s_trap"):
                    handle.launch(1, 64, inputs, outputs)
            else:
                handle.launch(1, 64, inputs, outputs)
            stored = [i for i in range(9) if outputs[i, 6] == i]
            assert stored == list(range(before + 1)), (form.mnemonic, before)
            assert (outputs[before + 1 :] == 0xDEADBEEF).all(), (form.mnemonic, before)
        tested.append((form, 8))
    record.write("ending", target, tested)
