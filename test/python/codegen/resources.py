"""The table of what every library kernel takes on every target: registers, LDS, spills, code.

    python test/python/codegen/resources.py

rewrites ``resources.csv`` from the compiler in force (PYTHONPATH as for the tests).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from tegula.compiler.service import Compiled
from tegula.kernels import (
    add_rms_norm,
    column_sums,
    gemm,
    layer_norm,
    log_softmax,
    norm_backward,
    norm_sums,
    rms_norm,
    rms_norm_quantize,
    rotary,
    silu_mul,
    silu_mul_backward,
    silu_mul_quantize,
    softmax,
    softmax_backward,
)
from tegula.kernels.norm_backward import LONGEST
from tegula.kernels.rows import CHUNK

TABLE = Path(__file__).with_name("resources.csv")
TARGETS = ("gfx942", "gfx950")
KEYS = ("kernel", "case", "target")
FIGURES = (
    "vgprs",
    "agprs",
    "sgprs",
    "lds_bytes",
    "vgpr_spills",
    "sgpr_spills",
    "scratch_bytes",
    "waves_per_simd",
    "code_bytes",
)
#: Of a compute unit: SIMDs, registers of a lane, LDS bytes by target, waves a SIMD holds.
SIMDS, REGISTERS, LDS, SLOTS = 4, 512, {"gfx942": 65536, "gfx950": 163840}, 8
Row = dict[str, str]


def array(*shape: int, dtype: Any = ml_dtypes.bfloat16) -> np.ndarray:
    return np.zeros(shape, dtype)


def products() -> Iterator[tuple[str, Callable[[str], Compiled]]]:
    for m, n in ((16, 4096), (128, 4096), (4096, 4096)):
        for layout in ("NT", "NN", "TN", "TT"):
            a, b = (
                array(cols, rows).T if order == "T" else array(rows, cols)
                for order, (rows, cols) in zip(layout, ((m, 4096), (4096, n)), strict=True)
            )
            c = array(m, n)
            yield (
                f"{layout} {m}x{n}x4096",
                lambda t, a=a, b=b, c=c: gemm.compile(a, b, c, target=t),
            )


def rows() -> Iterator[tuple[Any, str, Callable[[str], Compiled]]]:
    for length in (576, 4096, 65536):
        x, w, r = array(64, length), array(length), array(64, 1, dtype=np.float32)
        yield (
            rms_norm,
            f"64x{length}",
            lambda t, x=x, w=w, r=r: rms_norm.compile(x, w, x, r, 1e-5, target=t),
        )
        yield (
            add_rms_norm,
            f"64x{length}",
            lambda t, x=x, w=w, r=r: add_rms_norm.compile(x, x, w, x, x, r, 1e-5, target=t),
        )
        yield softmax, f"64x{length}", lambda t, x=x: softmax.compile(x, x, target=t)
        yield from gradients(length)


def gradients(length: int) -> Iterator[tuple[Any, str, Callable[[str], Compiled]]]:
    f32 = np.float32
    x, w, r = array(64, length), array(length), array(64, 1, dtype=f32)
    part, sums, case = array(16, length, dtype=f32), array(64, 2, dtype=f32), f"64x{length}"
    fits = length <= LONGEST
    more = dict(sums=None if fits else sums, BN=length if fits else CHUNK)
    yield (
        norm_backward,
        case,
        lambda t: norm_backward.compile(x, x, r, x, part, w, target=t, **more),
    )
    yield column_sums, case, lambda t: column_sums.compile(part, w, target=t)
    if not fits:
        yield norm_sums, case, lambda t: norm_sums.compile(x, x, r, sums, w, target=t)


def others() -> Iterator[tuple[Any, str, Callable[[str], Compiled]]]:
    """Kernels of rows of one length."""
    x, w, r = array(64, 4096), array(4096), array(64, 1, dtype=np.float32)
    q = array(64, 4096, dtype=ml_dtypes.float8_e4m3fn)
    heads, angles = array(1, 64, 8, 128), array(1, 64, 64)
    pairs = heads[..., :64], heads[..., 64:]
    arguments = {
        layer_norm: (x, x, r, r, 1e-5, w, w),
        log_softmax: (x, x),
        softmax_backward: (x, x, x),
        silu_mul: (x, x, x),
        silu_mul_backward: (x, x, x, x, x),
        rms_norm_quantize: (x, w, q, r, 1e-5, x, x),
        silu_mul_quantize: (x, x, q, r),
        rotary: (*pairs, angles, angles, *pairs),
    }
    for kernel, given in arguments.items():
        case = "64x8x128" if kernel is rotary else "64x4096"
        yield kernel, case, lambda t, kernel=kernel, given=given: kernel.compile(*given, target=t)


def cases() -> Iterator[tuple[str, str, Callable[[str], Compiled]]]:
    """(kernel, case, how it is compiled for a target); arrays are bf16."""
    for case, make in products():
        yield "gemm", case, make
    for kernel, case, make in (*rows(), *others()):
        yield kernel.function.__name__, case, make


def waves_per_simd(compiled: Compiled) -> int:
    """Waves that a SIMD holds by registers and LDS, whole workgroups only."""
    figures = compiled.manifest["resources"]
    taken = -(-max(figures["vgprs"], 1) // 8) * 8 + figures["agprs"]
    waves = -(-compiled.manifest["block"][0] // 64)
    groups = min(SLOTS, REGISTERS // taken) * SIMDS // waves
    if figures["lds_bytes"]:
        groups = min(groups, LDS[compiled.target] // figures["lds_bytes"])
    return groups * waves // SIMDS


def figures_of(compiled: Compiled) -> Row:
    known = dict(compiled.manifest["resources"])
    known["waves_per_simd"] = waves_per_simd(compiled)
    known["code_bytes"] = len(compiled.code_object)
    return {name: str(known[name]) for name in FIGURES}


def measure() -> list[Row]:
    return [
        {"kernel": kernel, "case": case, "target": target, **figures_of(make(target))}
        for kernel, case, make in cases()
        for target in TARGETS
    ]


def text_of(table: list[Row]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, (*KEYS, *FIGURES), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def read() -> list[Row]:
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def differences(before: list[Row], now: list[Row]) -> list[str]:
    """One line a figure that differs, and one a case that is in one table only."""

    def by_key(table: list[Row]) -> dict[str, Row]:
        return {" ".join(row[key] for key in KEYS): row for row in table}

    old, new = by_key(before), by_key(now)
    lines = [f"{key}: not in the table" for key in new if key not in old]
    lines += [f"{key}: in the table only" for key in old if key not in new]
    for key in old.keys() & new.keys():
        lines += [
            f"{key}: {name} {old[key][name]} -> {new[key][name]}"
            for name in FIGURES
            if old[key][name] != new[key][name]
        ]
    return sorted(lines)


if __name__ == "__main__":
    TABLE.write_text(text_of(measure()), encoding="utf-8")
