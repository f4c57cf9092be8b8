"""A launch on GPU tensors goes to torch's current stream of their device."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tegula import kernel_object, runtime
from tegula.kernels import softmax


class GpuTensor(torch.Tensor):
    """A CPU tensor that says it lies on GPU 1."""

    is_cuda = True  # type: ignore[assignment]


def test_current_stream_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    fake = SimpleNamespace(
        target="gfx950",
        name="hip:0",
        uses_host_memory=False,
        is_capturing=lambda stream: False,
    )
    monkeypatch.setattr(runtime.launching, "open_device", lambda name: fake)
    monkeypatch.setattr(runtime, "launch", lambda c, args, stream, device: seen.append(stream))
    stream = SimpleNamespace(cuda_stream=0x1234)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: stream)
    x = torch.zeros(2, 64).as_subclass(GpuTensor)
    softmax(x, x.clone())
    softmax(x, x.clone(), stream=7)
    assert seen == [0x1234, 7]
    assert kernel_object._current_stream([torch.zeros(1)]) is None
