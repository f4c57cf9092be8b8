"""Tiles that a pipelined loop fetches ahead: each byte of the operands is read once."""

from __future__ import annotations

import pytest
from products import Product

from loops import hottest_loop
from sampling import sample

TILES = {"gfx942": dict(BM=64, BN=64, BK=32), "gfx950": dict(BM=64, BN=64, BK=64)}
PATHS = [("gfx942", "register"), ("gfx950", "register"), ("gfx950", "direct")]
STAGES = (1, 2, 3, 4, 5)
DEPTHS = (1, 2, 3, 4, 5, 9)
CASES = [
    (target, lds, stages, depth, layout)
    for target, lds in PATHS
    for stages in STAGES
    for depth in DEPTHS
    for layout in ("NT", "TN")
]
# Every depth of loops with many stages, and a few of the others.
NEVER_LEFT_OUT = [case for case in CASES if case[2] in (2, 5) and case[4] == "NT"]


def pipelined(target: str, lds: str, stages: int, depth: int, layout: str) -> Product:
    schedule = dict(stages=stages, lds=lds, waves=(2, 2))
    return Product(target, layout, TILES[target], depth, schedule=schedule)


def reads_each_byte_once(product: Product) -> None:
    operands = product.arguments()
    traffic = product.accesses().arguments
    read = {name: traffic[name].read.bytes for name in ("a", "b")}
    assert read == {name: operands[name].nbytes for name in ("a", "b")}


@pytest.mark.parametrize(
    "target, lds, stages, depth, layout",
    NEVER_LEFT_OUT + sample([case for case in CASES if case not in NEVER_LEFT_OUT], 10),
)
def test_each_byte_is_read_once(
    target: str, lds: str, stages: int, depth: int, layout: str
) -> None:
    reads_each_byte_once(pipelined(target, lds, stages, depth, layout))


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
@pytest.mark.parametrize("target, lds", PATHS)
def test_pingpong_too(target: str, lds: str, depth: int) -> None:
    tiles = dict(TILES[target], BM=128, BN=128)
    schedule = dict(stages=2, lds=lds, waves=(2, 4), pingpong=True)
    reads_each_byte_once(Product(target, "NT", tiles, depth, schedule=schedule))


@pytest.mark.parametrize("target, lds", PATHS)
def test_the_loop_pays_with_scalar_instructions(target: str, lds: str) -> None:
    """Vector instructions are those of addresses: the number does not depend on the stages."""
    counts = []
    for stages in (2, 3, 5):
        loop = hottest_loop(pipelined(target, lds, stages, 9, "NT").compile().code_object)
        counts.append(
            sum(n for name, n in loop.mnemonics.items() if name.startswith(("v_cmp", "v_cndmask")))
        )
    assert counts == [0, 0, 0]
