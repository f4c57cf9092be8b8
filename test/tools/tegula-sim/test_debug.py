"""tegula-sim debug: commands by -x, from a script and from stdin."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tegula import knobs

KERNELS = Path(__file__).resolve().parents[2] / "unit" / "sim" / "debug" / "kernels.cl"


@pytest.fixture(scope="session")
def debugged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("debug") / "kernels.co"
    flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-w"]
    command = ["clang-22", *flags, "-g", "-nogpulib", "-O1", str(KERNELS), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


class Shell:
    """Runs ``reversed`` (2 workgroups of 128) under commands."""

    def __init__(self, code: Path, folder: Path) -> None:
        self.code, self.folder = code, folder
        np.save(folder / "x.npy", np.arange(1, 257, dtype=np.int32))

    def __call__(
        self, *commands: str, status: int = 0, kernel: str = "reversed", stdin: str | None = None
    ) -> str:
        tool = (Path(knobs.get("native_dir")) / "bin" / "tegula-sim").resolve()
        words = [str(tool), "debug", str(self.code), "--kernel", kernel, "--grid", "2"]
        words += ["--block", "128" if kernel == "reversed" else "64"]
        for command in commands:
            words += ["-x", command]
        words += ["--args", "out:y.npy:i32:256", "in:x.npy" if kernel == "reversed" else "i32:3"]
        if kernel == "racy":
            words.pop()
        done = subprocess.run(
            words, cwd=self.folder, input=stdin, capture_output=True, text=True, timeout=100
        )
        assert done.returncode == status, done.stdout + done.stderr
        self.errors = done.stderr
        return done.stdout


@pytest.fixture
def shell(debugged: Path, tmp_path: Path) -> Shell:
    return Shell(debugged, tmp_path)


def test_a_session(shell: Shell, tmp_path: Path) -> None:
    text = shell(
        "break kernels.cl:12 wg 1 wave 1",
        "run",
        "lds 0 4 i32",
        "print exec v0",
        "waves",
        "step 1",
        "list 3",
        "delete 1",
        "run",
    )
    lines = text.splitlines()
    assert lines[0].startswith("started: workgroup 0 wave 0 at 0")
    assert lines[1] == "breakpoint 1 at kernels.cl:12"
    assert lines[2].startswith("breakpoint 1: workgroup 1 wave 1 at 0x")
    assert lines[2].endswith("kernels.cl:12)")
    assert "0: 387 390 393 396" in lines and "exec = 0xffffffffffffffff" in lines
    assert any(line.startswith("* workgroup 1 wave 1 runs") for line in lines)
    assert [line[:2] for line in lines if "=>" in line] == ["=>"]
    assert lines[-1] == "launch ended: clean"
    assert np.load(tmp_path / "y.npy")[0] == 384


def test_watching(shell: Shell) -> None:
    text = shell("watch #1+512 4", "watch lds 8 4 rw", "run", "run", "run", "info")
    stops = [line for line in text.splitlines() if line.startswith("watchpoint") and "lane" in line]
    assert "watchpoint 2 at 0x8 by lane 2: workgroup 0 wave 0" in stops[0]
    assert "by lane 61: workgroup 0 wave 1" in stops[1]  # reads 127 - TX
    assert text.endswith("1: #1+512\n2: lds 8\n")


def test_places_once_and_deleted(shell: Shell) -> None:
    text = shell("until 12", "break 12", "delete 2", "run")
    assert text.count("breakpoint") == 2 and text.endswith("launch ended: clean\n")
    text = shell("break 0x0 wave 1", "run", "where", "wave 0 0", "registers", "memory #2 3 u16")
    assert "breakpoint 1: workgroup 0 wave 1 at 0:" in text and ": 1 0 2\n" in text


def test_traces(shell: Shell, tmp_path: Path) -> None:
    shell("trace t.json json 1", "run")
    rows = [json.loads(line) for line in (tmp_path / "t.json").read_text().splitlines()]
    assert {row["workgroup"] for row in rows} == {1} and {row["wave"] for row in rows} == {0, 1}
    text = shell("trace - 0 0", "until 12")
    assert sum(line.startswith("0.0  0x") for line in text.splitlines()) > 5


def test_heat(shell: Shell) -> None:
    lines = shell("heat 512", "run", "heatmap").splitlines()
    [lds] = [line for line in lines if line.startswith("lds ")]
    assert lds.split()[1:6] == ["+0", "reads", "256", "writes", "256"] and lds.endswith("#" * 40)
    rows = json.loads(shell("heat 512", "run", "heatmap json").split("clean\n")[1])
    assert {"space": "lds", "base": "0", "offset": 0, "reads": 256, "writes": 256} in rows


def test_reports(shell: Shell) -> None:
    text = shell("catch", "run", "nocatch", "run", kernel="racy", status=3)
    assert "\nreport: workgroup 0 wave 0 at 0x" in text and "error: " in text
    assert text.endswith("launch ended: with errors reported\n") and "kernel racy" in shell.errors


def test_scripts_and_stdin(shell: Shell, tmp_path: Path) -> None:
    commands = "until 12 // the last line\n\nwhere\nquit\nrun\n"
    by_stdin = shell(stdin=commands)
    assert "launch ended" not in by_stdin and by_stdin.count("kernels.cl:12)") == 2
    assert not (tmp_path / "y.npy").exists()  # an abandoned launch writes nothing back
    assert shell(stdin="run\n").endswith("launch ended: clean\n")


WRONG = [
    ("fly", "there is no command fly"),
    ("break", "break needs a place"),
    ("break 0x2", "no instruction at 2"),
    ("break 999", "no code of line 999"),
    ("break 12 lane 3", "'lane' is neither wg nor wave"),
    ("break 12 wave 4294967297", "'4294967297' is not a number"),
    ("break 4294967308", "'4294967308' is not a place"),
    ("wave 0 4294967296", "'4294967296' is not a wave"),
    ("delete 4294967297", "'4294967297' is not a number"),
    ("watch #9", "'#9' is not the memory of an argument"),
    ("watch here", "'here' is not an address"),
    ("print v900", "no register v900"),
    ("print s4:2", "not a range of registers"),
    ("lds 510 4", "LDS has 512 bytes"),
    ("memory #1 4 f128", "'f128' is no type"),
    ("memory #1+1020 2", "a read of 8 bytes at 0x"),
    ("memory 0x10 1", "a null pointer + 16"),
    ("scratch 64 0", "a wave has lanes 0 to 63"),
    ("wave 0 9", "wave 9 of workgroup 0 is not resident"),
    ("step 0", "step needs a number from 1 on"),
    ("delete 4", "no breakpoint 4"),
    ("trace /no/such/folder/t", "No such file"),
    ("heat 0", "a bucket has at least one byte"),
    ("watch lds 509", "the workgroup has 512 bytes of LDS"),
    ("watch lds 0 513", "the workgroup has 512 bytes of LDS"),
    ("heatmap", "accesses are not counted"),
]


@pytest.mark.parametrize("command, message", WRONG)
def test_commands_that_fail(shell: Shell, command: str, message: str) -> None:
    shell(command, status=1)
    assert message in shell.errors and len(shell.errors.splitlines()) == 1


def test_a_trace_that_cannot_be_written(shell: Shell) -> None:
    shell("trace /dev/full", "run", status=1)
    assert "/dev/full: cannot be written: No space left on device" in shell.errors
    shell("trace /dev/full", "step 500", "trace -", status=1)
    assert shell.errors.count("cannot be written") == 1


def test_no_commands_at_all(shell: Shell) -> None:
    shell(stdin="", status=1)
    assert shell.errors == "tegula-sim: no command came and nothing ran\n"
    shell("where")


def test_after_the_end(shell: Shell) -> None:
    for command in ("run", "step", "where", "print v0"):
        shell("run", command, status=1)
        assert "the launch has ended" in shell.errors or "no wave is selected" in shell.errors
