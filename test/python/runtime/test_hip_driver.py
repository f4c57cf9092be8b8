"""The ``hip`` driver on other libamdhip64s, each in a process that has it on its path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import stages
from tegula import knobs


def folder_of(library: str) -> Path:
    if library == "fake":
        return stages.tools.parent / "lib" / "fake-hip"
    return Path(knobs.get("native_dir")).resolve() / "lib" / "hip"


@pytest.mark.parametrize(
    ("library", "tests", "count"),
    [("simulated", "inside_hip.py", 6), ("fake", "inside_fake_hip.py", 93)],
)
def test_hip_driver(library: str, tests: str, count: int) -> None:
    """Runs the tests of a file; each of them is a line of this one's output."""
    inside = Path(__file__).parent / tests
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(inside)]
    done = subprocess.run(
        command,
        env={**os.environ, "LD_LIBRARY_PATH": str(folder_of(library))},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} passed" in done.stdout


def test_a_library_that_cannot_be_loaded(tmp_path: Path) -> None:
    """Its own trouble is told, not that it is missing under its other names."""
    (tmp_path / "libamdhip64.so.7").write_text("long enough for an ELF header, but none\n" * 9)
    text = "import tegula\ntegula.runtime.Device('hip:0')"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True)
    said = done.stderr.decode()
    assert "HIP cannot be loaded (" in said and "libamdhip64.so.7: invalid ELF header" in said
    assert "use a simulated device" in said
