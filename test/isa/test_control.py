"""The instructions that end a wave, and messages."""

from __future__ import annotations

import numpy as np
import pytest

import tegula
import tegula.sim
from isa import machine, record
from isa.forms import TARGETS, Form, forms
from isa.machine import Case, Kernel, Output

#: What ends a wave, with its operand; and what the report says of those that are errors.
ENDING = {"s_endpgm": "", "s_endpgm_saved": "", "s_endpgm_ordered_ps_done": "", "s_setkill": " 1",
          "s_trap": " 2", "s_sethalt": " 1", "s_sendmsghalt": " 8"}  # fmt: skip
FAILING = {"s_trap": "s_trap 2", "s_sethalt": "halted", "s_sendmsghalt": "halted"}


def ending(target: str) -> list[Form]:
    return [f for f in forms(target) if f.mnemonic in ENDING]


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_runs_behind_the_end(target: str) -> None:
    """Each of 8 lengths of a program: what comes before the end is stored, the rest is not."""
    tested = []
    for form in ending(target):
        text = form.mnemonic + ENDING[form.mnemonic]
        for before in range(8):
            cases = [Case(f"s_mov_b32 s20, {i}", outputs=[Output(("s20",), [i])]) for i in range(9)]
            cases[before + 1 if before < 8 else 8].text = text
            kernel = Kernel("ends", cases)
            writer = machine.Writer(kernel)
            code = machine.assemble(target, machine.kernel_text(kernel, writer))
            handle = tegula.sim.Device(target, threads=1).load(code)["ends"]
            outputs = np.full((writer.rows_out, 64), 0xDEADBEEF, np.uint32)
            inputs = np.zeros((1, 64), np.uint32)
            if form.mnemonic in FAILING:
                with pytest.raises(tegula.LaunchError, match=FAILING[form.mnemonic]):
                    handle.launch(1, 64, inputs, outputs)
            else:
                handle.launch(1, 64, inputs, outputs)
            stored = [i for i in range(9) if outputs[i, 6] == i]
            assert stored == list(range(before + 1)), (form.mnemonic, before)
            assert (outputs[before + 1 :] == 0xDEADBEEF).all(), (form.mnemonic, before)
        tested.append((form, 8))
    record.write("ending", target, tested)


NOT_EXECUTED = (
    "s_cbranch_g_fork s[20:21], s[22:23]", "s_cbranch_i_fork s[20:21], 0", "s_cbranch_join s20",
    "s_rfe_b64 s[20:21]", "s_rfe_restore_b64 s[20:21], s22",
    "s_scratch_load_dword s20, s[22:23], 0x0", "s_scratch_load_dwordx2 s[20:21], s[22:23], 0x0",
    "s_scratch_load_dwordx4 s[20:23], s[24:25], 0x0", "s_scratch_store_dword s20, s[22:23], 0x0",
    "s_scratch_store_dwordx2 s[20:21], s[22:23], 0x0",
    "s_scratch_store_dwordx4 s[20:23], s[24:25], 0x0", "v_screen_partition_4se_b32_e32 v8, v9",
    "v_screen_partition_4se_b32_e64 v8, v9",
)  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_not_executed_is_refused_by_name(target: str) -> None:
    kernels = [Kernel(f"refused{i}", [Case(text)]) for i, text in enumerate(NOT_EXECUTED)]
    writers = [machine.Writer(k) for k in kernels]
    code = machine.assemble(target, "".join(map(machine.kernel_text, kernels, writers)))
    module = tegula.sim.Device(target, threads=1).load(code)
    for kernel, writer, text in zip(kernels, writers, NOT_EXECUTED, strict=True):
        name = text.split()[0].removesuffix("_e32").removesuffix("_e64")
        arrays = np.zeros((1, 64), np.uint32), np.zeros((writer.rows_out, 64), np.uint32)
        with pytest.raises(tegula.LaunchError, match=f"{name} is not implemented"):
            module[kernel.name].launch(1, 64, *arrays)


@pytest.mark.parametrize("target", TARGETS)
def test_messages_that_nobody_receives_are_refused_by_name(target: str) -> None:
    for message in (1, 2, 3, 4, 9, 10, 15):
        kernel = Kernel("sends", [Case(f"s_sendmsg {message}")])
        writer = machine.Writer(kernel)
        code = machine.assemble(target, machine.kernel_text(kernel, writer))
        handle = tegula.sim.Device(target, threads=1).load(code)["sends"]
        arrays = np.zeros((1, 64), np.uint32), np.zeros((writer.rows_out, 64), np.uint32)
        with pytest.raises(tegula.LaunchError, match=f"s_sendmsg {message}"):
            handle.launch(1, 64, *arrays)
