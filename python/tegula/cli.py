"""The command line: ``tegula targets``, ``tegula env``, ``tegula compile``."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tegula import knobs
from tegula.compiler import service
from tegula.errors import ArgumentError, Error
from tegula.kernel_object import Kernel
from tegula.language import dtypes
from tegula.language.markers import Signature, array
from tegula.targets import TARGETS


def targets_table(description: Any) -> Table:
    """One column a target, one row a fact; matrix shapes are counted."""
    rows = description["targets"] if isinstance(description, dict) else description
    table = Table("", *(str(target["name"]) for target in rows), title="Targets")
    for fact in dict.fromkeys(name for target in rows for name in target if name != "name"):
        table.add_row(fact, *(_cell(target.get(fact)) for target in rows))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"{len(value)} rows"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def show_targets(as_json: bool) -> None:
    """Print what the compiler knows of each target."""
    text = service.list_targets()
    if as_json:
        print(text, end="")
    else:
        Console().print(targets_table(json.loads(text)))


def show_env() -> None:
    """Print every knob with the value in force."""
    table = Table(title="Knobs")
    for column in ("variable", "value", "meaning"):
        table.add_column(column, overflow="fold")
    for row in knobs.table():
        table.add_row(*row)
    Console().print(table)


def find_kernel(path: str) -> Kernel:
    """The kernel that ``module:name`` names."""
    module, _, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as problem:
        raise ArgumentError("kernel", path, "module:name", f"kernel '{path}': {problem}") from None
    if not isinstance(found, Kernel):
        raise ArgumentError("kernel", type(found).__name__, "a @tg.kernel")
    return found


def parse_entry(text: str, kernel: Kernel) -> tuple[str, Any]:
    """``x=bf16``, ``x=bf16:?,1`` (strides), ``eps=f32``, ``N=4096``, ``mode=rceil``."""
    name, equals, value = text.partition("=")
    parameters = {p.name: p for p in kernel.definition.parameters}
    if not equals:
        raise ArgumentError("argument", text, "name=value")
    parameter = parameters.get(name)
    if parameter is not None and parameter.kind in ("view", "scalar"):
        word, _, strides = value.partition(":")
        dtype = next((t for t in dtypes.ALL if t.name == word), None)
        if dtype is None:
            raise ArgumentError(name, word, " | ".join(t.name for t in dtypes.ALL))
        if parameter.kind == "scalar":
            return name, dtype
        given = tuple(None if s == "?" else int(s) for s in strides.split(",")) if strides else None
        return name, array(dtype, len(parameter.extents), strides=given)
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def compile_kernel(arguments: argparse.Namespace) -> None:
    """Write code object and manifest, or print the text of a stage."""
    kernel = find_kernel(arguments.kernel)
    signature = Signature(**dict(parse_entry(text, kernel) for text in arguments.arguments))
    if arguments.emit != "object":
        print(kernel.ir(arguments.emit, signature, target=arguments.target), end="")
        return
    compiled = kernel.compile(signature, target=arguments.target)
    print(compiled.save(Path(arguments.output)))


def parser() -> argparse.ArgumentParser:
    """Arguments of the command line."""
    top = argparse.ArgumentParser(prog="tegula", description="Kernels for AMD CDNA GPUs")
    commands = top.add_subparsers(dest="command", required=True)
    targets = commands.add_parser("targets", help="what is known of each target")
    targets.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("env", help="environment variables and their values")
    compile_ = commands.add_parser("compile", help="compile a kernel ahead of time")
    compile_.add_argument("kernel", help="module:name, such as tegula.kernels:rms_norm")
    compile_.add_argument("arguments", nargs="*", help="x=bf16 eps=f32 N=4096 x=bf16:1,?")
    compile_.add_argument("--target", required=True, help=", ".join(TARGETS))
    compile_.add_argument("--emit", default="object", choices=service.STAGES)
    compile_.add_argument("-o", "--output", default=".", help="folder (default: the current one)")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; errors go to standard error with exit status 1."""
    arguments = parser().parse_args(argv)
    try:
        if arguments.command == "targets":
            show_targets(arguments.json)
        elif arguments.command == "env":
            show_env()
        else:
            compile_kernel(arguments)
    except Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
