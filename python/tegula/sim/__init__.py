"""The simulated device by itself: run anyone's gfx942 or gfx950 code object and see what is wrong.

    device = tegula.sim.Device("gfx950")
    kernel = device.load("kernel.co")["vector_add"]
    run = kernel.launch(4, 256, out, a, b, np.int32(1000))
    print(run.stats.total)

Arrays are NumPy arrays or torch CPU tensors and are used where they lie. A launch with error
findings raises ``tegula.SanitizerReport``, whose ``findings`` are objects.
"""

from __future__ import annotations

from .debugger import Debugger, Event, Heat, WaveState
from .device import (
    NUMERICS,
    Device,
    Kernel,
    KernelArgument,
    KernelInfo,
    Module,
    Run,
    Stats,
    instructions,
)
from .findings import Finding
from .triton import launch_triton

__all__ = [
    "NUMERICS",
    "Debugger",
    "Device",
    "Event",
    "Finding",
    "Heat",
    "Kernel",
    "KernelArgument",
    "KernelInfo",
    "Module",
    "Run",
    "Stats",
    "WaveState",
    "instructions",
    "launch_triton",
]
