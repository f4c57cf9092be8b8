"""Every oracle, by mnemonic."""

from __future__ import annotations

from . import ops_convert, ops_float, ops_integer
from .ops import OPS

MODULES = (ops_convert, ops_float, ops_integer)

__all__ = ["MODULES", "OPS"]
