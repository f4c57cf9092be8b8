"""1,000 files of tile IR spoilt at random: each gets a diagnostic, and the worker lives on."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest
from corpus import CORPUS, PRELUDE
from ir_mutators import MUTATORS
from loading import load_module

from tegula.compiler.pool import pool

COUNT, SEED = 1000, 20261130


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The corpus as tile IR, without locations."""
    folder: Path = tmp_path_factory.mktemp("corpus")
    texts = {}
    for name, (text, arguments) in CORPUS.items():
        kernel = getattr(load_module(PRELUDE + text, folder), name)
        texts[name] = re.sub(r" loc\([^\n]*", "", kernel.trace(*arguments(), target="gfx950").text)
    return texts


def spoilt_files(originals: dict[str, str]) -> list[tuple[str, str]]:
    """(mutator, text) of the first COUNT different ones."""
    seen: dict[str, str] = {}
    for number in itertools.count():
        if len(seen) == COUNT:
            return [(mutator, text) for text, mutator in seen.items()]
        r = random.Random(SEED * 100_003 + number)
        mutator = MUTATORS[number % len(MUTATORS)]
        text = mutator(originals[r.choice(sorted(originals))].splitlines(), r)
        if text is not None:
            seen.setdefault(text, mutator.__name__)
    raise AssertionError


def compile_text(text: str) -> tuple[dict[str, object], bytes]:
    request = {
        "text": text,
        "filename": "k.mlir",
        "target": "gfx950",
        "emit": "object",
        "options": {},
    }
    return pool().request(request)


def test_the_originals_compile(originals: dict[str, str]) -> None:
    for name, text in originals.items():
        reply, payload = compile_text(text)
        assert reply["ok"] and payload.startswith(b"\x7fELF"), name


def test_spoilt_files(originals: dict[str, str]) -> None:
    files = spoilt_files(originals)
    assert {mutator for mutator, _ in files} == {mutator.__name__ for mutator in MUTATORS}
    faults = []
    for mutator, text in files:
        reply, payload = compile_text(text)
        said = reply.get("diagnostics") or []
        assert isinstance(said, list)
        if (
            reply.get("ok")
            or reply.get("internal")
            or payload
            or not said
            or not said[0]["message"]
        ):
            faults.append(f"--- {mutator}: {str(reply)[:300]}\n{text[:3000]}")
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:10])


@pytest.mark.parametrize("depth", [257, 200_000])
def test_nesting_has_a_limit(depth: int) -> None:
    reply, _ = compile_text('"foo.bar"() {a = %s} : () -> ()' % ("[" * depth + "]" * depth))
    said = reply["diagnostics"]
    assert isinstance(said, list) and said[0]["label"] == "compile.nesting.c1"
    assert f"{depth + 1} deep" in said[0]["message"]


@pytest.mark.parametrize("terms", ["d0" + " + d0" * 200_000, "-" * 200_000 + "d0"])
def test_affine_maps_are_not_read(terms: str) -> None:
    reply, _ = compile_text(f'"foo.bar"() {{a = affine_map<(d0) -> ({terms})>}} : () -> ()')
    said = reply["diagnostics"]
    assert isinstance(said, list) and said[0]["label"] == "compile.nesting.c2"
