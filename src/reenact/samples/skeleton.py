"""The sample person: a humanoid skeleton of 1.75 m with measured proportions.

Segment lengths are the shares of body height of Drillis and Contini (1966) as printed in Winter, *Biomechanics and Motor Control of
Human Movement* (4th edition, 2009), figure 4.1. The rest pose is a T-pose facing +Z with left = +X and the soles on the floor; every
rest rotation is the identity.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from reenact.core.arrays import Float
from reenact.core.skeleton import Skeleton

HEIGHT = 1.75
"""Metres."""

THIGH = 0.245 * HEIGHT
SHANK = 0.246 * HEIGHT
LEG = THIGH + SHANK
ANKLE_HEIGHT = 0.039 * HEIGHT
UPPER_ARM = 0.186 * HEIGHT
FOREARM = 0.146 * HEIGHT
HAND = 0.108 * HEIGHT
FOOT = 0.152 * HEIGHT

HEEL = np.array([0.0, -ANKLE_HEIGHT, -0.24 * FOOT])
"""Heel point in the ankle's frame, on the sole."""

BALL_HEIGHT = 0.02
"""Metres from the sole to the joint of the toes."""

BALL_AHEAD = 0.48 * FOOT
"""Metres from the ankle forward to the joint of the toes."""

BALL = np.array([0.0, -BALL_HEIGHT, 0.0])
"""Ball point in the frame of the toes, on the sole."""

TOE_TIP = np.array([0.0, -BALL_HEIGHT + 0.004, 0.28 * FOOT])
"""Tip of the toes in the frame of the toes; shoes curve up a little there."""

_HIP_HALF = 0.052 * HEIGHT  # between the joint centres; the figure's hip width is that of the soft outline
_SHOULDER_HALF = 0.1095 * HEIGHT  # joint centres, a little inside the acromia (0.129 of the height)
_SHOULDER_HEIGHT = 0.818 * HEIGHT
_HIP_HEIGHT = LEG + ANKLE_HEIGHT

_TREE: tuple[tuple[str, str, tuple[float, float, float], str], ...] = (
    ("Hips", "", (0.0, _HIP_HEIGHT, 0.0), "hips"),
    ("Spine", "Hips", (0.0, 0.060 * HEIGHT, -0.008), "spine"),
    ("Spine1", "Spine", (0.0, 0.070 * HEIGHT, -0.004), ""),
    ("Spine2", "Spine1", (0.0, 0.075 * HEIGHT, -0.004), "chest"),
    ("Neck", "Spine2", (0.0, 0.115 * HEIGHT, -0.004), "neck"),
    ("Head", "Neck", (0.0, 0.060 * HEIGHT, 0.018), "head"),
    (
        "LeftShoulder",
        "Spine2",
        (0.018 * HEIGHT, _SHOULDER_HEIGHT - _HIP_HEIGHT - 0.205 * HEIGHT, 0.004),
        "left_shoulder",
    ),
    ("LeftArm", "LeftShoulder", (_SHOULDER_HALF - 0.018 * HEIGHT, 0.0, -0.008), "left_upper_arm"),
    ("LeftForeArm", "LeftArm", (UPPER_ARM, 0.0, 0.0), "left_lower_arm"),
    ("LeftHand", "LeftForeArm", (FOREARM, 0.0, 0.0), "left_hand"),
    ("LeftUpLeg", "Hips", (_HIP_HALF, 0.0, 0.0), "left_upper_leg"),
    ("LeftLeg", "LeftUpLeg", (0.0, -THIGH, 0.0), "left_lower_leg"),
    ("LeftFoot", "LeftLeg", (0.0, -SHANK, 0.0), "left_foot"),
    ("LeftToeBase", "LeftFoot", (0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD), "left_toes"),
)


@cache
def sample_skeleton() -> Skeleton:
    """The skeleton of every sample: 22 joints, end sites at the crown, finger tips, heels and toe tips, all roles known."""
    rows = list(_TREE)
    order = [row for row in rows if not row[0].startswith("Left")]
    arms = [row for row in rows if row[0] in ("LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand")]
    legs = [row for row in rows if row[0] in ("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase")]
    for limb in (arms, legs):
        order += limb
        order += [_mirrored(row) for row in limb]
    names = [row[0] for row in order]
    parents = [names.index(row[1]) if row[1] else -1 for row in order]
    ends = [
        ("Head", np.array([0.0, HEIGHT - _HIP_HEIGHT - 0.380 * HEIGHT, 0.012])),
        ("LeftHand", np.array([HAND, 0.0, 0.0])),
        ("RightHand", np.array([-HAND, 0.0, 0.0])),
        ("LeftFoot", HEEL),
        ("LeftToeBase", TOE_TIP),
        ("RightFoot", HEEL),
        ("RightToeBase", TOE_TIP),
    ]
    return Skeleton(
        tuple(names),
        np.array(parents),
        np.array([row[2] for row in order]),
        end_joints=np.array([names.index(name) for name, _ in ends]),
        end_offsets=np.array([offset for _, offset in ends]),
        roles={row[3]: joint for joint, row in enumerate(order) if row[3]},
    )


def foot_points(side: str) -> dict[str, tuple[int, Float]]:
    """Heel, ball and toe tip of a foot ("left" or "right"): the joint each point is fixed to and its place in that joint's frame."""
    foot, toes = sample_skeleton().require_roles(f"{side}_foot", f"{side}_toes")
    return {"heel": (foot, HEEL), "ball": (toes, BALL), "toe_tip": (toes, TOE_TIP)}


def _mirrored(
    row: tuple[str, str, tuple[float, float, float], str],
) -> tuple[str, str, tuple[float, float, float], str]:
    name, parent, (x, y, z), role = row
    return name.replace("Left", "Right"), parent.replace("Left", "Right"), (-x, y, z), role.replace("left", "right")
