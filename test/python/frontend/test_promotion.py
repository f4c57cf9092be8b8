"""The type of every operator on every pair of element types, against the language's rule.

The rule, as the language states it: Python numbers are weak; same kind, the wider; bf16 with f16,
f32; integer with float, the float; signed with unsigned, the next wider signed that holds both;
int / int, f32; floats of eight bits and fewer have no arithmetic. A bool counts as the narrowest
integer, and becomes i32 where the operator is arithmetic.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from loading import load_module

import tegula as tg
from tegula.interpreter.tile import Tile
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType

ARITHMETIC = ("+", "-", "*", "//", "%")
SHIFTS = ("<<", ">>")
BITWISE = ("&", "|", "^")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")
FUNCTIONS = ("maximum", "minimum")
OPERATORS = (*ARITHMETIC, "/", "**", *SHIFTS, *BITWISE, *COMPARE, *FUNCTIONS)
NARROW = {"f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "f6e2m3", "f6e3m2", "f4e2m1", "e8m0"}
WIDER_FLOAT = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3}
ALL = tuple(d.name for d in dt.ALL)
#: Types that arrays of kernels can have.
LOADED = tuple(name for name in ALL if name not in ("f6e2m3", "f6e3m2", "f4e2m1"))


def is_float(name: str) -> bool:
    return name in WIDER_FLOAT


def promoted(a: str, b: str) -> str | None:
    """The rule, written once more."""
    if {a, b} & NARROW:
        return None
    if a == b:
        return a
    if is_float(a) and is_float(b):
        first, second = WIDER_FLOAT[a], WIDER_FLOAT[b]
        return "f32" if first == second else a if first > second else b
    if is_float(a) or is_float(b):
        return a if is_float(a) else b
    if "bool" in (a, b):
        return b if a == "bool" else a
    (x, m), (y, n) = ((name[0], int(name[1:])) for name in (a, b))
    if x == y:
        return f"{x}{max(m, n)}"
    signed, unsigned = (m, n) if x == "i" else (n, m)
    bits = signed if signed > unsigned else 2 * unsigned
    return f"i{bits}" if bits <= 64 else None


def expected(op: str, a: str, b: str) -> str | None:
    """The type of ``a op b``; None: refused."""
    both = promoted(a, b)
    if both is None:
        return None
    if op in COMPARE:
        return "bool"
    if op == "/":
        return both if is_float(both) else "f32"
    if op == "**":
        return both if is_float(both) else None
    if op in (*SHIFTS, *BITWISE) and is_float(both):
        return None
    if op in (*ARITHMETIC, *SHIFTS) and both == "bool":
        return "i32"
    return both


TEXT = """import tegula as tg

@tg.kernel(grid=lambda x: (1,))
def operators(x: "N", y: "N", *, op: tg.const, want: tg.const):
    a, b = tg.load(x, (0,), (4,)), tg.load(y, (0,), (4,))
    {}
    if r.dtype != want:
        tg.another_type

@tg.kernel(grid=lambda x: (1,))
def weak(x: "N", *, op: tg.const, number: tg.const, want: tg.const):
    a, b = tg.load(x, (0,), (4,)), number
    {}
    if r.dtype != want:
        tg.another_type
"""


def chain() -> str:
    lines = []
    for word, op in zip(("if", *["elif"] * len(OPERATORS)), OPERATORS, strict=False):
        value = f"tg.{op}(a, b)" if op in FUNCTIONS else f"a {op} b"
        lines += [f'{word} op == "{op}":', f"    r = {value}"]
    return "\n    ".join(lines)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load_module(TEXT.format(chain(), chain()), tmp_path_factory.mktemp("promotion"))


def dtype_of(name: str) -> DType:
    return next(d for d in dt.ALL if d.name == name)


def check(trace: Callable[[Any], Any], want: str | None, case: tuple[Any, ...]) -> None:
    try:
        trace(dtype_of(want) if want else None)
    except tg.Error as error:
        assert want is None, f"{case}: {error}"
        assert error.label in ("front.type.arithmetic", "front.syntax.operator"), f"{case}: {error}"
    else:
        assert want is not None, f"{case} is not refused"


@pytest.mark.parametrize("a", LOADED)
def test_pairs(kernels: ModuleType, a: str) -> None:
    x = np.zeros(4, dtype_of(a).numpy)
    for b, op in itertools.product(LOADED, OPERATORS):
        y = np.zeros(4, dtype_of(b).numpy)
        check(
            lambda want, y=y, op=op: kernels.operators.trace(
                x, y, op=op, want=want, target="gfx950"
            ),
            expected(op, a, b),
            (a, op, b),
        )


INTEGER_RANGE = {d.name: np.iinfo(d.numpy) for d in dt.ALL if d.kind in ("int", "uint")}


def expected_weak(op: str, a: str, number: Any) -> str | None:
    """A Python number takes the other's type, but a float stays a float."""
    if a in NARROW:
        return None
    if isinstance(number, float):
        return expected(op, a, a if is_float(a) else "f32")
    if isinstance(number, bool):
        return expected(op, a, "bool")
    if op == "**" and 1 <= number <= 4:  # products
        return expected("*", a, a) if number > 1 else a
    return expected(op, a, "i32" if a == "bool" else a)


@pytest.mark.parametrize("a", LOADED)
@pytest.mark.parametrize("number", [3, 1, 100, 0.5, True])
def test_numbers_are_weak(kernels: ModuleType, a: str, number: Any) -> None:
    x = np.zeros(4, dtype_of(a).numpy)
    for op in OPERATORS:
        check(
            lambda want, op=op: kernels.weak.trace(
                x, op=op, number=number, want=want, target="gfx950"
            ),
            expected_weak(op, a, number),
            (a, op, number),
        )


PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv},
    **{"//": operator.floordiv, "%": operator.mod, "**": operator.pow},
    **{"<<": operator.lshift, ">>": operator.rshift},
    **{"&": operator.and_, "|": operator.or_, "^": operator.xor},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    **{"==": operator.eq, "!=": operator.ne},
    **{"maximum": tg.maximum, "minimum": tg.minimum},
}


@pytest.mark.parametrize("a", ALL)
def test_the_interpreter_agrees(a: str) -> None:
    """Narrower floats than arrays have are casts' results there."""
    for b, op in itertools.product(ALL, OPERATORS):
        x, y = (Tile(np.ones(4, dtype_of(name).numpy), dtype_of(name)) for name in (a, b))
        want = expected(op, a, b)
        try:
            found = PYTHON[op](x, y).dtype.name
        except tg.Error as error:
            # Powers of f64 have a type, and no expansion on any target.
            is_refused = want is None or (op == "**" and want == "f64")
            assert is_refused and error.label is not None, f"{a} {op} {b}: {error}"
        else:
            assert found == want, f"{a} {op} {b}"
