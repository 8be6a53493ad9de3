"""What is noticed while a text format is read, and what the tolerance makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from reenact.core.findings import Finding, Severity
from reenact.errors import FormatError
from reenact.formats.loaded import Tolerance

_MOST_OF_ONE = 5  # findings of one code that are kept one by one


class ReadingNotes:
    """The findings of one file so far; `file` may be one beside it, whose lines are named then."""

    def __init__(self, path: Path, tolerance: Tolerance, prefix: str) -> None:
        self.path = path
        self.tolerance = tolerance
        self._prefix = prefix
        self._found: list[Finding] = []
        self._more: dict[str, int] = {}

    def fail(self, message: str, line: int | None = None, file: Path | None = None) -> NoReturn:
        """Raise a `FormatError` that names file and line."""
        raise FormatError(message, path=file or self.path, line=line)

    def note(
        self, code: str, severity: Severity, message: str, line: int | None = None, file: Path | None = None
    ) -> None:
        """Keep a finding; many of one code are counted."""
        code = f"{self._prefix}.{code}"
        name = (file or self.path).name
        found = Finding(code, severity, name if line is None else f"{name}:{line}", message, severity != "info")
        if found in self._found:
            return
        if sum(one.code == code for one in self._found) >= _MOST_OF_ONE:
            self._more[code] = self._more.get(code, 0) + 1
        else:
            self._found.append(found)

    def quirk(self, code: str, message: str, line: int | None = None, file: Path | None = None) -> None:
        """A departure from the format that is harmless: an error when strict, else a finding."""
        if self.tolerance == "strict":
            self.fail(message, line, file)
        self.note(code, "warning", message, line, file)

    def damage(self, code: str, message: str, line: int | None = None, file: Path | None = None) -> None:
        """Data that cannot be used: an error unless recovering."""
        if self.tolerance != "recover":
            self.fail(message, line, file)
        self.note(code, "error", message, line, file)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that was noticed."""
        more = [
            Finding(code, "warning", self.path.name, f"and {count} more of this kind", True)
            for code, count in self._more.items()
        ]
        return (*self._found, *more)
