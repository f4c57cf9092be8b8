"""Casts to floats of 8 bits and fewer and back, bit for bit, on both targets and on NumPy.

Each target has instructions for two of the four f8 formats and computes the other two, so every
format is tested both ways.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sampling
import tegula as tg
from formats_inputs import (
    NARROW,
    WITH_NAN,
    check_codes,
    codes,
    halves,
    overflowing,
    singles,
    towards_zero,
)
from formats_reference import encode_sat
from tegula.interpreter.rounding import random_words

TILE = 2048


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 2048),))
def converted(x: "N", out: "N", *, rounding: tg.const = "rne", saturate: tg.const = True) -> None:
    i = tg.program_id(0)
    tg.store(out, (i,), tg.load(x, (i,), (2048,)).to(out.dtype, rounding, saturate=saturate))


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 2048),))
def widened(x: "N", out: "N") -> None:
    i = tg.program_id(0)
    tg.store(out, (i,), tg.load(x, (i,), (2048,)).to(out.dtype))


@pytest.fixture(params=["device", "interpret"])
def where(request: pytest.FixtureRequest) -> str:
    return request.param


def inputs(source: str) -> np.ndarray:
    if source == "f32":
        return singles(10_000_000 if sampling.full else 60_000)
    return halves(getattr(tg, source))


def run(kernel: Any, x: np.ndarray, name: str, **constants: Any) -> np.ndarray:
    out = np.full(x.shape, 0xA5, np.uint8).view(NARROW[name].numpy)
    kernel(x, out, **constants)
    return out


SOURCES = ("f32", "f16", "bf16")
#: (format, saturate); what has no NaN has to (tile.cast.c3).
ENDS = [(name, True) for name in NARROW] + [(name, False) for name in WITH_NAN]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", NARROW)
def test_saturating(device: Any, name: str, source: str) -> None:
    x = inputs(source)
    check_codes(name, x, run(converted, x, name), encode_sat(x.astype(np.float32), name))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", NARROW)
def test_saturating_interpreted(name: str, source: str) -> None:
    x = inputs(source)
    found = run(converted.interpret, x, name)
    check_codes(name, x, found, encode_sat(x.astype(np.float32), name))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", WITH_NAN)
def test_not_saturating(device: Any, name: str, source: str) -> None:
    x = inputs(source)
    expected = overflowing(x.astype(np.float32), name)
    for kernel in (converted, converted.interpret):
        check_codes(name, x, run(kernel, x, name, saturate=False), expected)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("name", "saturate"), ENDS)
def test_towards_zero(device: Any, name: str, source: str, saturate: bool) -> None:
    x = inputs(source)
    expected = towards_zero(x.astype(np.float32), name, saturate)
    for kernel in (converted, converted.interpret):
        found = run(kernel, x, name, rounding="rtz", saturate=saturate)
        check_codes(name, x, found, expected)


@pytest.mark.parametrize("to", ["f32", "f16", "bf16", "f64"])
@pytest.mark.parametrize("name", NARROW)
def test_back(device: Any, name: str, to: str) -> None:
    """Every code, exactly: all of these types hold every number of the narrow ones."""
    x, dtype = codes(name), getattr(tg, to).numpy
    expected = x.astype(np.float32)
    for kernel in (widened, widened.interpret):
        out = np.zeros(x.shape, dtype)
        kernel(x, out)
        found = out.astype(np.float32)
        np.testing.assert_array_equal(found, expected)
        numbers = ~np.isnan(expected)
        assert (np.signbit(found) == np.signbit(expected))[numbers].all()


PAIRS = [(a, b) for a in NARROW for b in NARROW if a != b]


@pytest.mark.parametrize(("source", "name"), PAIRS)
def test_between(device: Any, source: str, name: str) -> None:
    """Every code of one into each other format: saturating, towards zero, and by chance."""
    x = codes(source)
    wide, rtz = x.astype(np.float32), {"rounding": "rtz"}
    for kernel in (converted, converted.interpret):
        check_codes(name, wide, run(kernel, x, name), encode_sat(wide, name))
        check_codes(name, wide, run(kernel, x, name, **rtz), towards_zero(wide, name, True))
    found, expected = (np.zeros(x.shape, NARROW[name].numpy) for _ in range(2))
    randomly(x, found, 9)
    randomly.interpret(x, expected, 9)
    check_codes(name, wide, found, expected.view(np.uint8))


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 4096),))
def randomly(x: "N", out: "N", seed: tg.i32, *, saturate: tg.const = True) -> None:
    i = tg.program_id(0)
    tile = tg.load(x, (i,), (4096,))
    tg.store(out, (i,), tile.to(out.dtype, rounding="stochastic", seed=seed + i, saturate=saturate))


@tg.kernel(grid=lambda x: (1,))
def randomly_by_rows(x: "M N", out: "M N", *, M: tg.const, N: tg.const) -> None:
    """Tiles whose rows are no multiple of four, and columns that lie along the lanes."""
    tile = tg.load(x, (0, 0), (M, N))
    tg.store(out, (0, 0), tile.to(out.dtype, rounding="stochastic", seed=7))


STOCHASTIC = {**NARROW, "f16": tg.f16, "bf16": tg.bf16}


def steps(x: np.ndarray, dtype: Any) -> np.ndarray:
    """Distance of neighbours of ``dtype`` at each x."""
    info = ml_dtypes.finfo(dtype)
    exponent = np.maximum(np.frexp(x.astype(np.float64))[1] - 1, int(info.minexp))
    return np.ldexp(1.0, exponent - int(info.nmant))


@pytest.mark.parametrize("name", STOCHASTIC)
def test_stochastic_has_no_bias(device: Any, name: str) -> None:
    """The mean error, in steps, is within three standard errors of zero; each is below a step."""
    dtype = STOCHASTIC[name].numpy
    least, most = (float(getattr(ml_dtypes.finfo(dtype), n)) for n in ("smallest_normal", "max"))
    rng = np.random.default_rng(11)
    count = 1_000_000 if sampling.full else 65_536
    x = rng.standard_normal(count) * np.exp2(rng.integers(-3, 6, count)) * least
    x = np.clip(x, -most, most).astype(np.float32)
    out = np.zeros(count, dtype)
    randomly(x, out, 5)
    step = steps(x, dtype)
    error = (out.astype(np.float64) - x) / step
    assert (np.abs(error) < 1).all()
    part = np.abs(x) / step % 1  # of a step that is cut off, and how often that rounds up
    standard = np.sqrt((part * (1 - part)).sum()) / count
    assert abs(error.mean()) <= 3 * standard, (error.mean(), standard)
    again = np.zeros(count, dtype)
    randomly.interpret(x, again, 5)
    assert (out.view(np.uint8) == again.view(np.uint8)).all(), "the same bits on NumPy"


WIDER = [(name, saturate) for name in ("f16", "bf16") for saturate in (True, False)]


@pytest.mark.parametrize(("name", "saturate"), ENDS + WIDER)
def test_stochastic_at_the_ends(device: Any, name: str, saturate: bool) -> None:
    """Specials and overflow, as on NumPy; what is a number of the type stays."""
    x, dtype = singles(20_000), STOCHASTIC[name].numpy
    found, expected = (np.zeros(x.shape, dtype) for _ in range(2))
    randomly(x, found, -3, saturate=saturate)
    randomly.interpret(x, expected, -3, saturate=saturate)
    numbers, wanted = found.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_array_equal(numbers, wanted)  # NaN equals NaN
    assert (np.signbit(numbers) == np.signbit(wanted))[~np.isnan(wanted)].all()
    nan = numbers[np.isnan(x)]
    assert (nan == 0).all() if STOCHASTIC[name].bits < 8 else np.isnan(nan).all()
    with np.errstate(all="ignore"):
        exact = (x.astype(dtype).astype(np.float32) == x) & np.isfinite(x)
    assert exact.sum() > 50
    assert (numbers[exact] == x[exact]).all()


@pytest.mark.parametrize("shape", [(64, 64), (48, 50), (3, 129), (1, 1)])
def test_stochastic_counts_elements_of_the_tile(device: Any, shape: tuple[int, int]) -> None:
    """An element's noise follows from its place in the tile, however the tile is laid out."""
    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    for source in (x, np.asfortranarray(x)):
        found, expected = (np.zeros(shape, tg.bf16.numpy) for _ in range(2))
        randomly_by_rows(source, found, M=shape[0], N=shape[1])
        randomly_by_rows.interpret(source, expected, M=shape[0], N=shape[1])
        np.testing.assert_array_equal(found.view(np.uint16), expected.view(np.uint16))


def test_random_words() -> None:
    """Known answers of Philox-4x32-10 (Random123, kat_vectors): key 0, counter 0."""
    words = random_words(0, 4)
    assert [hex(w) for w in words] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]
