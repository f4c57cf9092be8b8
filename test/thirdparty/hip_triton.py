"""A Triton kernel launched as on a GPU: Triton's own HIP driver, memory of hipMalloc.

Run by test_hip.py in a process of its own, because Triton keeps one driver a process.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import triton
from triton.backends.amd.driver import HIPDriver

from triton_kernels import vector_add

hip = ctypes.CDLL(os.environ["TRITON_LIBHIP_PATH"])
TO_DEVICE, TO_HOST = 1, 2


class Buffer:
    """Device memory that Triton takes for a tensor: it has a dtype and a data pointer."""

    def __init__(self, contents: np.ndarray) -> None:
        self.dtype = contents.dtype.name
        self.contents = contents
        pointer = ctypes.c_void_p()
        assert hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(contents.nbytes)) == 0
        self.pointer = pointer
        self._copy(pointer, contents.ctypes.data_as(ctypes.c_void_p), TO_DEVICE)

    def _copy(self, to: Any, source: Any, kind: int) -> None:
        assert hip.hipMemcpy(to, source, ctypes.c_size_t(self.contents.nbytes), kind) == 0

    def data_ptr(self) -> int:
        assert self.pointer.value is not None
        return self.pointer.value

    def numpy(self) -> np.ndarray:
        result = np.empty_like(self.contents)
        self._copy(result.ctypes.data_as(ctypes.c_void_p), self.pointer, TO_HOST)
        return result


class Driver(HIPDriver):
    """Triton asks PyTorch for the current device and stream; PyTorch here has no GPU to ask."""

    def __init__(self) -> None:
        super().__init__()
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0
        self.get_device_capability = lambda device=0: (9, 5)


def main() -> None:
    driver = Driver()
    triton.runtime.driver.set_active(driver)
    print(driver.get_current_target(), driver.utils.get_device_properties(0))
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 1000)).astype(np.float32)
    out, first, second = Buffer(np.zeros_like(a)), Buffer(a), Buffer(b)
    vector_add[(4,)](out, first, second, 1000, BLOCK=256)
    assert np.array_equal(out.numpy(), a + b)
    print("vector_add is right")


if __name__ == "__main__":
    main()
