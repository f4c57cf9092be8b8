"""Runs kernel bodies eagerly on NumPy, one workgroup after the other.

It is the meaning of the language written a second time: nothing of the front end's operators or of
the compiler is used, so that a result that both agree on is worth something.
"""

from tegula.interpreter import collective, grouped, indexed, quantize, records  # noqa: F401  primitives
from tegula.interpreter.places import raised
from tegula.interpreter.run import run

__all__ = ["raised", "run"]
