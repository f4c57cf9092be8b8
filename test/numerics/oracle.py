"""What the numeric tests hold results against: float64 NumPy, rounded once, and guarded buffers.

Shares no code with the compiler, the interpreter or the simulated device.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

#: name → (NumPy type, explicit mantissa bits, exponent of the smallest normal number)
FORMATS: dict[str, tuple[type, int, int]] = {
    "f32": (np.float32, 23, -126),
    "f16": (np.float16, 10, -14),
    "bf16": (ml_dtypes.bfloat16, 7, -126),
}
GUARD = 512  # elements of NaN on either side of every buffer


def quantum(x: np.ndarray, dtype: str) -> np.ndarray:
    """Distance of neighbours in ``dtype`` at each |x| (float64)."""
    _, mantissa, least = FORMATS[dtype]
    exponent = np.frexp(x)[1] - 1
    exponent = np.where(x == 0, least, np.maximum(exponent, least))
    return np.ldexp(1.0, exponent - mantissa)


def round_once(x: np.ndarray, dtype: str) -> np.ndarray:
    """float64 → ``dtype``, to nearest even, in one step (NumPy and PyTorch go through float32)."""
    step = quantum(x, dtype)
    return np.rint(x / step) * step  # both exact: a power of two


def ulps(found: np.ndarray, exact: np.ndarray, dtype: str) -> np.ndarray:
    """|found − exact rounded once|, in units of the last place there."""
    rounded = round_once(exact, dtype)
    return np.abs(found.astype(np.float64) - rounded) / quantum(rounded, dtype)


class Guarded:
    """An array between two zones of NaN; ``intact`` says whether a kernel left them alone."""

    def __init__(self, shape: tuple[int, ...], dtype: str, fill: np.ndarray | None = None) -> None:
        size = int(np.prod(shape))
        self.whole = np.full(size + 2 * GUARD, np.nan, dtype=FORMATS[dtype][0])
        self.array = self.whole[GUARD : GUARD + size].reshape(shape)
        if fill is not None:
            self.array[...] = fill.astype(self.array.dtype)

    def intact(self) -> bool:
        ends = np.concatenate([self.whole[:GUARD], self.whole[self.whole.size - GUARD :]])
        return bool(np.isnan(ends.astype(np.float32)).all())


def random(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Signed normal values, representable in ``dtype``, as that type."""
    return rng.standard_normal(shape).astype(FORMATS[dtype][0])
