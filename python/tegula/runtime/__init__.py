"""Devices and launches: the thin layer between a compiled kernel and a real or simulated device.

Nothing here compiles; a code object and its manifest are all that a launch needs.
"""

from __future__ import annotations

from .accesses import Access, Accesses, ArgumentTraffic, Traffic
from .determinism import deterministic
from .devices import Device, Overlap, current_device, default_device_name, device, open_device
from .launching import device_of, is_tensor, launch, overlapping
from .program import Program, load_program

__all__ = [
    "Access",
    "Accesses",
    "ArgumentTraffic",
    "Device",
    "Overlap",
    "Program",
    "Traffic",
    "current_device",
    "default_device_name",
    "deterministic",
    "device",
    "device_of",
    "is_tensor",
    "launch",
    "load_program",
    "open_device",
    "overlapping",
]
