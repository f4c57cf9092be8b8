"""Source text of decorated functions, read when the decorator runs.

The file may be edited while the process runs; what is compiled must be what Python defined.
"""

from __future__ import annotations

import linecache
from types import FunctionType
from typing import Any

_ATTRIBUTE = "__tegula_text__"


def remember(function: FunctionType) -> None:
    """Keep the lines of the function's file as they are now."""
    filename = function.__code__.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    setattr(function, _ATTRIBUTE, (filename, lines))


def lines_of_file(filename: str, names: dict[str, Any]) -> list[str]:
    """Lines of a file as Python knows them; ``names`` are the globals of its module."""
    return linecache.getlines(filename, names)


def lines_of(function: FunctionType) -> list[str]:
    """Lines of the file when the function was decorated; empty when there is no file."""
    filename = function.__code__.co_filename
    known = getattr(function, _ATTRIBUTE, None)
    if known is not None and known[0] == filename:
        return known[1]
    return lines_of_file(filename, function.__globals__)
