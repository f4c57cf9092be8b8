"""Schedules: from the keywords of ``with_schedule`` to the text of ``#tile.schedule``.

Only names and Python types are checked here; which values are legal depends on target and kernel
and is the verifier's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tegula.errors import ScheduleError
from tegula.frontend.scope import nearest


def _integer(value: Any) -> str | None:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _boolean(value: Any) -> str | None:
    return str(value).lower() if isinstance(value, bool) else None


def _pair(value: Any) -> str | None:
    parts = [_integer(part) for part in value] if isinstance(value, (tuple, list)) else []
    return f"[{', '.join(map(str, parts))}]" if len(parts) == 2 and None not in parts else None


def _string(value: Any) -> str | None:
    return f'"{value}"' if isinstance(value, str) and '"' not in value else None


def _path(value: Any) -> str | None:
    return value if value in ("direct", "register", "none") else None


def _raster(value: Any) -> str | None:
    if not isinstance(value, Mapping) or not value or set(value) - {"group", "xcd"}:
        return None
    parts = []
    if "group" in value:
        parts.append(("group", _integer(value["group"])))
    if "xcd" in value:
        parts.append(("xcd", _boolean(value["xcd"])))
    if any(text is None for _, text in parts):
        return None
    return "{" + ", ".join(f"{name} = {text}" for name, text in parts) + "}"


#: Field → (how it is printed, what it takes), in the order of the attribute.
FIELDS: dict[str, tuple[Callable[[Any], str | None], str]] = {
    "waves": (_pair, "a pair of integers, as in (2, 4)"),
    "mma": (_string, 'a shape, as in "16x16x32"'),
    "stages": (_integer, "an integer from 1 to 5"),
    "lds": (_path, '"direct", "register" or "none"'),
    "raster": (_raster, "a dict with group (an integer) and xcd (a bool)"),
    "split_k": (_integer, "an integer"),
    "persistent": (_boolean, "True or False"),
    "occupancy": (_integer, "an integer"),
    "pingpong": (_boolean, "True or False"),
}


def schedule_text(fields: Mapping[str, Any]) -> str:
    """The inside of ``#tile.schedule<…>``; ScheduleError names the field and what it takes."""
    if not isinstance(fields, Mapping):
        raise ScheduleError(
            f"a schedule is a dict of fields, not {fields!r}",
            label="front.schedule.value",
            help="write with_schedule(gfx950=dict(waves=(2, 4)))",
        )
    for name in fields:
        if name not in FIELDS:
            raise ScheduleError(
                f"a schedule has no field '{name}'",
                label="front.schedule.field",
                help=nearest(name, FIELDS) or f"its fields are {', '.join(FIELDS)}",
            )
    parts = []
    for name, (show, takes) in FIELDS.items():
        if name not in fields:
            continue
        text = show(fields[name])
        if text is None:
            raise ScheduleError(
                f"schedule field '{name}' takes {takes}, not {fields[name]!r}",
                label="front.schedule.value",
            )
        parts.append(f"{name} = {text}")
    return ", ".join(parts)
