"""What the MX quantizer of columns executes on gfx950: instructions, accesses, conflicts."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from tegula.kernels import mx_quantize_columns

#: Vector instructions for 32 values of bf16 a lane: a quarter of Triton's 1,482.
MOST = 370
WAVE = 64


@pytest.fixture(scope="module")
def use() -> Any:
    """Of whole tiles, codes column by column and scales (K, M/32), as torchao has them."""
    x = np.random.default_rng(1).standard_normal((256, 512)).astype(ml_dtypes.bfloat16)
    q = np.zeros((512, 256), tg.f8e4m3fn.numpy)
    s = np.zeros((512, 8), tg.e8m0.numpy)
    with tegula.device("sim:gfx950", threads=1, count_accesses=True) as device:
        device.reset_counters()
        mx_quantize_columns(x, q.T, s.T)
        [found] = device.usage()
    assert found.launches == 1 and q.view(np.uint8).any()
    return found, x.size


def test_vector_instructions(use: Any) -> None:
    found, size = use
    assert found.instructions["valu"] / (size / WAVE / 32) <= MOST


def test_memory_is_accessed_by_16_bytes(use: Any) -> None:
    found, size = use
    arguments = found.accesses.arguments
    assert arguments["x"].read.lanes == {16: 2 * size // 16} and not arguments["x"].written.bytes
    assert arguments["q"].written.lanes == {16: size // 16} and not arguments["q"].read.bytes


def test_lds(use: Any) -> None:
    """Codes pass by 8 bytes and scales (one of 32) by dwords; no bank is waited for."""
    found, _ = use
    accesses = found.accesses.lds
    assert accesses and not [a.instruction for a in accesses if a.conflicts]
    assert {a.instruction.split()[0] for a in accesses} <= {
        "ds_write_b64",
        "ds_write2_b64",
        "ds_read_b64_tr_b8",
        "ds_read2_b32",
    }


def test_conversions_are_packed(use: Any) -> None:
    x = np.zeros((256, 512), ml_dtypes.bfloat16)
    q, s = np.zeros((512, 256), tg.f8e4m3fn.numpy), np.zeros((512, 8), tg.e8m0.numpy)
    text = mx_quantize_columns.ir("asm", x, q.T, s.T, target="gfx950")
    assert "v_cvt_pk_fp8_f32" in text and "v_med3_f32" not in text


@tg.kernel(grid=lambda x: (1,))
def cast(x: "1 N", y: "1 N", *, N: tg.const) -> None:
    tg.store(y, (0, 0), tg.load(x, (0, 0), (1, N)).to(y.dtype))


@pytest.mark.parametrize(
    ("name", "narrowing", "widening"),
    [
        ("f4e2m1", "v_cvt_scalef32_pk_fp4_f32", "v_cvt_scalef32_pk_f32_fp4"),
        ("f6e2m3", "v_cvt_scalef32_2xpk16_fp6_f32", "v_cvt_scalef32_pk32_f32_fp6"),
        ("f6e3m2", "v_cvt_scalef32_2xpk16_bf6_f32", "v_cvt_scalef32_pk32_f32_bf6"),
    ],
)
def test_floats_of_few_bits(name: str, narrowing: str, widening: str) -> None:
    """gfx950 converts them by its instructions, of which gfx942 has none."""
    x, q = np.zeros((1, 2048), np.float32), np.zeros((1, 2048), getattr(tg, name).numpy)
    assert narrowing in cast.ir("asm", x, q, target="gfx950")
    assert widening in cast.ir("asm", q, x, target="gfx950")
    assert "v_cvt_scalef32" not in cast.ir("asm", x, q, target="gfx942")
