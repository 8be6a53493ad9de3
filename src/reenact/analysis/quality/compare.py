"""Two reports side by side: what an edit, a method or another take made better or worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reenact.analysis.quality.findings import QualityFinding
from reenact.analysis.quality.report import QualityReport

Verdict = Literal["better", "worse", "same", "changed", "unknown"]

SMALLER_IS_BETTER = (
    "skate_mm_max",
    "skate_mm_mean",
    "skate_aside_mm_max",
    "slide_m_s_max",
    "penetration_mm_max",
    "float_mm_max",
    "jerk_spikes",
    "pop_deg_max",
    "pop_mm_max",
    "knee_pop_deg_max",
    "flips",
    "duplicated_frames",
    "dropped_frames",
    "jitter_mm",
    "jitter_mm_median",
    "bent_back_deg_max",
    "bone_change_mm_max",
    "overlap_mm_max",
    "balance_mm_max",
)
"""Measures of which less is better; the others only describe."""

_SAME = 0.02  # of the larger value: closer is the same
_TINY = 0.05  # in the measure's unit: below that, nothing is seen


@dataclass(frozen=True, slots=True)
class Change:
    """One measure before and after.

    Attributes:
        name: of the measure.
        before, after: values; None where there was none.
        verdict: "better", "worse", "same", "changed" (a measure that only describes), "unknown" (one value is missing).
    """

    name: str
    before: float | None
    after: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class QualityComparison:
    """Two reports compared.

    Attributes:
        changes: every measure, in the order of the report.
        new: findings over a limit, by code and joint, that only the second has.
        gone: those that only the first has.
    """

    changes: tuple[Change, ...]
    new: tuple[QualityFinding, ...]
    gone: tuple[QualityFinding, ...]

    @property
    def worse(self) -> tuple[Change, ...]:
        """Measures that got worse."""
        return tuple(change for change in self.changes if change.verdict == "worse")

    @property
    def ok(self) -> bool:
        """True when no finding is new."""
        return not self.new


def compare_reports(before: QualityReport, after: QualityReport) -> QualityComparison:
    """What is better and what is worse in `after`."""
    names = list(dict.fromkeys([*before.measures, *after.measures]))
    changes = tuple(
        Change(name, a, b, _judge(name, a, b))
        for name in names
        for a, b in [(before.measures.get(name), after.measures.get(name))]
    )

    def only(first: QualityReport, second: QualityReport) -> tuple[QualityFinding, ...]:
        known = {(finding.code, finding.joint) for finding in second.over}
        return tuple(finding for finding in first.over if (finding.code, finding.joint) not in known)

    return QualityComparison(changes, only(after, before), only(before, after))


def _judge(name: str, before: float | None, after: float | None) -> Verdict:
    if before is None or after is None:
        return "same" if before is after else "unknown"
    if abs(after - before) <= max(_SAME * max(abs(before), abs(after)), _TINY):
        return "same"
    if name not in SMALLER_IS_BETTER:
        return "changed"
    return "better" if after < before else "worse"
