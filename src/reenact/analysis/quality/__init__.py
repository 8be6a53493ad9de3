"""The quality report: what is wrong with a motion, where, and by how much.

`check_clip(clip)` gives a `QualityReport` with `ok`, `measures` and `findings`; `compare_reports` sets two of them side by side.
"""

from __future__ import annotations

from reenact.analysis.quality.compare import Change, QualityComparison, compare_reports
from reenact.analysis.quality.findings import QualityFinding
from reenact.analysis.quality.limits import QualityLimits
from reenact.analysis.quality.report import QualityReport, check_clip

__all__ = [
    "Change",
    "QualityComparison",
    "QualityFinding",
    "QualityLimits",
    "QualityReport",
    "check_clip",
    "compare_reports",
]
