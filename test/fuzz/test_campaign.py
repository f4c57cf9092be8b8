"""The simulator's fuzz target, built as campaign.py says, run for a minute; ten in a full run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sampling

ROOT = Path(__file__).resolve().parents[2]
OFF = [f"-DTEGULA_BUILD_{part}=OFF" for part in ("COMPILER", "RUNTIME", "TESTS")]
COMPILERS = ["-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22"]


def test_no_crash_and_no_hang(
    request: pytest.FixtureRequest, tmp_path: Path, record_property: Callable[..., None]
) -> None:
    """Fails, too, if less than half of the inputs were executed."""
    objects = ROOT / request.config.getoption("--build")
    build = objects / "fuzz"
    configure = ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DTEGULA_FUZZ=ON"]
    subprocess.run([*configure, *COMPILERS, *OFF], check=True, capture_output=True)
    compile_it = ["cmake", "--build", build, "--target", "tegula-sim-fuzz"]
    done = subprocess.run(compile_it, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    command = [sys.executable, ROOT / "test" / "fuzz" / "campaign.py", objects / "test"]
    command += ["--binary", build / "bin" / "tegula-sim-fuzz", "--artifacts", tmp_path]
    command += ["--seconds", "600" if sampling.full else "60"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    record_property("told", f"fuzzing: {done.stdout.strip()}")
