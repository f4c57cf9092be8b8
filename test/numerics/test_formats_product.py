"""Products of floats of 8 bits, of the flavour that a target multiplies and of the other one.

Each target has instructions for one flavour; of the other the operands are converted to f16 in
registers, which holds all their numbers. What comes out is the same on both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula as tg
from formats_inputs import NARROW, WITH_NAN, codes
from tegula.kernels import gemm

PAIRS = [(a, b) for a in WITH_NAN for b in WITH_NAN if a.endswith("fnuz") == b.endswith("fnuz")]
NATIVE = {"gfx942": True, "gfx950": False}  # whether fnuz is what the target multiplies


@tg.kernel(grid=lambda c, BN: (tg.cdiv(c.shape[1], BN),))
def outer(a: "M K", b: "K N", c: "M N", *, M: tg.const, K: tg.const, BN: tg.tile = 32) -> None:
    n = tg.program_id(0)
    acc = tg.zeros((M, BN), tg.f32)
    tg.store(c, (0, n), tg.mma(tg.load(a, (0, 0), (M, K)), tg.load(b, (0, n), (K, BN)), acc))


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_pair_of_codes(device: Any, left: str, right: str) -> None:
    """One product a sum: 65,536 of them, exact in f32, with denormals, infinities and NaN."""
    a, b = np.zeros((256, 64), NARROW[left].numpy), np.zeros((64, 256), NARROW[right].numpy)
    for at in (0, 63):
        a[:], b[:] = 0, 0
        a[:, at], b[at, :] = codes(left), codes(right)
        with np.errstate(invalid="ignore"):
            exact = a[:, at].astype(np.float32)[:, None] * b[at, :].astype(np.float32)
        for kernel in (outer, outer.interpret):
            c = np.zeros((256, 256), np.float32)
            kernel(a, b, c, M=256)
            np.testing.assert_array_equal(c, exact)


def drawn(shape: tuple[int, int], name: str, layout: str, rng: Any) -> np.ndarray:
    """Small numbers of few bits, so that sums of products are exact; row by row or transposed."""
    x = rng.integers(-4, 5, shape) * np.exp2(rng.integers(-2, 3, shape))
    stored = x.astype(NARROW[name].numpy)
    return np.asfortranarray(stored) if layout == "T" else stored


SHAPES = [(64, 64, 64), (129, 65, 160), (16, 500, 96), (256, 256, 257)]


@pytest.mark.parametrize("layout", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_products(device: Any, left: str, right: str, shape: Any, layout: str) -> None:
    m, n, k = shape
    rng = np.random.default_rng(m + n + k)
    a, b = drawn((m, k), left, layout[0], rng), drawn((k, n), right, layout[1], rng)
    c = np.full((m, n), np.nan, np.float32)
    gemm(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))


@pytest.mark.parametrize("lds", ["direct", "register", "none"])
@pytest.mark.parametrize("mma", ["16x16x32", "16x16x16", "32x32x16", "32x32x8"])
def test_schedules(device: Any, mma: str, lds: str) -> None:
    """The instructions are those of f16, and operands come by every way, prefetched and not."""
    name = "e4m3fn" if NATIVE[device.target] else "e4m3fnuz"
    rng = np.random.default_rng(4)
    a, b = drawn((192, 256), name, "N", rng), drawn((256, 128), name, "T", rng)
    c = np.zeros((192, 128), np.float32)
    stages = 1 if lds == "none" else 3
    schedule = {device.target: dict(waves=(2, 2), mma=mma, lds=lds, stages=stages)}
    kernel = gemm.with_schedule(**schedule)
    tiles = dict(BM=64, BN=64, BK=64)
    if device.target == "gfx942" and mma in ("16x16x32", "32x32x16"):
        with pytest.raises(tg.ScheduleError, match="legal are 32x32x8 16x16x16") as caught:
            kernel(a, b, c, **tiles)
        assert caught.value.label == "tile.schedule.c2"
        return
    kernel(a, b, c, **tiles)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize("target", list(NATIVE))
def test_remarks(target: str, left: str, right: str) -> None:
    """What is converted is said; the target's own flavour is multiplied as it is."""
    a, b = np.zeros((512, 512), NARROW[left].numpy), np.zeros((512, 512), NARROW[right].numpy)
    c = np.zeros((512, 512), np.float32)
    said = [str(r["message"]) for r in gemm.compile(a, b, c, target=target).remarks]
    text = gemm.ir("asm", a, b, c, target=target)
    said = [remark for remark in said if "converts its operands" in remark]
    is_own = left.endswith("fnuz") == NATIVE[target]
    if is_own:
        assert not said
        assert "_f16" not in text.replace("v_cvt_f16", "")
        return
    assert ".vgpr_spill_count: 0" in " ".join(text.split())
    [remark] = said
    assert f"{NARROW[left].name} x {NARROW[right].name} on {target}" in remark
    assert "x16_f16" in text or "x8_f16" in text or "x32_f16" in text
    assert "fp8" not in text and "bf8" not in text


def test_mixed_flavours_are_refused(device: Any) -> None:
    a, b = np.zeros((64, 64), NARROW["e4m3fn"].numpy), np.zeros((64, 64), NARROW["e4m3fnuz"].numpy)
    with pytest.raises(tg.TypeMismatch, match="f8 of one flavour") as caught:
        gemm(a, b, np.zeros((64, 64), np.float32))
    assert caught.value.label == "tile.mma.c4"
