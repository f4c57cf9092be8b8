"""Golden text: what the front end writes for each construct, without locations."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from loading import load_module

import tegula as tg
from tegula.kernels import gemm, rms_norm, softmax

BF16 = ml_dtypes.bfloat16


def plain(text: str) -> str:
    """IR text without locations."""
    return re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", text)


def ops(text: str) -> list[str]:
    """The op of every line of the kernel's body, without its operands."""
    body = plain(text).split("tile.func")[0].splitlines()[2:]
    found = (
        re.match(r"\s*(?:%\S+ = )?((?:tile\.math|tile\.reduce) \w+|[a-z]+\.\w+)", x) for x in body
    )
    return [match.group(1) for match in found if match]


def rows(n: int, count: int, dtype: Any) -> np.ndarray:
    return np.zeros((count, n), dtype)


def norm_text(n: int = 2880, dtype: Any = BF16) -> str:
    x, w, r = rows(n, 3, dtype), np.zeros(n, dtype), np.zeros((3, 1), np.float32)
    return rms_norm.trace(x, w, x.copy(), r, 1e-5, target="gfx950").text


def test_rms_norm() -> None:
    assert ops(norm_text()) == [
        *("arith.constant", "arith.constant", "arith.constant", "arith.constant"),
        *("tile.program_id", "scf.for", "tile.load", "arith.extf", "arith.mulf"),
        *("tile.reduce add", "arith.addf", "scf.yield", "arith.divf", "tile.broadcast"),
        *("arith.addf", "tile.math rsqrt", "scf.for", "tile.load", "arith.extf"),
        *("tile.broadcast", "arith.mulf", "tile.load", "arith.extf", "tile.reshape"),
        *("arith.mulf", "tile.cast", "tile.store", "tile.store", "tile.return"),
    ]
    text = plain(norm_text())
    assert '!tile.view<?x2880xbf16, names = ["R", "N"], strides = [?, 1], align = 16>' in text
    assert '!tile.view<2880xbf16, names = ["N"], strides = [1], align = 16>' in text
    assert '!tile.view<?x1xf32, names = ["R", "1"], strides = [?, 1]>' in text
    assert 'grid = @rms_norm.grid, target = #tile.target<"gfx950">' in text
    assert "dense<2880.0> : tensor<1x1xf32>" in text


def test_rms_norm_of_f32_has_no_casts() -> None:
    assert not {"arith.extf", "tile.cast"} & set(ops(norm_text(512, np.float32)))


def test_odd_rows_are_not_called_aligned() -> None:
    assert 'align = 16> {tile.name = "x"}' not in norm_text(2881)


@pytest.mark.parametrize(
    ("columns", "align"), [(2884, ", align = 8"), (2882, ", align = 4"), (2881, "")]
)
def test_rows_are_as_aligned_as_they_are(columns: int, align: str) -> None:
    text = norm_text(columns)
    assert f'names = ["R", "N"], strides = [?, 1]{align}> {{tile.name = "x"}}' in text


def test_softmax_pads_with_minus_infinity() -> None:
    x = rows(500, 3, np.float16)
    text = softmax.trace(x, x.copy(), target="gfx942").text
    assert "pad(-inf)" in text and '#tile.target<"gfx942">' in text


def gemm_text(target: str = "gfx950", m: int = 512, **constants: Any) -> str:
    a, b, c = rows(128, m, BF16), rows(128, 512, BF16), rows(512, m, BF16)
    return gemm.trace(a, b.T, c, target=target, **constants).text


def test_gemm_loop() -> None:
    text = plain(gemm_text())
    loop = re.search(r"scf\.for .*?\n  \}", text, re.S)
    assert loop is not None
    assert ops("\n\n" + loop.group(0))[:4] == ["scf.for", "tile.load", "tile.load", "tile.mma"]
    assert "iter_args(%4 = %c.0) -> (tensor<256x256xf32>) : i32 {" in text
    assert "arith.ceildivui %1, %c.1 : i32" in text
    assert 'names = ["K", "N"], strides = [1, ?], align = 16> {tile.name = "b"}' in text
    assert "tile.num_tiles %c [256, 256]" in text and "arith.muli %0#0, %0#1 : i32" in text


@pytest.mark.parametrize(
    ("target", "m", "shape"),
    [
        ("gfx950", 512, "256x64xbf16"),
        ("gfx942", 512, "256x32xbf16"),
        ("gfx950", 1, "16x64xbf16"),
        ("gfx950", 17, "32x64xbf16"),
        ("gfx942", 128, "128x32xbf16"),
    ],
)
def test_auto_tiles_follow_shape_and_target(target: str, m: int, shape: str) -> None:
    assert f"-> tensor<{shape}>" in gemm_text(target, m)


def test_given_tiles_are_kept() -> None:
    assert "tensor<32x16xbf16>, tensor<16x48xbf16>" in gemm_text(BM=32, BN=48, BK=16)


def test_epilogue_is_inlined_with_both_places() -> None:
    text = gemm_text(epilogue=tg.silu)
    assert re.search(
        r"tile\.math silu .*callsite\(\"tegula/language/library\.py\":\d+:\d+ to :\d+ "
        r'at "tegula/kernels/gemm\.py":\d+:\d+ to :\d+\)',
        text,
    )
    assert "tile.math" not in gemm_text()


def test_optional_bias_takes_no_argument() -> None:
    assert '"bias"' not in gemm_text()


def test_schedule_is_an_attribute() -> None:
    tuned = gemm.with_schedule(
        gfx950=dict(lds="direct", waves=(2, 4), mma="16x16x32", raster=dict(group=8, xcd=True))
    )
    a, b, c = rows(128, 512, BF16), rows(128, 512, BF16), rows(512, 512, BF16)
    text = tuned.trace(a, b.T, c, target="gfx950").text
    fields = 'waves = [2, 4], mma = "16x16x32", lds = direct, raster = {group = 8, xcd = true}'
    assert f"schedule = #tile.schedule<{fields}>" in text
    assert "schedule" not in tuned.trace(a, b.T, c, target="gfx942").text


def test_text_does_not_depend_on_extents() -> None:
    assert gemm_text(m=512) == gemm_text(m=1024)


def test_bodies_are_short() -> None:
    """Lines of a body: what follows the docstring."""
    for kernel, limit in ((rms_norm, 8), (gemm, 12), (softmax, 8)):
        node = kernel.definition.tree.node
        assert node.end_lineno - node.body[1].lineno + 1 <= limit


HEAD = """
import tegula as tg

@tg.kernel(grid=lambda c: (c.shape[0],))
def k(a: "M N", c: "M N", s: tg.f32, n: tg.i32, *, B: tg.const = 16, flag: tg.const = False):
    t = tg.load(a, (0, 0), (B, B))
"""


def traced(module: Callable[[str], ModuleType], body: str, **constants: Any) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    a = np.zeros((64, 64), np.float32)
    kernel = module(HEAD + lines).k
    return plain(kernel.trace(a, a.copy(), 1.0, 3, target="gfx950", **constants).text)


CASES = {
    "weak numbers keep the type": ("x = t.to(tg.bf16) * 2", "mulf %1, %c.1 : tensor<16x16xbf16>"),
    "integers become floats beside floats": ("x = t * n", "arith.sitofp %n : i32 to f32"),
    "bf16 with f16 gives f32": (
        "x = t.to(tg.bf16) + t.to(tg.f16)",
        "arith.addf %3, %4 : tensor<16x16xf32>",
    ),
    "integer division gives f32": ("x = n / 2", "arith.divf %1, %c.1 : f32"),
    "floor division floors": ("x = n // 2", "arith.floordivsi %n, %c.1 : i32"),
    "remainder takes the divisor's sign": ("x = n % 3", "arith.remsi %n, %c.1 : i32"),
    "comparison is ordered, != is not": ("x = t != t", "arith.cmpf une, %0, %0 : tensor<16x"),
    "negative zero survives": ("x = t + (-0.0)", "dense<-0.0> : tensor<16x16xf32>"),
    "exponents are written MLIR's way": ("x = t + 1e-6", "dense<9.999999974752427e-07>"),
    "infinity is a bit pattern": ("x = tg.maximum(t, -tg.inf)", "dense<0xFF800000>"),
    "float to integer truncates": ("x = t.to(tg.i8)", "tile.cast %0 rtz saturate"),
    "fp8 saturates by default": ("x = t.to(tg.f8e4m3fn)", "tile.cast %0 rne saturate"),
    "fp8 may overflow if asked": ("x = t.to(tg.f8e4m3fn, saturate=False)", "tile.cast %0 rne :"),
    "rounding can be chosen": ("x = t.to(tg.bf16, rounding='rtz')", "tile.cast %0 rtz :"),
    "stochastic rounding has a seed": (
        "x = t.to(tg.bf16, rounding='stochastic', seed=3)",
        "tile.cast %0 stochastic seed %c.1 :",
    ),
    "f8 is the target's": ("x = t.to(tg.f8)", "-> tensor<16x16xf8E4M3FN>"),
    "bf8 is the target's": ("x = t.to(tg.bf8)", "-> tensor<16x16xf8E5M2>"),
    "blocks have scales": (
        "x, y = tg.quantize(t, tg.f8e5m2, axis=0, block=8, mode='floor')",
        'tile.quantize %0 {axis = [0], block = [8], mode = floor} : tensor<16x16xf32> -> '
        "tensor<16x16xf8E5M2>, tensor<2x16xf8E8M0FNU>",
    ),
    "bool from float": ("x = t.to(tg.bool_)", "arith.cmpf une, %0, %c.1 : tensor<16x16xf32>"),
    "sums of bf16 run in f32": ("x = tg.sum(t.to(tg.bf16), axis=0)", "reduce add %2 {axis = 0}"),
    "reductions drop their axis": ("x = tg.max(t, axis=1)", "tensor<16x1xf32> to tensor<16xf32>"),
    "rank 0": ("x = tg.sum(t)", "tensor<1x1xf32> to tensor<f32>"),
    "where broadcasts": ("x = tg.where(t > 0, s, 0.0)", "arith.select %1, %2, %c.1"),
    "round is to even": ("x = tg.round(t)", "math.roundeven %0 : tensor<16x16xf32>"),
    "transposed tiles": ("x = t.T", "tile.transpose %0 {perm = [1, 0]}"),
    "transposed views": ("x = tg.load(a.T, (0, 0), (8, 8))", '["N", "M"], strides = [1, ?]'),
    "an index drops its axis": ("x = tg.load(a[n], (0,), (8,))", "tile.index %a {d = 0} %n :"),
    "slices are anonymous": (
        "x = tg.load(a[n:n + 4], (0, 0), (8, 8))",
        '-> !tile.view<?x?xf32, names = ["", "N"], strides = [?, 1], align = 16>',
    ),
    "new axes": ("x = tg.load(a[None], (0, 0, 0), (1, 8, 8))", "tile.expand %a {d = 0}"),
    "a falling range counts up": ("for k in range(n, 0, -2):\n    t = t + k", "arith.muli %"),
    "if yields what differs": (
        "if n > 0:\n    t = t + 1.0\ntg.store(c, (0, 0), t)",
        "scf.if %1 -> (tensor<16x16xf32>) {",
    ),
    "early return guards the rest": ("if n > 0:\n    return\ntg.store(c, (0, 0), t)", "} else {"),
    "continue guards the rest": (
        "for k in range(n):\n    if k == 1:\n        continue\n    tg.store(c, (k, 0), t)",
        "} else {",
    ),
    "numbers join as the other's type": (
        "x = 0\nif n > 0:\n    x = n + 1\ny = x + 1",
        "scf.if %1 -> (i32) {",
    ),
    "unroll writes the loop out": (
        "for k in tg.unroll(range(3)):\n    tg.store(c, (k, 0), t)",
        "tile.store %0, %c[%c.2, %c.0]",
    ),
    "break of an unrolled loop": (
        "for k in (0, 1, 2):\n    if k == 1:\n        break\ntg.store(c, (k, 0), t)",
        "tile.store %0, %c[%c.1, %c.0]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_construct(module: Callable[[str], ModuleType], name: str) -> None:
    body, wanted = CASES[name]
    assert wanted in traced(module, body)


def test_constant_if_is_decided(module: Callable[[str], ModuleType]) -> None:
    body = "if flag:\n    t = tg.exp(t)\ntg.store(c, (0, 0), t)"
    assert "tile.math exp" not in traced(module, body)
    text = traced(module, body, flag=True)
    assert "tile.math exp" in text and "scf.if" not in text


def test_loop_carries_only_what_changes(module: Callable[[str], ModuleType]) -> None:
    body = "x = tg.zeros((B, B), tg.f32)\nfor k in range(n):\n    y = t * 2.0\n    x = x + y"
    assert "iter_args(%2 = %c.1)" in traced(module, body)


def test_temporaries_may_change_type_between_loops(module: Callable[[str], ModuleType]) -> None:
    body = (
        "for k in range(n):\n    y = t * 2.0\n    tg.store(c, (0, 0), y)\n"
        "for k in range(n):\n    y = tg.sum(t)\n    tg.store(c, (0, 0), t + y)"
    )
    assert traced(module, body).count("scf.for") == 2


def test_temporary_of_a_nested_loop(module: Callable[[str], ModuleType]) -> None:
    body = "for j in range(n):\n    for k in range(n):\n        y = t * 2.0"
    assert traced(module, body).count("scf.for") == 2


def test_fastmath_is_on_each_op(module: Callable[[str], ModuleType]) -> None:
    text = HEAD.replace("(c.shape[0],))", '(c.shape[0],), fastmath={"contract", "afn"})')
    kernel = module(text + "    tg.store(c, (0, 0), tg.exp(t) * s)\n").k
    a = np.zeros((64, 64), np.float32)
    ir = kernel.trace(a, a.copy(), 1.0, 3, target="gfx950").text
    assert "tile.math exp %0 fastmath<afn,contract>" in ir
    assert re.search(r"arith\.mulf %\d+, %\d+ fastmath<afn,contract>", ir)


def test_text_is_the_same_in_another_folder(tmp_path: Any) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        kernel = load_module(HEAD + "    tg.store(c, (0, 0), t)\n", tmp_path / name).k
        a = np.zeros((64, 64), np.float32)
        text = kernel.trace(a, a.copy(), 1.0, 3, target="gfx950").text
        texts.append(re.sub(r"kernels_under_test_\d+", "file", text))
    assert texts[0] == texts[1]
