"""Which error class each rule raises: the one table from labels to classes.

A label (``tile.mma.c2``) names one rule. Rules of the IR are checked by the verifiers of the
compiler, rules of the Python language by the front end (labels that start with ``front.``).
Looking a label up takes the longest prefix that has a row, so a family needs one row and an
exception to it another.
"""

from __future__ import annotations

from tegula import errors as e

_CLASS_OF_PREFIX: dict[str, type[e.Error]] = {
    # Front end: what is no Tegula program, before any IR exists.
    "front.syntax": e.SyntaxNotSupported,
    "front.name": e.UndefinedName,
    "front.const": e.ConstantRequired,
    "front.branch": e.BranchTypeMismatch,
    "front.type": e.TypeMismatch,
    "front.shape": e.ShapeMismatch,
    "front.index": e.IndexRank,
    "front.schedule": e.ScheduleError,
    "front.target": e.UnsupportedOnTarget,
    # Kernels, functions, grids.
    "tile.kernel": e.SyntaxNotSupported,
    "tile.kernel.c2": e.TypeMismatch,
    "tile.kernel.c6": e.ShapeMismatch,
    "tile.kernel.c7": e.UnsupportedOnTarget,
    "tile.kernel.c11": e.ShapeMismatch,
    "tile.kernel.c12": e.TypeMismatch,
    "tile.kernel.c13": e.TypeMismatch,
    "tile.kernel.c16": e.BranchTypeMismatch,
    "tile.func": e.SyntaxNotSupported,
    "tile.call": e.TypeMismatch,
    "tile.return": e.TypeMismatch,
    "tile.program_id": e.IndexRank,
    "tile.program_id.c2": e.SyntaxNotSupported,
    "tile.tile_id": e.IndexRank,
    "tile.tile_id.c2": e.SyntaxNotSupported,
    "tile.num_tiles": e.IndexRank,
    "tile.resident": e.SyntaxNotSupported,
    # Views and memory.
    "tile.view": e.ShapeMismatch,
    "tile.view.c2": e.TypeMismatch,
    "tile.dim": e.IndexRank,
    "tile.stride": e.IndexRank,
    "tile.slice": e.IndexRank,
    "tile.index": e.IndexRank,
    "tile.expand": e.IndexRank,
    "tile.permute_view": e.IndexRank,
    "tile.load": e.TypeMismatch,
    "tile.load.c1": e.IndexRank,
    "tile.load.c3": e.IndexRank,
    "tile.load.c6": e.ShapeMismatch,
    "tile.store": e.TypeMismatch,
    "tile.store.c1": e.IndexRank,
    "tile.store.c3": e.IndexRank,
    "tile.scalar": e.IndexRank,
    "tile.scalar.c2": e.TypeMismatch,
    "tile.arrive": e.TypeMismatch,
    "tile.gather": e.TypeMismatch,
    "tile.gather.c1": e.IndexRank,
    "tile.gather.c2": e.ShapeMismatch,
    "tile.scatter": e.TypeMismatch,
    "tile.scatter.c1": e.IndexRank,
    "tile.scatter.c2": e.ShapeMismatch,
    "tile.atomic_rmw": e.TypeMismatch,
    "tile.atomic_rmw.c5": e.IndexRank,
    "tile.atomic_cas": e.TypeMismatch,
    "tile.valid": e.IndexRank,
    "tile.valid.c2": e.TypeMismatch,
    # Values.
    "tile.broadcast": e.ShapeMismatch,
    "tile.broadcast.c3": e.TypeMismatch,
    "tile.reshape": e.ShapeMismatch,
    "tile.reshape.c2": e.TypeMismatch,
    "tile.transpose": e.ShapeMismatch,
    "tile.iota": e.ShapeMismatch,
    "tile.iota.c2": e.TypeMismatch,
    "tile.extract": e.ShapeMismatch,
    "tile.extract.c2": e.TypeMismatch,
    "tile.concat": e.ShapeMismatch,
    "tile.concat.c2": e.TypeMismatch,
    "tile.take": e.ShapeMismatch,
    "tile.take.c3": e.TypeMismatch,
    "tile.element": e.ShapeMismatch,
    "tile.assert": e.TypeMismatch,
    "tile.assert.c3": e.ShapeMismatch,
    "tile.print": e.TypeMismatch,
    "tile.print.c3": e.ShapeMismatch,
    "tile.scan": e.ShapeMismatch,
    "tile.scan.c2": e.TypeMismatch,
    "tile.reduce_region": e.ShapeMismatch,
    "tile.reduce_region.c2": e.TypeMismatch,
    "tile.histogram": e.TypeMismatch,
    "tile.histogram.c2": e.ShapeMismatch,
    "tile.cast": e.TypeMismatch,
    "tile.cast.c1": e.ShapeMismatch,
    "tile.bitcast": e.TypeMismatch,
    "tile.bitcast.c2": e.ShapeMismatch,
    "tile.quantize": e.TypeMismatch,
    "tile.quantize.c1": e.ShapeMismatch,
    "tile.quantize.c2": e.ShapeMismatch,
    "tile.pack": e.ShapeMismatch,
    "tile.pack.c2": e.TypeMismatch,
    "tile.unpack": e.ShapeMismatch,
    "tile.unpack.c2": e.TypeMismatch,
    "tile.math": e.TypeMismatch,
    "tile.reduce": e.TypeMismatch,
    "tile.reduce.c1": e.ShapeMismatch,
    "tile.mma": e.ShapeMismatch,
    "tile.mma.c4": e.TypeMismatch,
    "tile.mma.c5": e.TypeMismatch,
    # Schedules, targets, resources.
    "tile.schedule": e.ScheduleError,
    "tile.target": e.UnsupportedOnTarget,
    "cdna.kernel.c3": e.LdsBudget,
    "cdna.lds.c2": e.LdsBudget,
    "cdna.kernel.c5": e.RegisterBudget,
    "cdna.layout.c6": e.RegisterBudget,
    "compile.target": e.UnsupportedOnTarget,
    # What a kernel says of itself while it runs.
    "run.assert": e.AssertionFailed,
    "run.bounds": e.OutOfBounds,
}


def class_of(label: str | None) -> type[e.Error]:
    """Return the class that a rule raises; a label without a row is a bug of the compiler."""
    prefix = label or ""
    while prefix:
        if prefix in _CLASS_OF_PREFIX:
            return _CLASS_OF_PREFIX[prefix]
        prefix = prefix.rpartition(".")[0]
    return e.InternalError


def known_prefixes() -> tuple[str, ...]:
    """Every prefix that has a row, for tests and documentation."""
    return tuple(_CLASS_OF_PREFIX)
