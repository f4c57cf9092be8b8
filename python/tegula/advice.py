"""Warnings, told at the line of the user's program that led to them."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).parent) + os.sep


def warn(text: str) -> None:
    """A ``RuntimeWarning`` at the innermost call that lies outside this package."""
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(text, RuntimeWarning, stacklevel=level)
