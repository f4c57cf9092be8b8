"""Softmax and log-softmax of rows, and their gradients (torch.softmax over the last axis)."""

import tegula as tg
from tegula.kernels.rows import LONGEST, row_sum, row_tile, row_tiles

LOWEST = -(2.0 - 2.0**-23) * 2.0**127  # of f32: below it only -inf, whose exponential it keeps 0


@tg.kernel(grid=lambda x: (x.shape[0],))
def softmax(x: "R N", out: "R N", *, N: tg.const):
    """out = exp(x - max(x)) / sum(exp(x - max(x))) along N, computed in f32.

    x (R, N), out (R, N) of f32, f16 or bf16. Rows of more than 32,768 elements are read twice.
    """
    row, BN, peak, total = tg.program_id(0), min(max(N, 1), LONGEST), LOWEST, 0.0
    for n in tg.tiles(x, axis=1, size=BN):
        v, before = tg.load(x, (row, n), (1, BN), pad=-tg.inf).to(tg.f32), peak
        peak = tg.maximum(before, tg.max(v))
        total = total * tg.exp(before - peak) + tg.sum(tg.exp(v - peak))
    for n in tg.tiles(x, axis=1, size=BN):
        v = tg.load(x, (row, n), (1, BN), pad=-tg.inf).to(tg.f32)
        tg.store(out, (row, n), (tg.exp(v - peak) / total).to(out.dtype))


@tg.function
def log_of_sum(ones, rest):
    """log(ones + rest), also where one one and a small rest make log(1 + rest)."""
    total, above = ones + rest, rest + (ones - 1.0)
    return tg.where(total == 1.0, above, tg.log(total) * (above / (total - 1.0)))


@tg.kernel(grid=lambda x, N: (row_tiles(x, N),))
def log_softmax(x: "R N", out: "R N", *, N: tg.const):
    """out = x - max(x) - log(sum(exp(x - max(x)))) along N, computed in f32.

    x (R, N), out (R, N) of f32, f16 or bf16. Rows of more than 16,384 elements are read twice.
    """
    row, (BM, BN) = tg.program_id(0), row_tile(N, 16_384)
    peak = tg.full((BM, 1), -tg.inf, tg.f32)
    # How many elements are at the peak, and the exponentials of the others.
    peaks, rest = tg.zeros((BM, 1), tg.f32), tg.zeros((BM, 1), tg.f32)
    for n in tg.tiles(x, axis=1, size=BN):
        v, before = tg.load(x, (row, n), (BM, BN), pad=-tg.inf).to(tg.f32), peak
        peak = tg.maximum(peak, tg.max(v, axis=1, keepdims=True))
        here = row_sum(tg.where(v < peak, tg.exp(v - peak), 0.0))
        rest = here + tg.where(before < peak, (rest + peaks) * tg.exp(before - peak), rest)
        peaks = tg.where(before < peak, 0.0, peaks) + row_sum(tg.where(v == peak, 1.0, 0.0))
    logarithm = log_of_sum(peaks, rest) + (peak - peak)  # NaN where the peak is infinite
    for n in tg.tiles(x, axis=1, size=BN):
        v = tg.load(x, (row, n), (BM, BN), pad=-tg.inf).to(tg.f32) - peak
        tg.store(out, (row, n), (v - logarithm).to(out.dtype))


@tg.kernel(grid=lambda y, N: (row_tiles(y, N),))
def softmax_backward(dy: "R N", y: "R N", dx: "R N", *, N: tg.const, log: tg.const = False):
    """dx = y · (dy - sum(dy · y)) along N in f32, or of a log-softmax dy - exp(y) · sum(dy).

    dy, y (what the forward pass gave out), dx (R, N) of f32, f16 or bf16. Rows of more than 32,768
    elements are read twice.
    """
    row, (BM, BN) = tg.program_id(0), row_tile(N)
    total = tg.zeros((BM, 1), tg.f32)
    for n in tg.tiles(y, axis=1, size=BN):
        g = tg.load(dy, (row, n), (BM, BN)).to(tg.f32)
        total = total + row_sum(g if log else g * tg.load(y, (row, n), (BM, BN)).to(tg.f32))
    for n in tg.tiles(y, axis=1, size=BN):
        g = tg.load(dy, (row, n), (BM, BN)).to(tg.f32)
        v = tg.load(y, (row, n), (BM, BN)).to(tg.f32)
        d = g - tg.exp(v) * total if log else v * (g - total)
        tg.store(dx, (row, n), d.to(dx.dtype))
