"""Bank conflicts and memory traffic as a simulated device counts them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tegula
import tegula as tg
from tegula import knobs
from tegula.kernels import gemm, softmax
from tegula.runtime import ArgumentTraffic


@tg.kernel(grid=lambda x: tg.num_tiles(x, (4, 256)))
def double(x: "M N", out: "M N"):
    i, j = tg.tile_id(x, (4, 256))
    tg.store(out, (i, j), tg.load(x, (i, j), (4, 256)) * 2.0)


def counted(kernel: Any, *args: Any, **constants: int) -> tegula.runtime.Device:
    with tegula.device("sim:gfx950", threads=1, count_accesses=True) as device:
        device.reset_counters()
        kernel(*args, **constants)
    return device


def test_each_argument_has_its_traffic() -> None:
    x, out = np.ones((8, 512), np.float32), np.empty((8, 512), np.float32)
    [use] = counted(double, x, out).usage()
    read, written = use.accesses.arguments["x"].read, use.accesses.arguments["out"].written
    assert read.bytes == written.bytes == x.nbytes
    assert read.lanes == written.lanes == {16: x.nbytes // 16}
    # A wave access of 64 × 16 consecutive bytes, wherever the array begins.
    assert read.executions == x.nbytes // 1024
    assert 16 * read.executions <= read.segments_64 <= 17 * read.executions
    assert 8 * read.executions <= read.segments_128 <= 9 * read.executions
    assert use.accesses.arguments["x"].written == use.accesses.arguments["out"].read
    assert use.accesses.arguments["x"].written == ArgumentTraffic().written


def test_a_use_prints_its_counts() -> None:
    arrays = [np.ones((8, 512), np.float32) for _ in range(2)]
    out, x = sorted(arrays, key=lambda array: array.ctypes.data)  # not in the order of addresses
    [use] = counted(double, x, out).usage()
    head, executed, *arguments = str(use).splitlines()
    assert head == "double for gfx950"
    assert "launches 1, " in executed and f"total {use.instructions['total']:,}" in executed
    assert [line.split()[:4] for line in arguments] == [
        ["x", "16,384", "bytes", "read"],
        ["out", "0", "bytes", "read"],
    ]
    a, c = np.ones((64, 64), np.float16), np.empty((64, 64), np.float32)
    [use] = counted(gemm, a, a, c).usage()
    assert f"{use.accesses.conflicts} lost by conflicts" in str(use).splitlines()[-1]


def test_tails_are_no_traffic() -> None:
    x, out = np.ones((3, 500), np.float32), np.empty((3, 500), np.float32)
    [use] = counted(double, x, out).usage()
    assert use.accesses.arguments["x"].read.bytes == x.nbytes
    assert use.accesses.arguments["out"].written.bytes == x.nbytes


def test_arguments_in_one_array_share_an_entry() -> None:
    x = np.ones((8, 512), np.float32)
    [use] = counted(double, x, x).usage()
    traffic = use.accesses.arguments["x+out"]
    assert traffic.read.bytes == traffic.written.bytes == x.nbytes


def test_launches_add_up_until_the_reset() -> None:
    x, out = np.ones((8, 512), np.float32), np.empty((8, 512), np.float32)
    device = counted(double, x, out)
    [use] = device.usage()
    once = [access.executions for access in use.accesses.by_pc.values()]
    with tegula.device(device):
        double(x, out)
        assert [a.executions for a in use.accesses.by_pc.values()] == [2 * n for n in once]
        assert use.accesses.arguments["x"].read.bytes == 2 * x.nbytes
        device.reset_counters()
        double(x, out)
    [use] = device.usage()
    assert [access.executions for access in use.accesses.by_pc.values()] == once


def test_instructions_in_program_order_agree_with_the_counters() -> None:
    x, out = np.ones((8, 512), np.float32), np.empty((8, 512), np.float32)
    device = counted(softmax, x, out)
    [use] = device.usage()
    pcs = list(use.accesses.by_pc)
    assert pcs == sorted(pcs)
    vector = [a for a in use.accesses.by_pc.values() if a.space == "global"]
    assert sum(a.executions for a in vector) == use.instructions["vmem"]


def test_nothing_is_counted_unless_asked_for() -> None:
    x, out = np.ones((8, 512), np.float32), np.empty((8, 512), np.float32)
    with tegula.device("sim:gfx950", threads=1) as device:
        device.reset_counters()
        double(x, out)
    [use] = device.usage()
    assert not use.accesses.by_pc and not use.accesses.arguments and use.accesses.conflicts == 0


@pytest.fixture
def product(tmp_path: Path) -> list[str]:
    """A command that runs a 64×64×64 product, which goes through LDS."""
    a = np.ones((64, 64), np.float16)
    compiled = gemm.compile(a, a, a, target="gfx950", BM=64, BN=64, BK=64)
    code = tmp_path / "gemm.hsaco"
    code.write_bytes(compiled.code_object)
    manifest = compiled.manifest
    parts = [(argument["offset"], "buf:8192") for argument in manifest["arguments"]]
    parts += [(extent["offset"], "i32:64") for extent in manifest["extents"]]
    parts += [(stride["offset"], "i64:64") for stride in manifest["strides"]]
    tool = str(Path(knobs.get("native_dir")) / "bin" / "tegula-sim")
    block = str(manifest["block"][0])
    options = ["--kernel", manifest["kernel"], "--block", block, "--no-sanitize", "--stats"]
    return [tool, "run", str(code), *options, "--args", *(text for _, text in sorted(parts))]


def test_the_tool_prints_tables(product: list[str]) -> None:
    text = subprocess.run(product, capture_output=True, text=True, check=True).stdout
    assert "wave-instructions: total " in text
    [header] = [line for line in text.splitlines() if "conflicts" in line]
    rows = [line.split() for line in text.splitlines() if "ds_read_b" in line]
    assert rows and all(row[1:3] == ["lds", "read"] for row in rows)
    assert all(row[header.split().index("conflicts")] == "0" for row in rows)


def test_the_tool_prints_json(product: list[str]) -> None:
    command = [*product[:3], "--json", *product[3:]]
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert report["instructions"]["mfma"] > 0
    lds = [row for row in report["accesses"] if row["space"] == "lds"]
    assert lds and sum(row["executions"] for row in lds) == report["instructions"]["lds"]
    assert [m for m in report["memory"] if m["kind"] == "device" and m["read"]["bytes"]]
