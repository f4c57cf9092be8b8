"""Tests that need libamdhip64 on the library path: test_hip_driver.py runs them."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

import tegula
from stages import with_code
from tegula import runtime
from tegula.compiler.service import Compiled
from tegula.kernels import softmax
from tegula.runtime.launching import Memory

ROWS, COLUMNS = 4, 64
HIP = ctypes.CDLL("libamdhip64.so")
TO_DEVICE, TO_HOST = 1, 2


def compiled(target: str = "gfx950") -> Compiled:
    x = np.zeros((ROWS, COLUMNS), dtype=np.float32)
    return softmax.compile(x, x.copy(), target=target)


def copy(to: int | None, source: int | None, bytes_: int, kind: int) -> None:
    arguments = (ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(bytes_), kind)
    assert HIP.hipMemcpy(*arguments) == 0


@pytest.fixture
def memory() -> Iterator[int]:
    """A page on device 0."""
    pointer = ctypes.c_void_p()
    assert HIP.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096)) == 0
    assert pointer.value is not None
    yield pointer.value
    assert HIP.hipFree(pointer) == 0


def launch(kernel: Compiled, x: int, out: int) -> None:
    """softmax of rows at ``x`` into rows at ``out``, device addresses, on hip:0."""
    device = runtime.open_device("hip:0")
    shape, strides = (ROWS, COLUMNS), (COLUMNS, 1)
    views = tuple(Memory(address, shape, strides, 4, True, "f32") for address in (x, out))
    device.kernel(kernel).launch(device, views, 0)


def test_a_kernel_runs(memory: int) -> None:
    device = runtime.open_device("hip:0")
    assert device.target == "gfx950" and not device.uses_host_memory
    x = np.random.default_rng(1).standard_normal((ROWS, COLUMNS)).astype(np.float32)
    out = np.zeros_like(x)
    copy(memory, x.ctypes.data, x.nbytes, TO_DEVICE)
    launch(compiled(), memory, memory + 2048)
    device.handle.synchronize(0)
    copy(out.ctypes.data, memory + 2048, out.nbytes, TO_HOST)
    powers = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(out, powers / powers.sum(axis=1, keepdims=True), rtol=2e-6)


def test_a_missing_device() -> None:
    with pytest.raises(tegula.DeviceError, match="no device hip:5, HIP has 2"):
        runtime.open_device("hip:5")


def test_a_damaged_object(memory: int) -> None:
    damaged = with_code(compiled(), b"\x7fELF\x02" + bytes(200))
    with pytest.raises(tegula.LaunchError, match=r"hipModuleLoadData: .*\(200\)"):
        launch(damaged, memory, memory + 2048)


def test_an_object_for_the_other_target(memory: int) -> None:
    with pytest.raises(tegula.Error, match="gfx942"):
        launch(compiled("gfx942"), memory, memory + 2048)
    disguised = with_code(compiled(), compiled("gfx942").code_object)
    with pytest.raises(tegula.LaunchError, match=r"hipErrorNoBinaryForGpu \(209\)"):
        launch(disguised, memory, memory + 2048)


def test_a_missing_kernel(memory: int) -> None:
    kernel = compiled()
    renamed = dataclasses.replace(kernel, manifest={**kernel.manifest, "kernel": "softmin"})
    with pytest.raises(tegula.LaunchError, match=r"hipErrorNotFound \(500\)"):
        launch(renamed, memory, memory + 2048)


def test_a_fault_of_a_launch(memory: int) -> None:
    with pytest.raises(tegula.LaunchError, match=r"hipErrorIllegalAddress \(700\)"):
        launch(compiled(), memory, memory + (1 << 40))
