"""Scales from where they lie row by row into blocks of 128 × 4, also group by group.

One matrix or several need no kernel of their own: ``tg.Scales`` is how an argument is stored, and
``copy_scales`` copies. Of groups each is blocked by itself and padded, at a place that depends on
the sizes of those before it; ``offs`` (G) of i32 or i64 says where they end (torchao's
``triton_mx_block_rearrange_2d_M_groups`` and ``…_K_groups``).
"""

import tegula as tg

BLOCK = 512  # scales of 128 rows and 4 columns


@tg.kernel(grid=lambda s, BM, BC: (tg.cdiv(s.shape[2], BC), tg.cdiv(s.shape[1], BM), s.shape[0]))
def copy_scales(s: "E R C", out: "E R C", *, BM: tg.tile = 128, BC: tg.tile = 16):
    """out = s, scales of E matrices. Either may be ``tg.Scales``, whose padding becomes zeros."""
    c, r, e = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    tg.store(out, (e, r, c), tg.load(s, (e, r, c), (1, BM, BC)))


@tg.function
def padded_before(offs, g, size):
    """Where group g begins when each group before it is padded to a multiple of size."""
    start = 0
    for before in range(g):
        lo, hi = tg.group(offs, before)
        start = start + tg.cdiv(hi - lo, size) * size
    return start


@tg.function
def in_block(tile):
    """(128, 4) scales as the bytes of a block: row r % 32, then r // 32, then the column."""
    order = tg.permute(tile.reshape(4, 32, 4), (1, 0, 2))
    return tg.bitcast(order.reshape(1, BLOCK), tg.u8)


@tg.kernel(grid=lambda s, offs, PARTS: (PARTS, tg.cdiv(s.shape[1], 4), offs.shape[0]))
def block_row_groups(s: "R C", out: "B 512", offs: "G", *, PARTS: tg.const = 8):
    """Groups of rows of scales s (R, C) of e8m0, each padded to 128 rows, as blocks of 512 bytes.

    C is a multiple of 4; out (B, 512) of u8 has B = (R // 128 + G) · C/4 blocks or more, of which
    those behind the last group are left alone: they are zeros to begin with.
    """
    part, c, g = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    start, (lo, hi), width = padded_before(offs, g, 128), tg.group(offs, g), tg.cdiv(s.shape[1], 4)
    for m in range(part, tg.cdiv(hi - lo, 128), PARTS):
        tile = tg.load(s[lo:hi], (m, c), (128, 4), pad=2.0**-127)
        tg.store(out, ((start // 128 + m) * width + c, 0), in_block(tile))


@tg.kernel(grid=lambda s, offs, PARTS: (PARTS, tg.cdiv(s.shape[0], 128), offs.shape[0]))
def block_column_groups(s: "R C", out: "B 512", offs: "G", *, PARTS: tg.const = 8):
    """Groups of columns of scales, each padded to 4 columns and blocked as a matrix of its own.

    As ``block_row_groups``, with B = cdiv(R, 128) · (C // 4 + G) blocks or more.
    """
    part, r, g = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    start, (lo, hi) = padded_before(offs, g, 4), tg.group(offs, g)
    width, first = tg.cdiv(hi - lo, 4), start // 4 * tg.cdiv(s.shape[0], 128)
    for c in range(part, width, PARTS):
        tile = tg.load(s[:, lo:hi], (r, c), (128, 4), pad=2.0**-127)
        tg.store(out, (first + r * width + c, 0), in_block(tile))
