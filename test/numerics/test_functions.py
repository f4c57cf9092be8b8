"""Math functions: every f16 and bf16, a sample of f32 (10 million points in a full run)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sampling
import tegula as tg
from numerics.functions import CASES, Case
from numerics.oracle import FORMATS, quantum
from tegula.language.function import Function

BLOCK = 2048
SPECIAL = np.array(
    [0.0, math.inf, math.nan, 1.0, 0.5, 1e-45, 2.0**-126, 3.4028234e38, 2.0**24, 88.72284, 0.625]
)


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], BLOCK),))
def unary(x: "N", out: "N", *, function: tg.const) -> None:
    i = tg.program_id(0)
    tg.store(out, (i,), function(tg.load(x, (i,), (BLOCK,))))


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], BLOCK),))
def binary(x: "N", y: "N", out: "N", *, function: tg.const) -> None:
    i = tg.program_id(0)
    tg.store(out, (i,), function(tg.load(x, (i,), (BLOCK,)), tg.load(y, (i,), (BLOCK,))))


@tg.function
def power(x: Any, y: Any) -> Any:
    return tg.pow(x, y)


@tg.function
def power_operator(x: Any, y: Any) -> Any:
    return x**y


@tg.function
def quotient(x: Any, y: Any) -> Any:
    return x / y


def every(dtype: str) -> np.ndarray:
    """All 65,536 values of a 16-bit type."""
    return np.arange(1 << 16, dtype=np.uint16).view(FORMATS[dtype][0])


def points(count: int, low: float, high: float, seed: int) -> np.ndarray:
    """f32 of all bit patterns, of the range given, and special ones."""
    rng = np.random.default_rng(seed)
    anything = rng.integers(0, 1 << 32, count // 3, dtype=np.uint32).view(np.float32)
    inside = rng.uniform(low, high, count // 3).astype(np.float32)
    small = rng.standard_normal(count - 2 * (count // 3)) * np.exp2(rng.uniform(-30, 4))
    special = np.concatenate([SPECIAL, -SPECIAL]).astype(np.float32)
    return np.concatenate([special, anything, inside, small.astype(np.float32)])


def check(found: np.ndarray, exact: np.ndarray, dtype: str, bound: float, where: Any) -> float:
    """Hold a result against float64; the worst error in units of the last place."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(FORMATS[dtype][0]).astype(np.float64)
        wide = found.astype(np.float64)
    odd = ~np.isfinite(rounded) | ~np.isfinite(wide) | ((rounded == 0) & (wide == 0))
    same = (np.isnan(wide) & np.isnan(rounded)) | (
        (wide == rounded) & (np.signbit(wide) == np.signbit(rounded))
    )
    wrong = np.flatnonzero(odd & ~same)
    assert not wrong.size, [(where(i), found[i], exact[i]) for i in wrong[:5]]
    plain = np.where(odd, 1.0, exact)
    error = np.abs(np.where(odd, 1.0, wide) - plain) / quantum(plain, dtype)
    worst = int(error.argmax())
    assert error[worst] <= bound, (where(worst), found[worst], exact[worst], error[worst])
    return float(error[worst])


def run(function: Function, *arrays: np.ndarray) -> np.ndarray:
    out = np.zeros_like(arrays[0])
    (unary if len(arrays) == 1 else binary)(*arrays, out, function=function)
    return out


def exact_of(case: Case, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(case.reference(x.astype(np.float64)))


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_16_bit_value(device: Any, case: Case, dtype: str) -> None:
    """An f32 of at most 2 ulp, rounded: within half a unit and what 2 units of f32 are there."""
    x = every(dtype)
    slack = 2 * 2.0 ** (FORMATS[dtype][1] - FORMATS["f32"][1])
    check(run(case.function, x), exact_of(case, x), dtype, 0.5 + slack, lambda i: x[i])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_f32(device: Any, case: Case, record_property: Any) -> None:
    count = 10_000_000 if sampling.full else 30_000
    worst = 0.0
    for seed, start in enumerate(range(0, count, 1_000_000)):
        x = points(min(count - start, 1_000_000), case.low, case.high, seed)
        found = run(case.function, x)
        worst = max(worst, check(found, exact_of(case, x), "f32", case.bound, lambda i: x[i]))  # noqa: B023
    record_property("worst_ulp", worst)


def operands(count: int, dtype: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs: special by special, and random ones whose power is mostly finite."""
    rng = np.random.default_rng(seed)
    special = np.concatenate([SPECIAL, [3.0, 7.0, 2.5, 1e38]])
    special = np.concatenate([special, -special])
    x = np.concatenate(
        [
            np.repeat(special, special.size),
            np.exp(rng.uniform(-80, 80, count)),
            rng.uniform(0.9, 1.1, count),
        ]
    )
    y = np.concatenate(
        [
            np.tile(special, special.size),
            rng.standard_normal(count) * np.exp(rng.uniform(-3, 3, count)),
            rng.uniform(-900, 900, count),
        ]
    )
    y[-count::3] = np.round(y[-count::3])
    x[-count::2] *= -1
    with np.errstate(all="ignore"):
        return tuple(v.astype(FORMATS[dtype][0]) for v in (x, y))  # type: ignore[return-value]


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("function", [power, power_operator], ids=["pow", "operator"])
def test_pow(device: Any, function: Function, dtype: str) -> None:
    x, y = operands(5_000_000 if sampling.full else 10_000, dtype, 0)
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.float64), y.astype(np.float64))
    bound = 0.51 if dtype == "f32" else 0.5 + 2 * 2.0 ** (FORMATS[dtype][1] - 23)
    check(run(function, x, y), exact, dtype, bound, lambda i: (x[i], y[i]))


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_division_is_correctly_rounded(device: Any, dtype: str) -> None:
    """f32 has more than twice the digits of the others, so that rounding it again is harmless."""
    x, y = operands(5_000_000 if sampling.full else 10_000, dtype, 1)
    with np.errstate(all="ignore"):
        exact = x.astype(np.float64) / y.astype(np.float64)
    check(run(quotient, x, y), exact, dtype, 0.5, lambda i: (x[i], y[i]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_interpret_rounds_the_reference(case: Case, dtype: str) -> None:
    """Without a device: the interpreter is the reference rounded once."""
    with np.errstate(all="ignore"):
        x = points(2_000, case.low, case.high, 5).astype(FORMATS[dtype][0])
    out = np.zeros_like(x)
    unary.interpret(x, out, function=case.function)
    check(out, exact_of(case, x), dtype, 0.5 + 1e-6, lambda i: x[i])


def test_approximations_are_the_instructions(device: Any) -> None:
    """``afn`` takes what the hardware has: far fewer instructions, and still a sensible result."""

    @tg.kernel(grid=lambda x: (1,), fastmath={"afn"})
    def fast(x: "N", out: "N") -> None:
        v = tg.load(x, (0,), (256,))
        tg.store(out, (0,), tg.sin(v) + tg.cos(v) + tg.sigmoid(v) + tg.silu(v))

    x = np.linspace(-6, 6, 256, dtype=np.float32)
    out = np.zeros_like(x)
    fast(x, out)
    s = 1 / (1 + np.exp(-x.astype(np.float64)))
    np.testing.assert_allclose(out, np.sin(x) + np.cos(x) + s + x * s, atol=1e-5)
    assert "v_sin_f32" in fast.ir("asm", x, out) and "v_mad_u64" not in fast.ir("asm", x, out)


def test_float64_has_what_is_exact(device: Any) -> None:
    @tg.kernel(grid=lambda x: (1,))
    def roots(x: "N", out: "N") -> None:
        v = tg.load(x, (0,), (256,))
        tg.store(out, (0,), tg.sqrt(tg.abs(v)) + tg.rcp(v))

    x = np.random.default_rng(3).standard_normal(256)
    out = np.zeros_like(x)
    roots(x, out)
    np.testing.assert_array_equal(out, np.sqrt(np.abs(x)) + 1 / x)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "erf", "pow", "gelu"])
def test_float64_functions_are_refused(name: str) -> None:
    @tg.kernel(grid=lambda x: (1,))
    def wide(x: "N", out: "N", *, function: tg.const) -> None:
        v = tg.load(x, (0,), (256,))
        tg.store(out, (0,), function(v))

    function = power_self if name == "pow" else next(c.function for c in CASES if c.name == name)
    x = np.ones(256)
    with pytest.raises(tg.UnsupportedOnTarget, match=r"of f64 has no expansion") as caught:
        wide.compile(x, x, function=function, target="gfx950")
    assert caught.value.label == "tile.target.c1"


@tg.function
def power_self(x: Any) -> Any:
    return tg.pow(x, x)
