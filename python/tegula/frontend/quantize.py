"""Block quantization."""

from __future__ import annotations

import ast
from typing import Any

from tegula.frontend.context import Context
from tegula.frontend.registry import constant_axis, constant_shape, handles
from tegula.frontend.shapes import need_dtype, need_tile
from tegula.frontend.values import Tile, describe, tensor_type
from tegula.language import dtypes as dt
from tegula.language import quantize as q


@handles(q.quantize)
def _quantize(
    ctx: Context, node: ast.AST, tile: Any, dtype: Any, axis: Any, block: Any, mode: Any
) -> tuple[Tile, Tile]:
    tile = need_tile(ctx, tile, node, "tg.quantize")
    dtype = need_dtype(ctx, dtype, node)
    if not isinstance(mode, str):
        ctx.fail("front.type.operand", f"a mode is a string, not {describe(mode)}", node)
    if mode not in q.MODES:
        ctx.fail("tile.quantize.c3", f"'{mode}'; modes are {', '.join(q.MODES)}", node)
    axes = axis if isinstance(axis, tuple) else (axis,)
    blocks = constant_shape(ctx, block, node)
    axes = tuple(constant_axis(ctx, one, len(tile.shape), node) for one in axes)
    shape = list(tile.shape)
    for one, size in zip(axes, blocks, strict=False):
        shape[one] //= size
    codes, scales = Tile("", dtype, tile.shape), tuple(shape)
    scale_type = tensor_type(scales, dt.e8m0)
    text = f"tile.quantize {tile.ssa} {{axis = {list(axes)}, block = {list(blocks)}, "
    text += f"mode = {mode}}} : {tile.type} -> {codes.type}, {scale_type}"
    names = ctx.builder.emit(text, ctx.loc(node), 2)
    return Tile(names[0], dtype, tile.shape), Tile(names[1], dt.e8m0, scales)
