"""Print the examples of the op definitions as one file for `tegula-opt -split-input-file`.

Each example stands in a kernel of its own with the values it names in front. Fails when an op has
no example or its example does not use it.
"""

import re
import sys
from pathlib import Path

LANES16 = "[[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]]"
ZERO = "[[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]"
ROW = "[[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256]]"
GEMM = f"""#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [0, 32], [16, 0], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 64], [0, 128], [128, 0]]>
#other = #cdna.layout<reg = [[0, 1], [0, 2], [16, 0], [32, 0], [64, 0], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 64], [0, 128], [128, 0]]>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0]], lane = {LANES16}, wave = [[0, 0], [0, 0], [128, 0]]>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 64], [0, 128], [0, 0]]>
#fetch = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = [[32, 0], [64, 0], [128, 0]]>
#fetchA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], wave = [[32, 0], [64, 0], [128, 0]]>
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = [[8, 0], [16, 0], [32, 0]]>"""
PAIR = f"""#row = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = {ROW}, wave = [[0, 512]], repeat = [1, 3]>
#part = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[0, 64]]>
#wave2 = #cdna.layout<reg = [], lane = {ZERO}, wave = [[0, 1]]>
#one = #cdna.layout<reg = [], lane = {ZERO}, wave = [[0, 0]]>"""
SINGLE = """#x = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#y = #cdna.layout<reg = [[1, 0], [2, 0]], lane = [[4, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], wave = []>
#row = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>"""
W = "!cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>"
RING = "!cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>"
#: Of each op: waves, layouts, and the values its example takes for granted.
SETTING = {
    "load": (8, GEMM, f"%w : {W}"),
    "store": (8, GEMM, f"%w : {W}; %o : tensor<256x256xbf16, #acc>"),
    "async_copy": (8, GEMM, f"%w : {W}; ring"),
    "lds_view": (8, GEMM, "ring"),
    "lds_store": (8, GEMM, "%t : tensor<64x64xbf16, #f>; %v : !cdna.lds<64x64xbf16, order = [1, 0]>"),
    "lds_load": (8, GEMM, "%v : !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]>"),
    "mfma": (8, GEMM, "%a : tensor<256x32xbf16, #a>; %b : tensor<32x256xbf16, #b>; %c : tensor<256x256xf32, #acc>"),
    "convert_layout": (8, GEMM, "%d : tensor<256x256xbf16, #acc>"),
    "slot": (8, GEMM, f"%l : {RING}"),
    "next_slot": (8, GEMM, "ring"),
    "wait": (8, GEMM, "%ta : !cdna.token; %tb : !cdna.token"),
    "load_scalar": (1, "", "%w : !cdna.buffer<?xi32, strides = [1], align = 4>"),
    "base_pointer": (1, "", "%x : !tile.view<?xf32, strides = [1]>"),
    "uniform": (1, "", "%n : i32"),
    "buffer": (1, "", "%a : !A; %k : !K"),
    "reduce_registers": (2, PAIR, "%x : tensor<1x2880xf32, #row>"),
    "reduce_lanes": (2, PAIR, "%p : tensor<1x128xf32, #part>"),
    "reduce_waves": (2, PAIR, "%r : tensor<1x2xf32, #wave2>; %red : !cdna.lds<1x2xf32, order = [1, 0]>"),
    "splat": (2, PAIR, "%eps : f32"),
    "mask": (2, PAIR, "%x : tensor<1x2880xf32, #row>"),
    "iota": (1, SINGLE, ""),
}
#: Examples of several lines, each in its own surroundings.
LINES = {
    "rename": [
        (2, PAIR, "%r : tensor<1x1xf32, #one>"),
        (1, SINGLE, "%x : tensor<32x8xf32, #x>"),
    ],
    "hw": [
        (2, PAIR, "%v : tensor<1x1xf32, #one>"),
        (1, SINGLE.replace("#x", "#z").replace("#row", "#x"), "%m : tensor<1x64xf32, #x>; %e : tensor<1x64xi32, #x>"),
    ],
}
VIEWS = """!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!K = !tile.view<?x?x128xbf16, strides = [?, ?, 1], align = 16>
!X = !tile.view<?xf32, strides = [1], align = 16>"""


def whole(example: str, waves: int, layouts: str, values: str) -> str:
    if "cdna.kernel" in example:
        return f"{VIEWS}\n{example.replace('lds_bytes', 'schedule = 0 : i32, lds_bytes').replace('grid = @gemm.grid, ', '')}"
    used = {c for c in ("%c0", "%k", "%m0", "%b", "%i") if re.search(rf"{c}\b(?! =)", example)}
    lines = [f"  {c} = arith.constant 0 : i32" for c in sorted(used)]
    for value in filter(None, (v.strip() for v in values.split(";"))):
        if value == "ring":
            lines += [f"  %l = cdna.lds_alloc : {RING}", f"  %s = cdna.slot %l 0 : {RING} -> !cdna.slot"]
            continue
        name, kind = value.split(" : ")
        lines = [x for x in lines if x.split()[0] != name]
        lines.append(f"  {name} = builtin.unrealized_conversion_cast to {kind}")
    body = "\n".join(lines)
    return (
        f'{layouts}\n{VIEWS}\ncdna.kernel @example() attributes {{target = #tile.target<"gfx950">, '
        f"waves = [1, {waves}]}} {{\n{body}\n{example}\n  cdna.return\n}}"
    )


def main() -> None:
    examples = []
    for path in sorted(Path(sys.argv[1]).glob("*Ops.td")):
        pattern = r'def Cdna_\w+ : Cdna_\w+<"(\w+)"(.*?)\n}\n'
        for mnemonic, text in re.findall(pattern, path.read_text(), re.S):
            found = re.search(r"Example:\s*```mlir\n(.*?)```", text, re.S)
            if not found or f"cdna.{mnemonic}" not in found[1]:
                sys.exit(f"cdna.{mnemonic} has no example that uses it")
            example = found[1].rstrip()
            if mnemonic == "return":
                continue
            if mnemonic in LINES:
                lines = example.splitlines()
                examples += [whole(x, *s) for x, s in zip(lines, LINES[mnemonic], strict=True)]
            else:
                examples.append(whole(example, *SETTING.get(mnemonic, (1, "", ""))))
    print("\n// -----\n".join(examples))


main()
