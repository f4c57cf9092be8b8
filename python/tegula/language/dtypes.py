"""Element types: their names in the language, in MLIR, in NumPy and in torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class DType:
    """An element type. ``kind`` is ``bool``, ``int``, ``uint``, ``float`` or ``scale``."""

    name: str
    kind: str
    bits: int
    mlir: str
    numpy: np.dtype[Any]
    torch_name: str | None = None

    def __repr__(self) -> str:
        return f"tg.{self.name}_" if self.kind == "bool" else f"tg.{self.name}"

    @property
    def itemsize(self) -> float:
        """Bytes an element; one half for a packed four-bit type."""
        return self.bits / 8

    @property
    def max(self) -> float:
        """The largest finite number of a float or integer type."""
        if self.is_integer:
            return float(np.iinfo(self.numpy).max)
        if self.kind not in ("float", "scale"):
            raise AttributeError(f"{self!r} has no largest number")
        return float(ml_dtypes.finfo(self.numpy).max)

    @property
    def is_float(self) -> bool:
        """A float that the casts know, narrow ones included (e8m0 is none)."""
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """An integer, signed or not (bool is none)."""
        return self.kind in ("int", "uint")

    @property
    def has_arithmetic(self) -> bool:
        """False for floats of eight bits or fewer, which are only loaded, cast and multiplied."""
        return self.kind in ("bool", "int", "uint") or (self.is_float and self.bits >= 16)


def _integer(bits: int, signed: bool) -> DType:
    name = f"{'i' if signed else 'u'}{bits}"
    numpy = np.dtype(f"{'int' if signed else 'uint'}{bits}")
    return DType(name, "int" if signed else "uint", bits, f"i{bits}", numpy, str(numpy))


def _narrow(name: str, bits: int, mlir: str, numpy: type, torch: str | None) -> DType:
    kind = "scale" if name == "e8m0" else "float"
    return DType(name, kind, bits, mlir, np.dtype(numpy), torch)


bool_ = DType("bool", "bool", 1, "i1", np.dtype(np.bool_), "bool")
i8, i16, i32, i64 = (_integer(bits, True) for bits in (8, 16, 32, 64))
u8, u16, u32, u64 = (_integer(bits, False) for bits in (8, 16, 32, 64))
f64 = DType("f64", "float", 64, "f64", np.dtype(np.float64), "float64")
f32 = DType("f32", "float", 32, "f32", np.dtype(np.float32), "float32")
f16 = DType("f16", "float", 16, "f16", np.dtype(np.float16), "float16")
bf16 = DType("bf16", "float", 16, "bf16", np.dtype(ml_dtypes.bfloat16), "bfloat16")
f8e4m3fn = _narrow("f8e4m3fn", 8, "f8E4M3FN", ml_dtypes.float8_e4m3fn, "float8_e4m3fn")
f8e5m2 = _narrow("f8e5m2", 8, "f8E5M2", ml_dtypes.float8_e5m2, "float8_e5m2")
f8e4m3fnuz = _narrow("f8e4m3fnuz", 8, "f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, "float8_e4m3fnuz")
f8e5m2fnuz = _narrow("f8e5m2fnuz", 8, "f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, "float8_e5m2fnuz")
f6e2m3 = _narrow("f6e2m3", 6, "f6E2M3FN", ml_dtypes.float6_e2m3fn, None)
f6e3m2 = _narrow("f6e3m2", 6, "f6E3M2FN", ml_dtypes.float6_e3m2fn, None)
f4e2m1 = _narrow("f4e2m1", 4, "f4E2M1FN", ml_dtypes.float4_e2m1fn, "float4_e2m1fn_x2")
e8m0 = _narrow("e8m0", 8, "f8E8M0FNU", ml_dtypes.float8_e8m0fnu, "float8_e8m0fnu")


#: How a cast may round.
ROUNDINGS = ("rne", "rtz", "stochastic")

_target: ContextVar[str | None] = ContextVar("target", default=None)


@contextmanager
def formats_of(target: str) -> Iterator[None]:
    """Within the block ``tg.f8`` and ``tg.bf8`` are this target's."""
    token = _target.set(target)
    try:
        yield
    finally:
        _target.reset(token)


class TargetFloat:
    """An f8 in the flavour that the matrix cores of the target take.

    In a kernel that is the target it is compiled for, elsewhere that of the device in force
    (``with tegula.device(…)``, TEGULA_DEVICE). It has all that the element type has: ``.max``,
    ``.numpy``, ``.torch_name``. ``on(target)`` is the element type itself.
    """

    def __init__(self, name: str, fact: str) -> None:
        self._name, self._fact = name, fact

    def on(self, target: str) -> DType:
        """The element type on a target, by the target's name."""
        from tegula import targets

        return _BY_NAME[targets.facts(target)[self._fact]]

    def here(self) -> DType:
        """The element type where this is asked. ArgumentError without a device."""
        target = _target.get()
        if target is None:
            from tegula.runtime.devices import current_device

            target = current_device().target
        return self.on(target)

    def __getattr__(self, attribute: str) -> Any:
        if attribute not in DType.__annotations__ and not hasattr(DType, attribute):
            raise AttributeError(f"{self!r} has no '{attribute}'")
        return getattr(self.here(), attribute)

    def __eq__(self, other: object) -> bool:
        return other is self or (isinstance(other, DType) and self.here() == other)

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return f"tg.{self._name}"


def concrete(dtype: Any) -> Any:
    """The element type that is meant by one of a target."""
    return dtype.here() if isinstance(dtype, TargetFloat) else dtype


#: e4m3 and e5m2 as the target's own instructions have them.
f8 = TargetFloat("f8", "fp8")
bf8 = TargetFloat("bf8", "bf8")

ALL: tuple[DType, ...] = (
    *(bool_, i8, i16, i32, i64, u8, u16, u32, u64, f64, f32, f16, bf16),
    *(f8e4m3fn, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, f6e2m3, f6e3m2, f4e2m1, e8m0),
)
_BY_NAME = {dtype.name: dtype for dtype in ALL}
_BY_NUMPY = {dtype.numpy: dtype for dtype in ALL}
_BY_TORCH = {dtype.torch_name: dtype for dtype in ALL if dtype.torch_name}


@cache
def from_numpy(dtype: Any) -> DType | None:
    """The element type of a NumPy dtype, or None when a kernel cannot hold it."""
    return _BY_NUMPY.get(np.dtype(dtype))


@cache
def from_torch(dtype: Any) -> DType | None:
    """The element type of a torch dtype; reads only its name, so torch need not be there."""
    return _BY_TORCH.get(str(dtype).removeprefix("torch."))


def in_range(value: float, dtype: DType) -> bool:
    """Whether a Python number is a value of the type; floats may round but not overflow."""
    if dtype.kind == "bool":
        return value in (0, 1)
    if dtype.is_integer:
        info = np.iinfo(dtype.numpy)
        whole = isinstance(value, int) or float(value).is_integer()
        return whole and int(info.min) <= int(value) <= int(info.max)
    if isinstance(value, int) and value.bit_length() > 1024:
        return False
    if value != value or value in (float("inf"), float("-inf")):
        return True
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.array(value, dtype=dtype.numpy).astype(np.float64)))


def promote(a: DType, b: DType) -> DType | None:
    """Type of the result of ``a + b``; None when there is no arithmetic on one of them.

    Same kind: the wider. bf16 with f16: f32. Integer with float: the float. Signed with unsigned:
    the next wider signed type (i64 with u64 has none).
    """
    if not (a.has_arithmetic and b.has_arithmetic):
        return None
    if a == b:
        return a
    if a.is_float and b.is_float:
        return f32 if a.bits == b.bits else max(a, b, key=lambda t: t.bits)
    if a.is_float or b.is_float:
        return a if a.is_float else b
    if a.kind == b.kind:
        return max(a, b, key=lambda t: t.bits)
    if "bool" in (a.kind, b.kind):
        return b if a.kind == "bool" else a
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return {8: i16, 16: i32, 32: i64}.get(unsigned.bits)


def instead_of_cast(source: DType) -> str:
    """What to write in place of a cast from or to e8m0, which has neither a sign nor a zero."""
    if source == e8m0:
        return "tg.scale_values(scales) gives them as f32, tg.bitcast(scales, tg.u8) as bytes"
    return "tg.quantize makes scales; tg.bitcast(bytes, tg.e8m0) takes exponents plus 127"


def quotient(a: DType, b: DType) -> DType | None:
    """Type of ``a / b``: a float even of two integers."""
    both = promote(a, b)
    return f32 if both is not None and not both.is_float else both
