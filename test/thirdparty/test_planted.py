"""clang's kernels with one instruction changed: each kind of fault must be found, and where.

Waits and wait states that are taken away are in test_mutations.py, kernels written for the purpose
in test/unit/sim/sanitize.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tegula
import tegula.sim
from test_mutations import file_offset, listing, mfma_bf16, mfma_f16, vector_add

MC = "/usr/lib/llvm-22/bin/llvm-mc"
RNG = np.random.default_rng(12)
Run = Callable[[Any], object]
NOTHING = ("s_nop 0", "s_nop 0")


def assembled(target: str, *text: str) -> bytes:
    """The instructions' bytes."""
    command = [MC, "-arch=amdgcn", f"-mcpu={target}", "-show-encoding"]
    done = subprocess.run(
        command, input="\n".join(text), capture_output=True, text=True, check=True
    )
    return bytes(
        int(b, 16)
        for line in re.findall(r"encoding: \[(.*?)\]", done.stdout)
        for b in line.split(",")
    )


@dataclass(frozen=True)
class Plant:
    """In ``kernel``, the ``which``-th instruction that matches becomes ``text`` (of the match)."""

    kind: str
    kernel: str
    pattern: str
    text: Callable[[re.Match[str]], tuple[str, ...]]
    which: int = 0
    here: bool = True  # the report is about the changed instruction

    def __str__(self) -> str:
        return f"{self.kind}-{self.kernel}-{self.which}-{self.pattern[:12]}"

    def apply(self, target: str, code: bytes) -> tuple[int, bytes]:
        """(offset in .text of the instruction, changed code object)."""
        text, rows = listing(code, self.kernel)
        found = [(address, m) for address, line in rows if (m := re.match(self.pattern, line))]
        address, match = found[self.which]
        end = next(a for a, _ in rows if a > address)
        last = max(a for a, line in rows if line == "s_endpgm")
        words = [w.replace("END", str((last - address - 4) // 4)) for w in self.text(match)]
        new = assembled(target, *words)
        new += assembled(target, "s_nop 0") * ((end - address - len(new)) // 4)
        assert len(new) == end - address, (match[0], self.text(match))
        at = file_offset(code, text) + address - text
        return address - text, code[:at] + new + code[at + len(new) :]


def appended(text: str) -> Callable[[re.Match[str]], tuple[str, ...]]:
    """With the offset ``text`` instead of the one that it has."""

    def change(m: re.Match[str]) -> tuple[str, ...]:
        words, caches = re.split(r"((?: sc0| sc1| nt)*)$", re.sub(r" offset:\d+", "", m[0]))[:2]
        return (f"{words} {text}{caches}",)

    return change


def wider(m: re.Match[str]) -> tuple[str, ...]:
    """A store that overwrites the next lane's bytes too."""
    return (m[0].replace("dword ", "dwordx2 ").replace(" v1,", " v[0:1],"),)


def replaced(*text: str) -> Callable[[re.Match[str]], tuple[str, ...]]:
    return lambda m: text


def block_sum(kernel: Any) -> object:
    x = RNG.integers(1, 9, 1000).astype(np.float32)
    return kernel.launch(4, 256, np.zeros(4, np.float32), x, np.int32(1000))


def lds_histogram(kernel: Any) -> object:
    x = RNG.integers(0, 64, 400).astype(np.int32)  # the last wave has nothing to count
    return kernel.launch(2, 256, np.zeros(64, np.int32), x, np.int32(400))


def histogram(kernel: Any) -> object:
    x = RNG.integers(0, 64, 500).astype(np.int32)
    return kernel.launch(2, 256, np.zeros(64, np.int32), x, np.int32(500))


def transpose(kernel: Any) -> object:
    x = RNG.integers(1, 999, (64, 64)).astype(np.int16)
    return kernel.launch(4, 256, np.zeros_like(x), x, np.int32(64), np.int32(64))


def last_sum(kernel: Any) -> object:
    x = np.arange(1024, dtype=np.int32)
    parts, count = np.zeros(1024, np.int32), np.zeros(64, np.int32)
    out = np.zeros(256, np.int32)
    return kernel.launch(4, 256, out, parts, count, x, np.int32(4))


def rotate_in_place(kernel: Any) -> object:
    x = np.arange(256, dtype=np.int32)
    return kernel.launch(1, 256, x, np.int32(70))


def hand_over(kernel: Any) -> object:
    out, value, flag = (np.zeros(64, np.int32) for _ in range(3))
    return kernel.launch(2, 64, out, value, flag)


def buffered(kernel: Any) -> object:
    return kernel.launch(1, 64, np.zeros(64, np.int32), np.arange(64, dtype=np.int32))


def private_array(kernel: Any) -> object:
    return kernel.launch(1, 64, np.zeros(64, np.int32), np.arange(64, dtype=np.int32))


def read_backwards(kernel: Any) -> object:
    x, out = np.arange(128, dtype=np.int32), np.zeros(64, np.int32)
    return kernel.launch(1, 64, out, x.ctypes.data + x.nbytes, np.int32(3), memory=[x])


def write_backwards(kernel: Any) -> object:
    x = np.zeros(128, np.int32)
    end = x.ctypes.data + x.nbytes
    return kernel.launch(1, 64, end, np.arange(64, dtype=np.int32), np.int32(3), memory=[x])


def written_then_read(kernel: Any) -> object:
    return kernel.launch(1, 64, np.zeros(64, np.int32), np.zeros(64, np.int32))


def copy(kernel: Any) -> object:
    x = np.arange(64, dtype=np.int32)
    x.flags.writeable = False
    return kernel.launch(1, 64, np.zeros(64, np.int32), x)


RUNS: dict[str, Run] = {
    run.__name__: run
    for run in (
        block_sum, lds_histogram, histogram, transpose, last_sum, rotate_in_place, hand_over,
        buffered, private_array, read_backwards, write_backwards, written_then_read, copy,
        vector_add, mfma_f16, mfma_bf16,
    )
} | {"add_backwards": write_backwards}  # fmt: skip

LOAD, STORE = r"global_load_dword v\d+, v\[.*", r"global_store_dword v\[.*"
PLANTS = [
    Plant("out-of-bounds", "vector_add", LOAD, appended("offset:4092"), 0),
    Plant("out-of-bounds", "vector_add", LOAD, appended("offset:4092"), 1),
    Plant("out-of-bounds", "vector_add", STORE, appended("offset:-4")),
    Plant("lds-out-of-bounds", "block_sum", "ds_write_b32.*", appended("offset:1024")),
    Plant("lds-out-of-bounds", "lds_histogram", "ds_add_u32.*", appended("offset:65280")),
    Plant("lds-out-of-bounds", "transpose", "ds_read_u16.*", appended("offset:2048")),
    *(
        Plant(
            "scratch-out-of-bounds",
            "private_array",
            "scratch_(store|load)_.*",
            appended("offset:4095"),
            n,
        )
        for n in range(3)
    ),
    Plant("uninitialised", "block_sum", "ds_write_b32.*", replaced(*NOTHING), here=False),
    Plant("uninitialised", "transpose", "ds_write_b16.*", replaced(*NOTHING), here=False),
    Plant(
        "uninitialised",
        "copy",
        "v_lshlrev_b32_e32 v0, 2, v0",
        replaced("v_mov_b32 v0, v3"),
        here=False,
    ),
    Plant("lds-race", "block_sum", "s_barrier", replaced("s_nop 0"), 0, here=False),
    Plant("lds-race", "transpose", "s_barrier", replaced("s_nop 0"), here=False),
    Plant("lds-race", "lds_histogram", "s_barrier", replaced("s_nop 0"), 1, here=False),
    Plant("lds-race", "last_sum", "s_barrier", replaced("s_nop 0"), 1, here=False),
    Plant("global-race", "last_sum", "s_barrier", replaced("s_nop 0"), 0, here=False),
    Plant("global-race", "last_sum", STORE, wider, here=False),
    Plant("global-race", "rotate_in_place", "s_barrier", replaced("s_nop 0"), here=False),
    Plant(
        "global-race",
        "hand_over",
        "global_store_dword v0, v1, .* sc1",
        lambda m: (m[0][:-4],),
        here=False,
    ),
    Plant(
        "deadlock", "hand_over", "global_store_dword v0, v1, .* sc1", replaced(*NOTHING), here=False
    ),
    Plant("deadlock", "hand_over", "v_mov_b32_e32 v1, 7", replaced("v_mov_b32 v1, 6"), here=False),
    Plant(
        "deadlock",
        "hand_over",
        "global_load_dword v2, v1, .* sc1",
        appended("offset:64"),
        here=False,
    ),
    *(
        Plant("misaligned", k, p, appended(f"offset:{n}"))
        for k, p, n in (
            ("histogram", "global_atomic_add .*", 2),
            ("lds_histogram", "ds_add_u32.*", 1),
            ("lds_histogram", "global_atomic_add .*", 3),
            ("add_backwards", "global_atomic_add .*", -2),
        )
    ),  # fmt: skip
    Plant(
        "exec-masked",
        "mfma_f16",
        r"s_waitcnt vmcnt\(0\)",
        replaced("s_mov_b64 exec, 1"),
        here=False,
    ),
    Plant(
        "exec-masked",
        "mfma_f16",
        r"s_waitcnt vmcnt\(0\)",
        replaced("s_mov_b64 exec, 0"),
        here=False,
    ),
    Plant(
        "exec-masked",
        "mfma_bf16",
        r"s_waitcnt vmcnt\(0\)",
        replaced("s_mov_b32 exec_hi, 0"),
        here=False,
    ),
    *(
        Plant(
            "descriptor",
            "buffered",
            "s_mov_b32 (s.*), 0x27000",
            lambda m, w=w: (f"s_mov_b32 {m[1]}, {w:#x}",),
            here=False,
        )
        for w in (0x40027000, 0x80027000, 0x1)
    ),  # fmt: skip
    *(
        Plant(
            "address-overflow",
            k,
            r"v_ashrrev_i32_e32 (v\d+), 31, .*",
            lambda m: (f"v_mov_b32 {m[1]}, 0",),
            here=False,
        )
        for k in ("read_backwards", "write_backwards", "add_backwards")
    ),  # fmt: skip
    *(
        Plant(
            "stale-scalar",
            "written_then_read",
            r"global_load_dword v1, v1, (s\[.*\])",
            lambda m, w=w, r=r: (f"s_load_dword{w} {r}, {m[1]}, 0x8",),
        )
        for w, r in (("", "s20"), ("x2", "s[20:21]"), ("x4", "s[20:23]"))
    ),  # fmt: skip
    *(
        Plant("read-only", "copy", r"global_store_dword v0, v1, s\[0:1\]", replaced(text))
        for text in (
            "global_store_dword v0, v1, s[2:3]",
            "global_store_byte v0, v1, s[2:3]",
            "global_atomic_add v0, v1, s[2:3]",
        )
    ),  # fmt: skip
    *(
        Plant(
            "barrier-divergence",
            k,
            "s_cbranch_execz .*",
            replaced("s_cbranch_execz END"),
            n,
            here=False,
        )
        for k, n in (("lds_histogram", 0), ("block_sum", 1), ("last_sum", 0), ("block_sum", 2))
    ),  # fmt: skip
]

# use-before-wait and wait-states are planted in test_mutations.py, use-after-free below.
KINDS = {
    "address-overflow", "barrier-divergence", "deadlock", "descriptor", "exec-masked",
    "global-race", "lds-out-of-bounds", "lds-race", "misaligned", "out-of-bounds", "read-only",
    "scratch-out-of-bounds", "stale-scalar", "uninitialised",
}  # fmt: skip


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """planted.cl as one code object a target."""
    objects = {}
    for target in ("gfx942", "gfx950"):
        output = tmp_path_factory.mktemp("planted") / f"{target}.co"
        source = Path(__file__).parent / "planted.cl"
        flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}"]
        command = [
            "clang-22",
            *flags,
            "-nogpulib",
            "-O2",
            "-g",
            "-w",
            str(source),
            "-o",
            str(output),
        ]
        subprocess.run(command, check=True)
        objects[target] = output.read_bytes()
    return objects


def findings(device: tegula.sim.Device, code: bytes, kernel: str) -> tuple[tegula.sim.Finding, ...]:
    try:
        run: Any = RUNS[kernel](device.load(code)[kernel])
    except (tegula.SanitizerReport, tegula.LaunchError) as report:
        return tuple(report.findings)
    return tuple(run.findings) if run else ()


def test_every_kind_is_planted() -> None:
    kinds = Counter(p.kind for p in PLANTS)
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 3, kinds


@pytest.mark.parametrize("plant", PLANTS, ids=str)
def test_planted_fault_is_found(
    device: tegula.sim.Device,
    clang_objects: dict[str, bytes],
    planted: dict[str, bytes],
    plant: Plant,
) -> None:
    source = planted if f" {plant.kernel}(" in SOURCE else clang_objects
    code = source[device.target]
    assert findings(device, code, plant.kernel) == ()
    pc, mutant = plant.apply(device.target, code)
    found = [f for f in findings(device, mutant, plant.kernel) if f.kind == plant.kind]
    assert found, f"not found: {findings(device, mutant, plant.kernel)}"
    assert not plant.here or pc in [f.pc for f in found]
    assert all(f.kernel == plant.kernel and f.line and f.file.endswith(".cl") for f in found)


SOURCE = (Path(__file__).parent / "planted.cl").read_text()


def test_freed_memory_is_found(device: tegula.sim.Device, clang_objects: dict[str, bytes]) -> None:
    module = device.load(clang_objects[device.target])
    x = np.ones(256, np.int32)
    for kernel, freed_first in (("vector_add", True), ("histogram", True), ("vector_add", False)):
        address = device.malloc(1024)
        device.free(address)
        for _ in range(300 if kernel == "histogram" else 0):  # whose arguments are freed, too
            module["vector_add"].launch(1, 256, x.copy(), x, np.ones(256, np.float32), np.int32(1))
        arrays = (address, x) if freed_first else (x.copy(), address)
        if kernel == "vector_add":
            arrays += (np.ones(256, np.float32),)
        with pytest.raises(tegula.SanitizerReport) as report:
            module[kernel].launch(1, 256, *arrays, np.int32(256))
        (finding,) = report.value.findings
        assert finding.kind == "use-after-free" and address <= finding.address < address + 1024
        assert "inside freed device allocation" in finding.text
