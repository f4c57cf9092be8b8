"""Compiling ahead of time: code objects, a manifest and a C header in one folder.

The folder is all that a launch needs: ``tegula.load_program`` and ``tgr_program_open`` read the
manifest by its name; nothing is compiled, traced or hashed again.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tegula import targets as known_targets
from tegula.compiler.program import c_header
from tegula.compiler.service import Compiled
from tegula.errors import ArgumentError
from tegula.frontend import specialise, tiles
from tegula.frontend.tiles import TileRow
from tegula.kernel_object import Kernel
from tegula.language.dtypes import formats_of
from tegula.language.markers import Signature

#: Of the manifest: what runtimes check before they read on.
VERSION = 1


@dataclass(frozen=True)
class Variant:
    """A code object, and the choice of tiles that it is for (None: all extents)."""

    compiled: Compiled
    row: TileRow | None

    def file_name(self) -> str:
        """``gemm.16x64x64.gfx950.hsaco``; without ``tg.auto`` tiles ``rms_norm.gfx950.hsaco``."""
        parts = [self.compiled.kernel]
        if self.row is not None:
            chosen = [v for n, v in self.compiled.constants.items() if n in ("BM", "BN", "BK")]
            parts.append("x".join(map(str, chosen)))
        return ".".join((*parts, self.compiled.target, "hsaco"))

    def record(self) -> dict[str, Any]:
        """Its entry in the manifest."""
        record = {**self.compiled.manifest, "file": self.file_name()}
        if self.row is not None and self.row.over is not None:
            axis = _axis_of(self.row.over, record["arguments"])
            record["when"] = [{"value": ["dim", *axis], "at_most": self.row.limit}]
        return record


def _axis_of(extent: str, arguments: list[dict[str, Any]]) -> tuple[int, int]:
    """(argument, dim) of a named extent."""
    return next(
        (number, argument["extents"].index(extent))
        for number, argument in enumerate(arguments)
        if extent in argument.get("extents", ())
    )


def variants_of(kernel: Kernel, signature: Signature, target: str) -> list[Variant]:
    """One variant, or where tiles are left to ``tg.auto`` all that it can choose.

    Extents that the signature states narrow the choice.
    """
    known_targets.checked(target)
    with formats_of(target):
        names, operand = specialise.auto_tiles(kernel.definition, signature, target)
        if not names:
            return [Variant(kernel.compile(signature, target=target), None)]
        bound = specialise.bind(kernel.definition, (signature,), {})
        known = specialise.resolve(kernel.definition, bound, target).extents
    found = []
    for row, chosen in tiles.variants(names, target, operand):
        decided = row.over is None or known.get(row.over) is not None
        if decided and not row.holds(known):
            continue
        special = Signature(**{**signature.entries, **chosen})
        found.append(Variant(kernel.compile(special, target=target), None if decided else row))
        if decided:
            break
    return found


def write(variants: Sequence[Variant], folder: str | Path) -> Path:
    """Write the files of one kernel's variants, each whole or not at all; the manifest's path.

    Raises ``OSError`` when the folder cannot be written. A manifest appears after the code objects
    that it names.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kernel = variants[0].compiled.kernel
    records = [variant.record() for variant in variants]
    manifest = {"version": VERSION, "kernel": kernel, "variants": records}
    text = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
    files = {v.file_name(): v.compiled.code_object for v in variants}
    files[f"{kernel}.h"] = c_header(text).encode()
    files[f"{kernel}.json"] = text.encode()
    for name, data in files.items():
        _write_whole(folder / name, data)
    return folder / f"{kernel}.json"


def _write_whole(path: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def compile_ahead(
    kernel: Kernel, signature: Signature, targets: Iterable[str], folder: str | Path
) -> Path:
    """Compile for every target and write the folder; the path of the manifest.

    ``compile_ahead(gemm, tg.Signature(a=tg.array(tg.bf16, 2), …), ["gfx950"], "out")``.
    """
    if not isinstance(kernel, Kernel):
        raise ArgumentError("kernel", repr(kernel), "a kernel")
    if isinstance(targets, str):
        raise ArgumentError("targets", repr(targets), "a list of targets")
    chosen = list(dict.fromkeys(targets))
    if not chosen:
        raise ArgumentError("targets", "none", "at least one")
    return write([v for target in chosen for v in variants_of(kernel, signature, target)], folder)
