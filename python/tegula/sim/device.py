"""Devices, code objects and launches of the simulator, over include/tegula/sim.h."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, DeviceError, LaunchError, SanitizerReport
from ..native import binding
from .arguments import KernelArgument, array_names, described, memory_bounds, pack
from .debugger import Debugger
from .findings import Finding

#: How matrix instructions add up floats, by name.
NUMERICS = ("fma-chain", "cdna3-fused")  # in the order of tgs_numerics
TRANSCENDENTALS = ("exact", "1ulp")
SCHEDULES = ("fifo", "random", "adversarial")  # in the order of tgs_schedule
Dims = int | Sequence[int]


@dataclass(frozen=True)
class Stats:
    """Executed wave-instructions of a launch by class, and what it took on the host.

    ``ordered_by`` says why one thread ran it although more were allowed, "" if it didn't: results
    don't depend on the number of threads.
    """

    total: int
    valu: int
    salu: int
    mfma: int
    lds: int
    vmem: int
    smem: int
    other: int
    workgroups: int
    waves: int
    suppressed: int  # findings that nobody wants to see
    seconds: float = field(compare=False)
    threads: int = field(compare=False)
    ordered_by: str = field(compare=False)
    numerics: str


@dataclass(frozen=True)
class Run:
    """A launch that ran to its end."""

    stats: Stats
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class KernelInfo:
    """Resources of a kernel: bytes (``scratch_bytes`` a work-item), registers a wave."""

    kernarg_bytes: int
    lds_bytes: int
    scratch_bytes: int
    vgprs: int
    agprs: int
    sgprs: int
    max_workgroup_size: int
    arguments: tuple[KernelArgument, ...]  # hidden ones included


def instructions() -> list[tuple[str, str, str]]:
    """(mnemonic, target, encoding) of every form that devices execute."""
    found: list[tuple[str, str, str]] = binding("_sim").instructions()
    return found


class Device:
    """A simulated ``gfx942`` or ``gfx950``, independent of every other.

    ``sanitizers`` turns every check on or off. ``schedule`` is "fifo" (each wave to its barrier),
    "random" (waves and slices drawn from ``seed``) or "adversarial" (one wave of a workgroup waits
    as long as another can run); the last two use one thread. ``threads`` 0 is one a CPU;
    ``unordered_threads`` uses them also where results depend on the order of workgroups.
    ``instruction_limit`` stops a wave that executes more (0: 2^40), ``seconds_limit`` a launch that
    takes longer on the host (0: none). ``max_findings`` is a launch's number of reports of one kind
    (0: 20); the last of them says how many more there are. ``numerics`` says how matrix
    instructions add up floats: "fma-chain" (one fused multiply-add after the other, k ascending) or
    "cdna3-fused" (as published for gfx942, an approximation on gfx950). ``transcendentals`` are
    "exact" (correctly rounded) or off by what the hardware states ("1ulp"). ``suppressions`` drop
    findings: "kind", "kind:kernel-glob", "kind:kernel-glob:0xPC" or "…:LINE", kinds as reports name
    them, "*" any. With ``late_loads`` a register holds a load's result only from the ``s_waitcnt``
    on that covers it, so that results show what a missing wait does. Raises ``DeviceError`` for an
    unknown target or suppression.
    """

    def __init__(
        self,
        target: str,
        *,
        sanitizers: bool = True,
        schedule: str = "fifo",
        seed: int = 0,
        threads: int = 0,
        unordered_threads: bool = False,
        instruction_limit: int = 0,
        seconds_limit: float = 0,
        max_findings: int = 0,
        numerics: str = "fma-chain",
        transcendentals: str = "exact",
        suppressions: Sequence[str] = (),
        late_loads: bool = False,
    ) -> None:
        if schedule not in SCHEDULES:
            raise ArgumentError("schedule", schedule, " or ".join(SCHEDULES))
        if numerics not in NUMERICS:
            raise ArgumentError("numerics", numerics, " or ".join(NUMERICS))
        if transcendentals not in TRANSCENDENTALS:
            raise ArgumentError("transcendentals", transcendentals, " or ".join(TRANSCENDENTALS))
        self.target = target
        self._native = binding("_sim")
        try:
            self._handle = self._native.Device(
                target=target,
                sanitizers=self._native.SANITIZE_ALL if sanitizers else 0,
                schedule=SCHEDULES.index(schedule),
                seed=unsigned("seed", seed, 64),
                threads=unsigned("threads", threads, 32),
                instruction_limit=unsigned("instruction_limit", instruction_limit, 64),
                seconds_limit=seconds_limit,
                max_findings=unsigned("max_findings", max_findings, 32),
                unordered_threads=unordered_threads,
                numerics=NUMERICS.index(numerics),
                transcendental_error=transcendentals == "1ulp",
                suppressions="\n".join(suppressions),
                late_loads=late_loads,
            )
        except self._native.SimFailure as failure:
            raise DeviceError(failure.args[1]) from None

    def load(self, code: bytes | str | os.PathLike[str]) -> Module:
        """A code object, from its bytes or a file. Raises ``LaunchError`` if it is none."""
        if not isinstance(code, bytes):
            code = Path(code).read_bytes()
        with self._translated():
            return Module(self, self._handle.load(code))

    def malloc(self, size: int, *, defined: bool = True) -> int:
        """Address of ``size`` zero bytes between guard pages, until ``free``.

        With ``defined`` False they count as never written: a kernel that lets them decide something
        before it wrote them is reported ("uninitialised"), as on memory fresh from hipMalloc.
        """
        with self._translated():
            address: int = self._handle.malloc(unsigned("size", size, 64), bool(defined))
        return address

    def free(self, address: int) -> None:
        """Give back what ``malloc`` returned; a kernel that touches it then is reported."""
        with self._translated():
            self._handle.free(unsigned("address", address, 64))

    def _findings(self) -> tuple[Finding, ...]:
        return tuple(Finding.of(one) for one in self._handle.findings())

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn a failed call into the public exception, which takes the findings with it."""
        try:
            yield
        except self._native.SimFailure as failure:
            status, text = failure.args
            found = self._findings()
            self._handle.clear_findings()
            if status == "findings":
                raise SanitizerReport(_report(self.target, found), findings=found) from None
            raise LaunchError(f"sim:{self.target}: {status}: {text}", findings=found) from None

    def __repr__(self) -> str:
        return f"tegula.sim.Device({self.target!r})"


def _report(target: str, findings: Sequence[Finding]) -> str:
    count = len(findings)
    head = f"sim:{target}: {count} finding{'s' if count != 1 else ''}"
    return "\n".join([head, *(f.text for f in findings)])


class Module(Mapping[str, "Kernel"]):
    """A loaded code object: its kernels by name."""

    def __init__(self, device: Device, handle: Any) -> None:
        self.device = device
        self._handle = handle
        self._names: list[str] = handle.kernel_names()

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._names:
            raise KeyError(f"no kernel {name}; the code object has {', '.join(self._names)}")
        return Kernel(self.device, name, self._handle.kernel(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def disassemble(self) -> str:
        """The text of the whole ``.text`` section, one instruction a line."""
        text: str = self._handle.disassemble()
        return text


class Kernel:
    """A kernel of a code object."""

    def __init__(self, device: Device, name: str, handle: Any) -> None:
        self.device = device
        self.name = name
        self._handle = handle
        values = handle.describe()
        arguments = tuple(KernelArgument(*a) for a in values.pop("arguments"))
        self.info = KernelInfo(**values, arguments=arguments)

    def launch(
        self,
        grid: Dims,
        block: Dims,
        *args: Any,
        lds: int = 0,
        memory: Sequence[Any] = (),
        check: bool = True,
    ) -> Run:
        """Run ``grid`` workgroups of ``block`` work-items (1 to 3 extents) to their end.

        ``args`` are the explicit arguments in order: arrays (their address; not copied; those of
        NumPy in C order, other views by an int and ``memory``), NumPy scalars, ints, floats, bytes
        of a struct, None (a null pointer). ``lds`` is dynamic LDS in bytes; ``memory`` holds arrays
        that kernels reach by other ways than an argument.

        Raises ``SanitizerReport`` on findings that are errors, unless ``check`` is False, and
        ``LaunchError`` if the launch is refused or stopped.
        """
        kernarg, memories = pack(self.info.arguments, args)
        memories += [described(array, "memory") for array in memory]
        extents = dims("grid", grid), dims("block", block)
        names = array_names(self.info.arguments, args)
        rest = unsigned("lds", lds, 32), kernarg, memory_bounds(memories), names
        self.device._handle.clear_findings()
        return self._outcome(lambda: self._handle.launch(*extents, *rest), check)

    def debug(
        self,
        grid: Dims,
        block: Dims,
        *args: Any,
        lds: int = 0,
        memory: Sequence[Any] = (),
    ) -> Debugger:
        """The same launch, stopped before its first instruction; it keeps the device busy."""
        kernarg, memories = pack(self.info.arguments, args)
        memories += [described(array, "memory") for array in memory]
        names = array_names(self.info.arguments, args)
        rest = unsigned("lds", lds, 32), kernarg, memory_bounds(memories), names
        self.device._handle.clear_findings()
        with self.device._translated():
            handle = self.device._native.Debugger(
                self._handle, dims("grid", grid), dims("block", block), *rest
            )
        return Debugger(self, handle, (args, memory))

    def _outcome(self, launch: Callable[[], None], check: bool) -> Run:
        try:
            with self.device._translated():
                launch()
            found = self.device._findings()
        except SanitizerReport as report:
            if check:
                raise
            found = report.findings
        return Run(Stats(**self.device._handle.stats()), found)

    def __repr__(self) -> str:
        return f"tegula.sim.Kernel({self.name!r})"


def unsigned(name: str, value: Any, bits: int) -> int:
    """An int of ``bits`` bits. ArgumentError if it is none."""
    try:
        number = operator.index(value)
    except TypeError:  # arrays have __index__ too
        number = -1
    if not 0 <= number < 1 << bits:
        raise ArgumentError(name, repr(value), f"an integer of 0 to 2^{bits} - 1")
    return number


def dims(name: str, extents: Dims) -> tuple[int, int, int]:
    """Three extents from one to three of them: an int, a list or a tuple."""
    given = list(extents) if isinstance(extents, Sequence) else [extents]
    if not 1 <= len(given) <= 3:
        raise ArgumentError(name, f"{len(given)} extents", "1 to 3")
    x, y, z = (unsigned(name, e, 32) for e in [*given, 1, 1][:3])
    return x, y, z
