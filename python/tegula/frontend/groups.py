"""``for g, lo, hi, m, n in tg.group_tiles(…)``: two loops, over groups and over a group's tiles.

The loop is rewritten as syntax and then traced like a user's: names of its own begin with ``__``.
"""

from __future__ import annotations

import ast
import copy
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tegula.frontend.context import Context
from tegula.frontend.memory import need_view, own_place
from tegula.frontend.registry import constant_shape, handles
from tegula.frontend.values import Scalar, View
from tegula.language import dtypes as dt
from tegula.language import primitives as p

if TYPE_CHECKING:
    from tegula.frontend.exits import Flow
    from tegula.frontend.tracer import Tracer

_numbers = itertools.count()
_TEMPLATE = """
for __g{k} in range(__groups{k}):
    __lo{k}, __hi{k}, __across{k}, __steps{k}, __next{k} = __part{k}(
        __offs{k}, __g{k}, __first{k}, __columns{k}, __rows{k}, __width{k}, __held{k}
    )
    for __s{k} in range(__steps{k}):
        __at{k} = __first{k} + __s{k} * __held{k}
        TARGET = __g{k}, __lo{k}, __hi{k}, __at{k} // __across{k}, __at{k} % __across{k}
        BODY
    if __left{k}:
        break
    __first{k} = __next{k}
"""


@dataclass(frozen=True)
class GroupTiles:
    """Tiles of groups of rows, dealt to the resident workgroups."""

    names: dict[str, Any]


@handles(p.group_tiles)
def _group_tiles(ctx: Context, node: ast.AST, offs: Any, columns: Any, shape: Any) -> GroupTiles:
    from tegula.language.library import group_part

    offs = need_view(ctx, offs, node, "tg.group_tiles")
    extents = constant_shape(ctx, shape, node)
    if len(extents) != 2:
        ctx.fail("front.index.rank", f"tg.group_tiles takes (rows, columns), not {shape}", node)
    if not ctx.grid_is_persistent:
        ctx.fail(
            "front.syntax.persistent",
            "tg.group_tiles needs the grid tg.persistent()",
            node,
            help="write @tg.kernel(grid=lambda: tg.persistent())",
        )
    held = Scalar(ctx.emit("tile.resident : i32", node), dt.i32)
    names = dict(zip(("rows", "width"), extents, strict=True))
    return GroupTiles(
        {
            **names,
            **{"offs": offs, "columns": columns, "held": held, "part": group_part, "left": False},
            **{"first": Scalar(own_place(ctx, node), dt.i32), "groups": _extent(ctx, offs, node)},
        }
    )


def _extent(ctx: Context, offs: View, node: ast.AST) -> Any:
    from tegula.frontend import views

    return views.extent(ctx, offs, 0, node)


def run_groups(tracer: Tracer, node: ast.For, walked: GroupTiles) -> Flow:
    """Trace the two loops in place of the one."""
    from tegula.frontend import loops

    k = next(_numbers)
    for name, value in walked.names.items():
        tracer.bind(f"__{name}{k}", value, node)
    outer = ast.parse(_TEMPLATE.format(k=k)).body[0]
    assert isinstance(outer, ast.For)
    inner = outer.body[1]
    assert isinstance(inner, ast.For)
    target = inner.body[1]
    assert isinstance(target, ast.Assign)
    target.targets = [node.target]
    for part in ast.walk(outer):
        ast.copy_location(part, node.iter)
    body = ast.Module(copy.deepcopy(node.body), [])
    inner.body[2:] = _Breaks(f"__left{k}").visit(body).body
    return loops.run_for(tracer, outer)


class _Breaks(ast.NodeTransformer):
    """``break`` of the loop as written leaves both loops: it sets a name first."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        mark = ast.Assign([ast.Name(self.name, ast.Store())], ast.Constant(True))
        return [ast.fix_missing_locations(ast.copy_location(mark, node)), node]

    def visit_For(self, node: ast.For) -> ast.For:
        return node  # its breaks are its own

    def visit_While(self, node: ast.While) -> ast.While:
        return node
