"""Layouts as SVG: a grid of elements, and the banks that each phase of an LDS access takes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from tegula.errors import ArgumentError
from tegula.layouts import Instruction, Layout, Place, Vector

CELL_WIDTH, CELL_HEIGHT, MARGIN, LINE = 46, 26, 44, 16
#: A picture of more elements helps nobody.
MOST_ELEMENTS = 1 << 16
STYLE = (
    "text { font: 9px monospace; text-anchor: middle; dominant-baseline: central } "
    ".axis { fill: #666 } .title { text-anchor: start; font-size: 11px } "
    "rect { stroke: #999; stroke-width: 0.5 } "
    ".conflict rect { fill: #e33 } .idle rect { fill: #fff }"
)


def _colour(place: Place) -> str:
    """One hue a lane, lighter with the number of the wave."""
    return f"hsl({place.lane * 360 // 64}, 70%, {62 + min(place.wave, 7) * 4}%)"


def _text(x: float, y: float, text: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:g}" y="{y:g}"{kind}>{escape(text)}</text>'


def _cell(x: int, y: int, fill: str, lines: Iterable[str], title: str, attributes: str) -> str:
    rows = list(lines)
    middle = y + CELL_HEIGHT / 2 - (len(rows) - 1) * 5
    texts = "".join(_text(x + CELL_WIDTH / 2, middle + i * 10, row) for i, row in enumerate(rows))
    box = f'<rect x="{x}" y="{y}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}" fill="{fill}"/>'
    return f"<g {attributes}>{box}{texts}<title>{escape(title)}</title></g>"


def _document(width: int, height: int, parts: Iterable[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><style>{STYLE}</style>'
    )
    return head + "\n".join(parts) + "</svg>\n"


def _grid(
    cells: list[tuple[int, int, list[Place]]],
    waves: int,
    leading: Vector,
    extents: Vector,
    top: int,
) -> list[str]:
    """One matrix of a tile: the elements at the coordinates ``leading`` of its outer dimensions."""
    rows, columns = extents
    parts = []
    if leading:
        title = f"[{', '.join(map(str, leading))}, …]"
        parts.append(_text(4, top + LINE, title, "title"))
    for j in range(columns):
        parts.append(_text(MARGIN + (j + 0.5) * CELL_WIDTH, top + 2 * LINE, str(j), "axis"))
    for i in range(rows):
        middle = top + MARGIN + (i + 0.5) * CELL_HEIGHT
        parts.append(_text(MARGIN / 2, middle, str(i), "axis"))
    for i, j, places in cells:
        owner = places[0]
        label = [f"l{owner.lane} r{owner.register}"]
        if waves > 1:
            label.append(f"w{owner.wave}")
        copies = f", {len(places)} copies" if len(places) > 1 else ""
        where = ", ".join(map(str, (*leading, i, j)))
        title = f"({where}): wave {owner.wave}, lane {owner.lane}, register {owner.register}"
        attributes = f'class="element" data-row="{i}" data-column="{j}"'
        if leading:
            attributes += f' data-leading="{" ".join(map(str, leading))}"'
        x, y = MARGIN + j * CELL_WIDTH, top + MARGIN + i * CELL_HEIGHT
        parts.append(_cell(x, y, _colour(owner), label, title + copies, attributes))
    return parts


def tile(layout: Layout, shape: Vector) -> str:
    """Wave, lane and register of each element of a tile.

    ``l5 r2`` is register 2 of lane 5; with several waves the wave stands below. Of several copies
    the first is named, the tooltip has their number. Of more than two dimensions the last two make
    matrices, one below the other. Raises ``ArgumentError`` for a tile without dimensions, of
    another rank than the layout's, or of more than 65,536 elements.
    """
    if not shape or len(shape) != layout.rank:
        raise ArgumentError("shape", f"rank {len(shape)}", f"{layout.rank}, the layout's")
    elements = math.prod(shape)
    if not 0 < elements <= MOST_ELEMENTS:
        raise ArgumentError("shape", f"{elements} elements", f"1 to {MOST_ELEMENTS}")
    rows, columns = (1, *shape)[-2:]
    matrices: dict[Vector, list[tuple[int, int, list[Place]]]] = {}
    for element, places in sorted(layout.holders(shape).items()):
        *leading, i, j = (0, *element) if len(element) == 1 else element
        matrices.setdefault(tuple(leading), []).append((i, j, places))
    height = MARGIN + rows * CELL_HEIGHT
    parts: list[str] = []
    for number, (outer, cells) in enumerate(matrices.items()):
        parts += _grid(cells, layout.waves, outer, (rows, columns), number * height)
    return _document(MARGIN + columns * CELL_WIDTH, len(matrices) * height, parts)


def _instruction(found: Instruction, top: int, banks: int) -> list[str]:
    lost = sum(phase.clocks - 1 for phase in found.phases if phase.clocks)
    title = f"registers from {found.register}, {found.width} bytes a lane: "
    title += f"{len(found.phases)} phases, {lost} clocks lost"
    parts = [_text(MARGIN, top + LINE / 2, title, "title")]
    for number, phase in enumerate(found.phases):
        y = top + LINE + number * CELL_HEIGHT
        parts.append(_text(MARGIN / 2, y + CELL_HEIGHT / 2, f"phase {number}", "axis"))
        for bank in range(banks):
            dwords = len(phase.dwords.get(bank, ()))
            kind = "conflict" if dwords > 1 else "busy" if dwords else "idle"
            attributes = (
                f'class="bank {kind}" data-register="{found.register}" data-phase="{number}" '
                f'data-bank="{bank}" data-dwords="{dwords}"'
            )
            tip = f"bank {bank}: {dwords} dwords for lanes {', '.join(map(str, phase.lanes))}"
            label = [str(dwords)] if dwords else []
            parts.append(_cell(MARGIN + bank * CELL_WIDTH, y, "#9c9", label, tip, attributes))
    return parts


def banks(found: list[Instruction], count: int) -> str:
    """Dwords that each of ``count`` banks moves in each phase of some LDS accesses.

    What is more than one is a conflict, in red: the phase takes as many clocks.
    """
    parts: list[str] = []
    top = LINE
    for instruction in found:
        parts += _instruction(instruction, top, count)
        top += 2 * LINE + len(instruction.phases) * CELL_HEIGHT
    return _document(MARGIN + count * CELL_WIDTH, top, parts)
