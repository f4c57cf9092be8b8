"""The native tools as commands of the Python package: ``tegula-sim``, ``tegula-compile``, …"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from tegula import knobs


def _run(name: str) -> NoReturn:
    """Become the tool; exit status 1 and one line if it is not built."""
    path = Path(knobs.get("native_dir")) / "bin" / name
    if not path.exists():
        sys.exit(f"{name}: not built (no {path}); build it with `make build`")
    # Python ignores it, and the tool would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(path, [name, *sys.argv[1:]])


def sim() -> NoReturn:
    """``tegula-sim``: run and check code objects on a simulated device."""
    _run("tegula-sim")


def compile() -> NoReturn:
    """``tegula-compile``: from tile IR to code objects."""
    _run("tegula-compile")


def reduce() -> NoReturn:
    """``tegula-reduce``: a smaller file of IR that still shows a fault."""
    _run("tegula-reduce")


def opt() -> NoReturn:
    """``tegula-opt``: single passes on IR."""
    _run("tegula-opt")
