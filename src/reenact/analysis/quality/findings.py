"""Findings about quality: what, where, how much, which limit, and why that is the limit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reenact.core.findings import Finding, Severity


@dataclass(frozen=True, slots=True)
class QualityFinding(Finding):
    """A finding with a measured value.

    Attributes:
        frames: half-open range [start, end) it is about; None for the whole clip.
        joint: the joint or foot it is worst at; empty where there is none.
        value: what was measured.
        limit: what it may be.
        unit: of both.
        reason: why that is the limit.
    """

    frames: tuple[int, int] | None = None
    joint: str = ""
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    reason: str = ""


@dataclass(slots=True)
class Part:
    """What one family of checks found.

    Attributes:
        measures: name -> number; names end in their unit.
        findings: over a limit, or worth knowing.
        curves: name -> (F,) values for plots; nan where there is none.
        bounds: measure -> the limit that was applied to it, for this body and this frame rate.
        bad: (F,) frames that later checks must leave out, or None.
    """

    measures: dict[str, float | None] = field(default_factory=dict)
    findings: list[QualityFinding] = field(default_factory=list)
    curves: dict[str, np.ndarray] = field(default_factory=dict)
    bounds: dict[str, float] = field(default_factory=dict)
    bad: np.ndarray | None = None


def place(frames: tuple[int, int] | None, joint: str = "") -> str:
    """Where something is, for people: `frame 12`, `frames 12 to 20 (LeftFoot)`; the last frame is part of it."""
    if frames is None:
        text = "whole clip"
    elif frames[1] - frames[0] <= 1:
        text = f"frame {frames[0]}"
    else:
        text = f"frames {frames[0]} to {frames[1] - 1}"
    return f"{text} ({joint})" if joint else text


def measured(
    code: str,
    severity: Severity,
    what: str,
    value: float,
    limit: float,
    unit: str,
    reason: str,
    *,
    frames: tuple[int, int] | None = None,
    joint: str = "",
    confidence: float | None = None,
) -> QualityFinding:
    """A finding whose message gives the value, the limit and its reason."""
    value, limit = float(value), float(limit)
    shown = f"{what}: {_spell(value)} {unit}".rstrip() + f", limit {_spell(limit)} {unit}".rstrip() + f" ({reason})"
    span = None if frames is None else (int(frames[0]), int(frames[1]))
    return QualityFinding(
        code, severity, place(span, joint), shown, False, confidence, span, joint, value, limit, unit, reason
    )


def noted(
    code: str, severity: Severity, message: str, *, frames: tuple[int, int] | None = None, joint: str = ""
) -> QualityFinding:
    """A finding without a number of its own."""
    span = None if frames is None else (int(frames[0]), int(frames[1]))
    return QualityFinding(code, severity, place(span, joint), message, frames=span, joint=joint)


def _spell(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"
