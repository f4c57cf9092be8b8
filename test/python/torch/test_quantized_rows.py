"""Norm and gate with codes: against quantizing the ops' results in PyTorch, opcheck, refusals."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import tegula
import tegula.torch
from tegula.kernels import mx_quantize_rows

own = torch.ops.tegula
BF16, E4M3 = torch.bfloat16, torch.float8_e4m3fn


def by_rows(y: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    most = 127.0 if dtype == torch.int8 else torch.finfo(dtype).max
    scale = (most / y.abs().amax(-1, keepdim=True).double().clamp(min=1e-12)).float()
    codes = (y.float() * scale).clamp(-most, most)
    return (codes.round() if dtype == torch.int8 else codes).to(dtype), scale


@pytest.mark.parametrize("dtype", [torch.int8, E4M3, torch.float8_e4m3fnuz])
def test_rows(device: Any, dtype: torch.dtype) -> None:
    x, residual, w = (torch.randn(*shape).to(BF16) for shape in ((3, 5, 96), (3, 5, 96), (96,)))
    codes, scales, total = tegula.torch.rms_norm_quantize(x, w, 1e-5, dtype, residual)
    y, right = tegula.torch.add_rms_norm(x, residual, w, 1e-5)
    assert total is not None and torch.equal(total, right)
    expected = by_rows(y, dtype)
    assert torch.equal(codes.view(torch.uint8), expected[0].view(torch.uint8))
    torch.testing.assert_close(scales, expected[1], rtol=2**-23, atol=0)
    codes, scales = tegula.torch.silu_mul_quantize(x, residual, dtype)
    expected = by_rows(tegula.torch.silu_mul(x, residual), dtype)
    assert torch.equal(codes.view(torch.uint8), expected[0].view(torch.uint8))
    torch.testing.assert_close(scales, expected[1], rtol=2**-23, atol=0)


@pytest.mark.parametrize("length", [32_800, 65_536, 100_000])
def test_rows_of_several_tiles(device: Any, length: int) -> None:
    """As quantizing what norm and gate give: a row's scale, and scales of blocks of four bits."""
    x, residual, w = (
        torch.randn(*shape).to(BF16) for shape in ((2, length), (2, length), (length,))
    )
    y, right = tegula.torch.add_rms_norm(x, residual, w, 1e-5)
    gate = tegula.torch.silu_mul(x, residual)
    for dtype in (torch.int8, E4M3):
        codes, scales, total = tegula.torch.rms_norm_quantize(x, w, 1e-5, dtype, residual)
        assert total is not None and torch.equal(total, right)
        for found, expected in (
            ((codes, scales), by_rows(y, dtype)),
            (tegula.torch.silu_mul_quantize(x, residual, dtype), by_rows(gate, dtype)),
        ):
            assert torch.equal(found[0].view(torch.uint8), expected[0].view(torch.uint8))
            torch.testing.assert_close(found[1], expected[1], rtol=2**-23, atol=0)
    pairs = torch.float4_e2m1fn_x2
    codes, scales, _ = tegula.torch.rms_norm_quantize(right, w, 1e-5, pairs, mode="even")
    wanted, blocks = torch.zeros_like(codes.view(torch.uint8)), torch.zeros_like(scales)
    mx_quantize_rows(y, wanted.view(pairs), blocks, mode="even")
    assert torch.equal(scales.view(torch.uint8), blocks.view(torch.uint8))
    assert torch.equal(codes.view(torch.uint8), wanted)


def test_blocks(device: Any) -> None:
    """Decoded they are the norm, to half a step of e4m3 in each block."""
    x, w = torch.randn(5, 96).to(BF16), torch.randn(96).to(BF16)
    codes, scales, total = tegula.torch.rms_norm_quantize(x, w, 1e-5, E4M3, mode="rceil")
    assert total is None and scales.shape == (5, 3) and scales.dtype == torch.float8_e8m0fnu
    y = tegula.torch.rms_norm(x, w, 1e-5).float()
    decoded = codes.float() * scales.float().repeat_interleave(32, -1)
    most = y.abs().unflatten(-1, (3, 32)).amax(-1).repeat_interleave(32, -1)
    assert ((decoded - y).abs() <= y.abs() / 16 + most * 2**-9).all()


def test_four_bits(device: Any) -> None:
    """Pairs share a byte; each is the nearest of the eight numbers to what the block scales."""
    x, w = torch.randn(5, 96).to(BF16), torch.randn(96).to(BF16)
    pairs = torch.float4_e2m1fn_x2
    codes, scales, _ = tegula.torch.rms_norm_quantize(x, w, 1e-5, pairs, mode="even")
    assert codes.shape == (5, 48) and codes.dtype == pairs
    nibbles = codes.view(torch.uint8)
    nibbles = torch.stack([nibbles & 15, nibbles >> 4], -1).flatten(-2).long()
    numbers = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    decoded = torch.where(nibbles >= 8, -1.0, 1.0) * numbers[nibbles & 7]
    y = tegula.torch.rms_norm(x, w, 1e-5).float() / scales.float().repeat_interleave(32, -1)
    nearest = (y.abs().clamp(max=6)[..., None] - numbers).abs().amin(-1)
    assert torch.equal((y.clamp(-6, 6) - decoded).abs(), nearest)


def test_opcheck(device: Any) -> None:
    x, w = torch.randn(4, 96), torch.randn(96)
    for residual, mode in ((x, None), (None, "floor")):
        arguments = (x, residual, w, 1e-5, E4M3, mode, False)
        torch.library.opcheck(own.rms_norm_quantize.default, arguments)
    torch.library.opcheck(own.silu_mul_quantize.default, (x, x, torch.int8))


def test_without_rows(device: Any) -> None:
    codes, scales = tegula.torch.silu_mul_quantize(*torch.ones(2, 0, 64), E4M3, "rceil")
    assert codes.shape == (0, 64) and scales.shape == (0, 2)


half = torch.ones(8, 64, dtype=BF16)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tegula.torch.silu_mul_quantize(half, half, torch.uint8), "uint8"),
        (lambda: tegula.torch.silu_mul_quantize(half, half, torch.int8, "rceil"), "int8"),
        (lambda: tegula.torch.silu_mul_quantize(half[:, :48], half[:, :48], E4M3, "even"), "48"),
        (lambda: tegula.torch.silu_mul_quantize(half[:, :0], half[:, :0], E4M3), "no elements"),
        (lambda: tegula.torch.silu_mul_quantize(half, half[0], E4M3), "shapes differ"),
        (lambda: tegula.torch.rms_norm_quantize(half, half, 1e-5, E4M3), "not a vector"),
    ],
)
def test_what_is_not_taken(device: Any, call: Any, words: str) -> None:
    with pytest.raises(tegula.ArgumentError, match=words):
        call()


def test_a_mode_that_does_not_exist_is_refused(device: Any) -> None:
    with pytest.raises(tegula.Error, match="nearest"):
        tegula.torch.silu_mul_quantize(half, half, E4M3, "nearest")


def test_there_is_no_backward_pass(device: Any) -> None:
    x = torch.ones(4, 64, requires_grad=True)
    codes, scales = tegula.torch.silu_mul_quantize(x, x, E4M3)
    with pytest.raises(RuntimeError, match="autograd|grad"):
        scales.sum().backward()
