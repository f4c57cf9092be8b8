"""Layer norm, softmax, SiLU, rotary embedding: ops, gradients, and ATen's nodes in graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional as F

import tegula
import tegula.torch
from tegula.torch import routing

aten, own = torch.ops.aten, torch.ops.tegula
BF16, F32 = torch.bfloat16, torch.float32


def leaf(*shape: int, dtype: torch.dtype = F32) -> torch.Tensor:
    return torch.randn(*shape).to(dtype).requires_grad_()


def turn(
    x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, interleaved: bool = False
) -> torch.Tensor:
    """Rotary embedding in complex numbers."""
    count = cos.shape[-1]
    first, second = (
        (x[..., 0 : 2 * count : 2], x[..., 1 : 2 * count : 2])
        if interleaved
        else (x[..., :count], x[..., count : 2 * count])
    )
    z = torch.complex(first, second) * torch.complex(cos, sin).unsqueeze(-2)
    parts = torch.stack((z.real, z.imag), -1 if interleaved else -2).flatten(-2)
    return torch.cat((parts, x[..., 2 * count :]), -1)


ANGLE = torch.linspace(-3, 3, 7 * 8).reshape(7, 8)
COS, SIN = torch.cos(ANGLE), torch.sin(ANGLE)
#: name → (ours, PyTorch's, shapes of the tensors that have gradients)
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "layer_norm": (
        lambda x, w, b: tegula.torch.layer_norm(x, (96,), w, b),
        lambda x, w, b: F.layer_norm(x, (96,), w, b),
        ((5, 3, 96), (96,), (96,)),
    ),
    "layer_norm of two axes": (
        lambda x, w, b: tegula.torch.layer_norm(x, (3, 32), w, b, 0.1),
        lambda x, w, b: F.layer_norm(x, (3, 32), w, b, 0.1),
        ((5, 3, 32), (3, 32), (3, 32)),
    ),
    "layer_norm with a bias alone": (
        lambda x, b: tegula.torch.layer_norm(x, (96,), None, b),
        lambda x, b: F.layer_norm(x, (96,), None, b),
        ((5, 96), (96,)),
    ),
    "layer_norm without weights": (
        lambda x: tegula.torch.layer_norm(x, (96,)),
        lambda x: F.layer_norm(x, (96,)),
        ((5, 96),),
    ),
    "layer_norm of long rows": (
        lambda x, w: tegula.torch.layer_norm(x, (40_000,), w),
        lambda x, w: F.layer_norm(x, (40_000,), w),
        ((3, 40_000), (40_000,)),
    ),
    "softmax": (
        lambda x: tegula.torch.softmax(x, -1),
        lambda x: F.softmax(x, -1),
        ((4, 5, 70),),
    ),
    "softmax of the middle": (
        lambda x: tegula.torch.softmax(x, 1),
        lambda x: F.softmax(x, 1),
        ((4, 70, 5),),
    ),
    "log_softmax": (
        lambda x: tegula.torch.log_softmax(x, 0),
        lambda x: F.log_softmax(x, 0),
        ((70, 5),),
    ),
    "silu": (lambda a: tegula.torch.silu_mul(a), F.silu, ((5, 3, 70),)),
    "silu_mul": (
        lambda a, b: tegula.torch.silu_mul(a, b),
        lambda a, b: F.silu(a) * b,
        ((5, 3, 70), (5, 3, 70)),
    ),
    "silu_mul of halves": (
        lambda x: tegula.torch.silu_mul(*x.chunk(2, -1)),
        lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1],
        ((5, 140),),
    ),
    "rotary": (
        lambda x: tegula.torch.rotary(x, COS, SIN),
        lambda x: turn(x, COS.to(x), SIN.to(x)),
        ((2, 7, 3, 16),),
    ),
    "rotary of a part": (
        lambda x: tegula.torch.rotary(x, COS, SIN, interleaved=True),
        lambda x: turn(x, COS.to(x), SIN.to(x), True),
        ((2, 7, 3, 20),),
    ),
    "rotary of heads first": (
        lambda x: tegula.torch.rotary(x.transpose(1, 2), COS[None], SIN[None]),
        lambda x: turn(x.transpose(1, 2), COS.to(x), SIN.to(x)),
        ((2, 3, 7, 16),),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [F32, BF16])
def test_values_and_gradients(device: Any, name: str, dtype: torch.dtype) -> None:
    ours, theirs, shapes = CASES[name]
    inputs = [leaf(*shape, dtype=dtype) for shape in shapes]
    exact = [t.detach().double().requires_grad_() for t in inputs]
    found, right = ours(*inputs), theirs(*exact)
    bound = 2**-18 if dtype == F32 else 2**-7
    torch.testing.assert_close(found.double(), right, rtol=bound, atol=bound * 2**-1)
    grad = torch.randn_like(found)
    found.backward(grad)
    right.backward(grad.double())
    for ours_, theirs_ in zip(inputs, exact, strict=True):
        assert ours_.grad is not None and theirs_.grad is not None
        scale = max(1.0, theirs_.grad.abs().max().item())
        torch.testing.assert_close(
            ours_.grad.double(), theirs_.grad, rtol=2 * bound, atol=2 * bound * scale
        )
    assert tegula.torch.report().fallbacks() == 0


@pytest.mark.parametrize("name", CASES)
def test_forward_mode(device: Any, name: str) -> None:
    ours, theirs, shapes = CASES[name]
    values = tuple(torch.randn(*shape) for shape in shapes)
    tangents = tuple(map(torch.randn_like, values))
    found, exact = (torch.func.jvp(f, values, tangents)[1] for f in (ours, theirs))
    torch.testing.assert_close(found, exact, rtol=2**-12, atol=2**-12)


x, w = torch.randn(4, 6, 96), torch.randn(96)
heads = torch.randn(2, 7, 3, 16)
CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "layer_norm": (own.layer_norm, (x, [96], w, w, 1e-5)),
    "layer_norm_backward": (own.layer_norm_backward, (x, x, [96], x[..., :1], x[..., :1], w, None)),
    "softmax": (own.softmax, (x, 1, True, None)),
    "softmax_backward": (own.softmax_backward, (x, x, 2, False, BF16)),
    "silu_mul": (own.silu_mul, (x, x)),
    "silu": (own.silu_mul, (x,)),
    "silu_mul, rounded first": (own.silu_mul, (x, x, True)),
    "silu_mul_backward": (own.silu_mul_backward, (x, x, x)),
    "silu_backward": (own.silu_mul_backward, (x, x)),
    "rotary": (own.rotary, (heads, COS, SIN, False, 1.0)),
}


@pytest.mark.parametrize("name", CALLS)
def test_opcheck(device: Any, name: str) -> None:
    op, arguments = CALLS[name]
    trainable = "backward" not in name
    given = tuple(
        a.clone().requires_grad_(trainable) if a is x or a is w or a is heads else a
        for a in arguments
    )
    torch.library.opcheck(op.default, given)


@pytest.mark.parametrize("shape", [(0, 64), (3, 0), (2, 0, 8), (4, 3, 0)])
def test_empty_tensors(device: Any, shape: tuple[int, ...]) -> None:
    for function in (
        lambda t: tegula.torch.layer_norm(t, t.shape[-1:], torch.ones(t.shape[-1:])),
        lambda t: tegula.torch.softmax(t, -1),
        lambda t: tegula.torch.log_softmax(t, 0),
        tegula.torch.silu_mul,
    ):
        t = leaf(*shape)
        out = function(t)
        assert out.shape == shape
        out.sum().backward()
        assert t.grad is not None and t.grad.shape == shape


class Block(torch.nn.Module):
    """What ATen has a node for, and a gated product."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, b = self.norm(x).chunk(2, -1)
        gated = F.silu(a) * b
        return F.softmax(gated, -1) + F.log_softmax(F.silu(gated), 0).exp()


@pytest.mark.parametrize("dtype", [F32, BF16])
@pytest.mark.parametrize("dynamic", [True, False])
def test_nodes_of_aten_are_rewritten(device: Any, dtype: torch.dtype, dynamic: bool) -> None:
    net, x = Block().to(dtype), torch.randn(6, 64).to(dtype)
    compiled = torch.compile(net, backend="tegula", dynamic=dynamic)
    with torch.inference_mode():
        torch.testing.assert_close(compiled(x), net(x), rtol=2**-6, atol=2**-6)
    report = tegula.torch.report()
    names = ("layer_norm", "silu_mul", "softmax", "log_softmax")
    assert [report.launches(name) for name in names] == [1, 2, 1, 1]
    assert report.fallbacks() == 0


@pytest.mark.parametrize("dtype", [torch.float16, BF16])
def test_a_gated_product_rounds_as_its_graph(device: Any, dtype: torch.dtype) -> None:
    a, b = (3 * torch.randn(40, 96).to(dtype) for _ in range(2))
    with torch.inference_mode():
        found = torch.compile(lambda a, b: F.silu(a) * b, backend="tegula")(a, b)
    assert tegula.torch.report().launches("silu_mul") == 1
    assert torch.equal(found, tegula.torch.silu_mul(a) * b)
    assert torch.equal(found, tegula.torch.silu_mul(a, b, round_first=True))
    assert not torch.equal(found, tegula.torch.silu_mul(a, b))


def test_training_is_rewritten(device: Any) -> None:
    net, x = Block(), leaf(6, 64)
    torch.compile(net, backend="tegula")(x).square().sum().backward()
    ours = x.grad, net.norm.weight.grad, net.norm.bias.grad
    report = tegula.torch.report()
    names = ("layer_norm_backward", "silu_mul_backward", "softmax_backward")
    assert [report.launches(name) for name in names] == [1, 2, 2]
    assert report.fallbacks() == 0
    x.grad = net.norm.weight.grad = net.norm.bias.grad = None
    net(x).square().sum().backward()
    for found, right in zip(ours, (x.grad, net.norm.weight.grad, net.norm.bias.grad), strict=True):
        torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-4)


def test_graphs_without_a_device_run_atens_own() -> None:
    net, x = Block(), torch.randn(6, 64)
    with torch.inference_mode():
        torch.testing.assert_close(torch.compile(net, backend="tegula")(x), net(x))
    report = tegula.torch.report()
    assert (report.launches(), report.fallbacks()) == (0, 5)
    assert "no simulated device" in str(report)


def test_what_stays_says_why(device: Any) -> None:
    x = torch.randn(6, 64, dtype=BF16)
    found = torch.compile(lambda x: F.softmax(x.double(), -1), backend="tegula")(x)
    torch.testing.assert_close(found, F.softmax(x.double(), -1))
    found = torch.compile(lambda x: F.silu(x.double()) * x, backend="tegula")(x)
    torch.testing.assert_close(found, F.silu(x.double()) * x)
    found = torch.compile(lambda x: F.layer_norm(x.double(), (64,)), backend="tegula")(x)
    torch.testing.assert_close(found, F.layer_norm(x.double(), (64,)))
    report = tegula.torch.report()
    assert report.launches() == 0
    for name in ("softmax", "silu_mul", "layer_norm"):
        assert report.fallbacks(name) == 1
    assert str(report).count("float64") == 3


EAGER = ["native_layer_norm", "_softmax", "_log_softmax", "silu"]


def test_overrides_in_eager_mode() -> None:
    net, x = Block(), torch.randn(6, 64)
    right = net(x)
    with tegula.torch.enable(EAGER, on="sim:gfx942"), torch.no_grad():
        found = net(x)
    torch.testing.assert_close(found, right, rtol=1e-5, atol=1e-5)
    assert tegula.torch.report().launches() == 5 and tegula.torch.report().fallbacks() == 0


def test_fused_norms_of_aten_have_routes(device: Any) -> None:
    """On GPUs graphs hold these nodes; ATen's CPU build takes them apart before."""
    x, w, dy = torch.randn(5, 96), torch.randn(96), torch.randn(5, 96)
    forward = routing.ROUTES[aten._fused_rms_norm.default]
    for weight, eps in ((w, 1e-5), (None, None)):
        assert forward.reason(x, [96], weight, eps) is None
        found, right = (f(x, [96], weight, eps) for f in (forward.tegula, forward.plain))
        torch.testing.assert_close(found, right, rtol=1e-5, atol=1e-5)
    backward = routing.ROUTES[aten._fused_rms_norm_backward.default]
    arguments = (dy, x, [96], right[1], w, [True, False])
    assert backward.reason(*arguments) is None
    dx, dw = backward.tegula(*arguments)
    leaf_x = x.clone().requires_grad_()
    F.rms_norm(leaf_x, (96,), w).backward(dy)
    torch.testing.assert_close(dx, leaf_x.grad, rtol=1e-4, atol=1e-4)
    assert dw is None
    assert forward.reason(x, [5, 96], None, None) == "several axes are normalised"


half = torch.ones(8, 8, dtype=BF16)
four = torch.ones(2, 7, 3, 16)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tegula.torch.layer_norm(half, (7,)), "not that of the last axes"),
        (lambda: tegula.torch.layer_norm(half, ()), "not that of the last axes"),
        (lambda: tegula.torch.layer_norm(half, (8,), half[0].half()), "neither"),
        (lambda: tegula.torch.layer_norm(half, (8,), half[0], half[0].float()), "neither"),
        (lambda: tegula.torch.layer_norm(half, (8,), half), "not of the normalised shape"),
        (lambda: tegula.torch.layer_norm(half.double(), (8,)), "float64"),
        (lambda: tegula.torch.softmax(half, 2), "no axis 2"),
        (lambda: tegula.torch.softmax(half[0, 0], 0), "no axis 0"),
        (lambda: tegula.torch.softmax(half, 0, torch.float64), "float64"),
        (lambda: tegula.torch.log_softmax(half.int(), 0), "int32"),
        (lambda: tegula.torch.softmax_backward(half, half[:7], 0, False, BF16), "shapes differ"),
        (lambda: tegula.torch.silu_mul(half, half[0]), "shapes differ"),
        (lambda: tegula.torch.silu_mul(half, half.float()), "dtypes differ"),
        (lambda: tegula.torch.silu_mul_backward(half, half.int()), "int32"),
        (lambda: tegula.torch.rotary(four, COS, SIN[:6]), "cos and sin differ"),
        (lambda: tegula.torch.rotary(four[0], COS, SIN), "batch, position, head"),
        (lambda: tegula.torch.rotary(four[:, :6], COS, SIN), "batch and positions"),
        (lambda: tegula.torch.rotary(four[..., :15], COS, SIN), "8 pairs do not fit"),
        (lambda: tegula.torch.rotary(four.double(), COS, SIN), "dtypes"),
    ],
)
def test_what_is_not_taken(device: Any, call: Any, words: str) -> None:
    with pytest.raises(tegula.ArgumentError, match=words):
        call()


def test_angles_have_no_gradient(device: Any) -> None:
    with pytest.raises(NotImplementedError, match="cos and sin"):
        tegula.torch.rotary(four, COS.clone().requires_grad_(), SIN).sum().backward()
