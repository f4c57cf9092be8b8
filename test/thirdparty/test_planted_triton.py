"""Triton's kernels with one instruction changed: each kind of fault is found, and told where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest
import triton

import tegula.sim
import test_planted
import triton_kernels
import triton_planted as kernels
import triton_row_cases
from planting import (
    HERE,
    Change,
    Listing,
    Plant,
    Spot,
    apart,
    appended,
    check,
    dropped,
    findings,
    freed,
    replaced,
    unawaited,
)
from test_planted import ALL, FIRST, zeros
from triton_cases import Launch, compile_launch, i32

RNG = np.random.default_rng(21)
F32, BF16 = np.float32, ml_dtypes.bfloat16


def vector_add(target: str) -> Launch:
    a, b = RNG.standard_normal((2, 1000)).astype(F32)
    b.flags.writeable = False
    args = {"out": zeros(1000, kind=F32), "a": a, "b": b, "n": i32(1000)}
    return Launch(triton_kernels.vector_add, (4,), args, {}, {"BLOCK": 256})


def softmax(target: str) -> Launch:
    x = RNG.standard_normal((3, 1000)).astype(F32)
    args = {"out": np.zeros_like(x), "x": x, "n": i32(1000)}
    return Launch(triton_kernels.softmax, (3,), args, {}, {"BLOCK": 1024})


def histogram(target: str) -> Launch:
    x = RNG.integers(0, 50, 1000).astype(np.int32)
    args = {"bins": zeros(50), "x": x, "n": i32(1000)}
    return Launch(triton_kernels.histogram, (4,), args, {}, {"BLOCK": 256})


def product(target: str) -> Launch:
    a, b = RNG.integers(-3, 4, (2, 64, 64)).astype(BF16)
    args = {"c": zeros(64, 64, kind=F32), "a": a, "b": b}
    return Launch(kernels.product, (1,), args, {}, {"N": 64, "K": 64})


def spilling(target: str) -> Launch:
    a, b = RNG.integers(-3, 4, (2, 128, 64)).astype(BF16)
    args = {"c": zeros(128, 128, kind=F32), "a": a, "b": b.reshape(64, 128)}
    constants, options = {"N": 128, "K": 64}, {"waves_per_eu": 8}
    return Launch(kernels.product, (1,), args, {}, constants, options)


def backwards(target: str) -> Launch:
    x = apart(np.arange(128, dtype=np.int32))
    args = {"out": zeros(64), "x": x, "middle": x[96:], "n": i32(3)}
    return Launch(kernels.backwards, (1,), args, {}, {"BLOCK": 64}, {"num_warps": 1}, wide=True)


def write_backwards(target: str) -> Launch:
    x = apart(zeros(128))
    args = {"x": x, "middle": x[96:], "n": i32(3)}
    options = {"num_warps": 1}
    return Launch(kernels.write_backwards, (1,), args, {}, {"BLOCK": 64}, options, wide=True)


def one_of_two(target: str) -> Launch:
    args = {"out": zeros(256), "x": zeros(256), "old": zeros(256), "use": i32(0)}
    return Launch(kernels.one_of_two, (1,), args, {}, {"BLOCK": 256})


def write_one_of_two(target: str) -> Launch:
    args = {"x": zeros(256), "old": zeros(256), "use": i32(0)}
    return Launch(kernels.write_one_of_two, (1,), args, {}, {"BLOCK": 256})


def written_then_read(target: str) -> Launch:
    args = {"out": zeros(256), "x": zeros(256)}
    return Launch(kernels.written_then_read, (1,), args, {}, {"BLOCK": 256})


def of_rows(name: str) -> Callable[[str], Launch]:
    return lambda target: getattr(triton_row_cases, name)(target, np.random.default_rng(3))


CASES: dict[str, Callable[[str], Launch]] = {
    case.__name__: case
    for case in (
        vector_add, softmax, histogram, product, spilling, backwards, write_backwards, one_of_two,
        write_one_of_two, written_then_read,
    )
} | {n: of_rows(n) for n in ("locked_sum", "grid_barrier", "chained_prefix_sum")}  # fmt: skip

LOAD, STORE = "buffer_load_dword ", "buffer_store_dword "
WAIT_VM, WAIT_LGKM = r"s_waitcnt.* vmcnt\(0\)", r"s_waitcnt.* lgkmcnt\(0\)"
BARRIER, MFMA = "s_barrier", "v_mfma"


def to(text: str) -> Change:
    """With a part of it replaced: "from → to"."""
    old, new = text.split(" → ")
    return lambda m: (m.string.replace(old, new),)


PLANTS = [
    Plant(
        "out-of-bounds", "vector_add", Spot(LOAD), appended("offset:4092"),
        fields={**FIRST, "lanes": ALL, "near": ("past the end of", 92, "a")},
    ),
    Plant("out-of-bounds", "vector_add", Spot(LOAD, 1), appended("offset:4092")),
    Plant(
        "out-of-bounds", "vector_add", Spot(STORE), appended("offset:4092"),
        fields={**FIRST, "lanes": ALL, "near": ("past the end of", 92, "out")},
    ),
    Plant(
        "lds-out-of-bounds", "softmax", Spot("ds_write_b32"), appended("offset:16"),
        fields={**FIRST, "address": 16, "text": "4 bytes at LDS offset 16, the workgroup has 16\n"},
    ),
    Plant("lds-out-of-bounds", "softmax", Spot("ds_read_b32", 1), appended("offset:8")),
    Plant("lds-out-of-bounds", "locked_sum", Spot("ds_write_b32"), appended("offset:4")),
    Plant(
        "scratch-out-of-bounds", "spilling", Spot("scratch_store"), appended("offset:4092"),
        fields={**FIRST, "lanes": ALL, "text": "at scratch offset 4092, a work-item has"},
    ),
    Plant("scratch-out-of-bounds", "spilling", Spot("scratch_load", -1), appended("offset:4092")),
    Plant(
        "use-before-wait", "vector_add", Spot(WAIT_VM), unawaited, Spot("v_add_f32"), Spot(LOAD, 1),
        {**FIRST, "lanes": ALL, "text": r"s_waitcnt vmcnt\(0\) would have sufficed"},
    ),
    Plant(
        "use-before-wait", "softmax", Spot(WAIT_LGKM, 2), unawaited,
        Spot("v_mov_b32_dpp .* quad_perm"), Spot("ds_read_b32"),
    ),
    Plant(
        "wait-states", "softmax", Spot("s_nop [1-9]"), dropped, Spot("v_mov_b32_dpp"),
        Spot("v_max3_f32"), {**FIRST, "text": "wait states"},
    ),
    Plant(
        "wait-states", "grid_barrier", Spot("s_nop [1-9]"), dropped,
        Spot("v_mov_b32_e32 v3, s14", 1), Spot("v_readfirstlane_b32 s14"),
        {**FIRST, "text": "s_nop 0 is missing"},
    ),
    Plant(
        "wait-states", "product", Spot("s_nop [1-9]", -1), dropped, Spot("buffer_store_dwordx4"),
        Spot(MFMA, -1), {**FIRST, "text": "wait states"},
    ),
    Plant(
        "lds-race", "softmax", Spot(BARRIER), dropped, Spot("ds_write_b32"), Spot("ds_read_b32"),
        {"workgroup": (0, 0, 0), "wave": 1, "address": 4, "text": "and read by wave 0 at"},
    ),
    Plant("lds-race", "product", Spot(BARRIER, 1), dropped, Spot("ds_read"), Spot("ds_write", 2)),
    Plant(
        "lds-order", "softmax", Spot(WAIT_LGKM, 2), unawaited, Spot("ds_write_b32", 1),
        Spot("ds_read_b32"), {"severity": "warning", "text": "was outstanding"},
    ),
    Plant(
        "lds-order", "product", Spot(WAIT_LGKM, 2), unawaited, Spot("ds_write", 2), Spot("ds_read"),
        {"severity": "warning", "workgroup": (0, 0, 0), "text": "was outstanding"},
    ),
    Plant(
        "global-race", "softmax", Spot(r"s_mul_i32 s9"), replaced("s_lshl_b32 s9, s12, 6"),
        Spot(STORE), Spot(STORE),
        {"workgroup": (1, 0, 0), "near": ("inside", 256, "out"), "earlier_workgroup": (0, 0, 0)},
    ),
    # Nobody waits for the others.
    Plant(
        "global-race", "grid_barrier", Spot("s_cbranch_vccz (.*)"), lambda m: (f"s_branch {m[1]}",),
        Spot(STORE), Spot(LOAD),
        {
            "workgroup": (1, 0, 0), "near": ("inside", 1024, "parts"),
            "earlier_workgroup": (0, 0, 0), "text": "are written here and were read by workgroup",
        },
    ),
    Plant(
        "global-race", "written_then_read", Spot(BARRIER), dropped, Spot(LOAD), Spot(STORE),
        {
            "workgroup": (0, 0, 0), "wave": 2, "lanes": (31,), "near": ("inside", 384, "x"),
            "earlier_workgroup": (0, 0, 0), "earlier_wave": 1,
        },
    ),
    Plant("uninitialised", "softmax", Spot("ds_write_b32"), dropped, Spot(STORE)),
    Plant(
        "uninitialised", "softmax", Spot("v_mov_b32_e32 v12, s5"), dropped, Spot("ds_write_b32"),
        fields={**FIRST, "lanes": ALL, "text": "v12 is an address and undefined: v12 was never"},
    ),
    Plant(
        "uninitialised", "vector_add", Spot("v_lshlrev_b32_e32 v1, 2, v0"), dropped, Spot(LOAD),
        fields={**FIRST, "text": "v0 is an address and undefined: v1 was never written"},
    ),
    *(
        Plant(
            "use-after-free", k, Spot("s_cbranch_scc1"), dropped, at,
            fields={
                **FIRST, "lanes": ALL, "near": ("inside", 0, 4096), "text": "freed device",
            },
        )
        for k, at in (("one_of_two", Spot(LOAD, 1)), ("write_one_of_two", Spot(STORE, 1)))
    ),
    Plant(
        "read-only", "vector_add", Spot(STORE), to("s[12:15] → s[0:3]"),
        fields={**FIRST, "lanes": ALL, "near": ("inside", 0, "b")},
    ),
    *(
        Plant(
            "address-overflow", k, Spot(r"v_ashrrev_i32_e32 (v\d+), 31, "),
            lambda m: (f"v_mov_b32 {m[1]}, 0",), Spot(access),
            fields={
                **FIRST, "lanes": ALL,
                "text": "0x400000000 bytes below it.*, is 368 bytes inside .* of 512 bytes: ",
            },
        )
        for k, access in (("backwards", "global_load_dword"), ("write_backwards", "global_store"))
    ),
    Plant(
        "misaligned", "locked_sum", Spot("global_atomic_swap"), appended("offset:1"),
        fields={**FIRST, "lanes": (0,), "near": ("before the end of", 3, "lock")},
    ),
    Plant(
        "misaligned", "chained_prefix_sum", Spot("global_atomic_swap"), appended("offset:2"),
        fields={**FIRST, "lanes": (0,), "near": ("inside", 2, "flags")},
    ),
    *(
        Plant(
            "exec-masked", "product", Spot(WAIT_LGKM, -1), replaced(text), Spot(MFMA, -1),
            fields={**FIRST, "lanes": lanes},
        )
        for text, lanes in (("s_mov_b64 exec, 1", ALL[1:]), ("s_mov_b32 exec_lo, 0", ALL[:32]))
    ),
    *(
        Plant(
            "descriptor", "vector_add", Spot("s_mov_b32 (s.*), 0x27000"),
            lambda m, w=w: (f"s_mov_b32 {m[1]}, {w:#x}",), Spot(LOAD),
            fields={**FIRST, "text": text},
        )
        for w, text in (
            (0x40027000, "type .* is 1, that of a buffer is 0"),
            (0x1, "data format .* is 0, so nothing is bound"),
        )
    ),
    *(
        Plant(
            "stale-scalar", "written_then_read", Spot(r"buffer_load_dword v1, v1, (s\[.*\]), 0"),
            lambda m, w=w, r=r: (f"s_buffer_load_dword{w} {r}, {m[1]}, 0x8",), HERE, Spot(STORE),
            {**FIRST, "near": ("inside", 8, "x"), "text": "s_dcache_inv is missing"},
        )
        for w, r in (("", "s20"), ("x2", "s[20:21]"))
    ),
    *(
        Plant(
            "barrier-divergence", k, Spot("s_cbranch_execz"), replaced("s_cbranch_execz END"),
            Spot("s_endpgm", -1), fields={"severity": "warning", "workgroup": (0, 0, 0)},
        )
        for k in ("locked_sum", "grid_barrier")
    ),
    *(
        Plant(
            "deadlock", k, Spot(spot), dropped, Spot(at),
            fields={
                "workgroup": (workgroup, 0, 0), "near": ("inside", 0, polled),
                "text": rf"no wave can go on: .* workgroup {workgroup} wave 0 runs .* and polls 0x",
            },
        )
        for k, spot, at, workgroup, polled in (
            ("locked_sum", "global_atomic_swap", "ds_read_b32", 1, "lock"),
            ("grid_barrier", "global_atomic_add", "ds_read_b32", 0, "arrived"),
            ("chained_prefix_sum", "global_atomic_swap", r"s_and_saveexec_b64 s\[12:13\]", 1,
             "flags"),
        )
    ),
]  # fmt: skip


#: What a report of a kind says beside kernel, instruction and source line.
SAYS: dict[str, set[str]] = {
    "out-of-bounds": {"lanes", "near"},
    "lds-out-of-bounds": {"lanes", "address", "text"},
    "scratch-out-of-bounds": {"lanes", "address", "text"},
    "use-before-wait": {"lanes", "text"},
    "wait-states": {"text"},
    "lds-race": {"lanes", "address", "earlier_workgroup", "earlier_wave", "text"},
    "lds-order": {"lanes", "address", "text"},
    "global-race": {"lanes", "near", "earlier_workgroup", "earlier_wave", "text"},
    "uninitialised": {"lanes", "text"},
    "use-after-free": {"lanes", "near"},
    "read-only": {"lanes", "near"},
    "address-overflow": {"lanes", "text"},
    "misaligned": {"lanes", "near"},
    "exec-masked": {"lanes"},
    "descriptor": {"lanes", "text"},
    "stale-scalar": {"near", "earlier_workgroup", "earlier_wave"},
    "barrier-divergence": {"text"},
    "deadlock": {"near", "text"},
}
FIXTURES = Path(__file__).resolve().parents[1] / "unit" / "sim" / "sanitize"


def marked() -> Counter[str]:
    """Faults of each kind in the assembler files: a kernel with two marks has one."""
    kinds: Counter[str] = Counter()
    for path in FIXTURES.glob("*.s"):
        for body in re.split(r"^(?:kernel|planted) ", path.read_text(), flags=re.MULTILINE)[1:]:
            kinds.update(set(re.findall(r"// .*?FAULT ([\w-]+)", body)))
    return kinds


@pytest.mark.parametrize("kind", SAYS)
def test_each_kind_is_planted_often_and_in_others_code(kind: str) -> None:
    clang = [p for p in test_planted.PLANTS if p.kind == kind]
    here = [p for p in PLANTS if p.kind == kind]
    assert clang and here and len(clang) + len(here) >= 3, (len(clang), len(here))
    assert len(clang) + len(here) + marked()[kind] >= 12


def test_every_kind_is_known() -> None:
    """Of the table of lib/Sim/README.md all but what limits stop, and no others."""
    readme = (FIXTURES.parents[3] / "lib" / "Sim" / "README.md").read_text()
    rows = re.findall(r"^\| (`.*?) \| ", readme.split("## Findings")[1], re.MULTILINE)
    kinds = {kind for row in rows for kind in re.findall(r"`([a-z-]+)`", row)}
    assert kinds - {"instruction-limit", "time-limit", "illegal", "unsupported"} == set(SAYS)
    assert {p.kind for p in [*test_planted.PLANTS, *PLANTS]} == set(SAYS)


@pytest.mark.parametrize("kind", SAYS)
def test_what_a_report_says_is_checked(kind: str) -> None:
    """One plant of each kind names all of it."""
    plants = [p for p in [*test_planted.PLANTS, *PLANTS] if p.kind == kind]
    wanted = SAYS[kind] | {"workgroup", "wave"}
    assert any(wanted <= set(p.fields) for p in plants), wanted


@pytest.fixture(scope="module", autouse=True)
def cache(request: pytest.FixtureRequest) -> None:
    folder = Path(request.config.rootpath) / request.config.getoption("--build") / "triton"
    triton.knobs.cache.dir = str(folder)


@pytest.mark.parametrize("plant", PLANTS, ids=str)
def test_planted_fault_is_found(device: tegula.sim.Device, plant: Plant) -> None:
    launch = CASES[plant.kernel](device.target)
    compiled = compile_launch(launch, device.target)
    name = compiled.metadata.name

    def run(code: bytes, launch: Launch) -> tuple[tegula.sim.Finding, ...]:
        if "middle" not in launch.args:  # which points into another one
            launch.args = {n: apart(v) for n, v in launch.args.items()}
        changed = SimpleNamespace(asm={"hsaco": code}, metadata=compiled.metadata, src=compiled.src)
        values = [freed(device) if n == "old" else v for n, v in launch.args.items()]
        return findings(lambda: tegula.sim.launch_triton(device, changed, launch.grid, *values))

    before = Listing(compiled.asm["hsaco"], name)
    assert run(before.code, launch) == ()
    pc, code = plant.apply(device.target, before)
    launch = CASES[plant.kernel](device.target)
    found = run(code, launch)
    arrays = {n: v for n, v in launch.args.items() if isinstance(v, np.ndarray)}
    check(plant, name, pc, before, code, found, arrays)
