"""Compiling as one call: module, target and stage in, code object or text out."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tegula import knobs
from tegula.advice import warn
from tegula.compiler import cache
from tegula.compiler.diagnostics import error_of
from tegula.compiler.pool import WorkerFailure, pool
from tegula.compiler.program import build_id, program
from tegula.errors import ArgumentError, Error, InternalError
from tegula.frontend.module import Module

#: What ``emit`` may be, in the order of the pipeline.
STAGES = ("tile", "cdna", "rocdl", "llvm", "asm", "object")
#: Counts compiles that no cache answered; tests and ``tegula env`` read it.
compiles = 0
_count_lock = threading.Lock()


@dataclass(frozen=True)
class Compiled:
    """A code object with its manifest, and what the compiler remarked while making it."""

    kernel: str
    target: str
    code_object: bytes = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    remarks: tuple[dict[str, Any], ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict, repr=False)
    constants: dict[str, Any] = field(default_factory=dict)
    #: Text of source lines by (file, line), for what an assertion says.
    places: dict[tuple[str, int], str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def title(self) -> str:
        """What was compiled: ``gemm for gfx950 (BM=16, BN=64, BK=64)``."""
        constants = ", ".join(f"{name}={value}" for name, value in self.constants.items())
        return f"{self.kernel} for {self.target} ({constants})"

    def tile_text(self) -> str:
        """The extents that the kernel was compiled for: ``BM=16 BN=64 BK=64``."""
        extents = ((n, v) for n, v in self.constants.items() if type(v) is int)
        return " ".join(f"{name}={value}" for name, value in extents)


def run(
    module: Module, target: str, emit: str, options: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], bytes]:
    """(reply, payload) of a compile, from the cache if it is there."""
    request = {
        "text": module.text,
        "filename": f"{module.kernel}.mlir",
        "target": target,
        "emit": emit,
        "options": dict(options or {}),
    }
    named = json.dumps(request["options"], sort_keys=True)
    name = cache.key(module.text, target, emit, named, build_id())
    folder = Path(knobs.get("cache_dir")) if knobs.get("cache") else None
    found = cache.read(folder, name) if folder else None
    if found is not None:
        return found
    reply, payload = _ask(module, request)
    kept = {k: reply.get(k) for k in ("ok", "manifest", "timings_ms")}
    # Of a compile that succeeded the diagnostics are warnings.
    kept["remarks"] = [*(reply.get("diagnostics") or ()), *(reply.get("remarks") or ())]
    if folder:
        cache.write(folder, name, kept, payload)
    return kept, payload


def dump(module: Module, target: str, folder: Path) -> list[Path]:
    """Write the module after each pass, LLVM IR and assembly, numbered; what was written.

    A compile that fails leaves what came before, and raises its error.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ArgumentError("folder", str(folder), "a folder to write to", str(problem)) from None
    with tempfile.TemporaryDirectory() as held:
        source = Path(held) / f"{module.kernel}.mlir"  # its name stands in the assembly
        source.write_text(module.text)
        command = [str(program()), str(source), "--target", target, "--emit", "asm"]
        command += ["-o", os.devnull, "--dump", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        run(module, target, "asm")  # the same error, at the user's line
        raise InternalError(done.stderr.strip())
    return sorted((folder / target).iterdir())


def _ask(module: Module, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    global compiles
    with _count_lock:
        compiles += 1
    try:
        reply, payload = pool().request(request)
    except WorkerFailure as failure:
        raise _internal(request, failure.reason, failure.log) from None
    if reply.get("ok"):
        return reply, payload
    error = error_of(module, reply.get("diagnostics") or [])
    if reply.get("internal") or isinstance(error, InternalError):
        raise _internal(request, error.message, str(error), error)
    raise error


def _internal(
    request: dict[str, Any], reason: str, log: str, error: Error | None = None
) -> InternalError:
    """An InternalError with a file that shows it: IR text under a header of comments.

    ``error`` is what the compiler said, with the user's line.
    """
    place: dict[str, Any] = {}
    if error is not None:
        place = {"label": error.label, "span": error.span, "notes": error.notes}
    options = json.dumps(request["options"], sort_keys=True)
    lines = [
        f"// {reason}",
        f"// tegula-compile --target {request['target']} --emit {request['emit']}",
        f"// options {options}",
        *(f"// | {line}" for line in log.splitlines()),
        request["text"],
    ]
    text = "\n".join(lines)
    folder = Path(knobs.get("reproducer_dir"))
    name = f"{request['filename'].removesuffix('.mlir')}-{cache.key(text)[:12]}.mlir"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    except OSError as problem:
        return InternalError(f"{reason} (no reproducer: {problem})", **place)
    return InternalError(reason, reproducer=str(folder / name), **place)


def compile_module(
    module: Module,
    target: str,
    constants: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> Compiled:
    """Compile to a code object. What makes it slow, such as registers that spill, is a warning."""
    reply, payload = run(module, target, "object", options)
    compiled = Compiled(
        module.kernel,
        target,
        payload,
        reply.get("manifest") or {},
        tuple(reply.get("remarks") or ()),
        reply.get("timings_ms") or {},
        dict(constants),
        module.places,
    )
    for said in compiled.remarks:
        if said["severity"] == "warning":
            warn(f"{compiled.title}: {said['message']} [{said.get('label')}]")
    return compiled
