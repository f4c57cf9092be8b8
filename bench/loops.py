"""The hottest loop of a code object, read from its disassembly."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass

OBJDUMP = "/usr/lib/llvm-22/bin/llvm-objdump"


@dataclass(frozen=True)
class Loop:
    """Instructions between a backward branch and its target, both included, by mnemonic."""

    mnemonics: Counter[str]
    first: int  # byte addresses of its first and last instruction
    last: int

    @property
    def total(self) -> int:
        return self.mnemonics.total()

    @property
    def mfma(self) -> int:
        return sum(n for name, n in self.mnemonics.items() if name.startswith("v_mfma"))


def disassemble(code: bytes) -> list[tuple[int, str]]:
    """(byte address, text) of every instruction of .text."""
    with tempfile.NamedTemporaryFile(suffix=".co") as file:
        file.write(code)
        file.flush()
        command = [OBJDUMP, "-d", "--no-leading-headers", file.name]
        dump = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pattern = re.compile(r"^\s+(.*?)\s*//\s*([0-9A-F]{12}):", re.MULTILINE)
    return [(int(address, 16), text) for text, address in pattern.findall(dump)]


def hottest_loop(code: bytes) -> Loop:
    """The smallest loop with the most matrix instructions; the largest loop if none has any."""
    listing = disassemble(code)
    position = {address: i for i, (address, _) in enumerate(listing)}
    loops = []
    for i, (address, text) in enumerate(listing):
        match = re.match(r"s_c?branch\S*\s+(\d+)", text)
        if not match:
            continue
        distance = int(match[1])
        target = address + 4 + 4 * (distance - 65536 if distance >= 32768 else distance)
        if target <= address and target in position:
            body = listing[position[target] : i + 1]
            mnemonics = Counter(line.split()[0] for _, line in body)
            loops.append(Loop(mnemonics, target, address))
    if not loops:
        raise ValueError("the code object has no loop")
    return max(loops, key=lambda loop: (loop.mfma, -loop.total if loop.mfma else loop.total))
