"""The tegula-sim tool: arguments, outputs, sidecars, errors, help."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tegula import knobs

Tool = Callable[..., subprocess.CompletedProcess[str]]


def scaled(code: Path, *more: object) -> list[object]:
    """The words that launch ``scaled`` on x.npy into y.npy: x · 2 + 3."""
    pair = struct.pack("<fi", 2.0, 3).hex()
    arguments = ["out:y.npy:f32:100", "in:x.npy", f"bytes:{pair}", "i32:100"]
    return ["run", code, "--kernel", "scaled", "--grid", 2, *more, "--args", *arguments]


# --- Arguments ------------------------------------------------------------------------------------


def test_arrays_structs_and_a_new_output(tool: Tool, code: Path, tmp_path: Path) -> None:
    x = np.arange(100, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    done = tool(*scaled(code))
    assert done.stdout == done.stderr == ""
    y = np.load(tmp_path / "y.npy")
    assert y.dtype == np.float32 and np.array_equal(y, x * 2 + 3)
    assert np.array_equal(np.load(tmp_path / "x.npy"), x)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.npy", "y.npy"]


def test_archives(tool: Tool, code: Path, tmp_path: Path) -> None:
    x = np.arange(100, dtype=np.float32)
    other = np.arange(6).reshape(2, 3)
    np.savez_compressed(tmp_path / "a.npz", x=x)
    np.savez(tmp_path / "b.npz", y=np.zeros((10, 10), np.float32), other=other)
    words = scaled(code)
    words[words.index("out:y.npy:f32:100")] = "out:b.npz:y"
    words[words.index("in:x.npy")] = "in:a.npz:x"
    tool(*words)
    with np.load(tmp_path / "b.npz") as archive:
        assert sorted(archive.files) == ["other", "y"]
        assert archive["y"].shape == (10, 10) and np.array_equal(archive["other"], other)
        assert np.array_equal(archive["y"].ravel(), x * 2 + 3)
    words[words.index("out:b.npz:y")] = "out:new.npz:made:f32:4x25"
    tool(*words)
    with np.load(tmp_path / "new.npz") as archive:
        assert archive["made"].shape == (4, 25) and archive["made"][3, 24] == 99 * 2 + 3


def test_scalars_of_every_type(tool: Tool, code: Path, tmp_path: Path) -> None:
    values = ["i8:-128", "i16:-2", "i32:-0x80000000", "i64:-9223372036854775808", "u8:255"]
    values += ["u16:0xffff", "u32:4294967295", "u64:18446744073709551615", "f32:0.1", "f64:-1e300"]
    tool("run", code, "--kernel", "scalars", "--args", "out:o.npy:u64:10", *values)
    out = np.load(tmp_path / "o.npy")
    signed = [-128, -2, -(2**31), -(2**63)]
    assert out.view(np.int64)[:4].tolist() == signed
    assert out[4:8].tolist() == [255, 65535, 2**32 - 1, 2**64 - 1]
    assert out[8] == np.float32(0.1).view(np.uint32) and out[9:].view(np.float64)[0] == -1e300
    for f16, bf16 in (("1.0009765", "0.1"), ("65504", "3.3895314e38"), ("6e-8", "-1e-40")):
        arguments = ("out:h.npy:u16:2", f"f16:{f16}", f"bf16:{bf16}")
        tool("run", code, "--kernel", "halves", "--args", *arguments)
        halves = np.load(tmp_path / "h.npy")
        assert halves[0] == np.float16(f16).view(np.uint16)
        assert halves[1] == np.float32(bf16).astype(ml_dtypes.bfloat16).view(np.uint16)


def test_null_buffers_and_dynamic_lds(tool: Tool, code: Path, tmp_path: Path) -> None:
    for pointer, expected in (("null", 1), ("buf:4K", 0)):
        tool("run", code, "--kernel", "is_null", "--args", "out:o.npy:i32:64", pointer)
        assert np.load(tmp_path / "o.npy").tolist() == [expected] * 64
    options = ["--kernel", "reversed", "--block", "128"]
    arguments = ["--args", "out:o.npy:i32:128", "i32:0"]
    tool("run", code, *options, "--lds", "512", *arguments)
    assert np.load(tmp_path / "o.npy").tolist() == list(range(127, -1, -1))
    done = tool("run", code, *options, "--lds", "508", *arguments, status=3)
    assert "lds-out-of-bounds" in done.stderr
    quiet = ("--suppress", "lds-race", "--suppress", "lds-out-of-bounds:*")
    done = tool("run", code, *options, "--lds", "508", *quiet, *arguments)
    assert "lds-out-of-bounds" not in done.stderr and "suppressed" in done.stderr
    bad = tool("run", code, "--suppress", "nothing", *options, *arguments, status=2)
    assert "a suppression is kind" in bad.stderr and " lds-race " in bad.stderr


MALFORMED = [
    ("i32", 2, "no value of that kind"),
    ("i7:1", 2, "of no known kind"),
    ("--lds", 2, "--lds must stand before --args"),
    ("i32:", 2, "no value of that kind"),
    ("i32:4294967296", 2, "no value of that kind"),
    ("i8:-129", 2, "no value of that kind"),
    ("u8:-1", 2, "no value of that kind"),
    ("i32:5x", 2, "no value of that kind"),
    ("f32:nothing", 2, "no value of that kind"),
    ("bytes:abc", 2, "no value of that kind"),
    ("buf:5Q", 2, "no value of that kind"),
    ("buf:99999999999999999999", 2, "no value of that kind"),
    ("in:missing.npy", 1, "No such file"),
    ("in:.", 1, "is a folder"),
    ("in:text.npy", 1, "not a .npy file"),
    ("in:a.npz:absent", 1, "has no array 'absent'"),
    ("in:text.npz:x", 1, "not a .npz file"),
    ("out:missing.npy", 1, "No such file"),
    ("in:fortran.npy", 1, "not in C order"),
    ("in:big.npy", 1, "big-endian"),
    ("in:objects.npy", 1, "not numbers"),
    ("in:cut.npy", 1, "the header says"),
    ("in:cut.npz:x", 1, "not a .npz file"),
    ("in:corrupt.npz:x", 1, "wrong checksum"),
    ("out:o.npy:f33:10", 2, "names no type: 'f33' is none of i8 i16"),
    ("out:o.npy:f32", 2, "has no shape such as 64x128"),
    ("out:o.npy:f32:-1", 2, "'-1' is no extent"),
    ("out:a.npz:y:f32:4xx4", 2, "'' is no extent"),
    ("out:o.npy:f32:99999999999x99999999999", 2, "more than 2^46 bytes"),
    ("out:o.npy:f32:99999999999", 2, "the memory of a gfx950 309237645312"),
    ("buf:300G", 2, "argument 'buf:300G' has 322122547200 bytes"),
    ("undef:-1", 2, "no value of that kind"),
    ("same:2", 2, "names no memory of an earlier argument"),
    ("in:/dev/zero", 1, "is not a regular file"),
    ("in:huge.npy", 1, "bytes, this host's memory"),
]


@pytest.mark.parametrize("argument, status, message", MALFORMED)
def test_malformed_arguments(
    tool: Tool, code: Path, tmp_path: Path, argument: str, status: int, message: str
) -> None:
    with open(tmp_path / "huge.npy", "wb") as file:
        file.truncate(1 << 43)  # takes no room
    (tmp_path / "text.npy").write_text("no array at all, only some text")
    (tmp_path / "text.npz").write_text("no archive")
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.savez(tmp_path / "a.npz", x=array)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(array))
    np.save(tmp_path / "big.npy", array.astype(">f4"))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "cut.npy", array)
    whole = (tmp_path / "cut.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-1])
    archive = bytearray((tmp_path / "a.npz").read_bytes())
    (tmp_path / "cut.npz").write_bytes(archive[:-30])
    archive[archive.index(whole[128:])] ^= 1
    (tmp_path / "corrupt.npz").write_bytes(archive)
    done = tool("run", code, "--kernel", "is_null", "--args", "buf:256", argument, status=status)
    assert message in done.stderr


def test_arguments_that_the_kernel_does_not_have(tool: Tool, code: Path) -> None:
    done = tool("run", code, "--kernel", "is_null", "--args", "buf:256", status=2)
    assert "the kernel has 2 arguments, not 1" in done.stderr
    done = tool("run", code, "--kernel", "is_null", "--args", "buf:256", "i32:0", status=2)
    assert "argument 2 of the kernel has 8 bytes, 'i32:0' has 4" in done.stderr


# --- What is written ------------------------------------------------------------------------------


def test_an_input_stays_an_input(tool: Tool, code: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(64, np.int32))
    done = tool("run", code, "--kernel", "writes_input", "--args", "in:x.npy", status=3)
    assert "read-only" in done.stderr and "kernels may only read" in done.stderr
    assert not np.load(tmp_path / "x.npy").any()
    tool("run", code, "--kernel", "writes_input", "--args", "out:x.npy")
    assert np.load(tmp_path / "x.npy").all()


def test_outputs_are_all_or_none(tool: Tool, code: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(100, np.float32))
    np.save(tmp_path / "y.npy", np.full(100, 7, np.float32))
    before = (tmp_path / "y.npy").read_bytes()
    words = scaled(code)
    words[words.index("out:y.npy:f32:100")] = "out:y.npy"
    words[words.index("in:x.npy")] = "out:no/such/folder.npy:f32:100"
    done = tool(*words, status=1)
    assert "no/such/folder.npy: cannot be written" in done.stderr
    assert (tmp_path / "y.npy").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.npy", "y.npy"]


def test_a_launch_that_is_stopped_writes_nothing(tool: Tool, code: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "flag.npy", np.zeros(1, np.int32))
    stamp = (tmp_path / "flag.npy").stat().st_ino
    done = tool("run", code, "--kernel", "forever", "--args", "out:flag.npy", status=3)
    assert "deadlock" in done.stderr
    assert (tmp_path / "flag.npy").stat().st_ino == stamp


def test_output_into_a_pipe(tool: Tool, code: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(100, np.float32))
    words = scaled(code)
    words[words.index("out:y.npy:f32:100")] = "out:/dev/stderr:f32:100"
    binary = str((Path(knobs.get("native_dir")) / "bin" / "tegula-sim").resolve())
    command = [binary, *map(str, words)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert done.stderr.startswith(b"\x93NUMPY") and len(done.stderr) == 128 + 400


def test_permissions_stay(tool: Tool, code: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(64, np.int32))
    os.chmod(tmp_path / "x.npy", 0o640)
    tool("run", code, "--kernel", "writes_input", "--args", "out:x.npy")
    assert (tmp_path / "x.npy").stat().st_mode & 0o777 == 0o640


# --- Sidecars -------------------------------------------------------------------------------------


def test_a_sidecar_says_it_all(tool: Tool, code: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    np.save(folder / "x.npy", np.arange(100, dtype=np.float32))
    words = ["out:y.npy:f32:100", "in:x.npy", "bytes:0000004003000000", "i32:100"]
    launch = {"kernel": "scaled", "grid": [2, 1], "block": 64, "lds": 0, "args": words}
    (folder / "launch.json").write_text(json.dumps(launch))
    tool("run", code, "--sidecar", "sub/launch.json")
    assert np.load(folder / "y.npy")[99] == 99 * 2 + 3
    tool("run", code, "--sidecar", "sub/launch.json", "--grid", "1")  # the command line counts
    assert np.load(folder / "y.npy")[[63, 64]].tolist() == [63 * 2 + 3, 0]


def test_tritons_metadata_is_a_sidecar(tool: Tool, code: Path, tmp_path: Path) -> None:
    metadata = {"name": "reversed", "num_warps": 2, "shared": 512, "warp_size": 64}
    (tmp_path / "kernel.json").write_text(json.dumps(metadata))
    tool("run", code, "--sidecar", "kernel.json", "--args", "out:o.npy:i32:128", "i32:0")
    assert np.load(tmp_path / "o.npy")[0] == 127


@pytest.mark.parametrize(
    "contents, message",
    [
        ("", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ('{"grid": [1, 2, 3, 4]}', "'grid' is not one to three numbers"),
        ('{"grid": -1}', "'grid' is not one to three numbers"),
        ('{"block": [64, 0]}', "'block' has an extent of 0"),
        ('{"block": "64"}', "'block' is not one to three numbers"),
        ('{"num_warps": 17}', "'num_warps' is not a number of 0 to 16"),
        ('{"shared": 1.5}', "'shared' is not a number"),
        ('{"kernel": 3}', "'kernel' is not text"),
        ('{"args": "i32:5"}', "'args' is not a list"),
        ('{"args": [5]}', "'args' is not text"),
        ('{"girds": 4}', "unknown key 'girds'"),
    ],
)
def test_malformed_sidecars(
    tool: Tool, code: Path, tmp_path: Path, contents: str, message: str
) -> None:
    (tmp_path / "s.json").write_text(contents)
    assert message in tool("run", code, "--sidecar", "s.json", status=1).stderr


# --- Objects and the command line -----------------------------------------------------------------


def test_what_is_no_code_object_is_one_line(tool: Tool, code: Path, tmp_path: Path) -> None:
    whole = code.read_bytes()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("kernel")
    foreign = bytearray(whole)
    foreign[48] = 0x3F  # e_flags: gfx90a
    (tmp_path / "foreign").write_bytes(foreign)
    cases = {
        "empty": "is empty",
        "text": "not an ELF file",
        "/bin/sh": "not an AMDGPU code object",
        "foreign": "code object for another processor (gfx90a)",
        "missing": "No such file",
        ".": "is a folder",
        "/dev/zero": "is not a regular file",
    }
    for name, message in cases.items():
        for command in ("run", "list", "disassemble"):
            assert message in tool(command, name, status=1).stderr
    for length in range(1, len(whole), max(1, len(whole) // 40)):
        (tmp_path / "cut").write_bytes(whole[:length])
        assert "cut: " in tool("list", "cut", status=1).stderr
    done = tool("run", code, "--target", "gfx942", "--kernel", "forever", status=1)
    assert "the code object is for gfx950, the device is a gfx942" in done.stderr


def test_kernels_by_name(tool: Tool, code: Path) -> None:
    done = tool("run", code, status=2)
    assert "has 9 kernels; name one with --kernel: " in done.stderr
    done = tool("run", code, "--kernel", "none", status=2)
    assert "no kernel none" in done.stderr and " scaled" in done.stderr


def test_the_list(tool: Tool, code: Path) -> None:
    text = tool("list", code).stdout
    assert text.startswith("target gfx950\n") and "\nscaled\n" in text
    assert "  workgroup 64,1,1" in text and "by_value" in text and "hidden" not in text
    listed = json.loads(tool("list", code, "--json").stdout)
    [kernel] = [k for k in listed["kernels"] if k["name"] == "scaled"]
    assert kernel["workgroup"] == [64, 1, 1] and kernel["kernarg"] == 28
    assert [(a["name"], a["size"]) for a in kernel["args"]] == [
        ("out", 8),
        ("x", 8),
        ("p", 8),
        ("n", 4),
    ]


def test_the_list_of_odd_names(tool: Tool, code: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.co").write_bytes(code.read_bytes().replace(b"scaled", b'sc"\\\n\xff'))
    listed = json.loads(tool("list", "odd.co", "--json").stdout)
    assert 'sc"\\\n\ufffd' in [k["name"] for k in listed["kernels"]]


def test_the_disassembly_is_llvms(tool: Tool, code: Path) -> None:
    llvm = ["/usr/lib/llvm-22/bin/llvm-objdump", "-d", "--no-show-raw-insn", str(code)]
    theirs = subprocess.run(llvm, capture_output=True, text=True, check=True).stdout
    ours = tool("disassemble", code).stdout
    for mnemonic in ("s_load_dwordx4", "global_store_dword", "v_fma_f32", "s_barrier", "s_endpgm"):
        assert theirs.count(mnemonic) == ours.count(mnemonic)


OPTIONS = [
    (["--schedule", "fast"], "--schedule needs fifo|random:SEED|adversarial, not 'fast'"),
    (["--schedule", "random"], "--schedule needs fifo|random:SEED|adversarial, not 'random'"),
    (["--seconds", "-1"], "--seconds needs S, not '-1'"),
    (["--grid", "1,2,3,4"], "--grid needs X[,Y[,Z]], not '1,2,3,4'"),
    (["--lds", "1T"], "--lds needs BYTES, not '1T'"),
    (["--threads", "many"], "--threads needs N of at most 1024, not 'many'"),
    (["--threads", "100000"], "--threads needs N of at most 1024, not '100000'"),
    (["--target", "gfx90a"], "--target needs gfx942|gfx950, not 'gfx90a'"),
    (["--fast"], "there is no option --fast"),
    (["--limit"], "--limit needs N"),
    (["another.co"], "'another.co' is one argument too many"),
]


@pytest.mark.parametrize("options, message", OPTIONS)
def test_options_that_are_refused(tool: Tool, code: Path, options: list[str], message: str) -> None:
    assert message in tool("run", code, *options, status=2).stderr


BARE = """.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_load_dword s4, s[0:1], 0x8
  v_mov_b32 v0, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s4
  global_store_dword v0, v1, s[2:3]
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_kernarg_size 20
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 4
.end_amdhsa_kernel
"""


def test_arguments_of_a_kernel_without_metadata(tool: Tool, tmp_path: Path) -> None:
    """They lie as a C struct has them: twelve bytes are three dwords, at a multiple of 4."""
    (tmp_path / "k.s").write_text(BARE)
    clang = ["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950"]
    subprocess.run([*clang, tmp_path / "k.s", "-o", tmp_path / "k.co"], check=True)
    words = ["out:y.npy:i32:1", "bytes:070000000000000000000000"]
    tool("run", tmp_path / "k.co", "--grid", 1, "--block", 64, "--args", *words)
    assert np.load(tmp_path / "y.npy").tolist() == [7]


def test_options_that_change_the_run(tool: Tool, code: Path, tmp_path: Path) -> None:
    words = ["--kernel", "forever", "--args", "buf:4"]
    for schedule in ("fifo", "random:7", "adversarial"):
        done = tool("run", code, "--schedule", schedule, *words, status=3)
        assert "deadlock" in done.stderr
    done = tool("run", code, "--limit", 50, "--json", *words, status=3)
    [finding] = [json.loads(line) for line in done.stderr.splitlines()]
    assert finding["kind"] == "instruction-limit"
    np.save(tmp_path / "x.npy", np.zeros(100, np.float32))
    report = json.loads(tool(*scaled(code, "--stats", "--json")).stdout)
    assert report["instructions"]["workgroups"] == 2
    racy = ["--kernel", "reversed", "--block", 128, "--lds", 256, "--args", "buf:512", "i32:0"]
    assert "lds-out-of-bounds" in tool("run", code, *racy, status=3).stderr


def test_help_and_unknown_commands(tool: Tool) -> None:
    listed = tool("--help").stdout
    assert tool(status=2).stderr == listed
    for command in ("run", "list", "disassemble", "coverage", "hip"):
        assert f"  {command} " in listed
        text = tool(command, "--help").stdout
        assert text.startswith(f"usage: tegula-sim {command}") and "\n\n" in text
        assert max(map(len, text.splitlines())) <= 100
    assert tool("--version").stdout == "tegula-sim 0.1.0\n"
    assert "there is no command fly" in tool("fly", status=2).stderr
    assert "missing KERNEL.co" in tool("run", status=2).stderr


# --- Programs that use HIP ------------------------------------------------------------------------


def compile_hip(source: str, output: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    library = (Path(knobs.get("native_dir")) / "lib").resolve()
    flags = [f"-I{root / 'include' / 'tegula'}", f"-L{library / 'hip'}", "-lamdhip64"]
    flags += [f"-Wl,-rpath-link,{library}", "-x", "c++", "-", "-o", str(output)]
    subprocess.run(["clang++-22", *flags], input=source, text=True, check=True)


LAUNCHES = """#include <cstdio>
#include <hip/hip_runtime_api.h>
int main(int, char **argv) {
  hipModule_t module;
  hipFunction_t kernel;
  void *x = nullptr;
  float values[64];
  for (int i = 0; i < 64; ++i)
    values[i] = 3.0f + i;
  if (hipModuleLoad(&module, argv[1]) || hipModuleGetFunction(&kernel, module, "early") ||
      hipMalloc(&x, 256) || hipMemcpy(x, values, 256, hipMemcpyHostToDevice))
    return 11;
  void *parameters[] = {&x};
  if (hipError_t error = hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters,
                                               nullptr))
    return std::puts(hipGetErrorName(error)), 12;
  if (hipMemcpy(values, x, 256, hipMemcpyDeviceToHost))
    return 11;
  for (float v : values)
    std::printf("%a ", v);
}"""


def test_options_of_hip_programs(tool: Tool, code: Path, tmp_path: Path) -> None:
    compile_hip(LAUNCHES, tmp_path / "launches")

    def run(*options: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        program = "--", "./launches", code
        return tool("hip", "--device", "gfx950", *options, *program, status=status)

    def values(*options: str) -> np.ndarray:
        done = run("--suppress", "use-before-wait:early", *options)
        assert done.stderr == ""
        return np.array([float.fromhex(v) for v in done.stdout.split()], np.float32)

    right = 1 / (np.arange(64, dtype=np.float32) + 3)
    done = run(status=12)
    assert done.stdout == "hipErrorLaunchFailure\n" and "more use-before-wait" not in done.stderr
    assert done.stderr.count("use-before-wait") == 2
    done = run("--max-findings", "1", status=12)
    assert "and 1 more use-before-wait at other places" in done.stderr
    assert np.array_equal(values(), right)
    assert np.array_equal(values("--transcendentals", "exact"), right)
    near = values("--transcendentals", "1ulp")
    steps = near.view(np.int32) - right.view(np.int32)
    assert set(steps) == {-1, 0, 1}
    assert np.isnan(values("--late-loads")).all()
    assert "a suppression is kind" in run("--suppress", "nothing", status=11).stderr
    assert "cannot understand 'numerics exact'" in run("--numerics", "exact", status=11).stderr


def test_hip_programs(tool: Tool, tmp_path: Path) -> None:
    source = """#include <cstdio>
        #include <hip/hip_runtime_api.h>
        int main(int argc, char **) {
          int count = 0;
          hipDeviceProp_t p;
          hipGetDeviceCount(&count);
          for (int i = 0; i < count; ++i)
            if (hipGetDeviceProperties(&p, i) == hipSuccess)
              std::printf("%.6s ", p.gcnArchName);
          return argc > 1 ? 7 : 0;
        }"""
    compile_hip(source, tmp_path / "devices")
    assert tool("hip", "--", "./devices").stdout == "gfx950 gfx942 "
    assert tool("hip", "--device", "gfx942", "--", "./devices").stdout == "gfx942 "
    assert tool("hip", "--", "./devices", "x", status=7).stdout == "gfx950 gfx942 "
    done = tool("hip", "--", "./no_such_program", status=127)
    assert "no_such_program: No such file" in done.stderr
    assert "no program behind --" in tool("hip", status=2).stderr
    assert not list(Path(os.environ.get("TMPDIR", "/tmp")).glob("tegula-hip.*"))
