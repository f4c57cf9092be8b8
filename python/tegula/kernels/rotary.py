"""Rotary position embedding (Su et al. 2021)."""

import tegula as tg


@tg.kernel(grid=lambda x, BS: (tg.cdiv(x.shape[1], BS), x.shape[2], x.shape[0]))
def rotary(
    x: "B S H C",
    y: "B S H C",
    cos: "B S C",
    sin: "B S C",
    x_out: "B S H C",
    y_out: "B S H C",
    sign: tg.f32 = 1.0,
    *,
    C: tg.const,
    BS: tg.tile = 16,
):
    """(x, y) turned by angles: x · cos - y · sin and y · cos + x · sin, computed in f32.

    x and y (batch, position, head, pair) are what pairs consist of, with any strides: the halves of
    each head's vector, or its even and odd elements. f32, f16 or bf16; sign = -1 turns back.
    """
    i, h, b = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    c = tg.load(cos[b], (i, 0), (BS, C)).to(tg.f32)
    s = tg.load(sin[b], (i, 0), (BS, C)).to(tg.f32) * sign
    u = tg.load(x[b, :, h], (i, 0), (BS, C)).to(tg.f32)
    v = tg.load(y[b, :, h], (i, 0), (BS, C)).to(tg.f32)
    tg.store(x_out[b, :, h], (i, 0), (u * c - v * s).to(x_out.dtype))
    tg.store(y_out[b, :, h], (i, 0), (v * c + u * s).to(y_out.dtype))
