"""Every element-wise operator on every element type, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg

SIZE = 512
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
NUMPY: dict[str, Any] = {
    **{name: np.dtype(name.replace("i", "int").replace("u", "uint")) for name in INTEGERS},
    **{"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64},
    "bool": np.bool_,
}
TYPES = {name: getattr(tg, name if name != "bool" else "bool_") for name in NUMPY}


@dataclass(frozen=True)
class Case:
    """``types``: on which the operator exists. ``compute`` runs on NumPy arrays of the type."""

    function: Any
    compute: Callable[..., np.ndarray]
    types: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.function.function.__name__


CASES: list[Case] = []


def case(compute: Callable[..., Any], *types: str) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        CASES.append(Case(function, compute, types or (*INTEGERS, *FLOATS)))
        return function

    return add


@case(np.add)
@tg.function
def add(x: Any, y: Any) -> Any:
    return x + y


@case(np.subtract)
@tg.function
def sub(x: Any, y: Any) -> Any:
    return x - y


@case(np.multiply)
@tg.function
def mul(x: Any, y: Any) -> Any:
    return x * y


@case(np.divide, "f32", "f64", "bf16")
@tg.function
def div(x: Any, y: Any) -> Any:
    return x / y


@case(np.floor_divide, *INTEGERS)
@tg.function
def floordiv(x: Any, y: Any) -> Any:
    return x // y


@case(np.remainder, *INTEGERS)
@tg.function
def mod(x: Any, y: Any) -> Any:
    return x % y


@case(lambda x, y: np.floor_divide(x, 7), *INTEGERS)
@tg.function
def floordiv_constant(x: Any, y: Any) -> Any:
    return x // 7


@case(lambda x, y: np.remainder(x, 7), *INTEGERS)
@tg.function
def mod_constant(x: Any, y: Any) -> Any:
    return x % 7


@case(lambda x, y: np.floor_divide(x, -1), "i8", "i16", "i32", "i64")
@tg.function
def floordiv_minus_one(x: Any, y: Any) -> Any:
    return x // -1


@case(lambda x, y: np.left_shift(x, y % 80), *INTEGERS)
@tg.function
def shift_left(x: Any, y: Any) -> Any:
    return x << (y % 80)


@case(lambda x, y: np.right_shift(x, y % 80), *INTEGERS)
@tg.function
def shift_right(x: Any, y: Any) -> Any:
    return x >> (y % 80)


@case(np.bitwise_and, "bool", *INTEGERS)
@tg.function
def and_(x: Any, y: Any) -> Any:
    return x & y


@case(np.bitwise_or, "bool", *INTEGERS)
@tg.function
def or_(x: Any, y: Any) -> Any:
    return x | y


@case(np.bitwise_xor, "bool", *INTEGERS)
@tg.function
def xor(x: Any, y: Any) -> Any:
    return x ^ y


@case(lambda x, y: ~x, "bool", *INTEGERS)
@tg.function
def invert(x: Any, y: Any) -> Any:
    return ~x


@case(lambda x, y: -x)
@tg.function
def negate(x: Any, y: Any) -> Any:
    return -x


@case(lambda x, y: np.abs(x))
@tg.function
def absolute(x: Any, y: Any) -> Any:
    return tg.abs(x)


@case(lambda x, y: np.sign(x))
@tg.function
def sign(x: Any, y: Any) -> Any:
    return tg.sign(x)


@case(np.maximum)
@tg.function
def maximum(x: Any, y: Any) -> Any:
    return tg.maximum(x, y)


@case(np.minimum)
@tg.function
def minimum(x: Any, y: Any) -> Any:
    return tg.minimum(x, y)


@case(lambda x, y: x * x * x)
@tg.function
def cube(x: Any, y: Any) -> Any:
    return x**3


@case(lambda x, y: np.where(x < y, x, y))
@tg.function
def where_less(x: Any, y: Any) -> Any:
    return tg.where(x < y, x, y)


@case(lambda x, y: x < y, "bool", *INTEGERS, *FLOATS)
@tg.function
def less(x: Any, y: Any) -> Any:
    return x < y


@case(lambda x, y: x <= y)
@tg.function
def less_equal(x: Any, y: Any) -> Any:
    return x <= y


@case(lambda x, y: x == y, "bool", *INTEGERS, *FLOATS)
@tg.function
def equal(x: Any, y: Any) -> Any:
    return x == y


@case(lambda x, y: x != y)
@tg.function
def not_equal(x: Any, y: Any) -> Any:
    return x != y


@tg.kernel(grid=lambda x: (1,))
def apply(x: "N", y: "N", out: "N", *, function: tg.const) -> None:
    tg.store(out, (0,), function(tg.load(x, (0,), (SIZE,)), tg.load(y, (0,), (SIZE,))))


@tg.kernel(grid=lambda x: (1,))
def convert(x: "N", out: "N") -> None:
    tg.store(out, (0,), tg.load(x, (0,), (SIZE,)).to(out.dtype))


def operands(dtype: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """All bits of integers, with the extremes and small values; floats with special ones."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(SIZE) < 0.5, rng.random(SIZE) < 0.5
    if dtype in FLOATS:
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, 65504.0]
        x, y = (rng.standard_normal(SIZE) * np.exp(rng.uniform(-6, 6, SIZE)) for _ in range(2))
        x[:81], y[:81] = np.repeat(special, 9), np.tile(special, 9)
        y[81:120] = x[81:120]
        with np.errstate(all="ignore"):
            return x.astype(NUMPY[dtype]), y.astype(NUMPY[dtype])
    info = np.iinfo(NUMPY[dtype])
    x, y = (
        rng.integers(info.min, info.max, SIZE, dtype=NUMPY[dtype], endpoint=True) for _ in range(2)
    )
    few = np.array([info.min, info.max, 0, 1, 2, 7, max(int(info.min), -1)], dtype=NUMPY[dtype])
    x[:49], y[:49] = np.repeat(few, 7), np.tile(few, 7)
    low = max(int(info.min), -20)
    y[49:200] = rng.integers(low, 21, 151).astype(NUMPY[dtype])
    return x, y


def same(found: np.ndarray, exact: np.ndarray) -> None:
    if exact.dtype == NUMPY["bf16"] or exact.dtype == np.float16:
        found, exact = found.astype(np.float64), exact.astype(np.float64)
    np.testing.assert_array_equal(found, exact)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_operators(device: Any, case: Case) -> None:
    for dtype in case.types:
        x, y = operands(dtype, len(case.name))
        with np.errstate(all="ignore"):
            exact = np.asarray(case.compute(x, y))
        out = np.zeros(SIZE, exact.dtype)
        apply(x, y, out, function=case.function)
        same(out, exact)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_interpret(case: Case) -> None:
    for dtype in case.types:
        x, y = operands(dtype, len(case.name))
        with np.errstate(all="ignore"):
            exact = np.asarray(case.compute(x, y))
        out = np.zeros(SIZE, exact.dtype)
        apply.interpret(x, y, out, function=case.function)
        same(out, exact)


@pytest.mark.parametrize("source", [*INTEGERS, *FLOATS])
def test_casts(device: Any, source: str) -> None:
    """Between all types: integers wrap, floats round once, float to integer saturates."""
    x, _ = operands(source, 3)
    for target in (*INTEGERS, *FLOATS):
        out, reference = np.zeros(SIZE, NUMPY[target]), np.zeros(SIZE, NUMPY[target])
        convert(x, out)
        convert.interpret(x, reference)
        same(out, reference)
        if source in FLOATS and target in INTEGERS:
            info = np.iinfo(NUMPY[target])
            whole = [0 if v != v else max(info.min, min(info.max, v)) for v in x.astype(np.float64)]
            exact = np.array([int(v) for v in whole], dtype=object)
            np.testing.assert_array_equal(out.astype(object), exact)
        elif target in INTEGERS:
            np.testing.assert_array_equal(out, x.astype(NUMPY[target]))


def test_chained_comparison_of_tiles_is_refused() -> None:
    """As in NumPy, and in ``interpret``."""

    @tg.kernel(grid=lambda x: (1,))
    def chained(x: "N", out: "N") -> None:
        v = tg.load(x, (0,), (SIZE,))
        tg.store(out, (0,), 0 < v < 1)

    x, out = np.ones(SIZE, np.float32), np.zeros(SIZE, np.bool_)
    for run in (
        lambda: chained.compile(x, out, target="gfx950"),
        lambda: chained.interpret(x, out),
    ):
        with pytest.raises(tg.TypeMismatch) as caught:
            run()
        assert caught.value.label == "front.type.condition"
