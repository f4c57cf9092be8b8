"""Devices and launches: the thin layer between a compiled kernel and a real or simulated device.

Nothing here compiles; a code object and its manifest are all that a launch needs.
"""

from __future__ import annotations

from .devices import Device, current_device, default_device_name, device, open_device
from .launching import launch

__all__ = [
    "Device",
    "current_device",
    "default_device_name",
    "device",
    "launch",
    "open_device",
]
