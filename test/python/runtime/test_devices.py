"""Devices by name, what is said when there is none, and what a launch refuses."""

from pathlib import Path

import numpy as np
import pytest

import tegula
import tegula as tg
from stages import with_code
from tegula import runtime
from tegula.kernels import softmax


def arrays(n: int = 64) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((2, n), dtype=np.float32), np.full((2, n), np.nan, dtype=np.float32)


def test_an_unknown_device_lists_the_names() -> None:
    with pytest.raises(tegula.DeviceError, match=r"hip:0"):
        runtime.open_device("cuda:0")
    with pytest.raises(tegula.DeviceError, match="no device 'sim:gfx90a'.*gfx942 and gfx950"):
        runtime.open_device("sim:gfx90a")


def test_options_of_devices_are_checked() -> None:
    with pytest.raises(TypeError, match="thread"):
        runtime.open_device("sim:gfx950", thread=1)
    with pytest.raises(tegula.ArgumentError, match="'threads': found 'many', expected an integer"):
        runtime.open_device("sim:gfx950", threads="many")
    with pytest.raises(tegula.ArgumentError, match="'seed': found -1"):
        runtime.open_device("sim:gfx950", seed=-1)


def test_a_device_of_the_environment_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEGULA_DEVICE", "sim:gfx9000")
    with pytest.raises(tegula.DeviceError, match="sim:gfx9000.*TEGULA_DEVICE"):
        softmax(*arrays())


@pytest.mark.skipif(Path("/dev/kfd").exists(), reason="this machine has an AMD GPU")
def test_hip_without_a_gpu_is_one_sentence() -> None:
    with pytest.raises(tegula.DeviceError) as caught:
        runtime.open_device("hip:0")
    assert "HIP" in caught.value.message and "\n" not in caught.value.message


def test_no_selected_device_is_an_argument_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEGULA_DEVICE", raising=False)
    with pytest.raises(tegula.ArgumentError, match="no device is selected"):
        softmax(*arrays())


def test_the_environment_selects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEGULA_DEVICE", "sim:gfx942")
    x, out = arrays()
    softmax(x, out)
    assert np.allclose(out, 1 / 64)


def test_counters_and_usage() -> None:
    with tegula.device("sim:gfx950", threads=1) as device:
        device.reset_counters()
        softmax(*arrays(4096))  # rows that do not share a workgroup
        softmax(*arrays(4096))
        assert device.counters()["launches"] == 2 and device.counters()["workgroups"] == 4
        [use] = device.usage()
        assert use.launches == 2 and use.instructions["total"] == device.counters()["total"] > 0
        device.reset_counters()
        assert device.counters()["total"] == 0 and device.usage() == []


def test_a_kernel_for_another_target_is_refused() -> None:
    x, out = arrays()
    compiled = softmax.compile(x, out, target="gfx942")
    with tegula.device("sim:gfx950"), pytest.raises(tegula.ArgumentError, match="gfx942"):
        runtime.launch(compiled, {"x": x, "out": out})


@pytest.mark.parametrize("code", [b"", b"not ELF", b"\x7fELF" + bytes(60)])
def test_a_damaged_code_object_is_one_line(code: bytes) -> None:
    x, out = arrays()
    compiled = with_code(softmax.compile(x, out, target="gfx950"), code)
    with tegula.device("sim:gfx950"), pytest.raises(tegula.LaunchError) as caught:
        runtime.launch(compiled, {"x": x, "out": out})
    assert len(str(caught.value).splitlines()) == 1


def test_every_truncation_of_a_code_object_is_refused() -> None:
    x, out = arrays()
    compiled = softmax.compile(x, out, target="gfx950")
    whole = compiled.code_object
    with tegula.device("sim:gfx950"):
        for length in range(0, len(whole) // 2, 97):
            cut = with_code(compiled, whole[:length])
            with pytest.raises(tegula.LaunchError):
                runtime.launch(cut, {"x": x, "out": out})


def test_an_empty_grid_is_a_success() -> None:
    with tegula.device("sim:gfx950") as device:
        device.reset_counters()
        softmax(np.ones((0, 64), dtype=np.float32), np.ones((0, 64), dtype=np.float32))
        assert device.counters()["workgroups"] == 0


def test_a_read_only_output_is_found() -> None:
    x, out = arrays()
    out.flags.writeable = False
    with tegula.device("sim:gfx950", threads=1), pytest.raises(tegula.Error):
        softmax(x, out)


@tg.kernel(grid=lambda x, n: (x.shape[0] // n,))
def divided_grid(x: "M", out: "M", n: tg.i32):
    i = tg.program_id(0)
    tg.store(out, (i,), tg.load(x, (i,), (64,)))


def test_findings_name_the_arguments_of_a_range() -> None:
    """Two arguments in one array are one range, which both names stand for."""
    both = np.zeros((4, 64), np.float32)
    both.flags.writeable = False
    with tg.device("sim:gfx950"):
        with pytest.raises(tg.SanitizerReport, match="inside arguments 'x' and 'out', registered"):
            softmax(both, both)
        with pytest.raises(tg.SanitizerReport, match="inside argument 'out', registered"):
            softmax(both.copy(), both)


def test_a_grid_without_a_value_is_an_argument_error() -> None:
    x = np.ones(64, dtype=np.float32)
    with tegula.device("sim:gfx950", threads=1):
        divided_grid(x, x.copy(), 64)
        with pytest.raises(tegula.ArgumentError, match="grid axis 0.*division by zero"):
            divided_grid(x, x.copy(), 0)
