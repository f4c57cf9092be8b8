"""The debugger from Python, on the kernels that the C++ tests use."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import tegula
from tegula.sim import Device, Kernel

KERNELS = Path(__file__).resolve().parents[2] / "unit" / "sim" / "debug" / "kernels.cl"


@pytest.fixture(scope="module")
def debugged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("debugger") / "kernels.co"
    flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950", "-w"]
    command = ["clang-22", *flags, "-g", "-nogpulib", "-O1", str(KERNELS), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


@pytest.fixture
def reversed_(debugged: Path) -> Kernel:
    return Device("gfx950", threads=1).load(debugged)["reversed"]


def arrays() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(256, np.int32), np.arange(1, 257, dtype=np.int32)


def test_stopping_looking_and_finishing(reversed_: Kernel) -> None:
    out, x = arrays()
    with reversed_.debug(2, 128, out, x) as debugger:
        assert debugger.event.reason == "started"
        number = debugger.break_at(line=12, file="kernels.cl", workgroup=1, wave=1)
        event = debugger.run()
        assert (event.reason, event.breakpoint, event.line) == ("breakpoint", number, 12)
        assert (event.workgroup, event.wave) == (1, 1) and event.file.endswith("kernels.cl")
        assert event.instruction and out[0] == 384
        lds = np.frombuffer(debugger.lds(0, 256), np.int32)
        assert np.array_equal(lds, x[128:192] * 3)  # of wave 0, which has run to its barrier
        assert debugger.register("exec") == 2**64 - 1
        assert debugger.register("v0").shape == (64,) and debugger.register("v0").dtype == np.uint32
        assert [(w.wave, w.selected) for w in debugger.waves()] == [(0, False), (1, True)]
        debugger.select(1, 0)
        assert debugger.step().wave == 0
        address = out.__array_interface__["data"][0]
        assert np.frombuffer(debugger.memory(address, 4), np.int32)[0] == 384
        run = debugger.finish()
    assert run.findings == () and run.stats.workgroups == 2
    assert np.array_equal(out, x.reshape(2, 128)[:, ::-1].ravel() * 3)
    with pytest.raises(tegula.LaunchError, match="the debugger is closed"):
        debugger.run()


def test_watchpoints(reversed_: Kernel) -> None:
    out, x = arrays()
    with reversed_.debug(1, 128, out, x) as debugger:
        first = debugger.watch(x[100:101], access="r")
        second = debugger.watch_lds(4 * 100)
        third = debugger.watch(out)
        found = []
        while (event := debugger.run()).reason == "watchpoint":
            found.append((event.breakpoint, event.wave, event.lane))
    assert found == [(first, 1, 36), (second, 1, 36), (third, 0, 0), (third, 1, 0)]
    with reversed_.debug(1, 128, out, x) as debugger:
        debugger.delete(debugger.watch(out))
        assert debugger.run().reason == "ended"


def test_traces_and_heat(reversed_: Kernel) -> None:
    out, x = arrays()
    with reversed_.debug(2, 128, out, x) as debugger:
        debugger.trace(workgroup=0, wave=1)
        debugger.heat(512)
        assert debugger.run().reason == "ended"
        trace, heat = debugger.traced(), debugger.heatmap()
        assert debugger.traced() == []
    assert {(t["workgroup"], t["wave"]) for t in trace} == {(0, 1)}
    assert trace[-1]["instruction"] == "s_endpgm"
    [write] = [t for t in trace if t["instruction"].startswith("global_store")]
    base = out.__array_interface__["data"][0]
    assert write["memory"]["use"] == "write" and int(write["memory"]["first"], 16) == base + 256
    rows = {(h.lds, h.offset): (h.reads, h.writes) for h in heat if h.base in (0, base)}
    assert rows == {(False, 0): (0, 128), (False, 512): (0, 128), (True, 0): (256, 256)}
    with reversed_.debug(2, 128, out, x) as debugger:
        debugger.heat(512)
        debugger.finish()
        assert len(debugger.heatmap()) == len(heat)
    with reversed_.debug(2, 128, out, x) as debugger:
        debugger.finish()
        with pytest.raises(tegula.LaunchError, match="the debugger is closed"):
            debugger.heatmap()


def test_at_a_finding(debugged: Path) -> None:
    kernel = Device("gfx950", threads=1).load(debugged)["racy"]
    with kernel.debug(1, 64, np.zeros(64, np.int32)) as debugger:
        debugger.stop_at_findings()
        event = debugger.run()
        assert event.reason == "finding" and "kernel racy" in event.finding
        debugger.stop_at_findings(False)
        with pytest.raises(tegula.SanitizerReport) as caught:
            debugger.finish()
    assert caught.value.findings


def test_an_abandoned_launch(reversed_: Kernel) -> None:
    out, x = arrays()
    with reversed_.debug(1, 128, out, x):
        with pytest.raises(tegula.LaunchError, match="a debugger holds a launch"):
            reversed_.launch(1, 128, *arrays())
    assert not out.any()
    reversed_.launch(1, 128, out, x)
    assert out[0] == 384


def test_what_there_is_not(reversed_: Kernel) -> None:
    with reversed_.debug(1, 128, *arrays()) as debugger:
        for call, message in (
            (lambda: debugger.break_at(pc=2), "no instruction at 2"),
            (lambda: debugger.break_at(line=999), "no code of line 999 of any file"),
            (lambda: debugger.register("v300"), "no register v300"),
            (lambda: debugger.select(0, 7), "wave 7 of workgroup 0 is not resident"),
            (lambda: debugger.lds(0, 513), "LDS has 512 bytes"),
            (lambda: debugger.memory(64, 4), "null pointer"),
            (lambda: debugger.delete(9), "no breakpoint 9"),
        ):
            with pytest.raises(tegula.LaunchError, match=message):
                call()
        with pytest.raises(tegula.ArgumentError, match="either pc or line"):
            debugger.break_at()
        with pytest.raises(tegula.ArgumentError, match="r or w or rw"):
            debugger.watch(64, access="x")
