"""Mistakes that users make: each works as it should, or is refused by name, rule and line.

One test a mistake of MISTAKES, or a few; its number stands in their names.
"""

from __future__ import annotations

import errno
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


#: Every mistake by its number.
MISTAKES = {
    1: "an array of another element type than the compiled signature says",
    2: "an array of another rank",
    3: "a length that no tile divides",
    4: "another length than the kernel was specialised for",
    5: "arrays whose lengths disagree",
    6: "an array that is strided, mirrored, overlapping or misaligned",
    7: "an array without a device, on another one, or no array",
    8: "too many or too few arguments, unknown ones, a constant passed by position",
    9: "a scalar out of range, or of another type",
    10: "a return under a condition, or with a value",
    11: "break and continue",
    12: "a variable that has a value on some paths only",
    13: "a variable that changes its type or shape",
    14: "mutation, and lists indexed by run-time values",
    15: "operands of a product that do not fit",
    16: "a product of a type that matrix cores lack",
    17: "fp8 of the other flavour",
    18: "a scale tile of another shape or type, a block that is not 32",
    19: "K that is no multiple of the block",
    20: "tiles that need more LDS than there is",
    21: "tiles that need more registers than there are",
    22: "too many waves, or none, or a number that cannot be dealt to",
    23: "a schedule field, an instruction or a number of stages that does not exist",
    24: "no target, or an unknown one",
    25: "no HIP, no device, one of another target, an empty grid, one over the limit",
    26: "a code object or a manifest that is damaged, or another's",
    27: "a run-time value where a constant is needed",
    28: "an index or a slice that does not fit the view",
    29: "a store of another type or shape",
    30: "an array that is both read and written",
    31: "an axis that does not exist; more than there is to choose from",
    32: "atomic updates, orders and scopes that do not exist",
    33: "what a kernel cannot contain",
    34: "a name that does not exist",
    35: "loops without end, or too many copies",
    36: "no source text; lambdas, nested kernels, a kernel that calls a kernel",
    37: "sources edited while a process runs",
    38: "gradients",
    39: "a first launch while a graph is captured",
    40: "a disk cache that cannot be used",
}
#: Whose tests are in other files: file below this folder, function.
ELSEWHERE = {
    39: ("runtime/inside_fake_hip.py", "test_a_kernel_that_is_not_compiled_under_capture"),
}
#: Of operators that do not exist yet.
OPEN = {18: "scaled products", 19: "scaled products"}


def test_every_mistake_has_a_test() -> None:
    tested = {int(found[1]) for name in globals() if (found := re.match(r"test_(\d\d)_", name))}
    for number, (file, function) in ELSEWHERE.items():
        assert f"\ndef {function}(" in (Path(__file__).parent / file).read_text(), number
    assert tested <= set(MISTAKES)
    assert set(MISTAKES) - tested - set(ELSEWHERE) == set(OPEN)


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


def shifted(x: np.ndarray, bytes_: int) -> np.ndarray:
    """The same array at an address that is no multiple of 16."""
    room = np.zeros(x.nbytes + 32, np.uint8)
    first = -room.ctypes.data % 16 + bytes_
    copy = room[first : first + x.nbytes].view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_06_mirrored_overlapping_and_misaligned_arrays(dtype: Any) -> None:
    rng = np.random.default_rng(6)
    big = rng.standard_normal((8, 256)).astype(dtype)
    windows = np.lib.stride_tricks.sliding_window_view(big[0], 64)[:4]
    repeated = np.broadcast_to(big[0, :64], (4, 64))
    moved = shifted(big[:4, :64], big.itemsize)
    out, want = array(4, 64, dtype=dtype), array(4, 64, dtype=dtype)
    for x in (big[:4, 63::-1], big[3::-1, :64], windows, repeated, moved, moved[:, ::-1]):
        with tg.device(DEVICE):
            softmax(x, out)
            softmax(np.ascontiguousarray(x), want)
            odd = shifted(out, out.itemsize)
            softmax(x, odd)
            softmax(x, out[::-1, ::-1])
        for found in (odd, out[::-1, ::-1]):  # sums of another layout, another order
            np.testing.assert_allclose(found, want, rtol=4 * ml_dtypes.finfo(dtype).eps)


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


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**70])
def test_09_scalars_out_of_range_on_a_warm_kernel(
    module: Callable[[str], ModuleType], value: int
) -> None:
    kernel, _ = body(module, "tg.store(out, (i, 0), t + s * n)")
    x = array(16, 16)
    with tg.device(DEVICE):
        kernel(x, x.copy(), 2**31 - 1, 2.0)
        argument_error(lambda: kernel(x, x.copy(), value, 2.0), "n", "i32", str(value))
        argument_error(lambda: kernel(x, x.copy(), 3, 1e300), "s", "1e+300", "f32")
        kernel(x, x.copy(), -(2**31), float("inf"))


def test_09_scalars_of_a_program(module: Callable[[str], ModuleType], tmp_path: Path) -> None:
    """Ahead of time integers have a width and no sign."""
    kernel, _ = body(module, "tg.store(out, (i, 0), t + s * n)")
    x, spec = array(16, 16), tg.array(tg.f32, 2)
    program = program_of(tmp_path, kernel, tg.Signature(x=spec, out=spec, n=tg.i32, s=tg.f32))
    with tg.device(DEVICE):
        for value in (2**32, -(2**31) - 1, 2**70, 1.5):
            argument_error(lambda v=value: program(x, x.copy(), v, 2.0), "n", "i32")
        argument_error(lambda: program(x, x.copy(), 3, 1e300), "s", "1e+300", "f32")
        program(x, x.copy(), 3, float("inf"))


def test_09_streams(module: Callable[[str], ModuleType]) -> None:
    kernel, _ = body(module, "tg.store(out, (i, 0), t)")
    with tg.device(DEVICE):
        for stream in (-1, 2**64, "0", 1.0):
            argument_error(
                lambda s=stream: kernel(array(16, 16), array(16, 16), 3, 2.0, stream=s), "stream"
            )


def test_10_return_under_a_condition(module: Callable[[str], ModuleType]) -> None:
    kernel, _ = body(module, "if i > 0:\n    return\ntg.store(out, (i, 0), t + s)")
    x, out = array(32, 16), array(32, 16)
    with tg.device(DEVICE):
        kernel(x, out, 3, 2.0)
    assert (out[:16] == 2).all() and (out[16:] == 0).all()


def test_10_return_with_a_value(module: Callable[[str], ModuleType]) -> None:
    refused(module, "return t #!", "front.syntax.return")


@pytest.mark.parametrize(("word", "want"), [("break", 2), ("continue", 4)])
def test_11_leaving_a_loop(module: Callable[[str], ModuleType], word: str, want: float) -> None:
    text = f"for j in range(n):\n    if j == 1:\n        {word}\n    t = t + s\n"
    kernel, _ = body(module, text + "tg.store(out, (i, 0), t)")
    out = array(16, 16)
    with tg.device(DEVICE):
        kernel(array(16, 16), out, 3, 2.0)
    assert (out == want).all()


def test_12_a_variable_of_one_path(module: Callable[[str], ModuleType]) -> None:
    text = "if n > 0:\n    y = t\ntg.store(out, (i, 0), y) #!"
    error = refused(module, text, "front.name.path", "'y'")
    assert len(error.notes) == 1 and "y = t" in str(error)


def test_13_a_variable_that_changes_its_type(module: Callable[[str], ModuleType]) -> None:
    text = "for j in range(n): #!\n    t = t.to(tg.f16)\ntg.store(out, (i, 0), t.to(tg.f32))"
    error = refused(module, text, "front.branch.loop", "'t'", "f32", "f16")
    assert "t = t.to(tg.f16)" in str(error)
    assert any(span is not None and "t = tg.load" in span.text for _, span in error.notes)
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
    """Compiled exactly, with a remark; never read as the target's own."""
    rng = np.random.default_rng(17)
    a, b = (rng.integers(-4, 5, (64, 64)).astype(dtype) for _ in range(2))
    c = array(64, 64)
    remarks = gemm.compile(a, b, c, target=target).remarks
    assert any("f8e4m3" in str(remark) and "f16, exactly" in str(remark) for remark in remarks)
    with tg.device(f"sim:{target}"):
        gemm(a, b, c)
    assert (c == a.astype(F32) @ b.astype(F32)).all()


@pytest.mark.parametrize(
    ("depth", "words"),
    [
        (512, ("262,144 bytes", "256x512xf16", "128x256xf16 fits")),
        (128, ("131,072 bytes", "A 256x128xf16", "B 128x256xf16", "65,536", "fits: ", "BK = 64")),
    ],
)
def test_20_too_much_lds(depth: int, words: tuple[str, ...]) -> None:
    a = array(512, 4096, dtype=np.float16)
    with pytest.raises(tg.LdsBudget) as caught:
        gemm.compile(a, array(4096, 512, dtype=np.float16), array(512, 512), target="gfx942",
                     BM=256, BN=256, BK=depth)  # fmt: skip
    error = caught.value
    assert error.label == "cdna.kernel.c3"
    for word in ("65,536", "tg.load(a, (m, k), (BM, BK))", *words):
        assert word in str(error), str(error)


def test_21_too_many_registers(module: Callable[[str], ModuleType]) -> None:
    text = "y = tg.load(x, (i, 0), (1, 4194304)) #!\ntg.store(out, (i, 0), y - tg.max(y))"
    words = ("1x4194304xf32", "512 a lane", "16 waves", "1x524288xf32 fits")
    assert isinstance(refused(module, text, "cdna.layout.c6", *words), tg.RegisterBudget)


@pytest.mark.parametrize(
    ("waves", "label", "said"),
    [
        ((0, 1), "tile.schedule.c1", "a product from 1 to 16"),
        ((5, 1), "tile.schedule.c1", "legal are [1, 1] [1, 2] [1, 3]"),
        ((8, 4), "tile.schedule.c1", "a product from 1 to 16"),
        ((-1, 2), "tile.schedule.c1", "a product from 1 to 16"),
        ((2.0, 1), "front.schedule.value", "a pair of integers"),
        ("2", "front.schedule.value", "a pair of integers"),
        ((1, 2, 3), "front.schedule.value", "a pair of integers"),
    ],
)
def test_22_waves(waves: Any, label: str, said: str) -> None:
    a = array(256, 256, dtype=np.float16)
    with pytest.raises(tg.ScheduleError) as caught:
        kernel = gemm.with_schedule(gfx950=dict(waves=waves))
        kernel.compile(a, a, a, target="gfx950", BM=64, BN=64, BK=64)
    error = caught.value
    assert error.label == label and "waves" in str(error) and said in str(error)
    in_kernel = error.span is not None and error.span.text.startswith("def gemm(")
    assert in_kernel == label.startswith("tile")


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


def test_24_neither_target_nor_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEGULA_DEVICE", raising=False)
    x = array(4, 64)
    argument_error(lambda: softmax.compile(x, x), "device", "sim:gfx942", "sim:gfx950")
    argument_error(lambda: softmax.compile(SOFTMAX_32), "target", "gfx942, gfx950")


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


@pytest.mark.parametrize("run", [False, True])
def test_25_a_negative_grid(module: Callable[[str], ModuleType], run: bool) -> None:
    head = HEAD.replace("lambda x: (tg.cdiv(x.shape[0], 16),)", "lambda x, n: (1, n)")
    kernel, _ = body(module, "tg.store(out, (i, 0), t + s)", head)
    call, x = kernel if run else kernel.interpret, array(16, 16)
    with tg.device(DEVICE):
        argument_error(lambda: call(x, x, -3, 2.0), "grid axis 1", "-3", "0 or more")
        call(x, x, 0, 2.0)
    assert (x == 0).all()


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


def test_27_a_constant_that_is_an_array() -> None:
    with tg.device(DEVICE):
        argument_error(norm(N=array(64)), "N", "64")
        a = array(16, 16)
        argument_error(lambda: gemm(a, a, a, epilogue=a), "epilogue", "ndarray", "@tg.function")
        argument_error(lambda: gemm(a, a, a, BM="16"), "BM", "'16'", "an integer or tg.auto")


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


def test_30_workgroups_that_write_the_same(module: Callable[[str], ModuleType]) -> None:
    """The race check tells both accesses."""
    kernel, place = body(module, "tg.store(out, (0, 0), t + 1.0) #!")
    x = np.arange(64 * 16, dtype=F32).reshape(64, 16)
    with tg.device(DEVICE), pytest.raises(tg.SanitizerReport, match="race") as caught:
        kernel(x, array(64, 16), 3, 2.0)
    assert f":{place}" in str(caught.value)


@pytest.mark.parametrize("axis", [2, -3, 100])
def test_31_axes(module: Callable[[str], ModuleType], axis: int) -> None:
    refused(module, f"y = tg.sum(t, axis={axis}) #!", "front.shape.axis", str(axis))


@pytest.mark.parametrize(
    ("text", "label", "words"),
    [
        (
            "tg.atomic_or_(out, (i, 0), t) #!",
            "tile.atomic_rmw.c1",
            ("or of 'f32'", "f16 bf16 f32 and f64 add max min xchg"),
        ),
        (
            "tg.atomic_add(out, (i, 0), t, order='seq_cst') #!",
            "tile.atomic_rmw.c2",
            ("seq_cst", "relaxed, acquire, release, acq_rel"),
        ),
        (
            "tg.atomic_add(out, (i, 0), t, scope='cluster') #!",
            "tile.atomic_rmw.c3",
            ("cluster", "workgroup, agent, system"),
        ),
        ("tg.atomic_add(out, (i, 0), t.to(tg.f16)) #!", "tile.atomic_rmw.c4", ("f16", ".to(")),
    ],
)
def test_32_atomics(
    module: Callable[[str], ModuleType], text: str, label: str, words: tuple[str, ...]
) -> None:
    refused(module, text, label, *words)


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
        ("def inner(): #!\n    pass", "front.syntax.nested"),
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
        ("while True: #!\n    t = t + 1.0", "front.syntax.endless", ()),
        ("y = 9**9**9 #!", "front.const.fold", ("too large",)),
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
    with tg.device(DEVICE), pytest.raises(tg.SyntaxNotSupported) as caught:
        space["k"](array(4))
    error = caught.value
    assert error.label == "front.syntax.source" and error.help and "in a file" in error.help


def test_36_a_lambda_and_a_nested_kernel(module: Callable[[str], ModuleType]) -> None:
    with pytest.raises(tg.SyntaxNotSupported) as caught, tg.device(DEVICE):
        tg.kernel(grid=lambda x: (1,))(lambda x: None)(array(4))
    error = caught.value
    assert error.label == "front.syntax.source" and error.help and "'def'" in error.help
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


@pytest.mark.parametrize("damage", ["unwritable", "full", "corrupted"])
def test_40_the_disk_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, recwarn: Any
) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(folder))
    monkeypatch.setattr("tegula.compiler.cache._warned", False)
    if damage == "unwritable":
        folder.write_text("a file where the folder should be")
    elif damage == "full":

        def full(*args: Any, **kwargs: Any) -> Any:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("tegula.compiler.cache.os.replace", full)
    else:
        softmax.with_schedule().compile(array(4, 64), array(4, 64), target="gfx950")
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert files
        for path in files:
            path.write_bytes(path.read_bytes()[:20])
    again = softmax.with_schedule().compile(array(4, 64), array(4, 64), target="gfx950")
    assert again.code_object.startswith(b"\x7fELF")
    assert sum("cache" in str(w.message) for w in recwarn.list) == 1
    assert pickle.loads(pickle.dumps(softmax)) is not None and knobs.get("cache")
