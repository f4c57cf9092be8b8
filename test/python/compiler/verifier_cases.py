"""Kernels that the front end accepts and a verifier of the compiler refuses.

As in ``test/python/frontend/malformed.py``: the label, and the body with ``#!`` on its line.
"""

#: (label, body)
CASES: list[tuple[str, str]] = [
    # --- Matrix products ---
    ("tile.mma.c1", "x = tg.mma(t, t, tg.zeros((B,), tg.f32)) #!"),
    ("tile.mma.c1", "x = tg.mma(tg.load(v, (0,), (B,)), t, t) #!"),
    ("tile.mma.c2", "x = tg.mma(t, tg.load(b, (0, 0), (8, B)), t) #!"),
    ("tile.mma.c2", "for k in range(n):\n    t = tg.mma(t, t.reshape(8, 32), t) #!"),
    ("tile.mma.c3", "x = tg.mma(t, t, tg.zeros((B, 8), tg.f32)) #!"),
    ("tile.mma.c3", "x = tg.mma(t, t, tg.zeros((8, B), tg.f32)) #!"),
    ("tile.mma.c4", "x = tg.mma(t, t.to(tg.f16), t) #!"),
    ("tile.mma.c4", "x = tg.mma(tg.load(h, (0, 0), (B, B)), t.to(tg.f16), t) #!"),
    ("tile.mma.c4", "x = tg.mma(tg.load(u, (0, 0), (B, B)), t, t) #!"),
    ("tile.mma.c4", "x = tg.mma(t.to(tg.i16), t.to(tg.i16), t.to(tg.i32)) #!"),
    ("tile.mma.c5", "x = tg.mma(t.to(tg.f16), t.to(tg.f16), t.to(tg.f16)) #!"),
    ("tile.mma.c5", "x = tg.mma(t.to(tg.i8), t.to(tg.i8), t) #!"),
    # --- Loads and stores ---
    ("tile.load.c1", "x = tg.load(a, (i,), (B, B)) #!"),
    ("tile.load.c1", "x = tg.load(a, (i, 0, 0), (B, B)) #!"),
    ("tile.load.c1", "x = tg.load(v, (i, 0), (B,)) #!"),
    ("tile.load.c3", "x = tg.load(a, (i, 0), (B,)) #!"),
    ("tile.load.c3", "x = tg.load(v, (i,), (1, B)) #!"),
    ("tile.store.c1", "tg.store(c, (i,), t) #!"),
    ("tile.store.c3", "tg.store(c, (i, 0), tg.sum(t, axis=1)) #!"),
    ("tile.store.c3", "tg.store(v, (i,), t) #!"),
    ("tile.store.c4", "tg.store(c, (i, 0), t.to(tg.f16)) #!"),
    ("tile.store.c4", "tg.store(h, (i, 0), t) #!"),
    ("tile.store.c4", "tg.store(c, (i, 0), tg.iota((B, B), axis=0)) #!"),
    ("tile.scalar.c1", "x = tg.scalar(a, 0) #!"),
    ("tile.scalar.c1", "if tg.scalar(v, n, 0) > 0: #!\n    t = t + 1"),
    ("tile.valid.c1", "x = tg.valid(a, (i,), (B, B)) #!"),
    ("tile.valid.c3", "x = tg.valid(a, (i, 0), (B,)) #!"),
    # --- Shapes ---
    ("tile.reshape.c1", "x = t.reshape(3, 5) #!"),
    ("tile.reshape.c1", "x = t.reshape((256, 2)) #!"),
    ("tile.bitcast.c1", "x = tg.bitcast(t, tg.i16) #!"),
    ("tile.kernel.c11", "x = tg.zeros((8192, 4096), tg.f32) + s #!"),
    ("tile.kernel.c11", "x = tg.iota((1, 1, 1, 1, 1, 1), axis=0) #!"),
    # --- Conversions ---
    ("tile.cast.c3", "x = t.to(tg.f4e2m1, saturate=False) #!"),
    ("tile.cast.c4", "x = t.to(tg.bf16, rounding='stochastic') #!"),
    ("tile.cast.c4", "x = t.to(tg.bf16, seed=3) #!"),
    ("tile.quantize.c1", "x = tg.quantize(t, tg.f8e4m3fn, axis=(1, 0), block=(8, 8)) #!"),
    ("tile.quantize.c1", "x = tg.quantize(t, tg.f8e4m3fn, axis=1, block=(8, 8)) #!"),
    ("tile.quantize.c2", "x = tg.quantize(t, tg.f8e4m3fn) #!"),
    ("tile.quantize.c3", "x = tg.quantize(t, tg.f8e4m3fn, block=8, mode='round') #!"),
    ("tile.quantize.c4", "x = tg.quantize(t.to(tg.f64), tg.f8e4m3fn, block=8) #!"),
    ("tile.quantize.c5", "x = tg.quantize(t, tg.f8e4m3fnuz, block=8) #!"),
    ("tile.quantize.c5", "x = tg.quantize(t, tg.f16, block=8) #!"),
    # --- Where the workgroup is ---
    ("tile.program_id.c1", "x = tg.program_id(1) #!"),
    ("tile.program_id.c1", "x = tg.program_id(7) #!"),
    # --- In a function of the library: its caller's line ---
    ("tile.target.c1", "tg.store(c, (i, 0), tg.gelu(t.to(tg.f64)).to(tg.f32)) #!"),
    ("tile.target.c1", "x = tg.gelu_tanh(t.to(tg.f64)) #!\ntg.store(c, (i, 0), x.to(tg.f32))"),
]  # fmt: skip
