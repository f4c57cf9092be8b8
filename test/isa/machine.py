"""One instruction at a time on a simulated wave: state before, text, expected state after.

A ``Case`` says all of that; ``run`` assembles cases into kernels (llvm's assembler), executes them
through the public API and returns what differs. Work-item ids, addresses and captured scalars
live in v0-v2 and s0-s7, s84-s99; cases may use the other registers.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tegula
import tegula.sim

from . import softfloat
from .softfloat import F32, Env, Format

LANES = 64
ALL = (1 << LANES) - 1
ROW = 4 * LANES  # bytes of one vector register
#: A lane's expected bits, or a predicate on them.
Expected = int | Callable[[int], bool]
SCALARS = ("exec", "vcc", "scc", "m0")


@dataclass(frozen=True)
class Mode:
    """The fields of MODE that arithmetic depends on."""

    round32: int = 0
    round64: int = 0  # f16 too
    denorm32: int = 3  # bit 0 keeps inputs, bit 1 outputs
    denorm64: int = 3  # f16 too
    dx10: bool = True
    ieee: bool = True
    ovfl: bool = False

    def env(self, f: Format) -> Env:
        rounding, denorm = self.round64, self.denorm64
        if f is F32:
            rounding, denorm = self.round32, self.denorm32
        return Env(rounding, bool(denorm & 1), bool(denorm & 2))

    def low_word(self) -> int:
        """Bits 9:0 of MODE."""
        rounding = self.round32 | self.round64 << 2
        denorms = self.denorm32 << 4 | self.denorm64 << 6
        return rounding | denorms | self.dx10 << 8 | self.ieee << 9


DEFAULT_MODE = Mode()


@dataclass
class Output:
    """Registers of one value, low dword first: per lane for vector registers, else one."""

    registers: tuple[str, ...]
    expected: list[Expected]

    @property
    def is_vector(self) -> bool:
        return self.registers[0][0] in "va" and self.registers[0] != "vcc"


@dataclass
class Region:
    """Global memory of a case, and its contents afterwards; s[40:41] hold its address.

    ``loose`` are places where several contents are right: offset to (bytes, expectation).
    """

    before: bytes
    after: bytearray
    loose: dict[int, tuple[int, Expected]] = field(default_factory=dict)

    def faults(self, got: bytes) -> Iterator[str]:
        for place, (size, right) in self.loose.items():
            bits = int.from_bytes(got[place : place + size], "little")
            if not holds(right, bits):
                yield f"memory at {place:#x} is {bits:#x} instead of another value"
                return
            got = got[:place] + self.after[place : place + size] + got[place + size :]
        for i in range(0, len(got), 4):
            if got[i : i + 4] != self.after[i : i + 4]:
                found, right_ = got[i : i + 4].hex(), self.after[i : i + 4].hex()
                yield f"memory at {i:#x} is {found} instead of {right_} (bytes)"
                return


@dataclass
class Case:
    """State before an instruction, its text, and state after it."""

    text: str
    vectors: dict[str, list[int]] = field(default_factory=dict)  # "v8" or "a8": 64 dwords
    scalars: dict[str, int] = field(default_factory=dict)  # "s20": dword
    exec: int = ALL
    vcc: int = 0
    scc: int = 0
    m0: int = 0
    mode: Mode = DEFAULT_MODE
    outputs: list[Output] = field(default_factory=list)
    after: dict[str, int] = field(default_factory=dict)  # exec, vcc, scc, m0 that it changes
    setup: list[str] = field(default_factory=list)  # run before, under a full EXEC
    teardown: list[str] = field(default_factory=list)  # run before the outputs are stored
    region: Region | None = None

    def state_after(self) -> dict[str, int]:
        before = {"exec": self.exec, "vcc": self.vcc, "scc": self.scc, "m0": self.m0}
        return before | self.after


@dataclass
class Kernel:
    """Cases that run one after the other in one wave."""

    name: str
    cases: list[Case]
    lds: int = 0
    scratch: int = 0

    def memory(self) -> np.ndarray:
        """The regions of all cases, one after the other."""
        contents = b"".join(c.region.before for c in self.cases if c.region)
        return np.frombuffer(contents or bytes(4), dtype=np.uint8).copy()


def expected_bits(result: Any, f: Format | None, mode: Mode) -> Expected:
    """What a result's bits may be: any NaN for a NaN, and with IEEE only a quiet one."""
    if isinstance(result, tuple):
        parts = [expected_bits(one, f, mode) for one in result]
        return lambda bits: any(holds(one, bits) for one in parts)
    if result is softfloat.ANY:
        return lambda bits: True
    if callable(result):
        return result  # type: ignore[no-any-return]
    if result is not softfloat.NAN:
        return int(result)
    assert f is not None
    return lambda bits: softfloat.is_nan(f, bits) and (bool(bits & f.quiet) or not mode.ieee)


def fields(parts: Sequence[tuple[int, int, Expected]]) -> Expected:
    """One expectation from (shift, width, expectation) of its parts."""
    if all(isinstance(e, int) for _, _, e in parts):
        return sum((int(e) & ((1 << w) - 1)) << s for s, w, e in parts)  # type: ignore[call-overload]
    return lambda bits: all(holds(e, bits >> s & ((1 << w) - 1)) for s, w, e in parts)


def holds(expected: Expected, bits: int) -> bool:
    return expected == bits if isinstance(expected, int) else expected(bits)


# ---- assembly text

_CAPTURE = 84  # first of the SGPRs that hold the state after the instruction


class Writer:
    """Assembly of one kernel, and where its inputs and outputs lie in memory."""

    def __init__(self, kernel: Kernel) -> None:
        self.lines: list[str] = []
        self.inputs: list[list[int]] = []
        self.rows_out = 0
        self.pending = {"s4": 0, "s6": 0}  # rows since the pointer was moved
        self.region = 0  # bytes of memory given to cases so far
        for case in kernel.cases:
            self.case(case)

    def add(self, *lines: str) -> None:
        self.lines += lines

    def move(self, pointer: str) -> None:
        if self.pending[pointer]:
            high = f"s{int(pointer[1:]) + 1}"
            self.add(
                f"s_add_u32 {pointer}, {pointer}, {self.pending[pointer] * ROW}",
                f"s_addc_u32 {high}, {high}, 0",
            )
            self.pending[pointer] = 0

    def offset(self, pointer: str) -> int:
        if self.pending[pointer] == 15:
            self.move(pointer)
        self.pending[pointer] += 1
        return (self.pending[pointer] - 1) * ROW

    def load(self, register: str, dwords: list[int]) -> None:
        self.inputs.append(dwords)
        self.add(f"global_load_dword {register}, v1, s[4:5] offset:{self.offset('s4')}")

    def store(self, register: str) -> None:
        self.rows_out += 1
        self.add(f"global_store_dword v1, {register}, s[6:7] offset:{self.offset('s6')}")

    def case(self, case: Case) -> None:
        for register, dwords in case.vectors.items():
            self.load(register, dwords)
        for register, dword in case.scalars.items():
            self.add(f"s_mov_b32 {register}, {dword:#x}")
        self.move("s4")
        if case.region:
            self.add(f"s_add_u32 s40, s16, {self.region}", "s_addc_u32 s41, s17, 0")
            self.region += len(case.region.before)
        self.add("s_waitcnt vmcnt(0)", *case.setup)
        self.add(f"s_cmp_eq_u32 s0, {'s0' if case.scc else 's1'}")
        for name, bits in (("vcc", case.vcc), ("exec", case.exec)):
            low, high = bits & 0xFFFFFFFF, bits >> 32
            self.add(f"s_mov_b32 {name}_lo, {low:#x}", f"s_mov_b32 {name}_hi, {high:#x}")
        self.add(f"s_mov_b32 m0, {case.m0:#x}", *self.mode(case.mode), "s_nop 7", case.text)
        self.add("s_nop 7", "s_nop 7", "s_nop 7", "s_waitcnt vmcnt(0) lgkmcnt(0)")
        self.capture(case)

    @staticmethod
    def mode(mode: Mode) -> list[str]:
        return [
            f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), {mode.low_word():#x}",
            "s_nop 1",
            f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), {int(mode.ovfl)}",
        ]

    def capture(self, case: Case) -> None:
        first = _CAPTURE
        self.add(
            f"s_mov_b64 s[{first}:{first + 1}], exec",
            f"s_mov_b64 s[{first + 2}:{first + 3}], vcc",
            f"s_cselect_b32 s{first + 4}, 1, 0",
            f"s_mov_b32 s{first + 5}, m0",
            "s_mov_b64 exec, -1",
            *self.mode(DEFAULT_MODE),
            *case.teardown,
            "v_mov_b32_e32 v2, 0",
        )
        named = [f"s{first + i}" for i in range(6)]
        named += [r for o in case.outputs if not o.is_vector for r in o.registers]
        self.add(*(f"v_writelane_b32 v2, {r}, {i}" for i, r in enumerate(named)))
        self.store("v2")
        for output in case.outputs:
            if output.is_vector:
                for register in output.registers:
                    self.store(register)
        self.move("s6")
        self.add("s_waitcnt vmcnt(0)")


def kernel_text(kernel: Kernel, writer: Writer) -> str:
    name = kernel.name
    return f"""
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
s_load_dwordx4 s[4:7], s[0:1], 0x0
s_load_dwordx2 s[16:17], s[0:1], 0x10
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
{chr(10).join(writer.lines)}
s_endpgm
.rodata
.p2align 6
.amdhsa_kernel {name}
.amdhsa_kernarg_size 24
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_group_segment_fixed_size {kernel.lds}
.amdhsa_private_segment_fixed_size {kernel.scratch}
.amdhsa_enable_private_segment {int(kernel.scratch > 0)}
.amdhsa_next_free_vgpr 512
.amdhsa_next_free_sgpr 100
.amdhsa_accum_offset 256
.end_amdhsa_kernel
"""


def assemble(target: str, text: str) -> bytes:
    """A code object. AssertionError with the assembler's first complaints."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "cases.s", Path(folder) / "cases.co"
        source.write_text(f'.amdgcn_target "amdgcn-amd-amdhsa--{target}"\n{text}')
        command = ["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", str(source)]
        run = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr[:2000]
        return output.read_bytes()


# ---- execution and comparison


def run(target: str, kernels: Sequence[Kernel], **device: Any) -> dict[str, list[str]]:
    """What differs, by kernel; a kernel without differences is not in the result."""
    writers = [Writer(k) for k in kernels]
    code = assemble(target, "".join(map(kernel_text, kernels, writers)))
    # Cases run under any EXEC: that it doesn't mask a matrix instruction is what they show.
    allowed = ("exec-masked",)
    module = tegula.sim.Device(target, threads=1, suppressions=allowed, **device).load(code)
    faults = {}
    for kernel, writer in zip(kernels, writers, strict=True):
        found = list(execute(module[kernel.name], kernel, writer))
        if found:
            faults[kernel.name] = found
    return faults


def execute(handle: tegula.sim.Kernel, kernel: Kernel, writer: Writer) -> Iterator[str]:
    inputs = np.array(writer.inputs or [[0] * LANES], dtype=np.uint32)
    outputs = np.full((writer.rows_out, LANES), 0xDEADBEEF, dtype=np.uint32)
    memory = kernel.memory()
    try:
        handle.launch(1, LANES, inputs, outputs, memory)
    except tegula.Error as error:
        yield str(error)
        return
    row = place = 0
    for case in kernel.cases:
        if case.region:
            size = len(case.region.before)
            for fault in case.region.faults(memory[place : place + size].tobytes()):
                yield f"{case.text}: {fault} {context(case, None)}"
            place += size
        scalars, row = [int(x) for x in outputs[row]], row + 1
        yield from state_faults(case, scalars)
        captured = 6
        for output in case.outputs:
            count = len(output.registers)
            if output.is_vector:
                yield from faults_of(case, output, joined(outputs[row : row + count]))
                row += count
            else:
                parts = scalars[captured : captured + count]
                captured += count
                value = sum(p << (32 * i) for i, p in enumerate(parts))
                yield from faults_of(case, output, [value])


def joined(rows: np.ndarray) -> list[int]:
    """Per lane one integer from its dwords."""
    if len(rows) == 1:
        return [int(x) for x in rows[0]]
    return [int.from_bytes(rows[:, lane].tobytes(), "little") for lane in range(LANES)]


def state_faults(case: Case, scalars: list[int]) -> Iterator[str]:
    got = (scalars[0] | scalars[1] << 32, scalars[2] | scalars[3] << 32, scalars[4], scalars[5])
    for name, bits in zip(SCALARS, got, strict=True):
        right = case.state_after()[name]
        if bits != right:
            yield f"{case.text}: {name} is {bits:#x} instead of {right:#x} {context(case, None)}"


def faults_of(case: Case, output: Output, got: list[int]) -> Iterator[str]:
    for lane, (bits, right) in enumerate(zip(got, output.expected, strict=True)):
        if not holds(right, bits):
            wanted = f"{right:#x}" if isinstance(right, int) else "another value"
            name = "_".join(output.registers)
            yield (
                f"{case.text}: {name} is {bits:#x} instead of {wanted} "
                f"{context(case, lane if output.is_vector else None)}"
            )
            return


def context(case: Case, lane: int | None) -> str:
    """The inputs, for a person who looks into a difference."""
    parts = [f"exec={case.exec:#x}", f"vcc={case.vcc:#x}", f"scc={case.scc}"]
    parts += [f"{r}={x:#x}" for r, x in case.scalars.items()]
    if case.m0:
        parts.append(f"m0={case.m0:#x}")
    if lane is not None:
        parts.append(f"lane {lane}")
        parts += [f"{r}={x[lane]:#x}" for r, x in case.vectors.items()]
    if case.mode != DEFAULT_MODE:
        parts.append(str(case.mode))
    return f"({', '.join(parts)})"


def count(cases: Iterable[Case]) -> int:
    """Cases for the record: a vector instruction is one for each lane with its own inputs."""
    return sum(LANES if c.vectors else 1 for c in cases)
