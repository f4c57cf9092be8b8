"""Mistakes that users make: each works as it should, or is refused by name, rule and line.

One test a mistake, or a few; the number in its name is the mistake's in the project's list. Those
of operators that don't exist yet (18, 19: block scales; topk) are with them, 32 (atomics) is in
``frontend/malformed.py``, 39 (capture of a graph) in ``runtime/inside_fake_hip.py``.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from loading import load_module

import tegula as tg
import tegula.torch as tegula_torch
from tegula import knobs, runtime
from tegula.compiler import service
from tegula.kernels import gemm, rms_norm, softmax

F32, BF16 = np.float32, ml_dtypes.bfloat16
DEVICE = "sim:gfx950"
HEAD = """import math
import tegula as tg

LIST = [1, 2, 3]


@tg.function
def recursive(x):
    return recursive(x)


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 16),))
def k(x: "M N", out: "M N", n: tg.i32, s: tg.f32):
    i = tg.program_id(0)
    t = tg.load(x, (i, 0), (16, 16))
"""


@pytest.fixture
def module(tmp_path: Path) -> Callable[[str], ModuleType]:
    return lambda text: load_module(text, tmp_path)


def array(*shape: int, dtype: Any = F32) -> np.ndarray:
    return np.zeros(shape, dtype)


def body(module: Callable[[str], ModuleType], text: str, head: str = HEAD) -> tuple[Any, int]:
    """The kernel of ``text`` below the head, and the number of its line with ``#!``."""
    lines = [*head.splitlines(), *(f"    {line}" for line in text.splitlines())]
    place = next((n for n, line in enumerate(lines, 1) if "#!" in line), 0)
    return module("\n".join(lines) + "\n").k, place


def refused(
    module: Callable[[str], ModuleType], text: str, label: str, *words: str, head: str = HEAD
) -> tg.Error:
    """The error of a kernel: its label, its line, words of its text."""
    kernel, place = body(module, text, head)
    with pytest.raises(tg.Error) as caught:
        kernel.compile(array(64, 16), array(64, 16), 3, 2.0, target="gfx950")
    error = caught.value
    assert not isinstance(error, tg.InternalError)
    assert error.label == label, str(error)
    assert error.span is not None and error.span.line == place, str(error)
    for word in words:
        assert word in str(error), str(error)
    return error


def argument_error(call: Callable[[], Any], argument: str, *words: str) -> tg.ArgumentError:
    with pytest.raises(tg.ArgumentError) as caught:
        call()
    error = caught.value
    assert isinstance(error, TypeError) and error.label == "call.argument"
    assert error.argument == argument, str(error)
    for word in words:
        assert word in str(error), str(error)
    return error


def norm(**changes: Any) -> Callable[[], None]:
    """A call of rms_norm with some arguments changed."""
    good: dict[str, Any] = dict(x=array(4, 64), w=array(64), out=array(4, 64), rstd=array(4, 1))
    return lambda: rms_norm(**{**good, "eps": 1e-5, **changes})


def program_of(tmp_path: Path, kernel: Any, signature: tg.Signature) -> runtime.Program:
    tg.compile_ahead(kernel, signature, ["gfx950"], tmp_path)
    return tg.load_program(tmp_path / f"{kernel.__name__}.json")


SOFTMAX_32 = tg.Signature(
    x=tg.array(tg.f32, 2, strides=(None, 1)), out=tg.array(tg.f32, 2, strides=(None, 1)), N=64
)


@pytest.mark.parametrize(
    ("dtype", "name"), [(np.float16, "f16"), (np.int64, "i64"), (BF16, "bf16")]
)
def test_01_another_dtype_than_compiled_for(tmp_path: Path, dtype: Any, name: str) -> None:
    program = program_of(tmp_path, softmax, SOFTMAX_32)
    with tg.device(DEVICE):
        call = lambda: program(array(4, 64, dtype=dtype), array(4, 64))  # noqa: E731
        argument_error(call, "x", "f32", name)


def test_01_a_generic_kernel_is_specialised_again() -> None:
    with tg.device(DEVICE):
        for dtype in (F32, np.float16, BF16):
            out = array(4, 64, dtype=dtype)
            softmax(array(4, 64, dtype=dtype), out)
            assert (out == dtype(1 / 64)).all()


@pytest.mark.parametrize("shape", [(64,), (2, 2, 64)])
def test_02_another_rank(shape: tuple[int, ...]) -> None:
    with tg.device(DEVICE):
        argument_error(norm(x=array(*shape)), "x", f"rank {len(shape)}", "rank 2")
        argument_error(norm(w=array(4, 64)), "w", "rank 2", "rank 1")


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 100])
def test_03_a_length_that_no_tile_divides(module: Callable[[str], ModuleType], length: int) -> None:
    kernel, _ = body(module, "tg.store(out, (i, 0), t + s)")
    x, out = array(length, 16) + 1, array(length, 16)
    with tg.device(DEVICE):
        kernel(x, out, 3, 2.0)
    assert (out == 3).all()


def test_04_another_length_than_specialised_for(tmp_path: Path) -> None:
    program = program_of(tmp_path, softmax, SOFTMAX_32)
    with tg.device(DEVICE):
        argument_error(lambda: program(array(4, 32), array(4, 32)), "x", "64", "32")
        out = array(4, 32)
        softmax(array(4, 32), out)  # the kernel itself is specialised again
    assert (out == 1 / 32).all()


def test_05_lengths_that_disagree() -> None:
    with tg.device(DEVICE):
        argument_error(norm(w=array(32)), "w", "'w' has N = 32", "'x' has N = 64")


def test_06_strided_arrays_work() -> None:
    rng = np.random.default_rng(6)
    big = rng.standard_normal((8, 256)).astype(F32)
    whole, want = array(4, 64), array(4, 64)
    for x in (big[::2, ::4], big[:4, 1:65], big.T[:64, :4].T):
        with tg.device(DEVICE):
            softmax(x, whole)
            softmax(np.ascontiguousarray(x), want)
        assert (whole == want).all()


def test_06_what_is_taken_for_granted_of_strides(tmp_path: Path) -> None:
    program = program_of(tmp_path, softmax, SOFTMAX_32)
    with tg.device(DEVICE):
        argument_error(lambda: program(array(4, 128)[:, ::2], array(4, 64)), "x", "stride", "2")


def test_07_an_array_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEGULA_DEVICE", raising=False)
    argument_error(lambda: softmax(array(4, 64), array(4, 64)), "device", "sim:gfx950", "hip:0")


def test_07_not_an_array() -> None:
    with tg.device(DEVICE):
        argument_error(norm(x=[[1.0]]), "x", "list", "a NumPy array or a torch tensor")
        argument_error(norm(x=torch.zeros(4, 64, device="meta")), "x", "meta")


def test_08_arguments_that_do_not_fit() -> None:
    with tg.device(DEVICE):
        argument_error(
            lambda: softmax(array(4, 64)), "out", "misses", 'softmax(x: "R N", out: "R N"'
        )
        argument_error(norm(M=1), "M", "no parameter 'M'")
        with pytest.raises(TypeError, match="positional"):
            softmax(array(4, 64), array(4, 64), 64)


@pytest.mark.parametrize("value", [3_000_000_000, -3_000_000_000, 1.5, None, "3"])
def test_09_scalars_out_of_range(module: Callable[[str], ModuleType], value: Any) -> None:
    kernel, _ = body(module, "tg.store(out, (i, 0), t)")
    with tg.device(DEVICE):
        call = lambda: kernel(array(16, 16), array(16, 16), value, 2.0)  # noqa: E731
        argument_error(call, "n", "i32", str(value).strip("'"))


def test_10_return_under_a_condition(module: Callable[[str], ModuleType]) -> None:
    kernel, place = body(module, "if i > 0:\n    return #!\ntg.store(out, (i, 0), t + s)")
    x, out = array(32, 16), array(32, 16)
    try:
        with tg.device(DEVICE):
            kernel(x, out, 3, 2.0)
    except tg.SyntaxNotSupported as error:
        assert error.label == "front.syntax.return"
        assert error.span is not None and error.span.line == place
    else:
        assert (out[:16] == 2).all() and (out[16:] == 0).all()


def test_10_return_with_a_value(module: Callable[[str], ModuleType]) -> None:
    refused(module, "return t #!", "front.syntax.return")


@pytest.mark.parametrize("word", ["break", "continue"])
def test_11_leaving_a_loop(module: Callable[[str], ModuleType], word: str) -> None:
    text = f"for j in range(n):\n    if j == 1:\n        {word} #!\n    t = t + s\n"
    kernel, place = body(module, text + "tg.store(out, (i, 0), t)")
    out = array(16, 16)
    try:
        with tg.device(DEVICE):
            kernel(array(16, 16), out, 3, 2.0)
    except tg.SyntaxNotSupported as error:
        assert error.label == f"front.syntax.{word}"
        assert error.span is not None and error.span.line == place
    else:
        assert (out == (2 if word == "break" else 4)).all()


def test_12_a_variable_of_one_path(module: Callable[[str], ModuleType]) -> None:
    text = "if n > 0:\n    y = t\ntg.store(out, (i, 0), y) #!"
    error = refused(module, text, "front.name.path", "'y'")
    assert len(error.notes) == 1 and "y = t" in str(error)


def test_13_a_variable_that_changes_its_type(module: Callable[[str], ModuleType]) -> None:
    text = "for j in range(n): #!\n    t = t.to(tg.f16)\ntg.store(out, (i, 0), t.to(tg.f32))"
    error = refused(module, text, "front.branch.loop", "'t'", "f32", "f16")
    assert "t = t.to(tg.f16)" in str(error)
    text = "if n > 0:\n    y = t\nelse:\n    y = tg.sum(t, axis=0)\nz = y #!"
    refused(module, text, "front.branch.types", "'y'", "16x16", "y = tg.sum(t, axis=0)")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("LIST[0] = 1 #!", "front.syntax.mutation"),
        ("global LIST #!\nLIST = t", "front.syntax.global"),
        ("y = LIST[n] #!", "front.const.mutable"),
        ("y = (1, 2, 3)[n] #!", "front.const.index"),
    ],
)
def test_14_mutation(module: Callable[[str], ModuleType], text: str, label: str) -> None:
    refused(module, text, label)


@pytest.mark.parametrize(
    ("product", "label", "words"),
    [
        ("tg.mma(t, tg.zeros((8, 16), tg.f32), t)", "tile.mma.c2", ("16x16", "8x16")),
        ("tg.mma(t, tg.zeros((16,), tg.f32), t)", "tile.mma.c1", ("rank",)),
        ("tg.mma(t, t, tg.zeros((16, 8), tg.f32))", "tile.mma.c3", ("16x8",)),
        ("tg.mma(t.to(tg.f16), t.to(tg.f16), t.to(tg.f16))", "tile.mma.c5", ("f32",)),
        ("tg.mma(tg.zeros((16, 16), tg.i8), t, t)", "tile.mma.c4", ("f32",)),
    ],
)
def test_15_products(
    module: Callable[[str], ModuleType], product: str, label: str, words: tuple[str, ...]
) -> None:
    refused(module, f"y = {product} #!", label, *words)


def test_16_a_type_that_matrix_cores_lack(module: Callable[[str], ModuleType]) -> None:
    refused(
        module,
        "y = tg.mma(t.to(tg.i16), t.to(tg.i16), t.to(tg.i32)) #!",
        "tile.mma.c4",
        "f16",
        "bf16",
        "i8",
    )


@pytest.mark.parametrize(
    ("target", "dtype"),
    [("gfx942", ml_dtypes.float8_e4m3fn), ("gfx950", ml_dtypes.float8_e4m3fnuz)],
)
def test_17_the_other_fp8(target: str, dtype: Any) -> None:
    """Compiled exactly, with a remark, or refused by name; never read as the target's own."""
    rng = np.random.default_rng(17)
    a, b = (rng.integers(-4, 5, (64, 64)).astype(dtype) for _ in range(2))
    c = array(64, 64)
    try:
        remarks = gemm.compile(a, b, c, target=target).remarks
    except tg.Error as error:
        assert not isinstance(error, tg.InternalError)
        assert error.label in ("tile.target.c1", "tile.mma.c4") and error.span is not None
        return
    assert any("f8" in str(remark) or "fp8" in str(remark) for remark in remarks)
    with tg.device(f"sim:{target}"):
        gemm(a, b, c)
    assert (c == a.astype(F32) @ b.astype(F32)).all()


def test_20_too_much_lds() -> None:
    a = array(512, 4096, dtype=np.float16)
    with pytest.raises(tg.LdsBudget) as caught:
        gemm.compile(a, array(4096, 512, dtype=np.float16), array(512, 512), target="gfx942",
                     BM=256, BN=256, BK=512)  # fmt: skip
    error = caught.value
    assert error.label == "cdna.kernel.c3" and error.span is not None
    assert "262,144 bytes" in str(error) and "65,536" in str(error)


def test_20_every_buffer_is_listed_and_what_is_offered_fits() -> None:
    a, b, c = (
        array(512, 4096, dtype=np.float16),
        array(4096, 512, dtype=np.float16),
        array(512, 512),
    )
    kernel, tiles = gemm.with_schedule(gfx950=dict(stages=2)), dict(BM=256, BN=256, BK=128)
    with pytest.raises(tg.LdsBudget) as caught:
        kernel.compile(a, b, c, target="gfx950", **tiles)
    error = caught.value
    assert "262,144 bytes needed, gfx950 has 163,840" in error.message
    buffers = [(text, span.text) for text, span in error.notes if span is not None]
    assert [text for text, _ in buffers] == [
        "A 256x128xf16 x 2 stages: 131,072 bytes",
        "B 128x256xf16 x 2 stages: 131,072 bytes",
    ]
    assert all("tg.load" in line for _, line in buffers)
    offered = re.search(
        r"fits: stages = (\d).*, or BK = (\d+).*, or BM = (\d+) and BN = (\d+)", error.message
    )
    assert offered is not None, error.message
    stages, depth, rows, columns = map(int, offered.groups())
    gemm.with_schedule(gfx950=dict(stages=stages)).compile(a, b, c, target="gfx950", **tiles)
    kernel.compile(a, b, c, target="gfx950", **{**tiles, "BK": depth})
    kernel.compile(a, b, c, target="gfx950", **{**tiles, "BM": rows, "BN": columns})


def test_21_too_many_registers() -> None:
    x = array(4, 1 << 22)
    with pytest.raises((tg.RegisterBudget, tg.LdsBudget)) as caught:
        softmax.compile(x, x.copy(), target="gfx950")
    assert caught.value.span is not None and "registers" in str(caught.value)


def test_21_every_tile_is_listed_and_what_is_offered_fits() -> None:
    @tg.kernel(grid=lambda x: (1,))
    def six(x: "N M", y: "N M", *, N: tg.const, M: tg.const):
        a, b, c = (tg.load(x, (i, 0), (N, M)) for i in (0, 1, 2))
        d, e, f = (tg.load(x, (i, 0), (N, M)) for i in (3, 4, 5))
        for i in range(tg.scalar(y, 0, 0)):
            a, b, c, d, e, f = b + i, c, d, e, f, a
        tg.store(y, (0, 0), (a + b * c) + (d + e * f))

    x = array(64, 1024, dtype=np.int32)
    kernel = six.with_schedule(gfx950=dict(waves=(1, 8)))
    with pytest.raises(tg.RegisterBudget) as caught:
        kernel.compile(x, x, target="gfx950")
    error = caught.value
    found = re.search(
        r"use smaller tiles \((\d+)x(\d+)xi32 instead of 64x1024xi32 fits", str(error)
    )
    assert found is not None, str(error)
    listed = [
        span.line for text, span in error.notes if "64x1024xi32: 128 registers" in text and span
    ]
    assert len(listed) >= 6
    smaller = array(*map(int, found.groups()), dtype=np.int32)
    kernel.compile(smaller, smaller, target="gfx950")


@pytest.mark.parametrize("waves", [(0, 1), (3, 1), (8, 4), (-1, 2), (2.0, 1), "2", (1, 2, 3)])
def test_22_waves(waves: Any) -> None:
    a = array(256, 256, dtype=np.float16)
    with pytest.raises(tg.ScheduleError) as caught:
        gemm.with_schedule(gfx950=dict(waves=waves)).compile(a, a, a, target="gfx950")
    assert "waves" in str(caught.value) and caught.value.label


@pytest.mark.parametrize(
    ("schedule", "label", "words"),
    [
        (dict(wave=(2, 2)), "front.schedule.field", ("wave", "waves")),
        (dict(mma="16x8x32"), "tile.schedule.c2", ("16x8x32", "16x16x32")),
        (dict(mma="16x16x24"), "tile.schedule.c2", ("16x16x24", "16x16x32")),
        (dict(stages=0), "tile.schedule.c3", ("0", "1 to 5")),
        (dict(lds="cache"), "front.schedule.value", ("cache", "direct")),
    ],
)
def test_23_schedule_fields(schedule: Any, label: str, words: tuple[str, ...]) -> None:
    a = array(256, 256, dtype=np.float16)
    with pytest.raises(tg.ScheduleError) as caught:
        gemm.with_schedule(gfx950=schedule).compile(a, a, a, target="gfx950")
    assert caught.value.label == label, str(caught.value)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_24_targets() -> None:
    with pytest.raises(tg.UnsupportedOnTarget, match="gfx1100"):
        softmax.compile(array(4, 64), array(4, 64), target="gfx1100")
    with pytest.raises(tg.UnsupportedOnTarget) as caught:
        softmax.compile(array(4, 64), array(4, 64), target="rdna")
    assert caught.value.label == "front.target.name"
    assert "gfx942" in str(caught.value) and "gfx950" in str(caught.value)


def test_25_devices(tmp_path: Path) -> None:
    with pytest.raises(tg.DeviceError, match="HIP is not installed"):
        runtime.open_device("hip:0")
    with pytest.raises(tg.DeviceError, match="gfx942"):
        runtime.open_device("sim:gfx90a")
    other = softmax.compile(array(4, 64), array(4, 64), target="gfx942")
    with pytest.raises(tg.Error, match="gfx942") as caught:
        runtime.launch(other, dict(x=array(4, 64), out=array(4, 64)), on=tg.Device(DEVICE))
    assert not isinstance(caught.value, tg.InternalError)
    with tg.device(DEVICE):
        softmax(array(0, 64), array(0, 64))  # an empty grid with empty outputs


def test_25_a_grid_over_the_limit(module: Callable[[str], ModuleType]) -> None:
    head = HEAD.replace("(tg.cdiv(x.shape[0], 16),)", "(2147483647, 2147483647)")
    kernel, _ = body(module, "tg.store(out, (i, 0), t)", head)
    with tg.device(DEVICE), pytest.raises(tg.Error, match="grid"):
        kernel(array(16, 16), array(16, 16), 3, 2.0)


@pytest.mark.parametrize("damage", ["truncated", "text", "empty", "foreign"])
def test_26_code_objects(damage: str) -> None:
    compiled = softmax.compile(array(4, 64), array(4, 64), target="gfx950")
    code = {
        "truncated": compiled.code_object[:500],
        "text": b"not a code object",
        "empty": b"",
        "foreign": Path(sys.executable).resolve().read_bytes()[:100_000],
    }[damage]
    damaged = service.Compiled(compiled.kernel, "gfx950", code, compiled.manifest)
    with pytest.raises(tg.LaunchError) as caught:
        runtime.launch(damaged, dict(x=array(4, 64), out=array(4, 64)), on=tg.Device(DEVICE))
    assert str(caught.value).count("\n") == 0, str(caught.value)


def test_26_a_manifest_of_another_build() -> None:
    compiled = softmax.compile(array(4, 64), array(4, 64), target="gfx950")
    other = {**compiled.manifest, "version": 999}
    damaged = service.Compiled(compiled.kernel, "gfx950", compiled.code_object, other)
    with pytest.raises(tg.LaunchError, match="version") as caught:
        runtime.launch(damaged, dict(x=array(4, 64), out=array(4, 64)), on=tg.Device(DEVICE))
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("y = tg.zeros((n, 16), tg.f32) #!", "front.const.shape"),
        ("y = tg.load(x, (i, 0), (16, x.shape[1])) #!", "front.const.shape"),
        ("for j in tg.unroll(range(n)): #!\n    pass", "front.const.unroll"),
        ("y = tg.sum(t, axis=n) #!", "front.const.axis"),
    ],
)
def test_27_what_must_be_constant(
    module: Callable[[str], ModuleType], text: str, label: str
) -> None:
    assert isinstance(refused(module, text, label), tg.ConstantRequired)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("y = tg.load(x, (i,), (16, 16)) #!", "tile.load.c1"),
        ("y = tg.load(x, (i, 0, 0), (16, 16)) #!", "tile.load.c1"),
        ("tg.store(out, (i, 0), tg.sum(t, axis=0)) #!", "tile.store.c3"),
        ("y = x[0, 0, 0] #!", "front.index.rank"),
        ("y = x[4:2] #!", "front.index.bound"),
    ],
)
def test_28_indices(module: Callable[[str], ModuleType], text: str, label: str) -> None:
    assert isinstance(refused(module, text, label), tg.IndexRank)


def test_29_stores(module: Callable[[str], ModuleType]) -> None:
    error = refused(module, "tg.store(out, (i, 0), t.to(tg.f16)) #!", "tile.store.c4")
    assert "f16" in str(error) and "f32" in str(error) and ".to(" in str(error)


def test_30_overlapping_views(module: Callable[[str], ModuleType]) -> None:
    """Program order within a workgroup."""
    text = (
        "tg.store(out, (i, 0), t + 1.0)\ntg.store(out, (i, 0), tg.load(x, (i, 0), (16, 16)) * 2.0)"
    )
    kernel, _ = body(module, text)
    x = array(16, 16) + 3
    with tg.device(DEVICE):
        kernel(x, x, 3, 2.0)
    assert (x == 8).all()


@pytest.mark.parametrize("axis", [2, -3, 100])
def test_31_axes(module: Callable[[str], ModuleType], axis: int) -> None:
    refused(module, f"y = tg.sum(t, axis={axis}) #!", "front.shape.axis", str(axis))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("y = (j for j in range(3)) #!", "front.syntax.generator"),
        ("y = lambda z: z #!", "front.syntax.lambda"),
        ("try: #!\n    pass\nexcept ValueError:\n    pass", "front.syntax.try"),
        ("with open('x') as f: #!\n    pass", "front.syntax.with"),
        ("print(n) #!", "front.syntax.builtin"),
        ("y = f'{n}' #!", "front.syntax.fstring"),
        ("y = recursive(*LIST) #!", "front.syntax.star"),
    ],
)
def test_33_constructs(module: Callable[[str], ModuleType], text: str, label: str) -> None:
    error = refused(module, text, label)
    assert isinstance(error, tg.SyntaxNotSupported) and error.help


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("y = tg.laod(x, (i, 0), (16, 16)) #!", "tg.load"),
        ("y = tg.summ(t) #!", "tg.sum"),
        ("y = t.reshap(256) #!", "reshape"),
        ("y = t.softmax() #!", ""),
    ],
)
def test_34_names(module: Callable[[str], ModuleType], text: str, near: str) -> None:
    assert near in str(refused(module, text, "front.name.attribute"))


@pytest.mark.parametrize(
    ("text", "label", "words"),
    [
        ("for j in range(0, 8, 0): #!\n    pass", "front.const.step", ("step",)),
        ("for j in tg.unroll(range(10000)): #!\n    pass", "front.syntax.unroll", ("64", "10000")),
        ("for j in range(10**10): #!\n    pass", "front.type.literal", ()),
    ],
)
def test_35_loops(
    module: Callable[[str], ModuleType], text: str, label: str, words: tuple[str, ...]
) -> None:
    refused(module, text, label, *words)


def test_36_source_that_is_not_there() -> None:
    space: dict[str, Any] = {"tg": tg}
    text = '@tg.kernel(grid=lambda x: (1,))\ndef k(x: "N"):\n    pass\n'
    exec(text, space)
    with tg.device(DEVICE), pytest.raises(tg.Error) as caught:
        space["k"](array(4))
    assert not isinstance(caught.value, tg.InternalError) and "source" in str(caught.value)


def test_36_a_lambda_and_a_nested_kernel(module: Callable[[str], ModuleType]) -> None:
    with pytest.raises(tg.Error) as caught, tg.device(DEVICE):
        tg.kernel(grid=lambda x: (1,))(lambda x: None)(array(4))
    assert not isinstance(caught.value, tg.InternalError)
    nested = module(
        "import tegula as tg\n\ndef make(by):\n"
        "    @tg.kernel(grid=lambda x: (1,))\n"
        '    def k(x: "N"):\n'
        "        tg.store(x, (0,), tg.load(x, (0,), (4,)) + by)\n"
        "    return k\n"
    )
    x = array(4)
    with tg.device(DEVICE):
        nested.make(2.0)(x)  # a closure over a number is a constant
    assert (x == 2).all()


def test_36_a_kernel_calls_a_kernel(module: Callable[[str], ModuleType]) -> None:
    head = HEAD.replace("LIST = [1, 2, 3]", "from tegula.kernels import softmax\nLIST = [1]")
    refused(module, "softmax(x, out) #!", "front.syntax.kernel_call", head=head)


def test_37_edited_kernels(tmp_path: Path) -> None:
    """A helper in another file, edited and loaded again while the process runs."""
    (tmp_path / "helpers37.py").write_text(
        "import tegula as tg\n\n@tg.function\ndef more(x):\n    return x + 1.0\n"
    )
    script = tmp_path / "main37.py"
    script.write_text(
        "import importlib, pathlib, sys\nimport numpy as np\nimport tegula as tg\n"
        "sys.dont_write_bytecode = True\nimport helpers37\n\n"
        "@tg.kernel(grid=lambda x: (1,))\n"
        'def k(x: "N"):\n    tg.store(x, (0,), helpers37.more(tg.load(x, (0,), (4,))))\n\n'
        "x = np.zeros(4, np.float32)\nwith tg.device('sim:gfx950'):\n    k(x)\n"
        "    path = pathlib.Path(helpers37.__file__)\n"
        "    path.write_text(path.read_text().replace('1.0', '10.0'))\n"
        "    importlib.reload(helpers37)\n    k(x)\nprint(x[0])\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "11.0", done.stdout + done.stderr


def test_33_recursion(module: Callable[[str], ModuleType]) -> None:
    kernel, place = body(module, "y = recursive(t) #!")
    with pytest.raises(tg.SyntaxNotSupported) as caught:
        kernel.compile(array(64, 16), array(64, 16), 3, 2.0, target="gfx950")
    error = caught.value
    assert error.label == "front.syntax.recursion" and error.help
    assert (
        error.span is not None and "return recursive(x)" in HEAD.splitlines()[error.span.line - 1]
    )
    assert f":{place}:" in str(error)


def test_38_gradients() -> None:
    """Every operation has a backward pass, so none is left out of a graph without a word."""
    assert tegula_torch.ops
    names = [name for name in dir(torch.ops.tegula) if not name.startswith("_") and name != "name"]
    assert {"mm", "rms_norm"} <= set(names)
    for name in names:
        assert torch._C._dispatch_has_kernel_for_dispatch_key(f"tegula::{name}", "Autograd"), name


@pytest.mark.parametrize("damage", ["unwritable", "corrupted"])
def test_40_the_disk_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, recwarn: Any
) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(folder))
    monkeypatch.setattr("tegula.compiler.cache._warned", False)
    if damage == "unwritable":
        folder.write_text("a file where the folder should be")
    else:
        softmax.with_schedule().compile(array(4, 64), array(4, 64), target="gfx950")
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert files
        for path in files:
            path.write_bytes(path.read_bytes()[:20])
    again = softmax.with_schedule().compile(array(4, 64), array(4, 64), target="gfx950")
    assert again.code_object.startswith(b"\x7fELF")
    assert sum("cache" in str(w.message) for w in recwarn.list) <= 1
    assert pickle.loads(pickle.dumps(softmax)) is not None and knobs.get("cache")
