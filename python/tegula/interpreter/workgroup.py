"""Which workgroup runs, and how primitives get their eager meaning."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tegula.language.primitives import EAGER


class _Workgroup(threading.local):
    """Position of the thread's running workgroup, set by :func:`tegula.interpreter.run`."""

    kernel: str = ""
    ids: tuple[int, ...] | None = None
    counts: tuple[int, ...] | None = None


workgroup = _Workgroup()


def eager(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register the eager meaning of the primitive ``name`` with the function ``_name``."""
    EAGER[function.__name__.removeprefix("_")] = function
    return function
