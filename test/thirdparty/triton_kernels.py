"""Triton kernels for the simulated device, and how they are cross-compiled without a GPU."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def vector_add(out, a, b, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(a + i, mask=inside) + tl.load(b + i, mask=inside), mask=inside)


@triton.jit
def softmax(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * n + i, (e / tl.sum(e, axis=0)).to(out.dtype.element_ty), mask=i < n)


@triton.jit
def unmasked(out, x, n, BLOCK: tl.constexpr):
    """Wrong on purpose: no mask keeps it inside its rows of n."""
    i = tl.program_id(0) * n + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))


@triton.jit
def rms_norm(out, x, w, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n + eps)
    scaled = v * r * tl.load(w + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(out + row * n + i, scaled.to(out.dtype.element_ty), mask=i < n)


@triton.jit
def layer_norm(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    mean = tl.sum(v, axis=0) / n
    centred = tl.where(i < n, v - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n
    tl.store(out + row * n + i, centred / tl.sqrt(variance + 1e-5), mask=i < n)


@triton.jit
def gemm(c, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, NT: tl.constexpr):
    """c (M, N) = a (M, K) · b, stored (N, K) if NT else (K, N); K a multiple of BK."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    step = BK if NT else BK * N
    pa = a + (m % M)[:, None] * K + k[None, :]
    pb = b + ((n % N)[None, :] * K + k[:, None] if NT else k[:, None] * N + (n % N)[None, :])
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K // BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += step
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty), mask=inside)


@triton.jit
def transpose(out, x, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    v = tl.load(x + i[:, None] * columns + j[None, :], mask=inside)
    there = (j[:, None] < columns) & (i[None, :] < rows)
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(v), mask=there)


@triton.jit
def histogram(bins, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(bins + v, 1, mask=i < n)


@triton.jit
def column_maxima(out, x, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    v = tl.load(x + i[:, None] * columns + j[None, :], mask=inside, other=-2147483648)
    tl.atomic_max(out + j, tl.max(v, axis=0), mask=j < columns)


@triton.jit
def collatz(steps, start, n):
    i = tl.program_id(0)
    value = tl.load(start + i)
    count = 0
    while value != 1:
        if value % 2 == 1:
            value = 3 * value + 1
        else:
            value = value // 2
        count += 1
    tl.store(steps + i, count)


@triton.jit
def running_sum(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    v = tl.load(x + row * n + i, mask=i < n, other=0)
    tl.store(out + row * n + i, tl.cumsum(v, axis=0), mask=i < n)


@triton.jit
def sort_rows(out, x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def gelu(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    inner = 0.7978845608 * (v + 0.044715 * v * v * v)
    tanh = 1 - 2 / (tl.exp(2 * inner) + 1)
    tl.store(out + i, 0.5 * v * (1 + tanh), mask=i < n)


def source_of(
    function: Any,
    signature: dict[str, str],
    constants: dict[str, Any],
    divisible: tuple[str, ...] = (),
    wide: bool = False,
) -> ASTSource:
    """A kernel with the hints that Triton's JIT finds from arguments.

    Pointers are 16-byte aligned and, unless ``wide``, span under 2 GiB; integers named
    ``divisible`` are multiples of 16.
    """
    names = function.arg_names
    types = {name: "constexpr" if name in constants else signature[name] for name in names}
    hints = [["tt.divisibility", 16], ["tt.pointer_range", 32]]
    pointer = hints[:1] if wide else hints
    attributes = {(i,): pointer for i, name in enumerate(names) if types[name].startswith("*")}
    attributes |= {(names.index(name),): hints[:1] for name in divisible}
    return ASTSource(function, types, constants, attributes)


def compile_kernel(
    function: Any,
    target: str,
    signature: dict[str, str],
    constants: dict[str, Any],
    waves: int = 4,
    divisible: tuple[str, ...] = (),
) -> Any:
    """Cross-compile to Triton's CompiledKernel, with an empty cache."""
    source = source_of(function, signature, constants, divisible)
    with tempfile.TemporaryDirectory() as cache, triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(Path(cache))
        gpu = GPUTarget("hip", target, 64)
        return triton.compile(source, target=gpu, options={"num_warps": waves, "num_stages": 2})
