"""Malformed kernels: the label that each must raise, and its body with ``#!`` on the line at fault.

Every body follows the same head (see ``HEAD``): ``a`` (M, K), ``b`` (K, N), ``c`` (M, N) and ``v``
(N) are f32, ``h`` (M, K) is bf16, ``q`` (M, K) is fp8, ``u`` (M, K) is i32, ``p`` (M, K) is fp4,
two elements a byte, ``z`` (M, 2) is e8m0 in blocks; ``s`` is an f32 and ``n`` an i32 at run time;
``B`` is 16; ``i`` is the program id and ``t`` a 16×16 tile of ``a``.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import tegula as tg

PRELUDE = """
import math
import tegula as tg

LIST = [1, 2, 3]
TABLE = (1, 2, 3)
STATE = {"x": 1}
BIG = 10**12
NESTED = (1, [2])

def plain(x):
    return x

@tg.function
def helper(x, scale=2.0):
    return x * scale

@tg.function
def narrow(x, y):
    return (x + y).to(tg.f16)


@tg.function
def by_name(**values):
    return values["x"]

@tg.function
def recursive(x):
    return recursive(x)

@tg.function
def ping(x):
    return pong(x)

@tg.function
def pong(x):
    return ping(x)

@tg.function
def pair(x):
    return x, x + 1.0

@tg.kernel(grid=lambda x: (x.shape[0],))
def other(x: "N"):
    pass
"""

HEAD = """
@tg.kernel(grid=lambda c, B: (tg.cdiv(c.shape[0], B),))
def {name}(
    a: "M K", b: "K N", c: "M N", v: "N", h: "M K", q: "M K", u: "M K", s: tg.f32, n: tg.i32,
    p: "M K", z: "M Z", w: "N" = None, *, B: tg.const = 16, mode: tg.const = "rceil",
):
    i = tg.program_id(0)
    t = tg.load(a, (i, 0), (B, B))
"""


def arrays() -> list[object]:
    """Arguments of the common head."""
    f32, shape = np.float32, (64, 32)
    return [
        np.zeros(shape, f32),
        np.zeros((32, 48), f32),
        np.zeros((64, 48), f32),
        np.zeros(48, f32),
        np.zeros(shape, ml_dtypes.bfloat16),
        np.zeros(shape, ml_dtypes.float8_e4m3fn),
        np.zeros(shape, np.int32),
        1.0,
        3,
        tg.packed(np.zeros((64, 16), np.uint8)),
        tg.Scales(np.zeros(512, np.uint8), layout="blocked_128x4", shape=(64, 2)),
    ]


#: (label, body)
CASES: list[tuple[str, str]] = [
    # --- Statements that have no meaning ---
    ("front.syntax.endless", "while True: #!\n    n = n - 1"),
    ("front.syntax.endless", "while B > 0: #!\n    if B < 0:\n        break"),
    ("front.syntax.for_else", "while n > 0: #!\n    n = n - 1\nelse:\n    pass"),
    ("front.type.condition", "while t > 0: #!\n    t = t - 1"),
    ("front.branch.loop", "while n > 0: #!\n    n = n - 0.5"),
    ("front.branch.loop", "x = t\nwhile n > 0: #!\n    n = n - 1\n    x = x[None]"),
    ("front.name.path", "while n > 0:\n    n = n - 1\n    y = n\nz = y #!"),
    (
        "front.name.path",
        "for k in range(n):\n    if k > 3:\n        y = k\n        break\nz = y #!",
    ),
    ("front.branch.types", "x = t if n > 0 else t[None] #!"),
    ("front.branch.types", "x = t if n > 0 else n #!"),
    ("front.type.view", "x = tg.scalar(t, 0, 0) #!"),
    ("front.index.bound", "x = tg.scalar(a, -1, 0) #!"),
    ("front.type.index", "x = tg.scalar(a, t, 0) #!"),
    ("front.index.tuple", "x = tg.valid(a, 0, (16, 16)) #!"),
    ("front.syntax.with", "with open('x') as f: #!\n    pass"),
    ("front.syntax.try", "try: #!\n    t = t + 1.0\nexcept ValueError:\n    pass"),
    ("front.syntax.raise", "raise ValueError('no') #!"),
    ("front.syntax.assert", "assert n > 0 #!"),
    ("front.syntax.declaration", "x: tg.f32 #!"),
    ("front.syntax.nested", "def inner(x): #!\n    return x"),
    ("front.syntax.async", "async def inner(): #!\n    pass"),
    ("front.syntax.class", "class Inner: #!\n    pass"),
    ("front.syntax.import", "import os #!"),
    ("front.syntax.import", "from math import pi #!"),
    ("front.syntax.global", "global LIST #!\nLIST = t"),
    ("front.syntax.delete", "del t #!"),
    ("front.syntax.match", "match B: #!\n    case 16:\n        pass"),
    ("front.syntax.for_else", "for k in range(4): #!\n    pass\nelse:\n    pass"),
    # --- Expressions that have no meaning ---
    ("front.syntax.lambda", "f = lambda x: x #!"),
    ("front.syntax.comprehension", "x = [k for k in range(4)] #!"),
    ("front.syntax.comprehension", "x = {k for k in range(4)} #!"),
    ("front.syntax.comprehension", "x = {k: k for k in range(4)} #!"),
    ("front.syntax.generator", "x = tg.sum(k for k in range(4)) #!"),
    ("front.syntax.generator", "yield t #!"),
    ("front.syntax.fstring", "x = f'{n}' #!"),
    ("front.syntax.dict", "x = {'a': 1} #!"),
    ("front.syntax.set", "x = {1, 2} #!"),
    ("front.syntax.list", "x = [t, t] #!"),
    ("front.syntax.walrus", "x = (y := t) #!"),
    ("front.syntax.star", "x = helper(*TABLE) #!"),
    ("front.syntax.star", "x = helper(**STATE) #!"),
    ("front.syntax.star", "x = by_name(x=t) #!"),
    ("front.syntax.builtin", "print(n) #!"),
    ("front.syntax.builtin", "x = sorted(TABLE) #!"),
    ("front.syntax.builtin", "x = isinstance(t, int) #!"),
    ("front.syntax.call", "x = plain(t) #!"),
    ("front.syntax.call", "x = math(t) #!"),
    ("front.syntax.call", "x = B(t) #!"),
    ("front.syntax.call", "x = 'abc'.upper(t) #!"),
    ("front.syntax.kernel_call", "other(v) #!"),
    ("front.syntax.mutation", "LIST[0] = 1 #!"),
    ("front.syntax.mutation", "LIST[n] += 1 #!"),
    ("front.syntax.mutation", "STATE['x'] = t #!"),
    ("front.syntax.mutation", "t.shape = (1, 2) #!"),
    ("front.syntax.mutation", "t[0, 0] = 1.0 #!"),
    ("front.syntax.mutation", "a[0, 0] = 1.0 #!"),
    ("front.syntax.return", "return t #!"),
    ("front.syntax.unroll", "for k in tg.unroll(range(65)): #!\n    pass"),
    ("front.syntax.unroll", "for k in tg.unroll(range(10000)): #!\n    pass"),
    (
        "front.syntax.size",
        "for j in tg.unroll(range(60)):\n    for k in tg.unroll(range(60)):\n"
        "        for l in tg.unroll(range(60)):\n            x = k #!",
    ),
    ("front.syntax.operator", "x = t @ t #!"),
    ("front.syntax.operator", "x = tg.iota((B,), 0) ** 5 #!"),
    ("front.syntax.operator", "x = n ** n #!"),
    ("front.syntax.operator", "x = n in TABLE #!"),
    ("front.syntax.operator", "x = t is t.T #!"),
    ("front.syntax.tile_id", "m, k = tg.tile_id(c, (B, B)) #!"),
    ("front.syntax.persistent", "for m, k in tg.persistent_tiles(c, (B, B)): #!\n    pass"),
    ("front.syntax.persistent", "x = tg.persistent() #!"),
    ("front.syntax.persistent", "for g, p, q, m, k in tg.group_tiles(v, 48, (B, B)): #!\n    pass"),
    # --- Names ---
    ("front.name.undefined", "x = tt + 1.0 #!"),
    ("front.name.undefined", "x = undefined(t) #!"),
    ("front.name.undefined", "tg.store(c, (j, 0), t) #!"),
    ("front.name.attribute", "x = tg.laod(a, (i, 0), (B, B)) #!"),
    ("front.name.attribute", "x = tg.softmax(t) #!"),
    ("front.name.attribute", "x = t.to(tg.float32) #!"),
    ("front.name.attribute", "x = t.sum() #!"),
    ("front.name.attribute", "x = t.astype(tg.f16) #!"),
    ("front.name.attribute", "x = a.load((0, 0)) #!"),
    ("front.name.attribute", "x = a.shpae[0] #!"),
    ("front.name.attribute", "x = s.T #!"),
    ("front.name.attribute", "x = a.shape.rank #!"),
    ("front.name.attribute", "x = mode.tile #!"),
    ("front.name.path", "if n > 0:\n    x = t\ntg.store(c, (i, 0), x) #!"),
    ("front.name.path", "if n > 0:\n    pass\nelse:\n    x = t\ntg.store(c, (i, 0), x) #!"),
    ("front.name.path", "for k in range(n):\n    x = t\ntg.store(c, (i, 0), x) #!"),
    ("front.name.path", "for k in range(n):\n    pass\ntg.store(c, (i, k), t) #!"),
    ("front.name.path", "for k in range(n):\n    if k > 1:\n        x = t\n    y = x #!"),
    # --- Types where paths meet ---
    ("front.branch.types", "x = t\nif n > 0:\n    x = t.to(tg.f16)\ny = x #!"),
    ("front.branch.types", "if n > 0:\n    x = t\nelse:\n    x = tg.sum(t, axis=1)\ny = x #!"),
    ("front.branch.types", "if n > 0:\n    x = t\nelse:\n    x = 0.0\ny = x #!"),
    (
        "front.branch.types",
        "if n > 0:\n    x = a\nelse:\n    x = b\ny = tg.load(x, (0, 0), (1, 1)) #!",
    ),
    ("front.branch.types", "if n > 0:\n    x = (1, t)\nelse:\n    x = (1, s)\ny = x #!"),
    ("front.branch.types", "if n > 0:\n    x = (1, 2)\nelse:\n    x = (1, 3, 4)\ny = x #!"),
    ("front.branch.types", "x = (t, 1) if n > 0 else (t, n) #!"),
    ("front.branch.types", "if n > 0:\n    x = s\nelse:\n    x = n\ny = x #!"),
    ("front.branch.types", "if n > 0:\n    x = n\nelse:\n    x = 1.5\ny = x #!"),
    ("front.branch.types", "x = t\nfor k in range(n):\n    x = t.to(tg.f16)\ny = x #!"),
    ("front.branch.loop", "x = t\nfor k in range(n): #!\n    x = tg.sum(x, axis=1)"),
    ("front.branch.loop", "x = t\nfor k in range(n): #!\n    x = x.to(tg.f16)"),
    ("front.branch.loop", "x = 0\nfor k in range(n): #!\n    x = x + s"),
    ("front.branch.loop", "x = 0.0\nfor k in range(n): #!\n    x = x + t"),
    ("front.branch.loop", "x = t\nfor k in range(n): #!\n    if k > 0:\n        x = x.to(tg.f16)"),
    ("front.branch.loop", "x = a\nfor k in range(n): #!\n    x = x.T"),
    # --- What must be known when compiling ---
    ("front.const.shape", "x = tg.zeros((n, B), tg.f32) #!"),
    ("front.const.shape", "x = tg.load(a, (i, 0), (a.shape[0], B)) #!"),
    ("front.const.shape", "x = tg.load(a, (i, 0), (B, 2.0)) #!"),
    ("front.const.shape", "x = tg.zeros(mode, tg.f32) #!"),
    ("front.const.shape", "x = t.reshape(n, B) #!"),
    ("front.const.shape", "x = tg.full((True, B), 1.0, tg.f32) #!"),
    ("front.const.shape", "for k in tg.tiles(a, axis=1, size=n): #!\n    pass"),
    ("front.const.axis", "x = tg.sum(t, axis=n) #!"),
    ("front.const.axis", "x = tg.program_id(n) #!"),
    ("front.const.axis", "x = tg.iota((B, B), axis=n) #!"),
    ("front.const.axis", "x = a.shape[n] #!"),
    ("front.const.axis", "x = tg.sum(t, axis=1.0) #!"),
    ("front.const.step", "for k in range(0, 8, 0): #!\n    pass"),
    ("front.const.unroll", "for k in tg.unroll(range(n)): #!\n    pass"),
    ("front.const.unroll", "for k in tg.unroll(TABLE): #!\n    pass"),
    ("front.const.index", "x = TABLE[n] #!"),
    ("front.const.mutable", "x = LIST[n] #!"),
    ("front.const.index", "x = TABLE[n:] #!"),
    ("front.const.mutable", "x = LIST[0] #!"),
    ("front.const.mutable", "x = STATE #!"),
    ("front.const.mutable", "for k in LIST: #!\n    pass"),
    ("front.const.mutable", "x = NESTED[0] #!"),
    ("front.const.pad", "x = tg.load(a, (i, 0), (B, B), pad=s) #!"),
    ("front.const.mutable", "x = LIST[0] #!"),
    ("front.const.mutable", "x = STATE #!"),
    ("front.const.mutable", "for k in LIST: #!\n    pass"),
    ("front.const.mutable", "x = NESTED[0] #!"),
    ("front.const.pad", "x = tg.load(a, (i, 0), (B, B), pad='zero') #!"),
    ("front.const.keepdims", "x = tg.sum(t, axis=1, keepdims=n) #!"),
    ("front.const.saturate", "x = t.to(tg.f8e5m2, saturate=1) #!"),
    ("front.const.call", "x = max(n, 1) #!"),
    ("front.const.call", "x = abs(t) #!"),
    ("front.const.call", "x = float(n) #!"),
    ("front.const.call", "x = math.sqrt(s) #!"),
    ("front.const.fold", "x = 1 // 0 #!"),
    ("front.const.fold", "x = 9**9**9 #!"),
    ("front.const.fold", "x = 1 << 10**10 #!"),
    ("front.const.fold", "x = mode * 10**10 #!"),
    ("front.const.fold", "x = B + mode #!"),
    ("front.const.fold", "x = math.factorial(10**9) #!"),
    ("front.const.fold", "x = math.factorial(2000) #!"),
    ("front.const.fold", "x = math.comb(10**9, 10**8) #!"),
    ("front.const.fold", "x = 3\nfor j in tg.unroll(range(60)):\n    x = x * x #!"),
    ("front.const.fold", "x = (1, 2)\nfor j in tg.unroll(range(60)):\n    x = x + x #!"),
    ("front.type.arithmetic", "x = '%999999999d' % 3 #!"),
    ("front.const.fold", "x = -mode #!"),
    ("front.const.fold", "x = math.sqrt(-1.0) #!"),
    # --- Memory by index, atomic updates ---
    ("front.const.fetch", "tg.atomic_add(a, (i, 0), t, fetch=n) #!"),
    ("front.index.tuple", "tg.atomic_add(a, i, t) #!"),
    ("front.type.index", "x = tg.gather(a, (t, t)) #!"),
    ("tile.scatter.c3", "tg.scatter(u, (tg.iota((B, B), 0), 0), t) #!"),
    ("tile.scatter.c4", "tg.scatter(a, (tg.iota((B, B), 0), 0), t, where=t) #!"),
    ("tile.atomic_rmw.c2", "tg.atomic_add(a, (i, 0), t, order='seq_cst') #!"),
    ("tile.atomic_rmw.c3", "tg.atomic_add(a, (i, 0), t, 'relaxed', 'device') #!"),
    ("tile.atomic_rmw.c4", "tg.atomic_add(u, (i, 0), t) #!"),
    # --- Scans, histograms, joining and splitting ---
    ("front.type.function", "x = tg.scan(t, 1, axis=0) #!"),
    ("front.type.function", "x = tg.reduce(t, plain, 0.0) #!"),
    ("front.type.combine", "x = tg.scan(t, narrow, axis=0) #!"),
    ("front.shape.axis", "x = tg.cumsum(t, axis=2) #!"),
    ("front.type.reduce", "x = tg.cumsum(tg.load(q, (i, 0), (B, B)), axis=0) #!"),
    ("front.type.operand", "x = tg.reduce(t, tg.maximum, i) #!"),
    ("tile.histogram.c1", "x = tg.histogram(t, 16) #!"),
    ("tile.histogram.c3", "x = tg.histogram(tg.iota((B,), 0), 16, where=t) #!"),
    ("tile.take.c2", "x = tg.take(t, tg.iota((B,), 0), axis=0) #!"),
    ("tile.take.c3", "x = tg.take(t, t, axis=0) #!"),
    ("tile.concat.c1", "x = tg.cat((t, tg.zeros((B, 1), tg.f32)), axis=0) #!"),
    ("tile.concat.c2", "x = tg.cat((t, tg.zeros((B, B), tg.i32)), axis=0) #!"),
    ("tile.extract.c1", "x, y, z = tg.split(t, 3, axis=1) #!"),
    # --- Element types ---
    ("front.type.literal", "x = tg.load(u, (i, 0), (B, B)) + BIG #!"),
    ("front.type.literal", "x = tg.load(u, (i, 0), (B, B), pad=0.5) #!"),
    ("front.type.literal", "x = tg.full((B, B), 300, tg.i8) #!"),
    ("front.type.literal", "x = tg.full((B, B), -1, tg.u8) #!"),
    ("front.type.literal", "x = t.to(tg.f16) + 1e6 #!"),
    ("front.type.literal", "x = t + 10**400 #!"),
    ("front.type.literal", "x = t + 10.0**39 #!"),
    ("front.type.literal", "x = u.shape[0] + 10**400 #!"),
    ("front.type.literal", "for k in range(BIG): #!\n    pass"),
    ("front.type.literal", "x = tg.zeros((B, B), tg.i32) < BIG #!"),
    ("front.type.arithmetic", "x = tg.load(q, (i, 0), (B, B)) + 1.0 #!"),
    ("front.type.arithmetic", "x = tg.load(q, (i, 0), (B, B)) * t #!"),
    ("front.type.arithmetic", "x = -tg.load(q, (i, 0), (B, B)) #!"),
    ("front.type.arithmetic", "x = tg.exp(tg.load(q, (i, 0), (B, B))) #!"),
    ("front.type.arithmetic", "x = tg.load(q, (i, 0), (B, B)) < 1.0 #!"),
    ("front.type.arithmetic", "x = tg.maximum(tg.load(q, (i, 0), (B, B)), 1.0) #!"),
    ("front.type.arithmetic", "x = t & t #!"),
    ("front.type.arithmetic", "x = t << 1 #!"),
    ("front.type.arithmetic", "x = t | 2.0 #!"),
    ("front.type.arithmetic", "x = ~t #!"),
    ("front.type.operand", "x = t + a #!"),
    ("front.type.operand", "x = t + mode #!"),
    ("front.type.operand", "x = t + None #!"),
    ("front.type.operand", "x = tg.exp(a) #!"),
    ("front.type.operand", "x = tg.exp(mode) #!"),
    ("front.type.operand", "x = t + w #!"),
    ("front.type.operand", "x = -a #!"),
    ("front.type.operand", "x = tg.sum(s) #!"),
    ("front.type.operand", "x = tg.sum(a) #!"),
    ("front.type.operand", "tg.store(c, (i, 0), 1.0) #!"),
    ("front.type.operand", "tg.store(c, (i, 0), a) #!"),
    ("front.type.operand", "x = tg.mma(a, b, t) #!"),
    ("front.type.operand", "x = tg.mma(t, t, 0.0) #!"),
    ("front.type.operand", "x = tg.full((B, B), t, tg.f32) #!"),
    ("front.type.operand", "x = tg.cdiv(n, s) #!"),
    ("front.type.operand", "x = tg.cdiv(1.5, 2) #!"),
    ("front.type.operand", "x = tg.permute(s, (0,)) #!"),
    ("front.type.view", "x = tg.load(t, (i, 0), (B, B)) #!"),
    ("front.type.view", "x = tg.load(w, (i,), (B,)) #!"),
    ("front.type.view", "tg.store(t, (i, 0), t) #!"),
    ("front.type.view", "for k in tg.tiles(t, axis=0, size=4): #!\n    pass"),
    ("front.type.view", "x = tg.num_tiles(t, (B, B)) #!"),
    ("front.type.dtype", "x = tg.zeros((B, B), 'f32') #!"),
    ("front.type.dtype", "x = tg.zeros((B, B), float) #!"),
    ("front.type.dtype", "x = t.to('bf16') #!"),
    ("front.type.dtype", "x = t.to(a) #!"),
    ("front.type.rounding", "x = t.to(tg.bf16, rounding='up') #!"),
    ("front.type.condition", "if t: #!\n    pass"),
    ("front.type.condition", "if t > 0.0: #!\n    pass"),
    ("front.type.condition", "x = 1.0 if t > 0.0 else 2.0 #!"),
    ("front.type.condition", "x = t and t #!"),
    ("front.type.condition", "x = not t #!"),
    ("front.type.condition", "x = tg.where(t, t, 0.0) #!"),
    ("front.type.condition", "x = tg.where(n, t, 0.0) #!"),
    ("front.type.condition", "if a: #!\n    pass"),
    ("front.type.index", "x = tg.load(a, (i, 0.5), (B, B)) #!"),
    ("front.type.index", "x = tg.load(a, (i, s), (B, B)) #!"),
    ("front.type.index", "x = tg.load(a, (i, t), (B, B)) #!"),
    ("front.type.index", "x = tg.load(a, (i, a.strides[0]), (B, B)) #!"),
    ("front.type.index", "tg.store(c, (i, None), t) #!"),
    ("front.type.bound", "for k in range(s): #!\n    pass"),
    ("front.type.bound", "for k in range(t): #!\n    pass"),
    ("front.type.bound", "for k in range(2.5): #!\n    pass"),
    ("front.type.for", "for k in a: #!\n    pass"),
    ("front.type.for", "for k in t: #!\n    pass"),
    ("front.type.for", "for k in n: #!\n    pass"),
    ("front.type.for", "for k in a.shape: #!\n    pass"),
    ("front.type.unpack", "x, y = t #!"),
    ("front.type.unpack", "x, y = TABLE #!"),
    ("front.type.unpack", "x, y, z = a.shape #!"),
    ("front.type.unpack", "x, y, z = pair(t) #!"),
    ("front.type.unpack", "for x, y in range(n): #!\n    pass"),
    ("front.type.subscript", "x = s[0] #!"),
    ("front.type.subscript", "x = B[0] #!"),
    ("front.type.call", "x = tg.load(a, (i, 0)) #!"),
    ("front.type.call", "x = tg.load(a, (i, 0), (B, B), mask=t) #!"),
    ("front.type.call", "x = tg.sum() #!"),
    ("front.type.call", "x = tg.exp(t, t) #!"),
    ("front.type.call", "x = t.to() #!"),
    ("front.type.call", "x = t.reshape(shape=(B, B)) #!"),
    ("front.type.call", "x = helper() #!"),
    ("front.type.call", "x = helper(t, t, t) #!"),
    ("front.type.call", "x = helper(t, factor=2.0) #!"),
    ("front.type.call", "x = tg.f32(t) #!"),
    ("front.type.call", "for k in range(1, 2, 3, 4): #!\n    pass"),
    ("front.type.reduce", "x = tg.sum(tg.load(q, (i, 0), (B, B))) #!"),
    ("front.const.axis", "x = tg.argmax(t, axis=(0,)) #!"),
    ("front.type.literal", "x = n // 0 #!"),
    ("front.type.literal", "x = tg.iota((B,), 0) % 0 #!"),
    ("front.type.arithmetic", "x = t >> 3 #!"),
    ("front.type.condition", "x = 0 < t < 1 #!"),
    ("front.type.condition", "x = t == t == t #!"),
    # --- Shapes ---
    ("front.shape.extent", "x = tg.zeros((0, B), tg.f32) #!"),
    ("front.shape.extent", "x = tg.load(a, (i, 0), (B, -1)) #!"),
    ("front.shape.extent", "for k in tg.tiles(a, axis=1, size=0): #!\n    pass"),
    ("front.shape.axis", "x = tg.sum(t, axis=2) #!"),
    ("front.shape.axis", "x = tg.max(t, axis=-3) #!"),
    ("front.shape.axis", "x = tg.iota((B, B), axis=2) #!"),
    ("front.shape.axis", "for k in tg.tiles(a, axis=2, size=B): #!\n    pass"),
    ("front.shape.broadcast", "x = t + tg.zeros((B, 8), tg.f32) #!"),
    ("front.shape.broadcast", "x = t * tg.load(v, (0,), (8,)) #!"),
    ("front.shape.broadcast", "x = tg.where(t > 0.0, t, tg.zeros((4, B), tg.f32)) #!"),
    ("front.shape.broadcast", "x = tg.broadcast_to(t, (4, 4)) #!"),
    ("front.shape.broadcast", "x = tg.broadcast_to(t, (B,)) #!"),
    ("front.shape.broadcast", "t += tg.zeros((3, 3), tg.f32) #!"),
    ("front.shape.permute", "x = tg.permute(t, (0,)) #!"),
    ("front.shape.permute", "x = tg.permute(t, (1, 1)) #!"),
    # --- Indices ---
    ("front.index.tuple", "x = tg.load(v, i, (B,)) #!"),
    # --- Two elements a byte ---
    ("front.shape.pair", "x = tg.load(p, (i, 0), (B, 5)) #!"),
    ("front.shape.pair", "tg.store(p, (i, 0), tg.zeros((B, 3), tg.f32).to(tg.f4e2m1)) #!"),
    ("front.shape.pair", "x = tg.valid(p, (i, 0), (B, 1)) #!"),
    ("front.shape.pair", "for k in tg.tiles(p, axis=1, size=7): #!\n    pass"),
    ("front.index.pair", "x = p[:, 3:9] #!"),
    ("front.index.pair", "x = p[:, 4] #!"),
    ("front.index.pair", "x = tg.scalar(p, 0, 0) #!"),
    ("front.index.pair", "x = tg.gather(p, (tg.iota((B,), axis=0), tg.iota((B,), axis=0))) #!"),
    ("tile.store.c4", "tg.store(p, (i, 0), tg.zeros((B, 8), tg.i8)) #!"),
    # --- Scales in blocks ---
    ("front.shape.blocked", "x = tg.load(z, (i, 0), (48, 2)) #!"),
    ("front.shape.blocked", "x = tg.load(z, (i, 0), (B, 3)) #!"),
    ("front.index.rank", "x = tg.load(z, (i,), (B,)) #!"),
    ("front.index.blocked", "x = tg.load(z, (i, 0), (B, 2)) #!"),
    ("front.index.blocked", "x = z[0:B] #!"),
    ("front.index.blocked", "x = z.strides[0] #!"),
    ("front.index.blocked", "x = tg.valid(z, (i, 0), (B, 2)) #!"),
    ("front.index.blocked", "x = tg.scalar(z, 0, 0) #!"),
    ("front.index.tuple", "tg.store(v, 0, tg.zeros((B,), tg.f32)) #!"),
    ("front.index.axis", "x = a.shape[2] #!"),
    ("front.index.axis", "x = a.shape[-3] #!"),
    ("front.index.axis", "x = a.strides[5] #!"),
    ("front.index.axis", "x = tg.program_id(-1) #!"),
    ("front.index.element", "x = TABLE[3] #!"),
    ("front.index.element", "x = TABLE['x'] #!"),
    ("front.index.tile", "x = t[n] #!"),
    ("front.index.tile", "x = t[0:n, :] #!"),
    ("front.index.tile", "x = t[True] #!"),
    ("front.index.bound", "x = t[16] #!"),
    ("front.index.bound", "x = t[-17] #!"),
    ("front.index.bound", "x = t[4:4] #!"),
    ("front.index.bound", "x = t[:, 0:17] #!"),
    ("front.index.step", "x = t[::2] #!"),
    ("front.index.rank", "x = t[..., ...] #!"),
    ("front.index.rank", "x = a[..., 0, ...] #!"),
    ("front.index.rank", "x = a[..., 0, 0, 0] #!"),
    ("front.type.format", "tg.print(t) #!"),
    ("front.type.format", "tg.print('{}') #!"),
    ("front.type.format", "tg.print('n', n) #!"),
    ("front.type.format", "tg.print('{x}', n) #!"),
    ("front.type.format", "tg.print('{:.3f}', n) #!"),
    ("front.type.format", "tg.print('{', n) #!"),
    ("front.type.format", "tg.assert_(n > 0, '{}') #!"),
    ("front.type.operand", "tg.print('{}', a) #!"),
    ("front.type.operand", "tg.print('{}', tg.load(q, (0, 0), (4, 4))) #!"),
    ("front.type.condition", "tg.assert_(a, 'no') #!"),
    ("front.type.call", "tg.assert_(n > 0) #!"),
    ("tile.assert.c3", "tg.assert_(t > 0, '{}', t[0]) #!"),
    ("front.index.rank", "x = t[:, :, :] #!"),
    ("front.index.rank", "x = a[0, 0, 0] #!"),
    ("front.index.rank", "x = v[0] #!"),
    ("front.index.rank", "x = a[None, None, None, None] #!"),
    ("front.index.rank", "x = tg.num_tiles(a, (B,)) #!"),
    ("front.index.step", "x = a[::2] #!"),
    ("front.index.bound", "x = a[4:2] #!"),
    ("front.index.bound", "x = v[-4:] #!"),
    # --- Casts that do not exist ---
    ("tile.cast.c2", "x = t.to(tg.e8m0) #!"),
    ("front.type.view", "for g, p, q, m, k in tg.group_tiles(t, 48, (B, B)): #!\n    pass"),
    ("front.index.rank", "for g, p, q, m, k in tg.group_tiles(v, 48, (B,)): #!\n    pass"),
    ("front.shape.axis", "x = tg.sum(t, axis=(0, 0)) #!"),
    ("front.shape.axis", "x = tg.max(t, axis=(1, -1)) #!"),
    ("front.type.rounding", "x = n.to(tg.f32, rounding='rtz') #!"),
]
