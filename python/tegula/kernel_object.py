"""Kernels: what ``@tg.kernel`` makes of a function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from tegula import knobs, runtime, targets
from tegula.compiler import service
from tegula.compiler.service import Compiled
from tegula.errors import (
    ArgumentError,
    Error,
    NotWarm,
    ScheduleError,
    Span,
    SyntaxNotSupported,
)
from tegula.frontend import specialise
from tegula.frontend.arrays import warm_key
from tegula.frontend.context import Dependency
from tegula.frontend.definition import Definition, Parameter, define
from tegula.frontend.module import Module, Specialisation, trace
from tegula.frontend.schedule import schedule_text
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
        if function.__code__ is not self.code:
            return False
        for dependency in self.dependencies:  # noqa: SIM110  all() takes twice as long
            if not dependency.holds():
                return False
        return True


@dataclass(frozen=True)
class Call:
    """A launch, and how calls that look alike give its arguments."""

    launch: Launch
    names: tuple[str, ...]  #: of those by position
    rest: dict[str, Any]  #: those that are left to their defaults
    scalars: tuple[Parameter, ...]  #: of which only the Python type is known

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by name, as they lie in memory. All that could be wrong with arrays is in the
        key by which the call was found."""
        bound = {**dict(zip(self.names, args, strict=True)), **self.rest, **kwargs}
        for parameter in self.scalars:
            bound[parameter.name] = specialise.check_scalar(parameter, bound[parameter.name])
        for name, rank in self.launch.collapse:
            bound[name] = specialise.collapsed(name, bound[name], rank)
        return as_stored(bound)


class Kernel(Launchable):
    """A compiled-on-demand kernel. Calling it launches on the arrays' device.

    A call compiles at most once per specialisation: element types, unit strides, alignment to 16, 8
    or 4 bytes, constants and tile extents, target and schedule; extents are not part of it.
    """

    def __init__(
        self,
        function: FunctionType,
        grid: Callable[..., Any],
        fastmath: frozenset[str],
        denormals: str,
        debug: bool,
        asserts: bool,
    ) -> None:
        self.function = function
        remember(function)
        self._grid = grid
        self._fastmath = fastmath
        self._denormals = denormals
        self._debug = debug
        self._asserts = asserts
        self._schedules: dict[str, Mapping[str, Any]] = {}
        self._definition: tuple[Any, Definition] | None = None
        self._warm: dict[Any, Call] = {}
        self._launches: dict[Any, Launch] = {}
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<tg.kernel {self.function.__name__}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Kernel:
        return self  # nothing of it changes but caches

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as a name, like a function: it is imported where it is read."""
        name = (self.function.__module__, self.function.__qualname__)
        return _named, (*name, self._schedules, self._debug)

    @property
    def definition(self) -> Definition:
        """Parameters and tree; read again when the function's code changed."""
        code = self.function.__code__
        if self._definition is None or self._definition[0] is not code:
            self._definition = (code, define(self.function))
        return self._definition[1]

    def with_schedule(self, **schedules: Mapping[str, Any]) -> Kernel:
        """The same kernel with schedules by target: ``with_schedule(gfx950=dict(waves=(2, 4)))``.

        ``waves``: rows and columns of the waves of a workgroup, 1 to 16 in all. ``mma``: the matrix
        instruction's shape. ``stages``: tiles of an operand in LDS at a time, 1 to 5. ``lds``: how
        operands get there, "direct", "register" or "none". ``raster``: order of the workgroups,
        dict(group=8, xcd=True). ``split_k``: parts of a sum. ``persistent``: workgroups walk over
        tiles. ``occupancy``: workgroups that are to share a compute unit. ``pingpong``: of the two
        groups of waves that share the SIMDs one multiplies while the other moves data.

        Fields left out are predicted. ScheduleError names a field or target that does not exist;
        one that is illegal for a kernel is refused when that is compiled, with what is legal.
        """
        for target, fields in schedules.items():
            if target not in targets.names():
                raise ScheduleError(
                    f"no target '{target}'",
                    label="front.schedule.target",
                    help=targets.others(target),
                )
            schedule_text(fields)
        return self._changed(_schedules={**self._schedules, **schedules})

    def with_debug(self, debug: bool = True) -> Kernel:
        """The same kernel as a debug build, or not: ``kernel.with_debug()(x, y)``.

        A debug build checks ``tg.assert_`` and every index that must lie inside its view.
        """
        return self._changed(_debug=bool(debug))

    def _changed(self, **fields: Any) -> Kernel:
        changed = Kernel.__new__(Kernel)
        changed.__dict__.update(self.__dict__, _warm={}, _launches={}, **fields)
        return changed

    # --- Compiling ---------------------------------------------------------------------------

    def trace(self, *args: Any, target: str | None = None, **kwargs: Any) -> Module:
        """Tile IR of this kernel as the front end writes it, for these arguments."""
        target = self._target(target, args, kwargs)
        resolved = self._resolve(args, kwargs, target)
        return self._trace(resolved, target)

    def signature(self, *args: Any, **kwargs: Any) -> Signature:
        """What a specialisation for arguments like these takes for granted, to be stated in a file.

        Compiling for it gives the code object that a call with them runs; it prints as it is
        written. Tiles that are left to ``tg.auto`` are chosen for the arguments' extents.
        """
        bound = specialise.bind(self.definition, args, kwargs)
        return specialise.signature_of(self.definition, bound)

    def compile(self, *args: Any, target: str | None = None, **kwargs: Any) -> Compiled:
        """Code object and manifest for arguments like these, or for a ``tg.Signature``.

        Without ``target`` it is the target of the device that a call would use.
        """
        target = self._target(target, args, kwargs)
        return self._launch_of(self._resolve(args, kwargs, target), target).compiled

    def ir(self, stage: str, *args: Any, target: str | None = None, **kwargs: Any) -> str:
        """Text after a stage: ``tile``, ``cdna``, ``rocdl``, ``llvm`` or ``asm``.

        ``trace(…).text`` is what the compiler is given, which ``tegula-compile`` takes.
        """
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
        """What was compiled: tiles, schedule, workgroup, resources, warnings and remarks."""
        target = self._target(target, args, kwargs)
        resolved = self._resolve(args, kwargs, target)
        compiled = self._launch_of(resolved, target).compiled
        manifest = compiled.manifest
        lines = [compiled.title]
        lines.append(f"  schedule  {manifest.get('schedule') or 'predicted'}")
        lines.append(f"  workgroup {manifest['block'][0]} lanes, {manifest['lds_bytes']} bytes LDS")
        resources = manifest.get("resources") or {}
        lines.append("  resources " + ", ".join(f"{k} {v}" for k, v in resources.items()))
        lines += [f"  {said['severity']:<9} {said['message']}" for said in compiled.remarks]
        return "\n".join(lines)

    def interpret(self, *args: Any, **kwargs: Any) -> None:
        """Run the body on NumPy, workgroup by workgroup; a debugger stops inside it.

        Where Python or NumPy cannot go on, the error is the one that the compiler has for the line.
        Denormals are kept, whatever the kernel's ``denormals`` and ``fastmath`` allow.
        """
        from tegula import interpreter

        named = kwargs.pop("target", None)
        target = targets.checked(named) if named else _target_in_force() or targets.names()[-1]
        resolved = self._resolve(args, kwargs, target)
        try:
            with formats_of(target):
                interpreter.run(self.function, self._grid, self.definition, resolved)
        except Error:
            raise
        except Exception as problem:
            refusal = self._refusal(resolved, target, interpreter.raised(problem.__traceback__))
            if refusal is None:
                raise
            raise refusal from problem

    def _refusal(self, resolved: Resolved, target: str, place: Span | None) -> Error | None:
        """What the compiler says of this line; None if it has nothing against it."""
        try:
            service.run(self._trace(resolved, target), target, "tile")
        except Error as refusal:
            where = refusal.span
            same = place and where and (where.file, where.line) == (place.file, place.line)
            return refusal if same and refusal.label else None
        return None

    def _device_of(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Device:
        try:
            return _device_of((*args, *kwargs.values()))
        except ArgumentError:
            specialise.bind(
                self.definition, args, kwargs
            )  # a call that is wrong as such goes first
            raise

    def _target(self, target: str | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        if target is None:
            return self._device_of(args, kwargs).target
        return targets.checked(target)

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
            self._debug,
            self._asserts,
        )
        return trace(self.function, self.definition, special)

    def _launch_of(
        self, resolved: Resolved, target: str, before: Callable[[], None] = lambda: None
    ) -> Launch:
        """The compiled specialisation; traces and compiles when it is new or sources changed.

        ``before`` is called before that, and raises where no compile may be.
        """
        constants = tuple((name, type(v), v) for name, v in resolved.constants.items())
        key = (target, tuple(resolved.types.items()), constants)
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
        device = self._device_of(args, kwargs)
        given = (*args, *kwargs.values())
        if stream is None:
            stream = None if device.uses_host_memory else _current_stream(given)
        elif type(stream) is not int or not 0 <= stream < 2**64:
            raise ArgumentError("stream", repr(stream), "the handle of a stream, an integer")
        key = self._warm_key(device.target, args, kwargs)
        warm = self._warm.get(key) if key is not None else None
        if warm is not None and warm.launch.current(self.function):
            runtime.launch(warm.launch.compiled, warm.bound(args, kwargs), stream, device)
            return
        resolved = self._resolve(args, kwargs, device.target)
        launch = self._launch_of(resolved, device.target, lambda: self._no_capture(device, stream))
        if key is not None:
            self._warm[key] = self._call_like(launch, args, kwargs)
        runtime.launch(launch.compiled, as_stored(resolved.values), stream, device)

    def _call_like(self, launch: Launch, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        parameters = self.definition.arguments
        names = tuple(p.name for p in parameters)
        bound = specialise.bind(self.definition, args, kwargs)
        rest = {n: bound[n] for n in names[len(args) :] if n not in kwargs}
        scalars = tuple(p for p in parameters if p.kind == "scalar")
        return Call(launch, names[: len(args)], rest, scalars)

    def _no_capture(self, device: Device, stream: int | None) -> None:
        if device.is_capturing(stream or 0):
            raise NotWarm(
                f"{self.function.__name__} is not compiled for these arguments, and a graph is "
                "being captured: call it once with them before the capture"
            )

    def _warm_key(self, target: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Everything that checks and specialisation look at; None when a value has no hash."""
        named: tuple[Any, ...] = ()
        if kwargs:
            names = {p.name for p in self.definition.constants}
            named = tuple(
                (n, (type(v), v) if n in names else warm_key(v)) for n, v in kwargs.items()
            )
        key = (target, tuple(map(warm_key, args)), named)
        try:
            hash(key)
        except TypeError:
            return None
        return key


def _named(module: str, name: str, schedules: dict[str, Mapping[str, Any]], debug: bool) -> Kernel:
    """The kernel that a pickle names."""
    found = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    kernel: Kernel = found  # type: ignore[assignment]
    kernel = kernel.with_schedule(**schedules) if schedules else kernel
    return kernel if kernel._debug == debug else kernel.with_debug(debug)


def as_stored(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name as they lie in memory."""
    if Scales not in map(type, arguments.values()):
        return arguments
    return {name: stored(value) for name, value in arguments.items()}


def _target_in_force() -> str | None:
    """The target of the device that a ``with`` block or the environment names, if one does."""
    return runtime.current_device().target if runtime.default_device_name() else None


def _device_of(values: Sequence[Any]) -> Device:
    """The device of a call; a Signature has none."""
    if _OTHERS.isdisjoint(map(type, values)):
        return runtime.device_of(values)
    if any(isinstance(value, Signature) for value in values):
        known = ", ".join(targets.names())
        raise ArgumentError(
            "target", None, "a target", f"a Signature needs target=, one of {known}"
        )
    return runtime.device_of([stored(value) for value in values])


#: Arguments that are neither arrays nor scalars.
_OTHERS = frozenset({Signature, Scales})


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
    debug: bool | None = None,
    asserts: bool = False,
) -> Callable[[Callable[..., None]], Kernel]:
    """Declare a kernel: ``@tg.kernel(grid=lambda x: (x.shape[0],))``.

    ``grid`` is a lambda over parameters of the kernel that gives one to three axes, or
    ``tg.num_tiles(view, shape)``. ``fastmath`` is a set of LLVM's flag names; ``denormals`` is
    ``"preserve"`` or ``"flush"``. ``debug=True`` makes it a debug build, which checks
    ``tg.assert_`` and every index that must lie inside its view (default: whether TEGULA_DEBUG is
    set when the kernel is declared); ``asserts=True`` keeps the assertions alone.
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

    for option, value in (("debug", debug), ("asserts", asserts)):
        if not (isinstance(value, bool) or (option == "debug" and value is None)):
            raise SyntaxNotSupported(
                f"{option} is True or False, not {value!r}", label="front.syntax.option"
            )

    def decorate(function: Callable[..., None]) -> Kernel:
        if not isinstance(function, FunctionType):
            raise TypeError(f"@tg.kernel decorates a function, not {type(function).__name__}")
        is_debug = knobs.get("debug") if debug is None else debug
        return Kernel(function, grid, flags, denormals, is_debug, asserts)

    return decorate
