"""HIP programs on simulated devices: libamdhip64 of lib/Sim/HipShim, built and run without ROCm."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import triton

import triton_kernels
from tegula import knobs
from tegula.kernels import softmax
from triton_kernels import compile_kernel

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "tegula" / "hip" / "hip_runtime_api.h"
TRITON_HEADERS = Path(triton.__file__).parent / "backends" / "amd" / "include"
DEVICES = {"gfx950": 0, "gfx942": 1}  # the shim's defaults, in order


def library_folder() -> Path:
    return Path(knobs.get("native_dir")).resolve() / "lib" / "hip"


def run_with_shim(
    command: list[str], folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    path = str(folder or library_folder())
    return subprocess.run(
        command,
        env={**os.environ, "LD_LIBRARY_PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def compile_cpp(source: Path, output: Path, *flags: str) -> None:
    command = ["clang++-22", "-std=c++17", "-Wall", "-Wextra", "-Werror", str(source)]
    subprocess.run([*command, *flags, "-o", str(output)], check=True)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """examples/hip/softmax.cpp, built as the shim's README says with what is installed."""
    output = tmp_path_factory.mktemp("hip") / "softmax"
    folder = library_folder()
    flags = [f"-I{folder.parents[1] / 'include' / 'tegula'}", f"-L{folder}", "-lamdhip64"]
    source = ROOT / "examples" / "hip" / "softmax.cpp"
    compile_cpp(source, output, *flags, f"-Wl,-rpath-link,{folder.parent}")
    return output


def softmax_objects(target: str, folder: Path) -> list[str]:
    """Both softmax objects as files: the arguments of the program."""
    x = np.zeros((8, 256), dtype=np.float32)
    ours = folder / "tegula.co"
    ours.write_bytes(softmax.compile(x, x.copy(), target=target).code_object)
    signature = {"out": "*fp32", "x": "*fp32", "n": "i32"}
    compiled = compile_kernel(triton_kernels.softmax, target, signature, {"BLOCK": 256}, 4)
    theirs = folder / "triton.co"
    theirs.write_bytes(compiled.asm["hsaco"])
    return [str(ours), str(theirs), compiled.metadata.name, str(compiled.metadata.shared)]


@pytest.mark.parametrize("target", DEVICES)
def test_a_program_launches_tegula_and_triton(target: str, program: Path, tmp_path: Path) -> None:
    arguments = softmax_objects(target, tmp_path)
    done = run_with_shim([str(program), *arguments, str(DEVICES[target])])
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    assert f"{target}:sramecc+:xnack-" in done.stdout
    for name in ("tegula", "triton"):
        [milliseconds] = re.findall(rf"{name}: ([\d.]+) ms", done.stdout)
        assert 0 < float(milliseconds) < 60_000


def test_a_program_sees_hips_errors(program: Path, tmp_path: Path) -> None:
    arguments = softmax_objects("gfx950", tmp_path)

    def fails_with(error: str, *changed: str) -> None:
        done = run_with_shim([str(program), *changed])
        assert done.returncode == 1 and error in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) <= 2

    ours, theirs, name, lds = arguments
    fails_with("hipErrorNoBinaryForGpu", ours, theirs, name, lds, str(DEVICES["gfx942"]))
    fails_with("hipErrorInvalidDevice", *arguments, "2")
    fails_with("hipErrorFileNotFound", str(tmp_path / "missing.co"), *arguments[1:])
    fails_with("hipErrorNotFound", ours, theirs, "no_such_kernel", lds)
    truncated = tmp_path / "truncated.co"
    truncated.write_bytes(Path(ours).read_bytes()[:1000])
    fails_with("hipErrorInvalidImage", str(truncated), *arguments[1:])
    fails_with("hipErrorInvalidConfiguration", ours, theirs, name, str(1 << 20))


def test_a_finding_fails_the_launch_and_is_told(program: Path, tmp_path: Path) -> None:
    """Triton's kernel writes columns that the program has no memory for, were its BLOCK wider."""
    arguments = softmax_objects("gfx950", tmp_path)
    Path(arguments[1]).write_bytes(unmasked_copy("gfx950"))
    done = run_with_shim([str(program), arguments[0], arguments[1], "unmasked", arguments[3]])
    assert done.returncode == 1 and "hipErrorIllegalAddress" in done.stderr, done.stderr
    assert "out-of-bounds" in done.stderr and "past the end of device allocation" in done.stderr


def unmasked_copy(target: str) -> bytes:
    signature = {"out": "*fp32", "x": "*fp32", "n": "i32"}
    constants = {"BLOCK": 4096}
    compiled = compile_kernel(triton_kernels.unmasked, target, signature, constants, 4)
    code: bytes = compiled.asm["hsaco"]
    return code


def test_options_beside_the_library(program: Path, tmp_path: Path) -> None:
    arguments = softmax_objects("gfx942", tmp_path)
    folder = tmp_path / "hip"
    folder.mkdir()
    (folder / "libamdhip64.so.7").symlink_to(library_folder() / "libamdhip64.so.7")
    path = f"{folder}:{library_folder().parent}"
    options = folder / "tegula-hip.conf"
    options.write_text("device gfx942 # only one\nthreads 1\nsanitize off\nschedule random:7\n")
    done = run_with_shim([str(program), *arguments, "0"], LD_LIBRARY_PATH=path)
    assert done.returncode == 0 and "gfx942" in done.stdout, done.stderr
    for wrong in ("device gfx90a", "sanitise off", "threads many", "schedule random:", "limit"):
        options.write_text(f"\n{wrong}\n")
        done = run_with_shim([str(program), *arguments, "0"], LD_LIBRARY_PATH=path)
        assert done.returncode == 1 and "hipErrorNoDevice" in done.stderr
        assert f"tegula-hip.conf:2: cannot understand '{wrong}'" in done.stderr


# --- Facts of the header, against the one that Triton ships ---------------------------------------


def test_values_layouts_and_prototypes_are_hips(tmp_path: Path) -> None:
    text = HEADER.read_text()
    values = re.findall(r"^\s+((?:hip|HIP_)\w+) = (\w+)", text, re.M)
    values += re.findall(r"^#define (hip[A-Z]\w+) (0x[0-9a-f]+)$", text, re.M)
    found = re.findall(r"TEGULA_HIP_API ([\w ]+\W)(hip\w+)\(([^;]*)\);", text)
    # hip_ext.h, which declares that one, is not among Triton's headers.
    prototypes = [row for row in found if row[1] != "hipExtModuleLaunchKernel"]
    assert len(values) > 100 and len(prototypes) > 80
    lines = ["#define __HIP_PLATFORM_AMD__", "#include <cstddef>", "#include <hip/hip_runtime.h>"]
    lines += [f'static_assert(long({name}) == {value}, "");' for name, value in values]
    for number, (result, name, parameters) in enumerate(prototypes):
        plain = re.sub(r" TEGULA_HIP_DEFAULT\([^)]*\)", "", parameters)
        plain = plain.replace("hipJitOption *", "enum hipJitOption *")
        lines.append(f"using F{number} = {result}({plain});")
        lines.append(f"F{number} *const p{number} = static_cast<F{number} *>({name});")
    source = tmp_path / "facts.cpp"
    source.write_text("\n".join(lines))
    compile_cpp(source, tmp_path / "facts.o", "-w", "-c", f"-isystem{TRITON_HEADERS}")

    layout = """#include <cstddef>
#include <cstdio>
#include <hip/hip_runtime_api.h>
using P = hipDeviceProp_t;
int main() {
  std::printf("%zu %zu %zu %zu %zu %zu %zu %zu", sizeof(P), __builtin_offsetof(P, gcnArchName),
    __builtin_offsetof(P, arch), __builtin_offsetof(P, multiProcessorCount),
    __builtin_offsetof(P, sharedMemPerMultiprocessor), __builtin_offsetof(P, asicRevision),
    sizeof(HIP_LAUNCH_CONFIG), sizeof(hipPointerAttribute_t));
}
"""
    source.write_text(layout)
    printed = []
    for include in (f"-I{HEADER.parents[1]}", f"-isystem{TRITON_HEADERS}"):
        compile_cpp(source, tmp_path / "layout", "-w", "-D__HIP_PLATFORM_AMD__", include)
        printed.append(subprocess.check_output([tmp_path / "layout"], text=True))
    assert printed[0] == printed[1]


# --- Triton's own driver --------------------------------------------------------------------------


def test_tritons_driver_loads_and_launches(tmp_path: Path) -> None:
    """Triton's C driver, which it compiles itself, on a simulated gfx950: JIT, launch, compare."""
    done = run_with_shim(
        [sys.executable, str(Path(__file__).parent / "hip_triton.py")],
        TRITON_LIBHIP_PATH=str(library_folder() / "libamdhip64.so"),
        TRITON_CACHE_DIR=str(tmp_path),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gfx950" in done.stdout and "vector_add is right" in done.stdout
