"""Limbs kept apart frame by frame and smoothed: the fast way (Lyard 2008, section 4.10), without balance, forearms or pelvis.

A limb that is too deep by `d` at a distance `l` from the joint it turns about is turned by atan(d / l), about the axis across it and across
the way out; arms turn alone, legs by half each. Measured again and corrected again, two passes leave next to nothing. What frames ask
for jumps where contacts come and go, so it is made smooth by circle splines; a bad answer of a frame is kept, and spread: the weakness
of this way.
"""

from __future__ import annotations

import numpy as np

from reenact.adapt.circle_splines import smooth_corrections
from reenact.adapt.contact_body import ContactBody
from reenact.adapt.corrections import Layer
from reenact.adapt.degrees import Degree, Degrees, Link, limb_way, swing_axes, world_axis
from reenact.adapt.stages import SIDES, Stage, Studied
from reenact.core import rotations as R
from reenact.core.arrays import Float, Int32
from reenact.core.clip import World

PASSES = 2
_SHORTEST = 0.25  # of the limb: contacts nearer to its joint than this turn it as if they were here
_MOST = np.pi / 3


def fast_stages(seen: Studied, body: ContactBody) -> list[Stage]:
    """Arms swung out of the trunk, the head and the legs, and legs parted."""
    skeleton = seen.clip.skeleton
    stages = []
    for side in SIDES:
        if skeleton.has_roles(f"{side}_upper_arm", f"{side}_lower_arm"):
            pairs = [
                n
                for n in body.chosen(("arm", "trunk"), ("arm", "head"), ("arm", "leg"))
                if body.skin.parts[body.pairs[n, 0]].group == f"{side}_arm"
            ]
            limbs = [(skeleton.roles[f"{side}_upper_arm"], skeleton.roles[f"{side}_lower_arm"], 1.0)]
            stages.append(_swung(f"{side} arm", seen, body, np.array(pairs, np.int32), limbs))
    if skeleton.has_roles("left_upper_leg", "left_lower_leg", "right_upper_leg", "right_lower_leg"):
        limbs = [(skeleton.roles[f"{side}_upper_leg"], skeleton.roles[f"{side}_lower_leg"], 0.5) for side in SIDES]
        stages.append(_swung("legs", seen, body, body.chosen(("leg", "leg")), limbs))
    return stages


def _swung(name: str, seen: Studied, body: ContactBody, pairs: Int32, limbs: list[tuple[int, int, float]]) -> Stage:
    degrees: list[Degree] = []
    few_world = seen.few.world(np.float64)
    for joint, below, _ in limbs:
        local = world_axis(seen.few, few_world, joint, limb_way(seen.clip.skeleton, few_world, joint, below))
        degrees += [Degree(name, (Link(joint, axis),)) for axis in swing_axes(local)]
    few = Degrees(seen.few, degrees)
    values = np.zeros((len(seen.frames), len(degrees)))
    for _ in range(PASSES):
        posed = few.pose(values, slopes=False)
        found = body.contacts(posed.world, pairs)
        if not len(found):
            break
        for place, (joint, below, share) in enumerate(limbs):
            turn = _turns(found, body, posed.world, seen, joint, below, share)
            parent = seen.clip.skeleton.parents[joint]
            turn = R.rotate(R.conjugate(posed.world.rotations[:, parent]), turn) if parent >= 0 else turn
            for n in (0, 1):
                values[:, 2 * place + n] += (turn * degrees[2 * place + n].links[0].axis).sum(axis=1)
    values = np.clip(values, -_MOST, _MOST)
    if not np.any(values):
        return Stage(Layer(name, {}))
    frames = np.arange(len(seen.clip), dtype=np.float64)
    turns = {}
    for place, (joint, below, _) in enumerate(limbs):
        smooth = smooth_corrections(values[:, 2 * place : 2 * place + 2], seen.frames.astype(np.float64), frames)
        local = world_axis(seen.clip, seen.world, joint, limb_way(seen.clip.skeleton, seen.world, joint, below))
        first, second = _carried(local, seen, degrees[2 * place].links[0].axis)
        turns[seen.clip.skeleton.names[joint]] = smooth[:, :1] * first + smooth[:, 1:] * second
    return Stage(Layer(name, turns), tuple(degree.name for degree in degrees))


def _turns(found, body: ContactBody, world: World, seen: Studied, joint: int, below: int, share: float) -> Float:
    """(F, 3) rotation vectors in the world that the worst contact of each frame asks for."""
    skeleton = seen.clip.skeleton
    origin = world.positions[found.frames, joint]
    limb = world.positions[found.frames, below] - origin
    length = np.linalg.norm(limb, axis=1)
    way = limb / np.maximum(length, 1e-9)[:, None]
    # the contact moves with this limb, or the other part does: then the limb goes the other way
    above = np.array([joint in skeleton.ancestors(int(body.joints[a])) for a, _ in body.pairs])
    outwards = np.where(above[found.pairs], 1.0, -1.0)[:, None] * found.normals
    lever = np.maximum(((found.points - origin) * way).sum(axis=1), _SHORTEST * length)
    angle = share * np.arctan2(found.depths, lever)
    axis = np.cross(way, outwards)
    size = np.linalg.norm(axis, axis=1)
    turn = np.where(size[:, None] > 0.2, axis / np.maximum(size, 1e-9)[:, None], 0.0) * angle[:, None]
    result = np.zeros((len(world.positions), 3))
    order = np.argsort(np.linalg.norm(turn, axis=1), kind="stable")  # the largest is written last
    result[found.frames[order]] = turn[order]
    return result


def _carried(local: Float, seen: Studied, few: Float) -> tuple[Float, Float]:
    """The axes of `swing_axes` for all frames that agree with those of the frames looked at."""
    first, second = swing_axes(local)
    # both run along without turning about the limb; between both lies an angle that changes little from frame to frame
    cosine = (few * first[seen.frames]).sum(axis=1)
    sine = (few * second[seen.frames]).sum(axis=1)
    angle = np.interp(np.arange(len(local)), seen.frames, np.unwrap(np.arctan2(sine, cosine)))[:, None]
    return np.cos(angle) * first + np.sin(angle) * second, np.cos(angle) * second - np.sin(angle) * first
