"""Tiles of odd extents on their way to LDS: no lane holds what another one brings."""

from __future__ import annotations

import re

import numpy as np
import pytest
from drawing import typed_gemm

import tegula as tg
from stages import passes
from tegula.layouts import Layout

DEPTH = 80


def at_odd_addresses(shape: tuple[int, int]) -> np.ndarray:
    """Zeros whose rows are aligned to one byte."""
    return np.zeros(shape[0] * shape[1] + 1, np.int8)[1:].reshape(shape)


@pytest.mark.parametrize(("waves", "columns"), [((4, 1), 112), ((1, 4), 112), ((2, 2), 240)])
def test_lanes_hold_no_copies(waves: tuple[int, int], columns: int) -> None:
    """Each element of b is with one lane, and at most a quarter more than there are."""
    a, b = at_odd_addresses((192, DEPTH)), at_odd_addresses((DEPTH, columns))
    kernel = typed_gemm.with_schedule(gfx942=dict(waves=waves, stages=1, lds="register"))
    constants = dict(BM=192, BN=columns, BK=DEPTH, ACC=tg.i32)
    c = np.zeros((192, columns), np.int32)
    cdna = kernel.ir("cdna", a, b, c, target="gfx942", **constants)
    assert passes(cdna, "cdna.kernel(cdna-prove-waits)").returncode == 0  # its text is accepted

    layouts = dict(re.findall(r"^(#layout\d*) = #cdna\.layout<(.*)>$", cdna, re.MULTILINE))
    loaded = re.findall(rf"cdna\.load .*-> tensor<{DEPTH}x{columns}xi8, (#layout\d*)>", cdna)
    assert loaded
    for name in loaded:
        layout = Layout.parse(layouts[name])
        assert all(any(vector) for vector in (*layout.lane, *layout.wave)), layouts[name]
        held = 2 ** len(layout.reg) * np.prod(layout.repeat) * 256
        assert DEPTH * columns <= held <= 1.25 * DEPTH * columns
