"""How an error reads: message and label, place, carets, advice, the call it was inlined through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tegula as tg
from tegula import labels
from tegula.compiler import service
from tegula.compiler.diagnostics import error_of
from tegula.errors import Span
from tegula.kernels import gemm

HEAD = """import tegula as tg

@tg.function
def double(x):
    return x * plain(x)

def plain(x):
    return x

@tg.kernel(grid=lambda a: (1,))
def k(a: "M N", n: tg.i32):
    t = tg.load(a, (0, 0), (8, 8))
"""


def message(module: Callable[[str], ModuleType], *lines: str) -> str:
    text = HEAD + "".join(f"    {line}\n" for line in lines)
    with pytest.raises(tg.Error) as caught:
        module(text).k.trace(np.zeros((8, 8), np.float32), 1, target="gfx950")
    return str(caught.value)


def test_snippet(module: Callable[[str], ModuleType]) -> None:
    found = message(module, "x = tg.laod(a, (0, 0), (8, 8))").splitlines()
    assert found[0] == "error: 'tg.laod' does not exist  [front.name.attribute]"
    assert found[1].endswith(":13:9")
    assert found[2] == "   13 |     x = tg.laod(a, (0, 0), (8, 8))"
    assert found[3] == "      |         ^^^^^^^"
    assert found[4] == "  did you mean 'tg.load'?"


def test_snippet_counts_characters_not_bytes(module: Callable[[str], ModuleType]) -> None:
    found = message(module, "ä = t; x = ä.shpae").splitlines()
    assert found[2] == "   13 |     ä = t; x = ä.shpae"
    assert found[3] == "      |                ^^^^^^^"


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("x = np.exp(t)", "write tg.exp"),
        ("x = torch.exp(t)", "write tg.exp"),
        ("x = torch.nn.functional.relu(t)", "write tg.relu"),
        ("x = torch.matmul(t, t)", "write tg.mma(a, b, acc)"),
        ("x = tg.dot(t, t)", "write tg.mma(a, b, acc)"),
        ("x = tg.arange(0, 8)", "write tg.iota(shape, axis)"),
        ("x = t.to(tg.float32)", "write tg.f32"),
        ("x = t.astype(tg.f16)", "write .to(dtype)"),
        ("x = t.sum()", "write tg.sum"),
        ("x = tg.softmax(t)", "e / tg.sum(e, axis, keepdims=True)"),
        ("print(t)", 'tg.print("x = {}", x)'),
        ("x = math.ceil(n / 2)", "tg.cdiv(a, b)"),
        ("x = len(a)", "write x.shape[0]"),
        ("x = a + 1.0", "read it with tg.load"),
        ("x = a[0, 0] * 2.0", "read it with tg.load"),
        ("x = tg.zeros((N,), tg.f32)", "'N: tg.const'"),
    ],
)
def test_what_other_libraries_call_it(
    module: Callable[[str], ModuleType], line: str, help: str
) -> None:
    text = "import math\nimport numpy as np\nimport torch\n" + HEAD + f"    {line}\n"
    with pytest.raises(tg.Error) as caught:
        module(text).k.trace(np.zeros((8, 8), np.float32), 1, target="gfx950")
    assert caught.value.help and help in caught.value.help


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("x = t.to(tg.e8m0)", "tg.quantize makes scales"),
        ("q, s = tg.quantize(t, tg.f8e5m2, block=8); x = s.to(tg.f32)", "tg.scale_values(scales)"),
    ],
)
def test_scales_are_not_cast(module: Callable[[str], ModuleType], line: str, help: str) -> None:
    """The compiler and the interpreter refuse it alike, and say what to write."""
    kernel = module(HEAD + f"    {line}\n").k
    arguments = np.zeros((8, 8), np.float32), 1
    with pytest.raises(tg.TypeMismatch) as traced:
        kernel.trace(*arguments, target="gfx950")
    with pytest.raises(tg.TypeMismatch) as interpreted:
        kernel.interpret(*arguments)
    for error in (traced.value, interpreted.value):
        assert error.help and help in error.help


def test_commas_in_a_view(module: Callable[[str], ModuleType]) -> None:
    text = HEAD.replace('"M N"', '"M, N"')
    with pytest.raises(tg.Error, match='write "M N"'):
        module(text).k.trace(np.zeros((8, 8), np.float32), 1, target="gfx950")


def test_a_library_function_is_shown_by_its_call(module: Callable[[str], ModuleType]) -> None:
    found = message(module, "x = tg.gelu(a)")
    lines = found.splitlines()
    assert lines[2] == "   13 |     x = tg.gelu(a)"
    assert "note: in 'gelu'" in lines and "library.py:" in found
    assert "called from" not in found


def test_an_internal_error_has_the_users_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = Span("k.py", 3, 5, 3, 9, "    boom(x)")
    said = tg.InternalError("no such thing", label="cdna.rocdl.c1", span=place)
    monkeypatch.setenv("TEGULA_REPRODUCER_DIR", str(tmp_path))
    request = {"options": {}, "target": "gfx950", "emit": "asm", "text": "", "filename": "k.mlir"}
    error = service._internal(request, said.message, str(said), said)
    assert error.span == place and error.label == "cdna.rocdl.c1" and error.reproducer
    assert "    3 |     boom(x)" in str(error)


def test_both_places_of_a_conditional_name(module: Callable[[str], ModuleType]) -> None:
    found = message(module, "if n > 0:", "    x = t", "y = x")
    assert ":15:9" in found and ":14:9" in found
    assert "note: 'x' gets a value here" in found


def test_both_types_of_a_conflict(module: Callable[[str], ModuleType]) -> None:
    found = message(module, "x = t", "if n > 0:", "    x = t.to(tg.f16)", "y = x")
    assert "a 8x8 tile of f16" in found and "a 8x8 tile of f32" in found
    assert ":16:9" in found and ":13:5" in found and ":15:9" in found


def test_helper_shows_its_line_and_the_call(module: Callable[[str], ModuleType]) -> None:
    found = message(module, "x = double(t)")
    assert ":5:16" in found and "note: called from 'k'" in found and ":13:9" in found
    assert "decorate it with @tg.function" in found


def test_recursion_is_refused(module: Callable[[str], ModuleType]) -> None:
    text = HEAD.replace("x * plain(x)", "double(x)") + "    x = double(t)\n"
    with pytest.raises(tg.SyntaxNotSupported, match="calls itself") as caught:
        module(text).k.trace(np.zeros((8, 8), np.float32), 1, target="gfx950")
    assert caught.value.label == "front.syntax.recursion"


def test_deep_nesting_is_refused(module: Callable[[str], ModuleType]) -> None:
    deep = "x = " + "-(" * 150 + "t" + ")" * 150
    text = HEAD + f"    {deep}\n" + "    x = " + " + ".join(["t"] * 900) + "\n"
    with pytest.raises(tg.SyntaxNotSupported) as caught:
        module(text).k.trace(np.zeros((8, 8), np.float32), 1, target="gfx950")
    assert caught.value.label == "front.syntax.size"


def traced() -> Any:
    a = np.zeros((64, 64), np.float16)
    return gemm.trace(a, a, a, target="gfx950")


def line_of(text: str) -> int:
    lines = gemm.definition.tree.source.lines
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("helper", "label", "said"),
    [
        ("    if n > 0:\n        return x\n", "front.branch.returns", "on some paths only"),
        (
            "    if n > 0:\n        return x\n    return x.to(tg.f16)\n",
            "front.branch.returns",
            "returns a 8x8 tile of f32 or a 8x8 tile of f16",
        ),
        (
            "    for i in range(n):\n        return x\n    return x\n",
            "front.syntax.return",
            "'return' with a value inside a run-time loop",
        ),
    ],
)
def test_what_a_helper_returns(
    module: Callable[[str], ModuleType], helper: str, label: str, said: str
) -> None:
    text = HEAD + "    y = choose(t, n)\n" + "\n@tg.function\ndef choose(x, n):\n" + helper
    with pytest.raises(tg.Error) as caught:
        module(text).k.trace(np.zeros((8, 8), np.float32), 1, target="gfx950")
    assert caught.value.label == label and said in str(caught.value)
    assert "called from 'k'" in str(caught.value)


def diagnostic(**fields: Any) -> dict[str, Any]:
    line = line_of("tg.mma(")
    place = dict(file="tegula/kernels/gemm.py", line=line, column=15, end_column=21)
    return {"severity": "error", "label": "tile.mma.c2", **place, **fields}


def test_verifier_errors_are_shown_at_the_python_line() -> None:
    text = "'tile.mma' op K extents differ: a is 256x64, b is 32x256 [tile.mma.c2]"
    where = dict(file="tegula/kernels/gemm.py", line=line_of("tg.mma("), column=52, end_column=59)
    note = {"message": "b's first extent must equal a's second", **where}
    error = error_of(traced(), [diagnostic(message=text, notes=[note])])
    assert type(error) is tg.ShapeMismatch and error.label == "tile.mma.c2"
    lines = str(error).splitlines()
    said = "error: tg.mma: K extents differ: a is 256x64, b is 32x256"
    assert lines[0] == f"{said}  [tile.mma.c2]"
    assert [len(run) for run in lines[3].split("|")[1].split()] == [6, 7]
    assert lines[4] == "  b's first extent must equal a's second"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("'tile.store' op does not convert, use tile.cast", "tg.store: does not convert, use .to"),
        ("'tile.reshape' op counts differ", ".reshape: counts differ"),
        ("'tile.program_id' op beside tile.tile_id", "tg.program_id: beside tg.tile_id"),
        ("'arith.constant' op has too many elements", "this expression has too many elements"),
        ("'tile.store' op of a 4xf8E8M0FNU", "tg.store: of a 4xe8m0"),
        ("'f8E4M3FNUZ' is no f8E4M3FN", "'f8e4m3fnuz' is no f8e4m3fn"),
        ("2.5 of 3", "2.5 of 3"),
    ],
)
def test_messages_speak_the_language(message: str, shown: str) -> None:
    assert error_of(traced(), [diagnostic(message=message)]).message == shown


def test_further_errors_become_notes() -> None:
    error = error_of(traced(), [diagnostic(message="one"), diagnostic(message="two")])
    assert "note: two" in str(error)


def test_errors_in_the_text_show_the_text() -> None:
    error = error_of(traced(), [diagnostic(message="bad", file="gemm.mlir", line=1, column=1)])
    assert "tile.kernel @gemm" in str(error)


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("tile.mma.c2", tg.ShapeMismatch),
        ("tile.mma.c4", tg.TypeMismatch),
        ("tile.load.c1", tg.IndexRank),
        ("tile.schedule.c3", tg.ScheduleError),
        ("cdna.kernel.c3", tg.LdsBudget),
        ("cdna.kernel.c5", tg.RegisterBudget),
        ("tile.kernel.c7", tg.UnsupportedOnTarget),
        ("nonsense.c1", tg.InternalError),
        (None, tg.InternalError),
    ],
)
def test_label_picks_the_class(label: str | None, kind: type[tg.Error]) -> None:
    assert labels.class_of(label) is kind


def test_every_class_but_run_time_ones_is_reachable() -> None:
    reached = {labels.class_of(prefix) for prefix in labels.known_prefixes()}
    run_time = {tg.LaunchError, tg.DeviceError, tg.NotWarm, tg.SanitizerReport}
    compile_time = set(tg.Error.__subclasses__()) - run_time - {tg.ArgumentError, tg.InternalError}
    assert reached == compile_time | {tg.AssertionFailed, tg.OutOfBounds}


def test_a_function_that_a_primitive_calls_is_named(module: Callable[[str], ModuleType]) -> None:
    """Not the primitive, whose arguments are right; and declarations come without types."""
    found = message(module, "x = tg.scan(t, double, axis=0)")
    assert "tg.scan calls 'double' with 2 arguments: too many positional" in found
    assert "it is declared as double(x)" in found
    assert "tg.load(view, index, shape, pad=None)" in message(module, "x = tg.load(a, mask=1)")


def test_a_name_of_two_types_in_a_loop_shows_both(module: Callable[[str], ModuleType]) -> None:
    lines = ["for i in range(n):", "    if i > 1:", "        t = t.to(tg.f16)"]
    found = message(module, *lines)
    assert "'t' is a 8x8 tile of f32 when the loop starts and becomes" in found
    assert "a 8x8 tile of f16 or a 8x8 tile of f32" in found
