"""Cases of quantizers and of orders of scales: bytes that are not those of the document's rules."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import tegula as tg
from accuracy import Family
from formats_inputs import LAYOUTS, NARROW, in_order
from formats_reference import e8m0_to_f32, encode_sat, fp8_cast, fp8_scale, mx_quantize
from tegula import kernels

SPECIALS = 40  # one element of so many is zero, and one of 800 infinite or NaN


def values(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Of magnitudes that differ from block to block."""
    rng = np.random.default_rng(shape[-1])
    scale = np.exp2(rng.integers(-60, 60, (*shape[:-1], -(-shape[-1] // 32))))
    x = rng.standard_normal(shape) * np.repeat(scale, 32, axis=-1)[..., : shape[-1]]
    x[rng.random(shape) < 1 / SPECIALS] = 0
    for special in (np.inf, -np.inf, np.nan):
        x[rng.random(shape) < 1 / 2400] = special
    with np.errstate(over="ignore"):
        return x.astype(getattr(tg, dtype).numpy)


def differ(q: np.ndarray, codes: np.ndarray, fmt: str, lost: np.ndarray) -> int:
    """Codes that differ; every NaN is as good as another, and where ``lost`` a zero of any sign."""
    found, kind = q.view(np.uint8), NARROW[fmt]
    if kind.bits == 8:
        nan = np.isnan(q.astype(np.float32))
        return int(((found != codes) & ~(nan & np.isnan(codes.view(q.dtype).astype("f4")))).sum())
    sign = 1 << (kind.bits - 1)
    return int(((found != codes) & ~(lost & ((found | codes) & (sign - 1) == 0))).sum())


def by_columns(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.zeros((*shape[:-2], shape[-1], shape[-2]), dtype).swapaxes(-1, -2)


# --- MX --------------------------------------------------------------------------------------

#: name → (kernel, rows and columns of a block)
MX: dict[str, tuple[Any, tuple[int, int]]] = {
    "mx rows": (kernels.mx_quantize_rows, (1, 32)),
    "mx columns": (kernels.mx_quantize_columns, (32, 1)),
    "mx squares": (kernels.mx_quantize_squares, (32, 32)),
    "mx experts": (kernels.mx_quantize_experts, (32, 1)),
    "mx expert squares": (kernels.mx_quantize_expert_squares, (32, 32)),
}


def in_blocks(x: np.ndarray, sides: tuple[int, int]) -> np.ndarray:
    """(…, blocks down, blocks across, elements of a block)."""
    *lead, m, k = x.shape
    rows, columns = sides
    split = x.reshape(*lead, m // rows, rows, k // columns, columns).swapaxes(-2, -3)
    return split.reshape(*lead, m // rows, k // columns, rows * columns)


def from_blocks(blocks: np.ndarray, sides: tuple[int, int]) -> np.ndarray:
    *lead, down, across, _ = blocks.shape
    split = blocks.reshape(*lead, down, across, *sides).swapaxes(-2, -3)
    return split.reshape(*lead, down * sides[0], across * sides[1])


def mx(name: str) -> Callable[[str, Any], float]:
    kernel, sides = MX[name]

    def measure(variant: str, shape: tuple[int, ...]) -> float:
        dtype, _, fmt, mode = variant.split()
        x = values(shape, dtype)
        flat = in_blocks(x.astype(np.float32), sides)
        scales, codes = mx_quantize(flat, fmt, mode, flat.shape[-1])
        q = (np.zeros if sides == (1, 32) else by_columns)(shape, NARROW[fmt].numpy)
        s = np.zeros(scales.shape[:-1], tg.e8m0.numpy)
        kernel(x, q, s, mode=mode)
        lost = np.broadcast_to(scales == 255, flat.shape)
        wrong = differ(q, from_blocks(codes, sides), fmt, from_blocks(lost, sides))
        return float(wrong + (s.view(np.uint8) != scales[..., 0]).sum())

    return measure


def mx_both(variant: str, shape: tuple[int, int]) -> float:
    """Blocks along K and blocks along M, each against its own rule."""
    dtype, _, fmt, mode = variant.split()
    x, wrong, given = values(shape, dtype), 0.0, []
    for sides, new in (((1, 32), np.zeros), ((32, 1), by_columns)):
        flat = in_blocks(x.astype(np.float32), sides)
        q, s = new(shape, NARROW[fmt].numpy), new(flat.shape[:-1], tg.e8m0.numpy)
        given.append((flat, sides, q, s))
    kernels.mx_quantize_both(x, *(a for _, _, *both in given for a in both), mode=mode)
    for flat, sides, q, s in given:
        scales, codes = mx_quantize(flat, fmt, mode, flat.shape[-1])
        lost = np.broadcast_to(scales == 255, flat.shape)
        wrong += differ(q.copy(), from_blocks(codes, sides), fmt, from_blocks(lost, sides))
        wrong += (s.copy().view(np.uint8) != scales[..., 0]).sum()
    return float(wrong)


def mx_back(variant: str, shape: tuple[int, int]) -> float:
    """Numbers that are not code times scale, rounded once; any codes, any scales."""
    fmt, _, dtype = variant.split()
    rng = np.random.default_rng(shape[1])
    codes = rng.integers(0, 1 << NARROW[fmt].bits, shape, dtype=np.uint8).view(NARROW[fmt].numpy)
    scales = rng.integers(0, 256, (shape[0], shape[1] // 32), dtype=np.uint8)
    x = np.zeros(shape, getattr(tg, dtype).numpy)
    kernels.mx_dequantize_rows(codes, scales.view(tg.e8m0.numpy), x)
    with np.errstate(all="ignore"):
        exact = codes.astype(np.float32) * np.repeat(e8m0_to_f32(scales), 32, axis=1)
        right, found = (a.astype(np.float32) for a in (exact.astype(x.dtype), x))
    return float((~((found == right) | (np.isnan(found) & np.isnan(right)))).sum())


def ordered(variant: str, shape: tuple[int, ...]) -> float:
    """Bytes that scales have elsewhere, in an order of tiles and back."""
    scales = np.random.default_rng(shape[-1]).integers(1, 255, shape, dtype=np.uint8)
    expected = np.concatenate([in_order(one, variant) for one in scales])
    buffer, back = np.zeros_like(expected), np.zeros_like(scales)
    stored = tg.Scales(buffer, layout=variant, shape=shape)
    kernels.copy_scales(scales.view(tg.e8m0.numpy), stored)
    kernels.copy_scales(stored, back.view(tg.e8m0.numpy))
    return float((buffer != expected).sum() + (back != scales).sum())


# --- FP8 -------------------------------------------------------------------------------------


def largest(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    found: np.ndarray = np.abs(x.astype(np.float32)).max(axis=axes, keepdims=True, initial=0)
    return found


def fp8(run: Callable[[np.ndarray, np.ndarray, bool], list[tuple[Any, ...]]]) -> Any:
    """``run`` gives (rows and columns of x that share scales, their codes, the scales found)."""

    def measure(variant: str, shape: tuple[int, ...]) -> float:
        dtype, _, fmt, *pow2 = variant.split()
        x = values(shape, dtype)
        q = by_columns(shape, NARROW[fmt].numpy)
        wrong = 0
        with np.errstate(all="ignore"):
            for part, codes, found, axes, inverse in run(x, q, bool(pow2)):
                scale = fp8_scale(largest(part, axes), fmt, bool(pow2))
                expected = (np.float32(1) / scale).astype("f4") if inverse else scale
                wrong += int((~np.equal(found.ravel(), expected.ravel())).sum())
                wrong -= int((np.isnan(found.ravel()) & np.isnan(expected.ravel())).sum())
                right = fp8_cast(part.astype(np.float32), scale, fmt)
                wrong += differ(codes, right, fmt, np.zeros(right.shape, bool))
        return float(wrong)

    return measure


def rows(x: np.ndarray, q: np.ndarray, pow2: bool) -> list[tuple[Any, ...]]:
    scale = np.zeros((len(x), 1), np.float32)
    kernels.fp8_quantize_rows(x, q, scale, pow2=pow2)
    return [(x, q, scale, (1,), False)]


def tensor(x: np.ndarray, q: np.ndarray, pow2: bool) -> list[tuple[Any, ...]]:
    amax, scale = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
    kernels.fp8_largest(x, amax)
    kernels.fp8_quantize_tensor(x, amax, q, scale, pow2=pow2)
    return [(x, q, scale, (0, 1), False)]


def experts(x: np.ndarray, q: np.ndarray, pow2: bool) -> list[tuple[Any, ...]]:
    scale = np.zeros((x.shape[0], x.shape[2]), np.float32)
    kernels.fp8_expert_columns(x, q, scale, pow2=pow2)
    return [(x, q, scale, (1,), False)]


def groups(apart: bool) -> Any:
    def run(x: np.ndarray, q: np.ndarray, pow2: bool) -> list[tuple[Any, ...]]:
        count = len(x)
        ends = (0, count // 7, count - 1, count)
        offs, scale = np.array(ends, np.int32), np.zeros((4, x.shape[1]), np.float32)
        if apart:
            amax = np.zeros_like(scale)
            kernels.fp8_group_largest(x, amax, offs, BM=64)
            kernels.fp8_group_columns_apart(x, amax, q, scale, offs, pow2=pow2)
        else:
            kernels.fp8_group_columns(x, q, scale, offs, pow2=pow2)
        bounds = enumerate(pairwise((0, *ends)))
        return [(x[lo:hi], q[lo:hi], scale[g], (0,), False) for g, (lo, hi) in bounds]

    return run


def blocks(kernel: Any, sides: tuple[int, int]) -> Any:
    def run(x: np.ndarray, q: np.ndarray, pow2: bool) -> list[tuple[Any, ...]]:
        inverse = np.zeros((x.shape[0] // sides[0], x.shape[1] // sides[1]), np.float32)
        kernel(x, q, inverse)
        parts = in_blocks(x, sides), in_blocks(q, sides)
        return [(*parts, inverse, (-1,), True)]

    return run


# --- Casts -----------------------------------------------------------------------------------


@tg.kernel(grid=lambda x, BN: (tg.cdiv(x.shape[0], BN),))
def narrowed(x: "N", q: "N", *, BN: tg.tile = 1024) -> None:
    n = tg.program_id(0)
    tg.store(q, (n,), tg.load(x, (n,), (BN,)).to(q.dtype))


def cast(variant: str, count: int) -> float:
    """All values of f16 and bf16, or random bits of f32, saturating."""
    dtype, _, fmt = variant.split()
    if dtype == "f32":
        bits = np.random.default_rng(count).integers(0, 1 << 32, count, dtype=np.uint32)
    else:
        bits = np.arange(1 << 16, dtype=np.uint16)
    x = bits.view(getattr(tg, dtype).numpy)
    q = np.zeros(x.shape, NARROW[fmt].numpy)
    narrowed(x, q)
    wide = x.astype(np.float32)
    return float(differ(q, encode_sat(wide, fmt), fmt, np.isnan(wide)))


def _none(_: str) -> float:
    return 0


MODES, FLAVOURS = ("floor", "ceil", "even", "rceil"), ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
CODES = ("e4m3fn", "e5m2", "e2m3", "e3m2", "e2m1")
ALL = [f"bf16 to {fmt} {mode}" for fmt in CODES for mode in MODES]
SOME = [f"{dtype} to e4m3fn {mode}" for dtype in ("bf16", "f32") for mode in MODES]
SOME += [f"bf16 to {fmt} rceil" for fmt in CODES[1:]]
FLAT = [(32, 256), (128, 640), (64, 1408), (256, 2048), (32, 7168)]
THREE = [(1, 32, 256), (4, 64, 1024), (2, 64, 1408), (8, 256, 256)]
SCALED = [f"bf16 to {fmt}{pow2}" for fmt in FLAVOURS for pow2 in ("", " pow2")]
UNIT = "codes and scales that differ"


def _family(name: str, variants: list[str], sizes: Any, measure: Any) -> Family:
    return Family(name, variants, sizes, measure, _none, UNIT, 2)


FAMILIES: list[Any] = [
    _family(
        "cast", [f"{a} to {b}" for a in ("bf16", "f16", "f32") for b in NARROW], [65_536], cast
    ),
    _family("mx rows", ALL, [(1, 2048), (64, 2080), *FLAT[3:]], mx("mx rows")),
    _family("mx columns", SOME, FLAT, mx("mx columns")),
    _family("mx squares", SOME, FLAT[:3], mx("mx squares")),
    _family("mx both", SOME, FLAT[:3], mx_both),
    _family("mx experts", SOME, THREE, mx("mx experts")),
    _family("mx expert squares", SOME, THREE, mx("mx expert squares")),
    _family(
        "mx dequantize",
        [f"{fmt} to {dtype}" for fmt in CODES for dtype in ("f32", "bf16")],
        [(1, 32), (70, 352), (256, 2048)],
        mx_back,
    ),
    _family(
        "scale orders", list(LAYOUTS), [(1, 1, 1), (3, 130, 9), (1, 300, 64), (2, 64, 300)], ordered
    ),
    _family("fp8 rows", SCALED, FLAT[:4], fp8(rows)),
    _family("fp8 tensor", SCALED, FLAT[:3], fp8(tensor)),
    _family("fp8 group columns", SCALED, [(70, 130), *FLAT[:4]], fp8(groups(apart=False))),
    _family("fp8 group columns apart", SCALED, [(300, 130), *FLAT[:4]], fp8(groups(apart=True))),
    _family("fp8 expert columns", SCALED, [(3, 200, 130), *THREE], fp8(experts)),
]
for _name, _sides in (("1x128", (1, 128)), ("128x1", (128, 1)), ("128x128", (128, 128))):
    _run = blocks(getattr(kernels, f"fp8_quantize_{_name}"), _sides)
    _variants = [f"bf16 to {fmt}" for fmt in FLAVOURS]
    FAMILIES.append(_family(f"fp8 {_name}", _variants, [(128, 640), (256, 384)], fp8(_run)))
