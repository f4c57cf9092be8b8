"""The ``hip`` driver on the simulator's libamdhip64, in a process that has it on its path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tegula import knobs


def test_hip_devices_that_are_simulated() -> None:
    """Runs the tests of inside_hip.py; each of them is a line of this one's output."""
    folder = Path(knobs.get("native_dir")).resolve() / "lib" / "hip"
    inside = Path(__file__).parent / "inside_hip.py"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(inside)]
    done = subprocess.run(
        command,
        env={**os.environ, "LD_LIBRARY_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
