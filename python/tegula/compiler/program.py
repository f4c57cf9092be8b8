"""The compiler as a program: where it is, and what it prints when it is run once."""

from __future__ import annotations

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


#: What each program said of itself, and the state of the files that decided it.
_described: dict[Path, tuple[dict[Path, object], dict[str, Any]]] = {}


def description() -> dict[str, Any]:
    """``compiler``, the build of it and of the LLVM it runs with, and ``targets``, their tables.

    Asked again when the program or a library of LLVM's is another: starting the program takes
    longer than a warm launch.
    """
    path = program()
    files, found = _described.get(path, ({}, {}))
    if not files or any(_state(file) != state for file, state in files.items()):
        state = _state(path)
        found = json.loads(output("--list-targets"))
        libraries = map(Path, found["libraries"])
        _described[path] = ({path: state, **{file: _state(file) for file in libraries}}, found)
    return found


def _state(file: Path) -> object:
    """What differs once a file is replaced or written to; None when it is gone."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def build_id() -> str:
    """Names the build that makes code objects: two of one name make the same ones."""
    name: str = description()["compiler"]
    return name


def c_header(manifest: str) -> str:
    """C declarations for the manifest of a kernel that was compiled ahead of time."""
    return output("--header", "-", given=manifest)
