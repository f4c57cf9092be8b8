"""tegula.sim: loading, launching, findings and refusals."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import tegula
from tegula.sim import Device, KernelArgument, Module
from tegula.sim.arguments import pack

PAIR = struct.pack("<fi", 2.0, 3)


def floats(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(count, np.nan, np.float32), np.arange(count, dtype=np.float32)


def test_kernels_and_their_arguments_are_listed(module: Module) -> None:
    assert {"scaled", "racy", "grid_of"} < set(module) and len(module) == 7
    info = module["scaled"].info
    explicit = [a for a in info.arguments if not a.hidden]
    assert explicit[:2] == [
        KernelArgument("out", "global_buffer", 0, 8),
        KernelArgument("x", "global_buffer", 8, 8),
    ]
    assert [(a.name, a.offset, a.size) for a in explicit[2:]] == [
        ("p", 16, 8),
        ("offset", 24, 4),
        ("n", 28, 4),
    ]
    assert module["racy"].info.lds_bytes == 256
    assert info.vgprs > 0 and info.kernarg_bytes >= 32
    assert "global_store_dword" in module.disassemble()


def test_bytes_and_a_path_are_the_same(code_path: Path) -> None:
    device = Device("gfx950")
    assert list(device.load(code_path.read_bytes())) == list(device.load(str(code_path)))


def test_arrays_are_used_where_they_lie(module: Module) -> None:
    out, x = floats(100)
    run = module["scaled"].launch(1, 128, out, x, PAIR, 0.5, 100)
    assert np.array_equal(out, x * 2 + 3.5) and run.findings == ()
    assert run.stats.workgroups == 1 and run.stats.waves == 2
    assert 0 < run.stats.valu < run.stats.total and run.stats.seconds > 0


def test_torch_tensors_are_used_where_they_lie(module: Module) -> None:
    out, x = torch.zeros(200), torch.arange(200.0)
    module["scaled"].launch(2, 128, out[:100], x[100:], PAIR, np.float32(0), np.int32(100))
    assert torch.equal(out[:100], x[100:] * 2 + 3) and not out[100:].any()


def test_grids_have_up_to_three_axes(module: Module) -> None:
    out = np.zeros(24, np.int32)
    module["grid_of"].launch((2, 3, 4), (64, 1), out)
    assert (out == 64).all()


def test_dynamic_lds(module: Module) -> None:
    out = np.zeros(128, np.int32)
    module["dynamic_lds"].launch(1, 128, out, 0, lds=512)
    assert np.array_equal(out, np.arange(128)[::-1])


def test_memory_behind_a_pointer_in_memory(module: Module) -> None:
    data = np.zeros(64, np.float32)
    table = np.array([data.ctypes.data], np.uint64)
    with pytest.raises(tegula.SanitizerReport, match="out-of-bounds"):
        module["indirect"].launch(1, 64, table, 64)
    assert not data.any()
    module["indirect"].launch(1, 64, table, 64, memory=[data])
    assert (data == 1).all()


def test_memory_of_the_device_until_it_is_freed(module: Module) -> None:
    x = np.ones(64, np.float32)
    address = module.device.malloc(256)
    module["scaled"].launch(1, 64, address, x, PAIR, 0.0, 64)
    module.device.free(address)
    with pytest.raises(tegula.SanitizerReport) as caught:
        module["scaled"].launch(1, 64, address, x, PAIR, 0.0, 64)
    assert caught.value.findings[0].address == address
    with pytest.raises(tegula.LaunchError, match="not found"):
        module.device.free(address)


@pytest.mark.parametrize("defined", [True, False])
def test_memory_that_counts_as_never_written(module: Module, defined: bool) -> None:
    address = module.device.malloc(4, defined=defined)
    with pytest.raises(tegula.LaunchError, match="deadlock") as caught:
        module["forever"].launch(1, 64, address)
    assert any(f.kind == "uninitialised" for f in caught.value.findings) != defined


def test_findings_name_arguments(module: Module) -> None:
    out, x = floats(64)
    with pytest.raises(tegula.SanitizerReport, match=r"argument 2 \(x\)") as caught:
        module["scaled"].launch(1, 64, out, x[:63], PAIR, 0.0, 64)
    allocation = caught.value.findings[0].details["allocation"]
    assert (allocation["name"], allocation["size"]) == ("argument 2 (x)", 252)


def test_an_offload_bundle_is_loaded(module: Module, code_path: Path) -> None:
    name, code = b"hipv4-amdgcn-amd-amdhsa--gfx950", code_path.read_bytes()
    header = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, 4096, len(code), len(name))
    bundle = (header + name).ljust(4096, b"\0") + code
    assert list(Device("gfx950").load(bundle)) == list(module)
    with pytest.raises(tegula.LaunchError, match="no code for gfx942, only: .*--gfx950"):
        Device("gfx942").load(bundle)


def test_races_name_the_other_wave(module: Module) -> None:
    found = module["racy"].launch(1, 128, np.zeros(128, np.int32), check=False).findings
    races = [f for f in found if f.kind == "lds-race"]
    one = [f for f in races if "by several waves" not in f.details["detail"]]
    assert len(one) == 2 and all(f.details["earlier_wave"] == 1 - f.wave for f in one)
    assert all(f.details["earlier_workgroup"] == [0, 0, 0] for f in one)
    [several] = [f for f in races if f not in one]
    assert "earlier_wave" not in several.details


def test_a_finding_names_the_place(module: Module) -> None:
    out, x = floats(100)
    with pytest.raises(tegula.SanitizerReport, match="kernels.cl:14") as caught:
        module["scaled"].launch(1, 128, out[:90], x, PAIR, 0.0, 100)
    [finding] = caught.value.findings
    assert (finding.kind, finding.severity, finding.kernel) == ("out-of-bounds", "error", "scaled")
    assert finding.workgroup == (0, 0, 0) and finding.wave == 1
    assert finding.lane == 26 and finding.lanes == tuple(range(26, 36))
    assert finding.instruction.startswith("global_store_dword")
    assert finding.file.endswith("kernels.cl") and finding.line == 14
    assert finding.address == out.ctypes.data + 90 * 4 and finding.count == 1
    assert finding.details["pc"] == finding.pc and finding.text in str(caught.value)


def test_findings_are_returned_when_asked(module: Module) -> None:
    run = module["racy"].launch(1, 256, np.zeros(256, np.int32), check=False)
    assert "lds-race" in {f.kind for f in run.findings}
    out = np.zeros(64, np.int32)
    assert module["grid_of"].launch(1, 64, out).findings == ()  # the last launch's only


def test_sanitizers_can_be_off(code_path: Path) -> None:
    quiet = Device("gfx950", sanitizers=False, threads=1).load(code_path)
    assert quiet["racy"].launch(1, 256, np.zeros(256, np.int32)).findings == ()


def test_a_random_schedule_repeats_by_its_seed(code_path: Path) -> None:
    def racy(seed: int) -> list[int]:
        device = Device("gfx950", schedule="random", seed=seed, sanitizers=False)
        out = np.zeros(256, np.int32)
        device.load(code_path)["racy"].launch(1, 256, out)
        return out.tolist()

    outcomes = [racy(seed) for seed in range(8)]
    assert outcomes == [racy(seed) for seed in range(8)]
    assert len({tuple(o) for o in outcomes}) > 1


def test_a_limit_stops_a_wave(code_path: Path) -> None:
    device = Device("gfx950", instruction_limit=10_000, threads=1)
    with pytest.raises(tegula.LaunchError, match="aborted") as caught:
        device.load(code_path)["forever"].launch(1, 64, np.zeros(1, np.int32))
    assert caught.value.findings[0].line == 37


def test_a_read_only_array_is_not_written(module: Module) -> None:
    out, x = floats(64)
    out.flags.writeable = False
    with pytest.raises(tegula.SanitizerReport):
        module["scaled"].launch(1, 64, out, x, PAIR, 0.0, 64)
    assert np.isnan(out).all()


@pytest.mark.parametrize("code", [b"", b"not ELF", b"\x7fELF" + bytes(60)])
def test_what_is_no_code_object_is_one_line(code: bytes) -> None:
    with pytest.raises(tegula.LaunchError) as caught:
        Device("gfx942").load(code)
    assert "\n" not in caught.value.message


def test_a_code_object_for_another_target(code_path: Path) -> None:
    with pytest.raises(tegula.LaunchError, match="another target"):
        Device("gfx942").load(code_path)


def test_arguments_of_an_impossible_size(code_path: Path) -> None:
    """Gigabytes by a damaged descriptor are refused before anything is allocated."""
    code = bytearray(code_path.read_bytes())
    info = Device("gfx950").load(bytes(code))["scaled"].info
    sizes = struct.pack("<4I", info.lds_bytes, info.scratch_bytes, info.kernarg_bytes, 0)
    [at] = [i for i in range(0, len(code), 64) if code[i : i + 16] == sizes]
    code[at + 8 : at + 12] = struct.pack("<I", 1 << 31)
    kernel = Device("gfx950").load(bytes(code))["scaled"]
    out, x = floats(64)
    with pytest.raises(tegula.LaunchError, match="2147483648 bytes of arguments"):
        kernel.launch(1, 64, out, x, PAIR, 0.0, 64)


def test_unknown_names(module: Module) -> None:
    with pytest.raises(tegula.DeviceError, match="gfx942 and gfx950"):
        Device("gfx1100")
    with pytest.raises(KeyError, match="scaled"):
        module["nothing"]
    with pytest.raises(tegula.ArgumentError, match="fifo or random"):
        Device("gfx950", schedule="fast")


OUT, X = floats(8)
REFUSED: list[tuple[tuple[Any, ...], str]] = [
    ((OUT, X, PAIR, 0.0), "4 arguments.*5"),
    ((OUT, X, PAIR, 0.0, np.int64(8)), "argument 'n'.*8 bytes.*4 bytes"),
    ((OUT, X, PAIR, 0.0, 1 << 32), "argument 'n'"),
    ((OUT, X, PAIR[:4], 0.0, 8), "argument 'p'.*4 bytes.*8 bytes"),
    ((OUT, X, 1.5, 0.0, "8"), "argument 'n'"),
    ((OUT, [1.0], PAIR, 0.0, 8), "argument 'x'.*list"),
    ((OUT, torch.empty(8, device="meta"), PAIR, 0.0, 8), "argument 'x'.*meta"),
    ((OUT, X[::2], PAIR, 0.0, 4), "argument 'x'.*strides.*C order"),
    ((OUT, X[::-1], PAIR, 0.0, 8), "argument 'x'.*strides.*C order"),
    ((OUT.reshape(2, 4).T, X, PAIR, 0.0, 8), "argument 'out'.*strides.*C order"),
    ((OUT, torch.ones(8).to_sparse(), PAIR, 0.0, 8), "argument 'x'.*torch.sparse_coo"),
    ((OUT, torch._neg_view(torch.ones(8)), PAIR, 0.0, 8), "argument 'x'.*negated.*resolve_neg"),
    ((OUT, torch.ones(4, dtype=torch.cfloat).conj(), PAIR, 0.0, 8), "argument 'x'.*conjugated"),
]


@pytest.mark.parametrize("args, message", REFUSED, ids=[message for _, message in REFUSED])
def test_arguments_that_do_not_fit(module: Module, args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(tegula.ArgumentError, match=message):
        module["scaled"].launch(1, 64, *args)


@pytest.mark.parametrize(
    "grid, block",
    [
        ((), 64),
        ((1, 1, 1, 1), 64),
        (-1, 64),
        (1.5, 64),
        (np.array([2, 1]), 64),
        (np.ones(1, int), 64),
    ],
)
def test_grids_that_are_none(module: Module, grid: Any, block: Any) -> None:
    with pytest.raises(tegula.ArgumentError, match="argument 'grid'"):
        module["grid_of"].launch(grid, block, np.zeros(1, np.int32))


def test_a_workgroup_too_large_is_refused(module: Module) -> None:
    with pytest.raises(tegula.LaunchError):
        module["grid_of"].launch(1, 2048, np.zeros(1, np.int32))


def test_packing_without_a_list_of_arguments() -> None:
    array = np.zeros(4, np.float32)
    kernarg, [memory] = pack([], [np.int8(-1), array, np.float16(1), None, np.int32(7)])
    address = array.ctypes.data
    assert kernarg == struct.pack("<b7xQ", -1, address) + struct.pack("<H6xQi", 0x3C00, 0, 7)
    assert memory.address == address and memory.shape == (4,)
    with pytest.raises(tegula.ArgumentError, match="NumPy scalar"):
        pack([], [7])


def test_packing_by_the_list_of_arguments() -> None:
    arguments = [
        KernelArgument("a", "by_value", 4, 2),
        KernelArgument("b", "by_value", 8, 8),
        KernelArgument("h", "hidden_block_count_x", 16, 4),
    ]
    kernarg, memories = pack(arguments, [-2, 0.25])
    assert kernarg == bytes(4) + struct.pack("<h2xd", -2, 0.25) and memories == []
    with pytest.raises(tegula.ArgumentError, match="a float of 4 bytes"):
        pack([KernelArgument("f", "by_value", 0, 4)], [1e39])
    half = ml_dtypes.bfloat16(1.5)
    assert pack(arguments, [half, 2**64 - 1])[0][4:] == b"\xc0\x3f\0\0" + b"\xff" * 8
