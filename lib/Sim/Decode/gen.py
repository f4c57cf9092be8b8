#!/usr/bin/env python3
"""Expands isa/*.isa (see isa/README.md) into the C++ tables of the decoder.

Usage: gen.py ISA_DIR OUT_DIR. Writes Sem.inc, Rows.inc, Opcodes.inc and coverage.csv, and refuses
contradictions.
"""

from __future__ import annotations

import itertools
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

# Encodings in the order of `enum class Encoding`, with the size of their opcode space.
ENCODINGS = {
    "SOP2": 128, "SOPK": 32, "SOP1": 256, "SOPC": 128, "SOPP": 128, "SMEM": 256, "VOP2": 64,
    "VOP1": 256, "VOPC": 256, "VOP3": 1024, "VOP3P": 128, "MAI": 128, "MAIX2": 128, "DS": 256,
    "FLAT": 128, "GLOBAL": 128, "SCRATCH": 128, "MUBUF": 128, "MUBUF_LDS": 128, "MTBUF": 16,
}  # fmt: skip
ARCHS = {"all": 3, "942": 1, "950": 2}
KINDS = {
    "v": "V", "r": "V", "a": "A", "w": "VA", "X": "VAC", "s": "Src", "l": "SrcS", "S": "S",
    "c": "SSrc", "o": "SOff", "m": "Mask", "B": "Base", "i": "Imm",
}  # fmt: skip
TWO_DWORDS = {"b64", "i64", "u64", "f64", "v2f32"}
MODIFIERS = {
    "abs": "kAbs", "neg": "kNeg", "clamp": "kClamp", "omod": "kOmod", "opsel": "kOpSel",
    "opselhi": "kOpSelHi", "neglohi": "kNegLoHi", "sdwa": "kSdwa", "dpp": "kDpp",
    "opselbyte": "kOpSelByte", "sdwasrc": "kSdwaSourceOnly",
    "offset": "kOffset", "cache": "kCache", "mfma": "kMfmaBits",
}  # fmt: skip
FLAGS = {
    "rscc": "kReadsScc", "wscc": "kWritesScc", "rvcc": "kReadsVcc", "wvcc": "kWritesVcc",
    "rexec": "kReadsExec", "wexec": "kWritesExec", "rm0": "kReadsM0", "wm0": "kWritesM0",
    "wmode": "kWritesMode", "dst": "kReadsDst", "vm": "kVmcnt", "lgkm": "kLgkmcnt",
    "branch": "kBranch", "end": "kEndsBlock", "load": "kLoad", "store": "kStore",
    "atomic": "kAtomic", "dma": "kDma", "rtn": "kReturns", "two": "kTwoAddr", "hi": "kKeepsHigh",
    "odd": "kOddTuple", "byte": "kWritesByte",
}  # fmt: skip
TYPE_MODIFIERS = {
    "f32": "abs neg clamp omod", "f64": "abs neg clamp omod", "f16": "abs neg clamp omod opsel",
    "i16": "clamp opsel", "u16": "clamp opsel", "i32": "", "u32": "",
}  # fmt: skip
CLASS_HAZARD = {
    "valu32": "valu", "valu16": "valu", "valu64": "valu", "trans": "valu", "lds": "lds",
    "salu": "salu", "cache": "vmem", "dma": "vmem",
}  # fmt: skip
TYPE_CLASS = {"f32": "valu32", "f64": "valu64"}
E32 = ("VOP1", "VOP2", "VOPC")


class IsaError(Exception):
    """A contradiction in the tables; the message starts with file:line."""


@dataclass
class Operand:
    role: str
    kind: str
    type: str
    width: int


@dataclass
class Row:
    mnemonic: str
    encoding: str
    opcode: int
    archs: int
    operands: list[Operand]
    modifiers: set[str]
    cls: str
    hazard: str
    flags: set[str]
    where: str
    suffix: bool = field(default=False)

    @property
    def sem(self) -> str:
        return self.mnemonic + ("_lds" if self.encoding == "MUBUF_LDS" else "")


def expand_name(pattern: str) -> list[tuple[str, list[str]]]:
    """All names of a pattern with the value of each group, the last group running fastest."""
    parts = re.split(r"\{([^}]*)\}", pattern)
    groups = []
    for text in parts[1::2]:
        alternatives = [a.partition(":") for a in text.split(",")]
        groups.append([(name, value if colon else name) for name, colon, value in alternatives])
    names = []
    for choice in itertools.product(*groups):
        name = parts[0] + "".join(c[0] + p for c, p in zip(choice, parts[2::2], strict=True))
        names.append((name, [c[1] for c in choice]))
    return names


def substitute(text: str, values: list[str]) -> str:
    return re.sub(r"\$\{?(\d)\}?", lambda m: values[int(m[1]) - 1], text)


def expand_opcodes(spec: str, count: int, first: list[int] | None) -> list[int]:
    if spec.startswith("{"):
        opcodes = [int(o, 0) for o in spec.strip("{}").split(",")]
    elif spec.startswith("+"):
        opcodes = [o + int(spec[1:], 0) for o in first or []]
    elif spec.endswith("+"):
        opcodes = [int(spec[:-1], 0) + i for i in range(count)]
    else:
        opcodes = [int(spec, 0)]
    if len(opcodes) != count:
        raise IsaError(f"{count} names but {len(opcodes)} opcodes in {spec}")
    return opcodes


def parse_operand(text: str, encoding: str) -> Operand:
    match = re.fullmatch(r"(\w+):([a-zA-Z])(\d*)(?:\.(\w+))?", text)
    if not match:
        raise IsaError(f"bad operand {text}")
    role, kind, width, type_ = match.groups()
    type_ = type_ or "b32"
    if encoding == "VOP3" and kind == "v" and role in ("a", "b", "c"):
        kind = "s"  # the 9-bit source fields of VOP3 take what VOP2's src0 takes
    default = 2 if type_ in TWO_DWORDS or kind == "m" else 1
    return Operand(role, KINDS[kind], type_, int(width) if width else default)


def parse_line(line: str, where: str) -> list[Row]:
    columns = [c.strip() for c in line.split("|")]
    if len(columns) != 7:
        raise IsaError(f"{len(columns)} columns, expected 7")
    pattern, encodings, arch, operands, modifiers, cls, flags = columns
    names = expand_name(pattern)
    rows: list[Row] = []
    first: list[int] | None = None
    for part in encodings.split():
        encoding, _, spec = part.partition(":")
        encoding, _, own_arch = encoding.partition("@")
        opcodes = expand_opcodes(spec, len(names), first)
        first = first or opcodes
        for (name, values), opcode in zip(names, opcodes, strict=True):
            rest = (own_arch or arch, operands, modifiers, cls, flags)
            rows.append(make_row(name, values, encoding, opcode, rest, where))
    return rows


def make_row(
    name: str,
    values: list[str],
    encoding: str,
    opcode: int,
    columns: tuple[str, str, str, str, str],
    where: str,
) -> Row:
    arch, operands, modifiers, cls, flags = columns

    def words(text: str) -> list[str]:
        return [] if text == "-" else substitute(text, values).split()

    mods: set[str] = set()
    for word in words(modifiers):
        mods.update(TYPE_MODIFIERS[word[1:]].split() if word.startswith("@") else [word])
    if encoding not in E32:
        mods -= {"sdwa", "sdwasrc", "dpp"}
    cls, _, hazard = substitute(cls, values).partition("/")
    cls = TYPE_CLASS[cls[1:]] if cls.startswith("@") else cls
    flag_set = set(words(flags))
    specs = words(operands)
    if encoding == "MUBUF_LDS":  # the data register is absent, LDS at M0 takes its place
        specs = [s for s in specs if not s.startswith("d:")]
        flag_set |= {"dma", "rm0"}
        cls = "dma"
    parsed = [parse_operand(s, encoding) for s in specs]
    if encoding in ("VOP2", "VOPC"):  # a lane mask without a field is VCC
        flag_set |= {"wvcc" for o in parsed if o.kind == "Mask" and o.role in ("d", "d2")}
        flag_set |= {"rvcc" for o in parsed if o.kind == "Mask" and o.role == "mask"}
    hazard = hazard or CLASS_HAZARD.get(cls, "none")
    return Row(name, encoding, opcode, ARCHS[arch], parsed, mods, cls, hazard, flag_set, where)


def read_rows(folder: Path) -> list[Row]:
    rows: list[Row] = []
    for path in sorted(folder.glob("*.isa")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            where = f"{path.name}:{number}"
            try:
                rows += parse_line(line, where)
            except (IsaError, KeyError, IndexError, ValueError) as error:
                raise IsaError(f"{where}: {error}") from error
    order = list(ENCODINGS)
    rows.sort(key=lambda r: (order.index(r.encoding), r.opcode, r.archs))
    return rows


def check(rows: list[Row]) -> None:
    used: dict[tuple[str, int, int], Row] = {}
    encodings: dict[str, set[str]] = {}
    for row in rows:
        encodings.setdefault(row.mnemonic, set()).add(row.encoding)
        if row.opcode >= ENCODINGS[row.encoding]:
            raise IsaError(f"{row.where}: {row.mnemonic} opcode {row.opcode:#x} too large")
        for bit in (1, 2):
            other = used.setdefault((row.encoding, row.opcode, row.archs & bit), row)
            if row.archs & bit and other is not row:
                raise IsaError(f"{row.where}: {row.mnemonic} and {other.mnemonic} share an opcode")
        roles = [o.role for o in row.operands]
        if len(roles) != len(set(roles)) or len(roles) > 6:
            raise IsaError(f"{row.where}: {row.mnemonic} repeats a role or has too many operands")
    for row in rows:  # the assembler's _e32/_e64 tells two encodings of one mnemonic apart
        kinds = encodings[row.mnemonic]
        row.suffix = row.encoding in (*E32, "VOP3") and "VOP3" in kinds and bool(kinds & set(E32))


def cpp_row(row: Row) -> str:
    def join(names: set[str], table: dict[str, str]) -> str:
        return " | ".join(table[n] for n in sorted(names)) or "0"

    operands = ", ".join(
        f"{{Role::{o.role}, Kind::{o.kind}, Type::{o.type}, {o.width}}}" for o in row.operands
    )
    modifiers = join(row.modifiers, MODIFIERS) + (" | kSuffix" if row.suffix else "")
    return (
        f'{{"{row.mnemonic}", {row.opcode:#x}, Encoding::{row.encoding}, {row.archs}, '
        f"Sem::{row.sem}, Class::{row.cls}, Hazard::{row.hazard}, {len(row.operands)}, "
        f"{{{operands}}}, {join(row.flags, FLAGS)}, {modifiers}}},"
    )


def opcode_tables(rows: list[Row]) -> str:
    """Per arch one dense table opcode → row, encodings one after the other; 0xffff = unknown."""
    lines = ["// opcode → row"]
    offsets, total = [], 0
    for size in ENCODINGS.values():
        offsets.append(total)
        total += size
    for name, bit in (("942", 1), ("950", 2)):
        table = [0xFFFF] * total
        for index, row in enumerate(rows):
            if row.archs & bit:
                table[offsets[list(ENCODINGS).index(row.encoding)] + row.opcode] = index
        body = ",".join(str(t) for t in table)
        lines.append(f"constexpr uint16_t kRowOf{name}[] = {{{body}}};")
    lines.append(f"constexpr uint16_t kFirst[] = {{{','.join(map(str, [*offsets, total]))}}};")
    return "\n".join(lines) + "\n"


def coverage(rows: list[Row]) -> str:
    """One line a mnemonic: name, encoding:opcode list, archs. Compared with a checked-in copy."""
    out: dict[str, tuple[list[str], int]] = {}
    for row in rows:
        codes, archs = out.setdefault(row.mnemonic, ([], 0))
        codes.append(f"{row.encoding}:{row.opcode:#x}:{row.archs}")
        out[row.mnemonic] = (codes, archs | row.archs)
    lines = [f"{name},{' '.join(codes)},{archs}" for name, (codes, archs) in sorted(out.items())]
    return "mnemonic,opcodes,archs\n" + "\n".join(lines) + "\n"


def main() -> int:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        rows = read_rows(folder)
        check(rows)
    except IsaError as error:
        print(f"gen.py: {error}", file=sys.stderr)
        return 1
    out.mkdir(parents=True, exist_ok=True)
    sems = sorted({row.sem for row in rows})
    (out / "Sem.inc").write_text("".join(f"TEGULA_SEM({s})\n" for s in sems))
    (out / "Rows.inc").write_text("\n".join(map(cpp_row, rows)) + "\n")
    (out / "Opcodes.inc").write_text(opcode_tables(rows))
    (out / "coverage.csv").write_text(coverage(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
