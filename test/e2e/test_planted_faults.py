"""Faults planted into compiled products, behind the passes that would not make them.

Each is refused by a verifier, with a label, or found by the simulated device: by a sanitizer, or by
a result that is not the product. What would make neither speak is not a fault that matters.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
from stages import passes, tool, with_code
from tegula import runtime
from tegula.kernels import gemm

KIND = ml_dtypes.bfloat16
Edit = Callable[[str], str]


@dataclass(frozen=True)
class Victim:
    """A product of two whole tiles each way and a masked rest of K, for one target."""

    target: str
    cdna: str
    compiled: Any
    arguments: dict[str, np.ndarray]

    def rocdl(self) -> str:
        lowered = passes(self.cdna, "tegula-rocdl")
        assert lowered.returncode == 0, lowered.stderr.decode()
        return lowered.stdout.decode()

    def runs_wrong(self, code: bytes) -> bool:
        """A sanitizer speaks, or the numbers are wrong."""
        arguments = {**self.arguments, "c": np.full_like(self.arguments["c"], np.nan)}
        try:
            with tegula.device(f"sim:{self.target}"):
                runtime.launch(with_code(self.compiled, code), arguments)
        except (tegula.SanitizerReport, tegula.errors.LaunchError):
            return True
        a, b = (self.arguments[name].astype(np.float32) for name in ("a", "b"))
        return not np.array_equal(arguments["c"], a @ b)


@functools.cache
def victim(target: str) -> Victim:
    tiles = dict(BM=128, BN=128, BK=64 if target == "gfx950" else 32)
    m, n, k = 2 * 128, 2 * 128, tiles["BK"] * 5 + 24
    stages = 3 if target == "gfx950" else 2
    rng = np.random.default_rng(7)
    a, b = rng.integers(-2, 3, (m, k)).astype(KIND), rng.integers(-2, 3, (n, k)).astype(KIND).T
    c = np.zeros((m, n), np.float32)
    kernel = gemm.with_schedule(**{target: dict(stages=stages, waves=(2, 2))})
    compiled = kernel.compile(a, b, c, **tiles, target=target)
    text = kernel.ir("cdna", a, b, c, **tiles, target=target)
    return Victim(target, text, compiled, {"a": a, "b": b, "c": c})


def object_of(rocdl: str, target: str) -> bytes:
    options = ("--from", "rocdl", "--emit", "object", "--target", target, "-o", "-")
    made = tool("tegula-compile", rocdl, *options)
    assert made.returncode == 0, made.stderr.decode()
    return made.stdout


def change(pattern: str, replacement: str, which: int = 0) -> Edit:
    """Match number ``which`` of the pattern replaced (-1: the last, None of them: an error)."""

    def edit(text: str) -> str:
        matches = list(re.finditer(pattern, text, re.MULTILINE))
        assert matches, f"nothing like {pattern}"
        match = matches[which]
        changed = text[: match.start()] + match.expand(replacement) + text[match.end() :]
        assert changed != text
        return changed

    return edit


def everywhere(pattern: str, replacement: str) -> Edit:
    def edit(text: str) -> str:
        changed, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert count and changed != text, f"nothing like {pattern}"
        return changed

    return edit


def behind(mark: str, edit: Edit) -> Edit:
    """The edit on the text from the first `mark` on."""

    def apply(text: str) -> str:
        at = text.index(mark)
        return text[:at] + edit(text[at:])

    return apply


def in_loop(edit: Edit) -> Edit:
    return behind("scf.for", edit)


def swapped(first: str, second: str) -> Edit:
    """Two neighbouring stretches of text change places."""
    return change(f"({first})({second})", r"\2\1")


LINE = r"^ *{}.*\n"
WAIT, BARRIER = LINE.format("cdna.wait_count"), LINE.format("cdna.barrier")
ROWS = r"xor = \[1, 2, 4\]"
COPY = LINE.format(r"%\d+ = cdna.async_copy")

#: On the cdna text: (name, target, edit). The verifiers see the result.
PLANTED: list[tuple[str, str, Edit]] = [
    ("prologue waits for nothing", "gfx950", change(WAIT, "")),
    ("loop waits for nothing", "gfx950", in_loop(change(WAIT, ""))),
    ("loop waits for one copy less", "gfx950", in_loop(change(r"vm = 8", "vm = 9"))),
    ("loop does not wait for its reads", "gfx950", in_loop(change(r"lgkm = 0", "lgkm = 15"))),
    ("no barrier in the loop", "gfx950", in_loop(change(BARRIER, ""))),
    ("no barrier in front of the loop", "gfx950", change(BARRIER, "")),
    ("stores to LDS are not waited for", "gfx942", in_loop(change(r"lgkm = 0", "lgkm = 15"))),
    ("no barrier behind stores to LDS", "gfx942", in_loop(change(BARRIER, ""))),
    ("copy above the barrier", "gfx950", in_loop(swapped(f"{BARRIER}(?:.*\n)*?", COPY))),
    ("a slot is filled twice", "gfx950", change(r"cdna.slot (%\d+) 1", r"cdna.slot \1 0")),
    ("the ring turns too far", "gfx950", in_loop(change(r"by = 1", "by = 2"))),
    (
        "lanes fetch without the swizzle",
        "gfx950",
        everywhere(r"\[1, 8\], \[2, 16\], \[4, 32\]\]", "[1, 0], [2, 0], [4, 0]]"),
    ),
    (
        "a view reads by another swizzle",
        "gfx950",
        in_loop(
            change(f"(lds_view .*-> .*){ROWS}(>\n.*lds_load .*){ROWS}", r"\1xor = [2]\2xor = [2]")
        ),
    ),
    ("two buffers share bytes", "gfx950", change(r"offset = 16384", "offset = 0")),
    ("stages share bytes", "gfx950", everywhere(r"stage_stride = \d+", "stage_stride = 16384")),
    ("LDS ends too early", "gfx950", change(r"lds_bytes = \d+", "lds_bytes = 1024")),
    ("operands in the other order", "gfx950", in_loop(change(r"\", swapped\}", '"}'))),
    (
        "the second fragment is the first",
        "gfx950",
        in_loop(change(r"(lds_view .*)\[0, 32\] \[128, 32\]", r"\1[0, 0] [128, 32]")),
    ),
    ("refills run past the end", "gfx950", in_loop(everywhere(r" where %\w+", ""))),
    ("a rest that is not masked", "gfx950", everywhere(r"compare\]", "none]")),
]

#: On the llvm text, where no verifier of ours looks any more.
BELOW: list[tuple[str, str, Edit]] = [
    (
        "reads leave the swizzle out",
        "gfx950",
        behind("rocdl.s.barrier", change(r"llvm.xor (%\d+), %\d+", r"llvm.or \1, \1", 1)),
    ),
    (
        "k is counted in half tiles",
        "gfx950",
        change(r"(raw.ptr.buffer.load.lds %\d+, %\d+, %\d+, %\d+, )%\d+(, (%\d+))", r"\1\3\2", -1),
    ),
    ("no wait in the loop", "gfx950", change(r"rocdl.s.waitcnt 120\n", "\n")),
    ("no barrier in the loop", "gfx950", change(r"rocdl.s.barrier\n", "\n", 1)),
    (
        "reads claim not to meet copies, and no wait makes it true",
        "gfx950",
        everywhere(r"rocdl.s.waitcnt \d+\n", "\n"),
    ),
]


def outcome(name: str, target: str, edit: Edit, below: bool) -> str:
    kernel = victim(target)
    if below:
        return "device" if kernel.runs_wrong(object_of(edit(kernel.rocdl()), target)) else "nobody"
    lowered = passes(edit(kernel.cdna), "tegula-rocdl")
    if lowered.returncode:
        labels = re.findall(rb"error: .*\[((?:cdna|tile)\.[a-z0-9_.]+)\]", lowered.stderr)
        assert labels, lowered.stderr.decode()[:2000]
        return labels[0].decode()
    wrong = kernel.runs_wrong(object_of(lowered.stdout.decode(), target))
    return "device" if wrong else "nobody"


@pytest.mark.parametrize("name, target, edit", PLANTED, ids=[name for name, _, _ in PLANTED])
def test_a_fault_is_refused_or_found(name: str, target: str, edit: Edit) -> None:
    assert outcome(name, target, edit, below=False) != "nobody"


@pytest.mark.parametrize("name, target, edit", BELOW, ids=[name for name, _, _ in BELOW])
def test_a_fault_below_the_verifiers_is_found(name: str, target: str, edit: Edit) -> None:
    assert outcome(name, target, edit, below=True) == "device"


#: Wrong promises about aliasing alone, on the llvm text. They need not show in the code that LLVM
#: makes today.
SCOPES: list[tuple[str, Edit]] = [
    (
        "a read promises not to meet reads",
        change(
            r"(\{alias_scopes = (\[.*?\]),.*?)noalias_scopes = \[.*?\]", r"\1noalias_scopes = \2"
        ),
    ),
    (
        "a read belongs to the copies",
        change(
            r"\{alias_scopes = \[.*?\](,.*?noalias_scopes = (\[.*?\]))", r"{alias_scopes = \2\1"
        ),
    ),
    (
        "a copy promises not to meet reads",
        change(
            r"(raw.ptr.buffer.load.lds .*?)\{alias_scopes = (\[.*?\])\}",
            r"\1{alias_scopes = \2, noalias_scopes = \2}",
        ),
    ),
    (
        "a copy has no scope",
        change(r"(raw.ptr.buffer.load.lds .*?) \{alias_scopes = \[.*?\]\}", r"\1"),
    ),
]


@pytest.mark.parametrize("name, edit", SCOPES, ids=[name for name, _ in SCOPES])
def test_a_wrong_alias_scope_is_refused(name: str, edit: Edit) -> None:
    text = edit(victim("gfx950").rocdl())
    options = ("--from", "rocdl", "--emit", "object", "--target", "gfx950", "-o", "-")
    refused = tool("tegula-compile", text, *options)
    assert refused.returncode != 0 and b"[cdna.scope.c2]" in refused.stderr, refused.stderr


def test_scopes_are_not_attached_without_a_proof() -> None:
    text = (
        victim("gfx950")
        .cdna.replace("cdna.waits_inserted, ", "")
        .replace(", cdna.waits_inserted", "")
    )
    refused = passes(text, "tegula-rocdl")
    assert refused.returncode != 0 and b"[cdna.scope.c1]" in refused.stderr


def test_there_are_twenty() -> None:
    assert len(PLANTED) + len(BELOW) + 1 >= 20


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_what_is_not_changed_runs_right(target: str) -> None:
    kernel = victim(target)
    assert not kernel.runs_wrong(object_of(kernel.rocdl(), target))
