"""A limb brought to places, in those frames only in which it is asked to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.solve.limb import Limb, LimbParameters, Reach, place_limb

_LEAST = 1e-4  # of a weight


def reach(clip: Clip, limb: Limb, target: Float, weight: Float, how: Reach = "exact") -> Clip:
    """The clip with the end of a limb at `target` (F, 3) as far as `weight` (F,) says; the end keeps its turn in the world."""
    rows = np.flatnonzero(weight > _LEAST)
    if not len(rows):
        return clip
    part = replace(
        clip,
        rotations=clip.rotations[rows],
        root=clip.root[rows],
        translations=None if clip.translations is None else clip.translations[rows],
    )
    turned, _ = place_limb(part, limb, target[rows], weight=weight[rows], parameters=LimbParameters(how))
    changed, rotations = [limb.root, limb.mid, limb.end], clip.rotations.copy()
    own = rotations[:, changed].astype(np.float64)
    own[rows] = turned[:, changed]
    rotations[:, changed] = R.make_continuous(own).astype(np.float32)
    return replace(clip, rotations=rotations)
