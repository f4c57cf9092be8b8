"""The custom ops: values, fake kernels, gradients, and what they refuse."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd import forward_ad

import tegula
import tegula.torch


def matrices(dtype: torch.dtype = torch.bfloat16) -> tuple[torch.Tensor, ...]:
    return (
        torch.randn(33, 40).to(dtype).requires_grad_(),
        torch.randn(40, 17).to(dtype).requires_grad_(),
        torch.randn(17).to(dtype).requires_grad_(),
    )


BOUND = {torch.bfloat16: 2**-7, torch.float16: 2**-7, torch.float32: 2**-17}


@pytest.mark.parametrize("dtype", BOUND)
def test_mm(device: tegula.runtime.Device, dtype: torch.dtype) -> None:
    a, b, bias = matrices(dtype)
    exact, bound = a.double() @ b.double() + bias.double(), BOUND[dtype]
    torch.testing.assert_close(tegula.torch.mm(a, b, bias).double(), exact, rtol=bound, atol=bound)
    assert tegula.torch.report().launches("mm") == 1


@pytest.mark.parametrize(
    "op", [tegula.torch.mm, tegula.torch.rms_norm, tegula.torch.torchao.mxfp8_quantize_3d]
)
def test_help_shows_what_an_op_takes(op: Any) -> None:
    text = pydoc.render_doc(op, renderer=pydoc.plaintext)
    assert op.__name__ in text and op.__doc__.splitlines()[0] in text
    schema = getattr(torch.ops.tegula, op.__name__).default._schema
    assert [*inspect.signature(op).parameters] == [argument.name for argument in schema.arguments]


def test_columns_of_a_report_are_as_wide_as_their_names(device: tegula.runtime.Device) -> None:
    tegula.torch.mm(torch.ones(4, 4), torch.ones(4, 4))
    tegula.torch.torchao.mxfp8_quantize_2d_1x32(torch.ones(4, 32))
    head, *rows = str(tegula.torch.report()).splitlines()
    assert {row.index(" tegula ") for row in rows} == {head.index(" ran on ")}


def test_mm_passes_opcheck(device: tegula.runtime.Device) -> None:
    a, b, bias = matrices()
    torch.library.opcheck(torch.ops.tegula.mm.default, (a, b, bias))
    torch.library.opcheck(torch.ops.tegula.mm.default, (a, b))


def test_rms_norm_passes_opcheck(device: tegula.runtime.Device) -> None:
    x, w = torch.randn(4, 96, requires_grad=True), torch.randn(96, requires_grad=True)
    torch.library.opcheck(torch.ops.tegula.rms_norm.default, (x, w, 1e-5))


def test_gradients_of_mm(device: tegula.runtime.Device) -> None:
    a, b, bias = matrices()
    grad = torch.randn(33, 17).to(torch.bfloat16)
    tegula.torch.mm(a, b, bias).backward(grad)
    wide = grad.double()
    for found, exact in (
        (a.grad, wide @ b.detach().double().T),
        (b.grad, a.detach().double().T @ wide),
        (bias.grad, wide.sum(0)),
    ):
        assert found is not None
        torch.testing.assert_close(found.double(), exact, rtol=2**-6, atol=2**-5)
    assert tegula.torch.report().launches("mm") == 3


@pytest.mark.parametrize("given", [(), (None,)])
def test_gradients_of_mm_without_bias(given: tuple[None, ...]) -> None:
    a, b, _ = matrices()
    with tegula.device("sim:gfx950"):
        found = tegula.torch.mm(a, b, *given)
    found.sum().backward()  # on the device of the forward pass
    assert a.grad is not None and b.grad is not None
    right = torch.ones(33, 17).double() @ b.double().T
    torch.testing.assert_close(a.grad.double(), right, rtol=2**-8, atol=2**-8)
    assert tegula.torch.report().launches("mm") == 3


def test_gradients_of_rms_norm(device: tegula.runtime.Device) -> None:
    x = torch.randn(5, 3, 64, requires_grad=True)
    w = torch.randn(64, requires_grad=True)
    grad = torch.randn(5, 3, 64)
    tegula.torch.rms_norm(x, w, 1e-5).backward(grad)
    found = (x.grad, w.grad)
    wide, weight = (t.detach().double().requires_grad_() for t in (x, w))
    torch.nn.functional.rms_norm(wide, (64,), weight, 1e-5).backward(grad.double())
    for ours, exact in zip(found, (wide.grad, weight.grad), strict=True):
        assert ours is not None and exact is not None
        torch.testing.assert_close(ours.double(), exact, rtol=1e-4, atol=1e-5)


def test_disagreeing_extents_are_refused(device: tegula.runtime.Device) -> None:
    a, b, _ = matrices()
    with pytest.raises(tegula.ArgumentError, match="extents are 40 and 39"):
        tegula.torch.mm(a.detach(), b.detach()[:39])


half = torch.ones(8, 8, dtype=torch.bfloat16)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tegula.torch.mm(half[0, 0], half), "not two matrices"),
        (lambda: tegula.torch.mm(half, half[:7]), "contracted extents are 8 and 7"),
        (lambda: tegula.torch.mm(half, half, half[0].int()), "dtypes differ"),
        (lambda: tegula.torch.mm(half.int(), half.int()), "int32 is not"),
        (lambda: tegula.torch.mm(half, half, half), "not a row vector"),
        (lambda: tegula.torch.rms_norm(half[0, 0], half[0, :1], 1e-5), "no axis"),
        (lambda: tegula.torch.rms_norm(half.double(), half[0].double(), 1e-5), "float64"),
        (lambda: tegula.torch.rms_norm(half, half, 1e-5), "not a vector"),
        (lambda: tegula.torch.rms_norm(half, half[0, :1], 1e-5), "broadcast"),
    ],
)
def test_what_an_op_does_not_take_is_an_argument_error(
    device: tegula.runtime.Device, call: Callable[[], Any], words: str
) -> None:
    with pytest.raises(tegula.ArgumentError, match=words):
        call()


def test_a_direct_call_without_a_device_raises() -> None:
    a, b, _ = matrices()
    with pytest.raises(tegula.ArgumentError, match=r"sim:gfx950"):
        tegula.torch.mm(a.detach(), b.detach())


def test_forward_mode_of_mm(device: tegula.runtime.Device) -> None:
    a, b, bias = (torch.randn(n) for n in ((33, 40), (40, 17), (17,)))
    tangents = tuple(torch.randn_like(t) for t in (a, b, bias))
    exact = tangents[0] @ b + a @ tangents[1] + tangents[2]
    out, found = torch.func.jvp(tegula.torch.mm, (a, b, bias), tangents)
    torch.testing.assert_close(out, torch.addmm(bias, a, b), rtol=2**-17, atol=2**-15)
    torch.testing.assert_close(found, exact, rtol=2**-17, atol=2**-15)
    alone = (tangents[0] @ b, a @ tangents[1], tangents[2].expand(33, 17))
    for place, exact in enumerate(alone):
        values = [a, b, bias]
        with forward_ad.dual_level():
            values[place] = forward_ad.make_dual(values[place], tangents[place])
            found = forward_ad.unpack_dual(tegula.torch.mm(*values)).tangent
        torch.testing.assert_close(found, exact, rtol=2**-17, atol=2**-15)


@pytest.mark.parametrize("round_first", [False, True])
def test_forward_mode_of_rms_norm(device: tegula.runtime.Device, round_first: bool) -> None:
    x, w = torch.randn(5, 96), torch.randn(96)
    tangents = torch.randn(5, 96), torch.randn(96)

    def ours(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return tegula.torch.rms_norm(x, w, 1e-5, round_first)

    def theirs(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.rms_norm(x, (96,), w, 1e-5)

    found, exact = (torch.func.jvp(f, (x, w), tangents) for f in (ours, theirs))
    torch.testing.assert_close(found, exact, rtol=2**-17, atol=2**-15)
    found, exact = (
        torch.func.jvp(lambda w, f=f: f(x, w), (w,), tangents[1:]) for f in (ours, theirs)
    )
    torch.testing.assert_close(found, exact, rtol=2**-17, atol=2**-15)


def test_dual_levels(device: tegula.runtime.Device) -> None:
    a, b, tangent = torch.randn(4, 8), torch.randn(8, 16), torch.randn(8, 16)
    with forward_ad.dual_level():
        out = tegula.torch.mm(a, forward_ad.make_dual(b.requires_grad_(), tangent))
        found = forward_ad.unpack_dual(out)
        torch.testing.assert_close(found.tangent, a @ tangent, rtol=2**-17, atol=2**-15)
        found.primal.sum().backward()
    torch.testing.assert_close(b.grad, a.T @ torch.ones(4, 16), rtol=2**-17, atol=2**-15)
