"""Functions of one float operand: their float64 references and the error that is promised."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tegula as tg
from tegula.language.function import Function

_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


@dataclass(frozen=True)
class Case:
    """``bound``: units in the last place of an f32 result; one half is correctly rounded.

    ``low``, ``high``: where the interesting arguments of the function lie.
    """

    function: Function
    reference: Callable[[np.ndarray], np.ndarray]
    bound: float
    low: float
    high: float

    @property
    def name(self) -> str:
        return self.function.function.__name__


CASES: list[Case] = []


def case(
    reference: Callable[[np.ndarray], Any], bound: float, low: float = -20.0, high: float = 20.0
) -> Callable[[Function], Function]:
    def add(function: Function) -> Function:
        CASES.append(Case(function, reference, bound, low, high))
        return function

    return add


@case(np.exp, 1.5, -105, 90)
@tg.function
def exp(x: Any) -> Any:
    return tg.exp(x)


@case(np.exp2, 1.0, -151, 129)
@tg.function
def exp2(x: Any) -> Any:
    return tg.exp2(x)


@case(np.log, 1.5, 0.25, 4)
@tg.function
def log(x: Any) -> Any:
    return tg.log(x)


@case(np.log2, 1.0, 0.25, 4)
@tg.function
def log2(x: Any) -> Any:
    return tg.log2(x)


@case(np.sqrt, 0.5, 0, 100)
@tg.function
def sqrt(x: Any) -> Any:
    return tg.sqrt(x)


@case(lambda x: 1.0 / np.sqrt(x), 0.75, 0, 100)
@tg.function
def rsqrt(x: Any) -> Any:
    return tg.rsqrt(x)


@case(lambda x: 1.0 / x, 0.5)
@tg.function
def rcp(x: Any) -> Any:
    return tg.rcp(x)


@case(np.sin, 0.51)
@tg.function
def sin(x: Any) -> Any:
    return tg.sin(x)


@case(np.cos, 0.51)
@tg.function
def cos(x: Any) -> Any:
    return tg.cos(x)


@case(np.tanh, 1.5, -10, 10)
@tg.function
def tanh(x: Any) -> Any:
    return tg.tanh(x)


@case(_erf, 0.51, -5, 5)
@tg.function
def erf(x: Any) -> Any:
    return tg.erf(x)


@case(lambda x: 1.0 / (1.0 + np.exp(-x)), 0.51, -105, 40)
@tg.function
def sigmoid(x: Any) -> Any:
    return tg.sigmoid(x)


@case(lambda x: x / (1.0 + np.exp(-x)), 0.51, -110, 40)
@tg.function
def silu(x: Any) -> Any:
    return tg.silu(x)


@case(lambda x: x * (0.5 * _erfc(-x * math.sqrt(0.5))), 0.51, -15, 15)
@tg.function
def gelu(x: Any) -> Any:
    return tg.gelu(x)


@case(np.floor, 0.5)
@tg.function
def floor(x: Any) -> Any:
    return tg.floor(x)


@case(np.ceil, 0.5)
@tg.function
def ceil(x: Any) -> Any:
    return tg.ceil(x)


@case(np.rint, 0.5)
@tg.function
def round(x: Any) -> Any:
    return tg.round(x)


@case(np.trunc, 0.5)
@tg.function
def trunc(x: Any) -> Any:
    return tg.trunc(x)


@case(np.sign, 0.5)
@tg.function
def sign(x: Any) -> Any:
    return tg.sign(x)


@case(np.abs, 0.5)
@tg.function
def absolute(x: Any) -> Any:
    return tg.abs(x)


@case(lambda x: np.maximum(x, 0.0) + 0.0, 0.5)
@tg.function
def relu(x: Any) -> Any:
    return tg.relu(x)
