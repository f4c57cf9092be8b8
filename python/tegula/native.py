"""The binding modules in the folder of native files."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

from . import knobs
from .errors import DeviceError


@cache
def binding(name: str) -> ModuleType:
    """The extension module ``name``, loaded on first use. DeviceError if it is not built."""
    folder = Path(knobs.get("native_dir")) / "lib"
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    found = [folder / f"{name}{s}" for s in suffixes if (folder / f"{name}{s}").exists()]
    if not found:
        raise DeviceError(f"the runtime is not built: no {name} module in {folder}")
    spec = importlib.util.spec_from_file_location(name, found[0])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
