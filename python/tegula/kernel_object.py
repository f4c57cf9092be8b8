"""Kernels: what ``@tg.kernel`` makes of a function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from tegula import runtime, targets
from tegula.compiler import service
from tegula.compiler.service import Compiled
from tegula.errors import (
    ArgumentError,
    NotWarm,
    ScheduleError,
    SyntaxNotSupported,
    UnsupportedOnTarget,
)
from tegula.frontend import specialise
from tegula.frontend.arrays import warm_key
from tegula.frontend.context import Dependency
from tegula.frontend.definition import Definition, define
from tegula.frontend.module import Module, Specialisation, trace
from tegula.frontend.schedule import schedule_text
from tegula.frontend.scope import nearest
from tegula.frontend.specialise import Resolved
from tegula.language.dtypes import formats_of
from tegula.language.function import Launchable
from tegula.language.markers import Signature
from tegula.language.scales import Scales, stored
from tegula.language.text import remember
from tegula.runtime import Device, is_tensor

FASTMATH = frozenset({"contract", "reassoc", "nnan", "ninf", "nsz", "arcp", "afn"})


@dataclass(frozen=True)
class Launch:
    """What a warm call needs: the code object, and the state of the sources it was made from."""

    compiled: Compiled
    code: Any
    dependencies: tuple[Dependency, ...]
    collapse: tuple[tuple[str, int], ...]

    def current(self, function: FunctionType) -> bool:
        """Whether neither the kernel nor anything it read from outside has changed."""
        return function.__code__ is self.code and all(d.holds() for d in self.dependencies)


class Kernel(Launchable):
    """A compiled-on-demand kernel. Calling it launches on the arrays' device.

    A call compiles at most once per specialisation: element types, unit strides, alignment to 16, 8
    or 4 bytes, constants and tile extents, target and schedule; extents are not part of it. Arrays
    are taken to be apart; a call that writes one which overlaps another compiles once more.
    """

    def __init__(
        self,
        function: FunctionType,
        grid: Callable[..., Any],
        fastmath: frozenset[str],
        denormals: str,
    ) -> None:
        self.function = function
        remember(function)
        self._grid = grid
        self._fastmath = fastmath
        self._denormals = denormals
        self._schedules: dict[str, Mapping[str, Any]] = {}
        self._definition: tuple[Any, Definition] | None = None
        self._warm: dict[Any, Launch] = {}
        self._launches: dict[Any, Launch] = {}
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<tg.kernel {self.function.__name__}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Kernel:
        return self  # nothing of it changes but caches

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as a name, like a function: it is imported where it is read."""
        return _named, (self.function.__module__, self.function.__qualname__, self._schedules)

    @property
    def definition(self) -> Definition:
        """Parameters and tree; read again when the function's code changed."""
        code = self.function.__code__
        if self._definition is None or self._definition[0] is not code:
            self._definition = (code, define(self.function))
        return self._definition[1]

    def with_schedule(self, **schedules: Mapping[str, Any]) -> Kernel:
        """The same kernel with schedules by target: ``with_schedule(gfx950=dict(waves=(2, 4)))``.

        Fields left out are predicted. ScheduleError names a field or target that does not exist.
        """
        for target, fields in schedules.items():
            if target not in targets.names():
                raise ScheduleError(
                    f"no target '{target}'",
                    label="front.schedule.target",
                    help=_other_target(target),
                )
            schedule_text(fields)
        scheduled = Kernel.__new__(Kernel)
        scheduled.__dict__.update(self.__dict__)
        scheduled._schedules = {**self._schedules, **schedules}
        scheduled._warm, scheduled._launches = {}, {}
        return scheduled

    # --- Compiling ---------------------------------------------------------------------------

    def trace(self, *args: Any, target: str | None = None, **kwargs: Any) -> Module:
        """Tile IR of this kernel as the front end writes it, for these arguments."""
        target = self._target(target, args, kwargs)
        resolved = self._resolve(args, kwargs, target)
        return self._trace(resolved, target)

    def compile(self, *args: Any, target: str | None = None, **kwargs: Any) -> Compiled:
        """Code object and manifest for arguments like these, or for a ``tg.Signature``.

        Without ``target`` it is the target of the device that a call would use.
        """
        target = self._target(target, args, kwargs)
        return self._launch_of(self._resolve(args, kwargs, target), target).compiled

    def ir(self, stage: str, *args: Any, target: str | None = None, **kwargs: Any) -> str:
        """Text after a stage: ``tile``, ``cdna``, ``rocdl``, ``llvm`` or ``asm``."""
        stages = service.STAGES[:-1]
        if stage not in stages:
            raise ArgumentError("stage", repr(stage), " | ".join(stages))
        target = self._target(target, args, kwargs)
        module = self.trace(*args, target=target, **kwargs)
        return service.run(module, target, stage)[1].decode()

    def dump(
        self, folder: str | Path, *args: Any, target: str | None = None, **kwargs: Any
    ) -> list[Path]:
        """Write ``folder``/target/NNN-pass.mlir after each pass, then LLVM IR and assembly.

        The paths, in order. Passes that change nothing leave no file; a compile that fails leaves
        those before it.
        """
        target = self._target(target, args, kwargs)
        return service.dump(self.trace(*args, target=target, **kwargs), target, Path(folder))

    def report(self, *args: Any, target: str | None = None, **kwargs: Any) -> str:
        """What was compiled: tiles, schedule, workgroup, resources, remarks."""
        target = self._target(target, args, kwargs)
        resolved = self._resolve(args, kwargs, target)
        compiled = self._launch_of(resolved, target).compiled
        manifest = compiled.manifest
        constants = ", ".join(f"{name}={value}" for name, value in resolved.constants.items())
        lines = [f"{compiled.kernel} for {target} ({constants})"]
        lines.append(f"  schedule  {manifest.get('schedule') or 'predicted'}")
        lines.append(f"  workgroup {manifest['block'][0]} lanes, {manifest['lds_bytes']} bytes LDS")
        resources = manifest.get("resources") or {}
        lines.append("  resources " + ", ".join(f"{k} {v}" for k, v in resources.items()))
        lines += [f"  remark    {remark.get('message', remark)}" for remark in compiled.remarks]
        return "\n".join(lines)

    def interpret(self, *args: Any, **kwargs: Any) -> None:
        """Run the body on NumPy, workgroup by workgroup; a debugger stops inside it."""
        from tegula import interpreter

        target = kwargs.pop("target", None) or _target_in_force() or targets.names()[-1]
        resolved = self._resolve(args, kwargs, target)
        with formats_of(target):
            interpreter.run(self.function, self._grid, self.definition, resolved)

    def _target(self, target: str | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        if target is None:
            return _device_of([*args, *kwargs.values()]).target
        if target not in targets.names():
            raise UnsupportedOnTarget(
                f"no target '{target}'", label="front.target.name", help=_other_target(target)
            )
        return target

    def _resolve(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], target: str) -> Resolved:
        bound = specialise.bind(self.definition, args, kwargs)
        with formats_of(target):
            return specialise.resolve(self.definition, bound, target)

    def _trace(self, resolved: Resolved, target: str) -> Module:
        special = Specialisation(
            target,
            resolved.types,
            resolved.constants,
            schedule_text(self._schedules.get(target, {})),
            self._fastmath,
            self._denormals,
            resolved.overlaps,
        )
        return trace(self.function, self.definition, special)

    def _launch_of(
        self, resolved: Resolved, target: str, before: Callable[[], None] = lambda: None
    ) -> Launch:
        """The compiled specialisation; traces and compiles when it is new or sources changed.

        ``before`` is called before that, and raises where no compile may be.
        """
        constants = tuple((name, type(v), v) for name, v in resolved.constants.items())
        key = (target, tuple(resolved.types.items()), constants, resolved.overlaps)
        launch = self._launches.get(key)
        if launch is None or not launch.current(self.function):
            before()
            module = self._trace(resolved, target)
            compiled = service.compile_module(module, target, resolved.constants)
            collapse = tuple(
                (p.name, len(p.extents))
                for p in self.definition.arguments
                if p.extents and p.extents[0].leading
            )
            launch = Launch(compiled, self.function.__code__, module.dependencies, collapse)
            self._launches[key] = launch
        return launch

    # --- Launching ---------------------------------------------------------------------------

    def __call__(self, *args: Any, stream: int | None = None, **kwargs: Any) -> None:
        """Launch on the arrays' device and stream; outputs are arguments. Nothing is returned."""
        device = _device_of([*args, *kwargs.values()])
        if stream is None:
            stream = _current_stream((*args, *kwargs.values()))
        elif type(stream) is not int:
            raise ArgumentError("stream", repr(stream), "the handle of a stream, an integer")
        key = self._warm_key(device.target, args, kwargs)
        launch = self._warm.get(key) if key is not None else None
        resolved = None
        if launch is not None and launch.current(self.function):
            values = specialise.bind(self.definition, args, kwargs)
            for name, rank in launch.collapse:
                values[name] = specialise.collapsed(name, values[name], rank)
        else:
            resolved = self._resolve(args, kwargs, device.target)
            values = resolved.values
            launch = self._launch_on(device, stream, resolved)
            if key is not None:
                self._warm[key] = launch
        values = as_stored(values)
        try:
            runtime.launch(launch.compiled, values, stream, device)
        except runtime.Overlap:
            resolved = resolved or self._resolve(args, kwargs, device.target)
            groups = specialise.grouped(runtime.overlapping(values))
            launch = self._launch_on(device, stream, replace(resolved, overlaps=groups))
            runtime.launch(launch.compiled, values, stream, device)

    def _launch_on(self, device: Device, stream: int | None, resolved: Resolved) -> Launch:
        return self._launch_of(resolved, device.target, lambda: self._no_capture(device, stream))

    def _no_capture(self, device: Device, stream: int | None) -> None:
        if device.is_capturing(stream or 0):
            raise NotWarm(
                f"{self.function.__name__} is not compiled for these arguments, and a graph is "
                "being captured: call it once with them before the capture"
            )

    def _warm_key(self, target: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Everything that checks and specialisation look at; None when a value has no hash."""
        names = {p.name for p in self.definition.constants}
        key = (
            target,
            tuple(warm_key(value) for value in args),
            tuple((n, (type(v), v) if n in names else warm_key(v)) for n, v in kwargs.items()),
        )
        try:
            hash(key)
        except TypeError:
            return None
        return key


def _named(module: str, name: str, schedules: dict[str, Mapping[str, Any]]) -> Kernel:
    """The kernel that a pickle names."""
    found = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    kernel: Kernel = found  # type: ignore[assignment]
    return kernel.with_schedule(**schedules) if schedules else kernel


def _other_target(name: str) -> str:
    known = targets.names()
    return nearest(name, known) or f"targets are {', '.join(known)}"


def as_stored(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name as they lie in memory."""
    if not any(isinstance(value, Scales) for value in arguments.values()):
        return arguments
    return {name: stored(value) for name, value in arguments.items()}


def _target_in_force() -> str | None:
    """The target of the device that a ``with`` block or the environment names, if one does."""
    return runtime.current_device().target if runtime.default_device_name() else None


def _device_of(values: list[Any]) -> Device:
    """The device of a call; a Signature has none."""
    if any(isinstance(value, Signature) for value in values):
        known = ", ".join(targets.names())
        raise ArgumentError(
            "target", None, "a target", f"a Signature needs target=, one of {known}"
        )
    return runtime.device_of([stored(value) for value in values])


def _current_stream(values: Iterable[Any]) -> int | None:
    """The handle of torch's current stream on the GPU that the tensors lie on, else None."""
    for value in values:
        if is_tensor(value) and value.is_cuda:
            import torch

            return int(torch.cuda.current_stream(value.device).cuda_stream)
    return None


_WITH_GRID = "write @tg.kernel(grid=lambda x: (x.shape[0],))"


def kernel(
    definition: Any = None,
    /,
    *,
    grid: Callable[..., Any] | None = None,
    fastmath: Iterable[str] = (),
    denormals: str = "preserve",
) -> Callable[[Callable[..., None]], Kernel]:
    """Declare a kernel: ``@tg.kernel(grid=lambda x: (x.shape[0],))``.

    ``grid`` is a lambda over parameters of the kernel that gives one to three axes, or
    ``tg.num_tiles(view, shape)``. ``fastmath`` is a set of LLVM's flag names; ``denormals`` is
    ``"preserve"`` or ``"flush"``.
    """
    if definition is not None or grid is None:
        raise SyntaxNotSupported(
            "a kernel needs a grid", label="front.syntax.grid", help=_WITH_GRID
        )
    flags = frozenset([fastmath] if isinstance(fastmath, str) else fastmath)
    if not flags <= FASTMATH:
        unknown = ", ".join(sorted(map(str, flags - FASTMATH)))
        raise SyntaxNotSupported(
            f"no fast-math flag {unknown}",
            label="front.syntax.option",
            help=f"fastmath is a set of {', '.join(sorted(FASTMATH))}",
        )
    if denormals not in ("preserve", "flush"):
        raise SyntaxNotSupported(
            f"denormals is 'preserve' or 'flush', not {denormals!r}", label="front.syntax.option"
        )

    def decorate(function: Callable[..., None]) -> Kernel:
        if not isinstance(function, FunctionType):
            raise TypeError(f"@tg.kernel decorates a function, not {type(function).__name__}")
        return Kernel(function, grid, flags, denormals)

    return decorate
