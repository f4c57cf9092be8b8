"""Views: extents, strides, transposes and the loads and stores that read them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from tegula.frontend import blocked, packed
from tegula.frontend.context import Context
from tegula.frontend.values import Extents, Scalar, View, is_constant
from tegula.language import dtypes as dt


def extent(ctx: Context, view: View, axis: int, node: ast.AST) -> int | Scalar:
    """``view.shape[axis]``: a constant where the type knows it."""
    if view.view_type.blocked:
        return blocked.extent(ctx, view, axis, node)
    known = stored_extent(ctx, view, axis, node)
    return packed.doubled(ctx, known, node) if view.view_type.packed == axis else known


def stored_extent(ctx: Context, view: View, axis: int, node: ast.AST) -> int | Scalar:
    """The extent as IR counts it, which is bytes along the pairs of a packed view."""
    known = view.view_type.shape[axis]
    if known is not None:
        return known
    ssa = ctx.emit(f"tile.dim {view.ssa} {{d = {axis}}} : {view.type} -> i32", node)
    return Scalar(ssa, dt.i32)


def stride(ctx: Context, view: View, axis: int, node: ast.AST) -> int | Scalar:
    """``view.strides[axis]`` in elements."""
    blocked.refuse(ctx, view, "strides", node)
    known: int | Scalar | None = view.view_type.strides[axis]
    if known is None:
        ssa = ctx.emit(f"tile.stride {view.ssa} {{d = {axis}}} : {view.type} -> i64", node)
        known = Scalar(ssa, dt.i64)
    pairs = view.view_type.packed
    return known if pairs in (None, axis) else packed.doubled(ctx, known, node)


def element(ctx: Context, extents: Extents, index: Any, node: ast.AST) -> int | Scalar:
    """One element of ``view.shape`` or ``view.strides``."""
    rank = extents.view.view_type.rank
    word = "strides" if extents.strides else "shape"
    if not is_constant(index) or not isinstance(index, int):
        ctx.fail("front.const.axis", f".{word} takes a constant index", node)
    if not -rank <= index < rank:
        ctx.fail("front.index.axis", f".{word}[{index}] of {extents.view}", node)
    read = stride if extents.strides else extent
    return read(ctx, extents.view, index % rank, node)


def all_elements(ctx: Context, extents: Extents, node: ast.AST) -> tuple[Any, ...]:
    return tuple(element(ctx, extents, i, node) for i in range(extents.view.view_type.rank))


def transposed(ctx: Context, view: View, node: ast.AST) -> View:
    """``view.T``: axes reversed; strides carry it, nothing moves."""
    old = view.view_type
    if old.blocked:
        if old.rank != 2:
            blocked.refuse(ctx, view, "the transposition", node)
        return replace(view, view_type=blocked.transposed(old), origin=f"{view.origin}.T")
    perm = tuple(reversed(range(old.rank)))
    new = replace(
        old,
        shape=old.shape[::-1],
        names=old.names[::-1],
        strides=old.strides[::-1],
        packed=None if old.packed is None else old.rank - 1 - old.packed,
    )
    ssa = ctx.emit(
        f"tile.permute_view {view.ssa} {{perm = [{', '.join(map(str, perm))}]}} : "
        f"{view.type} -> {new}",
        node,
    )
    return View(ssa, new, f"{view.origin}.T")
