"""From the arguments of a call to a specialisation: extents checked, constants resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tegula.errors import ArgumentError
from tegula.frontend import tiles
from tegula.frontend.arrays import (
    ArrayInfo,
    collapsed,
    extent_value,
    inspect_array,
    stated,
    view_type,
)
from tegula.frontend.definition import Definition, Parameter
from tegula.frontend.values import ViewType
from tegula.language import dtypes as dt
from tegula.language import markers
from tegula.language.dtypes import DType
from tegula.language.function import Function
from tegula.language.markers import Extent, Signature
from tegula.language.primitives import is_primitive

_MAX_EXTENT = 2**31
#: What a call does not take, and where it is said.
_ELSEWHERE = {
    "device": " (write `with tg.device(name):` around the call)",
    "target": " (a call runs on a device: write `with tg.device(name):` around it)",
    "schedule": " (write kernel.with_schedule(gfx950=dict(…))(…))",
    "debug": " (write kernel.with_debug()(…))",
    "grid": " (it is part of the kernel: @tg.kernel(grid=lambda …))",
}


@dataclass(frozen=True)
class Resolved:
    """A call, checked: what is passed, and what the code object depends on."""

    #: Arrays and scalars that are present, by name.
    values: dict[str, Any]
    types: dict[str, ViewType | DType | None]
    constants: dict[str, Any]
    extents: dict[str, int | None]


def bind(
    definition: Definition, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments by name, in Python's style; a TypeError shows the kernel's signature."""
    signature = args[0] if len(args) == 1 and not kwargs else None
    if isinstance(signature, Signature):
        args, kwargs = (), signature.entries
        extent_names = _extent_names(definition)
    else:
        extent_names = set()
    positional = definition.arguments
    if len(args) > len(positional):
        _call_error(definition, f"takes {len(positional)} positional arguments, not {len(args)}")
    bound = {p.name: value for p, value in zip(positional, args, strict=False)}
    known = {p.name for p in definition.parameters} | extent_names
    for name, value in kwargs.items():
        if name not in known:
            instead = _ELSEWHERE.get(name, "")
            _call_error(definition, f"has no parameter '{name}'{instead}", name)
        if name in bound:
            _call_error(definition, f"got two values for '{name}'", name)
        bound[name] = value
    for p in positional:
        if p.name not in bound:
            if not (p.optional or p.has_default):
                _call_error(definition, f"misses argument '{p.name}'", p.name)
            bound[p.name] = p.default
    return bound


def _extent_names(definition: Definition) -> set[str]:
    """Names of extents, those in products too."""
    return {n for p in definition.arguments for e in p.extents for n in (e.name, *e.times) if n}


def _call_error(definition: Definition, problem: str, argument: str = "") -> None:
    signature = definition.signature()
    text = f"{definition.name}() {problem}; it is declared as {signature}"
    raise ArgumentError(argument, problem, signature, text)


def resolve(definition: Definition, bound: dict[str, Any], target: str) -> Resolved:
    """Check the arguments against the signature and each other, and choose what is left open."""
    values: dict[str, Any] = {}
    infos: dict[str, ArrayInfo] = {}
    for parameter in definition.arguments:
        value = bound[parameter.name]
        if parameter.kind == "scalar":
            values[parameter.name] = check_scalar(parameter, value)
        elif value is not None or not parameter.optional:
            value = _as_declared(parameter, value)
            infos[parameter.name] = _check_rank(parameter, inspect_array(parameter.name, value))
            values[parameter.name] = value
    extents = _extents(definition, infos)
    for name in _extent_names(definition) & bound.keys():
        if extents.get(name) is None:  # else it has to agree with the arrays
            _check_extent(name, bound[name])
    for name, value in bound.items():
        if all(name != p.name for p in definition.parameters):
            extents[name] = _agree(name, value, extents.get(name))
    constants = _constants(definition, bound, extents, infos, target)
    known = {name: value for name, value in constants.items() if _is_extent(value)}
    types: dict[str, ViewType | DType | None] = {}
    for parameter in definition.arguments:
        if parameter.kind == "scalar":
            types[parameter.name] = parameter.dtype
        elif parameter.name in infos:
            info = infos[parameter.name]
            types[parameter.name] = view_type(info, parameter.extents, known)
        else:
            types[parameter.name] = None
    return Resolved(values, types, constants, extents)


def _is_extent(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_extent(name: str, value: Any) -> None:
    if value is not markers.auto and not (_is_extent(value) and 0 <= value < _MAX_EXTENT):
        raise ArgumentError(name, repr(value), "an extent, an integer from 0 to 2^31 - 1")


def _as_declared(parameter: Parameter, value: Any) -> Any:
    if parameter.extents[0].leading:
        return collapsed(parameter.name, value, len(parameter.extents))
    return value


def check_scalar(parameter: Parameter, value: Any) -> Any:
    """A scalar argument in the range of its declared type."""
    dtype = parameter.dtype
    assert dtype is not None
    if isinstance(value, DType):
        if value != dtype:
            raise ArgumentError(parameter.name, value, dtype)
        return value
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "ndim", None) == 0:
        value = item()
    wanted = (int, float) if dtype.is_float else (bool,) if dtype.kind == "bool" else (int,)
    wrong_bool = isinstance(value, bool) and dtype.kind != "bool"
    if not isinstance(value, wanted) or wrong_bool:
        raise ArgumentError(parameter.name, f"{value!r} ({type(value).__name__})", dtype)
    if not dt.in_range(value, dtype):
        raise ArgumentError(parameter.name, value, f"a value in the range of {dtype!r}")
    return value


def _check_rank(parameter: Parameter, info: ArrayInfo) -> ArrayInfo:
    rank = len(parameter.extents)
    if len(info.shape) != rank:
        raise ArgumentError(
            parameter.name,
            f"rank {len(info.shape)} (shape {info.shape})",
            f"rank {rank} ({' '.join(map(str, parameter.extents))})",
        )
    for extent in info.shape:
        if extent is not None and extent >= _MAX_EXTENT:
            raise ArgumentError(parameter.name, f"extent {extent}", "extents below 2^31")
    return info


def signature_of(definition: Definition, bound: dict[str, Any]) -> Signature:
    """The entries that give these arguments' specialisation: see ``Kernel.signature``."""
    entries: dict[str, Any] = {}
    infos: dict[str, ArrayInfo] = {}
    for p in definition.arguments:
        value = bound[p.name]
        if p.kind == "scalar":
            check_scalar(p, value)
            entries[p.name] = p.dtype
        elif value is not None or not p.optional:
            info = _check_rank(p, inspect_array(p.name, _as_declared(p, value)))
            infos[p.name] = info
            entries[p.name] = stated(p.name, info)
    extents = _extents(definition, infos)
    for p in definition.constants:
        if p.name in bound:
            entries[p.name] = bound[p.name]
        elif extents.get(p.name) is not None:
            entries[p.name] = extents[p.name]
    return Signature(**entries)


# --- Extents ---------------------------------------------------------------------------------


def _extents(definition: Definition, infos: dict[str, ArrayInfo]) -> dict[str, int | None]:
    """Values of the named extents; arrays that disagree are both named."""
    owner: dict[str, str] = {}
    extents: dict[str, int | None] = {}
    for name, axis, extent, found in _axes(definition, infos):
        if extent.leading or found is None:
            continue
        if extent.literal is not None and found != extent.literal:
            raise ArgumentError(name, f"extent {found} of axis {axis}", f"{extent.literal}")
        if not _is_plain(extent):
            continue
        known = extents.setdefault(extent.name, found)
        first = owner.setdefault(extent.name, name)
        if known != found:
            _disagree(extent.name, name, found, f"'{first}' has {extent.name} = {known}", known)
    _derived(definition, infos, extents)
    return extents


def _axes(
    definition: Definition, infos: dict[str, ArrayInfo]
) -> list[tuple[str, int, Extent, int | None]]:
    return [
        (p.name, axis, extent, infos[p.name].shape[axis])
        for p in definition.arguments
        if p.name in infos
        for axis, extent in enumerate(p.extents)
    ]


def _is_plain(extent: Extent) -> bool:
    return bool(extent.name) and not extent.times and extent.factor == 1 and extent.by == 1


def _disagree(extent: str, name: str, found: int, other: str, expected: int | None) -> None:
    text = f"argument '{name}' has {extent} = {found}, but argument {other}"
    raise ArgumentError(name, f"{extent} = {found}", f"{extent} = {expected}", text)


def _derived(
    definition: Definition, infos: dict[str, ArrayInfo], extents: dict[str, int | None]
) -> None:
    """Extents such as ``M/32`` and ``HK*G``: exact, and they may give a name its value."""
    for name, _, extent, found in _axes(definition, infos):
        if not extent.name or _is_plain(extent) or found is None:
            continue
        unknown = [n for n in (extent.name, *extent.times) if extents.get(n) is None]
        if len(unknown) == 1:
            rest = extent_value(extent, {**extents, unknown[0]: extent.by}) or 0
            if rest and (found * extent.by) % rest == 0:
                extents[unknown[0]] = found * extent.by // rest
            continue
        whole = extent_value(Extent(extent.name, extent.times, extent.factor), extents)
        if whole is None:
            continue
        if whole % extent.by:
            raise ArgumentError(name, f"{extent.name} = {whole}", f"a multiple of {extent.by}")
        if found != whole // extent.by:
            _disagree(str(extent), name, found, f"extents give {whole // extent.by}", whole)


def auto_tiles(
    definition: Definition, signature: Signature, target: str
) -> tuple[list[str], tiles.Operand]:
    """The tile parameters that a signature leaves to ``tg.auto``, and operands of products."""
    bound = bind(definition, (signature,), {})
    views = [p.name for p in definition.arguments if p.kind == "view" and bound[p.name] is not None]
    infos = {name: inspect_array(name, bound[name]) for name in views[:1]}
    names = [
        p.name
        for p in definition.constants
        if p.kind == "tile" and bound.get(p.name, p.default) is markers.auto
    ]
    return names, _operand(infos, target)


# --- Constants -------------------------------------------------------------------------------


def _constants(
    definition: Definition,
    bound: dict[str, Any],
    extents: dict[str, int | None],
    infos: dict[str, ArrayInfo],
    target: str,
) -> dict[str, Any]:
    constants: dict[str, Any] = {}
    open_tiles: list[str] = []
    for parameter in definition.constants:
        value = _constant(definition, parameter, bound, extents)
        if value is markers.auto:
            open_tiles.append(parameter.name)
            continue
        constants[parameter.name] = _check_constant(parameter, value)
    constants.update(tiles.choose(open_tiles, extents, target, _operand(infos, target)))
    return constants


def _operand(infos: Mapping[str, ArrayInfo], target: str) -> tiles.Operand:
    """What the first array holds; a kernel without arrays has no product."""
    first = next(iter(infos.values()), None)
    return tiles.operand_of(dt.f32 if first is None else first.dtype, target)


def _constant(
    definition: Definition,
    parameter: Parameter,
    bound: dict[str, Any],
    extents: dict[str, int | None],
) -> Any:
    name = parameter.name
    if name in bound:
        value = bound[name]
        return value if value is markers.auto else _agree(name, value, extents.get(name))
    if extents.get(name) is not None:
        return extents[name]
    if not parameter.has_default:
        _call_error(definition, f"misses constant '{name}'", name)
    return parameter.default


def _agree(name: str, value: Any, extent: int | None) -> Any:
    """A constant named like an extent has its value."""
    if extent is not None and not (_is_extent(value) and value == extent):
        raise ArgumentError(name, repr(value), f"{extent}, the extent {name} of the arrays")
    return value


def _check_constant(parameter: Parameter, value: Any) -> Any:
    """Constants are numbers, strings, None, element types, functions, and tuples of those."""
    if parameter.kind == "tile" and not _is_extent(value):
        raise ArgumentError(parameter.name, repr(value), "an integer or tg.auto")
    parts = tuple(map(dt.concrete, value if isinstance(value, tuple) else (value,)))
    for part in parts:
        known = isinstance(part, (bool, int, float, str, DType, Function)) or is_primitive(part)
        if part is not None and not known:
            raise ArgumentError(
                parameter.name,
                type(part).__name__,
                "a number, string, None, element type, @tg.function or function of tg",
            )
    return parts if isinstance(value, tuple) else parts[0]
