"""Which device runs a kernel, and how it is opened."""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import Any

from .. import knobs
from ..errors import (
    ArgumentError,
    DeviceError,
    Error,
    LaunchError,
    NotWarm,
    SanitizerReport,
)
from ..native import binding
from .accesses import Accesses
from .failures import failed_assertion

_selected: contextvars.ContextVar[Device | None] = contextvars.ContextVar("device", default=None)
_lock = threading.Lock()
_opened: dict[tuple[str, tuple[tuple[str, Any], ...]], Device] = {}


def native() -> ModuleType:
    """The binding of the runtime's C API."""
    return binding("_runtime")


@dataclass
class KernelUse:
    """A kernel loaded on one device.

    ``accesses`` is empty unless the device was opened with ``count_accesses``.
    """

    compiled: Any
    program: Any
    accesses: Accesses = field(default_factory=Accesses)

    def launch(self, on: Device, arguments: tuple[Any, ...], stream: int) -> None:
        """Launch on arguments as :func:`tegula.runtime.launching.describe` gives them."""
        try:
            report = self.program.launch(arguments, stream)
        except native().RuntimeFailure as failure:
            status, text, refusal = failure.args
            raise exception_of(on, status, text, refusal, self.compiled.places) from None
        if report:
            names = [argument["name"] for argument in self.compiled.manifest["arguments"]]
            arrays = {n: a for n, a in zip(names, arguments, strict=True) if hasattr(a, "shape")}
            self.accesses.add(report, {name: _address(array) for name, array in arrays.items()})

    @property
    def launches(self) -> int:
        """Launches since the last reset."""
        return int(self.program.launches)

    @property
    def instructions(self) -> dict[str, int]:
        """Wave-instructions that its launches executed since the last reset, by class."""
        executed: dict[str, int] = self.program.executed
        return executed

    def __str__(self) -> str:
        compiled = self.compiled
        constants = ", ".join(f"{k}={v}" for k, v in compiled.constants.items())
        name = f"{compiled.kernel} for {compiled.target}" + (f" ({constants})" if constants else "")
        counts = ", ".join(f"{kind} {n:,}" for kind, n in self.instructions.items() if n)
        lines = [name, f"  {'executed':<10} {counts}"]
        return "\n".join([*lines, *filter(None, [str(self.accesses)])])


def _address(array: Any) -> int:
    return int(array.address if hasattr(array, "address") else native().address_of(array))


class Device:
    """An open device, real (``hip:0``) or simulated (``sim:gfx950``).

    A simulated device takes ``threads`` (0: all cores), ``sanitizers`` (on), ``seed`` (0: waves in
    order, else an order drawn from it), ``limit`` (instructions a wave may execute, 0: none) and
    ``count_accesses`` (off; bank conflicts and memory traffic of each kernel in ``usage()``).
    Raises ``DeviceError`` if there is no such device.
    """

    def __init__(
        self,
        name: str,
        *,
        threads: int = 0,
        sanitizers: bool = True,
        seed: int = 0,
        limit: int = 0,
        count_accesses: bool = False,
    ) -> None:
        for option, value, bits in (
            ("threads", threads, 32),
            ("seed", seed, 64),
            ("limit", limit, 64),
        ):
            if not isinstance(value, int) or not 0 <= value < 2**bits:
                raise ArgumentError(option, repr(value), f"an integer from 0 to 2^{bits} - 1")
        self.name = name
        self.uses: dict[int, KernelUse] = {}  # by id of the compiled kernel, which each keeps alive
        try:
            self.handle = native().Device(
                name, threads, bool(sanitizers), seed, limit, bool(count_accesses)
            )
        except native().RuntimeFailure as failure:
            raise DeviceError(failure.args[1]) from None
        self.target: str = self.handle.arch
        self.uses_host_memory: bool = self.handle.uses_host_memory

    def counters(self) -> dict[str, int]:
        """Executed wave-instructions by class since the last reset (zeros on real devices)."""
        counters: dict[str, int] = self.handle.counters()
        return counters

    def is_capturing(self, stream: int) -> bool:
        """Whether work on the stream (a handle; 0: the default one) is captured in a graph."""
        with translated(self):
            return bool(self.handle.is_capturing(stream))

    def reset_counters(self) -> None:
        """Set to zero what ``counters`` gives, and forget the accesses of each kernel so far."""
        self.handle.reset_counters()
        for use in self.uses.values():
            use.program.reset()
            use.accesses.clear()

    def kernel(self, compiled: Any) -> KernelUse:
        """The launchable form of ``compiled``, loaded on first use."""
        use = self.uses.get(id(compiled))
        if use is None:
            with translated(self):
                record = json.dumps(compiled.manifest)
                use = KernelUse(compiled, self.handle.program(record, compiled.code_object))
            self.uses[id(compiled)] = use
        return use

    def usage(self) -> list[KernelUse]:
        """The kernels launched since the last reset, in order of their first launch."""
        return [use for use in self.uses.values() if use.launches]

    def __repr__(self) -> str:
        return f"tegula.Device({self.name!r})"


@contextmanager
def translated(on: Device) -> Iterator[None]:
    """Turn a failure of the native runtime into the public exception."""
    try:
        yield
    except native().RuntimeFailure as failure:
        raise exception_of(on, *failure.args) from None


def exception_of(
    on: Device,
    status: str,
    text: str,
    refusal: tuple[str, str, str],
    lines: Mapping[tuple[str, int], str] = MappingProxyType({}),
) -> Error:
    """The public exception for a status of the native runtime, its text and its refusal.

    ``refusal`` is (argument, found, expected), empty where no argument is to blame. ``lines`` are
    lines of source by (file, line), where they are known.
    """
    if status == "assertion failed":
        return failed_assertion(native().failure(), lines, _findings(on))
    if status == "sanitizer findings":
        return SanitizerReport(f"{on.name}: {_findings(on)}")
    if refusal[0]:
        return ArgumentError(*refusal)
    if status == "no such device":
        return DeviceError(text)
    if status == "not warm":
        return NotWarm(text)
    return LaunchError(f"{on.name}: {status}: {text}")


def _findings(on: Device) -> str:
    """What the sanitizers have found, and forget then."""
    count, report = on.handle.findings()
    on.handle.clear_findings()
    return f"{count} finding{'s' if count != 1 else ''}\n{report}" if count else ""


def open_device(name: str, **options: Any) -> Device:
    """Open a device by name, or return the one already open with the same options."""
    key = (name, tuple(sorted(options.items())))
    with _lock:
        if key not in _opened:
            _opened[key] = Device(name, **options)
        return _opened[key]


@contextmanager
def device(name: str | Device, **options: Any) -> Iterator[Device]:
    """Select the device of NumPy arrays and CPU tensors within the block."""
    if not isinstance(name, (str, Device)):
        raise ArgumentError("name", repr(name), 'a device or its name, as in "sim:gfx950"')
    chosen = name if isinstance(name, Device) else open_device(name, **options)
    token = _selected.set(chosen)
    try:
        yield chosen
    finally:
        _selected.reset(token)


def default_device_name() -> str | None:
    """The name in force: the innermost ``tegula.device`` block, else the knob, else None."""
    selected = _selected.get()
    return selected.name if selected is not None else knobs.get("device")


def current_device() -> Device:
    """The device in force. Raises ``ArgumentError`` if none is: there is no silent default."""
    selected = _selected.get()
    if selected is not None:
        return selected
    name = knobs.get("device")
    if name is None:
        from tegula import targets  # asks the compiler, which nothing else here needs

        choices = ", ".join((*(f"sim:{target}" for target in targets.names()), "hip:0"))
        raise ArgumentError(
            "device",
            None,
            "a device",
            "no device is selected for arrays in host memory: use `with tegula.device(name):` "
            f"or set TEGULA_DEVICE; devices are {choices}",
        )
    try:
        return open_device(name)
    except DeviceError as error:
        raise DeviceError(f"{error.message} (the name is that of TEGULA_DEVICE)") from None
