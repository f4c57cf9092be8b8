"""Gathers, scatters and atomic updates, element by element in row-major order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tegula.errors import IndexRank, TypeMismatch
from tegula.interpreter.tile import Tile, as_tile, mask
from tegula.interpreter.view import View, on_view
from tegula.language import dtypes as dt
from tegula.language.indexed import ORDERS, SCOPES
from tegula.language.primitives import EAGER


def _indices(view: View, index: Any, others: tuple[Any, ...], what: str) -> list[np.ndarray]:
    """Index arrays of one shape, that of the whole access."""
    if not isinstance(index, tuple) or len(index) != view.ndim:
        raise IndexRank(
            f"{what} takes an index for each of the {view.ndim} axes of {view}",
            label=f"tile.{what.removeprefix('tg.')}.c1",
        )
    tiles = [as_tile(part) for part in index]
    for tile in tiles:
        if not tile.dtype.is_integer:
            raise TypeMismatch(
                f"{what}: an index is an integer, not {tile.described}", label="front.type.index"
            )
    arrays = [tile.data.astype(np.int64) for tile in tiles]
    shapes = [a.shape for a in (*arrays, *(o.data for o in others if isinstance(o, Tile)))]
    shape = np.broadcast_shapes(*shapes) or (1,)
    return [np.broadcast_to(a, shape) for a in arrays]


def _inside(view: View, indices: list[np.ndarray]) -> np.ndarray:
    found = np.ones(indices[0].shape, bool)
    for index, extent in zip(indices, view.extents, strict=True):
        found &= (index >= 0) & (index < extent)
    return found


def _typed(view: View, value: Any, shape: tuple[int, ...], label: str) -> np.ndarray:
    tile = as_tile(value, view.dtype)
    if tile.dtype != view.dtype:
        raise TypeMismatch(f"a tile of {tile.dtype.name} meets {view}", label=label)
    return np.broadcast_to(tile.data, shape)


@on_view
def _gather(view: View, index: tuple[Any, ...], pad: float | None = None) -> Tile:
    indices = _indices(view, index, (), "tg.gather")
    inside = _inside(view, indices)
    data = view.padding(inside.shape, pad)
    data[inside] = view.data[tuple(i[inside] for i in indices)]
    return Tile(data, view.dtype)


@on_view
def _scatter(view: View, index: tuple[Any, ...], tile: Any, where: Any = None) -> None:
    indices = _indices(view, index, (tile, where), "tg.scatter")
    chosen = _inside(view, indices)
    value = _typed(view, tile, chosen.shape, "tile.scatter.c3")
    if where is not None:
        chosen = chosen & np.broadcast_to(mask(where, "tile.scatter.c4"), chosen.shape)
    view.memory[tuple(i[chosen] for i in indices)] = value[chosen]


# --- Atomic updates --------------------------------------------------------------------------


def _places(view: View, index: Any, tile: Any, what: str) -> tuple[tuple[int, ...], Any]:
    """Shape of the access, and (place in the tile, place in the view) of what lies inside."""
    if isinstance(index, tuple) and any(isinstance(p, Tile) and p.ndim for p in index):
        indices = _indices(view, index, (tile,), what)
        shape = indices[0].shape
    else:
        shape = tile.shape
        view.window(index, shape, "tg.store")  # refuses what is no tile index
        starts = [int(p.__index__()) * n for p, n in zip(index, shape, strict=True)]
        within = np.indices(shape, np.int64)
        indices = [start + part for start, part in zip(starts, within, strict=True)]
    inside = _inside(view, indices)

    def pairs() -> Iterator[tuple[Any, Any]]:
        for place in np.argwhere(inside):
            at = tuple(place)
            yield at, tuple(int(i[at]) for i in indices)

    return shape, pairs()


def _check(order: str, scope: str) -> None:
    for value, legal, what, rule in ((order, ORDERS, "order", 2), (scope, SCOPES, "scope", 3)):
        if value not in legal:
            raise TypeMismatch(
                f"no {what} {value!r}",
                label=f"tile.atomic_rmw.c{rule}",
                help=f"there are {', '.join(legal)}",
            )


def _flushed(x: Any) -> Any:
    """A denormal f32 as a zero of its sign, as the hardware's sum takes it."""
    tiny = np.abs(x) < np.finfo(np.float32).tiny
    return np.where(tiny, np.copysign(np.float32(0), x), x) if x.dtype == np.float32 else x


def _sum(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return _flushed(np.asarray(a)) + _flushed(np.asarray(b))


def _extremum(name: str) -> Callable[[Any, Any], Any]:
    def compute(a: Any, b: Any) -> Any:
        dtype = dt.from_numpy(np.asarray(a).dtype)
        assert dtype is not None
        return EAGER[name](Tile(a, dtype), Tile(b, dtype)).data

    return compute


_UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add": _sum,
    "max": _extremum("maximum"),
    "min": _extremum("minimum"),
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "xchg": lambda a, b: b,
}


def _update(name: str, compute: Callable[[Any, Any], Any]) -> None:
    def run(
        view: View,
        index: tuple[Any, ...],
        tile: Any,
        order: str = "relaxed",
        scope: str = "agent",
        fetch: bool = False,
    ) -> Tile | None:
        _check(order, scope)
        floats = ("add", "max", "min", "xchg")
        narrow = view.dtype.bits < (16 if view.dtype.is_float else 32)
        if narrow or (view.dtype.is_float and name not in floats):
            raise TypeMismatch(f"atomic {name} of {view.dtype.name}", label="tile.atomic_rmw.c1")
        shape, places = _places(view, index, tile, f"tg.atomic_{name}")
        value = _typed(view, tile, shape, "tile.atomic_rmw.c4")
        old = np.zeros(shape, view.dtype.numpy)
        for at, target in places:
            old[at] = view.data[target]
            with np.errstate(all="ignore"):
                view.memory[target] = compute(view.data[target], value[at])
        return Tile(old, view.dtype) if fetch else None

    run.__name__ = f"_atomic_{name}"
    on_view(run)


for _name, _compute in _UPDATES.items():
    _update(_name, _compute)


@on_view
def _atomic_cas(
    view: View,
    index: tuple[Any, ...],
    expected: Any,
    desired: Any,
    order: str = "relaxed",
    scope: str = "agent",
) -> Tile:
    _check(order, scope)
    if view.dtype.bits not in (32, 64):
        raise TypeMismatch(f"atomic cas of {view.dtype.name}", label="tile.atomic_cas.c1")
    shape, places = _places(view, index, desired, "tg.atomic_cas")
    wanted = _typed(view, expected, shape, "tile.atomic_cas.c4")
    value = _typed(view, desired, shape, "tile.atomic_cas.c4")
    old = np.zeros(shape, view.dtype.numpy)
    for at, target in places:
        old[at] = view.data[target]
        if old[at].tobytes() == wanted[at].tobytes():
            view.memory[target] = value[at]
    return Tile(old, view.dtype)
