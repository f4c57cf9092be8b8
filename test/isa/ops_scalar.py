"""Scalar instructions: (result or None, SCC or None for unchanged) of the source bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .ops import signed

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


@dataclass
class Scalar:
    """The state that a scalar instruction may read or change."""

    scc: int
    exec: int
    old: int
    simm: int = 0
    after: dict[str, int] = field(default_factory=dict)  # exec, m0


Outcome = tuple[int | None, int | None]
SCALAR: dict[str, Callable[..., Outcome]] = {}


def op(*names: str) -> Callable[[Callable[..., Outcome]], Callable[..., Outcome]]:
    def register(function: Callable[..., Outcome]) -> Callable[..., Outcome]:
        for name in names:
            assert name not in SCALAR, name
            SCALAR[name] = function
        return function

    return register


def overflows(exact: int) -> int:
    return int(not -(1 << 31) <= exact < 1 << 31)


def nonzero(result: int) -> Outcome:
    return result, int(result != 0)


# ---- arithmetic

op("s_add_u32")(lambda x, a, b: (a + b & M32, int(a + b > M32)))
op("s_sub_u32")(lambda x, a, b: (a - b & M32, int(a < b)))
op("s_addc_u32")(lambda x, a, b: (a + b + x.scc & M32, int(a + b + x.scc > M32)))
op("s_subb_u32")(lambda x, a, b: (a - b - x.scc & M32, int(a - b - x.scc < 0)))
op("s_add_i32")(lambda x, a, b: (a + b & M32, overflows(signed(a) + signed(b))))
op("s_sub_i32")(lambda x, a, b: (a - b & M32, overflows(signed(a) - signed(b))))
op("s_addk_i32")(
    lambda x: (x.old + signed(x.simm, 16) & M32, overflows(signed(x.old) + signed(x.simm, 16)))
)
op("s_mul_i32")(lambda x, a, b: (a * b & M32, None))
op("s_mulk_i32")(lambda x: (x.old * signed(x.simm, 16) & M32, None))
op("s_mul_hi_u32")(lambda x, a, b: (a * b >> 32, None))
op("s_mul_hi_i32")(lambda x, a, b: (signed(a) * signed(b) >> 32 & M32, None))
op("s_absdiff_i32")(lambda x, a, b: nonzero(abs(signed(a - b)) & M32))
op("s_abs_i32")(lambda x, a: nonzero(abs(signed(a)) & M32))
for _n in range(1, 5):
    op(f"s_lshl{_n}_add_u32")(lambda x, a, b, n=_n: ((a << n) + b & M32, int((a << n) + b > M32)))

# "SCC: the first operand was chosen"
op("s_min_i32")(lambda x, a, b: (min(a, b, key=signed), int(signed(a) < signed(b))))
op("s_min_u32")(lambda x, a, b: (min(a, b), int(a < b)))
op("s_max_i32")(lambda x, a, b: (max(a, b, key=signed), int(signed(a) >= signed(b))))
op("s_max_u32")(lambda x, a, b: (max(a, b), int(a >= b)))

# ---- moves and selections

op("s_mov_b32", "s_mov_b64")(lambda x, a: (a, None))
op("s_cmov_b32", "s_cmov_b64")(lambda x, a: (a if x.scc else x.old, None))
op("s_cselect_b32", "s_cselect_b64")(lambda x, a, b: (a if x.scc else b, None))
op("s_movk_i32")(lambda x: (signed(x.simm, 16) & M32, None))
op("s_cmovk_i32")(lambda x: (signed(x.simm, 16) & M32 if x.scc else x.old, None))
op("s_sext_i32_i8")(lambda x, a: (signed(a, 8) & M32, None))
op("s_sext_i32_i16")(lambda x, a: (signed(a, 16) & M32, None))
op("s_pack_ll_b32_b16")(lambda x, a, b: (a & 0xFFFF | (b & 0xFFFF) << 16, None))
op("s_pack_lh_b32_b16")(lambda x, a, b: (a & 0xFFFF | b >> 16 << 16, None))
op("s_pack_hh_b32_b16")(lambda x, a, b: (a >> 16 | b >> 16 << 16, None))

# ---- bits, in both widths


def _logic(name: str, of: Callable[[int, int], int]) -> None:
    for bits in (32, 64):
        mask = (1 << bits) - 1
        op(f"s_{name}_b{bits}")(lambda x, a, b, m=mask: nonzero(of(a, b) & m))


LOGIC: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b, "orn2": lambda a, b: a | ~b, "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b), "andn1": lambda a, b: ~a & b,
    "orn1": lambda a, b: ~a | b,
}  # fmt: skip
for _name in ("and", "or", "xor", "andn2", "orn2", "nand", "nor", "xnor"):
    _logic(_name, LOGIC[_name])


def _saveexec(name: str) -> Callable[..., Outcome]:
    def run(x: Scalar, a: int) -> Outcome:
        x.after["exec"] = LOGIC[name](a, x.exec) & M64
        return x.exec, int(x.after["exec"] != 0)

    return run


def _wrexec(name: str) -> Callable[..., Outcome]:
    def run(x: Scalar, a: int) -> Outcome:
        x.after["exec"] = LOGIC[name](a, x.exec) & M64
        return nonzero(x.after["exec"])

    return run


for _name in LOGIC:
    op(f"s_{_name}_saveexec_b64")(_saveexec(_name))
op("s_andn1_wrexec_b64")(_wrexec("andn1"))
op("s_andn2_wrexec_b64")(_wrexec("andn2"))


def leading(a: int, bits: int) -> int:
    """Zeros above the highest set bit; -1 if there is none."""
    return (bits - a.bit_length() if a else -1) & M32


def trailing(a: int) -> int:
    return ((a & -a).bit_length() - 1 if a else -1) & M32


def any_of_four(a: int, bits: int) -> list[bool]:
    return [bool(a >> i & 15) for i in range(0, bits, 4)]


for _bits in (32, 64):
    _mask, _count = (1 << _bits) - 1, _bits - 1
    op(f"s_not_b{_bits}")(lambda x, a, m=_mask: nonzero(~a & m))
    op(f"s_brev_b{_bits}")(lambda x, a, n=_bits: (int(f"{a:0{n}b}"[::-1], 2), None))
    op(f"s_bcnt0_i32_b{_bits}")(lambda x, a, n=_bits: nonzero(n - a.bit_count()))
    op(f"s_bcnt1_i32_b{_bits}")(lambda x, a: nonzero(a.bit_count()))
    op(f"s_ff0_i32_b{_bits}")(lambda x, a, m=_mask: (trailing(~a & m), None))
    op(f"s_ff1_i32_b{_bits}")(lambda x, a: (trailing(a), None))
    op(f"s_flbit_i32_b{_bits}")(lambda x, a, n=_bits: (leading(a, n), None))
    op("s_flbit_i32" if _bits == 32 else "s_flbit_i32_i64")(
        lambda x, a, n=_bits, m=_mask: (leading(~a & m if a >> (n - 1) else a, n), None)
    )
    op(f"s_bitset0_b{_bits}")(lambda x, a, c=_count: (x.old & ~(1 << (a & c)), None))
    op(f"s_bitset1_b{_bits}")(lambda x, a, c=_count: (x.old | 1 << (a & c), None))
    op(f"s_wqm_b{_bits}")(
        lambda x, a, n=_bits: nonzero(
            sum(15 << 4 * i for i, s in enumerate(any_of_four(a, n)) if s)
        )
    )
    op(f"s_quadmask_b{_bits}")(
        lambda x, a, n=_bits: nonzero(sum(1 << i for i, s in enumerate(any_of_four(a, n)) if s))
    )
    op(f"s_lshl_b{_bits}")(lambda x, a, b, m=_mask, c=_count: nonzero(a << (b & c) & m))
    op(f"s_lshr_b{_bits}")(lambda x, a, b, c=_count: nonzero(a >> (b & c)))
    op(f"s_ashr_i{_bits}")(
        lambda x, a, b, n=_bits, m=_mask, c=_count: nonzero(signed(a, n) >> (b & c) & m)
    )
    op(f"s_bfm_b{_bits}")(
        lambda x, a, b, m=_mask, c=_count: (((1 << (a & c)) - 1) << (b & c) & m, None)
    )
    op(f"s_bitcmp0_b{_bits}")(lambda x, a, b, c=_count: (None, int(not a >> (b & c) & 1)))
    op(f"s_bitcmp1_b{_bits}")(lambda x, a, b, c=_count: (None, a >> (b & c) & 1))


def bfe(a: int, b: int, bits: int, is_signed: bool) -> Outcome:
    """Offset in the low bits of b, width in bits 22:16; the shift keeps the sign."""
    offset, width = b & (bits - 1), b >> 16 & 0x7F
    if width == 0:
        return nonzero(0)
    field_ = (signed(a, bits) if is_signed else a) >> offset
    field_ = signed(field_, width) if is_signed else field_ & ((1 << width) - 1)
    return nonzero(field_ & ((1 << bits) - 1))


for _bits in (32, 64):
    op(f"s_bfe_u{_bits}")(lambda x, a, b, n=_bits: bfe(a, b, n, False))
    op(f"s_bfe_i{_bits}")(lambda x, a, b, n=_bits: bfe(a, b, n, True))


@op("s_bitreplicate_b64_b32")
def bitreplicate(x: Scalar, a: int) -> Outcome:
    return sum(3 << 2 * i for i in range(32) if a >> i & 1), None


# ---- comparisons

_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
}  # fmt: skip


def _compare(name: str, holds: Callable[[int, int], bool]) -> None:
    op(f"s_cmp_{name}_i32")(lambda x, a, b: (None, int(holds(signed(a), signed(b)))))
    op(f"s_cmp_{name}_u32")(lambda x, a, b: (None, int(holds(a, b))))
    op(f"s_cmpk_{name}_i32")(lambda x, a: (None, int(holds(signed(a), signed(x.simm, 16)))))
    op(f"s_cmpk_{name}_u32")(lambda x, a: (None, int(holds(a, x.simm))))


for _name, _holds in _RELATIONS.items():
    _compare(_name, _holds)
op("s_cmp_eq_u64")(lambda x, a, b: (None, int(a == b)))
op("s_cmp_lg_u64")(lambda x, a, b: (None, int(a != b)))

# ---- what only waits, hints or invalidates changes nothing that can be seen

NOTHING: dict[str, Callable[[Any], str]] = {
    "s_nop": lambda rng: f" {rng.randrange(16)}",
    "s_sleep": lambda rng: f" {rng.randrange(8)}",
    "s_setprio": lambda rng: f" {rng.randrange(4)}",
    "s_waitcnt": lambda rng: f" {rng.choice((0, 0xF7F, 0xC07F, 0x3F70, 0x4371))}",
    "s_barrier": lambda rng: "",
    "s_icache_inv": lambda rng: "",
    "s_sendmsg": lambda rng: f" {rng.choice((0, 8))}",  # nothing, and what gives up resources
    "s_sethalt": lambda rng: " 0",
    "s_setkill": lambda rng: " 0",
    "s_wakeup": lambda rng: "",
    "s_incperflevel": lambda rng: f" {rng.randrange(16)}",
    "s_decperflevel": lambda rng: f" {rng.randrange(16)}",
    "s_ttracedata": lambda rng: "",
    "s_dcache_inv": lambda rng: "",
    "s_dcache_wb": lambda rng: "",
    "s_dcache_inv_vol": lambda rng: "",
    "s_dcache_wb_vol": lambda rng: "",
}
