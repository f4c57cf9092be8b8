"""Numbered dumps of a kernel's compile."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tegula.kernels import gemm, softmax


def test_files_are_in_the_order_of_the_passes(tmp_path: Path) -> None:
    x = np.zeros((4, 64), np.float32)
    files = softmax.dump(tmp_path, x, x.copy(), target="gfx942")
    names = [path.name.partition("-")[2] for path in files]
    assert names[0] == "input.mlir" and names[-2:] == ["code.ll", "code.s"]
    wanted = ["tile-pick-schedule.mlir", "cdna-assign-layouts.mlir", "cdna-lower-tile.mlir"]
    assert [name for name in names if name in wanted] == wanted
    assert files[-1].read_text() == softmax.ir("asm", x, x.copy(), target="gfx942")
    texts = [path.read_text() for path in files]
    assert all(one != next_ for one, next_ in zip(texts, texts[1:], strict=False))


def test_a_compile_that_fails_leaves_what_came_before(tmp_path: Path) -> None:
    a = np.zeros((512, 4096), ml_dtypes.bfloat16)
    tiles = dict(BM=256, BN=256, BK=512)
    with pytest.raises(tg.LdsBudget) as caught:
        gemm.dump(tmp_path, a, a.T, np.zeros((512, 512), np.float32), target="gfx942", **tiles)
    assert caught.value.span is not None
    names = sorted(path.name for path in (tmp_path / "gfx942").iterdir())
    assert names[0] == "000-input.mlir" and not any("code" in name for name in names)
