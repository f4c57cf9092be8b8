"""The compiler as a program: where it is, and what it prints when it is run once."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

from tegula import knobs
from tegula.errors import InternalError


def program() -> Path:
    """The compiler; InternalError says where it was looked for."""
    path = Path(knobs.get("native_dir")) / "bin" / "tegula-compile"
    if not path.exists():
        raise InternalError(
            f"the compiler is not built: no {path}",
            help="build it with `make build`, or set TEGULA_NATIVE_DIR",
        )
    return path


def output(*arguments: str, given: str | None = None) -> str:
    """What the compiler prints; ``given`` is its standard input."""
    command = [str(program()), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode:
        asked = " ".join(arguments)
        raise InternalError(f"tegula-compile {asked} failed: {done.stderr.strip()}")
    return done.stdout


def description() -> dict[str, Any]:
    """``compiler``, the build of it and of the LLVM it runs with, and ``targets``, their tables."""
    path = program()
    status = path.stat()
    return _description(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _description(path: Path, size: int, changed: int) -> dict[str, Any]:
    """Asked once a process and build: starting the program takes longer than a warm launch."""
    described: dict[str, Any] = json.loads(output("--list-targets"))
    return described


def build_id() -> str:
    """Names the build that makes code objects: two of one name make the same ones."""
    name: str = description()["compiler"]
    return name


def c_header(manifest: str) -> str:
    """C declarations for the manifest of a kernel that was compiled ahead of time."""
    return output("--header", "-", given=manifest)
