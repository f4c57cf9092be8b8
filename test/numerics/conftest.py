"""The simulated devices that the numeric tests run on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tegula

TARGETS = ("gfx942", "gfx950")


@pytest.fixture(params=TARGETS)
def device(request: pytest.FixtureRequest) -> Iterator[tegula.runtime.Device]:
    """A simulated device of each target, one thread (tests run in parallel), sanitizers on."""
    with tegula.device(f"sim:{request.param}", threads=1) as opened:
        yield opened
