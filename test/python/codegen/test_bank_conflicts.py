"""LDS bank conflicts of products, counted from the addresses that executed instructions use."""

from __future__ import annotations

import re
from typing import Any

import pytest
from products import GOLDEN, Product, loop_bytes, moved_by_a_step

from loops import disassemble, hottest_loop
from sampling import sample
from stages import code_object, passes

LAYOUTS = ("NT", "NN", "TN", "TT")
OTHERS: list[tuple[dict[str, int], tuple[int, int]]] = [
    (dict(BM=128, BN=128, BK=64), (2, 2)),
    (dict(BM=256, BN=128, BK=64), (4, 2)),
    (dict(BM=128, BN=256, BK=32), (2, 4)),
    (dict(BM=64, BN=64, BK=64), (2, 2)),
]


def conflicting(accesses: list[Any]) -> list[str]:
    return [f"{a.pc:#x} {a.instruction}: {a.conflicts}" for a in accesses if a.conflicts]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("target", GOLDEN)
def test_golden_loop(target: str, layout: str) -> None:
    product = Product(target, layout, GOLDEN[target], depth=4)
    assert moved_by_a_step(product) == loop_bytes(product, (2, 4))
    accesses = product.run()
    assert not conflicting(accesses)
    code = product.compile().code_object
    loop, text = hottest_loop(code), disassemble(code)[0][0]
    inside = [access for access in accesses if loop.first <= text + access.pc <= loop.last]
    named = sum(n for name, n in loop.mnemonics.items() if name.startswith("ds_"))
    copies = [access for access in inside if access.use == "copy"]
    assert len(inside) - len(copies) == named and sum(a.phases for a in inside) > 0
    assert bool(copies) == (target == "gfx950")


@pytest.mark.parametrize("layout", ["NT", "NN"])
@pytest.mark.parametrize("tiles, waves", OTHERS)
@pytest.mark.parametrize("target", GOLDEN)
def test_other_tiles_and_wave_grids(
    target: str, tiles: dict[str, int], waves: tuple[int, int], layout: str
) -> None:
    tiles = {**tiles, "BK": 32} if target == "gfx942" else tiles
    product = Product(target, layout, tiles, depth=4, schedule=dict(waves=waves))
    assert moved_by_a_step(product) == loop_bytes(product, waves)
    assert not conflicting(product.run())


CASES = [
    (target, layout, m, n, k, waves)
    for target in GOLDEN
    for layout in LAYOUTS
    for m in (64, 128, 256)
    for n in (64, 128, 256)
    for k in (32, 64)
    for waves in ((2, 2), (4, 2), (2, 4), (4, 1), (1, 4))
    if m * n // (waves[0] * waves[1]) <= 128 * 128
]


@pytest.mark.parametrize("target, layout, m, n, k, waves", sample(CASES, 8))
def test_schedules(
    target: str, layout: str, m: int, n: int, k: int, waves: tuple[int, int]
) -> None:
    product = Product(target, layout, dict(BM=m, BN=n, BK=k), depth=2, schedule=dict(waves=waves))
    accesses = product.run()
    assert accesses and not conflicting(accesses)


def without_swizzles(cdna: str) -> str:
    return re.sub(r", xor = \[[\d, ]*\]", "", cdna)


@pytest.mark.parametrize("layout", ["NT", "NN"])
@pytest.mark.parametrize("target", GOLDEN)
def test_rows_that_are_not_swizzled_conflict(target: str, layout: str) -> None:
    product = Product(target, layout, GOLDEN[target], depth=4, schedule=dict(lds="register"))
    plain = without_swizzles(product.ir("cdna"))
    accesses = product.run(code_object(plain, target))
    reads = [a for a in accesses if a.use == "read" and a.width == 16]
    assert reads and sum(a.conflicts for a in reads) >= sum(a.phases for a in reads) // 2
    assert not conflicting(product.run())


def test_a_copy_that_does_not_follow_the_swizzle_is_refused() -> None:
    text = Product("gfx950", "NT", GOLDEN["gfx950"], depth=4).ir("cdna")
    refused = passes(without_swizzles(text), "tegula-rocdl")
    assert refused.returncode != 0 and b"[cdna.async_copy.c" in refused.stderr
