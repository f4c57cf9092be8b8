"""What a launch costs on a simulated device: a kernel of one workgroup that ends at once."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import tegula
import tegula as tg
from tegula import knobs

ROOT = Path(__file__).resolve().parent.parent
DEVICE = "sim:gfx950"
#: The least of so many runs of so many launches: what remains when nothing else disturbs.
RUNS, LAUNCHES = 200, 50


@tg.kernel(grid=lambda x: (1,))
def nothing(x: "N", out: "N"):
    tg.program_id(0)


def least(run: Callable[[], float]) -> float:
    return min(run() for _ in range(RUNS)) / LAUNCHES * 1e6


def from_python() -> float:
    """Microseconds of a warm call of a kernel object."""
    x, out = np.zeros(64, np.float32), np.zeros(64, np.float32)

    def run() -> float:
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            nothing(x, out)
        return time.perf_counter() - start

    with tegula.device(DEVICE, threads=1):
        nothing(x, out)
        return least(run)


def build(folder: Path) -> list[str]:
    """Compile the kernel ahead of time and the C program; its command line."""
    signature = tg.Signature(x=tg.array(tg.f32, 1), out=tg.array(tg.f32, 1))
    tegula.compile_ahead(nothing, signature, [DEVICE.removeprefix("sim:")], folder)
    library = (Path(knobs.get("native_dir")) / "lib").resolve()
    program = folder / "launch"
    command = ["cc", "-O2", "-I", ROOT / "include", "-I", folder, ROOT / "bench" / "launch.c"]
    link = ["-L", library, "-ltegula-runtime", f"-Wl,-rpath,{library}", "-o", program]
    subprocess.run([*map(str, command), *map(str, link)], check=True)
    return [str(program), str(folder), DEVICE, str(LAUNCHES)]


def from_c() -> float:
    """Microseconds of ``nothing_launch`` of the generated header."""
    with tempfile.TemporaryDirectory() as folder:
        command = build(Path(folder))
        return least(lambda: float(subprocess.run(command, check=True, capture_output=True).stdout))


def figures() -> Iterator[tuple[str, float, str, str]]:
    """(name, value, unit, note)."""
    note = f"one workgroup that ends at once, {DEVICE}, sanitizers on, least of {RUNS}"
    yield "launch.c_us", from_c(), "us", note
    yield "launch.python_us", from_python(), "us", note
