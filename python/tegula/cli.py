"""The command line: ``tegula targets``, ``tegula env``, ``tegula compile``, ``tegula layout``."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

from tegula import knobs, layouts, pictures
from tegula import targets as known_targets
from tegula.aot import compile_ahead
from tegula.compiler import service
from tegula.compiler.program import description
from tegula.errors import ArgumentError, Error
from tegula.kernel_object import Kernel
from tegula.language import dtypes
from tegula.language.dtypes import DType
from tegula.language.markers import ArraySpec, Signature, array


def targets_table(described: dict[str, Any]) -> Table:
    """One column a target, one row a fact; matrix shapes are counted."""
    rows = described["targets"]
    table = Table("", *(str(target["name"]) for target in rows), title="Targets")
    for fact in dict.fromkeys(name for target in rows for name in target if name != "name"):
        table.add_row(fact, *(_cell(target.get(fact)) for target in rows))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict) or (
        isinstance(value, list) and value and isinstance(value[0], dict)
    ):
        return f"{len(value)} rows"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def show_targets(as_json: bool) -> None:
    """Print what the compiler knows of each target."""
    described = description()
    if as_json:
        print(json.dumps(described))
    else:
        Console().print(targets_table(described))


def show_env() -> None:
    """Print every knob with the value in force."""
    table = Table(title="Environment variables")
    for column in ("variable", "value", "meaning"):
        table.add_column(column, overflow="fold")
    for row in knobs.table():
        table.add_row(*row)
    Console().print(table)


def find_kernel(path: str) -> Kernel:
    """The kernel that ``module:name`` or ``path/to/file.py:name`` names."""
    module, _, name = path.rpartition(":")
    if not (module and name):
        raise ArgumentError("kernel", path, "module:name or file.py:name")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` does: a module here can be named
    try:
        loaded = _load_file(Path(module)) if module.endswith(".py") else import_module(module)
        found = getattr(loaded, name)
    except Error:
        raise
    except (Exception, SystemExit) as problem:  # whatever the user's module raises
        text = f"kernel '{path}': {_told(problem, module)}"
        raise ArgumentError("kernel", path, "module:name or file.py:name", text) from None
    if not isinstance(found, Kernel):
        raise ArgumentError("kernel", type(found).__name__, "a @tg.kernel")
    return found


def _told(problem: BaseException, file: str) -> str:
    """What an import raised; of an exception of the module's own code, the line, too."""
    if isinstance(problem, (ImportError, AttributeError, OSError)):
        return str(problem)
    frames = traceback.extract_tb(problem.__traceback__)
    own = next((frame for frame in reversed(frames) if frame.filename.endswith(file)), None)
    line = f"{own.filename}:{own.lineno}: " if own is not None else ""
    return f"{line}{type(problem).__name__}: {problem}"


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"'{path}' is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def parse_entry(text: str, kernel: Kernel) -> tuple[str, Any]:
    """``x=bf16``, ``x=bf16:?,1@2`` (strides, alignment), ``eps=f32``, ``N=4096``."""
    name, equals, value = text.partition("=")
    parameters = {p.name: p for p in kernel.definition.parameters}
    if not equals:
        raise ArgumentError("argument", text, "name=value")
    parameter = parameters.get(name)
    if parameter is not None and parameter.kind == "scalar":
        return name, _dtype(name, value)
    if parameter is not None and parameter.kind == "view":
        return name, _array(name, value, len(parameter.extents))
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _dtype(name: str, word: str) -> DType:
    found = next((t for t in dtypes.ALL if t.name == word), None)
    if found is None:
        raise ArgumentError(name, word, " | ".join(t.name for t in dtypes.ALL))
    return found


def _array(name: str, text: str, rank: int) -> ArraySpec:
    """Of ``bf16``, ``bf16:1,?``, ``bf16:-512,1`` or ``bf16:?,1@2``."""
    parts = re.fullmatch(r"(\w+)(?::((?:\?|-?\d+)(?:,(?:\?|-?\d+))*))?(?:@(\d+))?", text)
    if parts is None:
        raise ArgumentError(name, text, "TYPE, TYPE:STRIDES or TYPE:STRIDES@ALIGN")
    word, strides, align = parts.groups()
    known = tuple(None if s == "?" else int(s) for s in strides.split(",")) if strides else None
    if known is not None and len(known) != rank:
        raise ArgumentError(name, f"{len(known)} strides", f"{rank}")
    return array(_dtype(name, word), rank, strides=known, align=int(align or 16))


def compile_kernel(arguments: argparse.Namespace) -> None:
    """Write code objects, manifest and C header, or print the text of a stage."""
    kernel = find_kernel(arguments.kernel)
    if arguments.debug:
        kernel = kernel.with_debug()
    entries: dict[str, Any] = {}
    for text in arguments.signature:
        name, value = parse_entry(text, kernel)
        if name in entries:
            raise ArgumentError(name, f"'{text}' after another value", "one value a name")
        entries[name] = value
    signature = Signature(**entries)
    targets = arguments.target or list(known_targets.names())
    if arguments.emit != "bundle":
        for target in targets:
            print(kernel.ir(arguments.emit, signature, target=target), end="")
        return
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        print(compile_ahead(kernel, signature, targets, arguments.output))


def _show_warning(message: Warning | str, *_place: Any, **_line: Any) -> None:
    """As errors are shown: no line of a program led to it."""
    print(f"warning: {message}", file=sys.stderr)


def draw_layout(arguments: argparse.Namespace) -> None:
    """Write the picture of a layout, or of the LDS banks that its accesses to a buffer take."""
    layout = layouts.Layout.parse(arguments.layout)
    if arguments.lds is None:
        extents = re.fullmatch(r"\d+(x\d+)*", arguments.shape or "")
        if extents is None:
            raise ArgumentError("shape", arguments.shape, "extents as in 64x64, or --lds")
        picture = pictures.tile(layout, tuple(map(int, extents[0].split("x"))))
    else:
        buffer = layouts.Buffer.parse(arguments.lds)
        if len(buffer.shape) != layout.rank:
            raise ArgumentError("lds", f"rank {len(buffer.shape)}", f"the layout's {layout.rank}")
        target = arguments.target or known_targets.names()[-1]
        known_targets.checked(target)
        phases = known_targets.facts(target)["lds_phases"]
        found = layouts.instructions(layout, buffer, phases, arguments.use)
        width = max(4, found[0].width)
        picture = pictures.banks(found, phases[f"{arguments.use}_{width}"]["banks"])
    if arguments.output == "-":
        print(picture, end="")
    else:
        Path(arguments.output).write_text(picture, encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    """Arguments of the command line."""
    top = argparse.ArgumentParser(prog="tegula", description="Kernels for AMD CDNA GPUs")
    top.add_argument("--version", action="version", version=f"tegula {version('tegula')}")
    commands = top.add_subparsers(dest="command", required=True)
    targets = commands.add_parser("targets", help="what is known of each target")
    targets.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("env", help="environment variables and their values")
    compile_ = commands.add_parser(
        "compile",
        help="compile a kernel ahead of time",
        description="Compile a kernel for arrays of given types: code objects, a manifest and a C "
        "header, or the text of a stage.",
        epilog="tegula compile tegula.kernels:gemm --signature a=bf16 'b=bf16:1,?' c=f32 -o out",
    )
    compile_.add_argument("kernel", help="module:name or file.py:name, tegula.kernels:gemm")
    compile_.add_argument(
        "--signature",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="arrays by element type, strides if it isn't the last axis that has stride 1, and "
        "alignment in bytes if it is below 16 (x=bf16, b=bf16:1,?, x=bf16@2); a negative stride "
        "must be stated (x=bf16:-512,1); scalars by type (eps=f32); constants and extents by value "
        "(N=4096)",
    )
    compile_.add_argument(
        "--target",
        action="append",
        help="one of those that `tegula targets` lists; may be repeated (default: all)",
    )
    compile_.add_argument(
        "--emit",
        default="bundle",
        choices=(*service.STAGES[:-1], "bundle"),
        help="bundle (default): code objects, manifest and C header; else the text of a stage",
    )
    compile_.add_argument(
        "--debug", action="store_true", help="check assertions, and indices against their views"
    )
    compile_.add_argument("-o", "--output", default=".", help="folder (default: this one)")
    _add_layout(commands)
    return top


def _add_layout(commands: Any) -> None:
    layout = commands.add_parser(
        "layout",
        help="draw a layout as SVG",
        description="Draw which wave, lane and register holds each element of a tile or, with "
        "--lds, the banks that accesses to a buffer take.",
    )
    layout.add_argument("layout", help="as --emit cdna prints it: #cdna.layout<reg = […], …>")
    layout.add_argument("shape", nargs="?", help="the tile: 64x64")
    layout.add_argument(
        "--lds",
        metavar="TYPE",
        help="draw the banks of each phase for accesses to this buffer instead: !cdna.lds<…>",
    )
    layout.add_argument("--use", default="read", choices=("read", "write"), help="of the buffer")
    layout.add_argument("--target", help="whose banks (default: the newest)")
    layout.add_argument("-o", "--output", default="-", help="file (default: standard output)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; errors go to standard error with exit status 1."""
    arguments = parser().parse_args(argv)
    try:
        if arguments.command == "targets":
            show_targets(arguments.json)
        elif arguments.command == "env":
            show_env()
        elif arguments.command == "layout":
            draw_layout(arguments)
        else:
            compile_kernel(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Error as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
