"""Where elements of matrix operands lie: lane and item (counted from bit 0 of the registers)."""

from __future__ import annotations

import re
from dataclasses import dataclass

Place = tuple[int, int]  # lane, item


@dataclass(frozen=True)
class Shape:
    """M x N x K with B blocks; ``a`` and ``b`` are element types, ``d`` that of C and D."""

    m: int
    n: int
    k: int
    blocks: int
    a: str
    b: str
    d: str

    @staticmethod
    def of(mnemonic: str) -> Shape:
        found = re.fullmatch(
            r"v_s?mf\w+?_(?:scale_)?([fi]\d+)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_(\w+)", mnemonic
        )
        assert found, mnemonic
        d, kinds = found[1], found[6]
        both = kinds.split("_") if re.fullmatch(r"[fb][fp]8_[fb][fp]8", kinds) else [kinds] * 2
        m, n, k, blocks = (int(x or 1) for x in found.groups()[1:5])
        return Shape(m, n, k, blocks, both[0], both[1], d)

    def a_place(self, block: int, i: int, k: int) -> Place:
        return dense(self.m, self.k, self.blocks, block, i, k)

    def b_place(self, block: int, k: int, j: int) -> Place:
        return dense(self.n, self.k, self.blocks, block, j, k)

    def d_place(self, block: int, i: int, j: int) -> Place:
        if self.d == "f64" and self.m == 4:  # as AMD's calculator has it
            return 16 * i + 4 * block + j, 0
        height = 1 if self.d == "f64" else 4
        in_lanes = -(-64 // (self.n * self.m // height))
        rows = 64 // in_lanes // self.n
        groups = self.m // (height * rows)
        lane = j + self.n * (i // height % rows + rows * (block % in_lanes))
        item = i % height + height * (i // (height * rows) + groups * (block // in_lanes))
        return lane, item


def dense(extent: int, depth: int, blocks: int, block: int, outer: int, k: int) -> Place:
    """Consecutive k share a lane."""
    per_lane = depth // (64 // (extent * blocks))
    return outer + extent * (block + blocks * (k // per_lane)), k % per_lane


def small_float(extent: int, bits: int, outer: int, k: int) -> Place:
    """The f8f6f4 forms: 32 k a lane; 8-bit formats hold them as two runs of 16."""
    groups = 64 // extent
    if bits != 8:
        return outer + extent * (k // 32), k % 32
    half, rest = divmod(k, 16 * groups)
    return outer + extent * (rest // 16), 16 * half + rest % 16


def scale_lane(extent: int, outer: int, k: int) -> int:
    """The lane whose scale applies: blocks of 32 k, whatever the format."""
    return outer + extent * (k // 32)


def sparse_place(extent: int, depth: int, outer: int, k: int) -> tuple[int, int, int]:
    """(lane, group of four k in the lane, place in the group) of a dense k of a 4:2 sparse A."""
    per_lane = depth // (64 // extent)
    inside = k % per_lane
    return outer + extent * (k // per_lane), inside // 4, inside % 4
