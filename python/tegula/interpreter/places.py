"""Where a kernel is, in lines of its source."""

from __future__ import annotations

import sys
from types import CodeType, FrameType, TracebackType
from typing import Any

from tegula.errors import Span
from tegula.frontend.source import relative_name
from tegula.language.text import lines_of_file

#: What runs kernels and helpers.
_DOORS = ("tegula.interpreter.run", "tegula.interpreter.ranges")


def here() -> Span:
    """The user's line: that of the innermost frame outside of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    assert frame is not None
    return _line(frame.f_code, frame.f_globals, frame.f_lineno)


def raised(trace: TracebackType | None) -> Span | None:
    """The user's line that an exception came from; None if it came from this package alone."""
    found, calls_the_user = None, False
    while trace is not None:
        if _is_ours(trace.tb_frame):
            calls_the_user = trace.tb_frame.f_globals["__name__"] in _DOORS
        elif calls_the_user:  # and not NumPy
            found = _line(trace.tb_frame.f_code, trace.tb_frame.f_globals, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _is_ours(frame: FrameType) -> bool:
    return bool(frame.f_globals.get("__name__", "").startswith("tegula."))


def _line(code: CodeType, names: dict[str, Any], number: int) -> Span:
    lines = lines_of_file(code.co_filename, names)
    text = lines[number - 1].rstrip("\n") if number <= len(lines) else ""
    start = len(text) - len(text.lstrip()) + 1
    file = relative_name(code.co_filename, names.get("__name__", "__main__"))
    return Span(file, number, start, number, len(text) + 1, text)
