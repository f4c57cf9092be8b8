"""Overriding aten::mm and aten::addmm in eager mode, with the original as the fallback."""

from __future__ import annotations

import pytest
import torch

import tegula
import tegula.torch
from tegula import runtime


def test_linear_layers_run_on_tegula_and_go_back_afterwards() -> None:
    layer = torch.nn.Linear(40, 24).to(torch.bfloat16)
    plain = torch.nn.Linear(40, 24, bias=False).to(torch.bfloat16)
    x = torch.randn(8, 40).to(torch.bfloat16)
    expected = layer(x), plain(x)
    with tegula.torch.enable(on="sim:gfx950"):
        found = layer(x), plain(x)
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=2**-6, atol=2**-6)
    assert tegula.torch.report().launches("mm") == 2
    layer(x)
    assert tegula.torch.report().launches() == 2


def test_what_is_not_eligible_falls_back_and_says_why() -> None:
    x = torch.randn(4, 4).double()
    half = x.half()
    with tegula.torch.enable(on="sim:gfx950"):
        assert torch.equal(torch.mm(x, x), x @ x)
        torch.addmm(half, half, half)
        torch.addmm(half[0], half, half, beta=0.5)
    report = tegula.torch.report()
    assert report.launches() == 0 and report.fallbacks("mm") == 2 and report.fallbacks("addmm") == 2
    for reason in ("float64", "not a row vector", "beta or alpha"):
        assert reason in str(report)


def test_without_a_device_everything_falls_back() -> None:
    half = torch.randn(4, 4).half()
    with tegula.torch.enable():
        torch.mm(half, half)
    assert "no simulated device is selected" in str(tegula.torch.report())


def test_training_step_uses_it_in_both_directions() -> None:
    layer = torch.nn.Linear(16, 8, bias=False).to(torch.bfloat16)
    x = torch.randn(4, 16).to(torch.bfloat16)
    with tegula.torch.enable(on="sim:gfx950"):
        layer(x).sum().backward()
    assert tegula.torch.report().launches("mm") == 2  # the product, and the weight's gradient
    assert layer.weight.grad is not None


def test_one_operation_may_be_named() -> None:
    with tegula.torch.enable("mm", on="sim:gfx950"):
        a = torch.ones(4, 4).half()
        torch.mm(a, a)
        torch.addmm(a[0], a, a)
    report = tegula.torch.report()
    assert report.launches() == 1 and report.fallbacks() == 0


@pytest.mark.parametrize("first", [0, 1])
def test_handles_may_be_disabled_in_any_order(first: int) -> None:
    half, double = torch.ones(4, 4).half(), torch.ones(4, 4).double()
    handles = [tegula.torch.enable(on=name) for name in ("sim:gfx942", "sim:gfx950")]
    handles[first].disable()
    assert torch.equal(double @ double, 4 * double)  # falls through both
    assert torch.equal(half @ half, 4 * half)
    assert tegula.torch.report().launches() == 1
    handles[1 - first].disable()
    assert torch.equal(half @ half, 4 * half)
    assert tegula.torch.report().launches() == 1
    assert runtime.default_device_name() is None


def test_an_unknown_operation_is_refused() -> None:
    with pytest.raises(ValueError, match="bmm"):
        tegula.torch.enable(["mm", "bmm"])
