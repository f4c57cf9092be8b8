"""torch.compile(backend="tegula"): what is rewritten, what isn't, and that code objects decide."""

from __future__ import annotations

import copy
import re
import subprocess
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

import tegula
import tegula.torch
from stages import with_code
from tegula.compiler import service

OBJDUMP = "/usr/lib/llvm-22/bin/llvm-objdump"


class Norm(torch.nn.Module):
    """RMSNorm as transformers writes it."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(size))
        self.eps = 1e-5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        x = x.to(torch.float32)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * x.to(dtype)


def model() -> torch.nn.Module:
    layers = [Norm(64), torch.nn.Linear(64, 48), torch.nn.Linear(48, 64, bias=False), Norm(64)]
    return torch.nn.Sequential(*layers).to(torch.bfloat16)


def gradients(net: torch.nn.Module, run: Any, x: torch.Tensor) -> list[torch.Tensor]:
    """Of the sum of squares of ``run``'s result: those of ``net``'s parameters, and of x."""
    x = x.detach().requires_grad_()
    net.zero_grad()
    run(x).float().square().sum().backward()
    return [p.grad.double() for p in (*net.parameters(), x) if p.grad is not None]


def check_gradients(net: torch.nn.Module, x: torch.Tensor) -> None:
    """At most 1.25 times as far from those in f32 as PyTorch's own in bf16 are."""
    ours = gradients(net, torch.compile(net, backend="tegula"), x)
    wide = copy.deepcopy(net).float()
    exact, theirs = gradients(wide, wide, x.float()), gradients(net, net, x)
    assert len(ours) == len(theirs) == len(exact)
    for found, other, right in zip(ours, theirs, exact, strict=True):
        assert (found - right).abs().max() <= 1.25 * (other - right).abs().max()


@pytest.mark.parametrize("dynamic", [True, False, None])
def test_norms_and_layers_are_rewritten(device: Any, dynamic: bool | None) -> None:
    net, x = model(), torch.randn(2, 3, 64).to(torch.bfloat16)
    with torch.inference_mode():
        found = torch.compile(net, backend="tegula", dynamic=dynamic)(x)
        torch.testing.assert_close(found, net(x), rtol=2**-5, atol=2**-5)
    report = tegula.torch.report()
    assert (report.launches("mm"), report.launches("rms_norm"), report.fallbacks()) == (2, 2, 0)


def test_the_cast_before_the_weight_is_kept(device: Any) -> None:
    """Bit for bit PyTorch's result but for the last place of rsqrt: no rounding is left out."""
    net = torch.nn.Sequential(Norm(64), Norm(64)).to(torch.bfloat16)
    x = torch.randn(40, 64).to(torch.bfloat16)
    with torch.inference_mode():
        found = torch.compile(net, backend="tegula")(x)
    assert tegula.torch.report().launches("rms_norm") == 2
    assert (found == net(x)).float().mean() > 0.98


def test_norm_of_torch(device: Any) -> None:
    net = torch.nn.RMSNorm(64, eps=1e-5, dtype=torch.bfloat16)
    x = torch.randn(5, 64).to(torch.bfloat16)
    with torch.inference_mode():
        found = torch.compile(net, backend="tegula")(x)
        torch.testing.assert_close(found, net(x), rtol=2**-6, atol=2**-6)


def test_something_that_only_resembles_a_norm_is_left_alone(device: Any) -> None:
    def cubed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return w * (x * torch.rsqrt(x.pow(3).mean(-1, keepdim=True).abs() + 1e-5))

    def other_row(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return w * (x * torch.rsqrt(x.flip(0).pow(2).mean(-1, keepdim=True) + 1e-5))

    def columns(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return w * (x * torch.rsqrt(x.pow(2).mean(0, keepdim=True) + 1e-5))

    def scaled_eps(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        variance = x.pow(2).mean(-1, keepdim=True)
        return w * (x * torch.rsqrt(torch.add(variance, 0.5, alpha=4)))

    def in_double(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        variance = x.pow(2).mean(-1, keepdim=True, dtype=torch.float64).float()
        return w * (x * torch.rsqrt(variance + 1e-5))

    x, w = torch.randn(4, 64), torch.randn(64)
    for function in (cubed, other_row, columns, scaled_eps, in_double):
        found = torch.compile(function, backend="tegula")(x, w)
        torch.testing.assert_close(found, function(x, w))
    assert tegula.torch.report().launches() == 0


def test_strides_of_a_result_are_what_the_graph_expects(device: Any) -> None:
    def norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))

    def strided(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return norm(x, w).as_strided((4, 64), (1, 4))

    def viewed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return norm(x, w).t().view(-1)

    x, w = torch.randn(64, 4).t(), torch.randn(64)
    with torch.inference_mode():
        for function in (strided, viewed):
            found = torch.compile(function, backend="tegula")(x, w)
            torch.testing.assert_close(found, function(x, w))
    assert "not contiguous" in str(tegula.torch.report())


def test_training_through_the_backend(device: Any) -> None:
    check_gradients(model(), torch.randn(3, 64).to(torch.bfloat16))
    assert tegula.torch.report().launches("mm") >= 5


def test_a_graph_takes_the_device_of_each_call() -> None:
    """Compiled outside any device, then run on two and on none: nothing is decided for good."""
    net, x = model(), torch.randn(3, 64).to(torch.bfloat16)
    compiled = torch.compile(net, backend="tegula")
    right = net(x)
    with torch.inference_mode():
        for name in (None, "sim:gfx950", "sim:gfx942", None):
            tegula.torch.reset_report()
            with tegula.device(name) if name else nullcontext() as device:
                before = device.counters()["launches"] if device else 0
                found = compiled(x)
                launches = device.counters()["launches"] - before if device else 0
            torch.testing.assert_close(found, right, rtol=2**-5, atol=2**-5)
            report = tegula.torch.report()
            assert (report.launches(), report.fallbacks()) == ((4, 0) if name else (0, 4))
            assert launches == report.launches()
            assert name or "no simulated device" in str(report)


def test_backward_outside_the_block_of_the_device() -> None:
    net, x = model(), torch.randn(3, 64).to(torch.bfloat16)
    with tegula.device("sim:gfx950"):
        loss = torch.compile(net, backend="tegula")(x).float().square().sum()
    loss.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())


def test_norms_of_torch_are_taken_in_training(device: Any) -> None:
    net = torch.nn.RMSNorm(64, dtype=torch.bfloat16)
    with torch.no_grad():
        net.weight.copy_(torch.randn(64))
    check_gradients(net, torch.randn(5, 64).to(torch.bfloat16))
    assert tegula.torch.report().launches("rms_norm") == 1


@pytest.mark.parametrize(
    ("net", "words"),
    [
        (torch.nn.RMSNorm((2, 64), elementwise_affine=False), "several axes"),
        (torch.nn.RMSNorm((2, 64), dtype=torch.float32), "weight is not a vector"),
    ],
)
def test_norms_that_stay_say_why(device: Any, net: torch.nn.Module, words: str) -> None:
    x = torch.randn(5, 2, 64)
    found = torch.compile(net, backend="tegula")(x)
    torch.testing.assert_close(found, net(x))
    report = tegula.torch.report()
    assert report.launches() == 0 and report.fallbacks("rms_norm") >= 1
    assert words in str(report)


def test_a_norm_taken_apart_for_training_says_why(device: Any) -> None:
    net = Norm(64).to(torch.bfloat16)
    torch.compile(net, backend="tegula")(torch.randn(5, 64).to(torch.bfloat16)).sum().backward()
    assert "kept for the backward pass" in str(tegula.torch.report())


def test_options_are_refused_by_name(device: Any) -> None:
    with pytest.raises(Exception, match="takes no mode or options"):
        torch.compile(model(), backend="tegula", options={"fast": True})(
            torch.randn(3, 64).to(torch.bfloat16)
        )


def test_a_reason_is_counted_for_what_stays(device: Any) -> None:
    net = torch.nn.Linear(8, 8).double()
    torch.compile(net, backend="tegula")(torch.randn(2, 8).double())
    assert tegula.torch.report().fallbacks("addmm") == 1
    assert "float64" in str(tegula.torch.report())


def test_broadcast_bias_and_weight_stay(device: Any) -> None:
    """A bias or a weight of one element is ATen's broadcast, not a row."""

    def product(x: torch.Tensor, one: torch.Tensor) -> torch.Tensor:
        return torch.addmm(one, x, x)

    def norm(x: torch.Tensor, one: torch.Tensor) -> torch.Tensor:
        return one * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))

    half = torch.randn(8, 8).half()
    found = torch.compile(product, backend="tegula")(half, half[0, :1])
    torch.testing.assert_close(found, product(half, half[0, :1]), rtol=2**-8, atol=2**-8)
    x, one = torch.randn(4, 64), torch.randn(1)
    torch.testing.assert_close(torch.compile(norm, backend="tegula")(x, one), norm(x, one))
    report = tegula.torch.report()
    assert report.launches() == 0 and report.fallbacks() == 2


def without_first_mfma(code: bytes, folder: Path) -> bytes:
    """The code object with its first matrix instruction replaced by two s_nop."""
    path = folder / "kernel.co"
    path.write_bytes(code)
    listing = subprocess.run([OBJDUMP, "-d", str(path)], capture_output=True, text=True, check=True)
    words = re.search(r"v_mfma.*// [0-9A-F]+: ([0-9A-F]{8}) ([0-9A-F]{8})", listing.stdout)
    assert words is not None
    old = b"".join(int(word, 16).to_bytes(4, "little") for word in words.groups())
    assert code.count(old) >= 1
    return code.replace(old, (0xBF800000).to_bytes(4, "little") * 2, 1)


def test_a_corrupted_code_object_changes_the_result(
    device: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, x = model(), torch.randn(7, 64).to(torch.bfloat16)
    with torch.inference_mode():
        right = torch.compile(net, backend="tegula")(x)
        original = service.compile_module

        def corrupted(*request: Any) -> Any:
            compiled = original(*request)
            if compiled.kernel != "gemm":
                return compiled
            code = without_first_mfma(compiled.code_object, tmp_path)
            return with_code(compiled, code)

        monkeypatch.setattr(service, "compile_module", corrupted)
        monkeypatch.setattr(tegula.kernels.gemm, "_launches", {})
        monkeypatch.setattr(tegula.kernels.gemm, "_warm", {})
        torch._dynamo.reset()
        wrong = torch.compile(net, backend="tegula")(x)
    assert not torch.equal(right, wrong)
