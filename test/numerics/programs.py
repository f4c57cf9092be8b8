"""Kernels made at random: text that the language accepts, typed while it is written.

A program works on tiles of one shape and what broadcasts to it, with every element type that has
arithmetic. Results are exact (one rounding an operation, as NumPy), but for those of functions and
sums of floats: these are *rough*, and are only added, scaled and stored from then on, so that a
bound on their error can be given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from tegula.language import dtypes as dt
from tegula.language.dtypes import DType

ROWS, COLUMNS = (1, 2, 3, 5, 16, 24, 32, 48), (1, 3, 5, 16, 20, 64, 96, 128)
INTEGERS = (dt.i8, dt.i16, dt.i32, dt.i64, dt.u8, dt.u16, dt.u32, dt.u64)
FLOATS = (dt.f16, dt.bf16, dt.f32, dt.f64)
TYPES = (*INTEGERS, *FLOATS)
MANTISSA = {dt.f16: 10, dt.bf16: 7, dt.f32: 23, dt.f64: 52}
FUNCTIONS = ("exp2", "log2", "sqrt", "rsqrt", "rcp", "tanh", "sin", "sigmoid", "erf")
#: ``x``, ``y`` and ``z`` are read, ``out`` and ``turned`` written; ``s`` and ``n`` are small.
HEAD = """import tegula as tg

@tg.function
def mixed(a, b):
    return tg.maximum(a, b), a - b

@tg.kernel(grid=lambda out, BM, BN: (tg.cdiv(out.shape[0], BM), tg.cdiv(out.shape[1], BN)))
def k(
    x: "R N", y: "R2 N2", z: "A B", out: "P Q", turned: "Q P", s: tg.i32, n: tg.i32,
    *, BM: tg.const, BN: tg.const,
):
    i, j = tg.program_id(0), tg.program_id(1)
"""


class Chooser(Protocol):
    """Where choices come from: hypothesis, or a seeded generator."""

    def pick(self, options: Sequence[Any]) -> Any: ...

    def number(self, low: int, high: int) -> int: ...


@dataclass(frozen=True)
class Name:
    """A variable: a tile of a shape, or a scalar when the shape is None."""

    name: str
    dtype: DType
    shape: tuple[int, int] | None
    rough: bool = False
    loaded: bool = False

    @property
    def exact_float(self) -> bool:
        return self.dtype.is_float and not self.rough


@dataclass
class Program:
    """The text, and what its arguments have to be."""

    text: str = ""
    rough: bool = False
    bits: int = 52  #: of the mantissa of the narrowest float in it
    tile: tuple[int, int] = (1, 1)
    types: dict[str, DType] = field(default_factory=dict)


class Writer:
    def __init__(self, chooser: Chooser) -> None:
        self.c = chooser
        self.lines: list[str] = []
        self.depth = 1
        self.names: list[Name] = []
        self.count = 0
        self.shape = (chooser.pick(ROWS), chooser.pick(COLUMNS))

    # --- Parts -------------------------------------------------------------------------------

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def bind(self, text: str, dtype: DType, shape: Any, rough: bool = False) -> Name:
        name = Name(f"v{self.count}", dtype, shape, rough, text.startswith("tg.load"))
        self.count += 1
        self.emit(f"{name.name} = {text}")
        self.names.append(name)
        return name

    def any_of(self, names: list[Name]) -> Name | None:
        return self.c.pick(names) if names else None

    def exact(self, scalars: bool = False) -> list[Name]:
        return [n for n in self.names if not n.rough and (n.shape is not None or scalars)]

    def wide(self, *names: Name) -> tuple[int, int] | None:
        shapes = [n.shape for n in names if n.shape is not None]
        return (max(s[0] for s in shapes), max(s[1] for s in shapes)) if shapes else None

    # --- Statements --------------------------------------------------------------------------

    def load(self, types: dict[str, DType]) -> None:
        rows, columns = self.shape
        index = self.c.pick(["(i, j)", "(i, j)", "(i - s, j)", "(i, j + s)"])
        pad = self.c.pick(["", "", ", pad=1"])
        forms = [
            ("x", index, (rows, columns)),
            ("y", "(i, j)", (rows, columns)),
            ("y", "(0, j)", (1, columns)),
            ("y", "(i, 0)", (rows, 1)),
            ("y[n:]", "(i, j)", (rows, columns)),
            ("y[:, 1:]", "(i, j)", (rows, columns)),
            ("y[n : n + 2]", "(0, j)", (1, columns)),
            ("z.T", "(i, j)", (rows, columns)),
        ]
        view, where, shape = self.c.pick(forms)
        self.bind(f"tg.load({view}, {where}, {shape}{pad})", types[view[0]], shape)

    def row_of_a_view(self, types: dict[str, DType]) -> None:
        self.bind(
            f"tg.load(y[n], (j,), ({self.shape[1]},))[None, :]", types["y"], (1, self.shape[1])
        )

    def scalar(self, types: dict[str, DType]) -> None:
        text = self.c.pick(["tg.scalar(y, n, n)", "tg.scalar(y[n:], 0, 1)", "tg.scalar(z.T, 0, n)"])
        self.bind(text, types[text[10]], None)

    def mask(self, _: Any) -> None:
        self.bind(f"tg.valid(x, (i, j), {self.shape})", dt.bool_, self.shape)

    def counted(self, _: Any) -> None:
        axis = self.c.pick([0, 1])
        self.bind(f"tg.iota({self.shape}, axis={axis})", dt.i32, self.shape)

    def binary(self, _: Any) -> None:
        a, b = self.any_of(self.exact(True)), self.any_of(self.exact(True))
        if a is None or b is None or (result := dt.promote(a.dtype, b.dtype)) is None:
            return
        ops = ["+", "-", "*", "tg.maximum", "tg.minimum", "/", "//", "%", "<", "==", ">="]
        if not result.is_float:
            ops += ["&", "|", "^"]
        op = self.c.pick(ops)
        text = f"{op}({a.name}, {b.name})" if op.startswith("tg") else f"{a.name} {op} {b.name}"
        if op in ("<", "==", ">="):
            result = dt.bool_
        elif op == "/" and not result.is_float:
            result = dt.f32
        elif result.kind == "bool" and op not in ("&", "|", "^", "tg.maximum", "tg.minimum"):
            result = dt.i32
        self.bind(text, result, self.wide(a, b))

    def with_number(self, _: Any) -> None:
        a = self.any_of(self.exact(True))
        if a is None or a.dtype.kind == "bool":
            return
        if a.dtype.is_float:
            op, number = (
                self.c.pick(["+", "-", "*", "/", "//"]),
                self.c.pick(["2", "0.5", "-3", "7"]),
            )
        else:
            op, number = self.c.pick(["+", "*", "//", "%", "<<", ">>", "&"]), self.c.pick("1237")
        self.bind(f"{a.name} {op} {number}", a.dtype, a.shape)

    def unary(self, _: Any) -> None:
        a = self.any_of(self.exact(True))
        if a is None:
            return
        options = ["tg.abs({})", "tg.sign({})"]
        if a.dtype.kind != "bool":
            options.append("-{}")
        if a.dtype.is_float:
            options += [f"tg.{f}({{}})" for f in ("floor", "ceil", "round", "trunc")]
        else:
            options.append("~{}")
        self.bind(self.c.pick(options).format(a.name), a.dtype, a.shape)

    def convert(self, _: Any) -> None:
        a = self.any_of(self.exact(True))
        if a is not None:
            to = self.c.pick(TYPES)
            self.bind(f"{a.name}.to(tg.{to.name})", to, a.shape)

    def reinterpret(self, _: Any) -> None:
        pairs = {dt.f32: dt.i32, dt.i16: dt.u16, dt.bf16: dt.i16, dt.u8: dt.i8, dt.f64: dt.u64}
        # Which NaN an operation gives is nobody's promise: floats come from memory.
        safe = [n for n in self.exact() if n.dtype in pairs and (n.loaded or n.dtype.is_integer)]
        a = self.any_of(safe)
        if a is not None:
            to = pairs[a.dtype]
            self.bind(f"tg.bitcast({a.name}, tg.{to.name})", to, a.shape)

    def choose(self, _: Any) -> None:
        test = self.any_of([n for n in self.exact() if n.dtype.kind == "bool"])
        a, b = self.any_of(self.exact(True)), self.any_of(self.exact(True))
        if test and a and b and (result := dt.promote(a.dtype, b.dtype)):
            shape = self.wide(test, a, b)
            self.bind(f"tg.where({test.name}, {a.name}, {b.name})", result, shape)

    def limit(self, _: Any) -> None:
        a = self.any_of([n for n in self.exact() if n.dtype.kind != "bool"])
        if a is not None:
            self.bind(f"tg.clamp({a.name}, 1, 100)", a.dtype, a.shape)

    def reduce(self, _: Any) -> None:
        a = self.any_of(self.exact())
        if a is None or a.shape is None:
            return
        names = ["max", "min", "any", "all", "sum", "argmax", "argmin"]
        if not a.dtype.is_float:
            names.append("prod")
        name, axis = self.c.pick(names), self.c.pick([0, 1])
        result, rough = a.dtype, name == "sum" and a.dtype.is_float
        if name in ("any", "all"):
            result = dt.bool_
        elif name.startswith("arg") or (name in ("sum", "prod") and a.dtype.kind == "bool"):
            result = dt.i32
        shape = (1, a.shape[1]) if axis == 0 else (a.shape[0], 1)
        self.bind(f"tg.{name}({a.name}, axis={axis}, keepdims=True)", result, shape, rough)

    def function(self, _: Any) -> None:
        a = self.any_of([n for n in self.exact() if n.exact_float and n.dtype != dt.f64])
        if a is not None:
            name = self.c.pick(FUNCTIONS)
            self.bind(f"tg.{name}(tg.clamp({a.name}, 0.5, 8.0))", a.dtype, a.shape, rough=True)

    def rough_step(self, _: Any) -> None:
        rough = [n for n in self.names if n.rough]
        a, b = self.any_of(rough), self.any_of([n for n in self.names if n.dtype.is_float])
        if a is None or b is None:
            return
        text = self.c.pick(["{0} + {1}", "{0} - {1}", "tg.maximum({0}, {1})", "{0} * 0.5"])
        result = a.dtype if text == "{0} * 0.5" else dt.promote(a.dtype, b.dtype)
        assert result is not None
        shape = a.shape if text == "{0} * 0.5" else self.wide(a, b)
        self.bind(text.format(a.name, b.name), result, shape, rough=True)

    def transposed(self, _: Any) -> None:
        a = self.any_of([n for n in self.exact() if n.shape and n.shape[0] == n.shape[1]])
        if a is not None:
            self.bind(f"{a.name}.T", a.dtype, a.shape)
            return
        a = self.any_of([n for n in self.exact() if n.shape and 1 not in n.shape])
        if a is not None and a.shape is not None:
            self.bind(f"tg.max({a.name}.T, axis=0, keepdims=True).T", a.dtype, (a.shape[0], 1))

    def helper(self, _: Any) -> None:
        a, b = self.any_of(self.exact()), self.any_of(self.exact())
        if a is None or b is None or (result := dt.promote(a.dtype, b.dtype)) is None:
            return
        self.emit(f"v{self.count}, v{self.count + 1} = mixed({a.name}, {b.name})")
        shape = self.wide(a, b)
        difference = dt.i32 if result.kind == "bool" else result
        self.names += [Name(f"v{self.count}", result, shape)]
        self.names += [Name(f"v{self.count + 1}", difference, shape)]
        self.count += 2

    # --- Control flow ------------------------------------------------------------------------

    def step_of(self, acc: Name, index: str) -> None:
        """``acc = acc …`` in a loop or branch: its type and shape stay."""
        others = [n for n in self.exact(True) if self.fits(n, acc)]
        other = self.c.pick(others)
        sums = [f"{acc.name} + {other.name}"]
        if acc.dtype != dt.u64:  # which has no signed type above it
            sums.append(f"{acc.name} - {index}")
        text = self.c.pick([*sums, f"tg.maximum({acc.name}, {other.name})"])
        self.emit(f"{acc.name} = ({text}).to(tg.{acc.dtype.name})")

    @staticmethod
    def fits(other: Name, acc: Name) -> bool:
        if dt.promote(other.dtype, acc.dtype) is None or acc.shape is None:
            return False
        return other.shape is None or all(
            o in (1, a) for o, a in zip(other.shape, acc.shape, strict=True)
        )

    def accumulator(self) -> Name | None:
        return self.any_of([n for n in self.exact() if n.shape and n.dtype.kind != "bool"])

    def branch(self, types: dict[str, DType]) -> None:
        acc = self.accumulator()
        if acc is None:
            return
        test = self.c.pick(["s > 0", "i + j == n", "s > 0 and n < 2", "not (s == 1 or j > i)"])
        self.emit(f"if {test}:")
        self.depth += 1
        self.step_of(acc, "n")
        self.depth -= 1
        if self.c.pick([True, False]):
            self.emit("else:")
            self.depth += 1
            self.step_of(acc, "s")
            self.depth -= 1

    def conditional(self, _: Any) -> None:
        acc = self.accumulator()
        if acc is not None:
            same = [n for n in self.exact() if (n.dtype, n.shape) == (acc.dtype, acc.shape)]
            other = self.c.pick(same)
            self.bind(f"{acc.name} if n > s else {other.name}", acc.dtype, acc.shape)

    def loop(self, types: dict[str, DType]) -> None:
        acc = self.accumulator()
        if acc is None:
            return
        head = self.c.pick(
            [
                "for q in range(n):",
                "for q in range(3, s, -2):",
                f"for q in tg.tiles(x, axis=1, size={self.shape[1]}):",
                "for q in tg.unroll(range(2)):",
                "for q in (1, 2, 3):",
            ]
        )
        self.emit(head)
        self.depth += 1
        if self.c.pick([True, False, False]):
            self.emit(self.c.pick(["if q == s:", "if q + s > n:"]))
            self.emit("    " + self.c.pick(["break", "continue"]))
        self.step_of(acc, "q")
        rows, columns = self.shape
        if acc.shape == self.shape and self.c.pick([True, False]):
            loaded = f"tg.load(x, (i, q), ({rows}, {columns}))"
            if dt.promote(types["x"], acc.dtype) is not None:
                self.emit(f"{acc.name} = ({acc.name} + {loaded}).to(tg.{acc.dtype.name})")
        self.depth -= 1

    def endless(self, _: Any) -> None:
        acc = self.accumulator()
        if acc is None:
            return
        counter = f"c{self.count}"
        self.count += 1
        self.emit(f"{counter} = 0")
        self.emit(
            self.c.pick([f"while {counter} < n:", f"while {counter} < 4 and {counter} != s:"])
        )
        self.depth += 1
        self.emit(f"{counter} += 1")
        self.step_of(acc, counter)
        self.depth -= 1

    # --- The whole ---------------------------------------------------------------------------

    def finish(self, types: dict[str, DType]) -> Program:
        names = [n for n in self.names if n.shape is not None]
        last = self.c.pick(names[-3:])
        text = last.name
        if last.rough and not types["out"].is_float:
            types["out"] = dt.f32  # a rough value is not compared as an integer
        if last.dtype != types["out"]:
            text = f"{text}.to(tg.{types['out'].name})"
        if last.shape != self.shape:
            text = f"tg.broadcast_to({text}, {self.shape})"
        store = self.c.pick(
            [
                "tg.store(out, (i, j), {})",
                "tg.store(turned, (j, i), ({}).T)",
                "tg.store(out[n:], (i, j), {})",
                "tg.store(out, (i - s, j), {})",
            ]
        )
        self.emit(store.format(text))
        floats = [n.dtype for n in self.names if n.dtype.is_float] + [types["out"]]
        bits = min((MANTISSA[dtype] for dtype in floats if dtype.is_float), default=52)
        text = HEAD + "\n".join(self.lines) + "\n"
        return Program(text, last.rough, bits, self.shape, types)


KINDS = (
    *("load", "row_of_a_view", "scalar", "mask", "counted", "binary", "binary", "binary"),
    *("with_number", "with_number", "unary", "convert", "convert", "reinterpret", "choose"),
    *("limit", "reduce", "reduce", "function", "rough_step", "transposed", "helper"),
    *("branch", "branch", "conditional", "loop", "loop", "endless"),
)


def write(chooser: Chooser) -> Program:
    """A program of up to nine statements."""
    writer = Writer(chooser)
    types = {name: chooser.pick(TYPES) for name in ("x", "y", "z", "out")}
    writer.load(types)
    writer.bind(f"tg.load(y, (i, j), {writer.shape})", types["y"], writer.shape)
    for _ in range(chooser.number(1, 9)):
        getattr(writer, chooser.pick(KINDS))(types)
    return writer.finish(types)


# --- Arguments -------------------------------------------------------------------------------


def values(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: DType, hard: bool
) -> np.ndarray:
    """Small numbers; hard ones are of any size, with NaN and infinities among floats."""
    if dtype.is_integer:
        info = np.iinfo(dtype.numpy)
        if hard:
            return rng.integers(info.min, info.max, shape, dtype.numpy, endpoint=True)
        return rng.integers(max(info.min, -9), 40, shape).astype(dtype.numpy)
    plain = rng.integers(-9, 40, shape).astype(np.float64) / 4
    if hard:
        plain = rng.standard_normal(shape) * np.exp2(rng.integers(-20, 20, shape))
        odd = rng.random(shape)
        plain[odd < 0.03] = np.nan
        plain[odd > 0.97] = -np.inf
        plain[(odd > 0.4) & (odd < 0.43)] = -0.0
    with np.errstate(all="ignore"):
        return plain.astype(dtype.numpy)


def in_memory(chooser: Chooser, a: np.ndarray) -> np.ndarray:
    """The same numbers with other strides or at another address; or the first row repeated."""
    rows, columns = a.shape
    form = chooser.pick(["dense", "dense", "pitch", "offset", "turned", "repeated", "step"])
    if form == "repeated":
        return np.broadcast_to(a[:1], a.shape)
    if form == "turned":
        return np.ascontiguousarray(a.T).T
    room = {"pitch": np.zeros((rows, columns + chooser.number(1, 9)), a.dtype)[:, :columns]}
    start = chooser.number(1, 3)
    room["offset"] = np.zeros(a.size + 3, a.dtype)[start:][: a.size].reshape(a.shape)
    room["step"] = np.zeros((rows, 2 * columns), a.dtype)[:, ::2]
    if form in room:
        room[form][:] = a
        return room[form]
    return a


def arguments(chooser: Chooser, program: Program) -> tuple[list[np.ndarray], list[np.ndarray], Any]:
    """Inputs, outputs, scalars."""
    rng = np.random.default_rng(chooser.number(0, 2**16))
    hard = chooser.pick([True, False]) and not program.rough
    rows, columns = chooser.pick([1, 2, 7, 33, 50]), chooser.pick([1, 3, 17, 64, 65, 130])
    shapes = {
        "x": (rows, columns),
        "y": (max(rows, 4) + 3, max(columns, 8)),
        "z": (columns + 4, rows + 2),
    }
    inputs = [
        in_memory(chooser, values(rng, shape, program.types[name], hard))
        for name, shape in shapes.items()
    ]
    out = np.full((rows + 5, columns + 9), 9, program.types["out"].numpy)
    return inputs, [out, out.T.copy()], (chooser.pick([-1, 0, 1, 2]), chooser.pick([0, 1, 3]))
