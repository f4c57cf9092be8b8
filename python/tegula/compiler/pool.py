"""Warm workers, shared by the threads of a process."""

from __future__ import annotations

import atexit
import os
import threading
from pathlib import Path
from typing import Any

from tegula import knobs
from tegula.compiler.program import build_id, program
from tegula.compiler.worker import Worker, WorkerFailure, WorkerGone


class Pool:
    """Keeps idle workers; starts one when there is none, drops one that failed."""

    def __init__(self, program: Path, size: int) -> None:
        self._program = program
        self._slots = threading.BoundedSemaphore(size)
        self._idle: list[Worker] = []
        self._lock = threading.Lock()

    def request(self, header: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Compile on some worker; WorkerFailure when that one failed.

        One that was idle and is gone is replaced; a fresh one is asked but once.
        """
        with self._slots:
            while (worker := self._pop_idle()) is not None:
                try:
                    return self._ask(worker, header)
                except WorkerGone:
                    continue
            return self._ask(Worker(self._program, knobs.get("compile_memory")), header)

    def _pop_idle(self) -> Worker | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _ask(self, worker: Worker, header: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
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
        """End the idle workers; requests that are under way keep theirs."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()


_pools: dict[tuple[int, Path, str], Pool] = {}
_pools_lock = threading.Lock()


def pool() -> Pool:
    """The pool of this process and compiler: a forked child, and another build, have their own."""
    key = (os.getpid(), program(), build_id())
    with _pools_lock:
        if key not in _pools:
            _pools[key] = Pool(key[1], knobs.get("compile_workers"))
            atexit.register(_pools[key].close)
        return _pools[key]


__all__ = ["Pool", "WorkerFailure", "pool"]
