"""The state that kernels start with: each writes what it sees.

User SGPRs come in the order of the descriptor's properties, then preloaded arguments, workgroup
ids and the workgroup's information word. A kernel with preloaded arguments starts 256 bytes behind
its entry.
"""

from __future__ import annotations

import itertools
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import sampling
import tegula
import tegula.sim
from isa.forms import TARGETS
from isa.machine import LANES, assemble

GRID, BLOCK = (2, 3, 2), (5, 3, 7)  # 105 work-items: two waves, the second with 41 lanes
SLOTS = 24  # scalar registers that are written
KERNARG_WORDS = 24


@dataclass(frozen=True)
class Abi:
    """What a descriptor enables."""

    dispatch: bool = False
    queue: bool = False
    dispatch_id: bool = False
    scratch_size: bool = False
    ids: tuple[bool, bool, bool] = (True, True, True)
    info: bool = False
    preload: int = 0
    preload_offset: int = 0
    scratch: int = 0
    lds: int = 0

    def layout(self) -> dict[str, int]:
        """First register of each item."""
        found, place = {}, 0
        for name, is_on, count in (
            ("dispatch", self.dispatch, 2), ("queue", self.queue, 2), ("kernarg", True, 2),
            ("dispatch_id", self.dispatch_id, 2), ("scratch_size", self.scratch_size, 1),
            ("preload", self.preload > 0, self.preload),
        ):  # fmt: skip
            if is_on:
                found[name], place = place, place + count
        found["system"] = place
        for axis, is_on in zip("xyz", self.ids, strict=True):
            if is_on:
                found[axis], place = place, place + 1
        if self.info:
            found["info"], place = place, place + 1
        return found

    def directives(self) -> str:
        on = {
            "user_sgpr_dispatch_ptr": self.dispatch, "user_sgpr_queue_ptr": self.queue,
            "user_sgpr_kernarg_segment_ptr": 1, "user_sgpr_dispatch_id": self.dispatch_id,
            "user_sgpr_private_segment_size": self.scratch_size,
            "user_sgpr_kernarg_preload_length": self.preload,
            "user_sgpr_kernarg_preload_offset": self.preload_offset,
            "system_sgpr_workgroup_id_x": self.ids[0], "system_sgpr_workgroup_id_y": self.ids[1],
            "system_sgpr_workgroup_id_z": self.ids[2], "system_sgpr_workgroup_info": self.info,
            "system_vgpr_workitem_id": 2, "group_segment_fixed_size": self.lds,
            "private_segment_fixed_size": self.scratch,
            "enable_private_segment": self.scratch > 0, "kernarg_size": 4 * KERNARG_WORDS,
            "next_free_vgpr": 64, "next_free_sgpr": 100, "accum_offset": 64,
        }  # fmt: skip
        return "\n".join(f".amdhsa_{name} {int(value)}" for name, value in on.items())


def kernel(name: str, abi: Abi) -> str:
    """Each wave takes a slot of the output with an atomic and writes 64 words and its v0 there."""
    at = abi.layout()
    pointer = at["kernarg"]
    skipped = "s_trap 2\n.p2align 8\n" if abi.preload else ""
    packet = "s_mov_b64 s[64:65], 0\n"
    if abi.dispatch:
        packet = f"s_mov_b64 s[64:65], s[{at['dispatch']}:{at['dispatch'] + 1}]\n"
    saved = "\n".join(f"v_writelane_b32 v2, s{i}, {i}" for i in range(used(abi)))
    return f"""
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
{skipped}
{packet}
s_mov_b64 s[46:47], exec
s_mov_b64 exec, -1
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 0
s_mov_b64 exec, s[46:47]
v_mov_b32_e32 v1, v0
{saved}
v_writelane_b32 v2, s46, 24
v_writelane_b32 v2, s47, 25
s_load_dwordx2 s[40:41], s[{pointer}:{pointer + 1}], 0x0
s_mov_b64 exec, -1
v_mbcnt_lo_u32_b32 v5, -1, 0
v_mbcnt_hi_u32_b32 v5, -1, v5
s_waitcnt lgkmcnt(0)
s_mov_b32 s42, 1
s_atomic_add s42, s[40:41], 0x0 glc
s_waitcnt lgkmcnt(0)
s_lshl_b32 s43, s42, 10
s_add_u32 s44, s40, s43
s_addc_u32 s45, s41, 0
v_lshlrev_b32_e32 v5, 2, v5
global_store_dword v5, v1, s[44:45] offset:512
s_cmp_eq_u64 s[64:65], 0
s_cbranch_scc1 .L{name}
s_load_dwordx16 s[48:63], s[64:65], 0x0
s_waitcnt lgkmcnt(0)
s_load_dword s66, s[56:57], 0x0
{chr(10).join(f"v_writelane_b32 v2, s{48 + i}, {32 + i}" for i in range(16))}
s_waitcnt lgkmcnt(0)
v_writelane_b32 v2, s66, 48
.L{name}:
global_store_dword v5, v2, s[44:45] offset:256
s_endpgm
.rodata
.p2align 6
.amdhsa_kernel {name}
{abi.directives()}
.end_amdhsa_kernel
"""


def used(abi: Abi) -> int:
    layout = abi.layout()
    return layout["system"] + sum(abi.ids) + abi.info


@dataclass
class Seen:
    scalars: list[int]
    exec: int
    packet: list[int]
    descriptor: int  # first dword of the kernel object
    v0: list[int]


def launch(
    device: tegula.sim.Device, code: bytes, name: str, lds: int = 0
) -> tuple[list[Seen], list[int]]:
    """What each wave saw, and the kernarg segment."""
    waves = int(np.prod(GRID)) * 2
    out = np.zeros(256 * (waves + 2), np.uint32)
    arguments = [np.uint32(0x1000 + i) for i in range(2, KERNARG_WORDS)]
    device.load(code)[name].launch(GRID, BLOCK, out, *arguments, lds=lds)
    assert out[0] == waves
    found = []
    for i in range(waves):
        words = [int(x) for x in out[256 * i + 64 : 256 * i + 128]]
        ids = [int(x) for x in out[256 * i + 128 : 256 * i + 192]]
        found.append(Seen(words[:SLOTS], words[24] | words[25] << 32, words[32:48], words[48], ids))
    address = out.ctypes.data
    return found, [address & 0xFFFFFFFF, address >> 32, *(int(a) for a in arguments)]


def combinations() -> list[Abi]:
    flags = itertools.product((False, True), repeat=5)
    all_ids = [ids for ids in itertools.product((False, True), repeat=3)]
    rng, found = random.Random(3), []
    for dispatch, queue, dispatch_id, size, info in flags:
        room = 16 - (2 * dispatch + 2 * queue + 2 + 2 * dispatch_id + size)
        for preload in range(min(room, 14) + 1):
            offset = rng.randrange(KERNARG_WORDS - preload) if preload else 0
            found.append(
                Abi(dispatch, queue, dispatch_id, size, rng.choice(all_ids), info, preload, offset,
                    rng.choice((0, 64)), rng.choice((0, 512)))
            )  # fmt: skip
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_registers(target: str) -> None:
    """Every combination of what a descriptor enables; a sample of them unless in a full run."""
    abis = sampling.sample(combinations(), 40)
    texts = [kernel(f"k{i}", abi) for i, abi in enumerate(abis)]
    code = assemble(target, "".join(texts))
    for number, abi in enumerate(abis):
        device = tegula.sim.Device(target, threads=1)
        lds = 256 * (number % 3)
        for dispatch in range(2):  # the second launch has another dispatch id
            seen, kernarg = launch(device, code, f"k{number}", lds)
            check_waves(abi, seen, kernarg, dispatch, lds)


def check_waves(abi: Abi, seen: list[Seen], kernarg: list[int], dispatch: int, lds: int) -> None:
    at = abi.layout()
    workgroups = set()
    for number, wave in enumerate(seen):
        index, second = divmod(number, 2)  # one thread: in order of dispatch, wave by wave
        place = (index % GRID[0], index // GRID[0] % GRID[1], index // GRID[0] // GRID[1])
        workgroups.add(place)
        for axis, value in zip("xyz", place, strict=True):
            if axis in at:
                assert wave.scalars[at[axis]] == value, (abi, axis)
        if abi.info:
            assert wave.scalars[at["info"]] == (0 if second else 1 << 31) | 2, abi
        if abi.preload:
            found = wave.scalars[at["preload"] : at["preload"] + abi.preload]
            assert found == kernarg[abi.preload_offset :][: abi.preload], abi
        if abi.scratch_size:
            assert wave.scalars[at["scratch_size"]] == abi.scratch, abi
        if abi.dispatch_id:
            assert wave.scalars[at["dispatch_id"] :][:2] == [dispatch, 0], abi
        if abi.queue:
            assert any(wave.scalars[at["queue"] :][:2]), abi
        check_items(wave, second)
        if abi.dispatch:
            check_packet(abi, wave, at["kernarg"], lds)
    assert len(workgroups) == np.prod(GRID)


def check_items(wave: Seen, second: int) -> None:
    """x | y << 10 | z << 20, x fastest; lanes past the workgroup are off."""
    count = int(np.prod(BLOCK)) - 64 * second
    assert wave.exec == (1 << min(count, 64)) - 1
    for lane in range(min(count, LANES)):
        flat = 64 * second + lane
        x, y, z = flat % BLOCK[0], flat // BLOCK[0] % BLOCK[1], flat // BLOCK[0] // BLOCK[1]
        assert wave.v0[lane] == x | y << 10 | z << 20


def check_packet(abi: Abi, wave: Seen, kernarg: int, lds: int) -> None:
    p = wave.packet
    assert p[0] >> 16 == 3  # dimensions
    assert (p[1] & 0xFFFF, p[1] >> 16, p[2] & 0xFFFF) == BLOCK
    assert tuple(p[3:6]) == tuple(g * b for g, b in zip(GRID, BLOCK, strict=True))
    assert p[6] == abi.scratch and p[7] == abi.lds + lds
    assert wave.descriptor == abi.lds  # the kernel object begins with its LDS size
    assert p[10:12] == wave.scalars[kernarg : kernarg + 2]
    assert p[14:16] == [0, 0]  # no completion signal


@pytest.mark.parametrize("target", TARGETS)
def test_trap_temporaries_are_not_initialised(target: str) -> None:
    """They hold ids for debuggers only: a kernel that uses them is reported."""
    text = kernel("traps", Abi()).replace(
        "s_endpgm",
        "v_mov_b32_e32 v6, ttmp9\nglobal_store_dword v5, v6, s[44:45] offset:768\ns_endpgm",
    )
    with pytest.raises(tegula.SanitizerReport, match="uninitialised"):
        launch(tegula.sim.Device(target, threads=1), assemble(target, text), "traps")


# ---- compiled kernels


HIDDEN = r"""
kernel void hidden(global uint *out) {
  const constant uint *h = (const constant uint *)__builtin_amdgcn_implicitarg_ptr();
  uint i = __builtin_amdgcn_workitem_id_x() + 5 * __builtin_amdgcn_workitem_id_y()
         + 15 * __builtin_amdgcn_workitem_id_z();
  if (i < COUNT && __builtin_amdgcn_workgroup_id_x() == 1)
    out[i] = h[i];
}
"""


def compiled(target: str, source: str, folder: Path, *flags: str) -> bytes:
    path, output = folder / "kernel.cl", folder / "kernel.co"
    path.write_text(source)
    command = ["clang-22", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-O2",
               f"-mcpu={target}", "-nogpulib", *flags, str(path), "-o", str(output)]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[:2000]
    return output.read_bytes()


def device_of(target: str) -> tegula.sim.Device:
    return tegula.sim.Device(target, threads=1)


@pytest.mark.parametrize("version", [5, 6])
@pytest.mark.parametrize("target", TARGETS)
def test_hidden_arguments(target: str, version: int, tmp_path: Path) -> None:
    """All 256 bytes, as the table of offsets has them; pointers to host services are null."""
    code = compiled(target, HIDDEN, tmp_path, f"-mcode-object-version={version}", "-DCOUNT=64")
    out = np.full(64, 0xDEADBEEF, np.uint32)
    device_of(target).load(code)["hidden"].launch(GRID, BLOCK, out, lds=768, check=False)
    data = out.tobytes()

    def at(offset: int, size: int) -> int:
        return int.from_bytes(data[offset : offset + size], "little")

    assert tuple(at(o, 4) for o in (0, 4, 8)) == GRID
    assert tuple(at(o, 2) for o in (12, 14, 16)) == BLOCK
    assert [at(o, 2) for o in (18, 20, 22)] == [0, 0, 0]  # remainders
    assert [at(o, 8) for o in (40, 48, 56)] == [0, 0, 0]  # global offsets
    assert at(64, 2) == 3  # dimensions
    pointers = {72: "printf", 80: "hostcall", 88: "multigrid", 96: "heap", 104: "queue", 112: "-"}
    assert [at(o, 8) for o in pointers] == [0] * 6
    assert at(120, 4) == 0  # the compiler names it only where dynamic LDS is a variable
    assert [at(o, 4) for o in (192, 196)] == [0, 0]  # apertures are in registers


NAMED = {"hidden_dynamic_lds_size": 4, "hidden_block_count_y": 4, "hidden_group_size_z": 2,
         "hidden_remainder_x": 2, "hidden_grid_dims": 2, "hidden_shared_base": 4,
         "hidden_private_base": 4, "hidden_heap_v1": 8, "hidden_printf_buffer": 8,
         "hidden_global_offset_z": 8}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_hidden_arguments_are_found_by_name(target: str) -> None:
    """The note says where each is; hand-written kernels may have them anywhere."""
    arguments, places, offset = [], {}, 8
    for name, size in NAMED.items():
        offset += -offset % size
        places[name] = offset
        arguments.append(f"- {{.offset: {offset}, .size: {size}, .value_kind: {name}}}")
        offset += size
    text = kernel("named", Abi())
    store = text.index("global_store_dword v5, v1")
    copies = "".join(
        f"s_load_dword s60, s[0:1], {4 * i}\ns_waitcnt lgkmcnt(0)\nv_writelane_b32 v1, s60, {i}\n"
        for i in range(16)
    )
    note = f"""
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: named
    .symbol: named.kd
    .kernarg_segment_size: {4 * KERNARG_WORDS}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 100
    .vgpr_count: 64
    .max_flat_workgroup_size: 1024
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      {(chr(10) + "      ").join(arguments)}
.end_amdgpu_metadata
"""
    code = assemble(target, text[:store] + copies + text[store:] + note)
    out = np.zeros(256 * 26, np.uint32)
    device_of(target).load(code)["named"].launch(GRID, BLOCK, out, lds=768)
    segment = out[128:144].tobytes()
    found = {
        name: int.from_bytes(segment[places[name] : places[name] + size], "little")
        for name, size in NAMED.items()
    }
    assert found == dict.fromkeys(NAMED, 0) | {
        "hidden_dynamic_lds_size": 768, "hidden_block_count_y": 3, "hidden_group_size_z": 7,
        "hidden_grid_dims": 3, "hidden_shared_base": 1 << 16, "hidden_private_base": 2 << 16,
    }  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_hidden_arguments_of_version_4(target: str, tmp_path: Path) -> None:
    """56 bytes: offsets and pointers; sizes are in the packet."""
    code = compiled(target, HIDDEN, tmp_path, "-mcode-object-version=4", "-DCOUNT=14")
    out = np.full(16, 0xDEADBEEF, np.uint32)
    device_of(target).load(code)["hidden"].launch(GRID, BLOCK, out)
    assert list(out) == [0] * 14 + [0xDEADBEEF] * 2


SIZES = r"""
kernel void sizes(global uint *out) {
  if (__builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y()
      | __builtin_amdgcn_workitem_id_z())
    return;
  uint g = __builtin_amdgcn_workgroup_id_x() + 2 * __builtin_amdgcn_workgroup_id_y()
         + 6 * __builtin_amdgcn_workgroup_id_z();
  global uint *o = out + 8 * g;
  o[0] = __builtin_amdgcn_workgroup_size_x(); o[1] = __builtin_amdgcn_workgroup_size_y();
  o[2] = __builtin_amdgcn_workgroup_size_z(); o[3] = __builtin_amdgcn_grid_size_x();
  o[4] = __builtin_amdgcn_grid_size_y(); o[5] = __builtin_amdgcn_grid_size_z();
}
"""


@pytest.mark.parametrize("version", [4, 5, 6])
@pytest.mark.parametrize("target", TARGETS)
def test_sizes_by_builtin(target: str, version: int, tmp_path: Path) -> None:
    """From the packet in version 4, from hidden arguments since; the compiler decides."""
    code = compiled(target, SIZES, tmp_path, f"-mcode-object-version={version}")
    out = np.zeros((12, 8), np.uint32)
    device_of(target).load(code)["sizes"].launch(GRID, BLOCK, out)
    sizes = [*BLOCK, *(g * b for g, b in zip(GRID, BLOCK, strict=True))]
    assert (out[:, :6] == sizes).all() and (out[:, 6:] == 0).all()


MODULE = r"""
__attribute__((visibility("protected"))) global int counter = 7;
__attribute__((visibility("protected"))) global int *global pointers[3] = {&counter, 0, &counter};
__attribute__((visibility("protected"))) global int zeros[70];
constant int table[5] = {3, 1, 4, 1, 5};

kernel void first(global int *out) {
  uint i = __builtin_amdgcn_workitem_id_x();
  zeros[i] += (int)i;
  out[i] = zeros[i] + table[i % 5] + *pointers[2];
}
kernel void second(global int *out) {
  uint i = __builtin_amdgcn_workitem_id_x();
  if (i == 0)
    *pointers[0] += 1;
  out[i] = zeros[i] + (pointers[1] == 0);
}
kernel void shared(global int *out, local int *dynamic, int n) {
  volatile local int fixed[64];
  uint i = __builtin_amdgcn_workitem_id_x();
  fixed[i] = (int)i;
  dynamic[n - 1 - (int)i] = 100 + (int)i;
  out[i] = fixed[i] + dynamic[n - 1 - (int)i];
  out[64 + i] = (int)(uint)dynamic;
}
kernel void stacked(global int *out, int n) {
  uint i = __builtin_amdgcn_workitem_id_x();
  int a[100];
  for (int k = 0; k < 100; ++k)
    a[k] = k * n + (int)i;
  out[i] = a[(i * 7 + n) % 100];
}
"""


@pytest.mark.parametrize("version", [4, 5, 6])
@pytest.mark.parametrize("target", TARGETS)
def test_several_kernels_share_globals(target: str, version: int, tmp_path: Path) -> None:
    """Relocated pointers, zeroed and initialised variables, constants; state lasts."""
    code = compiled(target, MODULE, tmp_path, f"-mcode-object-version={version}")
    module = device_of(target).load(code)
    assert sorted(module) == ["first", "second", "shared", "stacked"]
    lanes = np.arange(64, dtype=np.int32)
    out = np.zeros(64, np.int32)
    table = np.array([3, 1, 4, 1, 5], np.int32)[lanes % 5]
    module["first"].launch(1, 64, out)
    assert (out == lanes + table + 7).all()
    module["second"].launch(1, 64, out)
    assert (out == lanes + 1).all()
    module["first"].launch(1, 64, out)
    assert (out == 2 * lanes + table + 8).all()
    other = device_of(target).load(code)  # another module has variables of its own
    other["second"].launch(1, 64, out)
    assert (out == 1).all()


@pytest.mark.parametrize("target", TARGETS)
def test_dynamic_lds_follows_the_fixed_part(target: str, tmp_path: Path) -> None:
    module = device_of(target).load(compiled(target, MODULE, tmp_path))
    lanes = np.arange(64, dtype=np.int32)
    for n in (64, 100):
        out = np.zeros(128, np.int32)
        module["shared"].launch(1, 64, out, 256, n, lds=4 * n)  # 256 bytes are fixed
        assert (out[:64] == 2 * lanes + 100).all() and (out[64:] == 256).all()
    with pytest.raises(tegula.SanitizerReport, match="lds-out-of-bounds"):
        module["shared"].launch(1, 64, np.zeros(128, np.int32), 256, 64, lds=64)


@pytest.mark.parametrize("target", TARGETS)
def test_scratch(target: str, tmp_path: Path) -> None:
    kernel_ = device_of(target).load(compiled(target, MODULE, tmp_path))["stacked"]
    assert kernel_.info.scratch_bytes >= 400
    lanes = np.arange(64, dtype=np.int32)
    out = np.zeros(64, np.int32)
    kernel_.launch(1, 64, out, 3)
    assert (out == (lanes * 7 + 3) % 100 * 3 + lanes).all()


DYNAMIC = r"""
kernel void dynamic(global int *out, int n) {
  uint i = __builtin_amdgcn_workitem_id_x();
  private int *a = (private int *)__builtin_alloca(4 * (uint)(n + (int)(i & 7)));
  for (int k = 0; k < n; ++k)
    a[k] = k * (int)i;
  int s = 0;
  for (int k = 0; k < n; ++k)
    s += a[k * 7 % n];
  out[i] = s;
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_a_dynamic_stack_has_a_default_size(target: str, tmp_path: Path) -> None:
    """The descriptor says only that the stack is dynamic; 16 KiB are added to its fixed part."""
    kernel_ = device_of(target).load(compiled(target, DYNAMIC, tmp_path))["dynamic"]
    assert 16384 <= kernel_.info.scratch_bytes < 17000
    out = np.zeros(64, np.int32)
    kernel_.launch(1, 64, out, 1000)
    assert (out == 999 * 500 * np.arange(64)).all()
    with pytest.raises((tegula.SanitizerReport, tegula.LaunchError), match="scratch"):
        kernel_.launch(1, 64, out, 5000)


def test_the_layout_of_the_simplest_descriptor() -> None:
    assert Abi().layout() == {"kernarg": 0, "system": 2, "x": 2, "y": 3, "z": 4}
