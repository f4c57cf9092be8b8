"""What the front end writes is what the compiler reads. Needs the compiler."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from loading import load_module
from test_tile_ir import CASES, HEAD

from tegula import targets
from tegula.kernels import gemm, rms_norm, softmax

#: Parts of views: alignment, extents and names must be those that the compiler infers.
VIEWS = [
    "x = tg.load(a[:, 4:8], (0, 0), (4, 4))",
    "x = tg.load(a[:, 3:8], (0, 0), (4, 4))",
    "x = tg.load(a[:, n:], (0, 0), (4, 4))",
    "x = tg.load(a.T[n], (0,), (4,))",
    "x = tg.load(a.T[4], (0,), (4,))",
    "x = tg.load(a.T[3], (0,), (4,))",
    "x = tg.load(a[2:], (0, 0), (4, 4))",
    "x = tg.load(a[n : n + 3, None, 2:6], (0, 0, 0), (4, 1, 4))",
    "x = tg.load(a[:, :n], (0, 0), (4, 4))",
    "x = tg.load(a[None, n], (0, 0), (1, 4))",
    "x = tg.load(a[0:4, 0:16].T, (0, 0), (4, 4))",
    "x = tg.load(a[2][4:], (0,), (4,))",
]


def tile_ir(folder: Path, body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    kernel = load_module(HEAD + lines, folder).k
    a = np.zeros((64, 64), np.float32)
    text: str = kernel.ir("tile", a, a.copy(), 1.0, 3, target="gfx950")
    return text


@pytest.mark.parametrize("name", CASES)
def test_construct(tmp_path: Path, name: str) -> None:
    assert "tile.kernel @k(" in tile_ir(tmp_path, CASES[name][0])


@pytest.mark.parametrize("body", VIEWS)
def test_view(tmp_path: Path, body: str) -> None:
    assert "tile.kernel @k(" in tile_ir(tmp_path, body)


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_shipped_kernels_get_a_schedule(target: str, dtype: Any) -> None:
    x, w, r = np.zeros((4, 500), dtype), np.zeros(500, dtype), np.zeros((4, 1), np.float32)
    texts = [
        rms_norm.ir("tile", x, w, x, r, 1e-5, target=target),
        softmax.ir("tile", x, x, target=target),
    ]
    if dtype is not np.float32:
        b, c = np.zeros((500, 64), dtype), np.zeros((4, 64), dtype)
        texts.append(gemm.ir("tile", x, b, c, target=target))
    for text in texts:
        assert re.search(r"schedule = #tile\.schedule<waves = \[\d+, \d+\]", text)
