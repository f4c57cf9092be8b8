"""Triton kernels, right as they are, of which test_planted_triton.py changes one instruction."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def backwards(out, x, middle, n, BLOCK: tl.constexpr):
    """Elements before ``middle``, which points into x, from the last one on."""
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(middle + (-1 - n - i)))


@triton.jit
def write_backwards(x, middle, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(middle + (-1 - n - i), i)


@triton.jit
def one_of_two(out, x, old, use, BLOCK: tl.constexpr):
    """x, or old if asked for."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if use != 0:
        v += tl.load(old + i)
    tl.store(out + i, v)


@triton.jit
def write_one_of_two(x, old, use, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i)
    if use != 0:
        tl.store(old + i, i)


@triton.jit
def written_then_read(out, x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i + 3)
    tl.debug_barrier()
    tl.store(out + i, tl.load(x + (BLOCK - 1 - i), volatile=True))


@triton.jit
def product(c, a, b, N: tl.constexpr, K: tl.constexpr):
    """c (N, N) = a (N, K) · b (K, N)"""
    i, k = tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + i[None, :])
    tl.store(c + i[:, None] * N + i[None, :], tl.dot(left, right))
