"""Warm workers, shared by the threads of a process."""

from __future__ import annotations

import atexit
import os
import threading
from pathlib import Path
from typing import Any

from tegula import knobs
from tegula.compiler.worker import Worker, WorkerFailure


class Pool:
    """Keeps idle workers; starts one when there is none, drops one that failed."""

    def __init__(self, program: Path, size: int) -> None:
        self._program = program
        self._slots = threading.BoundedSemaphore(size)
        self._idle: list[Worker] = []
        self._lock = threading.Lock()

    def request(self, header: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Compile on some worker; WorkerFailure when that one failed."""
        with self._slots:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                worker = Worker(self._program, knobs.get("compile_memory"))
            try:
                answer = worker.request(header, knobs.get("compile_timeout"))
            except BaseException:
                # Also on Ctrl-C: what such a worker would answer next belongs to this request.
                worker.close()
                raise
            with self._lock:
                self._idle.append(worker)
            return answer

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()


_pools: dict[tuple[int, Path], Pool] = {}
_pools_lock = threading.Lock()


def pool(program: Path) -> Pool:
    """The pool of this process: a forked child starts its own workers."""
    key = (os.getpid(), program)
    with _pools_lock:
        if key not in _pools:
            _pools[key] = Pool(program, knobs.get("compile_workers"))
            atexit.register(_pools[key].close)
        return _pools[key]


__all__ = ["Pool", "WorkerFailure", "pool"]
