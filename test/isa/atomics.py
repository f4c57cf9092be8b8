"""What atomic operations leave in memory, for every unit that has them."""

from __future__ import annotations

from collections.abc import Callable

from . import softfloat as soft
from .machine import Mode
from .ops import signed
from .softfloat import BF16, F16, F32, F64, Env, Format

#: new = f(old, operand, bits)
INTEGER: dict[str, Callable[[int, int, int], int]] = {
    "swap": lambda old, a, n: a,
    "add": lambda old, a, n: old + a,
    "sub": lambda old, a, n: old - a,
    "rsub": lambda old, a, n: a - old,
    "inc": lambda old, a, n: 0 if old >= a else old + 1,
    "dec": lambda old, a, n: a if old == 0 or old > a else old - 1,
    "smin": lambda old, a, n: min(old, a, key=lambda v: signed(v, n)),
    "smax": lambda old, a, n: max(old, a, key=lambda v: signed(v, n)),
    "umin": lambda old, a, n: min(old, a),
    "umax": lambda old, a, n: max(old, a),
    "and": lambda old, a, n: old & a,
    "or": lambda old, a, n: old | a,
    "xor": lambda old, a, n: old ^ a,
}


def environment(f: Format, in_lds: bool, mode: Mode) -> Env:
    """To nearest, whatever MODE says. Denormals: in LDS f32 and f16 follow MODE; f32 that is added
    in global memory has its inputs flushed; the others are kept."""
    if in_lds and f in (F32, F16):
        return Env(0, mode.env(f).keep_in, mode.env(f).keep_out)
    return Env(0, f is not F32, True)


def float_extreme(f: Format, old: int, a: int, largest: bool) -> int:
    """No NaNs are drawn; -0 is below +0."""

    def key(v: int) -> tuple[int, int]:
        return soft.order(f, v), -soft.negative(f, v)

    return max(old, a, key=key) if largest else min(old, a, key=key)


def floating(name: str, old: int, a: int, in_lds: bool, mode: Mode) -> int:
    """add_f32, pk_add_f16, max_f64 …"""
    f = {"f32": F32, "f64": F64, "f16": F16, "bf16": BF16}[name.rsplit("_", 1)[1]]
    env = environment(f, in_lds, mode)
    if name.startswith("pk_add"):
        parts = (soft.add(f, old >> s & 0xFFFF, a >> s & 0xFFFF, env) << s for s in (0, 16))
        return int(sum(parts))
    if name.startswith("add"):
        return int(soft.add(f, old, a, env))
    return float_extreme(f, old, a, name.startswith("max"))


def updated(name: str, old: int, operands: list[int], bits: int, in_lds: bool, mode: Mode) -> int:
    """``operands`` in the order of the instruction's text."""
    mask = (1 << bits) - 1
    if name in INTEGER:
        return INTEGER[name](old, operands[0], bits) & mask
    if name == "cmpswap":  # one operand of twice the size: new, compare
        new, compare = operands[0] & mask, operands[0] >> bits
        return new if old == compare else old
    if name in ("cmpst", "cmpst_f"):  # two operands: compare, new
        f = F32 if bits == 32 else F64
        same = old == operands[0]
        if name == "cmpst_f":
            keep = environment(f, in_lds, mode).keep_in
            old_, compare = (soft.flushed(f, v, keep) for v in (old, operands[0]))
            same = soft.order(f, old_) == soft.order(f, compare)
        return operands[1] if same else old
    if name == "mskor":
        return old & ~operands[0] | operands[1]
    if name == "wrap":
        wrapped = old - operands[0] if old >= operands[0] else old + operands[1]
        return wrapped & mask
    return floating(name, old, operands[0], in_lds, mode)
