"""Findings: what was noticed about a file or a clip, each with a stable code."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing noticed while reading or examining motion.

    Attributes:
        code: stable identifier, dotted (`bvh.frame-count`, `units.detected`).
        severity: "info" (nothing to do), "warning" (look at it), "error" (part of the data could not be used).
        where: file, `file:line`, joint or frame range it is about.
        message: one sentence for a person, with the value seen.
        fixed: True when the loader acted on it (a T-pose dropped, units applied).
        confidence: how sure the detection is, 0..1; None where nothing was guessed.
    """

    code: str
    severity: Severity
    where: str
    message: str
    fixed: bool = False
    confidence: float | None = None

    def as_dict(self) -> dict[str, object]:
        """The JSON form of the command line's contract."""
        return asdict(self)
