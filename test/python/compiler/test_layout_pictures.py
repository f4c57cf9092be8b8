"""``tegula layout``: the picture says what closed formulas say, phases what the bank table says."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tegula import cli, layouts, pictures, targets
from tegula.errors import ArgumentError
from tegula.kernels import rms_norm

SVG = "{http://www.w3.org/2000/svg}"
#: The A operand of a 16x16x32 product of 16-bit elements.
OPERAND = (
    "#cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], "
    "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>"
)
#: A row of 2880 over two waves, 8 elements a lane, three times.
ROW = (
    "#cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], "
    "[0, 128], [0, 256]], wave = [[0, 512]], repeat = [1, 3]>"
)


def draw(capsys: pytest.CaptureFixture[str], *arguments: str) -> ElementTree.Element:
    assert cli.main(["layout", *arguments]) == 0
    return ElementTree.fromstring(capsys.readouterr().out)


def cells(picture: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [g for g in picture.iter(f"{SVG}g") if kind in g.get("class", "").split()]


def labels(picture: ElementTree.Element) -> dict[tuple[int, int], list[str]]:
    return {
        (int(g.get("data-row", -1)), int(g.get("data-column", -1))): [
            text.text or "" for text in g.iter(f"{SVG}text")
        ]
        for g in cells(picture, "element")
    }


def test_an_operand_of_a_product(capsys: pytest.CaptureFixture[str]) -> None:
    found = labels(draw(capsys, OPERAND, "16x32"))
    # Lane l holds row l mod 16, k = 8·(l / 16) + item.
    assert found == {
        (lane % 16, 8 * (lane // 16) + item): [f"l{lane} r{item}"]
        for lane in range(64)
        for item in range(8)
    }


def test_repeats_and_waves_and_phantoms(capsys: pytest.CaptureFixture[str]) -> None:
    found = labels(draw(capsys, ROW, "1x2880"))
    assert len(found) == 2880
    for column in range(2880):
        copy, rest = divmod(column, 1024)
        wave, rest = divmod(rest, 512)
        lane, item = divmod(rest, 8)
        assert found[0, column] == [f"l{lane} r{8 * copy + item}", f"w{wave}"]


def test_copies_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    text = "reg = [], lane = [[1], [2], [4], [0], [0], [0]], wave = []"
    picture = draw(capsys, text, "8")
    titles = [title.text for title in picture.iter(f"{SVG}title")]
    assert titles[3] == "(0, 3): wave 0, lane 3, register 0, 8 copies"


def dwords(picture: ElementTree.Element) -> dict[tuple[int, int, int], int]:
    """(first register, phase, bank) → dwords."""
    return {
        (
            int(g.get("data-register", -1)),
            int(g.get("data-phase", -1)),
            int(g.get("data-bank", -1)),
        ): int(g.get("data-dwords", -1))
        for g in cells(picture, "bank")
    }


@pytest.mark.parametrize("xor, factor", [("", 4), (", xor = [1, 2, 4]", 1)])
def test_banks_of_a_read_with_and_without_swizzle(
    capsys: pytest.CaptureFixture[str], xor: str, factor: int
) -> None:
    """Rows of 128 bytes read by 16 rows: known to take four times as long without a swizzle."""
    buffer = f"!cdna.lds<16x64xbf16, order = [1, 0]{xor}>"
    picture = draw(capsys, OPERAND, "--lds", buffer, "--target", "gfx950")
    found = dwords(picture)
    # 64 lanes of 16 bytes: four phases of 64 banks.
    assert {phase for _, phase, _ in found} == set(range(4))
    assert {bank for _, _, bank in found} == set(range(64))
    assert sum(found.values()) == 64 * 4 and max(found.values()) == factor
    assert bool(cells(picture, "conflict")) == (factor > 1)


def test_phases_are_the_published_lanes() -> None:
    """ds_read_b128 of gfx950: lanes 0–3, 12–15, 20–27, then 4–11, 16–19, 28–31, both + 32."""
    layout = layouts.Layout.parse(OPERAND)
    buffer = layouts.Buffer.parse("!cdna.lds<16x64xbf16, order = [1, 0]>")
    phases = targets.facts("gfx950")["lds_phases"]
    [read] = layouts.instructions(layout, buffer, phases, "read")
    first = {*range(4), *range(12, 16), *range(20, 28)}
    second = set(range(32)) - first
    expected = [first, second, {x + 32 for x in first}, {x + 32 for x in second}]
    assert sorted(map(sorted, expected)) == sorted(sorted(p.lanes) for p in read.phases)
    [write] = layouts.instructions(layout, buffer, targets.facts("gfx942")["lds_phases"], "write")
    assert sorted(sorted(p.lanes) for p in write.phases) == [
        list(range(first, first + 8)) for first in range(0, 64, 8)
    ]


def test_layouts_of_a_compiled_kernel_can_be_drawn(tmp_path: Path) -> None:
    x, w = np.zeros((4, 2880), ml_dtypes.bfloat16), np.zeros(2880, ml_dtypes.bfloat16)
    rstd = np.zeros((4, 1), np.float32)
    text = rms_norm.ir("cdna", x, w, x.copy(), rstd, 1e-5, target="gfx950")
    [line] = [t for t in text.splitlines() if "#cdna.layout<" in t and "repeat = [1, 3]" in t][:1]
    file = tmp_path / "row.svg"
    assert cli.main(["layout", line, "1x2880", "-o", str(file)]) == 0
    assert len(labels(ElementTree.parse(file).getroot())) == 2880


@pytest.mark.parametrize(
    "arguments, found",
    [
        (("reg = []", "8x8"), "lane"),
        (("reg = [], lane = [[1]], wave = []", "8"), "six lane vectors"),
        ((OPERAND.replace("1", "-1", 1), "16x64"), "numbers from 0 on"),
        ((OPERAND,), "shape"),
        ((OPERAND, "16"), "rank 1"),
        ((OPERAND, "1000x1000"), "1000000 elements"),
        ((OPERAND, "--lds", "!cdna.lds<16x64xf4, order = [1, 0]>"), "lds"),
        ((OPERAND, "--lds", "!cdna.lds<16x64xbf16, order = [1, 1]>"), "order"),
        ((OPERAND, "--lds", "!cdna.lds<64xbf16, order = [0]>"), "rank 1"),
        ((OPERAND, "--lds", "!cdna.lds<16x64xbf16, order = [1, 0]>", "--target", "gfx1"), "gfx1"),
    ],
)
def test_what_cannot_be_drawn(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], found: str
) -> None:
    assert cli.main(["layout", *arguments]) == 1
    assert found in capsys.readouterr().err


def test_tiles_of_rank_three_are_matrices(capsys: pytest.CaptureFixture[str]) -> None:
    lanes = "[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [1, 0, 0], [2, 0, 0]"
    picture = draw(capsys, f"reg = [[0, 0, 1]], lane = [{lanes}], wave = []", "3x4x8")
    found = {
        tuple(int(g.get(f"data-{name}", -1)) for name in ("leading", "row", "column")): next(
            text.text for text in g.iter(f"{SVG}text")
        )
        for g in cells(picture, "element")
    }
    assert found == {
        (i, j, k): f"l{k // 2 + 4 * j + 16 * i} r{k % 2}"
        for i in range(3)
        for j in range(4)
        for k in range(8)
    }
    titles = [t.text for t in picture.iter(f"{SVG}text") if t.get("class") == "title"]
    assert titles == ["[0, …]", "[1, …]", "[2, …]"]


def test_matrices_do_not_overlap() -> None:
    zero = ", ".join(["[0, 0, 0, 0]"] * 6)
    registers = "[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]"
    layout = layouts.Layout.parse(f"reg = [{registers}], lane = [{zero}], wave = []")
    picture = ElementTree.fromstring(pictures.tile(layout, (2, 2, 2, 2)))
    places = [(r.get("x"), r.get("y")) for r in picture.iter(f"{SVG}rect")]
    assert len(places) == len(set(places)) == 16


def test_a_tile_without_dimensions_is_refused() -> None:
    zero = ", ".join(["[0]"] * 6)
    layout = layouts.Layout.parse(f"reg = [], lane = [{zero}], wave = []")
    with pytest.raises(ArgumentError, match="rank 0"):
        pictures.tile(layout, ())
