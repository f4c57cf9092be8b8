"""Types of Triton's arguments (its kernels run in test/thirdparty)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
from tegula.sim import Device, launch_triton
from tegula.sim.triton import typed


def compiled(path: Path, name: str, signature: dict[str, Any], scratch: int = 0) -> Any:
    """What launch_triton reads of a CompiledKernel, around a kernel of clang's."""
    metadata = SimpleNamespace(
        name=name, num_warps=1, shared=0, global_scratch_size=scratch, profile_scratch_size=0
    )
    source = SimpleNamespace(signature=signature)
    return SimpleNamespace(asm={"hsaco": path.read_bytes()}, metadata=metadata, src=source)


def test_scalars_take_the_types_of_the_signature() -> None:
    signature = ["*fp32", "i32", "constexpr", "fp32", "bf16", "u8", ("i64", "i1")]
    array = np.zeros(1, np.float32)
    values = typed(signature, [array, -2, 1, 1.5, 255, (7, True)])
    assert values[0] is array
    assert values[1:] == [
        b"\xfe\xff\xff\xff",
        np.float32(1),
        ml_dtypes.bfloat16(1.5),
        b"\xff",
        (7).to_bytes(8, "little"),
        b"\x01",
    ]
    assert [type(v) for v in values[2:4]] == [np.float32, ml_dtypes.bfloat16]


@pytest.mark.parametrize(
    "kind, value", [("i32", 1.0), ("i8", 300), ("u8", -129), ("tensordesc<fp16>", 1)]
)
def test_scalars_that_do_not_fit(kind: str, value: Any) -> None:
    with pytest.raises(tegula.ArgumentError):
        typed([kind], [value])


def test_the_number_of_arguments_is_checked() -> None:
    with pytest.raises(tegula.ArgumentError, match="2 arguments.*1 run-time"):
        typed(["i32", "constexpr"], [1, 2])


def test_scratch_is_there_for_every_workgroup(code_path: Path) -> None:
    device = Device("gfx950", threads=1)
    signature = {"out": "*i32", "BLOCK": "constexpr"}
    out = np.zeros(3, np.int32)
    launch_triton(device, compiled(code_path, "through_scratch", signature, 4), (3,), out)
    assert out.tolist() == [10, 11, 12]
    with pytest.raises(tegula.SanitizerReport):
        launch_triton(device, compiled(code_path, "through_scratch", signature), (3,), out)
