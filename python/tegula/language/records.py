"""What a kernel tells the host besides its results."""

from __future__ import annotations

from typing import Any

from tegula.language.primitives import primitive


@primitive
def print(fmt: str, *values: Any) -> None:
    """Show values on the host, once a workgroup: ``tg.print("n = {}, t = {}", n, t)``.

    Scalars, tiles and constants take the place of ``{}``. The line begins with the kernel's line
    and the workgroup's place in the grid. A launch on a GPU waits for its end to show it.
    """


@primitive
def assert_(condition: Any, message: str, *values: Any) -> None:
    """End the workgroup where a condition, or an element of it, is false; the call then raises.

    ``AssertionFailed`` names the line, the message with values in its ``{}`` (of a tile, the
    element for which the condition fails), the workgroup and the element. Checked in debug builds
    and in kernels declared with ``asserts=True``; ``interpret`` always checks.
    """
