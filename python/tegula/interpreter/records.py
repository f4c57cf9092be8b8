"""``tg.print`` and ``tg.assert_``, and indices that do not lie inside their view."""

from __future__ import annotations

import builtins
import json
import string
from typing import Any, NoReturn

import numpy as np

from tegula.errors import ShapeMismatch, TypeMismatch
from tegula.interpreter.places import here
from tegula.interpreter.tile import Tile, as_tile
from tegula.interpreter.workgroup import eager, workgroup
from tegula.language import dtypes as dt
from tegula.runtime.devices import native
from tegula.runtime.failures import failure


@eager
def _print(fmt: str, *values: Any) -> None:
    place = here()
    builtins.print(f"{place.file}:{place.line} {_ids()}: {_text(fmt, values)}")


@eager
def _assert_(condition: Any, message: str, *values: Any) -> None:
    holds = as_tile(condition).to(dt.bool_).data
    for value in values:
        if isinstance(value, Tile) and value.ndim and value.shape != holds.shape:
            raise ShapeMismatch(
                f"tg.assert_ of a condition of {holds.shape} shows {value.described}",
                label="tile.assert.c3",
            )
    if holds.all():
        return
    element = tuple(int(i) for i in np.argwhere(~holds)[0])
    shown = [
        Tile(v.data[element], v.dtype) if isinstance(v, Tile) and v.ndim else v for v in values
    ]
    _fail(_text(message, tuple(shown)), is_bounds=False, element=element)


def out_of_bounds(message: str, element: tuple[int, ...] = ()) -> NoReturn:
    """Refuse a run-time index, in the words of a debug build."""
    _fail(message, is_bounds=True, element=element)


def _fail(message: str, *, is_bounds: bool, element: tuple[int, ...]) -> NoReturn:
    raise failure(
        message,
        is_bounds=is_bounds,
        kernel=workgroup.kernel,
        workgroup=_ids(),
        element=element,
        span=here(),
    )


def _ids() -> tuple[int, ...]:
    return (*(workgroup.ids or ()), 0, 0, 0)[:3]


def _text(fmt: str, values: tuple[Any, ...]) -> str:
    """The values in the holes, written as those of a record of a device."""
    holes = [name for _, name, _, _ in string.Formatter().parse(fmt) if name is not None]
    if builtins.any(holes) or len(holes) != len(values):
        raise TypeMismatch(
            f"{len(holes)} holes for {len(values)} values", label="front.type.format"
        )
    left = iter(values)
    written, shown = "", []
    for literal, name, _, _ in string.Formatter().parse(fmt):
        written += _escaped(literal)
        if name is None:
            continue
        value = next(left)
        if isinstance(value, Tile):
            written += "{u}" if value.dtype.kind == "uint" else "{}"
            shown.append(value)
        else:
            written += _escaped(str(value))
    ordered = sorted(shown, key=lambda tile: tile.ndim > 0)  # scalars first
    site = {
        **{"kind": "print", "format": written, "shape": [], "places": []},
        "fields": [{"dtype": _name(t.dtype), "shape": list(t.shape)} for t in shown],
    }
    text: str = native().format_record(json.dumps(site), [w for t in ordered for w in _words(t)])
    return text


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _name(dtype: dt.DType) -> str:
    return dtype.name if dtype.is_float else dtype.mlir


def _words(tile: Tile) -> list[int]:
    if not tile.dtype.has_arithmetic:
        raise TypeMismatch(f"tg.print shows {tile.described}", label="front.type.operand")
    data = tile.data.reshape(-1)
    if tile.dtype.is_float:
        return list(map(int, data.astype(np.float64).view(np.int64)))
    return list(map(int, data.astype(np.int64)))
