"""Random legal schedules of gemm: right, proved, clean, without bank conflicts, and obeyed.

300 a target in full runs. Inputs are small integers, so that every order of accumulation gives the
same bits as the interpreter.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from drawing import MMA, REFUSED, Draw, legal_draw, static_gemm

import tegula
from loops import disassemble
from sampling import sample
from stages import passes
from tegula import runtime
from tegula.kernels import gemm

TARGETS = ("gfx942", "gfx950")
CASES = [(target, index) for target in TARGETS for index in range(300)]
EXPLAINED = ("to bank conflicts", "by 4 bytes")


def launch(draw: Draw, compiled: Any) -> tuple[np.ndarray, list[Any]]:
    """The result and the accesses to LDS of a launch that no sanitizer had a word about."""
    arguments = {**draw.arguments, "c": np.full_like(draw.arguments["c"], np.nan)}
    with tegula.device(f"sim:{draw.target}", count_accesses=True) as device:
        device.reset_counters()
        runtime.launch(compiled, arguments)
        assert device.handle.findings()[0] == 0
        [use] = device.usage()
    return arguments["c"], use.accesses.lds


def interpreted(draw: Draw) -> np.ndarray:
    c = np.full_like(draw.arguments["c"], np.nan)
    gemm.interpret(draw.arguments["a"], draw.arguments["b"], c, **draw.tiles)
    return c


def wave_grid(cdna: str) -> tuple[int, int]:
    """(wm, wn) of the accumulator's layout in the first product of the final cdna text."""
    layouts = dict(re.findall(r"^(#layout\d*) = #cdna\.layout<(.*)>$", cdna, re.MULTILINE))
    [layout] = re.findall(r"cdna\.mfma .*, tensor<\d+x\d+xf32, (#layout\d*)>", cdna)[:1]
    [waves] = re.findall(r"wave = \[(.*?)\](?:$|, [a-z])", layouts[layout])
    vectors = re.findall(r"\[(\d+), (\d+)\]", waves)
    return 1 << sum(m != "0" for m, _ in vectors), 1 << sum(n != "0" for _, n in vectors)


def assert_obeyed(draw: Draw, compiled: Any) -> None:
    """Every field of the schedule is found again in the final IR or the code."""
    wanted, cdna = draw.schedule, draw.ir("cdna")
    code = [text for _, text in disassemble(compiled.code_object)]
    rows, columns = wanted["waves"]
    assert compiled.manifest["block"] == [64 * rows * columns, 1, 1]
    assert wave_grid(cdna) == (rows, columns)

    products = {text.split()[0] for text in code if text.startswith("v_mfma")}
    assert products == {f"v_mfma_f32_{wanted['mma']}_{draw.kind}"}

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


def other_schedules(draw: Draw) -> list[Draw]:
    """The draw with one field changed, a field at a time."""
    wanted = draw.schedule
    rows, columns = wanted["waves"]
    group, xcd = wanted["raster"]["group"], wanted["raster"]["xcd"]
    changes: list[dict[str, Any]] = [
        {"waves": (columns, rows) if rows != columns else (rows, 2 * columns)},
        {"mma": next(m for m in MMA[draw.target, draw.kind] if m != wanted["mma"])},
        {"stages": wanted["stages"] % 5 + 1},
        {"lds": "register" if wanted["lds"] != "register" else "none", "stages": 1},
        {"raster": dict(group=group + 1, xcd=xcd)},
        {"raster": dict(group=group, xcd=not xcd)},
        {"persistent": not wanted["persistent"]},
        {"split_k": wanted["split_k"] % 3 + 1},
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
    assert np.array_equal(result, interpreted(draw))
    assert np.array_equal(result, launch(draw, compiled)[0])

    remarks = [str(remark) for remark in compiled.remarks]
    explained = [r for r in remarks if any(text in r for text in EXPLAINED)]
    conflicting = [f"{a.instruction}: {a.conflicts}" for a in accesses if a.conflicts]
    assert not conflicting or explained, conflicting
    handed = draw.schedule["split_k"] > 1  # a ticket of 4 bytes
    narrow = [a.instruction for a in accesses if a.width < 8 and a.use != "copy" and not handed]
    assert not narrow or explained, narrow


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
    codes = {draw.kernel.compile(*draw.empty(k), **options).code_object for k in (512, 65536)}
    assert len(codes) == 1
    # Where the compiler knows the extent, it could write the loop out. One tile has no loop.
    shallow, deep = 2 * max(512, draw.tile[2]), 65536
    if shallow // draw.tile[2] % 2 == deep // draw.tile[2] % 2:
        kernel = static_gemm.with_schedule(**{target: dict(draw.schedule)})
        few, many = (
            len(disassemble(kernel.compile(*draw.empty(k), **options).code_object))
            for k in (shallow, deep)
        )
        assert abs(few - many) <= 4  # constants that fit an instruction or don't
