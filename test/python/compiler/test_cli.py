"""The command line: what it prints, and its exit status."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_compiler import GOOD

from tegula import cli, knobs
from tegula.kernels import gemm

TARGETS = [
    {"name": "gfx942", "lds_bytes": 65536, "permlane_swap": False, "mfma": [{"shape": "16x16x16"}]},
    {"name": "gfx950", "lds_bytes": 163840, "permlane_swap": True, "mfma": []},
]
NORM = [
    "tegula.kernels:rms_norm",
    "--signature",
    "x=bf16",
    "w=bf16",
    "out=bf16",
    "rstd=f32",
    "eps=f32",
    "N=512",
]
GEMM = ["--signature", "a=bf16", "b=bf16", "c=f32"]  # its tiles are chosen by target


def test_env_lists_every_knob(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEGULA_COMPILE_TIMEOUT", "7.5")
    assert cli.main(["env"]) == 0
    printed = capsys.readouterr().out.replace("\n", "")
    assert "7.5" in printed and "not set" in printed and "None" not in printed
    for knob in knobs.REGISTRY.values():
        assert knob.variable[:10] in printed


def test_targets(compiler: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = compiler("    pass")
    script = folder / "native" / "bin" / "tegula-compile"
    printed = json.dumps({"compiler": "a build", "libraries": [], "targets": TARGETS})
    script.write_text(f"#!/bin/sh\n[ $1 = --list-targets ] && echo '{printed}'\n")
    assert cli.main(["targets"]) == 0
    table = capsys.readouterr().out
    assert "gfx942" in table and "163840" in table and "1 rows" in table
    assert cli.main(["targets", "--json"]) == 0
    assert capsys.readouterr().out == printed + "\n"
    script.write_text("#!/bin/sh\nexit 1\n")
    assert cli.main(["targets"]) == 1


def test_compile_prints_a_stage(
    compiler: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    compiler(GOOD)
    arguments = [a.replace("x=bf16", "x=bf16:1,?") for a in NORM]
    assert cli.main(["compile", *arguments, "--target", "gfx942", "--emit", "asm"]) == 0
    assert 'strides = [1, ?], align = 16> {tile.name = "x"}' in capsys.readouterr().out


def test_strides_that_are_known(
    compiler: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    compiler(GOOD)
    arguments = [a.replace("x=bf16", "x=bf16:-512,1@2") for a in NORM]
    assert cli.main(["compile", *arguments, "--target", "gfx942", "--emit", "asm"]) == 0
    assert 'strides = [-512, 1]> {tile.name = "x"}' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere:kernel", "--target", "gfx950"], "kernel 'nowhere:kernel'"),
        (["tegula.kernels:nothing", "--target", "gfx950"], "nothing"),
        (["tegula:gelu", "--target", "gfx950"], "a @tg.kernel"),
        ([*NORM[:2], "x=bf17", "--target", "gfx950"], "bf17"),
        ([*NORM[:2], "x=bf16:1,1,1", "--target", "gfx950"], "'x': found 3 strides, expected 2"),
        ([*NORM[:2], "x=bf16:1?,1", "--target", "gfx950"], "TYPE:STRIDES@ALIGN"),
        ([*NORM[:2], "x=bf16:one", "--target", "gfx950"], "TYPE:STRIDES@ALIGN"),
        ([*NORM[:2], "x", "--target", "gfx950"], "name=value"),
        ([*NORM[:-1], "--target", "gfx950"], "misses constant 'N'"),
        ([*NORM, "--target", "gfx90a"], "no target 'gfx90a'"),
        (["tegula.kernels:gemm", *GEMM, "--target", "mi300x"], "targets are gfx942, gfx950"),
        (["nowhere.py:kernel", "--target", "gfx950"], "nowhere.py"),
        (["kernel", "--target", "gfx950"], "found kernel, expected module:name"),
        (["tegula.kernels:", "--target", "gfx950"], "expected module:name"),
        ([*NORM, "x=f16", "--target", "gfx950"], "'x=f16' after another value"),
        ([*NORM[:-1], "N=wide", "--target", "gfx950"], "'N': found 'wide', expected an extent"),
        ([*NORM, "R=-4", "--target", "gfx950"], "'R': found -4, expected an extent"),
        ([*NORM, "R=2147483648", "--target", "gfx950"], "an integer from 0 to 2^31 - 1"),
        ([*NORM, "R=1.5", "--target", "gfx950"], "'R': found 1.5, expected an extent"),
    ],
)
def test_mistakes_have_status_1(
    compiler: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    compiler(GOOD)
    assert cli.main(["compile", *arguments]) == 1
    assert words in capsys.readouterr().err


def test_warnings_are_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Registers that spill are told as errors are, without a line of Tegula's own."""
    monkeypatch.setattr(gemm, "_launches", {})  # another test may have heard it
    given = ["a=bf16:1,?", "b=bf16", "c=bf16", "BM=256", "BN=256", "BK=32"]
    command = ["compile", "tegula.kernels:gemm", "--signature", *given, "--target", "gfx942"]
    assert cli.main([*command, "-o", str(tmp_path)]) == 0
    [told] = capsys.readouterr().err.splitlines()
    assert told.startswith("warning: gemm for gfx942 (") and "registers spilled" in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def k(:\n", "SyntaxError: invalid syntax (kernels.py, line 1)"),
        ("\nx = 1 / 0\n", "kernels.py:2: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)\n", "kernels.py:1: SystemExit: 0"),
        ("import tegula as tg\n\n@tg.kernel()\ndef k(x: 'N'): pass\n", "a kernel needs a grid"),
    ],
)
def test_files_that_cannot_be_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (tmp_path / "kernels.py").write_text(text)
    assert cli.main(["compile", f"{tmp_path / 'kernels.py'}:k", "-o", str(tmp_path / "out")]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


#: A picture of more bytes than a pipe holds.
PICTURE = [
    "#cdna.layout<reg = [[0, 1], [0, 2], [8, 0], [16, 0]], "
    "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], wave = []>",
    "32x32",
]


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (["layout", *PICTURE], "sys.exit(cli.main())"),
        (["coverage"], "tools.sim()"),
    ],
)
def test_a_reader_that_has_enough_is_no_failure(words: list[str], call: str) -> None:
    text = f"import sys; from tegula import cli, tools; {call}"
    command = shlex.join([sys.executable, "-c", text, *words]) + " | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert len(done.stdout) == 1 and "pipe" not in done.stderr.lower(), done.stderr


@pytest.mark.parametrize("name", ["sim", "compile", "opt"])
def test_native_tools_are_commands(name: str, tmp_path: Path) -> None:
    text = f"import sys; sys.argv = ['x', '--help']; from tegula import tools; tools.{name}()"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert f"tegula-{name}" in (done.stdout + done.stderr).lower()
    missing = {**os.environ, "TEGULA_NATIVE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=missing)
    assert done.returncode == 1 and done.stderr.startswith(f"tegula-{name}: not built")


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("TEGULA_COMPILE_WORKERS", "0", "an integer from 1 to 1,024"),
        ("TEGULA_COMPILE_WORKERS", "many", "an integer from 1"),
        ("TEGULA_COMPILE_TIMEOUT", "1m", "a number from 0.01"),
        ("TEGULA_COMPILE_TIMEOUT", "nan", "a number from 0.01"),
        ("TEGULA_COMPILE_TIMEOUT", "inf", "a number from 0.01"),
        ("TEGULA_COMPILE_MEMORY", "-5", "an integer from 256"),
    ],
)
def test_knobs_name_the_variable_that_is_wrong(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    text: str,
    words: str,
) -> None:
    monkeypatch.setenv(variable, text)
    assert cli.main(["env"]) == 1
    printed = capsys.readouterr().err
    assert f"'{variable}': found '{text}', expected {words}" in printed
