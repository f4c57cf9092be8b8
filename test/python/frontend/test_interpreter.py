"""``interpret`` against NumPy and PyTorch, and its own rules."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import tegula as tg
from tegula.interpreter.rounding import convert, fused
from tegula.kernels import gemm, rms_norm, softmax
from tegula.language import dtypes as dt

BF16 = ml_dtypes.bfloat16


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("n", [1, 7, 500, 2880])
def test_rms_norm(dtype: torch.dtype, n: int) -> None:
    torch.manual_seed(n)
    x, w = torch.randn(3, n).to(dtype), torch.randn(n).to(dtype)
    out, rstd = torch.full_like(x, torch.nan), torch.full((3, 1), torch.nan)
    rms_norm.interpret(x, w, out, rstd, 1e-5)
    exact = torch.nn.functional.rms_norm(x.double(), (n,), w.double(), 1e-5)
    bound = 4 * torch.finfo(dtype).eps
    assert ((out.double() - exact).abs() <= bound * exact.abs()).all()
    mean = (x.double() ** 2).mean(1, keepdim=True)
    torch.testing.assert_close(rstd.double(), 1 / torch.sqrt(mean + 1e-5), rtol=1e-6, atol=0)


def test_softmax() -> None:
    x = torch.randn(5, 77, dtype=torch.float32)
    out = torch.full_like(x, torch.nan)
    softmax.interpret(x, out)
    torch.testing.assert_close(out.double(), torch.softmax(x.double(), 1), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("layout", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("shape", [(17, 65, 33), (1, 130, 64), (129, 15, 0)])
def test_gemm_is_exact_on_integers(layout: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    rng = np.random.default_rng(m)
    a, b = rng.integers(-3, 4, (m, k)).astype(BF16), rng.integers(-3, 4, (k, n)).astype(BF16)
    stored_a = np.ascontiguousarray(a.T).T if layout[0] == "T" else a
    stored_b = np.ascontiguousarray(b.T).T if layout[1] == "T" else b
    c, bias = np.full((m, n), np.nan, np.float32), np.arange(n).astype(BF16)
    gemm.interpret(stored_a, stored_b, c, bias)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32) + bias.astype(np.float32))


@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (tg.gelu, torch.nn.functional.gelu),
        (tg.gelu_tanh, lambda x: torch.nn.functional.gelu(x, approximate="tanh")),
        (tg.silu, torch.nn.functional.silu),
        (tg.sigmoid, torch.sigmoid),
        (tg.relu, torch.relu),
        (tg.tanh, torch.tanh),
    ],
)
def test_epilogues(function: Any, reference: Callable[..., Any]) -> None:
    a, b = torch.randn(20, 16).bfloat16(), torch.randn(16, 20).bfloat16()
    c = torch.empty(20, 20)
    gemm.interpret(a, b, c, epilogue=function)
    torch.testing.assert_close(c.double(), reference(a.double() @ b.double()), rtol=1e-5, atol=1e-6)


def test_the_power_one_half_is_no_square_root(module: Callable[[str], ModuleType]) -> None:
    """As C has it, and the device: of -inf it is inf, of -0 it is 0."""
    a = np.array([[-np.inf, -0.0, 4.0, np.inf]], np.float32)
    found = run(module, "tg.store(c, (0, 0), t**0.5)", a=a)[0]
    assert found.tolist() == [np.inf, 0.0, 2.0, np.inf] and not np.signbit(found[1])


@pytest.mark.parametrize("dtype", [dt.bf16, dt.f16, dt.f8e4m3fn, dt.f8e5m2])
def test_narrowing_rounds_once(dtype: dt.DType) -> None:
    """Halfway between two values, plus less than f32 can hold: up, whatever f32 would say."""
    one = np.array(1.0, dtype.numpy)
    step = float(np.nextafter(one, np.array(2.0, dtype.numpy)).astype(np.float64)) - 1.0
    data = np.array([1.0 + step / 2, 1.0 + step / 2 + 2.0**-40, 1.0 + step / 2 - 2.0**-40])
    found = convert(data, dt.f64, dtype).astype(np.float64)
    assert found.tolist() == [1.0, 1.0 + step, 1.0]
    assert convert(data, dt.f64, dtype, "rtz").astype(np.float64).tolist() == [1.0] * 3


def test_float_to_integer_saturates() -> None:
    data = np.array([1e10, -1e10, np.nan, 2.9, -2.9, np.inf], np.float32)
    expected = [2**31 - 1, -(2**31), 0, 2, -2, 2**31 - 1]
    assert convert(data, dt.f32, dt.i32).tolist() == expected


def test_fp8_saturates_unless_told() -> None:
    data = np.array([1000.0, -np.inf, np.nan], np.float32)
    found = convert(data, dt.f32, dt.f8e4m3fn).astype(np.float32)
    assert found[:2].tolist() == [448.0, -448.0] and np.isnan(found[2])
    assert np.isnan(convert(data, dt.f32, dt.f8e4m3fn, saturate=False).astype(np.float32)[0])


HEAD = """
import tegula as tg

@tg.kernel(grid=lambda a: (1,))
def k(a: "M N", c: "M N", n: tg.i32, s: tg.f32):
    t = tg.load(a, (0, 0), (4, 4))
"""


def run(module: Callable[[str], ModuleType], *lines: str, a: Any = None) -> np.ndarray:
    text = HEAD + "".join(f"    {line}\n" for line in lines)
    a = np.arange(12, dtype=np.float32).reshape(3, 4) - 5 if a is None else a
    c = np.full(a.shape, 99, np.float32)
    module(text).k.interpret(a, c, 3, 0.5)
    return c


A = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
EXPRESSIONS = {
    "t // 2.0": A // 2,
    "t.to(tg.i32) % 3": A.astype(np.int32) % 3,
    "tg.cdiv((t * 0).to(tg.i32) - 2147483647 - 1, 3)": A * 0 - 715827882,
    "tg.cdiv(t.to(tg.i32), -3)": -(A // 3),
    "t.to(tg.i32) // -3": A.astype(np.int32) // -3,
    "tg.where(t > 0, t, s)": np.where(A > 0, A, 0.5),
    "tg.fma(t.to(tg.i32), t.to(tg.i32), t.to(tg.i64))": A * A + A,
    "tg.fma(t.to(tg.i32), 2, 1)": A * 2 + 1,
    "tg.maximum(t, 0) ** 2": np.maximum(A, 0) ** 2,
    "-t + n * s": -A + 1.5,
    "tg.abs(t) - tg.iota((4, 4), axis=1)": abs(A) - np.arange(4),
    "t + tg.sum(t, axis=1)[:, None]": A + A.sum(1, keepdims=True),
    "tg.load(a.T, (0, 0), (4, 4)).T": A,
    "tg.broadcast_to(tg.load(a[1], (0,), (4,)), (4, 4))": np.broadcast_to(A[1], A.shape),
    "tg.permute(t, (1, 0)).T": A,
    "tg.bitcast(tg.bitcast(t, tg.i32), tg.f32)": A,
    "tg.fma(t, t, 1.0)": A * A + 1,
    "(~(t > 0)).to(tg.f32)": (A <= 0).astype(np.float32),
    "tg.round(t / 2)": np.rint(A / 2),
    "t * tg.any(t > 100, axis=(0, 1), keepdims=True).to(tg.f32)": A * 0,
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(module: Callable[[str], ModuleType], expression: str) -> None:
    found = run(module, f"tg.store(c, (0, 0), ({expression}).to(tg.f32))")
    assert np.array_equal(found, EXPRESSIONS[expression])


def test_outside_reads_the_pad_and_is_not_written(module: Callable[[str], ModuleType]) -> None:
    found = run(
        module,
        "x = tg.load(a, (0, 1), (4, 3), pad=7.0)",
        "tg.store(c, (0, 0), tg.broadcast_to(tg.sum(x, axis=(0, 1), keepdims=True), (4, 4)))",
        "tg.store(c, (-1, 0), t)",
    )
    assert np.array_equal(found, np.full((3, 4), A[:, 3].sum() + 9 * 7))


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("x = a[4]", "run.bounds"),
        ("x = a[0:5]", "run.bounds"),
        ("tg.store(c, (0, 0), t.to(tg.f16))", "tile.store.c4"),
        ("tg.store(c, (0,), t)", "tile.store.c1"),
        ("x = tg.load(a, (0, 0), (4,))", "tile.load.c1"),
        ("x = t + tg.zeros((3, 3), tg.f32)", "front.shape.broadcast"),
        ("x = tg.mma(t, tg.zeros((3, 4), tg.f32), t)", "tile.mma.c2"),
        ("x = t.to(tg.f8e5m2) + 1.0", "front.type.arithmetic"),
        ("x = 1.0 if t > 0 else 2.0", "front.type.condition"),
        ("x = tg.program_id(1)", "tile.program_id.c1"),
        ("x = tg.exp(t.to(tg.f64))", "tile.target.c1"),
        ("x = t.to(tg.f64) ** t", "tile.target.c1"),
        ("x = tg.exp(t.to(tg.f8e5m2))", "front.type.arithmetic"),
        ("x = tg.abs(t.to(tg.f8e5m2))", "front.type.arithmetic"),
        ("x = -t.to(tg.f8e5m2)", "front.type.arithmetic"),
        ("x = ~t", "front.type.arithmetic"),
        ("x = tg.take(t, t, axis=0)", "tile.take.c3"),
        ("x = tg.histogram(t.to(tg.i32), 0)", "tile.histogram.c2"),
        ("x = tg.histogram(t.to(tg.i32), 5, where=t)", "tile.histogram.c3"),
        ("tg.scatter(c, (t.to(tg.i32), 0), t, where=t)", "tile.scatter.c4"),
        ("x = tg.mma(t, t, tg.zeros((4, 4), tg.i32))", "tile.mma.c5"),
        ("x = tg.mma(t.to(tg.i32), t.to(tg.i32), t.to(tg.i32))", "tile.mma.c4"),
        ("x = t[::2]", "front.index.step"),
        ("x = t.to(tg.i32, rounding='up')", "front.type.rounding"),
        # What Python and NumPy cannot do: the compiler's words.
        ("x = tg.sum(t, axis=3)", "front.shape.axis"),
        ("x = tg.load(a, (0, 0), (4, 4), mask=1)", "front.type.call"),
        ("x = t.foo", "front.name.attribute"),
        ("x = tg.cat((t, t[:, :3]), axis=0)", "tile.concat.c1"),
        ("x = t @ t", "front.syntax.operator"),
    ],
)
def test_refused(module: Callable[[str], ModuleType], line: str, label: str) -> None:
    """As the compiler does, at the line, and without the elements of tiles."""
    with pytest.raises(tg.Error) as caught:
        run(module, line)
    assert caught.value.label == label
    assert caught.value.span is not None and caught.value.span.text.strip() == line
    assert "array(" not in str(caught.value).replace(line, "")


def test_an_exception_stays_where_the_compiler_speaks_of_another_line(
    module: Callable[[str], ModuleType],
) -> None:
    """Kernels that are being debugged hold what only Python knows."""
    with pytest.raises(IndexError):
        run(module, "seen = [t]", "x = a.shape[9]")


@pytest.mark.parametrize("dtype", [dt.f64, dt.f32, dt.f16, dt.bf16])
def test_fma_rounds_once(dtype: dt.DType) -> None:
    """The product lies halfway between two numbers; what is added decides, however small."""
    info = ml_dtypes.finfo(dtype.numpy)
    first = 2.0 ** -((info.nmant + 1) // 2)
    second = 2.0 ** -(info.nmant + 1) / first
    below = 1 + first + second  # and half of the last bit
    x, y = np.array(1 + first, dtype.numpy), np.array(1 + second, dtype.numpy)
    small = float(info.smallest_normal)
    found = fused(x, y, np.array([small, -small], dtype.numpy), dtype).astype(np.float64)
    assert found.tolist() == [below + float(info.eps), below]


def test_empty_grid_does_nothing() -> None:
    whole = np.full((4, 8), 7.0, np.float32)
    softmax.interpret(whole[:0], whole[2:2])
    assert (whole == 7.0).all()


def test_grid_runs_the_first_axis_fastest(module: Callable[[str], ModuleType]) -> None:
    text = """
import tegula as tg
SEEN = []

@tg.kernel(grid=lambda c: (2, tg.cdiv(c.shape[0], 4)))
def k(c: "M"):
    SEEN.append((tg.program_id(0), tg.program_id(1)))
"""
    loaded = module(text)
    loaded.k.interpret(np.zeros(8, np.float32))
    assert loaded.SEEN == [(0, 0), (1, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize(
    "line",
    [
        "tg.store(c, (0, 0), t)",
        "tg.scatter(c, (tg.iota((1,), axis=0), tg.iota((1,), axis=0)), s)",
        "tg.atomic_add(c, (0, 0), t)",
    ],
)
def test_arrays_that_may_only_be_read(module: Callable[[str], ModuleType], line: str) -> None:
    c = np.zeros((3, 4), np.float32)
    c.flags.writeable = False
    with pytest.raises(tg.ArgumentError, match="may only be read") as caught:
        module(f"{HEAD}    {line}\n").k.interpret(A, c, 3, 0.5)
    assert caught.value.argument == "c"


def test_packed_arrays_that_may_only_be_read() -> None:
    codes = np.zeros((4, 2), np.uint8)
    codes.flags.writeable = False
    with pytest.raises(tg.ArgumentError, match="may only be read"):
        to_f4.interpret(np.ones((4, 4), np.float32), tg.packed(codes))


@tg.kernel(grid=lambda x: (1,))
def to_f4(x: "M K", q: "M K") -> None:
    tg.store(q, (0, 0), tg.load(x, (0, 0), (4, 4)).to(tg.f4e2m1))
