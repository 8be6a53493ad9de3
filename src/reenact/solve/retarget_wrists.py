"""Hands on the floor: bent at the wrist, so that palms lie on it and fingers are not in it.

The hands of many recordings do not bend: who stands on his hands there has his fingers in the ground. A wrist is bent backwards where the
arm points straight down, else whichever way is up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import SIDES
from reenact.core.smoothing import smooth
from reenact.solve.flesh import Flesh
from reenact.solve.retarget_toes import longest, out_of_floor

_UP = np.array([0.0, 1.0, 0.0])
_MOST = np.radians(85.0)
_ROUNDS = 6
_CALM, _WIDTH = 0.09, 0.04  # seconds, widths of the low-passes over how far and which way a wrist is bent
_BACK = 0.6  # of upwards, that bending backwards counts where an arm points straight down


def bend_wrists(clip: Clip, skin: Flesh, modelled: Clip, near: Mapping[str, Float], world: World | None = None) -> Clip:
    """The clip with hands that were in the floor bent out of it.

    Args:
        clip: the motion, on a floor at height 0.
        skin: of its body.
        modelled: the pose in which that stands, arms to the sides or hanging.
        near: side -> (F,) 0..1, how near the floor the hand of the recording is: only there it leans on it.
        world: forward kinematics of the clip in float64, when at hand.
    """
    ways = _hand_axes(modelled)
    for side, (along, back) in ways.items():
        part, bent = f"{side}_hand", np.zeros(len(clip))
        if part not in skin.points or side not in near or not near[side].any():
            continue
        leans = smooth(np.minimum(2.0 * near[side], 1.0), _CALM * clip.fps)
        hand = clip.skeleton.roles[part]
        above, long = int(clip.skeleton.parents[hand]), longest(skin, part)
        for _ in range(_ROUNDS):
            world = clip.world(np.float64) if world is None else world
            more = out_of_floor(skin, world, (part,), leans, clip.fps, _CALM)
            if more is None:
                break
            angle = np.minimum(bent + np.arcsin(np.minimum(more / long, 0.9)), _MOST) - bent
            bent += angle
            turned = world.rotations[:, hand]
            fingers = R.rotate(turned, along)
            steep = np.abs(fingers[:, 1:2])
            aim = smooth(_UP + _BACK * steep * R.rotate(turned, back), _WIDTH * clip.fps)
            across = R.normalize(np.cross(fingers, aim) + 1e-9)
            rotations = clip.rotations.astype(np.float64)
            wanted = R.multiply(R.exp(angle[:, None] * across), turned)
            rotations[:, hand] = R.make_continuous(R.multiply(R.conjugate(world.rotations[:, above]), wanted)[:, None])[
                :, 0
            ]
            clip, world = replace(clip, rotations=rotations.astype(np.float32)), None
    return clip


def _hand_axes(modelled: Clip) -> Mapping[str, tuple[Float, Float]]:
    """Side -> (where the fingers point, where the back of the hand looks), (3,) each in the axes of the hand."""
    skeleton, world = modelled.skeleton, modelled.world(np.float64)
    places, found = world.positions[0], {}
    if not skeleton.has_roles("left_upper_leg", "right_upper_leg"):
        return found
    across = places[skeleton.roles["left_upper_leg"]] - places[skeleton.roles["right_upper_leg"]]
    ahead = np.cross(across, _UP)
    for side in SIDES:
        if not skeleton.has_roles(f"{side}_lower_arm", f"{side}_hand"):
            continue
        hand = skeleton.roles[f"{side}_hand"]
        arm = R.normalize(places[hand] - places[skeleton.roles[f"{side}_lower_arm"]])
        palm = np.cross(arm, ahead) if side == "left" else np.cross(ahead, arm)
        back = R.conjugate(world.rotations[0, hand])
        found[side] = R.rotate(back, arm), R.rotate(back, -R.normalize(palm + 1e-12))
    return found
