"""The tools of the compiler on text between stages, for tests that change IR behind its back."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

from tegula.compiler.service import Compiled

#: Where the build puts tools, those of test/support included; set by conftest.py.
tools = Path("build/bin")


def tool(name: str, text: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([tools / name, "-", *options], input=text.encode(), capture_output=True)


def passes(text: str, *names: str, verify: bool = True) -> subprocess.CompletedProcess[bytes]:
    pipeline = f"--pass-pipeline=builtin.module({','.join(names)})"
    return tool("tegula-test-opt", text, pipeline, f"--verify-each={int(verify)}")


def code_object(cdna: str, target: str, *mutate: str) -> bytes:
    """From cdna text, through passes that change it, the compiler's own and the back end."""
    lowered = passes(cdna, *mutate, "tegula-rocdl", verify=not mutate)
    assert lowered.returncode == 0, lowered.stderr.decode()
    options = ("--from", "rocdl", "--emit", "object", "--target", target, "-o", "-")
    result = tool("tegula-compile", lowered.stdout.decode(), *options)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def with_code(kernel: Compiled, code: bytes) -> Compiled:
    """With another code object, of which the manifest can't tell that it is not its own."""
    manifest = {name: value for name, value in kernel.manifest.items() if name != "code"}
    return dataclasses.replace(kernel, manifest=manifest, code_object=code)
