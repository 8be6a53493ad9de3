"""Feet that do not skate, by moving the root alone: the path drifts, limbs stay what they are (Lyard 2008, sections 3.1.2 and 3.1.3).

Horizontally the root makes the steps that leave the planted point of the skin where it is, and within the frame in which the weight passes
to another point it follows one and then the other. Vertically it gets one offset and one scale for the whole clip: planted skin is as near
to the floor as that allows, and no new frequency comes in. The other way, frame by frame, is there to be compared with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.adapt.skin_planting import NONE, SkinPlanting, SoleSkin
from reenact.adapt.transfer import crossing_time, cubic_through, travelled_share, value_at
from reenact.core.arrays import Float
from reenact.core.clip import Clip

_LEAST, _MOST = 0.3, 3.0
"""Scales of the root's height outside which are doubted."""

_LEVEL = np.array([1.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class HeightFit:
    """How the height of a root is changed: `mean + offset + scale * (height - mean)`.

    Attributes:
        offset: metres.
        scale: of what it rises and falls.
        mean: metres, the mean height before.
        doubtful: the scale is so far from 1 that the plants are probably wrong; it was bounded.
    """

    offset: float
    scale: float
    mean: float
    doubtful: bool = False


def travel(skin: SoleSkin, root: Float, planting: SkinPlanting) -> Float:
    """(F, 3) metres, the root on the way that leaves planted skin where it is; heights as they were.

    Between two frames with the same planted point that point moves by nothing at all.
    """
    offsets = skin.places - root[:, None]
    speeds = np.linalg.norm(np.diff(skin.places, axis=0, prepend=skin.places[:1]), axis=2)
    found = root.copy()
    last = len(root) - 1
    for t in range(last):
        a, b = planting.points[t], planting.points[t + 1]
        if a == NONE or b == NONE:
            step = root[t + 1] - root[t]
        elif a == b:
            step = offsets[t, a] - offsets[t + 1, a]
        else:
            around = np.clip(np.arange(t - 1, t + 3), 0, last)
            q = crossing_time(speeds[around, a], speeds[around, b])
            at_a, at_b = (
                value_at(cubic_through(offsets[around, point]), travelled_share(speeds[around, point], q))
                for point in (a, b)
            )
            step = offsets[t, a] - at_a + at_b - offsets[t + 1, b]
        found[t + 1] = found[t] + step * _LEVEL
        found[t + 1, 1] = root[t + 1, 1]
    return found


def fit_height(skin: SoleSkin, root: Float, planting: SkinPlanting, floor: float = 0.0) -> HeightFit:
    """The offset and the scale of the root's height that bring planted skin nearest to the floor (least squares)."""
    stands = np.flatnonzero(planting.points != NONE)
    if not len(stands):
        return HeightFit(0.0, 1.0, float(root[:, 1].mean()))
    heights = skin.places[stands, planting.points[stands], 1] - floor
    tall = root[stands, 1]
    offset = -float(heights.mean())
    mean = float(tall.mean())
    rise = tall - mean
    below = heights - tall  # planted skin against the root
    square = float(rise @ rise)
    scale = -float(rise @ (below - below.mean())) / square if square > 1e-12 else 1.0
    bounded = float(np.clip(scale, _LEAST, _MOST))
    return HeightFit(offset, bounded, mean, bounded != scale)


def set_height(root: Float, fit: HeightFit) -> Float:
    """The root with its height changed."""
    found = root.copy()
    found[:, 1] = fit.mean + fit.offset + fit.scale * (root[:, 1] - fit.mean)
    return found


def set_height_by_frame(skin: SoleSkin, root: Float, floor: float = 0.0) -> Float:
    """The reference method: in every frame the lowest skin of the soles is put on the floor, where a foot is in it or none touches."""
    found = root.copy()
    found[:, 1] -= skin.places[:, :, 1].min(axis=1) - floor
    return found


def moved_root(clip: Clip, root: Float) -> Clip:
    """The clip with another root; its rotations are the same to the last bit."""
    return replace(clip, root=root.astype(np.float32)).with_plants(clip.plants)


def slides(skin: SoleSkin, planting: SkinPlanting) -> Float:
    """(F - 1,) metres over the floor that the planted point moves from frame to frame; 0 where it changes, or none is."""
    found = np.zeros(max(len(skin.places) - 1, 0))
    same = np.flatnonzero((planting.points[:-1] == planting.points[1:]) & (planting.points[:-1] != NONE))
    point = planting.points[same]
    found[same] = np.linalg.norm((skin.places[same + 1, point] - skin.places[same, point]) * _LEVEL, axis=1)
    return found
