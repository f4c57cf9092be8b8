"""Kernels that were compiled ahead of time, launched from their folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import ArgumentError
from ..language import dtypes
from ..language.scales import stored
from .determinism import refuse
from .devices import Device, translated
from .launching import describe, device_of, is_array, is_tensor, memory_of


class Program:
    """A kernel of a folder that ``tegula compile`` wrote; see :func:`load_program`.

    Call it like the kernel: views and scalars in order or by name, constants are compiled in.
    Raises ``ArgumentError`` for arguments that no variant serves.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            manifest = json.loads(path.read_text())
            self.name = str(manifest["kernel"])
            first = manifest["variants"][0]
            self._variants = manifest["variants"]
            self.parameters = tuple(str(argument["name"]) for argument in first["arguments"])
        except (OSError, ValueError, LookupError, TypeError) as problem:
            text = f"'{path}' is no manifest: {problem}"
            raise ArgumentError("path", str(path), "a manifest", text) from None
        self._opened: dict[int, tuple[Device, Any]] = {}

    def __repr__(self) -> str:
        return f"<tegula program {self.name}({', '.join(self.parameters)})>"

    def __call__(self, *args: Any, stream: int | None = None, **kwargs: Any) -> None:
        """Launch on the arrays' device. Nothing is returned: outputs are arguments."""
        values = self._bound(args, kwargs)
        for variant in self._variants:
            refuse(variant)
        device = device_of(values)
        arguments = tuple(map(_typed, values))
        with translated(device):
            self._on(device).launch(arguments, stream or 0)

    def plan(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """What such a call would launch: ``variant`` (its place in the manifest), ``grid``, …"""
        values = self._bound(args, kwargs)
        device = device_of(values)
        with translated(device):
            found: dict[str, Any] = self._on(device).plan(tuple(map(_typed, values)))
        return found

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        bound = dict(zip(self.parameters, args, strict=False))
        signature = f"{self.name}({', '.join(self.parameters)})"
        if len(args) > len(self.parameters):
            text = f"{signature} takes {len(self.parameters)} arguments, not {len(args)}"
            raise ArgumentError("*args", len(args), len(self.parameters), text)
        for name, value in kwargs.items():
            if name in bound or name not in self.parameters:
                problem = "got two values for" if name in bound else "has no parameter"
                text = f"{signature} {problem} '{name}'"
                raise ArgumentError(name, "a value", signature, text)
            bound[name] = value
        missing = [name for name in self.parameters if bound.get(name) is None]
        if missing:
            text = f"{signature} misses argument '{missing[0]}'"
            raise ArgumentError(missing[0], None, signature, text)
        return [_passable(name, stored(bound[name])) for name in self.parameters]

    def _on(self, device: Device) -> Any:
        """The native program on a device, opened on its first call there."""
        opened = self._opened.get(id(device))
        if opened is None:
            opened = (device, device.handle.open_program(str(self.path)))
            self._opened[id(device)] = opened
        return opened[1]


def _passable(name: str, value: Any) -> Any:
    """An array or a number that fits one of the machine's; which, the manifest decides."""
    if is_array(value):
        return value
    number = value.item() if hasattr(value, "item") else value
    if not isinstance(number, (int, float)):
        raise ArgumentError(name, f"a {type(value).__name__}", "an array or a number")
    try:
        float(number)
    except OverflowError:
        raise ArgumentError(name, "an integer beyond all floats", "a number") from None
    return value


def _typed(value: Any) -> Any:
    """As the native runtime takes it; arrays tell their element type, which nobody has checked."""
    if not is_array(value):
        return describe(value)
    found = dtypes.from_torch(value.dtype) if is_tensor(value) else dtypes.from_numpy(value.dtype)
    return memory_of(value)._replace(dtype=_manifest_name(found) if found else str(value.dtype))


def load_program(path: str | Path) -> Program:
    """The kernel of a manifest such as ``out/gemm.json``.

    Nothing is compiled, so neither the kernel's source nor the compiler is needed. Raises
    ``ArgumentError`` if it cannot be read.
    """
    return Program(Path(path))


def _manifest_name(dtype: dtypes.DType) -> str:
    """Integers by their width alone, as in IR."""
    return dtype.mlir if dtype.kind in ("bool", "int", "uint") else dtype.name
