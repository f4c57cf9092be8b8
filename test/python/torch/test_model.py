"""The demo's language model: its logits are what the code objects compute."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

import tegula
import tegula.torch
from stages import with_code
from tegula import demo
from tegula.runtime.devices import KernelUse

OBJDUMP = "/usr/lib/llvm-22/bin/llvm-objdump"
# Prompts of so many tokens take products of 16 and of 32 rows, each its own code object.
SHORT, LONG = 6, 20


def with_one_wrong_operand(code: bytes, folder: Path) -> bytes:
    """The code object, its first matrix instruction multiplying its second operand by itself."""
    path = folder / "kernel.co"
    path.write_bytes(code)
    listing = subprocess.run([OBJDUMP, "-d", str(path)], capture_output=True, text=True, check=True)
    words = re.search(r"v_mfma.*// [0-9A-F]+: ([0-9A-F]{8}) ([0-9A-F]{8})", listing.stdout)
    assert words is not None
    first, second = (int(word, 16) for word in words.groups())
    wrong = (second & ~0x1FF) | (second >> 9 & 0x1FF)  # source 0 := source 1
    old, new = (first.to_bytes(4, "little") + w.to_bytes(4, "little") for w in (second, wrong))
    assert old != new and old in code
    return code.replace(old, new, 1)


def corrupt(device: tegula.runtime.Device, use: KernelUse, folder: Path) -> None:
    """Load another program in place of one that the device holds."""
    code = with_one_wrong_operand(use.compiled.code_object, folder)
    replaced = device.kernel(with_code(use.compiled, code))
    device.uses[id(use.compiled)] = replaced


@pytest.fixture(scope="module")
def loaded() -> tuple[Any, Any]:
    return demo.load_model()


@pytest.fixture
def model(loaded: tuple[Any, Any]) -> Any:
    return loaded[1]


@pytest.fixture
def tokenizer(loaded: tuple[Any, Any]) -> Any:
    return loaded[0]


def test_corrupting_one_code_object_changes_the_logits(model: Any, tmp_path: Path) -> None:
    ids = torch.arange(100, 100 + LONG).reshape(1, LONG)

    def logits(tokens: int) -> torch.Tensor:
        result: torch.Tensor = model(input_ids=ids[:, :tokens]).logits
        return result

    device = tegula.runtime.Device("sim:gfx950", sanitizers=False)
    with torch.inference_mode(), tegula.torch.enable(on=device):
        right = {tokens: logits(tokens) for tokens in (SHORT, LONG)}
        assert tegula.torch.report().launches("mm") == 2 * demo.layers(model)[0]
        assert tegula.torch.report().fallbacks() == 0
        by_rows = {use.compiled.constants["BM"]: use for use in device.usage()}
        assert sorted(by_rows) == [16, 32]
        corrupt(device, by_rows[32], tmp_path)
        assert torch.equal(logits(SHORT), right[SHORT])
        wrong = logits(LONG)
    assert torch.isfinite(right[LONG]).all()
    assert not torch.equal(wrong, right[LONG])


def test_logits_are_as_near_to_float32_as_those_of_pytorch(model: Any, tokenizer: Any) -> None:
    ids = demo.encode(tokenizer, "What is the capital of France?")
    compiled = torch.compile(model, backend="tegula", dynamic=True)
    device = tegula.runtime.Device("sim:gfx950", sanitizers=False)
    with torch.inference_mode(), tegula.device(device):
        logits = compiled(input_ids=ids).logits
    assert tegula.torch.report().fallbacks() == 0
    ours, plain = demo.logit_errors(model, ids, logits)
    assert ours <= 1.1 * plain
