"""Limbs that run through each other: a hint from capsules along the bones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Float
from reenact.core.foot_plants import intervals_of

_CAPSULES = {
    "trunk": ("hips", "neck", 0.105),
    "head": ("head", None, 0.09),
    **{
        f"{side} {name}": (f"{side}_{near}", f"{side}_{far}", radius)
        for side in ("left", "right")
        for name, near, far, radius in (
            ("upper arm", "upper_arm", "lower_arm", 0.045),
            ("forearm", "lower_arm", "hand", 0.038),
            ("thigh", "upper_leg", "lower_leg", 0.07),
            ("shank", "lower_leg", "foot", 0.05),
        )
    },
}
"""Near and far joint by role, and radius in metres for a leg of 0.83 m: round figures of a slim person, as a hint must not cry wolf."""

_PAIRS = (
    *((f"{side} forearm", other) for side in ("left", "right") for other in ("trunk", "head")),
    *((f"{side} forearm", f"{leg} thigh") for side in ("left", "right") for leg in ("left", "right")),
    ("left forearm", "right forearm"),
    ("left forearm", "right upper arm"),
    ("right forearm", "left upper arm"),
    ("left shank", "right shank"),
    ("left thigh", "right shank"),
    ("right thigh", "left shank"),
)
_LEAST = 0.05  # seconds


def check_overlap(examined: Examined, limits: QualityLimits) -> Part:
    """Depth to which capsules of limbs and trunk overlap (`overlap.limbs`): an info, as no skeleton says how thick its body is."""
    part = Part(measures={"overlap_mm_max": None})
    limit = limits.overlap_mm * examined.scale
    part.bounds["overlap_mm_max"] = limit
    deepest = np.zeros(len(examined.clip))
    found = []
    depths = overlap_depths(examined.positions, examined.clip.skeleton.roles, examined.scale)
    for (a, b), depth in depths.items():
        depth[examined.bad] = 0.0
        deepest = np.maximum(deepest, depth)
        for start, end in intervals_of(depth > min(limit, deepest_told(a, b, examined.scale))):
            if end - start >= examined.samples(_LEAST, 2):
                found.append((float(depth[start:end].max()), (start, end), f"{a}, {b}"))
    if depths:
        part.measures["overlap_mm_max"] = float(deepest.max(initial=0.0))
        part.curves["limbs overlap (mm)"] = deepest
    for worst, span, names in sorted(found, key=lambda entry: -entry[0])[:5]:
        what = "limbs run through each other"
        reason = limits.reason("overlap_mm")
        part.findings.append(
            measured("overlap.limbs", "info", what, worst, limit, "mm", reason, frames=span, joint=names)
        )
    return part


def overlap_depths(positions: Float, roles: Mapping[str, int], scale: float) -> dict[tuple[str, str], Float]:
    """(F,) millimetres to which the capsules of two parts of the body overlap, for every pair that is looked at.

    Args:
        positions: (F, J, 3) metres, joints in the world.
        roles: of the skeleton; pairs of which a joint is not known are left out.
        scale: size of the body, its leg over one of 0.83 m.
    """
    places = positions.astype(np.float64)
    ends: dict[str, tuple[Float, Float, float]] = {}
    for name, (near, far, radius) in _CAPSULES.items():
        if near in roles and (far is None or far in roles):
            last = near if far is None else far
            ends[name] = places[:, roles[near]], places[:, roles[last]], radius * scale
    depths = {}
    for a, b in _PAIRS:
        if a in ends and b in ends:
            (a0, a1, ra), (b0, b1, rb) = ends[a], ends[b]
            depths[a, b] = 1000 * np.maximum(ra + rb - segment_distances(a0, a1, b0, b1), 0.0)
    return depths


def deepest_told(a: str, b: str, scale: float) -> float:
    """Millimetres beyond which two capsules are inside each other for sure, however deep they are: nearly the thinner one's width."""
    return 1800 * scale * min(_CAPSULES[a][2], _CAPSULES[b][2])


def segment_distances(a0: Float, a1: Float, b0: Float, b1: Float) -> Float:
    """(...) distances of line segments a0 to a1 and b0 to b1, each (..., 3) (Ericson 2005, closest points of segments)."""
    along, across, apart = a1 - a0, b1 - b0, a0 - b0
    aa, bb = (np.einsum("...i,...i->...", v, v) for v in (along, across))
    ab, ac, bc = (
        np.einsum("...i,...i->...", v, w) for v, w in ((along, across), (along, apart), (across, apart))
    )  # fmt: skip
    tiny = 1e-12
    determinant = aa * bb - ab * ab
    s = np.where(determinant > tiny, np.clip((ab * bc - ac * bb) / np.maximum(determinant, tiny), 0, 1), 0.0)
    t = np.where(bb > tiny, (ab * s + bc) / np.maximum(bb, tiny), 0.0)
    clipped = np.clip(t, 0, 1)
    s = np.where((t != clipped) | (determinant <= tiny), np.clip((ab * clipped - ac) / np.maximum(aa, tiny), 0, 1), s)
    s = np.where(aa > tiny, s, 0.0)
    gap = apart + along * s[..., None] - across * clipped[..., None]
    return np.linalg.norm(gap, axis=-1)
