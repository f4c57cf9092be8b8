"""A simulated device for CPU tensors, and clean counters and dynamo caches for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

import tegula
import tegula.torch


@pytest.fixture(autouse=True)
def fresh() -> None:
    tegula.torch.reset_report()
    torch._dynamo.reset()
    torch.manual_seed(0)


@pytest.fixture
def device() -> Iterator[tegula.runtime.Device]:
    with tegula.device("sim:gfx950", threads=1) as opened:
        yield opened
