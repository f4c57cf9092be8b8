"""Assertions that failed on a device, as exceptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import AssertionFailed, OutOfBounds, Span


def failed_assertion(
    said: Mapping[str, Any], lines: Mapping[tuple[str, int], str], findings: str
) -> AssertionFailed:
    """The exception of an assertion, from the native runtime's account of it.

    ``findings`` is what the sanitizers have reported of the same launch, "" for nothing.
    """
    spans = [_span(place, lines) for place in said["places"]]
    notes: list[tuple[str, Span | None]] = [
        (f"called from '{said['kernel']}'", call) for call in spans[1:]
    ]
    if findings:
        notes.append((findings.rstrip(), None))
    return failure(
        said["message"],
        is_bounds=said["is_bounds"],
        kernel=said["kernel"],
        workgroup=said["workgroup"],
        element=said["element"],
        others=said["workgroups"] - 1,
        span=spans[0] if spans else None,
        notes=notes,
    )


def failure(
    message: str,
    *,
    is_bounds: bool,
    kernel: str,
    workgroup: tuple[int, ...],
    element: tuple[int, ...] = (),
    others: int = 0,
    span: Span | None = None,
    notes: list[tuple[str, Span | None]] | None = None,
) -> AssertionFailed:
    """The exception; ``others`` are workgroups in which something failed, too."""
    where = f"kernel '{kernel}', workgroup {workgroup}"
    if element:
        where += f", element {list(element)}"
    if others > 0:
        where += f"; {others + 1} workgroups failed"
    what, cls = (
        ("out of bounds", OutOfBounds) if is_bounds else ("assertion failed", AssertionFailed)
    )
    return cls(
        f"{what}: {message} ({where})",
        kernel=kernel,
        workgroup=workgroup,
        element=element,
        span=span,
        notes=notes or [],
    )


def _span(place: tuple[str, int, int, int, int], lines: Mapping[tuple[str, int], str]) -> Span:
    file, line, column, end_line, end_column = place
    text = lines.get((file, line), "")
    return Span(file, line, column, end_line or line, end_column or column, text)
