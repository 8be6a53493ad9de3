"""What follows from other corrections: a gaze that stays where it was, arms that keep their directions above a leaning trunk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.adapt.corrections import Layer
from reenact.core import rotations as R
from reenact.core.clip import Clip, World


def keep_directions(name: str, clip: Clip, before: World, joints: Sequence[int]) -> Layer:
    """A layer that turns joints back to how they were turned in the world.

    Args:
        name: of the layer.
        clip: the motion so far.
        before: joints in the world as they were.
        joints: those that shall be turned as before, none above another.
    """
    world = clip.world(np.float64)
    turns = {}
    for joint in joints:
        parent = int(clip.skeleton.parents[joint])
        off = R.multiply(before.rotations[:, joint], R.conjugate(world.rotations[:, joint]))
        if parent >= 0:
            above = world.rotations[:, parent]
            off = R.multiply(R.conjugate(above), R.multiply(off, above))
        turn = R.log(off)
        turn[np.linalg.norm(turn, axis=1) < 1e-7] = 0.0
        turns[clip.skeleton.names[joint]] = turn
    return Layer(name, turns)


def keep_gaze(clip: Clip, before: World) -> Layer:
    """The head turned as it was in the world."""
    roles = clip.skeleton.roles
    return keep_directions("gaze", clip, before, [roles["head"]] if "head" in roles else [])


def keep_arms(clip: Clip, before: World) -> Layer:
    """The upper arms turned as they were in the world; they may run into what they did not touch before."""
    roles = clip.skeleton.roles
    arms = [roles[f"{side}_upper_arm"] for side in ("left", "right") if f"{side}_upper_arm" in roles]
    return keep_directions("shoulders", clip, before, arms)
