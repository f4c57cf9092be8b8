"""What a kernel calls to reach memory by element index, and to update it atomically."""

from __future__ import annotations

from typing import Any

from tegula.language.primitives import primitive

ORDERS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("workgroup", "agent", "system")


@primitive
def gather(view: Any, index: tuple[Any, ...], pad: float | None = None) -> Any:
    """Elements of ``view`` by index tiles (i32 or i64), one an axis, that broadcast to one shape.

    An index outside the view (negative ones are outside) reads ``pad``: 0, of e8m0 2^0.
    """


@primitive
def scatter(view: Any, index: tuple[Any, ...], tile: Any, where: Any = None) -> None:
    """Write the elements of ``tile`` by index tiles, one an axis, where ``where`` holds.

    Indices outside the view are dropped. Of two elements with one index either may win.
    """


def _update(name: str, what: str) -> Any:
    def declaration(
        view: Any,
        index: tuple[Any, ...],
        tile: Any,
        order: str = "relaxed",
        scope: str = "agent",
        fetch: bool = False,
    ) -> Any: ...

    declaration.__name__ = declaration.__qualname__ = f"atomic_{name}"
    declaration.__doc__ = f"""{what}, each element atomically.

    ``index`` is a tile index as in ``tg.store``, or index tiles as in ``tg.scatter``; what lies
    outside the view is left alone. ``order`` (relaxed, acquire, release, acq_rel) and ``scope``
    (workgroup, agent, system) are those of the whole tile. With ``fetch`` the elements as they were
    are returned (0 outside).
    """
    return primitive(declaration)


atomic_add = _update("add", "Add a tile to memory; f32 sums flush denormal operands")
atomic_max = _update("max", "Raise memory to the maximum with a tile; a NaN wins")
atomic_min = _update("min", "Lower memory to the minimum with a tile; a NaN wins")
atomic_and_ = _update("and_", "Take the bitwise and of memory and a tile")
atomic_or_ = _update("or_", "Take the bitwise or of memory and a tile")
atomic_xor = _update("xor", "Take the bitwise exclusive or of memory and a tile")
atomic_xchg = _update("xchg", "Replace memory by a tile")


@primitive
def atomic_cas(
    view: Any,
    index: tuple[Any, ...],
    expected: Any,
    desired: Any,
    order: str = "relaxed",
    scope: str = "agent",
) -> Any:
    """Replace what has the bits of ``expected`` by ``desired``, each element atomically.

    Elements have 32 or 64 bits. Returns them as they were (0 outside the view); index, order and
    scope as ``tg.atomic_add``.
    """
