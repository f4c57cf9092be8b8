"""Speed of the simulated device: seconds of this host, which say nothing about a GPU.

Figures of one thread are CPU seconds, the least of several alternated runs: other programs of the
host can only slow one down. Those of two threads are medians of wall-clock seconds.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import tegula
import tegula.sim
from tegula.kernels import gemm
from tegula.sim import Device

TARGET = "gfx950"
ROUNDS = 7
SECONDS_OF_WORK = 0.1  # below, the start of threads and the last workgroups show
BF16 = ml_dtypes.bfloat16


def gemm_arguments(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a, b.T and c of an NT product, bf16."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size)).astype(BF16) for _ in range(2))
    return a, b.T, np.zeros((size, size), dtype=BF16)


def alternated(*runs: Callable[[], float]) -> list[list[float]]:
    """What each returns ROUNDS times, run in turn after one of each to warm up."""
    found: list[list[float]] = [[] for _ in runs]
    for turn in range(ROUNDS + 1):
        for run, into in zip(runs, found, strict=True):
            value = run()
            if turn:
                into.append(value)
    return found


Clock = Callable[[], float]


def our_gemm(size: int, clock: Clock, **options: Any) -> Callable[[], float]:
    """Seconds of our GEMM of size³ on a device with these options."""
    a, b, c = gemm_arguments(size)

    def run() -> float:
        with tegula.device(f"sim:{TARGET}", **options):
            start = clock()
            gemm(a, b, c)
            return clock() - start

    return run


def triton_gemm(size: int, clock: Clock, **options: Any) -> Callable[[], float]:
    """Seconds of Triton's, in tiles of 256 x 256 x 64 and 8 waves."""
    import triton_kernels as peers

    signature = {"c": "*bf16", "a": "*bf16", "b": "*bf16", "M": "i32", "N": "i32", "K": "i32"}
    constants = {"BM": 256, "BN": 256, "BK": 64, "NT": True}
    compiled = peers.compile_kernel(peers.gemm, TARGET, signature, constants, 8, ("M", "N", "K"))
    device = Device(TARGET, **options)
    a, b, c = gemm_arguments(size)
    tiles = -(-size // 256)

    def run() -> float:
        arrays = c, a, b.T
        start = clock()
        tegula.sim.launch_triton(device, compiled, (tiles, tiles), *arrays, *[size] * 3)
        return clock() - start

    return run


def loop_kernel(name: str, sanitizers: bool) -> tegula.sim.Kernel:
    """The kernel of NAME.s beside this file, on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / f"{name}.co"
        source = Path(__file__).parent / f"{name}.s"
        command = ["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={TARGET}", str(source)]
        subprocess.run([*command, "-o", str(output)], check=True)
        return Device(TARGET, threads=1, sanitizers=sanitizers).load(output)[name]


def rate_of(kernel: tegula.sim.Kernel, count: str, iterations: int) -> Callable[[], float]:
    """Instructions a CPU second of 4 workgroups of 8 waves; ``count``: which of the statistics."""

    def run() -> float:
        start = time.process_time()
        stats = kernel.launch(4, 512, np.int32(iterations)).stats
        return float(getattr(stats, count) / (time.process_time() - start))

    return run


def valu_rates() -> list[float]:
    """Wave-instructions a second of v_fma_f32 and v_add_u32: with sanitizers off, and on."""
    kernels = [loop_kernel("valu_loop", sanitizers) for sanitizers in (False, True)]
    return [max(rates) for rates in alternated(*(rate_of(k, "total", 20_000) for k in kernels))]


def matrix_rates() -> tuple[float, float, float, float]:
    """v_mfma_f32_16x16x32_bf16 a second: with sanitizers off, on, of a bare loop on the host that
    does their arithmetic, and of the peak of the core's fused multiply-adds.
    """
    runs = [
        rate_of(loop_kernel("mfma_loop", sanitizers), "mfma", 400) for sanitizers in (False, True)
    ]
    host: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare"
        source = Path(__file__).parent / "bare_mfma.c"
        command = ["clang-22", "-O2", "-march=native", str(source), "-o", str(bare)]
        subprocess.run(command, check=True)

        def both() -> float:
            text = subprocess.run([bare], check=True, capture_output=True, text=True).stdout
            host.append([float(x) for x in text.split()])
            return host[-1][0]

        off, on, loop = (max(rates) for rates in alternated(*runs, both))
    return off, on, loop, max(peak for _, peak in host)


def two_threads() -> tuple[float, float]:
    """(speed-up, seconds on one thread) of the first cubic GEMM that takes long enough."""
    size = 1024
    while True:
        runs = (our_gemm(size, time.perf_counter, threads=n, sanitizers=False) for n in (1, 2))
        one, two = (statistics.median(times) for times in alternated(*runs))
        if one >= SECONDS_OF_WORK:
            return one / two, one
        size *= 2


def figures() -> Iterator[tuple[str, float, str, str, float | None]]:
    """(name, value, unit, note, peer's value) of each."""
    least = f"CPU seconds, best of {ROUNDS}"
    rates = valu_rates()
    for suffix, sanitizers, rate in zip(("", ".sanitized"), (False, True), rates, strict=True):
        state = f"one host thread, sanitizers {'on' if sanitizers else 'off'}, {least}"
        note = f"simulated {TARGET}, v_fma_f32 and v_add_u32, {state}"
        yield "sim.valu_wave_inst_per_s" + suffix, rate, "1/s", note, None
        options = {"threads": 1, "sanitizers": sanitizers}
        gemms = (make(1024, time.process_time, **options) for make in (our_gemm, triton_gemm))
        ours, theirs = map(min, alternated(*gemms))
        note = f"simulated {TARGET}, our 1024³ bf16 GEMM, {state}; peer Triton's on the same"
        yield "sim.gemm1024_s" + suffix, ours, "s", note, theirs
        if not sanitizers:
            yield "sim.wave_inst_per_s", rate, "1/s", f"as sim.valu_wave_inst_per_s, {state}", None
            gflops = 2 * 1024**3 / ours * 1e-9
            yield "sim.gemm_gflops", gflops, "GFLOP/s", f"as sim.gemm1024_s, {state}", None
    off, on, bare, peak = matrix_rates()
    note = f"simulated {TARGET}, fma-chain, 8 waves a workgroup, one host thread, {least}"
    yield "sim.mfma_16x16x32_bf16_per_s", off, "1/s", f"{note}, sanitizers off", None
    yield "sim.mfma_16x16x32_bf16_per_s.sanitized", on, "1/s", f"{note}, sanitizers on", None
    note = "the same arithmetic by a loop in C (bench/bare_mfma.c), alternated"
    yield "sim.mfma_share_of_bare_loop", off / bare, "1", f"{note}; {bare:.3g} a second", None
    yield "sim.mfma_share_of_bare_loop.sanitized", on / bare, "1", note, None
    note = f"that loop; the peak is {peak:.3g} of its instructions a second"
    yield "sim.bare_loop_share_of_peak", bare / peak, "1", note, None
    speedup, seconds = two_threads()
    note = f"our GEMM, {seconds:.2g} s on one thread, median of {ROUNDS}, two threads over one"
    yield "sim.two_thread_speedup", speedup, "1", note, None
