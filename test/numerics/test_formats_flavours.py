"""f8 of each target: the same weights, the same numbers; codes of one are never read as another's.

gfx942 computes with e4m3fnuz, gfx950 with e4m3fn. A byte of one means half of what it means in the
other, and the scale is twice as large.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tegula.kernels import fp8_quantize_1x128, fp8_quantize_rows, fp8_quantize_tensor, gemm

TARGETS = ("gfx942", "gfx950")


def weights(rows: int, columns: int) -> np.ndarray:
    """As models have them: normal, rows of different sizes, some outliers and zeros."""
    rng = np.random.default_rng(12)
    x = rng.standard_normal((rows, columns)) * np.exp2(rng.uniform(-9, -3, (rows, 1)))
    x[rng.random(x.shape) < 0.001] *= 20
    x[rng.random(x.shape) < 0.01] = 0
    return x.astype(ml_dtypes.bfloat16)


def by_rows(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    scale = np.zeros((len(x), 1), np.float32)
    fp8_quantize_rows(x, q, scale, pow2=True)
    return scale


def whole(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    amax = np.array([[np.abs(x.astype(np.float32)).max()]], np.float32)
    scale = np.zeros((1, 1), np.float32)
    fp8_quantize_tensor(x, amax, q, scale, pow2=True)
    return scale


def is_number_of(dtype: Any, x: np.ndarray) -> Any:
    """What the type represents, within its range."""
    with np.errstate(all="ignore"):
        return x.astype(dtype).astype(np.float32) == x


@pytest.mark.parametrize("how", [by_rows, whole])
def test_the_same_weights_dequantize_to_the_same_numbers(how: Any) -> None:
    x = weights(96, 512)
    numbers, scales, kinds = [], [], []
    for target in TARGETS:
        with tg.device(f"sim:{target}", threads=1):
            kinds.append(tg.f8.numpy)
            q = np.zeros(x.shape, tg.f8.numpy)
            scales.append(how(x, q))
            numbers.append(q.astype(np.float32) / scales[-1])
    assert kinds == [tg.f8e4m3fnuz.numpy, tg.f8e4m3fn.numpy]
    # Numbers of each that the other has, too, at its scale.
    both = is_number_of(kinds[1], numbers[0] * scales[1])
    both &= is_number_of(kinds[0], numbers[1] * scales[0])
    assert both.mean() > 0.99
    np.testing.assert_array_equal(numbers[0][both], numbers[1][both])
    for found, scale, kind in zip(numbers, scales, kinds, strict=True):
        step = np.maximum(
            np.abs(found) / 8, float(ml_dtypes.finfo(kind).smallest_normal) / 8 / scale
        )
        assert (np.abs(found - x.astype(np.float32)) <= step / 2 * (1 + 2**-20)).all()


def test_products_of_them_are_the_same() -> None:
    """Quantized on each target and multiplied there: sums of the same exact products."""
    a, b = weights(64, 256), weights(96, 256)
    found, exact = [], []
    for target in TARGETS:
        with tg.device(f"sim:{target}", threads=1):
            qa, qb = np.zeros(a.shape, tg.f8.numpy), np.zeros(b.shape, tg.f8.numpy)
            scale = by_rows(a, qa) * by_rows(b, qb).T
            c = np.zeros((64, 96), np.float32)
            gemm(qa, qb.T, c)
            found.append(c / scale)
            wide = qa.astype(np.float64), qb.astype(np.float64)
            exact.append((wide[0] @ wide[1].T / scale, np.abs(wide[0]) @ np.abs(wide[1].T) / scale))
    for c, (right, size) in zip(found, exact, strict=True):
        assert (np.abs(c - right) <= 257 * 2.0**-24 * size).all()
    size = exact[0][1]
    assert np.abs(found[0] - found[1]).max() <= (2.0**-4 * size).max()


@tg.kernel(grid=lambda q: (tg.cdiv(q.shape[0], 64),))
def read(q: "N", out: "N") -> None:
    i = tg.program_id(0)
    tg.store(out, (i,), tg.load(q, (i,), (64,)).to(tg.f32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"])
def test_every_flavour_is_read_as_itself(target: str, kind: str) -> None:
    """On both targets, whichever their instructions convert."""
    q = np.arange(256, dtype=np.uint8).view(getattr(tg, kind).numpy)
    with tg.device(f"sim:{target}", threads=1):
        out = np.zeros(256, np.float32)
        read(q, out)
    np.testing.assert_array_equal(out, q.astype(np.float32))


@pytest.mark.parametrize("target", TARGETS)
def test_a_signature_of_the_other_flavour(target: str, tmp_path: Any) -> None:
    """Compiled for one flavour, an array of the other is an ArgumentError that names both."""
    own = {"gfx942": tg.f8e4m3fnuz, "gfx950": tg.f8e4m3fn}
    other = own[TARGETS[target == TARGETS[0]]]
    signature = tg.Signature(
        x=tg.array(tg.bf16, 2),
        q=tg.array(own[target], 2),
        inverse=tg.array(tg.f32, 2, align=4),
        BM=32,
    )
    path = tg.compile_ahead(fp8_quantize_1x128, signature, [target], tmp_path)
    x, inverse = weights(32, 256), np.zeros((32, 2), np.float32)
    with tg.device(f"sim:{target}", threads=1):
        program = tg.load_program(path)
        program(x, np.zeros(x.shape, own[target].numpy), inverse)
        with pytest.raises(tg.ArgumentError) as caught:
            program(x, np.zeros(x.shape, other.numpy), inverse)
    assert caught.value.argument == "q"
    assert own[target].name in str(caught.value) and other.name in str(caught.value)
