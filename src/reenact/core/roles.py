"""Joint roles: the body parts by which methods find joints on any skeleton."""

from __future__ import annotations

SIDED = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")
"""Parts that exist on both sides. A role names the joint at the part's near end: `left_upper_leg` is the hip joint,
`left_lower_leg` the knee, `left_foot` the ankle, `left_toes` the ball of the foot, `left_shoulder` the collar bone,
`left_upper_arm` the shoulder joint, `left_lower_arm` the elbow, `left_hand` the wrist."""

ROLES = ("hips", "spine", "chest", "neck", "head", *(f"{side}_{part}" for side in ("left", "right") for part in SIDED))
"""Every role; `hips` is the pelvis, the joint whose motion carries the body."""


def other_side(role: str) -> str:
    """The mirrored role: left_foot for right_foot; middle roles are their own."""
    if role.startswith("left_"):
        return "right_" + role[5:]
    if role.startswith("right_"):
        return "left_" + role[6:]
    return role
