"""Kernels compiled ahead of time: files, choice of variant, launches without the compiler."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from tegula import cli, knobs
from tegula.compiler.program import c_header
from tegula.frontend import tiles
from tegula.kernels import gemm, rms_norm, softmax
from tegula.runtime import devices as device_module

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "include" / "tegula" / "manifest.schema.json").read_text())
TARGETS = ("gfx942", "gfx950")
NT = tg.Signature(
    a=tg.array(tg.bf16, 2), b=tg.array(tg.bf16, 2, strides=(1, None)), c=tg.array(tg.f32, 2)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """gemm with every tile of tg.auto, for both targets."""
    return tegula.compile_ahead(gemm, NT, TARGETS, tmp_path_factory.mktemp("aot")).parent


@pytest.fixture(params=TARGETS)
def device(request: pytest.FixtureRequest) -> Iterator[tegula.Device]:
    with tegula.device(f"sim:{request.param}") as found:
        yield found


def product(m: int, n: int, k: int) -> tuple[np.ndarray, ...]:
    """Small integers, whose product is exact; c starts as NaN."""
    rng = np.random.default_rng(m * n + k)
    a = rng.integers(-4, 5, (m, k)).astype(ml_dtypes.bfloat16)
    b = rng.integers(-4, 5, (n, k)).astype(ml_dtypes.bfloat16).T
    return a, b, np.full((m, n), np.nan, np.float32)


def manifest(folder: Path, kernel: str = "gemm") -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / f"{kernel}.json").read_text())
    return loaded


def test_a_folder_holds_what_the_manifest_names(folder: Path) -> None:
    variants = manifest(folder)["variants"]
    named = {variant["file"] for variant in variants} | {"gemm.json", "gemm.h"}
    assert {path.name for path in folder.iterdir()} == named
    assert len(variants) == 2 * len(tiles._ROWS)
    for target in TARGETS:
        conditions = [v.get("when") for v in variants if v["target"] == target]
        assert None not in conditions[:-1] and conditions[-1] is None


@pytest.mark.parametrize("kernel", [gemm, rms_norm, softmax])
def test_manifests_follow_the_schema(kernel: tg.Kernel, tmp_path: Path) -> None:
    row = tg.array(tg.bf16, 2)
    signatures = {
        "gemm": NT,
        "softmax": tg.Signature(x=row, out=row, N=512),
        "rms_norm": tg.Signature(
            x=row, w=tg.array(tg.bf16, 1), out=row, rstd=tg.array(tg.f32, 2), eps=tg.f32, N=512
        ),
    }
    name = kernel.definition.name
    tegula.compile_ahead(kernel, signatures[name], TARGETS, tmp_path)
    jsonschema.validate(manifest(tmp_path, name), SCHEMA)
    broken = manifest(tmp_path, name)
    broken["variants"][0]["grid"] = [["pow", 2, 3]]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


SHAPES = [(1, 64, 64), (16, 96, 40), (17, 64, 64), (65, 132, 104)]
SHAPES += [(129, 60, 64), (200, 100, 72), (200, 200, 48)]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_variant_is_the_one_that_auto_takes(
    folder: Path, device: tegula.Device, shape: tuple[int, int, int]
) -> None:
    program = tegula.load_program(folder / "gemm.json")
    a, b, c = product(*shape)
    program(a, b, c)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    chosen = manifest(folder)["variants"][program.plan(a, b, c=c)["variant"]]
    assert chosen["target"] == device.target
    jit = gemm.compile(a, b, c, target=device.target)
    assert (folder / chosen["file"]).read_bytes() == jit.code_object


def test_a_program_needs_no_compiler(folder: Path, tmp_path: Path) -> None:
    """In a process of its own, with a native folder that has none, and a moved bundle."""
    native = tmp_path / "native"
    native.mkdir()
    (native / "lib").symlink_to(Path(knobs.get("native_dir")) / "lib")
    moved = folder.rename(folder.with_name("moved elsewhere"))
    text = f"""
import numpy as np, ml_dtypes, tegula
a, b = np.ones((3, 32), ml_dtypes.bfloat16), np.ones((4, 32), ml_dtypes.bfloat16)
c = np.zeros((3, 4), np.float32)
with tegula.device("sim:gfx950"):
    tegula.load_program({str(moved / "gemm.json")!r})(a, b.T, c)
assert (c == 32).all()
"""
    environment = {**os.environ, "TEGULA_NATIVE_DIR": str(native), "TEGULA_CACHE": "0"}
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True)
    moved.rename(folder)
    assert done.returncode == 0, done.stderr.decode()


def test_extents_that_are_known_leave_one_variant(tmp_path: Path) -> None:
    signature = tg.Signature(**NT.entries, M=20)
    tegula.compile_ahead(gemm, signature, ["gfx950"], tmp_path)
    [variant] = manifest(tmp_path)["variants"]
    assert "when" not in variant and ["ceildiv", ["dim", 2, 0], 32] in variant["grid"][0]
    sized = tg.Signature(**NT.entries, BM=64, BN=64, BK=64)
    tegula.compile_ahead(gemm, sized, ["gfx950"], tmp_path)
    assert [v["file"] for v in manifest(tmp_path)["variants"]] == ["gemm.gfx950.hsaco"]


def test_the_same_input_gives_the_same_files(folder: Path, tmp_path: Path) -> None:
    tegula.compile_ahead(gemm, NT, TARGETS, tmp_path)
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (lambda a, b, c: (a, b, c, c), "takes 3 arguments, not 4"),
        (lambda a, b, c: (a, b), "misses argument 'c'"),
        (lambda a, b, c: (a.astype(np.float32), b, c), "'a': found f32, expected bf16"),
        (lambda a, b, c: (a, b, c[:, ::2]), "'c'"),
        (lambda a, b, c: (a, b[:-2], c), "K = 62, expected K = 64, as argument 'a' has"),
        (lambda a, b, c: (a, b, c[0]), "rank 1"),
        (lambda a, b, c: (a, b, 1), "found a scalar, expected an array"),
        (lambda a, b, c: (a[::-1], b, c), "negative"),  # a bundle takes strides as they come
        (lambda a, b, c: (a[:, 1:], b[1:], c), "'a': found address .* a multiple of 16"),
        (lambda a, b, c: (a[:, :63], b[:63], c), "'a': found extent 63 of axis 1.*4-byte words"),
        (lambda a, b, c: (a[:, :60].copy(), b[:60], c), "'a': found stride 60 of axis 0"),
    ],
)
def test_arguments_that_no_variant_serves(
    folder: Path, device: tegula.Device, arguments: Any, words: str
) -> None:
    program = tegula.load_program(folder / "gemm.json")
    with pytest.raises(tegula.ArgumentError, match=words):
        program(*arguments(*product(8, 64, 64)))


def test_no_columns_to_sum(folder: Path, device: tegula.Device) -> None:
    """As C callers see such arrays: rows that are 0 apart."""
    a, b, c = product(5, 8, 0)
    a = np.lib.stride_tricks.as_strided(a, a.shape, (0, 2))
    b = np.lib.stride_tricks.as_strided(b, b.shape, (2, 0))
    tegula.load_program(folder / "gemm.json")(a, b, c)
    assert (c == 0).all()


def test_a_device_of_another_target(tmp_path: Path) -> None:
    path = tegula.compile_ahead(gemm, NT, ["gfx942"], tmp_path)
    assert len(manifest(tmp_path)["variants"]) > 1
    with tegula.device("sim:gfx950"), pytest.raises(tegula.ArgumentError) as caught:
        tegula.load_program(path)(*product(8, 64, 64))
    assert "found gfx950, expected a kernel compiled for it, not for gfx942 " in str(caught.value)


def test_bundles_that_are_broken(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(tegula.ArgumentError, match="no manifest"):
        tegula.load_program(tmp_path / "nothing.json")
    (tmp_path / "gemm.json").write_text((folder / "gemm.json").read_text())
    program = tegula.load_program(tmp_path / "gemm.json")
    with tegula.device("sim:gfx950"):
        with pytest.raises(tegula.LaunchError, match="cannot read .*gemm.*hsaco"):
            program(*product(8, 64, 64))
        # A failed load is tried again: the files may have come meanwhile.
        for path in folder.glob("*.hsaco"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
        program(*product(8, 64, 64))
    gfx942 = [v for v in manifest(folder)["variants"] if v["target"] == "gfx942"]
    only = {**manifest(folder), "variants": gfx942}
    (tmp_path / "gemm.json").write_text(json.dumps(only))
    with tegula.device("sim:gfx950"), pytest.raises(tegula.ArgumentError, match="'target'.*gfx942"):
        tegula.load_program(tmp_path / "gemm.json")(*product(8, 64, 64))


def test_a_code_object_of_another_build(folder: Path, tmp_path: Path) -> None:
    """Cut short, or written over another bundle whose manifest stayed: refused, and by its name."""
    device = tg.Device("sim:gfx950")
    arguments = product(8, 64, 64)
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with tegula.device(device.name):
        number = tegula.load_program(folder / "gemm.json").plan(*arguments)["variant"]
        file = tmp_path / manifest(folder)["variants"][number]["file"]
        whole = file.read_bytes()
        changed = whole[:-1] + bytes([whole[-1] ^ 1])
        for data in (whole[:-1], changed, b"", whole + b"x"):
            file.write_bytes(data)
            with pytest.raises(tegula.LaunchError) as caught:
                tegula.load_program(tmp_path / "gemm.json")(*arguments)
            said = f"'{file}' is not the code object of this manifest: {len(data)} bytes"
            assert said in str(caught.value)
        file.unlink()
        file.mkdir()
        with pytest.raises(tegula.LaunchError, match=f"cannot read '{file}': Is a directory"):
            tegula.load_program(tmp_path / "gemm.json")(*arguments)
        file.rmdir()
        file.write_bytes(whole)
        tegula.load_program(tmp_path / "gemm.json")(*arguments)
    for path, why in (
        (tmp_path, "Is a directory"),
        ("/dev/zero", "not supported"),
        ("", "No such"),
    ):
        with pytest.raises(device_module.native().RuntimeFailure, match=why):
            device.handle.open_program(str(path))


def test_writing_that_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was there before is not half replaced without a word, and no part is left behind."""
    row = tg.array(tg.f32, 2)
    tegula.compile_ahead(softmax, tg.Signature(x=row, out=row, N=512), ["gfx950"], tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    replace = os.replace

    def full(old: str, new: Path) -> None:
        if new.suffix == ".h":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(old, new)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        tegula.compile_ahead(softmax, tg.Signature(x=row, out=row, N=64), ["gfx950"], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(before)
    x = np.ones((2, 512), np.float32)
    with tegula.device("sim:gfx950"), pytest.raises(tegula.LaunchError, match="is not the code"):
        tegula.load_program(tmp_path / "softmax.json")(x, x.copy())


WORDS = """alignas and asm auto bool catch char8_t class co_await compl concept constexpr default
delete double explicit export extern final friend import int module mutable new noexcept not
nullptr operator or override private register requires restrict signed static_assert template this
thread_local throw try typeid typename typeof using virtual wchar_t xor_eq _Bool _Complex __LINE__
NULL EOF BUFSIZ SEEK_SET linux unix errno stdin FILE int64_t uint64_t INT64_MAX UINTPTR_MAX TGR_API
tgr_argument memset workspace workspace_bytes"""
COMPILERS = [["cc", "-std=c99"], ["cc", "-std=gnu17"], ["clang-22", "-std=c23"]]
COMPILERS += [["g++", "-std=c++11", "-xc++"], ["clang++-22", "-std=gnu++23", "-xc++"]]


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda words: " ".join(words[:2]))
def test_names_that_c_has_a_use_for(compiler: list[str], folder: Path, tmp_path: Path) -> None:
    """A header compiles whatever the arguments and the kernel are called."""
    variant = manifest(folder)["variants"][0]
    view = variant["arguments"][0]
    names = [*WORDS.split(), "x*/ int y;", "a\\", "??/", "größe"]
    arguments = [{**view, "name": name, "extents": [f"{name}*2", name]} for name in names]
    workspace = [{"offset": 0, "bytes": 64, "zeroed": False}]
    for kernel in ("double", "a.b", '%s"\\??/\n*/', "gemm"):
        record = {**variant, "kernel": kernel, "arguments": arguments, "workspace": workspace}
        text = json.dumps({"version": 1, "kernel": kernel, "variants": [record]})
        (tmp_path / "kernel.h").write_text(c_header(text))
        (tmp_path / "main.c").write_text('#include "kernel.h"\nint main(void) { return 0; }\n')
        flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
        flags += ["-I", ROOT / "include", tmp_path / "main.c"]
        done = subprocess.run([*compiler, *flags], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@tg.kernel(grid=lambda xor: (1,))
def double(xor: "N", out: "N") -> None:
    tg.store(out, (0,), tg.load(xor, (0,), (64,)) * 2)


DOUBLE_C = r"""
#include "double.h"
int main(int argc, char **argv) {
  static float x[64], y[64];
  tgr_device *device;
  tgr_program *program;
  double__args args = {y, x, 64};
  if (argc != 3 || tgr_device_open(argv[2], NULL, &device))
    return 3;
  if (double__open(device, argv[1], &program)) {
    printf("%s\n", tgr_last_error());
    return 4;
  }
  y[3] = 21;
  tgr_register(device, x, sizeof x, 1);
  tgr_register(device, y, sizeof y, 1);
  if (double__launch(program, &args, NULL)) {
    printf("%s\n", tgr_last_error());
    return 5;
  }
  args.xor_ = NULL;
  if (double__launch(program, &args, NULL) != TGR_INVALID_ARGUMENT)
    return 6;
  printf("%g; %s\n", x[3], tgr_last_error());
  return 0;
}
"""


def test_a_header_of_an_older_bundle(tmp_path: Path) -> None:
    """A kernel called as a word of C is found; a program built for other types is told so."""
    f32, f16 = tg.array(tg.f32, 1), tg.array(tg.f16, 1)
    out = tmp_path / "out"
    tg.compile_ahead(double, tg.Signature(xor=f32, out=f32), ["gfx950"], out)
    (tmp_path / "main.c").write_text(DOUBLE_C)
    library = Path(knobs.get("native_dir")).resolve() / "lib"
    command = ["cc", "-I", ROOT / "include", "-I", out, tmp_path / "main.c", "-L", library]
    command += ["-ltegula-runtime", f"-Wl,-rpath,{library}", "-o", tmp_path / "main"]
    subprocess.run(command, check=True)
    run = [tmp_path / "main", out, "sim:gfx950"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout == (
        "42; argument 'xor': found a null pointer, expected the address of its elements\n"
    )
    tg.compile_ahead(double, tg.Signature(xor=f16, out=f16), ["gfx950"], out)
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 5 and "argument 'xor': found f32, expected f16" in done.stdout


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "mine.py"
    source.write_text(
        "import tegula as tg\n@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 64),))\n"
        'def twice(x: "N", out: "N", by: tg.f32):\n    i = tg.program_id(0)\n'
        "    tg.store(out, (i,), tg.load(x, (i,), (64,)) * by)\n"
    )
    out = tmp_path / "out"
    given = ["compile", f"{source}:twice", "--signature", "x=f32", "out=f32", "by=f32"]
    assert cli.main([*given, "--target", "gfx950", "--target", "gfx942", "-o", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out / "twice.json")
    x, twice = np.arange(100, dtype=np.float32), np.full(100, np.nan, np.float32)
    for name in ("sim:gfx942", "sim:gfx950"):
        with tegula.device(name):
            tegula.load_program(out / "twice.json")(x, twice, by=2)
        assert np.array_equal(twice, 2 * x)
    for by, words in (("two", "'by': found a str, expected an array"), (10**400, "'by'")):
        with tegula.device("sim:gfx950"), pytest.raises(tegula.ArgumentError, match=words):
            tegula.load_program(out / "twice.json")(x, twice, by)
    header = (out / "twice.h").read_text()
    assert "double by; /* f32 */" in header and header.count("int64_t N;") == 1
    unwritable = tmp_path / "file"
    unwritable.write_text("")
    assert cli.main([*given, "-o", str(unwritable)]) == 1
    assert "exists" in capsys.readouterr().err


def test_launches_from_c(tmp_path: Path, device: tegula.Device) -> None:
    """The example in C, by the commands in its head: the runtime alone, no Python or LLVM in it."""
    source = ROOT / "examples" / "aot_gemm" / "main.c"
    commands = "\n".join(re.findall(r"^ \*   (.*)$", source.read_text(), re.M))
    for word, value in (
        ("PREFIX", Path(knobs.get("native_dir")).resolve()),
        ("examples/aot_gemm/main.c", source),
        ("cc ", "cc -std=c11 -Wall -Wextra -Werror "),
    ):
        assert word in commands
        commands = commands.replace(word, str(value))
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-ec", commands], cwd=tmp_path, env=tools, capture_output=True, text=True
    )
    assert done.returncode == 0 and "0 of 20000 elements are wrong" in done.stdout, done.stderr
    program = tmp_path / "aot_gemm"
    linked = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    assert "tegula-runtime" in linked and not re.search("libLLVM|libMLIR|libpython", linked)
    for m, n, k in ((1, 1, 1), (100, 200, 300), (130, 64, 33)):
        run = [program, tmp_path / "out", device.name, str(m), str(n), str(k)]
        done = subprocess.run(run, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert f"0 of {m * n} elements are wrong" in done.stdout
        assert "refused: argument 'a': found extent -1 of axis 1" in done.stdout
    run = [program, tmp_path, device.name, "1", "1", "1"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 1 and "cannot read" in done.stderr


SPLIT_C = r"""
#include "gemm.h"
#include <stdlib.h>
int main(int argc, char **argv) {
  enum { M = 48, N = 40, K = 300 };
  static float a[M * K], b[N * K], c[M * N];
  tgr_device *device;
  tgr_program *program;
  tgr_plan plan;
  if (argc != 3 || tgr_device_open(argv[2], NULL, &device) || gemm_open(device, argv[1], &program))
    return 3;
  for (int i = 0; i < M * K; ++i)
    a[i] = (float)(i % 7 - 3);
  for (int i = 0; i < N * K; ++i)
    b[i] = (float)(i % 5 - 2);
  tgr_register(device, a, sizeof a, 0);
  tgr_register(device, b, sizeof b, 0);
  tgr_register(device, c, sizeof c, 1);
  gemm_args args = {.a = a, .b = b, .c = c, .M = M, .N = N, .K = K, .a_stride0 = K,
                    .b_stride1 = K, .c_stride0 = N};
  if (gemm_launch(program, &args, NULL) != TGR_INVALID_ARGUMENT)
    return 4; /* no workspace */
  printf("%s\n", tgr_last_error());
  if (gemm_plan(program, &args, &plan))
    return 5;
  args.workspace_bytes = plan.workspace_bytes - 1;
  if (tgr_malloc(device, plan.workspace_bytes, &args.workspace))
    return 6;
  memset(args.workspace, 0xff, plan.workspace_bytes); /* device memory is host memory here */
  if (gemm_launch(program, &args, NULL) != TGR_INVALID_ARGUMENT)
    return 7; /* too small */
  printf("%s\n", tgr_last_error());
  args.workspace_bytes = plan.workspace_bytes;
  for (int run = 0; run < 2; ++run) {
    if (gemm_launch(program, &args, NULL) || tgr_synchronize(device, NULL))
      return 8;
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) {
        float sum = 0;
        for (int k = 0; k < K; ++k)
          sum += a[m * K + k] * b[n * K + k];
        if (c[m * N + n] != sum)
          return 9;
        c[m * N + n] = -1;
      }
  }
  printf("%llu bytes\n", (unsigned long long)plan.workspace_bytes);
  return 0;
}
"""


def test_a_workspace_from_c(tmp_path: Path, device: tegula.Device) -> None:
    """split_k: the C caller passes the scratch memory that the plan asks for."""
    signature = tg.Signature(
        a=tg.array(tg.f32, 2, align=4),
        b=tg.array(tg.f32, 2, strides=(1, None), align=4),
        c=tg.array(tg.f32, 2, align=4),
        BM=32, BN=32, BK=32,
    )  # fmt: skip
    kernel = gemm.with_schedule(**{device.target: {"split_k": 3}})
    path = tegula.compile_ahead(kernel, signature, [device.target], tmp_path / "out")
    jsonschema.validate(json.loads(path.read_text()), SCHEMA)
    (tmp_path / "main.c").write_text(SPLIT_C)
    library = Path(knobs.get("native_dir")).resolve() / "lib"
    program = tmp_path / "split"
    includes = ["-I", ROOT / "include", "-I", tmp_path / "out"]
    link = ["-L", library, "-ltegula-runtime", f"-Wl,-rpath,{library}", "-o", program]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, *includes, tmp_path / "main.c", *link], check=True)
    run = [program, tmp_path / "out", device.name]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = 2 * 2 * 3 * 32 * 32 * 4
    lines = done.stdout.splitlines()
    assert (
        lines[0]
        == f"argument 'workspace': found none, expected {parts + 256} bytes, as the plan says"
    )
    assert lines[1] == (
        f"argument 'workspace': found {parts + 255} bytes, expected at least {parts + 256}"
    )
    assert lines[2] == f"{parts + 256} bytes"
    a, b, c = (np.float32(v) for v in product(48, 40, 300))
    tegula.load_program(path)(a, b, c)  # the wrapper takes it from the device's pool
    assert np.array_equal(c, a @ b)


@tg.kernel(grid=lambda x: (1,))
def own_f8(x: "N", q: "N", *, N: tg.const) -> None:
    tg.store(q, (0,), tg.load(x, (0,), (N,)).to(tg.f8))


def test_the_other_flavour_of_f8_is_refused(tmp_path: Path, device: tegula.Device) -> None:
    """Its codes mean other numbers: an array of it is an error, never read as it is."""
    signature = tg.Signature(x=tg.array(tg.f32, 1), q=tg.array(tg.f8, 1), N=64)
    tg.compile_ahead(own_f8, signature, ["gfx942", "gfx950"], tmp_path)
    program, x = tegula.load_program(tmp_path / "own_f8.json"), np.full(64, 1.5, np.float32)
    own = tg.f8.numpy
    (other,) = {tg.f8e4m3fn.numpy, tg.f8e4m3fnuz.numpy} - {own}
    q = np.zeros(64, own)
    program(x, q)
    assert (q.astype(np.float32) == 1.5).all()
    with pytest.raises(tegula.ArgumentError) as caught:
        program(x, np.zeros(64, other))
    assert caught.value.argument == "q" and "f8e4m3" in str(caught.value)
