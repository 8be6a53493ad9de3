"""The quality report: what is wrong with a motion, where, and by how much.

A report takes one call::

report = check_clip(clip)
report.ok, report.measures["skate_mm_max"], report.findings
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
