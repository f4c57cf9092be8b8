"""Scales from where they lie row by row into another order and back, also group by group.

How scales are stored is ``tg.Scales``, a property of the argument: these kernels copy, and serve
every order (torchao's ``to_blocked`` and ``triton_mx_block_rearrange_…``).
"""

import tegula as tg


@tg.kernel(grid=lambda s, BM, BC: (tg.cdiv(s.shape[2], BC), tg.cdiv(s.shape[1], BM), s.shape[0]))
def copy_scales(s: "E R C", out: "E R C", *, BM: tg.tile = 128, BC: tg.tile = 16):
    """out = s, scales of E matrices. Either may be ``tg.Scales``, whose padding becomes zeros."""
    c, r, e = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    tg.store(out, (e, r, c), tg.load(s, (e, r, c), (1, BM, BC)))


@tg.kernel(grid=lambda offs, PARTS: (PARTS, offs.shape[0]))
def copy_group_scales(
    s: "R C",
    out: "R C",
    offs: "G",
    *,
    axis: tg.const = 0,
    PARTS: tg.const = 64,
    BM: tg.tile = 128,
    BC: tg.tile = 4,
):
    """out = s, scales of groups of rows, or with ``axis=1`` of columns; the rest is left alone.

    Either may be ``tg.Scales`` of such groups, whose padding becomes zeros; offs (G) of i32 or i64
    says where groups end. PARTS workgroups share each.
    """
    part, g = tg.program_id(0), tg.program_id(1)
    one, copy = tg.group_view(s, offs, g, axis), tg.group_view(out, offs, g, axis)
    across = tg.cdiv(one.shape[1], BC)
    for t in range(part, tg.cdiv(one.shape[0], BM) * across, PARTS):
        at = (t // across, t % across)
        tg.store(copy, at, tg.load(one, at, (BM, BC)))
