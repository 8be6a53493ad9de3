"""Which joint plays which role (`core.roles`): by names, by the shape of the tree and the body, or by both.

Names come first (`core.role_by_name`); where they say nothing, the proportions of the body decide (`core.role_topology`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from numpy.typing import ArrayLike

from reenact.core.findings import Finding
from reenact.core.role_by_name import WEAK, find_by_names
from reenact.core.role_sides import sides_agree
from reenact.core.role_topology import find_by_shape
from reenact.core.roles import ROLES, other_side
from reenact.core.skeleton import Skeleton
from reenact.core.tree import Tree

Method = Literal["names", "topology", "mixed", "none"]

ESSENTIAL = (
    *("hips", "spine", "head"),
    *(
        f"{s}_{p}"
        for s in ("left", "right")
        for p in ("upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot")
    ),
)
"""Roles that nearly every body has; the others (chest, neck, shoulders, toes) are often left out of a skeleton."""

_DOUBTED = 0.5  # names and motion disagree about left and right


@dataclass(frozen=True, slots=True)
class RoleFinding:
    """The roles found on a skeleton.

    Attributes:
        roles: role name -> joint index. A trunk of a single joint holds both `spine` and `chest`.
        confidence: role name -> 0..1, how sure each is.
        method: "names", "topology" (names said nothing), "mixed", or "none" when nothing was found.
        findings: `roles.found`, `roles.incomplete`, `roles.guessed`, `roles.sides`.
    """

    roles: Mapping[str, int] = field(default_factory=dict)
    confidence: Mapping[str, float] = field(default_factory=dict)
    method: Method = "none"
    findings: tuple[Finding, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Roles that were not found."""
        return tuple(role for role in ROLES if role not in self.roles)

    @property
    def overall(self) -> float:
        """Confidence in the whole: the mean over the essential roles, a missing one counts 0."""
        return sum(self.confidence.get(role, 0.0) for role in ESSENTIAL) / len(ESSENTIAL)


def find_roles(skeleton: Skeleton, positions: ArrayLike | None = None) -> RoleFinding:
    """Find the roles of a skeleton's joints.

    Args:
        skeleton: roles it already has are not looked at.
        positions: (F, J, 3) world positions of some frames, metres, Y up. Only needed when names say nothing and the rest pose is no
            pose (all bones along one axis); without it sides cannot be told then. Also used to check the sides that names say.

    Returns:
        the roles with their confidence and findings; finding by names is cached by names and parents.
    """
    found, sure = find_by_names(skeleton.names, skeleton.parents.tobytes())
    if found and positions is not None and not sides_agree(skeleton, found, positions):
        finding = _report(skeleton, found, {role: min(value, _DOUBTED) for role, value in sure.items()}, "names")
        message = "feet and knees point backwards for the sides that the names say: the motion may be mirrored, or its axes wrong"
        doubt = Finding("roles.sides", "warning", skeleton.names[0], message, confidence=_DOUBTED)
        return replace(finding, findings=(*finding.findings, doubt))
    if all(role in found for role in ESSENTIAL):
        return _report(skeleton, found, sure, "names")
    shape = find_by_shape(skeleton, positions)
    if not found:
        return _report(skeleton, shape.roles, shape.confidence, "topology" if shape.roles else "none", shape.reason)
    roles, confidence = _fill_gaps(skeleton, found, sure, shape.roles, shape.confidence)
    return _report(skeleton, roles, confidence, "mixed" if len(roles) > len(found) else "names", shape.reason)


def assign_roles(skeleton: Skeleton, positions: ArrayLike | None = None) -> tuple[Skeleton, RoleFinding]:
    """The skeleton with the roles that were found, and the finding."""
    finding = find_roles(skeleton, positions)
    return skeleton.with_roles(finding.roles), finding


def _report(
    skeleton: Skeleton, roles: Mapping[str, int], sure: Mapping[str, float], method: Method, reason: str = ""
) -> RoleFinding:
    ordered = {role: int(roles[role]) for role in ROLES if role in roles}
    confidence = {role: round(float(sure[role]), 3) for role in ordered}
    finding = RoleFinding(MappingProxyType(ordered), MappingProxyType(confidence), method)
    overall, findings, root = round(finding.overall, 3), [], skeleton.names[0]
    if ordered:
        absent = [role for role in finding.missing if role not in ESSENTIAL]
        tail = f"; without {', '.join(absent)}" if absent else ""
        message = f"{len(ordered)} of {len(ROLES)} joint roles found by {_BY[method]}{tail}"
        findings.append(Finding("roles.found", "info", root, message, confidence=overall))
    if lacking := [role for role in ESSENTIAL if role not in ordered]:
        message = f"no joint found for {', '.join(lacking)}" + (f": {reason}" if reason else "")
        findings.append(Finding("roles.incomplete", "warning", root, message, confidence=overall))
    if method in ("topology", "mixed"):
        unsure = [role for role in ordered if confidence[role] < WEAK or method == "topology"]
        if unsure:
            guessed = [f"{role} = {skeleton.names[ordered[role]]}" for role in unsure]
            what = f"guessed from proportions, names say nothing: {', '.join(guessed)}"
            findings.append(Finding("roles.guessed", "warning", root, what, confidence=overall))
    return RoleFinding(finding.roles, finding.confidence, method, tuple(findings))


_BY = {
    "names": "names",
    "topology": "tree and proportions",
    "mixed": "names, the rest by tree and proportions",
    "none": "nothing",
}


def _fill_gaps(
    skeleton: Skeleton,
    found: Mapping[str, int],
    sure: Mapping[str, float],
    shape: Mapping[str, int],
    shape_sure: Mapping[str, float],
) -> tuple[dict[str, int], dict[str, float]]:
    """Roles by names, completed by those of the shape that agree with them."""
    sided = [role for role in shape if "_" in role and role in found]
    same = sum(shape[role] == found[role] for role in sided)
    flipped = {other_side(role): joint for role, joint in shape.items()}
    crossed = sum(flipped.get(role) == joint for role, joint in found.items() if "_" in role)
    if crossed > same:  # names know the sides better
        shape, shape_sure = flipped, {other_side(role): value for role, value in shape_sure.items()}
    roles, confidence = dict(found), dict(sure)
    taken = set(found.values())
    tree = Tree(skeleton.parents)
    for role, joint in shape.items():
        if role not in roles and joint not in taken and _in_order(tree, {**roles, role: joint}):
            roles[role], confidence[role] = joint, shape_sure[role]
            taken.add(joint)
    return roles, confidence


_CHAINS = (
    ("hips", "spine", "chest", "neck", "head"),
    *(tuple(f"{s}_{p}" for p in ("shoulder", "upper_arm", "lower_arm", "hand")) for s in ("left", "right")),
    *(tuple(f"{s}_{p}" for p in ("upper_leg", "lower_leg", "foot", "toes")) for s in ("left", "right")),
)


def _in_order(tree: Tree, roles: Mapping[str, int]) -> bool:
    for chain in _CHAINS:
        joints = [roles[role] for role in chain if role in roles]
        for above, below in itertools.pairwise(joints):
            if above != below and not tree.is_above(above, below):
                return False
    return True
