"""Print the examples of the op definitions as one file for `tegula-opt -split-input-file`.

"CHIP" stands for any target. An example that is no whole kernel stands in one, with the values it
names defined in front. Fails
when an op has no example or its example does not use it.
"""

import re
import sys
from pathlib import Path

A = '!tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>'
C = '!tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>'
ARGUMENTS = {
    "%a": "!A",
    "%c": "!C",
    "%w": "!tile.view<64xf32, strides = [1]>",
    "%cache": "!tile.view<?x?x?xbf16, strides = [?, ?, 1]>",
    "%lengths": "!tile.view<?xi32, strides = [1]>",
    "%i": "i32",
    "%j": "i32",
    "%m": "i32",
    "%k": "i32",
    "%fact": "i1",
    "%n": "i32",
}
TENSORS = {
    "%t": "256x64xbf16",
    "%r": "1x1xf32",
    "%x": "1x64xf32",
    "%rows": "4x256xf32",
    "%wide": "64x256xbf16",
    "%e": "4x64xf32",
    "%p": "256x64xbf16",
    "%q": "64x256xbf16",
    "%acc": "256x256xf32",
    "%four": "4x128x2xf4E2M1FN",
    "%bytes": "4x128x1xi8",
    "%vals": "64xbf16",
    "%is": "64xi32",
    "%js": "64xi32",
    "%cmp": "1xi32",
    "%new": "1xi32",
    "%keep": "64xi1",
    "%places": "4x8xi32",
}


def one(tensor: str) -> str:
    """One as a constant of the element type."""
    return "true" if tensor.endswith("xi1") else "1" if "xi" in tensor else "1.0"


def whole(example: str) -> str:
    if re.search(r"tile\.(kernel|func) ", example):
        return example
    named = set(re.findall(r"%[a-z]+\b", example))
    defined = {
        n
        for line in example.splitlines()
        if "=" in line
        for n in re.findall(r"%[a-z]+\b", line.split(" = ")[0])
    }
    used = sorted(named - defined)
    arguments = ", ".join(f"{n}: {ARGUMENTS[n]}" for n in used if n in ARGUMENTS)
    constants = "\n".join(
        f"  {n} = arith.constant dense<{one(TENSORS[n])}> : tensor<{TENSORS[n]}>"
        for n in used
        if n in TENSORS
    )
    return (
        f"!A = {A}\n!C = {C}\ntile.kernel @example({arguments}) {{\n{constants}\n{example}\n"
        "  tile.return\n}"
    )


def main() -> None:
    examples = []
    for path in sorted(Path(sys.argv[1]).glob("*Ops.td")):
        for mnemonic, text in re.findall(r'Tile_\w*Op<"(\w+)"(.*?)\n}\n', path.read_text(), re.S):
            found = re.search(r"Example:\s*```mlir\n(.*?)```", text, re.S)
            if not found or f"tile.{mnemonic}" not in found[1]:
                sys.exit(f"tile.{mnemonic} has no example that uses it")
            examples.append(whole(found[1].rstrip()))
    print("\n// -----\n".join(examples).replace('"CHIP"', '"gfx950"'))


main()
