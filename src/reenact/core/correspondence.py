"""Which joints of two skeletons stand for the same part of a body: by role, and by name where there is no role."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reenact.core.skeleton import Skeleton

NEEDED = (
    "hips",
    *(f"{side}_{part}" for side in ("left", "right") for part in ("upper_leg", "lower_leg", "foot")),
)
"""Roles without which a motion cannot be brought onto another skeleton."""


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Joints of two skeletons that belong together.

    Attributes:
        by_role: (role, joint of the source, joint of the target).
        by_name: (plain name, joint of the source, joint of the target), for joints without a role.
        missing: needed roles that one of them lacks.
        source_joints, target_joints: how many joints either has.
    """

    by_role: tuple[tuple[str, int, int], ...]
    by_name: tuple[tuple[str, int, int], ...]
    missing: tuple[str, ...]
    source_joints: int
    target_joints: int

    def __len__(self) -> int:
        return len(self.by_role) + len(self.by_name)

    @property
    def possible(self) -> bool:
        """A motion of the source can be brought onto the target."""
        return not self.missing

    def offer(self) -> str:
        """One sentence for an error: what could be done about the difference."""
        if self.missing:
            return f"they cannot be mapped to each other: no joint is known for {', '.join(self.missing)} on both"
        named = f" and {len(self.by_name)} by name" if self.by_name else ""
        return (
            f"{len(self.by_role)} of {self.target_joints} joints correspond by role{named}: use --map (map=True) to bring it onto "
            "that skeleton, or `reenact map`"
        )


def match_joints(source: Skeleton, target: Skeleton) -> Correspondence:
    """Joints that belong together; a joint is taken once."""
    by_role = tuple((role, joint, target.roles[role]) for role, joint in source.roles.items() if role in target.roles)
    held_source, held_target = {*source.roles.values()}, {*target.roles.values()}
    names = {plain_name(name): joint for joint, name in enumerate(target.names) if joint not in held_target and joint}
    by_name = tuple(
        (plain_name(name), joint, names[plain_name(name)])
        for joint, name in enumerate(source.names)
        if joint and joint not in held_source and plain_name(name) in names
    )
    missing = tuple(role for role in NEEDED if role not in source.roles or role not in target.roles)
    return Correspondence(by_role, by_name, missing, len(source), len(target))


def plain_name(name: str) -> str:
    """A name without prefix, case and punctuation: "mixamorig:LeftHandIndex1" and "left_hand_index_1" are the same."""
    return re.sub(r"[^a-z0-9]", "", name.rsplit(":", 1)[-1].casefold())
