"""One compile worker: a ``tegula-compile --serve`` process and its frames.

A frame is a little-endian 4-byte length, a JSON header, and as many raw bytes as the header's
``payload_bytes`` says. Whatever LLVM does to the process (abort, hang, exhaust memory) ends here as
a :class:`WorkerFailure`.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

#: A header longer than this is no header: the worker wrote something else.
_MAX_HEADER = 1 << 28
_STDERR_TAIL = 4000


class WorkerFailure(Exception):
    """The worker died, hung or spoke nonsense; ``reason`` is one sentence, ``log`` its stderr."""

    def __init__(self, reason: str, log: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.log = log


class WorkerGone(WorkerFailure):
    """The worker had ended before it could read the request, or was killed: ask another one."""


class Worker:
    """A process that compiles one request at a time."""

    def __init__(self, program: Path, memory_mib: int) -> None:
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [str(program), "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
        )
        self._id = 0
        limit = memory_mib << 20
        try:
            resource.prlimit(self._process.pid, resource.RLIMIT_AS, (limit, limit))
        except ProcessLookupError:
            pass  # it ended at once; the first request says so

    def request(self, header: dict[str, Any], deadline: float) -> tuple[dict[str, Any], bytes]:
        """Send a request and wait at most ``deadline`` seconds for (reply, payload)."""
        self._id += 1
        text = json.dumps({"id": self._id, **header}).encode()
        end = time.monotonic() + deadline
        try:
            self._send(struct.pack("<I", len(text)) + text, end)
            (length,) = struct.unpack("<I", self._read(4, end))
            if length > _MAX_HEADER:
                raise WorkerFailure("the compiler wrote no frame", self._tail())
            reply = json.loads(self._read(length, end))
            payload = self._read(int(reply.get("payload_bytes") or 0), end)
        except ValueError as problem:
            raise WorkerFailure(self._ending(str(problem)), self._tail()) from None
        if reply.get("id") != self._id:
            raise WorkerFailure("the compiler answered another request", self._tail())
        return reply, payload

    def close(self) -> None:
        """End the process; it holds nothing that needs saving."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()

    def _send(self, data: bytes, end: float) -> None:
        """Write a request. A worker reads all of it before it does anything."""
        if self._process.poll() is not None:
            raise WorkerGone(self._ending("it has ended"), self._tail())
        try:
            self._write(data, end)
        except BrokenPipeError as problem:
            raise WorkerGone(self._ending(str(problem)), self._tail()) from None

    def _write(self, data: bytes, end: float) -> None:
        assert self._process.stdin is not None
        descriptor = self._process.stdin.fileno()
        os.set_blocking(descriptor, False)
        while data:
            self._wait(end, write=descriptor)
            data = data[os.write(descriptor, data[: 1 << 16]) :]

    def _read(self, count: int, end: float) -> bytes:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        parts = []
        while count:
            self._wait(end, read=descriptor)
            part = os.read(descriptor, min(count, 1 << 20))
            if not part:
                ending = self._ending("it closed its output")
                # Nothing that a compile does ends a process that way: it was killed from outside.
                killed = self._process.returncode == -signal.SIGKILL
                raise (WorkerGone if killed else WorkerFailure)(ending, self._tail())
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _wait(self, end: float, read: int | None = None, write: int | None = None) -> None:
        reads = [] if read is None else [read]
        writes = [] if write is None else [write]
        left = end - time.monotonic()
        ready = select.select(reads, writes, [], left) if left > 0 else ([], [], [])
        if not any(ready):
            raise WorkerFailure("the compiler did not finish before its deadline", self._tail())

    def _ending(self, otherwise: str) -> str:
        """How the process ended, in words."""
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return f"the compiler failed: {otherwise}"
        if code < 0:
            return f"the compiler ended by signal {-code}"
        last = self._tail().strip().rpartition("\n")[2]  # what it said before it gave up
        said = f": {last}" if last.startswith("tegula-compile: ") else ""
        return f"the compiler ended with status {code}{said}"

    def _tail(self) -> str:
        size = os.fstat(self._log.fileno()).st_size
        start = max(0, size - _STDERR_TAIL)
        return os.pread(self._log.fileno(), size - start, start).decode(errors="replace")
