#!/usr/bin/env python3
"""Compares the simulator's disassembly with llvm-objdump's.

compare.py object PRINTER LLVM_BIN ARCH FILE   every instruction of a code object
compare.py words PRINTER LLVM_BIN ARCH COUNT[:SEED]   random encodings of every instruction
compare.py every PRINTER LLVM_BIN ARCH ROUNDS[:SEED]  of each instruction, until one proves it

LLVM is no clean oracle for random words: it marks some operands as invalid, ignores unused bits,
and dies on a few. The rules:
* a word that LLVM prints plainly and assembles back to itself must print the same here. We may
  still refuse to execute it, for one of the reasons in REFUSALS;
* a word that LLVM doesn't decode, or marks as invalid, must be refused;
* any other word must be refused or print the same.
"""

from __future__ import annotations

import csv
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import and_
from pathlib import Path

SEED = 20261129
CHUNK = 2000
# Encodings that LLVM accepts and the manual excludes or leaves open: they print the same, but are
# not executed. Reason → why it stands here. LLVM's operand classes hold the special sources (SCC,
# EXECZ, the apertures) wherever they hold constants; the manual lists what a field may name.
REFUSALS = {
    "EXEC cannot be the base of an address": "bases are SGPRs, VCC or trap temporaries",
    "a constant cannot be a pair of floats": "its high dword is selected, which no document tells",
    "a modifier is set that the instruction does not have": "neg of integers, clamp of moves …",
    "reserved matrix element format": "cbsz and blgp 5 to 7 name no format",
    "reserved source operand code": "239 and 254 are parts of graphics hardware",
    "the instruction has no SDWA form": "the manual's list of those that have none",
    "the lane mask must be a scalar register pair": "special sources and constants as a mask",
    "the operand must be a scalar register": "special sources and constants as a result",
    "the operand must be a scalar register or a constant": "special sources as a lane number",
    "the operand must be a vector or accumulation register": "special sources as a matrix operand",
    "the operand must be a vector register": "special sources where the manual has only VGPRs",
    "the scalar offset must be a register or a constant": "special sources as an offset",
}
# Instructions that exist and that LLVM cannot decode: it wants VGPRs for what these atomics return,
# and no M0 for what a lane gives.
UNDECODED = re.compile(
    r"(flat|global)_atomic_(add_f32|pk_add_f16|pk_add_bf16) a\d+,"
    r"|(flat|global)_atomic_(add|min|max)_f64 a\[|v_read(first)?lane_b32 m0,"
)

Words = list[int]


@dataclass
class Text:
    """One instruction as printed by a disassembler."""

    text: str
    size: int  # dwords
    refusal: str = ""


class Tools:
    """The two disassemblers and LLVM's assembler."""

    def __init__(self, printer: str, llvm: str, arch: str) -> None:
        self.printer, self.llvm, self.arch = printer, Path(llvm), arch
        self.crashes: list[str] = []
        self.exempt: Counter[str] = Counter()  # by reason of REFUSALS

    def ours(self, groups: list[Words]) -> list[Text]:
        lines = "".join(" ".join(f"{w:08x}" for w in g) + "\n" for g in groups)
        run = subprocess.run(
            [self.printer, self.arch], input=lines, capture_output=True, text=True, check=True
        )
        return [self.parse_ours(line) for line in run.stdout.splitlines()]

    @staticmethod
    def parse_ours(line: str) -> Text:
        size, _, rest = line.partition(" ")
        if not rest.startswith("! "):
            return Text(rest, int(size) // 4)
        reason, _, text = rest[2:].partition(" | ")
        return Text(text, int(size) // 4, reason)

    def mc(self, source: str, *flags: str) -> subprocess.CompletedProcess[str]:
        command = [
            str(self.llvm / "llvm-mc"),
            "-triple=amdgcn-amd-amdhsa",
            f"-mcpu={self.arch}",
            *flags,
        ]
        return subprocess.run(command, input=source, capture_output=True, text=True, check=False)

    def objdump(self, path: Path) -> str | None:
        run = subprocess.run(
            [str(self.llvm / "llvm-objdump"), "-d", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        return None if run.returncode else run.stdout

    def theirs(self, groups: list[Words], folder: Path) -> list[Text | None]:
        """The first instruction of each group; None where llvm-objdump dies or prints nothing."""
        source = "".join(f"L{i}:\n.long {','.join(map(hex, g))}\n" for i, g in enumerate(groups))
        path = folder / "words.o"
        assembled = self.mc(source, "-filetype=obj", "-o", str(path))
        if assembled.returncode:
            raise RuntimeError(assembled.stderr)
        listing = self.objdump(path)
        if listing is None:
            if len(groups) == 1:
                self.crashes.append(" ".join(f"{w:08x}" for w in groups[0]))
                return [None]
            half = len(groups) // 2
            return self.theirs(groups[:half], folder) + self.theirs(groups[half:], folder)
        found: list[Text | None] = [None] * len(groups)
        group = -1
        for line in listing.splitlines():
            if label := re.match(r"[0-9a-f]+ <L(\d+)>:", line):
                group = int(label[1])
            elif line.startswith("\t") and group >= 0 and found[group] is None:
                found[group] = parse_objdump(line)[0]
        return found

    def assemble(self, texts: list[str]) -> list[Words | None]:
        run = self.mc("".join(t + "\n" for t in texts), "-show-encoding")
        bad = {int(m[1]) for m in re.finditer(r"<stdin>:(\d+):\d+: error", run.stderr)}
        encodings = iter(re.findall(r"encoding: \[([^\]]*)\]", run.stdout))
        result: list[Words | None] = []
        for number in range(1, len(texts) + 1):
            if number in bad:
                result.append(None)
                continue
            data = [int(b, 16) if b.startswith("0x") else -1 for b in next(encodings).split(",")]
            words = [data[i : i + 4] for i in range(0, len(data), 4)]
            result.append(
                None if -1 in data else [int.from_bytes(bytes(w), "little") for w in words]
            )
        return result


def parse_objdump(line: str) -> tuple[Text, Words]:
    text, _, comment = line.partition("//")
    words = [int(w, 16) for w in re.findall(r"\b[0-9A-F]{8}\b", comment.split(":", 1)[1])]
    return Text(text.strip(), len(words)), words


def compare_object(tools: Tools, path: Path) -> Iterator[str]:
    listing = tools.objdump(path)
    if listing is None:
        raise RuntimeError(f"llvm-objdump failed on {path}")
    parsed = [parse_objdump(line) for line in listing.splitlines() if line.startswith("\t")]
    ours = tools.ours([words for _, words in parsed])
    for (theirs, words), mine in zip(parsed, ours, strict=True):
        if (mine.text, mine.size) != (theirs.text, theirs.size) or mine.refusal:
            yield f"{' '.join(f'{w:08x}' for w in words)}: {mine} instead of {theirs}"
    print(f"{path.name}: {len(parsed)} instructions compared")


class Generator:
    """Random fields around a fixed opcode: mostly plausible operands, sometimes anything."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.wild = False

    def bits(self, n: int) -> int:
        return self.random.getrandbits(n)

    def pick(self, *values: int) -> int:
        return self.random.choice(values)

    def rare(self, n: int, chance: float = 0.15) -> int:
        return self.bits(n) if self.wild or self.random.random() < chance else 0

    def vector(self) -> int:
        return (
            self.bits(8)
            if self.wild
            else self.pick(self.bits(7) * 2, self.bits(7) * 2, self.bits(8))
        )

    def scalar(self) -> int:
        return (
            self.bits(7)
            if self.wild
            else self.pick(self.bits(5) * 2, self.bits(4) * 4, 106, 126, 124, 102, 108, 7)
        )

    def scalar_source(self) -> int:
        if self.wild:
            return self.bits(8)
        constants = (129 + self.bits(5), 193, 208, 240, 242, 248, 255, 253, 252, 235)
        return self.pick(self.bits(6) * 2, self.bits(5) * 4, 106, 126, 124, 108, *constants)

    def source(self) -> int:
        if self.wild:
            return self.bits(9)
        return self.pick(256 + self.vector(), 256 + self.vector(), self.scalar_source())

    def long_source(self) -> int:
        """A source of an 8-byte encoding, where LLVM dies on the code of a literal (gfx942)."""
        code = self.source()
        return 128 if code == 255 else code

    def literal(self) -> int:
        return self.pick(
            self.bits(32), self.bits(32), 0, 1, 64, 65, 0xFFFFFFFF, 0x3F800000, 0xFFFFFFF0, 0x3C00
        )

    def common(self, encoding: str, opcode: int, draws: int) -> Words:
        """The bits that several draws have in common: fields without a meaning must be 0."""
        drawn = [self.words(encoding, opcode) for _ in range(draws)]
        return [reduce(and_, column) for column in zip(*drawn, strict=True)]

    def words(self, encoding: str, opcode: int) -> Words:
        self.wild = self.random.random() < 0.3
        groups = getattr(self, encoding.replace("-", "_").lower().removesuffix("_lds"))(opcode)
        if encoding == "MUBUF_LDS":
            groups = [groups[0] | 1 << 16, groups[1] & ~0xFF00]
        return (groups + [0, 0])[:4]

    def sop2(self, op: int) -> Words:
        return [
            2 << 30
            | op << 23
            | self.scalar() << 16
            | self.scalar_source() << 8
            | self.scalar_source(),
            self.literal(),
        ]

    def sopk(self, op: int) -> Words:
        return [0xB << 28 | op << 23 | self.scalar() << 16 | self.bits(16), self.literal()]

    def sop1(self, op: int) -> Words:
        return [0x17D << 23 | self.scalar() << 16 | op << 8 | self.scalar_source(), self.literal()]

    def sopc(self, op: int) -> Words:
        return [
            0x17E << 23 | op << 16 | self.scalar_source() << 8 | self.scalar_source(),
            self.literal(),
        ]

    def sopp(self, op: int) -> Words:
        return [0x17F << 23 | op << 16 | self.pick(self.bits(16), self.bits(7))]

    def smem(self, op: int) -> Words:
        imm, soe = self.pick(0, 1, 1), self.pick(0, 0, 0, 1)
        offset = self.pick(self.bits(21), self.bits(8)) if imm else (0 if soe else self.scalar())
        word = (
            0x30 << 26 | op << 18 | imm << 17 | self.rare(1) << 16 | soe << 14 | self.scalar() << 6
        )
        return [
            word | (self.bits(6) if self.wild else self.bits(4) * 2),
            offset | (self.scalar() << 25 if soe else 0),
        ]

    def modified(self, unary: bool) -> tuple[int, int]:
        """src0 code and the second dword: literal, SDWA or DPP. SDWA select 7 kills LLVM."""
        kind = self.pick(0, 1, 2, 3)
        if kind == 0:
            select = [self.pick(6, 6, self.bits(2), 5) for _ in range(3)]
            word = self.vector() | select[0] << 8 | self.rare(2) << 11 | self.rare(3) << 13
            word |= (select[1] | self.rare(3) << 3) << 16 | self.rare(1, 0.1) << 23
            return 249, word | (
                0 if unary else (select[2] | self.rare(3) << 3 | self.rare(1) << 7) << 24
            )
        if kind == 1:
            control = self.pick(
                self.bits(9), self.bits(8), 0x101 + self.bits(3), 0x121, 0x150 + self.bits(4), 0x140
            )
            masks = self.pick(15, self.bits(4)) << 24 | self.pick(15, self.bits(4)) << 28
            return 250, self.vector() | control << 8 | self.rare(1) << 19 | self.rare(
                4
            ) << 20 | masks
        return self.source(), self.literal()

    def vop2(self, op: int) -> Words:
        source, word = self.modified(False)
        return [op << 25 | self.vector() << 17 | self.vector() << 9 | source, word]

    def vop1(self, op: int) -> Words:
        source, word = self.modified(True)
        return [0x3F << 25 | self.vector() << 17 | op << 9 | source, word]

    def vopc(self, op: int) -> Words:
        source, word = self.modified(False)
        return [0x3E << 25 | op << 17 | self.vector() << 9 | source, word]

    def vop3(self, op: int) -> Words:
        sources = (
            self.long_source()
            | self.pick(self.long_source(), 0) << 9
            | self.pick(self.long_source(), 0) << 18
        )
        word = (
            0x34 << 26
            | op << 16
            | self.rare(1) << 15
            | self.rare(4) << 11
            | self.rare(3) << 8
            | self.vector()
        )
        return [word, sources | self.rare(2) << 27 | self.rare(3) << 29]

    def vop3p(self, op: int) -> Words:
        sources = (
            self.long_source() | self.long_source() << 9 | self.pick(self.long_source(), 0) << 18
        )
        word = 0x1A7 << 23 | op << 16 | self.rare(1) << 15 | self.pick(1, self.bits(1)) << 14
        word |= self.rare(3) << 11 | self.rare(3) << 8 | self.vector()
        return [word, sources | self.pick(3, self.bits(2)) << 27 | self.rare(3) << 29]

    def accvgpr(self, op: int) -> Words:
        """v_accvgpr_read_b32 and v_accvgpr_write_b32: one source, op_sel_hi all set."""
        source = 256 + self.vector() if op == 0x58 else self.long_source()
        word = 0x1A7 << 23 | op << 16 | 1 << 14 | self.rare(3, 0.05) << 11 | self.vector()
        return [word, source | 3 << 27 | self.rare(3, 0.05) << 29]

    def vop3p_mai(self, op: int) -> Words:
        if op in (0x58, 0x59):
            return self.accvgpr(op)
        sources = (
            256 + self.vector()
            | (256 + self.vector()) << 9
            | self.pick(256 + self.vector(), self.long_source()) << 18
        )
        word = (
            0x1A7 << 23
            | op << 16
            | self.bits(1) << 15
            | self.rare(4) << 11
            | self.rare(3) << 8
            | self.vector()
        )
        return [word, sources | self.bits(2) << 27 | self.rare(3) << 29]

    def vop3px2(self, op: int) -> Words:
        scales = 256 + self.vector() | (256 + self.vector()) << 9 | self.bits(2) << 27
        sources = 256 + self.vector() | (256 + self.vector()) << 9 | (256 + self.vector()) << 18
        word = (
            0x1A7 << 23
            | op << 16
            | self.bits(1) << 15
            | 1 << 11
            | self.pick(0, 2, 4) << 8
            | self.vector()
        )
        return [0xD3AC0000 | self.bits(2) << 11, scales, word, sources | self.pick(0, 2, 4) << 29]

    def ds(self, op: int) -> Words:
        word = 0x36 << 26 | self.rare(1) << 25 | op << 17 | self.rare(1, 0.05) << 16
        fields = [self.pick(0, self.vector()) for _ in range(3)]
        return [
            word | self.pick(0, self.bits(8), self.bits(16)),
            fields[0] << 24 | fields[1] << 16 | fields[2] << 8 | self.vector(),
        ]

    def segment(self, op: int, number: int) -> Words:
        vaddr = number != 1 or self.bits(1)
        word = (
            0x37 << 26
            | self.rare(1) << 25
            | op << 18
            | self.rare(1) << 17
            | self.pick(0, 0, 1) << 16
            | number << 14
        )
        word |= (1 << 13 if number == 1 and vaddr else self.rare(1, 0.03) << 13) | self.bits(
            13 if number else 12
        )
        base = self.pick(0x7F, self.scalar()) if number else self.rare(7, 0.05)
        data = (
            self.pick(0, self.vector()) << 24
            | self.rare(1) << 23
            | self.pick(0, self.vector()) << 8
        )
        return [word, data | base << 16 | (self.vector() if vaddr else self.rare(8, 0.05))]

    def flat(self, op: int) -> Words:
        return self.segment(op, 0)

    def scratch(self, op: int) -> Words:
        return self.segment(op, 1)

    def global_(self, op: int) -> Words:
        return self.segment(op, 2)

    def buffer(self, word: int) -> Words:
        mode = self.bits(2)
        offset = min(self.pick(self.scalar_source(), 128), 254)  # LLVM dies on a literal here
        fields = self.bits(5) << 16 | self.vector() << 8 | (self.vector() if mode else 0)
        return [
            word | self.rare(1) << 14 | mode << 12 | self.bits(12),
            offset << 24 | self.rare(1) << 23 | fields,
        ]

    def mubuf(self, op: int) -> Words:
        return self.buffer(0x38 << 26 | op << 18 | self.rare(1) << 17 | self.rare(1) << 15)

    def mtbuf(self, op: int) -> Words:
        return self.buffer(0x3A << 26 | op << 15 | self.bits(7) << 19)


setattr(Generator, "global", Generator.global_)


def instructions(arch: str) -> list[tuple[str, str, int]]:
    """(mnemonic, encoding, opcode) of every instruction of the target, from the checked-in list."""
    found = []
    with open(Path(__file__).parent.parent / "isa-coverage.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for item in row["opcodes"].split():
                encoding, _, opcode = item.partition(":")
                encoding, _, only = encoding.partition("(")
                if arch in (only.rstrip(")") or row["archs"]).split():
                    found.append((row["mnemonic"], encoding, int(opcode, 16)))
    return found


def is_plain(text: Text | None) -> bool:
    return text is not None and not text.text.startswith(".long") and "/*" not in text.text


def judge(words: Words, mine: Text, theirs: Text, back: Words | None) -> str | None:
    """What is wrong with our answer for one group of words, or None."""
    undecoded = theirs.text.startswith(".long")
    if undecoded or "/*" in theirs.text:
        return None if mine.refusal or UNDECODED.match(mine.text) else "must be refused"
    same = (mine.text, mine.size) == (theirs.text, theirs.size)
    if re.search(
        r"\bL\d+$", theirs.text
    ):  # a branch to one of our labels: the distance has become a name
        same = mine.text.rsplit(" ", 1)[0] == theirs.text.rsplit(" ", 1)[0]
    if back == words[: theirs.size]:
        if not same:
            return "must print the same"
        return (
            f"may not be refused: {mine.refusal}"
            if mine.refusal and mine.refusal not in REFUSALS
            else None
        )
    return None if same or mine.refusal else "must be refused or print the same"


def compare_words(tools: Tools, count: int, seed: int, folder: Path) -> Iterator[str]:
    generator = Generator(seed)
    choices = instructions(tools.arch)
    groups = [generator.words(*choices[i % len(choices)][1:]) for i in range(count)]
    equal = 0
    for start in range(0, count, CHUNK):
        chunk = groups[start : start + CHUNK]
        theirs = tools.theirs(chunk, folder)
        plain = [t.text for t in theirs if t and is_plain(t)]
        back = iter(tools.assemble([re.sub(r"\bL\d+$", "0", text) for text in plain]))
        for words, mine, other in zip(chunk, tools.ours(chunk), theirs, strict=True):
            if other is None:
                continue
            encoded = next(back) if is_plain(other) else None
            fault = judge(words, mine, other, encoded)
            equal += encoded == words[: other.size]
            if encoded == words[: other.size] and mine.refusal in REFUSALS:
                tools.exempt[mine.refusal] += 1
            if fault:
                yield f"{' '.join(f'{w:08x}' for w in words)} {fault}: {mine}, LLVM {other}"
    print(
        f"{count} words, {equal} assemble back, "
        f"{len(tools.crashes)} kill llvm-objdump {tools.crashes[:3]}"
    )
    print(f"{sum(tools.exempt.values())} of them are not executed:")
    for reason, number in tools.exempt.most_common():
        print(f"  {number} {reason} ({REFUSALS[reason]})")
    if equal < count // 5:
        yield "too few words assemble back: the comparison has lost its meaning"


def base_of(text: str) -> str:
    """The mnemonic of an instruction, as the list has it."""
    return re.sub(r"_(e32|e64|sdwa|dpp)$", "", text.split()[0])


def compare_every(tools: Tools, rounds: int, seed: int, folder: Path) -> Iterator[str]:
    """Each mnemonic in each encoding prints the same at least once, of a word that LLVM prints
    plainly and assembles back, and by its own name.
    """
    left = instructions(tools.arch)
    total, names = len(left), {mnemonic for mnemonic, _, _ in left}
    generator = Generator(seed)
    for turn in range(rounds):
        if not left:
            break
        draws = (1, 2, 16)[turn % 3]
        groups = [generator.common(encoding, opcode, draws) for _, encoding, opcode in left]
        theirs = tools.theirs(groups, folder)
        plain = [t.text for t in theirs if t and is_plain(t)]
        back = iter(tools.assemble([re.sub(r"\bL\d+$", "0", text) for text in plain]))
        still = []
        for one, words, mine, other in zip(left, groups, tools.ours(groups), theirs, strict=True):
            encoded = next(back) if other and is_plain(other) else None
            proved = (
                other and encoded == words[: other.size] and not judge(words, mine, other, encoded)
            )
            if not proved or base_of(mine.text) != one[0]:
                still.append(one)
        left = still
    print(f"{total} encodings of {len(names)} mnemonics")
    for mnemonic, encoding, opcode in left:
        yield f"{mnemonic} ({encoding} {opcode:#x}) was never seen to print as LLVM prints it"


def main() -> int:
    mode, printer, llvm, arch, what = sys.argv[1:]
    tools = Tools(printer, llvm, arch)
    if mode == "object":
        faults = compare_object(tools, Path(what))
    else:
        count, _, seed = what.partition(":")
        compare = compare_every if mode == "every" else compare_words
        faults = compare(tools, int(count), int(seed or SEED), Path.cwd())
    number = 0
    for fault in faults:
        number += 1
        if number <= 200:
            print(fault)
    print(f"{number} faults")
    return 1 if number else 0


if __name__ == "__main__":
    sys.exit(main())
