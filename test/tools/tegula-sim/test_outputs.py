"""What tegula-sim writes, when writing fails, and what it says of memory."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tegula import knobs

Tool = Callable[..., subprocess.CompletedProcess[str]]
DOUBLE = ["bytes:0000004000000000", "i32:100"]  # of `scaled`: x · 2 + 0, 100 elements


def double(code: Path, out: str, x: str = "in:x.npy", *options: str) -> list[object]:
    return ["run", code, "--kernel", "scaled", "--grid", 2, *options, "--args", out, x, *DOUBLE]


@pytest.fixture(autouse=True)
def x(tmp_path: Path) -> np.ndarray:
    array = np.arange(100, dtype=np.float32)
    np.save(tmp_path / "x.npy", array)
    return array


# --- Where it is written --------------------------------------------------------------------------


def test_a_link_is_written_through(tool: Tool, code: Path, tmp_path: Path, x: np.ndarray) -> None:
    (tmp_path / "data").mkdir()
    os.symlink("data/real.npy", tmp_path / "inner.npy")
    os.symlink("inner.npy", tmp_path / "link.npy")
    for _ in range(2):  # the target is new, then there
        tool(*double(code, "out:link.npy:f32:100"))
        assert os.readlink(tmp_path / "link.npy") == "inner.npy"
        assert np.array_equal(np.load(tmp_path / "data" / "real.npy"), 2 * x)
        assert [p.name for p in (tmp_path / "data").iterdir()] == ["real.npy"]


def test_one_file_twice(tool: Tool, code: Path, tmp_path: Path) -> None:
    os.symlink("y.npy", tmp_path / "link.npy")
    for second in ("out:y.npy:f32:100", "out:./y.npy:f32:100", "out:link.npy:f32:100"):
        done = tool(*double(code, "out:y.npy:f32:100", second), status=2)
        assert "arguments 1 and 2 both write" in done.stderr and "same:1" in done.stderr
    done = tool(*double(code, "out:a.npz:y:f32:100", "out:a.npz:y:f32:100"), status=2)
    assert "arguments 1 and 2 both write" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.npy", "x.npy"]
    for second in ("a.npz", "./b.npz"):  # two members of one archive
        first = second[-5:]
        tool(*double(code, f"out:{first}:y:f32:100", f"out:{second}:z:f32:100"))
        assert sorted(np.load(tmp_path / first)) == ["y", "z"]
        assert [*tmp_path.glob("*.npz.*")] == []


def test_in_place(tool: Tool, code: Path, tmp_path: Path, x: np.ndarray) -> None:
    tool(*double(code, "out:x.npy", "same:1"))
    assert np.array_equal(np.load(tmp_path / "x.npy"), 2 * x)
    tool(*double(code, "out:x.npy", "in:x.npy"))  # two copies: the input is what the file held
    assert np.array_equal(np.load(tmp_path / "x.npy"), 4 * x)


@pytest.mark.parametrize("out", ["no/folder/y.npy", ".", "/proc/none/y.npy"])
def test_what_cannot_be_written_is_refused_before(tool: Tool, code: Path, out: str) -> None:
    # A launch would report the missing argument's bounds first.
    done = tool(*double(code, f"out:{out}:f32:1"), status=1)
    assert f"{out}: cannot be written: " in done.stderr


def test_a_report_counts_more_than_a_failed_write(code: Path, tmp_path: Path) -> None:
    binary = str((Path(knobs.get("native_dir")) / "bin" / "tegula-sim").resolve())
    command = [binary, *map(str, double(code, "out:/dev/full:f32:50"))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3 and "error: out-of-bounds" in done.stderr
    assert "/dev/full: cannot be written: No space left on device" in done.stderr


def test_output_that_nobody_gets(code: Path, tmp_path: Path) -> None:
    binary = str((Path(knobs.get("native_dir")) / "bin" / "tegula-sim").resolve())
    commands: list[list[object]] = [["list", code], ["disassemble", code], ["coverage"], ["--help"]]
    commands += [["run", "--help"], double(code, "out:y.npy:f32:100", "in:x.npy", "--stats")]
    for command in commands:
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [binary, *map(str, command)], cwd=tmp_path, stdout=full, stderr=-1, text=True
            )
        assert done.returncode == 1, command
        last = done.stderr.splitlines()[-1]  # the reason is known if the last write fails
        assert last.startswith("tegula-sim: standard output cannot be written"), command


# --- What a run says ------------------------------------------------------------------------------


def test_what_ran(tool: Tool, code: Path) -> None:
    done = tool(*double(code, "out:y.npy:f32:100", "in:x.npy", "--stats"))
    assert done.stdout.startswith("grid 2,1,1, block 64,1,1, dynamic LDS 0\n")
    assert done.stderr == ""  # the kernel requires its block
    done = tool(*double(code, "out:y.npy:f32:100", "in:x.npy", "--stats", "--json"))
    report = json.loads(done.stdout)
    assert (report["grid"], report["block"], report["dynamic_lds"]) == ([2, 1, 1], [64, 1, 1], 0)
    done = tool("run", code, "--kernel", "is_null", "--args", "buf:256", "null")
    assert done.stderr.startswith("note: workgroups of 64 work-items")
    done = tool("run", code, "--kernel", "is_null", "--grid", "2,0", "--args", "buf:256", "null")
    assert done.stderr == "note: the grid is empty, nothing ran\n"


def test_dynamic_lds_that_was_forgotten(tool: Tool, code: Path) -> None:
    words = ["run", code, "--kernel", "reversed", "--block", 128]
    arguments = ["--args", "buf:512", "i32:0"]
    hint = 'note: the launch has no dynamic LDS (--lds BYTES, or "lds" in the sidecar)\n'
    assert tool(*words, *arguments, status=3).stderr.endswith(hint)
    assert hint not in tool(*words, "--lds", 256, *arguments, status=3).stderr


def test_coverage_without_a_record(tool: Tool, tmp_path: Path) -> None:
    done = tool("coverage", "--tested", "none.csv", status=1)
    assert done.stderr == "tegula-sim: none.csv: cannot be read\n"
    (tmp_path / "record.csv").write_text("s_nop,gfx950,SOPP,9\n")
    done = tool("coverage", "--tested", "record.csv")
    assert done.stderr == "" and done.stdout.splitlines()[-1].endswith("at least 8 cases")


# --- What reports say of memory -------------------------------------------------------------------


def report(tool: Tool, *words: object) -> dict[str, object]:
    done = tool(*words[:2], "--json", *words[2:], status=3)
    return json.loads(done.stderr.splitlines()[0])


def test_reports_name_arguments(tool: Tool, code: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros(50, np.float32))
    found = report(tool, *double(code, "buf:400", "in:a.npz:x"))
    assert "0 bytes past the end of argument 2 (in:a.npz:x), " in str(found["detail"])
    allocation = found["allocation"]
    assert isinstance(allocation, dict)
    assert (allocation["name"], allocation["size"]) == ("argument 2 (in:a.npz:x)", 200)
    assert (allocation["offset"], allocation["freed"]) == (200, False)
    found = report(tool, *double(code, "out:y.npy:f32:0", "in:x.npy"))
    assert "0 bytes past the end of argument 1 (out:y.npy:f32:0), " in str(found["detail"])
    found = report(tool, *double(code, "null", "in:x.npy"))
    assert str(found["detail"]).endswith(" is a null pointer + 0") and "allocation" not in found


def test_reports_name_variables(tool: Tool, code: Path) -> None:
    words = ["run", code, "--kernel", "variables", "--block", 1, "--args", "buf:4"]
    tool(*words, "i32:3")
    found = report(tool, *words, "i32:1000000")
    detail = str(found["detail"])
    assert " bytes past the end of variable 'second_variable' of 16 bytes, " in detail
    found = report(tool, *words[:4], "--grid", 2, *words[4:], "i32:3")  # each writes its own value
    assert found["kind"] == "global-race"
    assert "0 bytes inside variable 'first_variable' of 16 bytes" in str(found["detail"])


def test_memory_that_counts_as_never_written(tool: Tool, code: Path) -> None:
    for memory, expected in (("buf:4", 0), ("undef:4", 1)):  # its value decides a branch
        done = tool("run", code, "--kernel", "forever", "--args", memory, status=3)
        assert done.stderr.count("error: uninitialised: ") == expected
        assert ("was never written" in done.stderr) == bool(expected)


# --- Offload bundles ------------------------------------------------------------------------------


def bundle(folder: Path, code: Path, *options: str) -> str:
    (folder / "host").write_bytes(b"x")
    target = "hipv4-amdgcn-amd-amdhsa--gfx950"
    words = ["--type=o", "--input=host", f"--input={code}", *options, "--output=bundle"]
    words.append(f"--targets=host-x86_64-unknown-linux-gnu-,{target}:sramecc+")
    subprocess.run(["/usr/lib/llvm-22/bin/clang-offload-bundler", *words], cwd=folder, check=True)
    return "bundle"


def test_bundles(tool: Tool, code: Path, tmp_path: Path) -> None:
    assert tool("list", bundle(tmp_path, code)).stdout == tool("list", code).stdout
    whole = (tmp_path / "bundle").read_bytes()
    (tmp_path / "bundle").write_bytes(whole.replace(b"--gfx950", b"--gfx90a"))
    done = tool("list", "bundle", status=1)
    assert "no code for gfx942 or gfx950, only: host-x86_64" in done.stderr
    for length in (24, 30, 60, len(whole) - 1):
        (tmp_path / "bundle").write_bytes(whole[:length])
        assert "damaged offload bundle" in tool("list", "bundle", status=1).stderr
    done = tool("list", bundle(tmp_path, code, "--compress"), status=1)
    assert "compressed offload bundle; unpack it: clang-offload-bundler --unbundle" in done.stderr
