"""Print the examples of the op definitions as one file for `tegula-opt -split-input-file`.

Each example stands in a kernel of its own with the values it names in front (settings.txt). Fails
when an op has no example or its example does not use it.
"""

import re
import sys
from pathlib import Path

RING = "!cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>"
VIEWS = """!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!K = !tile.view<?x?x128xbf16, strides = [?, ?, 1], align = 16>
!X = !tile.view<?xf32, strides = [1], align = 16>"""

Setting = tuple[str, str, str]  # waves, layouts, values


def settings() -> dict[str, list[Setting]]:
    text = (Path(__file__).parent / "settings.txt").read_text()
    parts = dict(part.partition("\n")[::2] for part in text.split("== ")[1:])
    rows: dict[str, list[Setting]] = {}
    for line in parts.pop("rows").splitlines():
        mnemonic, waves, layouts, values = (field.strip() for field in line.split("|"))
        rows.setdefault(mnemonic, []).append((waves, parts[layouts].strip(), values))
    return rows


def definitions(example: str, values: str) -> list[str]:
    """Lines that define what an example takes for granted; i32 values are zero."""
    given: dict[str, str] = {}
    for name in ("%c0", "%k", "%m0", "%b", "%i"):
        if re.search(rf"{name}\b(?! =)", example):
            given[name] = "arith.constant 0 : i32"
    for value in filter(None, (v.strip() for v in values.split(";"))):
        if value == "ring":
            given["%l"] = f"cdna.lds_alloc : {RING}"
            given["%s"] = f"cdna.slot %l 0 : {RING} -> !cdna.slot"
            continue
        name, kind = value.split(" : ")
        given[name] = f"builtin.unrealized_conversion_cast to {kind}"
    return [f"  {name} = {op}" for name, op in given.items()]


def whole(example: str, waves: str, layouts: str, values: str) -> str:
    if "cdna.kernel" in example:
        return f"{VIEWS}\n{example}"
    body = "\n".join(definitions(example, values))
    return (
        f"{layouts}\n{VIEWS}\ncdna.kernel @example() attributes "
        f'{{target = #tile.target<"gfx950">, waves = [1, {waves}]}} {{\n'
        f"{body}\n{example}\n  cdna.return\n}}"
    )


def main() -> None:
    rows = settings()
    examples = []
    for path in sorted(Path(sys.argv[1]).glob("*Ops.td")):
        pattern = r'def Cdna_\w+ : Cdna_\w+<"(\w+)"(.*?)\n}\n'
        for mnemonic, text in re.findall(pattern, path.read_text(), re.S):
            found = re.search(r"Example:\s*```mlir\n(.*?)```", text, re.S)
            if not found or f"cdna.{mnemonic}" not in found[1]:
                sys.exit(f"cdna.{mnemonic} has no example that uses it")
            if mnemonic == "return":
                continue  # every kernel ends in one
            places = rows.get(mnemonic, [("1", "", "")])
            example = found[1].rstrip()
            lines = example.splitlines() if len(places) > 1 else [example]
            examples += [whole(x, *place) for x, place in zip(lines, places, strict=True)]
    print("\n// -----\n".join(examples).replace('"CHIP"', '"gfx950"'))


main()
