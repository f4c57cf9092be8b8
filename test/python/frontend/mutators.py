"""Ways to spoil a correct kernel. Each takes the parsed function and a source of chance.

A mutator changes the tree in place and returns the labels that may come of it (prefixes), or None
where the kernel offers no place for it. What it makes is wrong for certain: no mutator may yield
a kernel that means something.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator

Labels = tuple[str, ...] | None
Mutator = Callable[[ast.FunctionDef, random.Random], Labels]

FORBIDDEN = {
    "with open('x') as f:\n    pass": "front.syntax.with",
    "try:\n    pass\nexcept ValueError:\n    pass": "front.syntax.try",
    "raise ValueError('no')": "front.syntax.raise",
    "def inner(x):\n    return x": "front.syntax.nested",
    "class Inner:\n    pass": "front.syntax.class",
    "import os": "front.syntax.import",
    "from math import pi": "front.syntax.import",
    "global plain\nplain = 1": "front.syntax.global",
    "yield 1": "front.syntax.generator",
    "zz = plain(1)": "front.syntax.call",
    "zz = sorted((1, 2))": "front.syntax.builtin",
    "zz = 1 // 0": "front.const.fold",
    "zz = 9**9**9": "front.const.fold",
    "zz = math.sqrt(-1.0)": "front.const.fold",
    "zz, zy = (1, 2, 3)": "front.type.unpack",
    "for zz in tg.unroll(range(10000)):\n    pass": "front.syntax.unroll",
    "for zz in range(0, 8, 0):\n    pass": "front.const.step",
    "for zz in range(10**12):\n    pass": "front.type.literal",
    "return 1": "front.syntax.return",
}
VALUES = {
    "lambda zz: zz": "front.syntax.lambda",
    "[zz for zz in range(4)]": "front.syntax.comprehension",
    "{zz: zz for zz in range(4)}": "front.syntax.comprehension",
    "{'zz': 1}": "front.syntax.dict",
    "{1, 2}": "front.syntax.set",
    "(zz := 1)": "front.syntax.walrus",
    "plain(1)": "front.syntax.call",
    "undefined_name": "front.name.undefined",
    "tg.laod": "front.name.attribute",
}


def calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Calls of ``tg.name``; of any ``tg`` function without names."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if (
            isinstance(owner, ast.Name)
            and owner.id == "tg"
            and (node.func.attr in names or not names)
        ):
            yield node


def body_calls(tree: ast.FunctionDef, *names: str) -> list[ast.Call]:
    return [call for statement in tree.body for call in calls(statement, *names)]


def blocks(tree: ast.FunctionDef) -> list[list[ast.stmt]]:
    found = [tree.body]
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.If):
            found.append(node.body)
    return found


def tile_names(tree: ast.FunctionDef) -> list[tuple[int, str]]:
    """(position in the body, name) of locals that are certainly tiles: loaded ones."""
    return [
        (place, statement.targets[0].id)
        for place, statement in enumerate(tree.body)
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and any(True for _ in calls(statement.value, "load"))
        and (not isinstance(statement.value, ast.Call) or not list(calls(statement.value, "sum")))
    ]


def views(tree: ast.FunctionDef) -> list[str]:
    return [a.arg for a in tree.args.args if isinstance(a.annotation, ast.Constant)]


def statements(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def insert_forbidden(tree: ast.FunctionDef, r: random.Random) -> Labels:
    text, label = r.choice(sorted(FORBIDDEN.items()))
    block = r.choice(blocks(tree))
    place = r.randint(0, len(block))
    block[place:place] = statements(text)
    return (label,)


def misspell_function(tree: ast.FunctionDef, r: random.Random) -> Labels:
    call = r.choice(body_calls(tree))
    assert isinstance(call.func, ast.Attribute)
    name = call.func.attr
    place = r.randrange(len(name))
    call.func.attr = name[:place] + r.choice("qzjx") * 2 + name[place + r.randint(0, 1) :]
    return ("front.name.attribute",)


def undefined_name(tree: ast.FunctionDef, r: random.Random) -> Labels:
    names = [
        node
        for statement in tree.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id != "tg"
    ]
    name = r.choice(names)
    name.id += r.choice(["_", "x", "2"]) + "q"
    return ("front.name.undefined",)


def drop_argument(tree: ast.FunctionDef, r: random.Random) -> Labels:
    call = r.choice(body_calls(tree, "load", "store", "mma", "where", "zeros", "iota"))
    call.args.pop(r.randrange(len(call.args)))
    return ("front.",)


def unknown_keyword(tree: ast.FunctionDef, r: random.Random) -> Labels:
    name = r.choice(["mask", "cache", "dim", "keep_dims", "other"])
    r.choice(body_calls(tree)).keywords.append(ast.keyword(name, expression("1")))
    return ("front.type.call",)


def extra_argument(tree: ast.FunctionDef, r: random.Random) -> Labels:
    # As many as no function takes.
    r.choice(body_calls(tree)).args.extend(expression("1") for _ in range(8))
    return ("front.type.call",)


def axis_outside(tree: ast.FunctionDef, r: random.Random) -> Labels:
    axes = [k for call in body_calls(tree) for k in call.keywords if k.arg == "axis"]
    if not axes:
        return None
    r.choice(axes).value = expression(str(r.choice([3, 4, 7, -4, -9, 10**6])))
    return ("front.shape.axis", "front.index")


def axis_of_wrong_kind(tree: ast.FunctionDef, r: random.Random) -> Labels:
    axes = [k for call in body_calls(tree) for k in call.keywords if k.arg == "axis"]
    if not axes:
        return None
    r.choice(axes).value = expression(r.choice(["1.5", "'x'", "tg.program_id(0)"]))
    return ("front.",)


def index_rank(tree: ast.FunctionDef, r: random.Random) -> Labels:
    index = r.choice(body_calls(tree, "load", "store")).args[1]
    assert isinstance(index, ast.Tuple)
    if len(index.elts) > 1 and r.random() < 0.5:
        index.elts.pop()
    else:
        index.elts.append(expression("0"))
    return ("tile.load", "tile.store", "front.index")


def shape_rank(tree: ast.FunctionDef, r: random.Random) -> Labels:
    shape = r.choice(body_calls(tree, "load")).args[2]
    assert isinstance(shape, ast.Tuple)
    shape.elts.append(expression("1"))
    return ("tile.load", "front.index", "front.branch", "front.shape")  # or where it meets another


def bad_extent(tree: ast.FunctionDef, r: random.Random) -> Labels:
    shape = r.choice(body_calls(tree, "load", "zeros", "iota", "full"))
    tuples = [a for a in shape.args if isinstance(a, ast.Tuple)]
    elements = tuples[-1].elts
    wrong = ["0", "-3", "2.5", "'x'", "tg.program_id(0)", "None", "2**40"]
    elements[r.randrange(len(elements))] = expression(r.choice(wrong))
    return ("front.shape", "front.const.shape", "front.type", "tile.kernel.c11", "tile.reshape.c1")


def stored_type(tree: ast.FunctionDef, r: random.Random) -> Labels:
    call = r.choice(body_calls(tree, "store"))
    call.args[2] = ast.Call(ast.Attribute(call.args[2], "to"), [expression("tg.i16")], [])
    return ("tile.store.c4", "front.type")


def not_a_type(tree: ast.FunctionDef, r: random.Random) -> Labels:
    places = [call for call in body_calls(tree, "zeros", "full")]
    if not places:
        return None
    r.choice(places).args[-1] = expression(r.choice(["'f32'", "float", "1", "tg.zeros", "None"]))
    return ("front.",)


def view_as_tile(tree: ast.FunctionDef, r: random.Random) -> Labels:
    operations = [
        node
        for statement in tree.body
        for node in ast.walk(statement)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Mult | ast.Sub | ast.Div)
    ]
    r.choice(operations).right = expression(r.choice(views(tree)))
    return ("front.type.operand", "front.type", "front.const")


def tile_as_view(tree: ast.FunctionDef, r: random.Random) -> Labels:
    tiles = tile_names(tree)
    if not tiles:
        return None
    place, name = r.choice(tiles)
    tree.body[place + 1 : place + 1] = statements(f"zz = tg.load({name}, (0, 0), (1, 1))")
    return ("front.type.view",)


def tile_condition(tree: ast.FunctionDef, r: random.Random) -> Labels:
    tiles = tile_names(tree)
    if not tiles:
        return None
    place, name = r.choice(tiles)
    texts = [
        "if {0}:\n    pass",
        "zz = 1.0 if {0} > 0 else 2.0",
        "zz = {0} and {0}",
        "zz = not {0}",
        "if {0} == {0}:\n    pass",
        "zz = 0 < {0} < 1",
    ]
    tree.body[place + 1 : place + 1] = statements(r.choice(texts).format(name))
    return ("front.type.condition",)


def wrong_tile_operation(tree: ast.FunctionDef, r: random.Random) -> Labels:
    tiles = tile_names(tree)
    if not tiles:
        return None
    place, name = r.choice(tiles)
    texts = {
        "zz = {0} @ {0}": "front.syntax.operator",
        "zz = {0} + tg.zeros((3, 5), tg.f32)": "front.shape.broadcast",
        "zz = {0} + None": "front.type.operand",
        "zz = {0} + 'x'": "front.type.operand",
        "zz = {0}.softmax()": "front.name.attribute",
        "zz = {0}.astype(tg.f16)": "front.name.attribute",
        "zz = {0}.to('bf16')": "front.type.dtype",
        "zz = {0}.to(tg.e8m0)": "tile.cast.c2",
        "zz = tg.permute({0}, (0, 0, 1))": "front.shape.permute",
        "zz = tg.broadcast_to({0}, (3, 5))": "front.shape.broadcast",
        "zz = {0}.reshape(7, 11)": "tile.reshape.c1",
        "zz = {0} + 10**400": "front.type.literal",
        "zz = tg.exp({0}, {0})": "front.type.call",
        "zz = tg.where({0}, {0}, {0})": "front.type.condition",
        "zz = tg.mma({0}, {0}, 0.0)": "front.type.operand",
        "zz, zy = {0}": "front.type.unpack",
        "{0}[0, 0] = 1.0": "front.syntax.mutation",
        "{0}.shape = (1, 2)": "front.syntax.mutation",
        "for zz in {0}:\n    pass": "front.type.for",
        "for zz in range({0}):\n    pass": "front.type.bound",
    }
    text, label = r.choice(sorted(texts.items()))
    tree.body[place + 1 : place + 1] = statements(text.format(name))
    return (label,)


def argument_value(tree: ast.FunctionDef, r: random.Random) -> Labels:
    call = r.choice(
        body_calls(tree, "load", "store", "mma", "where", "maximum", "exp", "exp2", "sum")
    )
    text, label = r.choice(sorted(VALUES.items()))
    call.args[r.randrange(len(call.args))] = expression(text)
    return (label,)


def one_path(tree: ast.FunctionDef, r: random.Random) -> Labels:
    """A variable that exists on one path only."""
    text = "if tg.program_id(0) > 2:\n    zz = 1.0\nzy = zz * 2.0"
    if body_calls(tree, "tile_id"):
        text = text.replace("tg.program_id(0)", "m")
    place = r.randint(1, len(tree.body))
    tree.body[place:place] = statements(text)
    return ("front.name.path",)


def changed_in_loop(tree: ast.FunctionDef, r: random.Random) -> Labels:
    tiles = tile_names(tree)
    if not tiles:
        return None
    place, name = r.choice(tiles)
    change = r.choice(["tg.sum({0}, axis=0)", "{0}.to(tg.f64)", "1.0", "({0}, {0})"])
    text = f"zz = {name}\nfor zy in range(3):\n    zz = {change.format('zz')}\nzx = zz"
    tree.body[place + 1 : place + 1] = statements(text)
    return ("front.branch", "front.type")


def misspelt_extent(tree: ast.FunctionDef, r: random.Random) -> Labels:
    """One name with two extents in the arguments' annotations."""
    annotated = [a for a in tree.args.args if isinstance(a.annotation, ast.Constant)]
    argument = r.choice(annotated)
    assert isinstance(argument.annotation, ast.Constant)
    argument.annotation.value = r.choice(["", "M K M2 N2 P Q", "M 0", "1M K", "M*", "M/0", "M-1 K"])
    return ("front.", "argument")


def matrix_extents(tree: ast.FunctionDef, r: random.Random) -> Labels:
    """Operands of a product that don't fit."""
    products = body_calls(tree, "mma")
    if not products:
        return None
    call = r.choice(products)
    place = r.randrange(3)
    call.args[place] = expression(
        "tg.zeros((17, 19), tg.bf16)" if place < 2 else "tg.zeros((17, 19), tg.f32)"
    )
    return ("tile.mma", "front.branch", "front.shape")  # or where the product meets another tile


MUTATORS: tuple[Mutator, ...] = (
    insert_forbidden,
    misspell_function,
    undefined_name,
    drop_argument,
    unknown_keyword,
    extra_argument,
    axis_outside,
    axis_of_wrong_kind,
    index_rank,
    shape_rank,
    bad_extent,
    stored_type,
    not_a_type,
    view_as_tile,
    tile_as_view,
    tile_condition,
    wrong_tile_operation,
    argument_value,
    one_path,
    changed_in_loop,
    misspelt_extent,
    matrix_extents,
)
