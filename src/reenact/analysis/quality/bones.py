"""Bones that change their length."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.foot_plants import intervals_of

_MOST = 5


def check_bones(examined: Examined, limits: QualityLimits) -> Part:
    """Joints whose distance from their parent changes (`bones.length`); what carries the body to its place does not count."""
    part = Part(measures={"bone_change_mm_max": 0.0})
    moved = examined.clip.translations
    if moved is None:
        return part
    carriers = set(examined.clip.skeleton.ancestors(examined.clip.skeleton.roles.get("hips", 0)))
    limit = limits.bone_mm * examined.scale
    part.bounds["bone_change_mm_max"] = limit
    found = []
    for n, joint in enumerate(moved.joints.tolist()):
        if joint in carriers:
            continue
        lengths = np.linalg.norm(moved.values[:, n].astype(np.float64), axis=1)
        away = 1000 * np.abs(lengths - np.median(lengths))
        away[examined.bad] = 0.0
        found.append((float(away.max()), joint, away))
    part.measures["bone_change_mm_max"] = max((entry[0] for entry in found), default=0.0)
    for worst, joint, away in sorted(found, key=lambda entry: -entry[0])[:_MOST]:
        if worst > limit:
            spans = intervals_of(away > limit)
            part.findings.append(
                measured(
                    "bones.length", "warning", "the bone changes its length", worst, limit, "mm",
                    limits.reason("bone_mm"), frames=(spans[0][0], spans[-1][1]), joint=examined.name(joint),
                )
            )  # fmt: skip
    return part
