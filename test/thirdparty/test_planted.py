"""clang's kernels with one instruction changed: each kind of fault is found, and told where.

Triton's are in test_planted_triton.py, kernels written for the purpose in test/unit/sim/sanitize.
test_mutations.py takes every wait and wait state of some kernels away.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula.sim
from planting import (
    FREED,
    HERE,
    Case,
    Change,
    Listing,
    Plant,
    Spot,
    appended,
    check,
    dropped,
    findings,
    replaced,
    unawaited,
)

RNG = np.random.default_rng(12)
ALL = tuple(range(64))
FIRST = {"workgroup": (0, 0, 0), "wave": 0}


def zeros(*shape: int, kind: Any = np.int32) -> np.ndarray:
    return np.zeros(shape, kind)


def counting(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.int32)


# --- How the kernels are launched; arguments have the source's names ------------------------------


def vector_add() -> Case:
    a, b = RNG.standard_normal((2, 1000)).astype(np.float32)
    return Case(4, 256, {"out": zeros(1000, kind=np.float32), "a": a, "b": b, "n": np.int32(1000)})


def block_sum() -> Case:
    x = RNG.integers(1, 9, 1000).astype(np.float32)
    return Case(4, 256, {"out": zeros(4, kind=np.float32), "x": x, "n": np.int32(1000)})


def lds_histogram() -> Case:
    x = RNG.integers(0, 64, 400).astype(np.int32)  # the last wave has nothing to count
    return Case(2, 256, {"bins": zeros(64), "x": x, "n": np.int32(400)})


def histogram() -> Case:
    x = RNG.integers(0, 64, 500).astype(np.int32)
    return Case(2, 256, {"bins": zeros(64), "x": x, "n": np.int32(500)})


def transpose() -> Case:
    x = RNG.integers(1, 999, (64, 64)).astype(np.int16)
    side = {"rows": np.int32(64), "columns": np.int32(64)}
    return Case(4, 256, {"out": np.zeros_like(x), "x": x, **side})


def mfma_f16() -> Case:
    a, b = RNG.integers(-3, 4, (2, 16, 64)).astype(np.float16)
    return Case(1, 64, {"c": zeros(16, 16, kind=np.float32), "a": a, "b": b, "k": np.int32(64)})


def mfma_bf16() -> Case:
    a, b = RNG.integers(-3, 4, (2, 64, 128)).astype(ml_dtypes.bfloat16)
    return Case(1, 256, {"c": zeros(64, 64, kind=np.float32), "a": a, "b": b, "k": np.int32(128)})


def last_sum() -> Case:
    args = {"out": zeros(256), "parts": zeros(1024), "count": zeros(64), "x": counting(1024)}
    return Case(4, 256, {**args, "groups": np.int32(4)})


def rotate_in_place() -> Case:
    return Case(1, 256, {"x": counting(256), "by": np.int32(70)})


def reversed_in_lds() -> Case:
    return Case(1, 256, {"out": zeros(512), "x": counting(512)})


def hand_over() -> Case:
    return Case(2, 64, {"out": zeros(64), "value": zeros(64), "flag": zeros(64)})


def buffered() -> Case:
    return Case(1, 64, {"out": zeros(64), "x": counting(64)})


def private_array() -> Case:
    return Case(1, 64, {"out": zeros(64), "x": counting(64)})


def read_backwards() -> Case:
    args = {"out": zeros(64), "end": 0, "n": np.int32(3)}
    return Case(1, 64, args, {"before": counting(128)}, {"end": "before"})


def write_backwards() -> Case:
    args = {"end": 0, "x": counting(64), "n": np.int32(3)}
    return Case(1, 64, args, {"before": zeros(128)}, {"end": "before"})


def written_then_read() -> Case:
    return Case(1, 64, {"out": zeros(64), "x": zeros(64)})


def copy() -> Case:
    x = counting(64)
    x.flags.writeable = False
    return Case(1, 64, {"out": zeros(64), "x": x})


def one_of_two() -> Case:
    args = {"out": zeros(64), "x": counting(64), "old": FREED, "use": np.int32(0)}
    return Case(1, 64, args)


def write_one_of_two() -> Case:
    return Case(1, 64, {"x": counting(64), "old": FREED, "use": np.int32(0)})


CASES: dict[str, Callable[[], Case]] = {
    case.__name__: case
    for case in (
        vector_add, block_sum, lds_histogram, histogram, transpose, mfma_f16, mfma_bf16, last_sum,
        rotate_in_place, reversed_in_lds, hand_over, buffered, private_array, read_backwards,
        write_backwards, written_then_read, copy, one_of_two, write_one_of_two,
    )
} | {"add_backwards": write_backwards, "count_one_of_two": write_one_of_two}  # fmt: skip

# --- What is changed, and what must be said -------------------------------------------------------

LOAD, STORE = r"global_load_dword v\d+, v\[", r"global_store_dword v\["
WAIT_VM, WAIT_LGKM = r"s_waitcnt.* vmcnt\(0\)", r"s_waitcnt.* lgkmcnt\(0\)"
BARRIER, MFMA, FLAG = "s_barrier", "v_mfma", r"global_load_dword .* sc1"


def wider(m: Any) -> tuple[str, ...]:
    """A store that overwrites the next lane's bytes too."""
    return (m.string.replace("dword ", "dwordx2 ").replace(" v1,", " v[0:1],"),)


def without_sc1(m: Any) -> tuple[str, ...]:
    return (m.string.replace(" sc1", ""),)


def masked(text: str) -> Change:
    return replaced(text)


PLANTS = [
    Plant(
        "out-of-bounds", "vector_add", Spot(LOAD), appended("offset:4092"),
        fields={**FIRST, "lanes": ALL, "near": ("past the end of", 92, "a")},
    ),
    Plant("out-of-bounds", "vector_add", Spot(LOAD, 1), appended("offset:4092")),
    Plant(
        "out-of-bounds", "vector_add", Spot(STORE), appended("offset:-4"),
        fields={**FIRST, "lanes": (0,), "near": ("before", 4, "out")},
    ),
    Plant(
        "lds-out-of-bounds", "block_sum", Spot("ds_write_b32"), appended("offset:1024"),
        fields={
            **FIRST, "lanes": ALL, "address": 1024,
            "text": "4 bytes at LDS offset 1024, the workgroup has 1024\n",
        },
    ),
    Plant("lds-out-of-bounds", "lds_histogram", Spot("ds_add_u32"), appended("offset:65280")),
    Plant("lds-out-of-bounds", "transpose", Spot("ds_read_u16"), appended("offset:2048")),
    *(
        Plant(
            "scratch-out-of-bounds", "private_array", Spot("scratch_(store|load)_", n),
            appended("offset:4095"),
            fields={
                **FIRST, "lanes": ALL, "address": 4095,
                "text": r"4 bytes at scratch offset 4095, a work-item has \d+\n",
            },
        )
        for n in range(3)
    ),
    Plant(
        "use-before-wait", "vector_add", Spot(WAIT_VM), unawaited, Spot("v_add_f32"),
        Spot(LOAD, 1),
        {
            **FIRST, "lanes": ALL,
            "text": r"v\d+ is read while the load at .* s_waitcnt vmcnt\(0\) would have sufficed",
        },
    ),
    Plant(
        "use-before-wait", "mfma_f16", Spot(WAIT_VM), unawaited, Spot(MFMA),
        Spot("global_load_dwordx2"),
    ),
    Plant(
        "use-before-wait", "block_sum", Spot(WAIT_LGKM, 2), unawaited, Spot("v_add_f32"),
        Spot("ds_read2st64_b32"),
    ),
    Plant(
        "wait-states", "mfma_bf16", Spot("s_nop [1-9]", -1), dropped,
        Spot("v_mov_b32_e32 v19, v17"), Spot(MFMA, -1), {**FIRST, "text": r"s_nop \d is missing"},
    ),
    Plant(
        "lds-race", "block_sum", Spot(BARRIER), dropped, Spot("ds_write_b32"),
        Spot("ds_read2st64_b32"),
        {
            "workgroup": (0, 0, 0), "wave": 2, "lanes": (0,), "address": 512,
            "earlier_workgroup": (0, 0, 0), "earlier_wave": 0,
            "text": "LDS byte 512 is overwritten here and read by wave 0 at ",
        },
    ),
    *(
        Plant("lds-race", k, Spot(BARRIER, n), dropped, Spot(at), Spot(earlier))
        for k, n, at, earlier in (
            ("transpose", 0, "ds_read_u16", "ds_write_b16"),
            ("lds_histogram", 1, "ds_add_u32", "ds_read_b32"),
            ("last_sum", 1, "ds_read_b32", "ds_write_b32"),
        )
    ),
    Plant(
        "lds-order", "reversed_in_lds", Spot(WAIT_LGKM, -3), unawaited, Spot("ds_write_b32", 1),
        Spot("ds_read_b32"),
        {
            "severity": "warning", **FIRST, "lanes": (0,), "address": 0,
            "text": "LDS byte 0 is overwritten after a barrier at which the read by wave 3 at ",
        },
    ),
    Plant(
        "global-race", "last_sum", Spot(BARRIER), dropped, Spot(LOAD, 1),
        Spot(STORE),
    ),
    Plant("global-race", "last_sum", Spot(STORE), wider, HERE, HERE),
    Plant(
        "global-race", "rotate_in_place", Spot(BARRIER), dropped, Spot("global_store_dword"),
        Spot("global_load_dword"),
        {
            "workgroup": (0, 0, 0), "wave": 1, "lanes": (6,), "near": ("inside", 280, "x"),
            "earlier_workgroup": (0, 0, 0), "earlier_wave": 0,
            "text": "232 bytes at .* are written here and were read by wave 0 of this workgroup",
        },
    ),
    Plant(
        "global-race", "hand_over", Spot("global_store_dword v0, v1, .* sc1"), without_sc1,
        Spot(FLAG), HERE,
        {
            **FIRST, "lanes": (0,), "near": ("inside", 0, "flag"),
            "earlier_workgroup": (1, 0, 0), "earlier_wave": 0,
        },
    ),
    Plant(
        "uninitialised", "block_sum", Spot("ds_write_b32"), dropped, Spot("global_store_dword"),
        fields={
            **FIRST, "lanes": (0,),
            "text": r"is stored to global memory and undefined: LDS byte 0, loaded at "
            r"\w+, was never written by this workgroup",
        },
    ),
    Plant("uninitialised", "transpose", Spot("ds_write_b16"), dropped, Spot("global_store_short")),
    Plant(
        "uninitialised", "copy", Spot("v_lshlrev_b32_e32 v0, 2, v0"), replaced("v_mov_b32 v0, v3"),
        Spot("global_load_dword"),
        fields={"lanes": ALL, "text": "v0 is an address and undefined: v3 was never written"},
    ),
    *(
        Plant(
            "use-after-free", k, Spot("s_cbranch_scc1"), dropped, at,
            fields={
                **FIRST, "lanes": lanes, "near": ("inside", 0, 4096),
                "text": f"{what} of 4 bytes at .* is 0 bytes inside .*freed device allocation #",
            },
        )
        for k, at, what, lanes in (
            ("one_of_two", Spot("global_load_dword", 1), "a read", ALL),
            ("write_one_of_two", Spot("global_store_dword", 1), "a write", ALL),
            ("count_one_of_two", Spot("global_atomic_add"), "an atomic", (0,)),
        )
    ),
    *(
        Plant(
            "read-only", "copy", Spot("global_store_dword"), replaced(text),
            fields={
                **FIRST, "lanes": ALL, "near": ("inside", 0, "x"),
                "text": "which kernels may only read",
            },
        )
        for text in (
            "global_store_dword v0, v1, s[2:3]",
            "global_store_byte v0, v1, s[2:3]",
            "global_atomic_add v0, v1, s[2:3]",
        )
    ),
    *(
        Plant(
            "address-overflow", k, Spot(r"v_ashrrev_i32_e32 (v\d+), 31, "),
            lambda m: (f"v_mov_b32 {m[1]}, 0",), Spot(access),
            fields={
                **FIRST, "lanes": ALL,
                "text": "0x400000000 bytes below it.*, is 496 bytes inside .* of 512 bytes: ",
            },
        )
        for k, access in (
            ("read_backwards", LOAD), ("write_backwards", STORE),
            ("add_backwards", "global_atomic_add"),
        )
    ),
    Plant(
        "misaligned", "histogram", Spot("global_atomic_add"), appended("offset:2"),
        fields={**FIRST, "lanes": ALL, "text": "an atomic of 4 bytes at"},
    ),
    Plant(
        "misaligned", "lds_histogram", Spot("ds_add_u32"), appended("offset:1"),
        fields={**FIRST, "text": r"at LDS offset \d+ of 256 must be"},
    ),
    Plant(
        "misaligned", "lds_histogram", Spot("global_atomic_add"), appended("offset:3"),
        fields={"lanes": ALL, "near": ("inside", 3, "bins")},
    ),
    Plant("misaligned", "add_backwards", Spot("global_atomic_add"), appended("offset:-2")),
    *(
        Plant(
            "exec-masked", k, Spot(WAIT_VM), replaced(text), Spot(MFMA),
            fields={**FIRST, "lanes": lanes},
        )
        for k, text, lanes in (
            ("mfma_f16", "s_mov_b64 exec, 1", ALL[1:]),
            ("mfma_f16", "s_mov_b64 exec, 0", ALL),
            ("mfma_bf16", "s_mov_b32 exec_hi, 0", ALL[32:]),
        )
    ),
    *(
        Plant(
            "descriptor", "buffered", Spot("s_mov_b32 (s.*), 0x27000"),
            lambda m, w=w: (f"s_mov_b32 {m[1]}, {w:#x}",), Spot("buffer_load_dword"),
            fields={**FIRST, "lanes": ALL, "text": text},
        )
        for w, text in (
            (0x40027000, "type .* is 1, that of a buffer is 0"),
            (0x80027000, "type .* is 2, that of a buffer is 0"),
            (0x1, "data format .* is 0, so nothing is bound"),
        )
    ),
    *(
        Plant(
            "stale-scalar", "written_then_read", Spot(r"global_load_dword v1, v1, (s\[.*\])"),
            lambda m, w=w, r=r: (f"s_load_dword{w} {r}, {m[1]}, 0x8",), HERE,
            Spot("global_store_dword"),
            {
                **FIRST, "near": ("inside", 8, "x"),
                "earlier_workgroup": (0, 0, 0), "earlier_wave": 0,
                "text": "s_dcache_inv is missing",
            },
        )
        for w, r in (("", "s20"), ("x2", "s[20:21]"), ("x4", "s[20:23]"))
    ),
    *(
        Plant(
            "barrier-divergence", k, Spot("s_cbranch_execz", n), replaced("s_cbranch_execz END"),
            Spot("s_endpgm", -1),
            fields={
                "severity": "warning", "workgroup": workgroup, "wave": wave,
                "text": f"ended after {passed} barriers, others passed {others}\n",
            },
        )
        for k, n, workgroup, wave, passed, others in (
            ("lds_histogram", 0, (1, 0, 0), 3, 1, 2),
            ("block_sum", 1, (0, 0, 0), 2, 1, 8),
            ("last_sum", 0, (0, 0, 0), 1, 1, 2),
            ("block_sum", 2, (0, 0, 0), 1, 2, 8),
        )
    ),
    *(
        Plant(
            "deadlock", "hand_over", Spot(spot), text, Spot(WAIT_LGKM),
            fields={**FIRST, "near": ("inside", offset, "flag"), "text": writer},
        )
        for spot, text, offset, writer in (
            ("global_store_dword v0, v1, .* sc1", dropped, 0, "which this launch has not written"),
            ("v_mov_b32_e32 v1, 7", replaced("v_mov_b32 v1, 6"), 0,
             r"last written by workgroup \(1, 0, 0\) wave 0 at 0x"),
            ("global_load_dword v2, v1, .* sc1", appended("offset:64"), 64,
             "which this launch has not written"),
        )
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """planted.cl as one code object a target."""
    objects = {}
    for target in ("gfx942", "gfx950"):
        output = tmp_path_factory.mktemp("planted") / f"{target}.co"
        source = Path(__file__).parent / "planted.cl"
        flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}"]
        flags += ["-nogpulib", "-O2", "-g", "-w"]
        subprocess.run(["clang-22", *flags, str(source), "-o", str(output)], check=True)
        objects[target] = output.read_bytes()
    return objects


SOURCE = (Path(__file__).parent / "planted.cl").read_text()


@pytest.mark.parametrize("plant", PLANTS, ids=str)
def test_planted_fault_is_found(
    device: tegula.sim.Device,
    clang_objects: dict[str, bytes],
    planted: dict[str, bytes],
    plant: Plant,
) -> None:
    source = planted if f" {plant.kernel}(" in SOURCE else clang_objects
    before = Listing(source[device.target], plant.kernel)
    case = CASES[plant.kernel]()
    assert findings(lambda: case.run(device, before.code, plant.kernel)) == ()
    pc, code = plant.apply(device.target, before)
    case = CASES[plant.kernel]()
    found = findings(lambda: case.run(device, code, plant.kernel))
    check(plant, plant.kernel, pc, before, code, found, case.arrays)


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
