"""The cache of compiled kernels on disk.

An entry's name is the hash of all that its content depends on. It is written to a temporary name
and renamed, so that a reader sees a whole entry or none; a checksum finds what a full disk or a
crash left behind. Without a usable cache everything works, with one warning.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from tegula.advice import warn

_MAGIC = b"TGC1"
_warned = False


def key(*parts: str) -> str:
    """Hash of strings; lengths keep ("ab", "c") and ("a", "bc") apart."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def _path(folder: Path, name: str) -> Path:
    return folder / name[:2] / f"{name[2:]}.tgc"


def read(folder: Path, name: str) -> tuple[dict[str, Any], bytes] | None:
    """(reply, payload) of an entry, or None when there is none that is whole."""
    try:
        data = _path(folder, name).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        _warn(f"cannot be read ({problem})")
        return None
    body, checksum = data[:-32], data[-32:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != checksum:
        _warn(f"entry {name[:12]} is damaged and is made again")
        return None
    length = int.from_bytes(body[4:8], "little")
    return json.loads(body[8 : 8 + length]), body[8 + length :]


def write(folder: Path, name: str, reply: dict[str, Any], payload: bytes) -> None:
    """Store an entry; a failure costs a warning, never the compile."""
    header = json.dumps(reply, sort_keys=True).encode()
    body = _MAGIC + len(header).to_bytes(4, "little") + header + payload
    path = _path(folder, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(body + hashlib.sha256(body).digest())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as problem:
        _warn(f"cannot be written ({problem})")


def _warn(what: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        warn(f"tegula: the compile cache {what}")
