"""Rules of the verifiers, seen from Python: class, label and line. Needs the compiler."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from loading import load_module
from malformed import HEAD, PRELUDE, arrays
from verifier_cases import CASES

import tegula as tg
from tegula.kernels import gemm
from tegula.labels import class_of


@pytest.mark.parametrize("number", range(len(CASES)), ids=[label for label, _ in CASES])
def test_refused_by_a_verifier(tmp_path: Path, number: int) -> None:
    label, body = CASES[number]
    text = PRELUDE + HEAD.format(name="k") + textwrap.indent(body, "    ") + "\n"
    kernel = load_module(text, tmp_path).k
    with pytest.raises(tg.Error) as caught:
        kernel.compile(*arrays(), target="gfx950")
    error = caught.value
    assert error.label == label, str(error)
    assert type(error) is class_of(label)
    wanted = next(n for n, line in enumerate(text.splitlines(), 1) if "#!" in line)
    assert error.span is not None and error.span.line == wanted, str(error)


@pytest.mark.parametrize(
    ("label", "schedule"),
    [
        ("tile.schedule.c1", dict(waves=(0, 4))),
        ("tile.schedule.c1", dict(waves=(5, 5))),
        ("tile.schedule.c2", dict(mma="16x8x32")),
        ("tile.schedule.c2", dict(mma="16x16x24")),
        ("tile.schedule.c3", dict(stages=0)),
        ("tile.schedule.c3", dict(stages=9)),
        ("tile.schedule.c5", dict(raster=dict(group=0))),
        ("tile.schedule.c6", dict(split_k=0)),
    ],
)
def test_illegal_schedule(label: str, schedule: dict[str, object]) -> None:
    a = np.zeros((256, 256), np.float16)
    with pytest.raises(tg.ScheduleError) as caught:
        gemm.with_schedule(gfx950=schedule).compile(a, a, a, target="gfx950")
    assert caught.value.label == label
