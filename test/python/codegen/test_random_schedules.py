"""Random legal schedules of gemm: right, proved, clean, without bank conflicts, and obeyed.

300 a target in full runs. Inputs are small integers, so that every order of accumulation gives the
same bits as the interpreter.
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

import numpy as np
import pytest
from drawing import REFUSED, Draw, instructions, legal_draw, static_gemm

import tegula
from loops import disassemble
from sampling import sample
from stages import passes
from tegula import runtime, targets
from tegula.layouts import Layout

TARGETS = ("gfx942", "gfx950")
CASES = [(target, index) for target in TARGETS for index in range(300)]


def launch(draw: Draw, compiled: Any) -> tuple[np.ndarray, list[Any]]:
    """The result and the accesses to LDS of a launch that no sanitizer had a word about."""
    arguments = {**draw.arguments, "c": draw.result()}
    with tegula.device(f"sim:{draw.target}", count_accesses=True) as device:
        device.reset_counters()
        runtime.launch(compiled, arguments)
        assert device.handle.findings()[0] == 0
        [use] = device.usage()
    return arguments["c"], use.accesses.lds


def wave_grid(cdna: str) -> tuple[int, ...]:
    """(wm, wn) of the accumulator's layout in the first product of the final cdna text."""
    layouts = dict(re.findall(r"^(#layout\d*) = #cdna\.layout<(.*)>$", cdna, re.MULTILINE))
    name = re.findall(r"cdna\.mfma .*, tensor<\d+x\d+x(?:f32|f64|i32), (#layout\d*)>", cdna)[0]
    layout = Layout.parse(layouts[name])
    repeats = {dim: count for dim, count in layout.wave_repeat}
    return tuple(repeats.get(d, 1) << sum(vector[d] != 0 for vector in layout.wave) for d in (0, 1))


def assert_obeyed(draw: Draw, compiled: Any) -> None:
    """Every field of the schedule is found again in the final IR or the code."""
    wanted, cdna = draw.schedule, draw.ir("cdna")
    code = [text for _, text in disassemble(compiled.code_object)]
    rows, columns = wanted["waves"]
    assert compiled.manifest["block"] == [64 * rows * columns, 1, 1]
    assert wave_grid(cdna) == (rows, columns)

    # Operands are exchanged where lanes then own neighbours of what is stored.
    exchanged = {
        inst.mnemonic
        for inst in instructions(draw.target)
        if (inst.shape, inst.a, inst.b) == (draw.inst.shape, draw.inst.b, draw.inst.a)
    }
    [product] = {text.split()[0] for text in code if text.startswith("v_mfma")}
    assert product in {draw.inst.mnemonic} | exchanged

    copies = [text for text in code if text.startswith("buffer_load") and text.endswith("lds")]
    reads = [text for text in code if text.startswith("ds_read")]
    writes = [text for text in code if text.startswith("ds_write")]
    staged = wanted["lds"] != "none"
    assert bool(copies) == (wanted["lds"] == "direct")
    if wanted["split_k"] == 1:  # else several waves hand a ticket round through LDS
        assert bool(reads) == staged and (writes or not staged or copies)
    rings = re.findall(r"cdna\.lds_alloc .*stages = (\d)", cdna)
    if wanted["stages"] > 1:
        assert rings == [str(wanted["stages"])] * 2
    else:
        assert not rings

    tile = draw.ir("tile")
    group, xcd = wanted["raster"]["group"], str(wanted["raster"]["xcd"]).lower()
    assert f"raster = {{group = {group}, xcd = {xcd}}}" in tile
    assert ("tile.resident" in tile) == wanted["persistent"]
    assert ("tile.arrive" in tile) == (wanted["split_k"] > 1)
    assert ("cdna.stagger" in cdna) == wanted["pingpong"]
    assert any(text.startswith("s_setprio") for text in code) == wanted["pingpong"]
    assert_occupied(draw, compiled)


def assert_occupied(draw: Draw, compiled: Any) -> None:
    """As many workgroups as wished fit a compute unit, by registers and LDS of the object."""
    resources, facts = compiled.manifest["resources"], targets.facts(draw.target)
    occupancy, waves = draw.schedule["occupancy"], math.prod(draw.schedule["waves"])
    assert compiled.manifest["workgroups_per_cu"] >= occupancy
    assert resources["lds_bytes"] * occupancy <= facts["lds_bytes"]
    assert resources["vgprs"] * -(-waves * occupancy // 4) <= facts["vgprs"]


def other_schedules(draw: Draw) -> list[Draw]:
    """The draw with one field changed, a field at a time."""
    wanted = draw.schedule
    rows, columns = wanted["waves"]
    group, xcd = wanted["raster"]["group"], wanted["raster"]["xcd"]
    others = [
        inst
        for inst in instructions(draw.target)
        if (inst.a, inst.b) == (draw.inst.a, draw.inst.b) and inst != draw.inst
    ]
    changes: list[dict[str, Any]] = [
        {"waves": (columns, rows) if rows != columns else (rows, 2 * columns)},
        *({"mma": inst.shape} for inst in others[:1]),
        {"stages": wanted["stages"] % 5 + 1},
        {"lds": "register" if wanted["lds"] != "register" else "none", "stages": 1},
        {"raster": dict(group=group + 1, xcd=xcd)},
        {"raster": dict(group=group, xcd=not xcd)},
        {"persistent": not wanted["persistent"]},
        {"split_k": wanted["split_k"] % 3 + 1},
        {"pingpong": not wanted["pingpong"]},
    ]
    return [dataclasses.replace(draw, schedule={**wanted, **change}) for change in changes]


@pytest.mark.parametrize("target, index", sample(CASES, 14))
def test_schedule(target: str, index: int) -> None:
    draw, compiled = legal_draw(target, index)
    print(draw)
    proof = passes(draw.ir("cdna"), "cdna.kernel(cdna-prove-waits)")
    assert proof.returncode == 0, proof.stderr.decode()
    assert_obeyed(draw, compiled)

    result, accesses = launch(draw, compiled)
    assert np.array_equal(result, draw.interpreted())
    assert np.array_equal(result, launch(draw, compiled)[0])

    # By their kernel: LLVM gives an access that it moves the line of a neighbour.
    remarks = "\n".join(remark["message"] for remark in compiled.remarks)
    conflicting = [f"{a.instruction}: {a.conflicts}" for a in accesses if a.conflicts]
    assert not conflicting or "to bank conflicts" in remarks, conflicting
    handed = draw.schedule["split_k"] > 1  # a ticket of 4 bytes
    narrow = [a.instruction for a in accesses if a.width < 8 and a.use != "copy" and not handed]
    assert not narrow or "stored to LDS by 4 bytes" in remarks, narrow


@pytest.mark.parametrize("target, index", sample(CASES, 3, seed=4))
def test_other_schedules_give_other_code(target: str, index: int) -> None:
    draw, compiled = legal_draw(target, index)
    compared = 0
    for other in other_schedules(draw):
        try:
            assert other.compile().code_object != compiled.code_object, other.schedule
        except REFUSED:
            continue
        compared += 1
    assert compared >= 3


@pytest.mark.parametrize("target, index", sample(CASES, 4, seed=5))
def test_code_does_not_grow_with_k(target: str, index: int) -> None:
    draw, _ = legal_draw(target, index)
    options = {**draw.tiles, "target": target}
    codes = {
        draw.kernel.compile(*draw.empty(k), **draw.constants, target=target).code_object
        for k in (512, 65536)
    }
    assert len(codes) == 1
    # Where the compiler knows the extent, it could write the loop out. One tile has no loop.
    shallow, deep = 2 * max(512, draw.tile[2]), 65536
    if shallow // draw.tile[2] % 2 == deep // draw.tile[2] % 2:
        kernel = static_gemm.with_schedule(**{target: dict(draw.schedule)})
        few, many = (
            sum(
                # Both are LLVM's, whose scheduler sees other constants.
                not text.startswith(("s_nop", "s_waitcnt"))
                for _, text in disassemble(kernel.compile(*draw.empty(k), **options).code_object)
            )
            for k in (shallow, deep)
        )
        assert abs(few - many) <= 4  # constants that fit an instruction or don't
