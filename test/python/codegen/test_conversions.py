"""Layout conversions, each by the way that it is planned, executed: the tile that is stored in
another layout than it was loaded in is the same tile."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from transposes import numbers, same_bits

import tegula
import tegula as tg
from loops import disassemble
from stages import code_object, passes, with_code
from tegula import runtime


@tg.kernel(grid=lambda x: (1,))
def copy(x: "M N", out: "M N", *, M: tg.const, N: tg.const):
    tg.store(out, (0, 0), tg.load(x, (0, 0), (M, N)))


LANES = "[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]"
SOURCE = f"#cdna.layout<reg = [[0, 1], [0, 2]], lane = [{LANES}], wave = []>"


def layout(reg: str, lane: str) -> str:
    return f"#cdna.layout<reg = [{reg}], lane = [{lane}], wave = []>"


#: (name, layout to store in, path, instruction that shows it, targets, types)
BOTH, NEW = ("gfx942", "gfx950"), ("gfx950",)
CASES: list[tuple[str, str, str, str, tuple[str, ...], tuple[Any, ...]]] = [
    ("quad", layout("[0, 1], [0, 2]", "[0, 8], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]"),
     "each register between lanes", r"_dpp .*quad_perm", BOTH, (np.int32, np.int16, np.int8)),
    ("bit 0", layout("[0, 1], [0, 4]", "[0, 2], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]"),
     "exchanged", r"_dpp .*quad_perm", BOTH, (np.int32, np.int64)),
    ("bit 1", layout("[0, 1], [0, 8]", "[0, 4], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]"),
     "exchanged", r"_dpp .*quad_perm", BOTH, (np.int32,)),
    ("bit 2", layout("[0, 1], [1, 0]", "[0, 4], [0, 8], [0, 2], [2, 0], [4, 0], [8, 0]"),
     "exchanged", r"_dpp .*row_sh[lr]:4", BOTH, (np.int32, np.int64)),
    ("bit 3", layout("[0, 1], [2, 0]", "[0, 4], [0, 8], [1, 0], [0, 2], [4, 0], [8, 0]"),
     "exchanged", r"_dpp .*row_ror:8", BOTH, (np.int32, np.int16)),
    ("bit 4", layout("[0, 1], [4, 0]", "[0, 4], [0, 8], [1, 0], [2, 0], [0, 2], [8, 0]"),
     "exchanged", r"v_permlane16_swap", NEW, (np.int32, np.int16)),
    ("bit 5", layout("[0, 1], [8, 0]", "[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [0, 2]"),
     "exchanged", r"v_permlane32_swap", NEW, (np.int32, np.int64)),
    ("two bits", layout("[4, 0], [8, 0]", "[0, 4], [0, 8], [1, 0], [2, 0], [0, 1], [0, 2]"),
     "exchanged", r"v_permlane(16|32)_swap", NEW, (np.int32,)),
    ("far", layout("[4, 0], [8, 0]", "[1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [0, 8]"),
     "through LDS", r"ds_write", BOTH, (np.int32, np.int16, np.int8)),
    ("halves", layout("[0, 2], [0, 1]", LANES),
     "inside the registers", r"v_perm|v_lshl|v_and", BOTH, (np.int16,)),
]  # fmt: skip


def converting(text: str, to: str) -> str:
    """The copy's cdna IR before staging, its tile loaded by SOURCE and stored by ``to``."""
    for form in ("staged", "pipelined", "lds_assigned", "waits_inserted", "scheduled"):
        text = re.sub(rf", cdna\.{form}\b", "", text)
    load = re.search(r"(%\w+) = cdna\.load .*-> tensor<(\S+), #layout\d*>", text)
    assert load is not None
    value, tile = load[1], load[2]
    loaded = re.sub(r"#layout\d*>$", "#src>", load[0])
    moved = f"{loaded}\n%moved = cdna.convert_layout {value} : tensor<{tile}, #src> -> "
    moved += f"tensor<{tile}, #dst>"
    text = text.replace(load[0], moved)
    store = re.search(rf"cdna\.store {value}, .*", text)
    assert store is not None
    changed = store[0].replace(f"store {value},", "store %moved,")
    changed = re.sub(r"tensor<(\S+), #layout\d*>", r"tensor<\1, #dst>", changed)
    return f"#src = {SOURCE}\n#dst = {to}\n" + text.replace(store[0], changed)


STAGES = ("stage-operands", "solve-swizzles", "pipeline-loops", "allocate-lds", "insert-waits")


@pytest.mark.parametrize(
    "target, dtype, to, path, instruction",
    [
        pytest.param(target, dtype, to, path, text, id=f"{name}-{target}-{np.dtype(dtype)}")
        for name, to, path, text, targets, types in CASES
        for target in targets
        for dtype in types
    ],
)
def test_the_tile_is_the_same(
    target: str, dtype: Any, to: str, path: str, instruction: str
) -> None:
    x = numbers((16, 16), dtype)
    out = numbers((16, 16), dtype, seed=8)
    one_wave = copy.with_schedule(**{target: dict(waves=(1, 1))})
    text = converting(one_wave.ir("cdna", x, out, target=target), to)
    staged = passes(text, f"cdna.kernel({','.join('cdna-' + stage for stage in STAGES)})")
    assert staged.returncode == 0, staged.stderr.decode()
    assert path in staged.stderr.decode()
    code = code_object(staged.stdout.decode(), target)
    assert [line for _, line in disassemble(code) if re.search(instruction, line)]
    compiled = with_code(one_wave.compile(x, out, target=target), code)
    with tegula.device(f"sim:{target}"):
        runtime.launch(compiled, {"x": x, "out": out})
    assert same_bits(out, x)
