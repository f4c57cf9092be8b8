"""Print figures and write them as JSON: a list of {name, value, unit, peer, ratio, note}.

Figures, never verdicts. Compile times stand beside Triton's, measured alternately in this run; the
speed of the simulated device is one host thread's. Nothing here says how fast a GPU is.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from rich.console import Console
from rich.table import Table

from tegula.compiler import service
from tegula.kernels import gemm, rms_norm

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "bench"), str(ROOT / "test" / "thirdparty")]

import launches  # noqa: E402
import simulator  # noqa: E402
from loops import hottest_loop  # noqa: E402

Figure = dict[str, Any]
BF16 = ml_dtypes.bfloat16
ROUNDS = 15


def figure(name: str, value: float, unit: str, note: str, peer: float | None = None) -> Figure:
    ratio = None if peer is None else value / peer
    return {"name": name, "value": value, "unit": unit, "peer": peer, "ratio": ratio, "note": note}


def alternated(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Medians of ROUNDS alternated runs of each, in seconds, after one of each to warm up."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(ROUNDS + 1):
        for run, into in zip((ours, theirs), times, strict=True):
            start = time.perf_counter()
            run()
            if turn:
                into.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def rms_norm_arguments() -> tuple[Any, ...]:
    x, w = np.zeros((8, 4096), dtype=BF16), np.zeros(4096, dtype=BF16)
    return x, w, np.zeros_like(x), np.zeros((8, 1), dtype=np.float32), 1e-5


def uncached(kernel: Any, arguments: tuple[Any, ...], constants: dict[str, int]) -> object:
    """Trace and compile in the warm worker, past both caches."""
    return service.run(kernel.trace(*arguments, target="gfx950", **constants), "gfx950", "object")


def compile_times() -> Iterator[Figure]:
    import triton_kernels as peers

    note = (
        f"Python source to code object, warm, uncached, median of {ROUNDS} alternated; peer Triton"
    )

    def triton_norm() -> object:
        signature = {"out": "*bf16", "x": "*bf16", "w": "*bf16", "n": "i32", "eps": "fp32"}
        constants = {"BLOCK": 4096}
        return peers.compile_kernel(peers.rms_norm, "gfx950", signature, constants, 4, ("n",))

    def triton_gemm() -> object:
        signature = {"c": "*bf16", "a": "*bf16", "b": "*bf16", "M": "i32", "N": "i32", "K": "i32"}
        constants = {"BM": 256, "BN": 256, "BK": 64, "NT": True}
        extents = ("M", "N", "K")
        return peers.compile_kernel(peers.gemm, "gfx950", signature, constants, 8, extents)

    norm, product = rms_norm_arguments(), simulator.gemm_arguments(4096)
    for name, kernel, arguments, constants, peer in (
        ("compile.rms_norm.gfx950", rms_norm, norm, {}, triton_norm),
        ("compile.gemm_256x256x64.gfx950", gemm, product, GOLDEN["gfx950"], triton_gemm),
    ):
        ours, theirs = alternated(
            lambda k=kernel, a=arguments, c=constants: uncached(k, a, c), peer
        )
        yield figure(name, ours, "s", note, theirs)


def simulator_figures() -> Iterator[Figure]:
    for name, value, unit, note, peer in simulator.figures():
        yield figure(name, value, unit, note, peer)


def launch_figures() -> Iterator[Figure]:
    for name, value, unit, note in launches.figures():
        yield figure(name, value, unit, note)


GOLDEN = {"gfx950": {"BM": 256, "BN": 256, "BK": 64}, "gfx942": {"BM": 256, "BN": 256, "BK": 32}}


def loop_figures() -> Iterator[Figure]:
    for target, tiles in GOLDEN.items():
        compiled = gemm.compile(*simulator.gemm_arguments(4096), target=target, **tiles)
        loop = hottest_loop(compiled.code_object)
        name = f"loop.gemm_bf16_256x256x64.{target}.inst_per_mfma"
        text = f"NT, K step {tiles['BK']}: {loop.total} instructions, {loop.mfma} MFMA, in the ISA"
        yield figure(name, loop.total / loop.mfma, "1", text)


def show(figures: list[Figure]) -> None:
    table = Table()
    for column in ("figure", "value", "unit", "peer", "ratio", "note"):
        table.add_column(column)
    for f in figures:
        numbers = [f"{f[key]:.4g}" if f[key] is not None else "" for key in ("peer", "ratio")]
        table.add_row(f["name"], f"{f['value']:.4g}", f["unit"], *numbers, f["note"])
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench.json")
    options = parser.parse_args()
    os.environ["TEGULA_CACHE"] = "0"  # compile times are those of compiling
    figures = [*compile_times(), *launch_figures(), *simulator_figures(), *loop_figures()]
    show(figures)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
