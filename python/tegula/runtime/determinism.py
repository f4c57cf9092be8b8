"""Refusing kernels whose results depend on the order in which their workgroups run."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..errors import LaunchError


class _Demanded(threading.local):
    depth: int = 0


_demanded = _Demanded()


@contextmanager
def deterministic() -> Iterator[None]:
    """Inside of ``with tg.deterministic():`` a kernel whose results may vary is refused.

    Those are kernels with atomic sums of floats, and with atomic updates that replace memory or
    return its old contents. Raises ``LaunchError`` at the call. It holds for this thread.
    """
    _demanded.depth += 1
    try:
        yield
    finally:
        _demanded.depth -= 1


def refuse(manifest: Mapping[str, Any]) -> None:
    """Raise if determinism is demanded and the kernel of a manifest (or a variant) has none."""
    if _demanded.depth and not manifest.get("deterministic", True):
        raise LaunchError(
            f"kernel '{manifest['kernel']}' is not deterministic: its atomic updates arrive in an "
            "order that varies",
            label="call.deterministic",
            help="sum in a fixed order in a second kernel, or call it outside of the with",
        )
