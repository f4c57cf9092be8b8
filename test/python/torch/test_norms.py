"""Norms as custom ops: gradients against float64 autograd, opcheck, graphs, empty tensors."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import tegula
import tegula.torch
from tegula import kernels

own = torch.ops.tegula


def leaf(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape).to(dtype).requires_grad_()


def wide(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [t.detach().double().requires_grad_() for t in tensors]


def compare(ours: list[torch.Tensor], exact: list[torch.Tensor], bound: float) -> None:
    for found, right in zip(ours, exact, strict=True):
        assert found.grad is not None and right.grad is not None
        scale = right.grad.abs().max().item()
        torch.testing.assert_close(
            found.grad.double(), right.grad, rtol=bound, atol=bound * max(scale, 1e-3)
        )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_of_add_rms_norm(device: Any, dtype: torch.dtype) -> None:
    x, residual, w = leaf(5, 3, 96, dtype=dtype), leaf(5, 3, 96, dtype=dtype), leaf(96, dtype=dtype)
    dout, dtotal = torch.randn(5, 3, 96).to(dtype), torch.randn(5, 3, 96).to(dtype)
    out, total = tegula.torch.add_rms_norm(x, residual, w, 1e-5)
    torch.autograd.backward((out, total), (dout, dtotal))
    assert torch.equal(total, x + residual)

    x64, residual64, w64 = wide(x, residual, w)
    sum64 = x64 + residual64
    norm64 = torch.nn.functional.rms_norm(sum64, (96,), w64, 1e-5)
    torch.autograd.backward((norm64, sum64), (dout.double(), dtotal.double()))
    compare([x, residual, w], [x64, residual64, w64], 2**-18 if dtype == torch.float32 else 2**-6)
    assert tegula.torch.report().launches("rms_norm_backward") == 1


def test_gradients_without_a_weight(device: Any) -> None:
    x, grad = leaf(7, 40), torch.randn(7, 40)
    tegula.torch.rms_norm(x, None, 1e-5).backward(grad)
    [x64] = wide(x)
    torch.nn.functional.rms_norm(x64, (40,), None, 1e-5).backward(grad.double())
    compare([x], [x64], 2**-18)


@pytest.mark.parametrize("length", [20_000, 40_000])
def test_gradients_of_long_rows(device: Any, length: int) -> None:
    x, w, grad = leaf(3, length), leaf(length), torch.randn(3, length)
    tegula.torch.rms_norm(x, w, 1e-5).backward(grad)
    x64, w64 = wide(x, w)
    torch.nn.functional.rms_norm(x64, (length,), w64, 1e-5).backward(grad.double())
    compare([x, w], [x64, w64], 2**-18)


def test_forward_mode_of_add_rms_norm(device: Any) -> None:
    values = torch.randn(5, 96), torch.randn(5, 96), torch.randn(96)
    tangents = tuple(map(torch.randn_like, values))

    def ours(x: torch.Tensor, residual: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tegula.torch.add_rms_norm(x, residual, w, 1e-5)

    def theirs(x: torch.Tensor, residual: torch.Tensor, w: torch.Tensor) -> Any:
        return torch.nn.functional.rms_norm(x + residual, (96,), w, 1e-5), x + residual

    for function in (0, 1):
        found, exact = (
            torch.func.jvp(lambda *a, f=f: f(*a)[function], values, tangents)
            for f in (ours, theirs)
        )
        torch.testing.assert_close(found, exact, rtol=2**-17, atol=2**-15)


def test_opcheck(device: Any) -> None:
    x, residual, w = leaf(4, 96), leaf(4, 96), leaf(96)
    for weight in (w, None):
        torch.library.opcheck(own.rms_norm.default, (x, weight, 1e-5))
        arguments = (x, residual, weight, 1e-5)
        torch.library.opcheck(own.add_rms_norm.default, arguments)
    dy, rstd = torch.randn(4, 96), torch.rand(4, 1)
    arguments = (dy, x.detach(), rstd, w.detach(), residual.detach())
    torch.library.opcheck(own.rms_norm_backward.default, arguments)


@pytest.mark.parametrize("shape", [(0, 64), (3, 0), (2, 0, 8)])
def test_empty_tensors(device: Any, shape: tuple[int, ...]) -> None:
    x, w = leaf(*shape), leaf(shape[-1])
    out = tegula.torch.rms_norm(x, w, 1e-5)
    assert out.shape == shape
    out.sum().backward()
    assert x.grad is not None and x.grad.shape == shape
    assert w.grad is not None and torch.equal(w.grad, torch.zeros(shape[-1]))


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.transpose(0, 1),
        lambda t: t[:, 1:2].expand(-1, 4, -1),
        lambda t: t[..., 3:],
        lambda t: t.flip(0),
    ],
)
def test_views(device: Any, view: Any) -> None:
    x = view(torch.randn(6, 4, 67)).requires_grad_()
    w, grad = leaf(x.shape[-1]), view(torch.randn(6, 4, 67))
    out = tegula.torch.rms_norm(x, w, 1e-5)
    out.backward(grad)
    x64, w64 = wide(x, w)
    right = torch.nn.functional.rms_norm(x64, (x.shape[-1],), w64, 1e-5)
    right.backward(grad.double())
    torch.testing.assert_close(out.double(), right, rtol=2**-20, atol=2**-20)
    compare([x, w], [x64, w64], 2**-18)


def test_the_backward_pass_of_a_graph_is_routed(device: Any) -> None:
    net = torch.nn.Sequential(*[torch.nn.RMSNorm(64, elementwise_affine=n == 0) for n in range(2)])
    x = leaf(5, 64)
    torch.compile(net, backend="tegula")(x).square().sum().backward()
    report = tegula.torch.report()
    launches = report.launches("rms_norm"), report.launches("rms_norm_backward")
    assert (*launches, report.fallbacks()) == (2, 2, 0)
    found, x.grad = x.grad, None
    net(x).square().sum().backward()
    torch.testing.assert_close(found, x.grad, rtol=1e-4, atol=1e-4)


def test_a_graph_without_a_device_runs_plain_pytorch() -> None:
    net, x = torch.nn.RMSNorm(64, dtype=torch.bfloat16), leaf(5, 64, dtype=torch.bfloat16)
    torch.compile(net, backend="tegula")(x).float().square().sum().backward()
    report = tegula.torch.report()
    fallbacks = report.fallbacks("rms_norm"), report.fallbacks("rms_norm_backward")
    assert (*fallbacks, report.launches()) == (1, 1, 0)
    found, x.grad = x.grad, None
    net(x).float().square().sum().backward()
    assert found is not None and x.grad is not None
    torch.testing.assert_close(found, x.grad, rtol=2**-5, atol=2**-5)


def test_epsilon_left_out_is_that_of_f32(device: Any) -> None:
    """As in ATen, whatever the type of x."""
    x = 1e-3 * torch.randn(4, 64).to(torch.bfloat16)
    net = torch.nn.RMSNorm(64, dtype=torch.bfloat16)
    with torch.inference_mode():
        found = torch.compile(net, backend="tegula")(x)
        torch.testing.assert_close(found, net(x), rtol=2**-6, atol=2**-6)
    assert tegula.torch.report().launches("rms_norm") == 1


def test_the_gradient_of_the_weight_has_the_same_bits_whatever_the_threads() -> None:
    x, w, grad = torch.randn(200, 300), torch.ones(300), torch.randn(200, 300)
    rstd, found = torch.rand(200, 1), []
    for threads in (1, 3, 3):
        with tegula.device("sim:gfx942", threads=threads), tegula.deterministic():
            found.append(tegula.torch.rms_norm_backward(grad, x, rstd, w)[1])
    assert torch.equal(found[0], found[1]) and torch.equal(found[0], found[2])


half = torch.ones(8, 8, dtype=torch.bfloat16)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tegula.torch.add_rms_norm(half, half[:7], half[0], 1e-5), "shapes differ"),
        (lambda: tegula.torch.add_rms_norm(half, half.float(), half[0], 1e-5), "dtypes differ"),
        (lambda: tegula.torch.add_rms_norm(half, half, half[0, :7], 1e-5), "broadcast"),
        (lambda: tegula.torch.rms_norm_backward(half[:7], half, half, half[0]), "shapes differ"),
        (lambda: tegula.torch.rms_norm_backward(half.int(), half.int(), half, None), "int32"),
    ],
)
def test_what_is_not_taken(device: Any, call: Any, words: str) -> None:
    with pytest.raises(tegula.ArgumentError, match=words):
        call()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"w": torch.ones(63)}, "N = 6"),
        ({"rstd": torch.ones(5, 1)}, "R = "),
        ({"rstd": torch.ones(4)}, "rank|axes"),
        ({"part": torch.ones(2, 65)}, "N = 6"),
    ],
)
def test_extents_of_the_kernel_must_agree(device: Any, arguments: Any, words: str) -> None:
    x = torch.ones(4, 64)
    right = dict(w=x[0], rstd=torch.ones(4, 1), part=torch.ones(2, 64))
    given = {**right, **arguments}
    with pytest.raises(tegula.ArgumentError, match=words):
        kernels.norm_backward(
            x, x, given["rstd"], torch.empty(4, 64), given["part"], given["w"], BN=64
        )
