"""Which point of the skin stands on the floor in every frame, from where the body goes: foot and vertex of É. Lyard (2008), section 3.1.1.

A foot is chosen by direction: the step that the root would make, were that foot planted, must point where the root goes; how far it goes
does not matter, so that skating does not mislead it. Among the skin of its sole the vertex that moves least is planted. Where the root goes
nowhere the foot stays the same unless the other one is clearly slower. Foot plants that are known, detected or edited by hand, say in which
frames which feet may be chosen, and that none is in flight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reenact.adapt.transfer import crossing_time
from reenact.body.character import Character
from reenact.body.soles import soles
from reenact.core import filters
from reenact.core.arrays import Float, Int
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.errors import ParameterError, SkeletonError

RATE = 25.0
"""Frames a second at which feet are chosen: directions of single steps at a higher rate are noise."""

_LEAST_STANCE = 3  # frames of that rate
_SMOOTH = 5  # frames of that rate, over which speeds are averaged
_GOES = 0.05  # m/s of the root, below which its direction tells nothing
_SLOWER = 0.5  # of the speed of the planted foot, at which the other one takes over then
NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class SkinPlanting:
    """What is planted.

    Attributes:
        feet: (F,) 0 for left, 1 for right, -1 for none.
        points: (F,) number of the planted point among those of `SoleSkin`, -1 for none.
    """

    feet: Int
    points: Int

    def intervals(self) -> list[tuple[int, int, int]]:
        """(foot, first frame, frame after the last) of every stance."""
        cuts = np.flatnonzero(np.diff(self.feet)) + 1
        edges = [0, *cuts.tolist(), len(self.feet)]
        return [(int(self.feet[a]), a, b) for a, b in pairwise(edges) if b > a and self.feet[a] >= 0]


@dataclass(frozen=True, slots=True, eq=False)
class SoleSkin:
    """The skin of both soles in a motion.

    Attributes:
        places: (F, S, 3) metres.
        feet: (S,) 0 for left, 1 for right.
        vertices: (S,) numbers of the character's vertices.
    """

    places: Float
    feet: Int
    vertices: Int


def sole_skin(character: Character, clip: Clip) -> SoleSkin:
    """Where the skin of the soles is in every frame.

    Raises:
        SkeletonError: no sole was found.
    """
    known = soles(character)
    found = [(number, known[side].vertices) for number, side in enumerate(SIDES) if side in known]
    if not found:
        told = "; ".join(finding.message for finding in known.findings) or "it has no feet"
        raise SkeletonError(f"the skin of this body has no sole: {told}")
    vertices = np.concatenate([own for _, own in found])
    some = Character(
        character.skeleton,
        character.vertices[vertices],
        np.zeros((0, 3), np.int32),
        character.weight_joints[vertices],
        character.weights[vertices],
        character.inverse_binds,
    )
    feet = np.concatenate([np.full(len(own), number) for number, own in found])
    return SoleSkin(some.skinned(clip.world(np.float64)).astype(np.float64), feet, vertices)


def plant_by_skin(skin: SoleSkin, root: Float, fps: float, plants: FootPlants | None = None) -> SkinPlanting:
    """Foot and point that are planted in every frame.

    Args:
        skin: the soles.
        root: (F, 3) metres.
        fps: frames per second.
        plants: in which frames which feet may be planted; without them one foot is in every frame.

    Raises:
        ParameterError: plants of another length.
    """
    frames = len(root)
    if plants is not None and len(plants) != frames:
        raise ParameterError(f"the foot plants have {len(plants)} frames, the motion {frames}", where="plants")
    step = max(1, round(fps / RATE))
    few = np.arange(0, frames, step)
    if len(few) < 3:
        few = np.arange(frames)
    speeds = _speeds(skin.places[few], fps * 1.0 / step)
    offsets = skin.places[few] - root[few, None]
    may = np.ones((frames, 2), np.bool_)
    if plants is not None:
        may = np.stack([plants.foot(side).plant for side in SIDES], axis=1)
    may &= np.isin((0, 1), skin.feet)[None]
    feet, points = _choose(offsets, root[few], speeds, skin.feet, may[few], fps / step)
    _calm(feet, points, speeds, skin.feet, may[few])
    return _spread_out(feet, points, few, frames, skin, speeds, may)


def _speeds(places: Float, fps: float) -> Float:
    """(F, S) m/s over the floor and up, averaged over some frames."""
    if len(places) < 2:
        return np.zeros(places.shape[:2])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2) * fps
    both = np.concatenate([steps[:1], 0.5 * (steps[1:] + steps[:-1]), steps[-1:]])
    return filters.mean(both, _SMOOTH, axis=0, edge="nearest")


def _choose(offsets: Float, root: Float, speeds: Float, of: Int, may: np.ndarray, fps: float) -> tuple[Int, Int]:
    count = len(offsets)
    feet, points = np.full(count, NONE), np.full(count, NONE)
    for t in range(count):
        allowed = np.flatnonzero(may[t])
        if not len(allowed):
            continue
        if t == 0 or feet[t - 1] == NONE:
            inside = np.flatnonzero(np.isin(of, allowed))
            points[t] = inside[speeds[t, inside].argmin()]
            feet[t] = of[points[t]]
            continue
        if len(allowed) == 1:
            feet[t] = allowed[0]
        else:
            feet[t] = _foot(offsets[t - 1], offsets[t], root[t] - root[t - 1], int(points[t - 1]), speeds[t], of, fps)
        inside = np.flatnonzero(of == feet[t])
        points[t] = inside[speeds[t, inside].argmin()]
    return feet, points


def _calm(feet: Int, points: Int, speeds: Float, of: Int, may: np.ndarray) -> None:
    """Nobody steps for a moment within a stance of the other foot."""
    edges = [0, *(np.flatnonzero(np.diff(feet)) + 1).tolist(), len(feet)]
    for (_, first), (_, last) in pairwise(pairwise(edges)):
        if last - first >= _LEAST_STANCE or last == len(feet) or feet[first - 1] != feet[last]:
            continue
        foot = feet[last]
        if foot == NONE or not may[first:last, foot].all():
            continue
        inside = np.flatnonzero(of == foot)
        feet[first:last] = foot
        points[first:last] = inside[speeds[first:last][:, inside].argmin(axis=1)]


def _foot(before: Float, after: Float, way: Float, planted: int, speeds: Float, of: Int, fps: float) -> int:
    """The foot whose step points where the root goes (equation 3.1, transfer half way)."""
    level = np.array([1.0, 0.0, 1.0])
    way = way * level
    if np.linalg.norm(way) * fps < _GOES:
        own, other = of == of[planted], of != of[planted]
        changes = other.any() and speeds[other].min() < _SLOWER * speeds[own].min()
        return int(of[other][0]) if changes else int(of[planted])
    half = 0.5 * (before + after)
    steps = (before[planted] - half[planted] + half - after) * level
    lengths = np.linalg.norm(steps, axis=1)
    agree = (steps @ way) / np.maximum(lengths * np.linalg.norm(way), 1e-12)
    return int(of[agree.argmax()])


def _spread_out(
    feet: Int, points: Int, few: Int, frames: int, skin: SoleSkin, speeds: Float, may: np.ndarray
) -> SkinPlanting:
    """What was chosen in some frames, for all of them: plants change where the speeds of both points cross."""
    chosen = np.full(frames, NONE)
    chosen[few] = points
    for n in range(len(few)):
        first = few[n]
        last = few[n + 1] if n + 1 < len(few) else frames
        here = points[n]
        there = points[n + 1] if n + 1 < len(few) else here
        if here == there or last - first == 1:
            chosen[first:last] = here
            continue
        share = 0.5
        if here >= 0 and there >= 0:
            around = np.clip(np.arange(n - 1, n + 3), 0, len(few) - 1)
            share = crossing_time(speeds[around, here], speeds[around, there])
        at = first + max(1, round(share * (last - first)))
        chosen[first:at], chosen[at:last] = here, there
    standing = np.where(chosen >= 0, skin.feet[np.maximum(chosen, 0)], NONE)
    off = (standing >= 0) & ~may[np.arange(frames), np.maximum(standing, 0)]
    chosen[off], standing[off] = NONE, NONE
    return SkinPlanting(standing, chosen)
