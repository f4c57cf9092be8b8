"""Ways to spoil correct tile IR. Each gives text that means nothing, or None where it has no place.

The input is a kernel as the front end prints it, without locations: one op a line.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Mutator = Callable[[list[str], random.Random], str | None]

RESULT = re.compile(r"^\s*(%[\w.]+)(?::\d+)? = ")
VALUE = re.compile(r"%[\w.]+")
TENSOR = re.compile(r"tensor<[^<>]*>")
INSERTED = (
    '"foo.bar"() : () -> ()',
    "%zz = arith.constant 1 : index",
    "%zz = tensor.empty() : tensor<4xf32>",
    "%zz = tile.iota {axis = 3} : tensor<4x4xi32>",
    "%zz = tile.iota {axis = 0} : tensor<0x4xi32>",
    "%zz = tile.iota {axis = 0} : tensor<?xi32>",
    "%zz = tile.iota {axis = 0} : tensor<*xi32>",
    "%zz = tile.iota {axis = 0} : tensor<4xf32>",
    "%zz = tile.iota {axis = 0} : tensor<1x1x1x1x1x1xi32>",
    "%zz = tile.iota {axis = 0} : tensor<16777216x16xi32>",
    "%zz = arith.constant dense<1.0> : tensor<4xf8E4M3FN>\n"
    "%zy = arith.addf %zz, %zz : tensor<4xf8E4M3FN>",
    "%zz = arith.constant dense<1.0> : tensor<4xf32>\n%zy = math.exp2 %zz : tensor<4xf32>",
    "%zz = arith.constant dense<[1.0, 2.0]> : tensor<4xf32>",
    "%zz = arith.constant 1.0 : i32",
    "%zz = arith.constant 99999999999 : i32",
    "%zz = tile.program_id {axis = 5} : i32",
    "%zz = tile.program_id {axis = -1} : i32",
    "tile.return",
    "scf.yield",
    "cf.br ^missing",
    "tile.kernel @inner() { tile.return }",
    "%zz:2 = arith.constant 1 : i32",
    "%zz = tile.math exp3 %zz : tensor<4xf32>",
    "%zz = arith.constant dense<0.0> : tensor<4xf32, 5 : i32>",
    "^bb1:",
    "}",
    "func.func @f() { return }",
    "cdna.barrier",
    "module {",
    "%zz = llvm.mlir.undef : i32",
)
ATTRIBUTES = (
    (re.compile(r"\{d = \d+\}"), ("{d = 9}", "{d = -1}", "{}", "{d = 1.0}", '{d = "x"}')),
    (re.compile(r"\{axis = \d+\}"), ("{axis = 6}", "{axis = -2}", "{axes = 0}")),
    (re.compile(r"align = \d+"), ("align = 3", "align = 0", "align = -16", "align = 4096")),
    (
        re.compile(r"strides = \[[^]]*\]"),
        ("strides = [1, 1, 1, 1]", "strides = []", "strides = [x]"),
    ),
    (
        re.compile(r"names = \[[^]]*\]"),
        ('names = [""]', 'names = ["M", "M", "M", "M"]', "names = [1]"),
    ),
    (re.compile(r'target<"\w+">'), ('target<"gfx1100">', 'target<"">', "target<gfx950>")),
    (re.compile(r"grid = @[\w.]+"), ("grid = @missing", "grid = 3", 'grid = "x"')),
    (re.compile(r"pad\([^)]*\)"), ("pad()", 'pad("x")', "pad(dense<0.0> : tensor<4xf32>)", "")),
    (re.compile(r'tile\.name = "\w+"'), ("tile.name = 1", 'tile.name = ""', "tile.nome = 1")),
    (re.compile(r"(tile_id|num_tiles) %\w+ \[[^]]*\]"), (r"\1 %c.9 [1]", r"\1 [0, 0]")),
    (re.compile(r"perm = \[[^]]*\]"), ("perm = [0, 0, 0]", "perm = [7]", "perm = []")),
    (re.compile(r" rne"), (" rnx", " stochastic")),
    (re.compile(r" : i32 \{"), (" : i64 {", " : index {", " : f32 {")),
    (re.compile(r"-> i32 \{"), ("-> f32 {", "-> () {", "-> (i32, i32, i32, i32) {")),
)


def _kernel_lines(lines: list[str]) -> range:
    """The lines of the kernel's body."""
    return range(2, lines.index("}"))


def _defined(lines: list[str]) -> list[tuple[int, str]]:
    """(line, name) of values that another line uses."""
    found = []
    for place in _kernel_lines(lines):
        match = RESULT.match(lines[place])
        if match and any(
            re.search(re.escape(match[1]) + r"(?![\w.])", other)
            for other in lines[place + 1 : lines.index("}")]
        ):
            found.append((place, match[1]))
    return found


def undefined_value(lines: list[str], r: random.Random) -> str | None:
    place = r.choice([n for n in _kernel_lines(lines) if " = " in lines[n]])
    left, right = lines[place].split(" = ", 1)
    uses = list(VALUE.finditer(right))
    if not uses:
        return None
    use = r.choice(uses)
    lines[place] = f"{left} = {right[: use.start()]}%nowhere{right[use.end() :]}"
    return "\n".join(lines)


def missing_definition(lines: list[str], r: random.Random) -> str | None:
    place, _ = r.choice(_defined(lines))
    if lines[place].endswith("{"):
        return None
    del lines[place]
    return "\n".join(lines)


def defined_twice(lines: list[str], r: random.Random) -> str | None:
    place, _ = r.choice(_defined(lines))
    if lines[place].endswith("{"):
        return None
    lines.insert(place, lines[place])
    return "\n".join(lines)


def _other_type(lines: list[str], r: random.Random, change: Callable[[str], str]) -> str | None:
    place, _ = r.choice(_defined(lines))
    types = list(TENSOR.finditer(lines[place]))
    if not types:
        return None
    found = types[-1]  # the result's
    lines[place] = lines[place][: found.start()] + change(found[0]) + lines[place][found.end() :]
    return "\n".join(lines)


def other_extent(lines: list[str], r: random.Random) -> str | None:
    wrong = r.choice(["tensor<3x", "tensor<0x", "tensor<-1x", "tensor<?x", "tensor<"])
    return _other_type(lines, r, lambda text: re.sub(r"tensor<\d+x", wrong, text))


def other_element(lines: list[str], r: random.Random) -> str | None:
    def change(text: str) -> str:
        head, _, element = text[:-1].rpartition("x")
        others = {"f64", "i64", "f8E5M2", "complex<f32>", "index", "f33", "vector<2xf32>", ""}
        return f"{head}x{r.choice(sorted(others - {element}))}>"

    return _other_type(lines, r, change)


def unknown_op(lines: list[str], r: random.Random) -> str | None:
    place = r.choice(list(_kernel_lines(lines)))
    op = re.search(r"\b(tile|arith|scf)\.\w+", lines[place])
    if op is None:
        return None
    lines[place] = lines[place].replace(op[0], op[0] + r.choice(["q", "_x", "2"]), 1)
    return "\n".join(lines)


def integer_op_on_floats(lines: list[str], r: random.Random) -> str | None:
    names = {"addf": "addi", "mulf": "muli", "subf": "subi", "divf": "divsi", "addi": "addf"}
    names |= {"muli": "mulf", "maximumf": "maxsi", "extf": "extsi", "cmpf": "cmpi", "divui": "divf"}
    pattern = rf"arith\.({'|'.join(names)})\b"
    places = [n for n in _kernel_lines(lines) if re.search(pattern, lines[n])]
    if not places:
        return None
    place = r.choice(places)
    lines[place] = re.sub(r"arith\.(\w+)", lambda m: f"arith.{names[m[1]]}", lines[place], count=1)
    return "\n".join(lines)


def cut_off(lines: list[str], r: random.Random) -> str | None:
    text = "\n".join(lines)
    return text[: r.randrange(text.rindex("}") - 1)]


def lost_bracket(lines: list[str], r: random.Random) -> str | None:
    text = "\n".join(lines)
    place = r.choice([n for n, c in enumerate(text) if c in "{}()[]<"])
    return text[:place] + text[place + 1 :]


def inserted_line(lines: list[str], r: random.Random) -> str | None:
    place = r.choice(list(_kernel_lines(lines)))
    lines.insert(place, r.choice(INSERTED))
    return "\n".join(lines)


def garbage(lines: list[str], r: random.Random) -> str | None:
    place = r.choice(list(_kernel_lines(lines)))
    column = r.randrange(len(lines[place]) + 1)
    junk = r.choice(
        [";;;", "\x01", "ä", "@@", "0x", '"', "%%", "}}}}", "tensor<", "<" * 400, "((((", "€" * 50]
    )
    lines[place] = lines[place][:column] + f" {junk} " + lines[place][column:]
    return "\n".join(lines)


def deep_nesting(lines: list[str], r: random.Random) -> str | None:
    place = r.choice(list(_kernel_lines(lines)))
    depth = r.choice([300, 5_000, 200_000])
    opening, closing = r.choice(["[]", "()", "<>", "{}"])
    attribute = opening * depth + (closing * depth if r.random() < 0.5 else "")
    lines.insert(
        place, r.choice(['"foo.bar"() {a = %s} : () -> ()', "%%zz = arith.constant %s"]) % attribute
    )
    return "\n".join(lines)


def wrong_attribute(lines: list[str], r: random.Random) -> str | None:
    text = "\n".join(lines)
    pattern, replacements = r.choice(ATTRIBUTES)
    matches = list(pattern.finditer(text))
    if not matches:
        return None
    match = r.choice(matches)
    return text[: match.start()] + match.expand(r.choice(replacements)) + text[match.end() :]


def lost_operand(lines: list[str], r: random.Random) -> str | None:
    places = [n for n in _kernel_lines(lines) if re.search(r"%[\w.#]+, %", lines[n])]
    if not places:
        return None
    place = r.choice(places)
    lines[place] = re.sub(r"%[\w.#]+, %", "%", lines[place], count=1)
    return "\n".join(lines)


def two_kernels(lines: list[str], r: random.Random) -> str | None:
    text = "\n".join(lines)
    return r.choice(
        [text + "\n" + text, "", "// nothing", "\n".join(lines[lines.index("}") + 1 :])]
    )


MUTATORS: tuple[Mutator, ...] = (
    undefined_value,
    missing_definition,
    defined_twice,
    other_extent,
    other_element,
    unknown_op,
    integer_op_on_floats,
    cut_off,
    lost_bracket,
    inserted_line,
    garbage,
    deep_nesting,
    wrong_attribute,
    lost_operand,
    two_kernels,
)
