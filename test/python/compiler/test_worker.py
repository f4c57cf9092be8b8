"""The compile client against compilers that crash, hang, babble or answer: scripts instead."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_compiler import GOOD

import tegula as tg
from tegula.compiler import cache, service
from tegula.compiler.program import description
from tegula.kernels import softmax


def compiled(n: int = 64) -> service.Compiled:
    x = np.zeros((4, n), np.float32)
    # A kernel object of its own, so that nothing is remembered in memory.
    return softmax.with_schedule().compile(x, x.copy(), target="gfx950")


def internal(n: int = 64) -> tg.InternalError:
    with pytest.raises(tg.InternalError) as caught:
        compiled(n)
    return caught.value


def test_answer(compiler: Callable[[str], Path]) -> None:
    compiler(GOOD)
    found = compiled()
    assert found.manifest["target"] == "gfx950"
    assert found.tile_text() == "N=64"
    assert found.code_object.startswith(b"tile.kernel @softmax(")


def test_worker_stays_warm(compiler: Callable[[str], Path]) -> None:
    compiler(GOOD)
    first, second = compiled(64).manifest, compiled(65).manifest
    assert first["pid"] == second["pid"] and second["count"] == first["count"] + 1


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("    os.abort()", "ended by signal 6"),
        ("    sys.exit(3)", "ended with status 3"),
        ("    sys.stdout.write('LLVM ERROR: out of ideas'); sys.stdout.flush()", "no frame"),
        ("    x = bytearray(64 << 30)", "ended with status 1"),
        ("    reply({'id': -1, 'ok': True})", "another request"),
        ("    reply({'id': request['id'], 'ok': False, 'internal': True, 'diagnostics': []})", ""),
    ],
)
def test_failure_leaves_a_reproducer(
    compiler: Callable[[str], Path], behaviour: str, reason: str
) -> None:
    folder = compiler(behaviour)
    error = internal()
    assert reason in error.message
    assert error.reproducer is not None and error.reproducer in str(error)
    path = Path(error.reproducer)
    assert path.parent == folder / "reproducers"
    assert "tile.kernel @softmax" in path.read_text()
    assert "--target gfx950 --emit object" in path.read_text()


def test_hang_ends_at_the_deadline(
    compiler: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler("    time.sleep(60)")
    monkeypatch.setenv("TEGULA_COMPILE_TIMEOUT", "0.5")
    start = time.monotonic()
    assert "deadline" in internal().message
    assert time.monotonic() - start < 5


def test_next_request_starts_a_fresh_worker(compiler: Callable[[str], Path]) -> None:
    compiler("    if '65x' in request['text'] or 'x65' in request['text']: os.abort()\n" + GOOD)
    first = compiled(64).manifest["pid"]
    internal(65)
    assert compiled(66).manifest["pid"] != first


@pytest.mark.parametrize("at_once", [True, False])
def test_a_worker_that_was_killed_idle_is_replaced(
    compiler: Callable[[str], Path], at_once: bool
) -> None:
    compiler(GOOD)
    first = compiled(64).manifest["pid"]
    os.kill(first, signal.SIGKILL)
    if not at_once:
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert compiled(65).manifest["pid"] != first


def test_a_compile_that_is_killed_is_an_error(compiler: Callable[[str], Path]) -> None:
    """As the kernel does when memory is short: asking a fresh worker again would not help."""
    compiler("    os.kill(os.getpid(), 9)")
    assert "ended by signal 9" in internal().message


def test_other_libraries_are_another_compiler(compiler: Callable[[str], Path]) -> None:
    """A library of LLVM's is replaced under a program that stays the same."""
    folder = compiler(GOOD)
    script, library = folder / "native" / "bin" / "tegula-compile", folder / "libLLVM.so"
    head, body = script.read_text().split("\n", 1)
    answer = f"""import json, sys
if "--list-targets" in sys.argv:
    described = {{"libraries": [{str(library)!r}], "compiler": open({str(library)!r}).read()}}
    print(json.dumps({{**{description()!r}, **described}}))
    sys.exit()
"""
    script.write_text(f"{head}\n{answer}{body}")
    library.write_text("one build")
    first = compiled()
    assert compiled() == first
    library.write_text("another build")
    assert compiled().manifest["pid"] != first.manifest["pid"]


def test_diagnostic_is_raised_at_the_line(compiler: Callable[[str], Path]) -> None:
    line = next(n for n, t in enumerate(softmax.definition.tree.source.lines, 1) if "tg.exp" in t)
    compiler(f"""
    reply({{"id": request["id"], "ok": False, "diagnostics": [
        {{"severity": "error", "label": "cdna.kernel.c3", "message": "too much",
          "file": "tegula/kernels/softmax.py", "line": {line}, "column": 9}}]}})
""")
    with pytest.raises(tg.LdsBudget) as caught:
        compiled()
    assert caught.value.span is not None and "tg.exp" in caught.value.span.text


def test_cache_answers_without_a_worker(compiler: Callable[[str], Path]) -> None:
    folder = compiler(GOOD)
    first, before = compiled(), service.compiles
    assert compiled() == first and service.compiles == before
    assert not list(folder.glob("cache/*/.new-*"))


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty"])
def test_damaged_entry_is_made_again(compiler: Callable[[str], Path], damage: str) -> None:
    folder = compiler(GOOD)
    first = compiled()
    (path,) = folder.glob("cache/*/*.tgc")
    data = path.read_bytes()
    flipped = data[:50] + bytes([data[50] ^ 1]) + data[51:]
    path.write_bytes({"truncate": data[:-5], "flip": flipped, "empty": b""}[damage])
    with pytest.warns(RuntimeWarning, match="damaged"):
        assert compiled().code_object == first.code_object
    assert path.read_bytes()[:4] == b"TGC1"


def test_unwritable_cache_warns_once(
    compiler: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = compiler(GOOD)
    (folder / "file").write_text("")
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(folder / "file" / "cache"))
    with pytest.warns(RuntimeWarning) as warnings:
        compiled(64)
        compiled(65)
    assert len(warnings) == 1


def test_cache_can_be_turned_off(
    compiler: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = compiler(GOOD)
    monkeypatch.setenv("TEGULA_CACHE", "0")
    compiled()
    assert not (folder / "cache").exists()


def test_threads_compile_side_by_side(compiler: Callable[[str], Path]) -> None:
    compiler("    time.sleep(0.3)\n" + GOOD)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda n=n: found.append(compiled(n))) for n in (40, 41)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    workers = min(4, os.cpu_count() or 1)
    assert len({one.manifest["pid"] for one in found}) == min(2, workers)


def test_missing_compiler_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEGULA_NATIVE_DIR", str(tmp_path))
    with pytest.raises(tg.InternalError, match="the compiler is not built"):
        compiled()


def test_key_keeps_parts_apart() -> None:
    assert cache.key("ab", "c") != cache.key("a", "bc")
