"""General matrix product with an optional bias and epilogue."""

import tegula as tg


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def gemm(
    a: "M K",
    b: "K N",
    c: "M N",
    bias: "N" = None,
    *,
    BM: tg.tile = tg.auto,
    BN: tg.tile = tg.auto,
    BK: tg.tile = tg.auto,
    epilogue: tg.const = None,
):
    """c = epilogue(a @ b + bias), accumulated in f32.

    a (M, K) and b (K, N) of f16 or bf16 with any strides (pass ``b.T`` for an NT product);
    c (M, N); bias (N). ``epilogue`` is a ``@tg.function`` of the f32 tile.
    """
    m, n = tg.tile_id(c, (BM, BN))  # which tile of c; the schedule chooses the raster
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    if bias is not None:
        acc = acc + tg.load(bias, (n,), (BN,)).to(tg.f32)
    if epilogue is not None:
        acc = epilogue(acc)
    tg.store(c, (m, n), acc.to(c.dtype))
