"""What a kernel body calls. The front end compiles these calls; ``interpret`` runs them.

Outside a kernel they raise. Tiles and scalars are meant where no other type is given; ``shape`` and
``axis`` are always constants.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from tegula.errors import SyntaxNotSupported
from tegula.language.dtypes import DType

inf = math.inf
nan = math.nan
log2e = math.log2(math.e)
ln2 = math.log(2.0)

#: How each primitive runs eagerly, by name; filled by ``tegula.interpreter``.
EAGER: dict[str, Callable[..., Any]] = {}
#: All primitives by name.
PRIMITIVES: dict[str, Callable[..., Any]] = {}


def primitive(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a declaration callable: it runs the eager implementation of its name."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = EAGER.get(function.__name__)
        if run is None:
            raise SyntaxNotSupported(
                f"tg.{function.__name__} works in a kernel only", label="front.syntax.outside"
            )
        return run(*args, **kwargs)

    PRIMITIVES[function.__name__] = call
    return call


def is_primitive(value: Any) -> bool:
    """Whether the value is one of the functions of ``tg`` that the compiler knows by itself."""
    return callable(value) and PRIMITIVES.get(getattr(value, "__name__", "")) is value


# --- Where the workgroup is ------------------------------------------------------------------


@primitive
def program_id(axis: int) -> Any:
    """Index of this workgroup along an axis of the grid, i32."""


@primitive
def tile_id(view: Any, shape: tuple[int, ...]) -> Any:
    """Which tile of ``view`` this workgroup computes: one i32 an axis.

    The grid must be ``tg.num_tiles(view, shape)``; the schedule chooses the order.
    """


@primitive
def num_tiles(view: Any, shape: tuple[int, ...]) -> Any:
    """``cdiv`` of each extent; as a grid it is launched linear."""


@primitive
def persistent() -> Any:
    """As a grid: as many workgroups as the device holds of this kernel at once."""


@primitive
def persistent_tiles(view: Any, shape: tuple[int, ...]) -> Any:
    """What a ``for`` walks in a kernel whose grid is ``tg.persistent()``: (m, n, …) of its tiles.

    Each tile of ``view`` goes to exactly one workgroup; the schedule's raster chooses the order.
    """


@primitive
def group_tiles(offs: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """What a ``for`` walks in a kernel whose grid is ``tg.persistent()``: (g, lo, hi, m, n).

    ``offs`` holds where each group of rows ends, ``columns`` is how many columns there are. Each
    tile (m, n) of ``shape`` of the rows lo … hi of group g goes to exactly one workgroup; m counts
    from lo.
    """


@primitive
def group_tile(view: Any, axis: int) -> Any:
    """To what groups along an axis are padded, a constant; 0 where they lie side by side."""


@primitive
def group_matrix(view: Any, lo: Any, hi: Any, before: Any, axis: int) -> Any:
    """lo … hi along an axis of scales that are stored group by group, behind so many tiles."""


@primitive
def cdiv(a: Any, b: Any) -> Any:
    """Quotient of integers, rounded up: of scalars and of tiles."""


@primitive
def tiles(view: Any, axis: int, size: int) -> Any:
    """What a ``for`` walks to visit the tiles along an axis: 0 … cdiv(extent, size) - 1."""


@primitive
def unroll(steps: range) -> Any:
    """A ``range`` of constants whose loop is written out, at most 64 times."""


# --- Memory ----------------------------------------------------------------------------------


@primitive
def load(
    view: Any, index: tuple[Any, ...], shape: tuple[int, ...], pad: float | None = None
) -> Any:
    """The tile at ``index × shape``; elements outside the view are ``pad``.

    That is 0 if not given, and the scale 2^0 for e8m0, which has no zero.
    """


@primitive
def scalar(view: Any, *index: Any) -> Any:
    """One element of a view, by element index: a run-time scalar, the same in the workgroup.

    It must lie inside the view.
    """


@primitive
def valid(view: Any, index: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """The bool tile of which elements of the tile at ``index × shape`` lie inside the view."""


@primitive
def store(view: Any, index: tuple[Any, ...], tile: Any) -> None:
    """Write a tile at ``index × tile.shape``; elements outside the view are dropped."""


# --- Making and shaping tiles ----------------------------------------------------------------


@primitive
def zeros(shape: tuple[int, ...], dtype: DType) -> Any:
    """A tile of zeros."""


@primitive
def full(shape: tuple[int, ...], value: Any, dtype: DType) -> Any:
    """A tile that holds one number or scalar everywhere."""


@primitive
def iota(shape: tuple[int, ...], axis: int) -> Any:
    """A tile of i32 that counts from 0 along an axis."""


@primitive
def broadcast_to(tile: Any, shape: tuple[int, ...]) -> Any:
    """NumPy's ``broadcast_to``."""


@primitive
def permute(tile: Any, axes: tuple[int, ...]) -> Any:
    """Axes in another order."""


@primitive
def bitcast(tile: Any, dtype: DType) -> Any:
    """The same bits read as another type of the same width."""


# --- Reductions ------------------------------------------------------------------------------


def _reduction(name: str, what: str) -> Callable[..., Any]:
    def declaration(tile: Any, axis: Any = None, keepdims: bool = False) -> Any: ...

    declaration.__name__ = declaration.__qualname__ = name
    declaration.__doc__ = f"{what} along an axis, a tuple of axes or all; ``keepdims`` as in NumPy."
    return primitive(declaration)


sum = _reduction("sum", "Sum (f16 and bf16 accumulate in f32)")
prod = _reduction("prod", "Product (f16 and bf16 accumulate in f32)")
max = _reduction("max", "Maximum; a NaN wins")
min = _reduction("min", "Minimum; a NaN wins")
any = _reduction("any", "Whether some element is true (a number: not 0)")
all = _reduction("all", "Whether each element is true (a number: not 0)")


@primitive
def argmax(tile: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index (i32) of the maximum along an axis, the lowest of several; the first NaN wins.

    Without an axis the index counts elements of the tile in row-major order, as in NumPy.
    """


@primitive
def argmin(tile: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index (i32) of the minimum along an axis, the lowest of several; the first NaN wins.

    Without an axis the index counts elements of the tile in row-major order, as in NumPy.
    """


# --- Element-wise ----------------------------------------------------------------------------


def _function(name: str, what: str) -> Callable[..., Any]:
    def declaration(x: Any) -> Any: ...

    declaration.__name__ = declaration.__qualname__ = name
    declaration.__doc__ = what
    return primitive(declaration)


abs = _function("abs", "Absolute value.")
exp = _function("exp", "e to the power x, within 2 ulp in f32.")
exp2 = _function("exp2", "2 to the power x, within 2 ulp in f32.")
log = _function("log", "Natural logarithm, within 2 ulp in f32.")
log2 = _function("log2", "Logarithm to base 2, within 2 ulp in f32.")
sqrt = _function("sqrt", "Square root, correctly rounded.")
rsqrt = _function("rsqrt", "1 / sqrt(x), within 2 ulp in f32.")
rcp = _function("rcp", "1 / x, correctly rounded.")
sin = _function("sin", "Sine, within 2 ulp in f32.")
cos = _function("cos", "Cosine, within 2 ulp in f32.")
tanh = _function("tanh", "Hyperbolic tangent, within 2 ulp in f32.")
erf = _function("erf", "Error function, within 2 ulp in f32.")
# With accuracy of their own; tegula.language.library gives them to users.
sigmoid = _function("sigmoid", "1 / (1 + exp(-x)), within 2 ulp in f32.")
silu = _function("silu", "x / (1 + exp(-x)), within 2 ulp in f32.")
gelu = _function("gelu", "x · Φ(x), within 2 ulp in f32.")
floor = _function("floor", "Largest integer not above x, as a float.")
ceil = _function("ceil", "Smallest integer not below x, as a float.")
round = _function("round", "Nearest integer, ties to even, as a float.")
trunc = _function("trunc", "Integer part of x, as a float.")
isnan = _function("isnan", "Whether x is a NaN.")
isinf = _function("isinf", "Whether x is infinite.")
sign = _function("sign", "-1, 0 or 1 in the type of x; a NaN stays.")


@primitive
def pow(x: Any, y: Any) -> Any:
    """x to the power y of floats, within 2 ulp in f32; special values as in NumPy (and C).

    ``x ** y`` is the same; small constant powers of integers and floats are products.
    """


@primitive
def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``."""


@primitive
def maximum(a: Any, b: Any) -> Any:
    """The larger one; a NaN wins."""


@primitive
def minimum(a: Any, b: Any) -> Any:
    """The smaller one; a NaN wins."""


@primitive
def fma(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` with one rounding."""


# --- Matrix product --------------------------------------------------------------------------


@primitive
def mma(a: Any, b: Any, acc: Any) -> Any:
    """``a @ b + acc``: (M, K) × (K, N) + (M, N), or each with a batch axis in front.

    Products are exact and accumulated in acc's type.
    """
