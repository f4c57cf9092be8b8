"""From a kernel and a specialisation to a module of tile IR."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from tegula.frontend import convert
from tegula.frontend.builder import Builder
from tegula.frontend.context import Context, Dependency
from tegula.frontend.definition import Definition
from tegula.frontend.memory import TileCounts
from tegula.frontend.tracer import Tracer
from tegula.frontend.values import Scalar, View, ViewType, describe
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType


@dataclass(frozen=True)
class Specialisation:
    """Everything that the IR of a kernel depends on. Arguments that are absent map to None."""

    target: str
    arguments: dict[str, ViewType | DType | None]
    constants: dict[str, Any]
    schedule: str = ""
    fastmath: frozenset[str] = frozenset()
    denormals: str = "preserve"
    #: Indices are checked against their views; assertions are checked.
    debug: bool = False
    asserts: bool = False


@dataclass(frozen=True)
class Module:
    """Tile IR of one kernel, with what a diagnostic or a warm call needs to know of it."""

    kernel: str
    text: str
    filename: str
    places: dict[tuple[str, int], str] = field(compare=False)
    dependencies: tuple[Dependency, ...] = field(compare=False)


def trace(function: FunctionType, definition: Definition, special: Specialisation) -> Module:
    """Trace the grid and the body, and print both as a module."""
    ctx = Context(definition.name, special.target, special.fastmath, special.debug)
    ctx.sources.append(definition.tree.source)
    try:
        grid = _grid(ctx, function, definition, special)
        ctx.builder = Builder()
        body = _body(ctx, function, definition, special)
    except RecursionError:
        place = _name_of(definition.tree.node)
        ctx.fail("front.syntax.size", "an expression or block is nested too deeply", place)
    return Module(
        definition.name,
        "\n".join([*body, *grid]) + "\n",
        definition.tree.source.name,
        ctx.places,
        tuple(ctx.dependencies.values()),
    )


def _formals(
    ctx: Context, definition: Definition, special: Specialisation
) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """Values of all parameters, and (name, SSA name, type) of those that are IR arguments."""
    values: dict[str, Any] = dict(special.constants)
    formals = []
    for parameter in definition.arguments:
        kind = special.arguments[parameter.name]
        ssa = f"%{parameter.name}"
        if kind is None:
            values[parameter.name] = None
            continue
        if isinstance(kind, ViewType):
            values[parameter.name] = View(ssa, kind, parameter.name)
            _note_extents(ctx, ssa, kind)
        else:
            values[parameter.name] = Scalar(ssa, kind)
        formals.append((parameter.name, ssa, values[parameter.name].type))
    return values, formals


def _note_extents(ctx: Context, ssa: str, kind: ViewType) -> None:
    """Where the extents of what is stored in blocks can be read."""
    for axis, name in enumerate(kind.names):
        if name and not kind.blocked and axis != kind.packed:
            ctx.extents.setdefault(name, (ssa, str(kind), axis))


def _body(
    ctx: Context, function: FunctionType, definition: Definition, special: Specialisation
) -> list[str]:
    values, formals = _formals(ctx, definition, special)
    tracer = Tracer(ctx, function)
    tracer.is_kernel = True
    ordered = {p.name: values[p.name] for p in definition.parameters}
    tracer.function_body(ordered)
    node = definition.tree.node
    ctx.builder.emit("tile.return", ctx.loc(node), 0)
    arguments = ", ".join(
        f'{ssa}: {type} {{tile.name = "{name}"{_large(special, name)}}}'
        for name, ssa, type in formals
    )
    attributes = [f"grid = @{definition.name}.grid", f'target = #tile.target<"{special.target}">']
    if special.schedule:
        attributes.append(f"schedule = #tile.schedule<{special.schedule}>")
    if special.denormals != "preserve":
        attributes.append(f"denormals = #tile.denormals<{special.denormals}>")
    if special.asserts or special.debug:
        attributes.append("tile.asserts")
    head = f"tile.kernel @{definition.name}({arguments})"
    return [
        f"{head}\n    attributes {{{', '.join(attributes)}}} {{",
        *ctx.builder.lines(),
        f"}} {ctx.loc(_name_of(node))}",
    ]


def _large(special: Specialisation, name: str) -> str:
    kind = special.arguments[name]
    return ", tile.large" if isinstance(kind, ViewType) and kind.large else ""


def _name_of(node: ast.FunctionDef) -> ast.AST:
    """The line of ``def`` as a node, so that a message about a kernel shows its signature."""
    place = ast.Name(node.name)
    place.lineno = place.end_lineno = node.lineno
    place.col_offset = node.col_offset + len("def ")
    place.end_col_offset = place.col_offset + len(node.name)
    return place


def _grid(
    ctx: Context, function: FunctionType, definition: Definition, special: Specialisation
) -> list[str]:
    """The private function that computes the grid from the kernel's arguments."""
    values, formals = _formals(ctx, definition, special)
    tracer = Tracer(ctx, function)
    node = definition.grid
    for name in (arg.arg for arg in node.args.args):
        if name not in values:
            ctx.fail("front.name.grid", f"the kernel has no parameter '{name}'", node)
        tracer.bind(name, values[name], node)
    ctx.in_grid = True
    axes = _axes(ctx, tracer.expr(node.body), node.body)
    ctx.in_grid = False
    names = ", ".join(axis.ssa for axis in axes)
    types = ", ".join("i32" for _ in axes)
    loc = ctx.loc(node.body)
    ctx.builder.emit(f"tile.return {names} : {types}", loc, 0)
    arguments = ", ".join(f"{ssa}: {type}" for _, ssa, type in formals)
    result = types if len(axes) == 1 else f"({types})"
    return [
        f"tile.func private @{definition.name}.grid({arguments}) -> {result} {{",
        *ctx.builder.lines(),
        f"}} {loc}",
    ]


def _axes(ctx: Context, value: Any, node: ast.expr) -> list[Scalar]:
    """One to three i32; a grid of tiles is launched linear, as the product of its axes."""
    if isinstance(value, TileCounts):
        ctx.grid_tiles = (value.view, value.tile_shape)
        product = value[0].ssa
        for axis in value[1:]:
            product = ctx.emit(f"arith.muli {product}, {axis.ssa} : i32", node)
        return [Scalar(product, dt.i32)]
    parts = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(parts) <= 3:
        ctx.fail("front.shape.grid", f"a grid has 1 to 3 axes, not {len(parts)}", node)
    return [_axis(ctx, part, node) for part in parts]


def _axis(ctx: Context, part: Any, node: ast.expr) -> Scalar:
    if isinstance(part, int) and not isinstance(part, bool):
        return convert.constant_scalar(ctx, part, dt.i32, node)
    if isinstance(part, Scalar) and part.dtype.is_integer and part.dtype.bits == 64:
        part = convert.cast(ctx, part, dt.i32, node)  # a launch refuses what is too large
    if not isinstance(part, Scalar) or part.dtype != dt.i32:
        ctx.fail(
            "front.type.grid",
            f"a grid axis is an i32, not {describe(part)}",
            node,
            help="use extents, integer parameters, constants and + - * // tg.cdiv",
        )
    return part
