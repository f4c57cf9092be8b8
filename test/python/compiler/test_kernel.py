"""The kernel object: what is compiled again, and what a warm call does not do."""

from __future__ import annotations

import copy
import importlib.util
import pickle
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from fake_compiler import GOOD

import tegula as tg
from tegula.compiler import service
from tegula.frontend import module as frontend
from tegula.kernels import gemm

TEXT = """
import tegula as tg
FACTOR = 2.0

@tg.function
def scale(x):
    return x * FACTOR

@tg.kernel(grid=lambda x: (x.shape[0],))
def k(x: "M N", out: "M N", s: tg.f32 = 1.0, bias: "N" = None, *, B: tg.const = 16):
    i = tg.program_id(0)
    t = scale(tg.load(x, (i, 0), (1, B))) * s
    if bias is not None:
        t = t + tg.load(bias, (0,), (B,))
    tg.store(out, (i, 0), t)
"""


class Device:
    name, target, uses_host_memory = "sim:gfx950", "gfx950", True

    def is_capturing(self, stream: int) -> bool:
        return False


@pytest.fixture
def launches(compiler: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Launches that reached the runtime, as (compiled, arguments)."""
    compiler(GOOD)
    found: list[Any] = []
    monkeypatch.setattr("tegula.runtime.launching.current_device", Device)
    monkeypatch.setattr(
        "tegula.runtime.launch", lambda compiled, args, stream, on: found.append((compiled, args))
    )
    return found


def load(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("warm_kernels", path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture
def loaded(tmp_path: Path) -> ModuleType:
    return load(tmp_path / "warm_kernels.py", TEXT)


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the kernels traced."""
    found: list[str] = []
    original = frontend.trace

    def counting(function: Any, definition: Any, special: Any) -> Any:
        found.append(definition.name)
        return original(function, definition, special)

    monkeypatch.setattr("tegula.kernel_object.trace", counting)
    return found


def matrix(m: int = 4, n: int = 16, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros((m, n), dtype)


def test_warm_call_does_not_trace(
    launches: list[Any], traces: list[str], loaded: ModuleType
) -> None:
    x = matrix()
    for scalar in (1.0, 2.0, 3.0):
        loaded.k(x, x, scalar)
    assert traces == ["k"]
    assert [args["s"] for _, args in launches] == [1.0, 2.0, 3.0]
    assert len({id(compiled) for compiled, _ in launches}) == 1


def test_other_extents_do_not_compile(
    launches: list[Any], traces: list[str], loaded: ModuleType
) -> None:
    for m, n in ((4, 16), (5, 16), (4, 32)):
        loaded.k(matrix(m, n), matrix(m, n))
    assert traces == ["k"] and len(launches) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda k, x: k(matrix(dtype=np.float16), matrix(dtype=np.float16)),
        lambda k, x: k(np.asfortranarray(x), x),
        lambda k, x: k(x[:, 1:], x[:, 1:]),
        lambda k, x: k(x, x, bias=np.zeros(16, np.float32)),
        lambda k, x: k(x, x, B=8),
        lambda k, x: k.with_schedule(gfx950=dict(waves=(1, 2)))(x, x),
    ],
    ids=["dtype", "strides", "alignment", "optional", "constant", "schedule"],
)
def test_specialisation(
    launches: list[Any], traces: list[str], loaded: ModuleType, change: Callable[..., None]
) -> None:
    x = matrix()
    loaded.k(x, x)
    change(loaded.k, x)
    assert len(traces) == 2
    change(loaded.k, x)
    assert len(launches) == 3


def test_one_and_true_are_two_constants(
    launches: list[Any], traces: list[str], loaded: ModuleType
) -> None:
    x = matrix(4, 1)
    loaded.k(x, x, B=1)
    with pytest.raises(tg.ConstantRequired):
        loaded.k(x, x, B=True)


def test_changed_global_is_traced_again(
    launches: list[Any], traces: list[str], loaded: ModuleType
) -> None:
    x = matrix()
    loaded.k(x, x)
    loaded.FACTOR = 3.0
    loaded.k(x, x)
    assert len(traces) == 2
    assert b"dense<3.0>" in launches[1][0].code_object


def test_edited_helper_is_traced_again(
    launches: list[Any], traces: list[str], loaded: ModuleType, tmp_path: Path
) -> None:
    x = matrix()
    loaded.k(x, x)
    edited = load(tmp_path / "edited.py", TEXT.replace("x * FACTOR", "x - FACTOR"))
    loaded.scale = edited.scale
    loaded.k(x, x)
    assert b"arith.subf" in launches[1][0].code_object


def test_edited_kernel_is_traced_again(
    launches: list[Any], traces: list[str], loaded: ModuleType, tmp_path: Path
) -> None:
    x = matrix()
    loaded.k(x, x)
    edited = load(tmp_path / "edited.py", TEXT.replace("* s", "- s"))
    loaded.k.function.__code__ = edited.k.function.__code__
    loaded.k(x, x)
    assert b"arith.subf" in launches[1][0].code_object


def test_edit_of_the_file_alone_changes_nothing(
    launches: list[Any], loaded: ModuleType, tmp_path: Path
) -> None:
    """Python still runs the old text until the module is loaded again."""
    (tmp_path / "warm_kernels.py").write_text(TEXT.replace("* s", "- s"))
    loaded.k(matrix(), matrix())
    assert b"arith.subf" not in launches[0][0].code_object
    again = load(tmp_path / "warm_kernels.py", TEXT.replace("* s", "- s"))
    again.k(matrix(), matrix())
    assert b"arith.subf" in launches[1][0].code_object


def test_changed_closure_is_traced_again(launches: list[Any], tmp_path: Path) -> None:
    text = """
import tegula as tg

def make(factor):
    @tg.kernel(grid=lambda x: (1,))
    def k(x: "M N"):
        tg.store(x, (0, 0), tg.full((1, 16), factor, tg.f32))

    def change(value):
        nonlocal factor
        factor = value

    return k, change
"""
    kernel, change = load(tmp_path / "closure.py", text).make(2.0)
    kernel(matrix())
    change(3.0)
    kernel(matrix())
    kernel(matrix())
    assert b"dense<2.0>" in launches[0][0].code_object
    assert b"dense<3.0>" in launches[1][0].code_object
    assert launches[1][0] is launches[2][0]


def test_wrong_arguments_on_a_warm_kernel(launches: list[Any], loaded: ModuleType) -> None:
    x = matrix()
    loaded.k(x, x)
    for args in ((x, matrix(5)), (x,), (x, x, "1.0"), (x, x[0])):
        with pytest.raises(tg.ArgumentError):
            loaded.k(*args)
    assert len(launches) == 1


def test_same_request_in_two_kernels_is_compiled_once(
    launches: list[Any], loaded: ModuleType
) -> None:
    x = matrix()
    loaded.k(x, x)
    before = service.compiles
    loaded.k.with_schedule()(x, x)
    assert service.compiles == before


def test_ir_names_its_stages(compiler: Callable[[str], Path], loaded: ModuleType) -> None:
    compiler(GOOD)
    x = matrix()
    assert loaded.k.ir("asm", x, x, target="gfx950").startswith("tile.kernel @k(")
    with pytest.raises(tg.ArgumentError, match="tile | cdna | rocdl | llvm | asm"):
        loaded.k.ir("object", x, x, target="gfx950")


def test_kernels_are_copied_and_pickled_by_name() -> None:
    assert copy.deepcopy(gemm) is gemm
    assert pickle.loads(pickle.dumps(gemm)) is gemm
    scheduled = gemm.with_schedule(gfx950={"stages": 1})
    again = pickle.loads(pickle.dumps(scheduled))
    assert again is not gemm and again._schedules == scheduled._schedules
    assert gemm._schedules == {}
