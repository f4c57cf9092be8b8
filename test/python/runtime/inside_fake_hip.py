"""Tests that need the fake libamdhip64 on the library path: test_hip_driver.py runs them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tegula
from tegula import runtime
from tegula.compiler.service import Compiled
from tegula.kernels import softmax
from tegula.runtime.launching import Memory

FAKE = ctypes.CDLL("libamdhip64.so")
ERRORS = (1, 2, 3, 100, 101, 200, 201, 209, 303, 400, 500, 600, 700, 701, 719, 801, 900, 999)


@pytest.fixture(autouse=True)
def fake() -> Iterator[Any]:
    FAKE.fakeHipReset()
    yield FAKE
    FAKE.fakeHipReset()


@pytest.fixture
def device() -> Iterator[runtime.Device]:
    yield runtime.Device("hip:0")


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    x = np.zeros((4, 64), np.float32)
    return softmax.compile(x, x.copy(), target="gfx950")


def launch(kernel: Compiled, device: runtime.Device) -> None:
    views = tuple(Memory(1 << 20, (4, 64), (64, 1), 4, True, "f32") for _ in range(2))
    device.kernel(kernel).launch(device, views, 0)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(
    "function",
    ["hipModuleLoadData", "hipModuleGetFunction", "hipModuleLaunchKernel", "hipStreamIsCapturing"],
)
def test_an_error_of_a_launch(
    device: runtime.Device, compiled: Compiled, function: str, error: int
) -> None:
    FAKE.fakeHipFail(function.encode(), error)
    with pytest.raises(tegula.LaunchError, match=rf"{function}: hipErrorOfATest \({error}\)"):
        launch(compiled, device)
    FAKE.fakeHipFail(function.encode(), 0)
    launch(compiled, device)  # and the next one works


@pytest.mark.parametrize("error", ERRORS)
def test_a_device_that_cannot_be_opened(error: int) -> None:
    for function in (b"hipGetDeviceCount", b"hipGetDevicePropertiesR0600"):
        FAKE.fakeHipFail(function, error)
        with pytest.raises(tegula.DeviceError):
            runtime.Device("hip:0")
        FAKE.fakeHipFail(function, 0)


def test_a_launch_is_one_call(device: runtime.Device, compiled: Compiled) -> None:
    launch(compiled, device)
    FAKE.fakeHipReset()
    launch(compiled, device)
    assert FAKE.fakeHipCalls(b"hipModuleLaunchKernel") == 1
    for function in (b"hipMalloc", b"hipFree", b"hipMemcpy", b"hipModuleLoadData"):
        assert FAKE.fakeHipCalls(function) == 0


def test_a_cold_launch_under_capture(device: runtime.Device, compiled: Compiled) -> None:
    FAKE.fakeHipCapture(1)
    with pytest.raises(tegula.NotWarm, match="softmax .* launch it once before"):
        launch(compiled, device)
    FAKE.fakeHipCapture(0)
    launch(compiled, device)
    FAKE.fakeHipCapture(1)
    launch(compiled, device)
    assert FAKE.fakeHipCalls(b"hipModuleLaunchKernel") == 2


def test_a_kernel_that_is_not_compiled_under_capture(
    device: runtime.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = softmax.with_schedule()  # knows nothing yet
    x = np.zeros((3, 32), np.float32)
    monkeypatch.setattr(runtime, "device_of", lambda values: device)
    FAKE.fakeHipCapture(1)
    with pytest.raises(tegula.NotWarm, match="softmax is not compiled for these arguments"):
        kernel(x, x.copy())
    assert FAKE.fakeHipCalls(b"hipModuleLoadData") == 0
    FAKE.fakeHipCapture(0)
    kernel(x, x.copy())
    FAKE.fakeHipCapture(1)
    kernel(x, x.copy())
    assert FAKE.fakeHipCalls(b"hipModuleLaunchKernel") == 2
