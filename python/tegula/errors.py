"""One class per kind of user error, and how each is shown.

Every message has the same form: what is wrong with its label, the place, the line with carets
under what takes part, and what to do. Nothing here imports the rest of the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Span:
    """A range of one source file. Lines count from 1; columns are 1-based UTF-8 bytes."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str = field(default="", compare=False, repr=False)

    def carets(self) -> tuple[int, int]:
        """First and last+1 character (from 0) of ``text`` that the range covers."""
        raw = self.text.encode()
        start = len(raw[: self.column - 1].decode(errors="replace"))
        if self.end_line != self.line or self.end_column <= self.column:
            return start, max(start + 1, len(self.text.rstrip()))
        return start, len(raw[: self.end_column - 1].decode(errors="replace"))


def snippet(span: Span, others: Sequence[Span] = ()) -> list[str]:
    """Render the place, its line, and carets under ``span`` and every range on the same line."""
    lines = [f"  {span.file}:{span.line}:{span.column}"]
    if not span.text:
        return lines
    marks = [" "] * (len(span.text) + 1)
    for part in (span, *others):
        if part.file == span.file and part.line == span.line:
            start, stop = part.carets()
            marks[start:stop] = "^" * (stop - start)
    gutter = f"{span.line:>5} | "
    lines.append(gutter + span.text.rstrip())
    lines.append(" " * (len(gutter) - 2) + "| " + "".join(marks).rstrip())
    return lines


class Error(Exception):
    """Base of every error that Tegula raises about what a user wrote or passed.

    ``label`` names the rule, ``span`` the place, ``notes`` further places with their messages,
    ``help`` what to do.
    """

    def __init__(
        self,
        message: str,
        *,
        label: str | None = None,
        span: Span | None = None,
        others: Sequence[Span] = (),
        notes: Sequence[tuple[str, Span | None]] = (),
        help: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.label = label
        self.span = span
        self.others = tuple(others)
        self.notes = tuple(notes)
        self.help = help

    def __str__(self) -> str:
        head = f"error: {self.message}"
        if self.label:
            head = f"{head}  [{self.label}]"
        lines = [head]
        if self.span is not None:
            lines += snippet(self.span, self.others)
        if self.help:
            lines.append(f"  {self.help}")
        for message, span in self.notes:
            lines.append(f"note: {message}")
            if span is not None:
                lines += snippet(span)
        return "\n".join(lines)


class SyntaxNotSupported(Error):
    """A construct of Python that a kernel cannot contain."""


class UndefinedName(Error):
    """A name, ``tg.`` function, attribute or method that does not exist where it is used."""


class ConstantRequired(Error):
    """A run-time value where the compiler needs to know the value."""


class BranchTypeMismatch(Error):
    """A variable with two types or shapes where paths of control flow meet."""


class TypeMismatch(Error):
    """An operation does not exist for these element types."""


class ShapeMismatch(Error):
    """Shapes do not fit together."""


class IndexRank(Error):
    """An index, axis or slice that does not fit the rank or the extents of its view."""


class ScheduleError(Error):
    """A schedule field that does not exist or has a value that is not legal here."""


class LdsBudget(Error):
    """The tiles need more LDS than the target has."""


class RegisterBudget(Error):
    """The tiles need more registers than a wave has."""


class UnsupportedOnTarget(Error):
    """The target does not exist, or has no exact way to do this."""


class ArgumentError(Error, TypeError):
    """An argument of a call does not fit the kernel's signature or another argument."""

    def __init__(self, argument: str, found: object, expected: object, message: str = "") -> None:
        text = message or f"argument '{argument}': found {found}, expected {expected}"
        super().__init__(text, label="call.argument")
        self.argument = argument
        self.found = found
        self.expected = expected


class LaunchError(Error):
    """The device or its driver refused a launch.

    ``findings`` are what a simulated device had reported before it stopped.
    """

    def __init__(self, message: str, *, findings: tuple[Any, ...] = (), **rest: Any) -> None:
        super().__init__(message, **rest)
        self.findings = findings


class AssertionFailed(LaunchError, AssertionError):
    """A ``tg.assert_`` of a kernel failed.

    ``kernel`` is its name, ``workgroup`` the place in the grid of the first workgroup in which it
    did, ``element`` the index of the first element of the condition that is false, () of a scalar.
    """

    def __init__(
        self,
        message: str,
        *,
        kernel: str,
        workgroup: tuple[int, ...],
        element: tuple[int, ...] = (),
        **rest: Any,
    ) -> None:
        super().__init__(message, **{"label": "run.assert", **rest})
        self.kernel = kernel
        self.workgroup = workgroup
        self.element = element


class OutOfBounds(AssertionFailed, IndexError):
    """A debug build, or ``interpret``, met an index that does not lie inside its view."""

    def __init__(self, message: str, **rest: Any) -> None:
        super().__init__(message, **{"label": "run.bounds", **rest})


class DeviceError(Error):
    """No such device, or it cannot be opened."""


class NotWarm(Error):
    """A kernel that has not been compiled is launched where compiling is not allowed."""


class SanitizerReport(Error):
    """The simulated device found an access or a race that silicon would hide.

    ``findings`` are ``tegula.sim.Finding`` objects where the launch came from ``tegula.sim``.
    """

    def __init__(self, message: str, *, findings: tuple[Any, ...] = (), **rest: Any) -> None:
        super().__init__(message, **rest)
        self.findings = findings


class InternalError(Error):
    """A bug of Tegula. ``reproducer`` is the path of a file that shows it."""

    def __init__(self, message: str, *, reproducer: str | None = None, **rest: object) -> None:
        super().__init__(message, **rest)  # type: ignore[arg-type]
        self.reproducer = reproducer
        if reproducer and not self.help:
            self.help = f"reproducer: {reproducer}"
