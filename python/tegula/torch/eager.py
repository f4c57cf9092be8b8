"""Overriding operations of ATen in eager mode, with the captured original as the fallback."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

import torch

from ..runtime import Device, device, open_device
from . import reporting
from .eligibility import device_reason
from .routing import ROUTES, Route

OPERATIONS = ("mm", "addmm")


_installed: list[enable] = []  # in the order of their overrides: the last one is called first


class enable:
    """Run eligible calls of operations of ATen on Tegula until ``disable()``.

    ``operations`` are names such as "mm" and "native_layer_norm"; products if none are given.
    Also a context manager; handles may be disabled in any order. ``on`` is where these calls run on
    CPU tensors ("sim:gfx950", or an open ``tegula.Device``); without it the device in force. What
    is not eligible goes to the kernel that was there before, and ``report()`` says why.
    torch.compile does not see such overrides: use ``backend="tegula"`` there. Raises
    ``ValueError`` for an unknown operation.
    """

    def __init__(
        self, operations: str | Iterable[str] = OPERATIONS, on: str | Device | None = None
    ) -> None:
        chosen = (operations,) if isinstance(operations, str) else tuple(operations)
        known = {overload._schema.name for overload in ROUTES}
        unknown = sorted(name for name in chosen if f"aten::{name}" not in known)
        if unknown:
            there = ", ".join(sorted(n.removeprefix("aten::") for n in known if "aten" in n))
            raise ValueError(f"no override for {', '.join(unknown)}; there are: {there}")
        self._on = open_device(on) if isinstance(on, str) else on
        self._active = True
        self._libraries = [self._install(key, chosen) for key in self._dispatch_keys()]
        _installed.append(self)

    @staticmethod
    def _dispatch_keys() -> tuple[str, ...]:
        return ("CPU", "CUDA") if torch.version.hip else ("CPU",)

    def _install(self, key: str, operations: tuple[str, ...]) -> torch.library.Library:
        library = torch.library.Library("aten", "IMPL", key)
        for name in operations:
            original = torch.library.get_kernel(f"aten::{name}", key)
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # "overriding a previously registered kernel": wanted
                call = self._call(ROUTES[getattr(torch.ops.aten, name).default], original)
                library.impl(name, call, with_keyset=True, allow_override=True)
        return library

    def _device(self) -> AbstractContextManager[object]:
        return nullcontext() if self._on is None else device(self._on)

    def _call(self, route: Route, original: Any) -> Any:
        def call(keys: Any, *args: Any, **kwargs: Any) -> Any:
            if self._active:
                with self._device():
                    tensors = [v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor)]
                    reason = route.reason(*args, **kwargs) or device_reason(*tensors)
                    if reason is None:
                        return route.tegula(*args, **kwargs)
                reporting.count(route.name, reporting.FALLBACK, reason)
            return original.call_boxed(keys, *args, **kwargs)

        return call

    def disable(self) -> None:
        """Put the original kernels back."""
        self._active = False
        # An override keeps the kernel before it: it can only go when all later ones have gone.
        while _installed and not _installed[-1]._active:
            for library in _installed.pop()._libraries:
                library._destroy()

    def __enter__(self) -> enable:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.disable()
