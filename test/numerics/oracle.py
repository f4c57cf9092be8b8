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


class Placed(Guarded):
    """A matrix that lies in memory as ``layout`` says, between guards.

    "rows": one behind the other; "apart": with 13 elements of NaN between them; "columns": in
    columns; "reversed": the last row first. ``values`` are its elements or its shape.
    """

    def __init__(
        self, values: np.ndarray | tuple[int, ...], dtype: str, layout: str = "rows"
    ) -> None:
        shape = values if isinstance(values, tuple) else values.shape
        if layout == "rows":
            super().__init__(shape, dtype)
        elif layout == "columns":
            super().__init__(shape[::-1], dtype)
            self.array = self.array.T
        elif layout == "reversed":
            super().__init__(shape, dtype)
            self.array = self.array[::-1]
        else:
            assert layout == "apart"
            super().__init__((shape[0], shape[1] + 13), dtype)
            self._between = self.array[:, shape[1] :]
            self.array = self.array[:, : shape[1]]
        if not isinstance(values, tuple):
            self.array[...] = values.astype(self.array.dtype)

    def wide(self) -> np.ndarray:
        return self.array.astype(np.float64)

    def intact(self) -> bool:
        between = getattr(self, "_between", self.whole[:0])
        return super().intact() and bool(np.isnan(between.astype(np.float32)).all())


def terms_error(found: np.ndarray, exact: np.ndarray, terms: np.ndarray, dtype: str) -> np.ndarray:
    """Errors of sums that cancel: in ulp, or in 2^-20 of the sum of |terms|, whichever is less."""
    step = 2.0**-20 * terms
    off = np.abs(found.astype(np.float64) - exact)
    relative = np.divide(off, step, out=np.full_like(off, np.inf), where=step > 0)
    return np.minimum(ulps(found, exact, dtype), relative)


def random(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Signed normal values, representable in ``dtype``, as that type."""
    return rng.standard_normal(shape).astype(FORMATS[dtype][0])
