"""What code objects contain: loop figures, access widths, spills, the same bytes every time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from loops import disassemble, hottest_loop
from tegula.compiler.service import Compiled
from tegula.kernels import gemm, rms_norm

BF16 = ml_dtypes.bfloat16
LENGTHS = (64, 512, 2000, 2880, 4096, 5120, 7168, 11008, 65536)  # the multiples of 8
GOLDEN = {"gfx950": dict(BM=256, BN=256, BK=64), "gfx942": dict(BM=256, BN=256, BK=32)}


def product(layout: str, target: str, schedule: dict[str, Any] | None = None, **tiles: int) -> Any:
    """gemm compiled for 4096³ bf16 in ``layout``."""
    a, b = (np.zeros((4096, 4096), dtype=BF16) for _ in range(2))
    c = np.zeros((4096, 4096), dtype=BF16)
    left, right = (v.T if t == "T" else v for v, t in zip((a, b), layout, strict=True))
    kernel = gemm.with_schedule(**{target: schedule}) if schedule else gemm
    return kernel.compile(left, right, c, target=target, **tiles)


def assert_clean(compiled: Compiled) -> None:
    """No spill, no scratch, no accumulator copy."""
    resources = compiled.manifest["resources"]
    for kind in ("vgpr_spills", "sgpr_spills", "scratch_bytes"):
        assert resources[kind] == 0, (kind, resources)
    loop = hottest_loop(compiled.code_object).mnemonics
    assert not [name for name in loop if name.startswith(("v_accvgpr", "scratch_"))]


@pytest.mark.parametrize(
    "layout, target, most",
    [("NT", "gfx950", 2.0), ("NN", "gfx950", 2.15), ("NT", "gfx942", 1.7), ("NN", "gfx942", 1.72)],
)
def test_golden_loop(layout: str, target: str, most: float) -> None:
    compiled = product(layout, target, **GOLDEN[target])
    loop = hottest_loop(compiled.code_object)
    assert loop.mfma >= 64
    assert loop.total / loop.mfma <= most
    assert_clean(compiled)


@pytest.mark.parametrize("layout", ["NT", "NN"])
def test_golden_loop_copies_direct_to_lds_and_drains_once(layout: str) -> None:
    code = product(layout, "gfx950", **GOLDEN["gfx950"]).code_object
    loop = hottest_loop(code)
    listing = [text for address, text in disassemble(code) if loop.first <= address <= loop.last]
    copies = [text for text in listing if text.startswith("buffer_load") and text.endswith("lds")]
    assert len(copies) == 8 and all("dwordx4" in text for text in copies)
    assert not [
        text
        for text in listing
        if text.startswith(("buffer_load", "global_load")) and not text.endswith("lds")
    ]
    assert not [text for text in listing if text.startswith("ds_write")]
    assert sum("vmcnt(0)" in text for text in listing) == 1  # the pipeline's own
    assert sum(text.startswith("s_barrier") for text in listing) == 1


@pytest.mark.parametrize(
    "tiles, waves",
    [
        (dict(BM=128, BN=128, BK=64), (2, 2)),
        (dict(BM=256, BN=128, BK=64), (4, 2)),
        (dict(BM=128, BN=256, BK=32), (2, 4)),
        (dict(BM=64, BN=64, BK=64), (2, 2)),
    ],
)
@pytest.mark.parametrize("target", GOLDEN)
def test_other_tiles_and_wave_grids_do_not_spill(
    target: str, tiles: dict[str, int], waves: tuple[int, int]
) -> None:
    if target == "gfx942":
        tiles = {**tiles, "BK": 32}
    compiled = product("NT", target, dict(waves=waves), **tiles)
    assert compiled.manifest["block"] == [64 * waves[0] * waves[1], 1, 1]
    assert_clean(compiled)


def test_code_does_not_grow_with_k() -> None:
    sizes = set()
    for k in (512, 65536):
        a, b = np.zeros((16, k), dtype=BF16), np.zeros((64, k), dtype=BF16)
        out = np.zeros((16, 64), dtype=BF16)
        sizes.add(len(gemm.compile(a, b.T, out, target="gfx950", BM=16, BN=64).code_object))
    assert len(sizes) == 1


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("kind", [np.float16, BF16])
@pytest.mark.parametrize("target", GOLDEN)
def test_rows_move_16_bytes_a_lane(target: str, kind: type, length: int) -> None:
    x, w = np.zeros((3, length), dtype=kind), np.zeros(length, dtype=kind)
    rstd = np.zeros((3, 1), dtype=np.float32)
    compiled = rms_norm.compile(x, w, np.zeros_like(x), rstd, 1e-5, target=target)
    moves = [t for _, t in disassemble(compiled.code_object) if re.match(r"(buffer|global)_", t)]
    loads = [text for text in moves if "_load_" in text]
    stores = [text for text in moves if "_store_" in text]
    assert loads and all("dwordx4" in text for text in loads)
    narrow = [text for text in stores if "dwordx4" not in text]
    assert len(narrow) == 1 and "store_dword " in narrow[0]  # rstd, one f32 a row
    assert len(stores) > 1


SCRIPT = """
import hashlib, json, sys
import ml_dtypes, numpy as np
from tegula.kernels import gemm, rms_norm
a, c = (np.zeros((512, 512), dtype=ml_dtypes.bfloat16) for _ in range(2))
made = [gemm.compile(a, a.T, c, target=t) for t in ("gfx942", "gfx950")]
r = np.zeros((512, 1), dtype=np.float32)
made.append(rms_norm.compile(a, a[0], c, r, 1e-5, target="gfx950"))
print(json.dumps([[hashlib.sha256(m.code_object).hexdigest(), m.manifest] for m in made]))
"""


def test_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    outputs = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        environment = {"TEGULA_CACHE": "0", "PATH": "/usr/bin:/bin", "HOME": str(folder)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]
    assert len({digest for digest, _ in outputs[0]}) == 3
