"""Every oracle, by mnemonic."""

from __future__ import annotations

from . import (
    ops_convert,
    ops_float,
    ops_integer,
    ops_small,
    ops_special,
    ops_transcendental,
)
from .ops import OPS

MODULES = (ops_convert, ops_float, ops_integer, ops_small, ops_special, ops_transcendental)

__all__ = ["MODULES", "OPS"]
