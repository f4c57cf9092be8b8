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
from tegula.kernels import gemm, softmax
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
    [
        "hipModuleLoadData",
        "hipModuleGetFunction",
        "hipModuleLaunchKernel",
        "hipStreamGetCaptureInfo",
    ],
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


def workspace_of(device: runtime.Device, kernel: Compiled, stream: int = 0) -> int:
    """The address that a launch passes as its first region of scratch memory."""
    shapes = {"a": (64, 256), "b": (256, 64), "c": (64, 64)}
    views = tuple(
        Memory(
            (index + 1) << 24,
            shapes[argument["name"]],
            (shapes[argument["name"]][1], 1),
            4,
            True,
            "f32",
        )
        for index, argument in enumerate(kernel.manifest["arguments"])
    )
    device.kernel(kernel).launch(device, views, stream)
    size, triple = ctypes.c_size_t(), ctypes.c_uint * 3
    FAKE.fakeHipKernarg.restype = ctypes.c_void_p
    kernarg = FAKE.fakeHipKernarg(ctypes.byref(size), triple(), triple())
    region = kernel.manifest["workspace"][0]
    return int(ctypes.c_uint64.from_address(kernarg + region["offset"]).value)


def test_graphs_have_workspaces_of_their_own(device: runtime.Device) -> None:
    """A graph may be replayed while other launches of its stream, or other graphs, run."""
    a, b, c = (
        np.zeros((64, 256), np.float32),
        np.zeros((256, 64), np.float32),
        np.zeros((64, 64), np.float32),
    )
    kernel = gemm.with_schedule(gfx950={"split_k": 4}).compile(
        a, b, c, BM=64, BN=64, BK=64, target="gfx950"
    )
    eager = workspace_of(device, kernel)
    FAKE.fakeHipCapture(1)
    first = workspace_of(device, kernel)
    assert workspace_of(device, kernel) == first, "launches of one stream in one graph are in order"
    beside = workspace_of(device, kernel, stream=8)
    FAKE.fakeHipCapture(2)
    second = workspace_of(device, kernel)
    FAKE.fakeHipCapture(0)
    assert workspace_of(device, kernel) == eager
    assert len({eager, first, beside, second}) == 4
    # Counters are zeroed in the graph, too: each replay starts with them at 0.
    assert FAKE.fakeHipCalls(b"hipMemsetAsync") == FAKE.fakeHipCalls(b"hipModuleLaunchKernel")
