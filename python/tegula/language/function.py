"""Helper functions of kernels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from tegula.language.text import remember


class Launchable:
    """Base of kernels, so that the front end knows one without importing the compiler."""


def run_helper(helper: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """How a helper runs when Python calls it; replaced by ``tegula.interpreter``."""
    return helper.function(*args, **kwargs)


class Function:
    """A function that kernels may call. It is inlined; ``interpret`` calls it as it is."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        remember(function)
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return run_helper(self, args, kwargs)

    def __repr__(self) -> str:
        return f"<tg.function {self.function.__name__}>"


def function(definition: Callable[..., Any]) -> Function:
    """Declare a helper of kernels: ``@tg.function``.

    Its parameters are whatever is passed: tiles, scalars, views, constants. It may return a tuple.
    """
    if not isinstance(definition, FunctionType):
        raise TypeError(f"@tg.function decorates a function, not {type(definition).__name__}")
    return Function(definition)
