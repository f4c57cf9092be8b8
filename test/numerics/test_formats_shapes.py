"""Shapes that others publish figures of, cut to at most 256 rows, and one of them whole.

What is measured, and against what, is in the families of ``accuracy.py``.
"""

from __future__ import annotations

from typing import Any

import pytest

import accuracy
import sampling

ROWS = 256 if sampling.full else 32
FAMILIES = {family.name: family for family in accuracy.families()}

#: torchao's benchmarks of MX quantizers (M, K) and of experts' (E, N, K).
MX = [(m, k) for m in (8192, 32_768, 131_072) for k in (2048, 7168)] + [(8192, 8192)]
MX += [(16_384, 16_384)]
EXPERTS = [(1, 8192, 5120), (8, 8192, 5120), (32, 8192, 5120)]
EXPERTS += [(1, 7168, 2048), (8, 7168, 2048), (32, 7168, 2048)]
#: Scales of groups of rows and columns (torchao's single pass for DeepSeek-V3 and Llama4).
COLUMNS = [(32_768, 7168), (32_768, 2048), (16_640, 5120)]
#: RMSNorm of FlyDSL 0.3.0, by type.
RMS_NORM = {
    "f16": [(8192, 4096), (4096, 8192), (2048, 16_384), (2048, 65_536), (2048, 114_688)]
    + [(8192, 4097), (4096, 8193), (2048, 16_385)],
    "bf16": [(8192, 4096), (2048, 16_384), (8192, 4097), (2048, 16_385), (16, 2000), (16, 512)],
    "f32": [(8192, 4096), (4096, 8192), (2048, 16_384), (2048, 32_768), (2048, 65_536)]
    + [(2048, 114_688), (8192, 4097), (4096, 8193), (2048, 16_385), (2048, 32_769)],
}
#: Widths of norms in models.
WIDTHS = (512, 2000, 2880, 3072, 5120, 7168, 8192, 11_008, 13_824, 16_384)


def cut(shape: tuple[int, ...]) -> tuple[int, ...]:
    """At most ROWS rows; of experts so many altogether, in whole blocks of 32."""
    if len(shape) == 2:
        return (min(shape[0], ROWS), shape[1])
    experts = min(shape[0], ROWS // 32)
    return (experts, ROWS // experts // 32 * 32, shape[2])


def rows(rows: int, length: int) -> tuple[int, int, str]:
    """As families of rows have it: fewer rows where they are long."""
    return min(rows, ROWS, max(2, 2**20 // length)), length, "rows"


CASES: list[tuple[str, str, Any]] = []
for _mode in ("floor", "rceil"):
    _how = f"bf16 to e4m3fn {_mode}"
    CASES += [(name, _how, cut(shape)) for name in ("mx rows", "mx columns") for shape in MX]
    CASES += [
        (name, _how, cut(shape))
        for name in ("mx experts", "mx expert squares")
        for shape in EXPERTS
    ]
CASES += [
    (name, f"bf16 to {fmt} pow2", cut(shape))
    for fmt in ("e4m3fn", "e4m3fnuz")
    for name, shapes in (
        ("fp8 group columns", COLUMNS),
        ("fp8 group columns apart", COLUMNS),
        ("fp8 expert columns", EXPERTS),
        ("fp8 rows", MX),
    )
    for shape in shapes
]
CASES += [
    ("rms_norm", dtype, rows(*shape)) for dtype, shapes in RMS_NORM.items() for shape in shapes
]
CASES += [
    ("rms_norm backward", "bf16", rows(4096, 4096)),
    ("layer_norm", "bf16", rows(32_768, 8192)),
]
CASES += [("softmax backward", "bf16", rows(*shape)) for shape in ((4096, 32_768), (2048, 65_536))]
CASES += [
    (name, "bf16", rows(ROWS, width))
    for name in ("rms_norm", "layer_norm", "softmax", "log_softmax")
    for width in WIDTHS
]


def check(name: str, variant: str, shape: Any) -> None:
    family = FAMILIES[name]
    error = family.measure(variant, shape)
    assert error <= family.bound(variant), f"{error} {family.unit}"


@pytest.mark.parametrize(("name", "variant", "shape"), sampling.sample(sorted(set(CASES)), 24))
def test_published(device: Any, name: str, variant: str, shape: Any) -> None:
    check(name, variant, shape)


def test_a_whole_one(device: Any) -> None:
    """The smallest of the two-axis benchmarks, whole in a full run: blocks of 32 along M."""
    check("mx columns", "bf16 to e4m3fn rceil", (8192 if sampling.full else ROWS, 2048))
