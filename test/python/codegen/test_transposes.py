"""Transposes: coalesced both ways, no bank conflict, wide LDS accesses; counted as executed."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import transposes
from transposes import (
    aligned,
    by_tile,
    by_view,
    numbers,
    of_known_extents,
    permuted,
    run,
    same_bits,
)

import tegula
from loops import disassemble
from sampling import sample
from stages import passes

BF16 = ml_dtypes.bfloat16
TARGETS = ("gfx942", "gfx950")
TYPES = (np.int8, BF16, np.float32)
TILES = [(m, n) for m in (64, 128, 256) for n in (64, 128, 256)]
CASES = [
    (kernel, target, dtype, tile)
    for kernel in (by_tile, by_view)
    for target in TARGETS
    for dtype in TYPES
    for tile in TILES
]


def transposed(kernel: Any, target: str, dtype: Any, tile: tuple[int, int]) -> transposes.Run:
    x = numbers((2 * tile[0], 2 * tile[1]), dtype)
    done = run(kernel, target, x, x.shape[::-1], BM=tile[0], BN=tile[1])
    assert same_bits(done.out, x.T)
    return done


SQUARES = [case for case in CASES if case[3][0] == case[3][1] and case[0] is by_tile]


@pytest.mark.parametrize(
    "kernel, target, dtype, tile",
    SQUARES + sample([case for case in CASES if case not in SQUARES], 10),
)
def test_no_conflict_and_nothing_fetched_in_vain(
    kernel: Any, target: str, dtype: Any, tile: tuple[int, int]
) -> None:
    done = transposed(kernel, target, dtype, tile)
    lds, memory = done.accesses.lds, done.accesses.arguments
    assert lds and done.accesses.conflicts == 0
    assert not [text for text in done.remarks if "bank conflicts" in text]
    # 8 bytes or more of each lane; the reader transposes where the target can.
    assert min(access.width for access in lds) >= 8
    transposing = [a for a in lds if "_tr_" in a.instruction]
    assert bool(transposing) == (target == "gfx950" and np.dtype(dtype).itemsize <= 2)
    # A tile of 4,096 bytes has 64 for a lane of one wave: eight rows of 8 bytes, or LDS is left
    # with four-byte accesses.
    least = 8 if target == "gfx942" and dtype == np.int8 and min(tile) == 64 else 16
    moved = (memory["x"].read, memory["out"].written)
    assert all(min(traffic.lanes) >= least for traffic in moved)
    assert all(traffic.bytes == 64 * traffic.segments_64 == done.out.nbytes for traffic in moved)
    resources = done.compiled.manifest["resources"]
    assert resources["vgpr_spills"] == resources["scratch_bytes"] == 0


@pytest.mark.parametrize("target", TARGETS)
def test_4096_squared_moves_16_bytes_both_ways(target: str) -> None:
    x = numbers((4096, 4096), BF16)
    out = aligned((4096, 4096), BF16)
    tile = dict(BM=128, BN=128)
    # Where extents are not known the code has a second way, for vectors that straddle an end.
    compiled = of_known_extents.compile(x, out, target=target, **tile)
    moves = [t for _, t in disassemble(compiled.code_object) if re.match(r"(buffer|global)_", t)]
    loads = [text.split()[0] for text in moves if "_load_" in text]
    stores = [text.split()[0] for text in moves if "_store_" in text]
    assert set(loads) == {"buffer_load_dwordx4"} and set(stores) == {"buffer_store_dwordx4"}
    with tegula.device(f"sim:{target}", sanitizers=False, count_accesses=True) as device:
        device.reset_counters()
        of_known_extents(x, out, **tile)
        [use] = device.usage()
    assert same_bits(out, x.T)
    read, written = use.accesses.arguments["x"].read, use.accesses.arguments["out"].written
    for traffic in (read, written):
        assert traffic.bytes == x.nbytes == 64 * traffic.segments_64
        assert traffic.lanes == {16: x.nbytes // 16}
    assert use.accesses.conflicts == 0


ODD = (1, 3, 8, 17, 24, 48, 80, 96, 160, 200)
OTHER_TYPES = (np.bool_, np.int8, np.int16, BF16, np.float32, np.int64)


def other_cases() -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(11)
    cases: list[tuple[Any, ...]] = []
    for _ in range(300):
        target, dtype = str(rng.choice(TARGETS)), OTHER_TYPES[rng.integers(len(OTHER_TYPES))]
        rank = int(rng.integers(2, 4))
        extents = [e for e in ODD + (32, 64, 128) if rank == 2 or e <= 32]
        tile = tuple(int(e) for e in rng.choice(extents, rank))
        shape = tuple(max(1, 2 * e - int(rng.choice((0, 1, 5)))) for e in tile)
        order = tuple(int(d) for d in rng.permutation(rank))
        cases.append((target, dtype, tile, shape, order))
    return [case for case in cases if case[4] != tuple(range(len(case[4])))]


def reordered(
    target: str, dtype: Any, tile: tuple[int, ...], shape: tuple[int, ...], order: tuple[int, ...]
) -> transposes.Run:
    x = numbers(shape, dtype)
    if len(tile) == 2:
        names: dict[str, Any] = dict(zip(("BM", "BN"), tile, strict=True))
        kernel = by_view if sum(shape) % 2 else by_tile
    else:
        names = dict(zip(("BA", "BB", "BC"), tile, strict=True), p=order)
        kernel = permuted
    done = run(kernel, target, x, tuple(shape[d] for d in order), **names)
    assert same_bits(done.out, x.transpose(order))
    return done


@pytest.mark.parametrize("target, dtype, tile, shape, order", sample(other_cases(), 30))
def test_any_extents_tails_and_orders(
    target: str, dtype: Any, tile: tuple[int, ...], shape: tuple[int, ...], order: tuple[int, ...]
) -> None:
    done = reordered(target, dtype, tile, shape, order)
    if done.accesses.conflicts:
        assert [text for text in done.remarks if "bank conflicts" in text]


# Waves whose rows begin at other banks than the first one's; phantoms that are all read at one
# place.
UNEVEN: list[tuple[Any, ...]] = [
    ("gfx942", np.bool_, (8, 17, 17), (8, 17, 17), (2, 1, 0)),
    ("gfx942", np.int16, (24, 17, 24), (24, 17, 24), (0, 2, 1)),
    ("gfx950", np.int16, (17, 17, 24), (17, 17, 24), (2, 0, 1)),
    ("gfx950", np.int16, (8, 17, 24), (8, 17, 24), (0, 2, 1)),
    ("gfx950", np.int8, (17, 8, 3), (17, 8, 3), (2, 1, 0)),
]


@pytest.mark.parametrize(
    "target, dtype, tile, shape, order",
    UNEVEN + sample([(*case[:3], case[2], case[4]) for case in other_cases()], 20),
)
def test_remarks_count_the_conflicts_that_are_executed(
    target: str, dtype: Any, tile: tuple[int, ...], shape: tuple[int, ...], order: tuple[int, ...]
) -> None:
    done = reordered(target, dtype, tile, shape, order)
    told = re.findall(r"lose (\d+) clocks of \d+ to bank conflicts", " ".join(done.remarks))
    assert done.accesses.conflicts == sum(map(int, told))


def test_rows_that_change_places_stay_inside_of_each_part() -> None:
    """17 slices go through a buffer of 16, the last one through a part of 32 rows."""
    reordered("gfx942", np.int16, (17, 32, 32), (33, 59, 59), (2, 1, 0))


@pytest.mark.parametrize("target", TARGETS)
def test_wide_tiles_are_cut_to_fit(target: str) -> None:
    """256 KiB pass through LDS in parts that leave room for a second workgroup."""
    done = transposed(by_tile, target, np.float32, (256, 256))
    lds = {"gfx942": 65536, "gfx950": 163840}[target]
    assert 0 < done.compiled.manifest["resources"]["lds_bytes"] <= lds // 2
    parts = int(re.search(r"in (\d+) parts", " ".join(done.remarks))[1])  # type: ignore[index]
    assert parts == {"gfx942": 8, "gfx950": 4}[target]


@pytest.mark.parametrize("target", TARGETS)
def test_a_reader_with_another_swizzle_than_the_writer_is_refused(target: str) -> None:
    x, out = aligned((128, 128), BF16), aligned((128, 128), BF16)
    text = by_tile.ir("cdna", x, out, BM=128, BN=128, target=target)
    planted = re.sub(r"(cdna\.lds_load .*?xor = )\[[\d, ]*\]", r"\1[1]", text, count=1)
    assert planted != text
    refused = passes(planted, "tegula-rocdl")
    assert refused.returncode != 0 and b"expects different type" in refused.stderr
    assert passes(text, "tegula-rocdl").returncode == 0


def test_bytes_are_transposed_by_packed_permutes() -> None:
    x, out = aligned((128, 128), np.int8), aligned((128, 128), np.int8)
    compiled = by_tile.compile(x, out, BM=128, BN=128, target="gfx942")
    names = [text.split()[0] for _, text in disassemble(compiled.code_object)]
    # 16 bytes of 8 rows in a lane: 32 dwords, two permutes each.
    assert names.count("v_perm_b32") == 64
    assert not [name for name in names if name.startswith(("ds_write_b8", "ds_read_u8"))]
