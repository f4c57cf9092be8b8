"""From the compiler's diagnostics to exceptions at the user's Python line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tegula.errors import Error, InternalError, Span
from tegula.frontend.module import Module
from tegula.labels import class_of
from tegula.language import dtypes

_OP_PREFIX = re.compile(r"^'(\w+)\.(\w+)' op ")
_OP_NAME = re.compile(r"\btile\.(\w+)")
#: How the language spells ops that have another name there.
_SPELLED = {
    "cast": ".to",
    "reshape": ".reshape",
    "transpose": ".T",
    "permute_view": ".T",
    "index": "indexing",
    "slice": "slicing",
    "expand": "indexing",
    "broadcast": "broadcasting",
    "reduce": "reduction",
    "kernel": "kernel",
}
#: Where the functions of the language are written in the language itself.
_LIBRARY = "tegula/language/"
#: Element types that MLIR spells otherwise, the longest name first; it may follow an extent's x.
_TYPES = {t.mlir: t.name for t in dtypes.ALL if t.kind in ("float", "scale") and t.bits <= 8}
_TYPE_NAME = re.compile("|".join(sorted(_TYPES, key=len, reverse=True)))
_LABEL_SUFFIX = re.compile(r"\s*\[[\w.]+\]$")


def error_of(module: Module, diagnostics: list[Mapping[str, Any]]) -> Error:
    """The exception of a failed compile: its first error, with all that came with it."""
    errors = [d for d in diagnostics if d.get("severity", "error") == "error"]
    if not errors:
        return InternalError("the compiler failed without a diagnostic")
    first, *rest = errors
    label = first.get("label") or None
    span, calls = _shown(module, first)
    others = []
    notes: list[tuple[str, Span | None]] = []
    help = None
    for note in first.get("notes") or ():
        place, message = _span(module, note), _readable(str(note.get("message", "")))
        if place is not None and span is not None and place.line == span.line:
            others.append(place)
            help = help or message
        else:
            notes.append((message, place))
    notes += [(_readable(str(d.get("message", ""))), _span(module, d)) for d in rest]
    notes += [(f"called from '{module.kernel}'", call) for call in calls]
    return class_of(label)(
        _readable(str(first.get("message", ""))),
        label=label,
        span=span,
        others=others,
        notes=notes,
        help=help,
    )


def _shown(module: Module, where: Mapping[str, Any]) -> tuple[Span | None, list[Span]]:
    """The place that is wrong, and the calls it was inlined through.

    Of a function of this library it is the user's call: that line is wrong.
    """
    places = [_span(module, place) for place in (where, *(where.get("calls") or ()))]
    spans = [place for place in places if place is not None]
    while len(spans) > 1 and spans[0].file.startswith(_LIBRARY):
        spans.pop(0)
    return (spans[0], spans[1:]) if spans else (None, [])


def _readable(message: str) -> str:
    """Messages in the user's words: ops and types by their names there, the label apart."""
    message = _LABEL_SUFFIX.sub("", message)
    message = _OP_PREFIX.sub(_subject, message)
    message = _TYPE_NAME.sub(lambda match: _TYPES[match.group()], message)
    return _OP_NAME.sub(lambda match: _spelled(match.group(1)), message)


def _subject(match: re.Match[str]) -> str:
    dialect, op = match.groups()
    return f"{_spelled(op)}: " if dialect in ("tile", "cdna") else "this expression "


def _spelled(op: str) -> str:
    return _SPELLED.get(op, f"tg.{op}")


def _span(module: Module, where: Mapping[str, Any]) -> Span | None:
    """The range of a diagnostic: in Python, or in the IR text when that is what was wrong."""
    file, line = where.get("file"), int(where.get("line") or 0)
    if not file or line < 1:
        return None
    column = int(where.get("column") or 1)
    end_line, end = int(where.get("end_line") or line), int(where.get("end_column") or column + 1)
    text = module.places.get((file, line))
    if text is None:
        lines = module.text.splitlines()
        text = lines[line - 1] if line <= len(lines) else ""
    return Span(file, line, column, end_line, end, text)
