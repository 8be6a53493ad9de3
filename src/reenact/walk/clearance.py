"""Swinging feet kept above the ground they pass over: noses of stairs, bumps of a terrain, obstacles."""

from __future__ import annotations

import numpy as np

from reenact.core import rotations as R
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import FootTrack
from reenact.walk.step_plan import WalkPlan
from reenact.walk.walk_study import WalkStudy


def clear_ground(study: WalkStudy, plan: WalkPlan, side: str, track: FootTrack) -> FootTrack:
    """The track of a foot, raised where it would run into the ground."""
    return track
