"""Collects what was covered when the session ends."""

from __future__ import annotations

import pytest

from isa import record


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # once, not in each worker
        record.join()
