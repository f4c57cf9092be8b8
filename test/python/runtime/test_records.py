"""Assertions, prints and debug builds: on both devices, interpreted, ahead of time, from C."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import ml_dtypes
import numpy as np
import pytest
from loading import load_module

import tegula as tg
from tegula import cli, knobs

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "include" / "tegula" / "manifest.schema.json").read_text())
TARGETS = ("gfx942", "gfx950")
TEXT = '''"""Kernels that tell something."""

import tegula as tg


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 4),))
def shows(x: "N", n: tg.i32, *, B: tg.const = 7):
    i = tg.program_id(0)
    t = tg.load(x, (i,), (4,))
    tg.print("i = {}, {{n}} = {}, B = {}, t = {}", i, n, B, t)  #print
    if i == 1:
        tg.print("größer: {}", tg.sum(t))


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 4),))
def shows_one(x: "N"):
    tg.print("{}", tg.load(x, (tg.program_id(0),), (4,)))


@tg.kernel(grid=lambda x: (1,))
def shows_all(x: "M N", *, M: tg.const, N: tg.const):
    tg.print("{}", tg.load(x, (0, 0), (M, N)))


@tg.kernel(grid=lambda x: (x.shape[0],))
def overflows(x: "N", big: "M", *, M: tg.const):
    tg.print("{}", tg.load(big, (0,), (M,)))


@tg.kernel(grid=lambda x: (4, 3), asserts=True)
def positive(x: "N", out: "K", n: tg.i32):
    i, j = tg.program_id(0), tg.program_id(1)
    tg.assert_(n - i - j > 0, "n - {} - {} is {}", i, j, n - i - j)  #scalar
    tg.store(out, (j * 4 + i,), tg.full((1,), 1.0, out.dtype))


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 8),), asserts=True)
def finite(x: "M N", out: "M N", *, N: tg.const):
    i = tg.program_id(0)
    t = tg.load(x, (i, 0), (8, N))
    tg.assert_(~tg.isnan(t) & (t < 100.0), "{} is too large for {}", t, N)  #tile
    tg.store(out, (i, 0), t)


@tg.function
def checked(x, limit):
    tg.assert_(x < limit, "x is {}", x)  #helper
    return x


@tg.kernel(grid=lambda x: (1,), asserts=True)
def calls(x: "N", n: tg.i32):
    y = checked(n, 3)  #call


@tg.kernel(grid=lambda offs: (offs.shape[0],))
def rows(x: "M N", offs: "G", out: "G N", places: "G", *, N: tg.const):
    g = tg.program_id(0)
    lo, hi = tg.group(offs, g)
    total = tg.zeros((1, N), tg.f32)
    for m in tg.tiles(x[lo:hi], axis=0, size=4):  #slice
        total = total + tg.sum(tg.load(x[lo:hi], (m, 0), (4, N)), axis=0, keepdims=True)
    row = tg.load(x[tg.scalar(places, g)], (0,), (N,))  #index
    tg.store(out, (g, 0), total + row[None])


@tg.kernel(grid=lambda out: (out.shape[0],))
def elements(x: "N", out: "G", start: tg.i32):
    g = tg.program_id(0)
    v = tg.scalar(x, start + g)  #scalar_element
    tg.store(out, (g,), tg.full((1,), v, out.dtype))


@tg.kernel(grid=lambda x: (1,))
def takes(x: "M N", places: "M K", out: "M K", *, M: tg.const, N: tg.const, K: tg.const):
    t = tg.load(x, (0, 0), (M, N))
    at = tg.load(places, (0, 0), (M, K))
    tg.store(out, (0, 0), tg.take(t, at, axis=1))  #take


@tg.kernel(grid=lambda a, BM: (tg.cdiv(a.shape[0], BM),))
def product(
    a: "M K", b: "G K N", c: "M N", which: "W",
    *, N: tg.const, BM: tg.const = 32, BK: tg.const = 32
):
    m = tg.program_id(0)
    acc = tg.zeros((BM, N), tg.f32)
    for g in range(which.shape[0]):
        h = tg.scalar(which, g)  #which
        for k in tg.tiles(a, axis=1, size=BK):
            acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b[h], (k, 0), (BK, N)), acc)  #b
    tg.store(c, (m, 0), acc)
'''
LINES = TEXT.splitlines()


def line(mark: str) -> int:
    return next(n for n, text in enumerate(LINES, 1) if text.endswith(f"#{mark}"))


@pytest.fixture(scope="module")
def k(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load_module(TEXT, tmp_path_factory.mktemp("records"))


Run = Callable[..., None]


@pytest.fixture(params=[*TARGETS, "interpret"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a kernel on a simulated device, which reports what is out of bounds, or on NumPy."""
    if request.param == "interpret":
        yield lambda kernel, *args, **kwargs: kernel.interpret(*args, **kwargs)
        return
    with tg.device(f"sim:{request.param}"):
        yield lambda kernel, *args, **kwargs: kernel(*args, **kwargs)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def failed(
    call: Callable[[], Any], mark: str, *words: str, bounds: bool = False
) -> tg.AssertionFailed:
    """The exception of a call: its class, label, line, words of its message."""
    with pytest.raises(tg.AssertionFailed) as caught:
        call()
    error = caught.value
    assert type(error) is (tg.OutOfBounds if bounds else tg.AssertionFailed)
    assert error.label == ("run.bounds" if bounds else "run.assert")
    assert isinstance(error, tg.LaunchError) and isinstance(error, AssertionError)
    assert error.span is not None and error.span.line == line(mark), str(error)
    assert LINES[error.span.line - 1] == error.span.text and "^" in str(error)
    for word in words:
        assert word in str(error), str(error)
    return error


# --- Prints ----------------------------------------------------------------------------------


def test_prints_are_in_order(run: Run, k: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    run(k.shows, f32(1, 0.1, -np.inf, 1e10, 5, 6), 3)
    said = capsys.readouterr().out.splitlines()
    place = f"{k.__name__}.py:{line('print')}"
    assert said == [
        f"{place} (0, 0, 0): i = 0, {{n}} = 3, B = 7, t = [1, 0.1, -inf, 1e+10]",
        f"{place} (1, 0, 0): i = 1, {{n}} = 3, B = 7, t = [5, 6, 0, 0]",
        f"{k.__name__}.py:{line('print') + 2} (1, 0, 0): größer: 11",
    ]


@pytest.mark.parametrize(
    ("dtype", "values", "text"),
    [
        (np.bool_, (True, False, True, False), "[True, False, True, False]"),
        (np.int8, (-128, 127, 0, 1), "[-128, 127, 0, 1]"),
        (np.uint8, (255, 128, 0, 1), "[255, 128, 0, 1]"),
        (np.int16, (-32768, 32767, 0, 1), "[-32768, 32767, 0, 1]"),
        (np.uint16, (65535, 32768, 0, 1), "[65535, 32768, 0, 1]"),
        (np.int32, (-(2**31), 2**31 - 1, 0, 1), "[-2147483648, 2147483647, 0, 1]"),
        (np.uint32, (2**32 - 1, 2**31, 0, 1), "[4294967295, 2147483648, 0, 1]"),
        (
            np.int64,
            (-(2**63), 2**63 - 1, 0, 1),
            "[-9223372036854775808, 9223372036854775807, 0, 1]",
        ),
        (np.uint64, (2**64 - 1, 2**63, 0, 1), "[18446744073709551615, 9223372036854775808, 0, 1]"),
        (np.float64, (0.1, 1e300, np.nan, -0.0), "[0.1, 1e+300, nan, -0]"),
        (np.float32, (0.1, 1e30, np.nan, -0.0), "[0.1, 1e+30, nan, -0]"),
        (np.float16, (0.5, 65504, np.inf, 2**-24), "[0.5, 65504, inf, 5.9604645e-08]"),
        (ml_dtypes.bfloat16, (0.5, 3, -np.inf, 1), "[0.5, 3, -inf, 1]"),
    ],
)
def test_every_type_prints(
    run: Run, k: ModuleType, capsys: pytest.CaptureFixture[str], dtype: Any, values: Any, text: str
) -> None:
    run(k.shows_one, np.array(values, dtype))
    assert capsys.readouterr().out.endswith(f": {text}\n")


def test_tiles_of_two_axes(run: Run, k: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    run(k.shows_all, np.arange(6, dtype=np.int32).reshape(2, 3))
    assert capsys.readouterr().out.endswith(": \n[[0, 1, 2],\n [3, 4, 5]]\n")
    run(k.shows_all, np.arange(64 * 20, dtype=np.int32).reshape(64, 20))
    assert capsys.readouterr().out.endswith(
        ": \n[[0, 1, 2, ..., 17, 18, 19],\n [20, 21, 22, ..., 37, 38, 39],\n"
        " [40, 41, 42, ..., 57, 58, 59],\n ...,\n [1220, 1221, 1222, ..., 1237, 1238, 1239],\n"
        " [1240, 1241, 1242, ..., 1257, 1258, 1259],\n"
        " [1260, 1261, 1262, ..., 1277, 1278, 1279]]\n"
    )


@pytest.mark.parametrize("target", TARGETS)
def test_records_without_room_are_counted(
    k: ModuleType, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    """131,072 words: three of four records of 32,774 fit, and the next launch starts anew."""
    with tg.device(f"sim:{target}"):
        for _ in range(2):
            k.overflows(f32(1, 2, 3, 4), np.zeros(1 << 15, np.float32))
            said = capsys.readouterr().out.splitlines()
            assert len(said) == 4
            assert said[3] == (
                "overflows: records of 32774 words are lost; there is room for 131072"
            )
        k.overflows(f32(1), np.zeros(1 << 15, np.float32))
        assert len(capsys.readouterr().out.splitlines()) == 1


# --- Assertions ------------------------------------------------------------------------------


def test_a_scalar_assertion(run: Run, k: ModuleType) -> None:
    out = np.zeros(12, np.float32)
    error = failed(
        lambda: run(k.positive, f32(1), out, 3), "scalar", "assertion failed: n - 3 - 0 is 0"
    )
    assert error.kernel == "positive" and error.workgroup == (3, 0, 0) and error.element == ()
    if "6 workgroups failed" in str(error):  # of a device: all workgroups have run
        assert out.reshape(3, 4).tolist() == [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
    else:
        assert out.tolist() == [1, 1, 1, *[0] * 9]
    run(k.positive, f32(1), out, 9)
    assert (out == 1).all()


def test_an_assertion_about_a_tile(run: Run, k: ModuleType) -> None:
    x = np.ones((24, 33), np.float32)
    out = np.zeros_like(x)
    x[13, 31], x[13, 32], x[14, 0], x[23, 0] = 1e3, np.nan, 2e3, np.nan
    error = failed(lambda: run(k.finite, x, out), "tile", "1000 is too large for 33")
    assert error.workgroup == (1, 0, 0) and error.element == (5, 31)
    x[13, 31], x[14, 0] = 1, 1
    error = failed(lambda: run(k.finite, x, out), "tile", "nan is too large for 33")
    assert error.element == (5, 32)
    assert (out[:8] == 1).all() and (out[8:16] == 0).all()


def test_an_assertion_in_a_helper(run: Run, k: ModuleType) -> None:
    error = failed(lambda: run(k.calls, f32(1), 5), "helper", "x is 5")
    if error.notes:  # frames tell it otherwise
        [(note, span)] = error.notes
        assert note == "called from 'calls'" and span is not None and span.line == line("call")
    run(k.calls, f32(1), 2)


def test_a_failing_launch_leaves_nothing_behind(k: ModuleType) -> None:
    with tg.device("sim:gfx950"):
        for n in (3, 9, 2, 9):
            call = lambda n=n: k.positive(f32(1), np.zeros(12, np.float32), n)  # noqa: E731
            failed(call, "scalar") if n < 9 else call()


def instructions(kernel: tg.Kernel, *args: Any) -> list[str]:
    """The instructions of a kernel, without directives, labels and comments."""
    text = kernel.ir("asm", *args, target="gfx950")
    return [
        words.split(";")[0].strip()
        for words in text.splitlines()
        if re.match(r"\t[a-z]", words) and not words.startswith("\t.")
    ]


PLAIN = """import tegula as tg

@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 8),))
def finite(x: "M N", out: "M N", *, N: tg.const):
    i = tg.program_id(0)
    t = tg.load(x, (i, 0), (8, N))
    {}
    tg.store(out, (i, 0), t * 2.0)
"""


def test_assertions_cost_nothing_in_release(tmp_path: Path) -> None:
    """Not what is compared either, here a reduction through LDS and another array's loads."""
    check = 'tg.assert_(tg.max(t) < tg.max(tg.load(out, (0, 0), (8, N))), "{{}}", tg.sum(t))'
    x = np.ones((24, 33), np.float32)
    without = load_module(PLAIN.format("pass"), tmp_path).finite
    having = load_module(PLAIN.format(check.replace("{{}}", "{}")), tmp_path).finite
    assert instructions(having, x, x) == instructions(without, x, x)
    assert "records" not in having.compile(x, x, target="gfx950").manifest
    assert "s_endpgm" in instructions(having, x, x)[-1]
    debug = having.with_debug()
    assert len(instructions(debug, x, x)) > len(instructions(without, x, x)) + 20
    assert "records" in debug.compile(x, x, target="gfx950").manifest


# --- Debug builds ----------------------------------------------------------------------------


def rows_arguments() -> dict[str, np.ndarray]:
    x = np.arange(60, dtype=np.float32).reshape(12, 5)
    return dict(
        x=x,
        offs=np.array([3, 3, 12], np.int32),
        out=np.zeros((3, 5), np.float32),
        places=np.array([11, 0, 4], np.int32),
    )


def test_a_debug_build_computes_the_same(run: Run, k: ModuleType) -> None:
    given, wanted = rows_arguments(), rows_arguments()
    run(k.rows.with_debug(), **given)
    run(k.rows, **wanted)
    x, out = given["x"], given["out"]
    assert np.array_equal(out, wanted["out"])
    assert np.array_equal(out, [x[:3].sum(0) + x[11], x[0], x[3:].sum(0) + x[4]])


@pytest.mark.parametrize(
    ("name", "value", "mark", "text", "workgroup"),
    [
        ("offs", [3, 3, 13], "slice", "slice 3:13 of axis 0 of 'x', which has extent 12", 2),
        ("offs", [-1, 3, 12], "slice", "slice -1:3 of axis 0 of 'x', which has extent 12", 1),
        ("places", [0, 12, 4], "index", "index 12 of axis 0 of 'x', which has extent 12", 1),
        ("places", [-1, 0, 4], "index", "index -1 of axis 0 of 'x', which has extent 12", 0),
    ],
)
def test_indices_of_views(
    run: Run, k: ModuleType, name: str, value: list[int], mark: str, text: str, workgroup: int
) -> None:
    given = {**rows_arguments(), name: np.array(value, np.int32)}
    call = lambda: run(k.rows.with_debug(), **given)  # noqa: E731
    error = failed(call, mark, f"out of bounds: {text}", bounds=True)
    assert error.workgroup == (workgroup, 0, 0) and not error.notes
    assert (given["out"][workgroup] == 0).all()


def test_indices_of_elements(run: Run, k: ModuleType) -> None:
    x, out = f32(1, 2, 3), np.zeros(4, np.float32)
    text = "element 3 of axis 0 of 'x', which has extent 3"
    error = failed(
        lambda: run(k.elements.with_debug(), x, out, 0), "scalar_element", text, bounds=True
    )
    assert error.workgroup == (3, 0, 0) and out.tolist() == [1, 2, 3, 0]
    text = "element -2147483648 of axis 0"
    failed(
        lambda: run(k.elements.with_debug(), x, out, -(2**31)), "scalar_element", text, bounds=True
    )
    failed(lambda: run(k.elements.with_debug(), x[:0], out, 0), "scalar_element", bounds=True)


def test_indices_that_are_tiles(run: Run, k: ModuleType) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    places, out = np.zeros((3, 2), np.int32), np.zeros((3, 2), np.float32)
    places[1, 1] = 3
    run(k.takes.with_debug(), x, places, out)
    assert np.array_equal(out, np.take_along_axis(x, places, 1))
    places[1, 1], places[2, 0] = 4, -1
    text = "index 4 of axis 1 of a tile, which has extent 4"
    error = failed(lambda: run(k.takes.with_debug(), x, places, out), "take", text, bounds=True)
    assert error.element == (1, 1)


@pytest.mark.parametrize("target", TARGETS)
def test_what_release_builds_do_of_it(k: ModuleType, target: str) -> None:
    """The access, which the sanitizer sees, or a read of 0 where a descriptor has a bound."""
    out = np.ones(4, np.float32)
    with tg.device(f"sim:{target}"):
        given = {**rows_arguments(), "places": np.array([0, 4000, 4], np.int32)}
        with pytest.raises(tg.SanitizerReport, match="out-of-bounds"):
            k.rows(**given)
        k.elements(f32(1, 2, 3), out, 5000)
    assert (out == 0).all()


@pytest.mark.parametrize("target", TARGETS)
def test_checks_within_a_pipelined_product(k: ModuleType, target: str) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(-4, 5, (70, 96)).astype(ml_dtypes.bfloat16)
    b = rng.integers(-4, 5, (3, 96, 64)).astype(ml_dtypes.bfloat16)
    which, c = np.array([2, 0], np.int32), np.zeros((70, 64), np.float32)
    with tg.device(f"sim:{target}"):
        k.product.with_debug()(a, b, c, which)
        wide = np.float32(a)
        assert np.array_equal(c, wide @ np.float32(b[2]) + wide @ np.float32(b[0]))
        c[:] = 0
        which[1] = 3
        text = "index 3 of axis 0 of 'b', which has extent 3"
        failed(lambda: k.product.with_debug()(a, b, c, which), "b", text, bounds=True)
        assert (c == 0).all()


def test_debug_builds_are_kernels_of_their_own(k: ModuleType) -> None:
    x, out = f32(1, 2, 3), np.zeros(3, np.float32)
    debug = k.elements.with_debug()
    with tg.device("sim:gfx950"):
        k.elements(x, out, 0)
        debug(x, out, 0)
        with pytest.raises(tg.OutOfBounds):
            debug(x, out, 1)
        debug.with_debug(False)(x, out, 0)
    objects = [kernel.compile(x, out, 0, target="gfx950") for kernel in (k.elements, debug)]
    assert objects[0].code_object != objects[1].code_object
    again = debug.with_debug(False).compile(x, out, 0, target="gfx950")
    assert again.code_object == objects[0].code_object


def test_asserts_keep_assertions_alone(k: ModuleType) -> None:
    manifest = k.finite.compile(np.ones((8, 4), np.float32), np.ones((8, 4), np.float32),
                                target="gfx950").manifest  # fmt: skip
    assert [site["kind"] for site in manifest["records"]["sites"]] == ["assert"]
    debug = k.rows.with_debug().compile(**rows_arguments(), target="gfx950").manifest
    assert {site["kind"] for site in debug["records"]["sites"]} == {"bounds"}


def test_the_environment_makes_debug_builds(k: ModuleType) -> None:
    text = f"""
import importlib.util, numpy as np, tegula as tg
spec = importlib.util.spec_from_file_location("told", {k.__file__!r})
told = importlib.util.module_from_spec(spec)
spec.loader.exec_module(told)
with tg.device("sim:gfx950"):
    try:
        told.elements(np.ones(3, np.float32), np.zeros(1, np.float32), 3)
    except tg.OutOfBounds as error:
        assert "element 3" in str(error)
    else:
        raise SystemExit("no error")
    told.elements.with_debug(False)(np.ones(3, np.float32), np.zeros(1, np.float32), 2)
"""
    environment = {**os.environ, "TEGULA_DEBUG": "1"}
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(("option", "value"), [("debug", 1), ("debug", "yes"), ("asserts", None)])
def test_options_are_checked(option: str, value: Any) -> None:
    with pytest.raises(tg.SyntaxNotSupported) as caught:
        tg.kernel(grid=lambda x: (1,), **{option: value})
    assert caught.value.label == "front.syntax.option" and option in str(caught.value)


def test_a_debug_build_is_pickled_as_one(k: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, k.__name__, k)
    debug = pickle.loads(pickle.dumps(k.elements.with_debug()))
    x, out = f32(1), np.zeros(1, np.float32)
    with tg.device("sim:gfx950"):
        for kernel in (debug, copy.deepcopy(k.elements.with_debug())):
            with pytest.raises(tg.OutOfBounds):
                kernel(x, out, 1)
        pickle.loads(pickle.dumps(k.elements))(x, out, 0)


def test_records_are_no_results(k: ModuleType) -> None:
    """The order in which they arrive makes no kernel non-deterministic."""
    with tg.device("sim:gfx950"), tg.deterministic():
        k.elements.with_debug()(f32(1), np.zeros(1, np.float32), 0)


# --- Ahead of time ---------------------------------------------------------------------------

ELEMENTS = tg.Signature(
    x=tg.array(tg.f32, 1, align=4), out=tg.array(tg.f32, 1, align=4), start=tg.i32
)
MAIN = r"""
#include "elements.h"
static void print(void *user, const char *text) { printf("%s%s", (const char *)user, text); }
int main(int argc, char **argv) {
  float x[3] = {1, 2, 3}, out[2] = {0, 0};
  tgr_device *device;
  tgr_program *program;
  if (argc != 3 || tgr_device_open(argv[2], NULL, &device) ||
      elements_open(device, argv[1], &program) || tgr_set_print(device, print, "> "))
    return 3;
  tgr_register(device, x, sizeof x, 0);
  tgr_register(device, out, sizeof out, 1);
  elements_args args = {.x = x, .out = out, .start = 1, .N = 3, .G = 2};
  if (elements_launch(program, &args, NULL) || out[0] != 2 || out[1] != 3)
    return 4;
  args.start = 2;
  out[1] = 0;
  tgr_status status = elements_launch(program, &args, NULL);
  if (status != TGR_ASSERTION || out[0] != 3 || out[1] != 0)
    return 5;
  printf("%s: %s\n", tgr_status_name(status), tgr_last_error());
  tgr_failure failure;
  tgr_failed(&failure);
  printf("%s %d %u %u %u %llu\n", failure.kernel, failure.is_bounds, failure.workgroup[0],
         failure.rank, failure.places[0].line, (unsigned long long)failure.workgroups);
  return tgr_program_close(program);
}
"""


@pytest.fixture(params=TARGETS)
def folder(request: pytest.FixtureRequest, k: ModuleType, tmp_path: Path) -> tuple[str, Path]:
    tg.compile_ahead(k.elements.with_debug(), ELEMENTS, [request.param], tmp_path / "out")
    return request.param, tmp_path / "out"


def test_a_program_fails_by_name(folder: tuple[str, Path]) -> None:
    target, path = folder
    jsonschema.validate(json.loads((path / "elements.json").read_text()), SCHEMA)
    x, out = f32(1, 2, 3), np.zeros(2, np.float32)
    with tg.device(f"sim:{target}"):
        program = tg.load_program(path / "elements.json")
        program(x, out, 1)
        assert out.tolist() == [2, 3]
        with pytest.raises(tg.OutOfBounds, match="element 3 of axis 0 of 'x'") as caught:
            program(x, out, 2)
    assert caught.value.workgroup == (1, 0, 0)
    assert caught.value.span is not None and caught.value.span.line == line("scalar_element")


def test_the_status_from_c(folder: tuple[str, Path], k: ModuleType, tmp_path: Path) -> None:
    target, path = folder
    (tmp_path / "main.c").write_text(MAIN)
    library, program = Path(knobs.get("native_dir")).resolve() / "lib", tmp_path / "main"
    includes = ["-I", ROOT / "include", "-I", path]
    link = ["-L", library, "-ltegula-runtime", f"-Wl,-rpath,{library}", "-o", program]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, *includes, tmp_path / "main.c", *link], check=True)
    done = subprocess.run([program, path, f"sim:{target}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    place = f"{k.__name__}.py:{line('scalar_element')}:9"
    assert done.stdout.splitlines() == [
        f"assertion failed: {place}: out of bounds: element 3 of axis 0 of 'x', which has extent 3 "
        "(kernel 'elements', workgroup (1, 0, 0))",
        f"elements 1 1 0 {line('scalar_element')} 1",
    ]


def test_the_command_line(k: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(str(k.__file__)).parent))
    command = ["compile", f"{k.__name__}:elements", "--target", "gfx950", "--debug"]
    given = ["--signature", "x=f32@4", "out=f32@4", "start=i32", "-o", str(tmp_path)]
    assert cli.main([*command, *given]) == 0
    [variant] = json.loads((tmp_path / "elements.json").read_text())["variants"]
    assert len(variant["records"]["sites"]) == 1


@pytest.mark.parametrize(
    "damage",
    [
        {"offset": 4000},
        {"header": 0},
        {"words": -1},
        {"sites": [{}]},
        {"sites": [{"kind": "wish", "format": "", "shape": [], "fields": [], "places": []}]},
    ],
)
def test_damaged_tables_are_refused(folder: tuple[str, Path], damage: dict[str, Any]) -> None:
    target, path = folder
    manifest = json.loads((path / "elements.json").read_text())
    manifest["variants"][0]["records"].update(damage)
    (path / "elements.json").write_text(json.dumps(manifest))
    damaged = pytest.raises(tg.LaunchError, match="the manifest (has|misses)")
    with tg.device(f"sim:{target}"), damaged:
        tg.load_program(path / "elements.json")(f32(1), f32(1), 0)
