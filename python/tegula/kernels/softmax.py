"""Softmax of rows (torch.softmax over the last axis)."""

import tegula as tg


@tg.kernel(grid=lambda x: (x.shape[0],))
def softmax(x: "R N", out: "R N", *, N: tg.const):
    """out = exp(x - max(x)) / sum(exp(x - max(x))) along N, computed in f32.

    x (R, N), out (R, N) of f32, f16 or bf16. N at most 65,536.
    """
    row = tg.program_id(0)
    v = tg.load(x, (row, 0), (1, N), pad=-tg.inf).to(tg.f32)
    e = tg.exp(v - tg.max(v, axis=1, keepdims=True))
    tg.store(out, (row, 0), (e / tg.sum(e, axis=1, keepdims=True)).to(out.dtype))
