"""Roles from joint names, checked against the tree.

A limb must be one chain, so "LHipJoint" above "LeftUpLeg" is not the hip joint, and "LeftShoulder" is the collar bone above "LeftArm" but
the shoulder joint above "LeftElbow". The trunk is found between the limbs: the spine is the joint above the hips, the chest the one
the arms hang on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from reenact.core.role_names import NameReading, read_name
from reenact.core.roles import other_side
from reenact.core.tree import Tree

CERTAIN, USUAL, INFERRED, WEAK = 0.98, 0.95, 0.9, 0.7
"""How sure a role is: its own word in the right place; a word with two meanings told apart by the chain; found by its place in the
tree between named joints; taken for want of anything better. On the corpus of docs/roles.md no role above 0.9 was wrong."""

_QUADRUPED = 0.6  # names of front and hind legs: the arm roles stand for forelegs, few methods are made for that


@lru_cache(maxsize=1024)
def find_by_names(names: tuple[str, ...], parents: bytes) -> tuple[Mapping[str, int], Mapping[str, float]]:
    """(roles, confidence) by names, for joint names and the bytes of the int32 parents; the answer is kept for equal trees."""
    tree = Tree(np.frombuffer(parents, np.int32))
    readings = [read_name(name) for name in names]
    roles: dict[str, int] = {}
    sure: dict[str, float] = {}
    for side in ("left", "right"):
        mine: dict[str, list[int]] = {}
        for joint, reading in enumerate(readings):
            if reading.side == side and reading.kind:
                mine.setdefault(reading.kind, []).append(joint)
        for part, (joint, confidence) in {**_read_leg(tree, mine), **_read_arm(tree, mine)}.items():
            roles[f"{side}_{part}"], sure[f"{side}_{part}"] = joint, confidence
        _add_unnamed_toes(tree, readings, side, roles, sure)
    _add_trunk(tree, readings, roles, sure)
    if not any(
        role in roles for role in ("hips", "left_upper_leg", "right_upper_leg", "left_upper_arm", "right_upper_arm")
    ):
        roles, sure = {}, {}  # a lone "head" or "hand" says nothing about a body
    if any(reading.quadruped for reading in readings):
        sure = {role: min(value, _QUADRUPED) for role, value in sure.items()}
    for role in list(roles):  # a limb that has no counterpart is doubtful
        if "_" in role and other_side(role) not in roles:
            sure[role] = min(sure[role], WEAK)
    return MappingProxyType(roles), MappingProxyType(sure)


def _chain(tree: Tree, joints: list[int], *, below: int | None = None, above: int | None = None) -> list[int]:
    """Those joints in one line that starts at the first, top down, within the given bounds."""
    line: list[int] = []
    for joint in joints:
        fits = (below is None or tree.is_above(below, joint)) and (above is None or tree.is_above(joint, above))
        if fits and (not line or tree.is_above(line[-1], joint)):
            line.append(joint)
    return line


def _read_leg(tree: Tree, mine: dict[str, list[int]]) -> dict[str, tuple[int, float]]:
    """The leg's roles on one side, from joints by kind (ascending, so ancestors come first)."""
    found: dict[str, tuple[int, float]] = {}
    uppers, hips = mine.get("upper_leg", []), mine.get("hip_side", [])
    lowers, plain = mine.get("lower_leg", []), mine.get("leg", [])
    feet, toes = mine.get("foot", []), mine.get("toes", [])
    anchors = lowers or plain or uppers or hips or feet
    if not anchors:
        return {}
    upper = _last_run(tree, uppers, anchors[0])
    certainty = CERTAIN
    if upper is None and hips:  # several: LHipJoint-like helpers come first, the hip joint is the one nearest the knee
        line = _chain(tree, hips, above=anchors[0]) or ([hips[0]] if anchors == hips else [])
        upper, certainty = (line[-1], USUAL) if line else (None, USUAL)
    plain_line = _chain(tree, plain, below=upper)
    if upper is None and plain_line:
        upper, plain_line, certainty = plain_line[0], plain_line[1:], USUAL if len(plain_line) > 1 else WEAK
    if upper is None and lowers and (helper := _last_run(tree, mine.get("hip_helper", []), lowers[0])) is not None:
        upper, certainty = helper, WEAK
    if upper is not None:
        found["upper_leg"] = (upper, certainty)
    line = _chain(tree, lowers, below=upper)
    if line:
        found["lower_leg"] = (line[0], CERTAIN)
    elif plain_line:
        found["lower_leg"] = (plain_line[0], USUAL)
        plain_line = plain_line[1:]
    above_foot = found["lower_leg"][0] if "lower_leg" in found else upper
    line = _chain(tree, feet, below=above_foot)
    if not line and plain_line and "lower_leg" in found:
        line = _chain(tree, plain_line, below=above_foot)
    if line:
        found["foot"] = (line[0], CERTAIN if line[0] in feet else INFERRED)
        toe_line = _chain(tree, toes, below=line[0])
        if toe_line:
            found["toes"] = (toe_line[0], CERTAIN)
        elif len(line) > 1:
            found["toes"] = (line[1], INFERRED)
    return found


def _read_arm(tree: Tree, mine: dict[str, list[int]]) -> dict[str, tuple[int, float]]:
    """The arm's roles on one side, from joints by kind."""
    found: dict[str, tuple[int, float]] = {}
    collars, shoulders = mine.get("collar", []), mine.get("shoulder", [])
    uppers, plain, lowers = mine.get("upper_arm", []), mine.get("arm", []), mine.get("lower_arm", [])
    anchors = lowers or uppers or plain or shoulders
    if not anchors:
        return {}
    anchor = anchors[0]
    upper, certainty = _last_run(tree, uppers, anchor), CERTAIN
    plain_line = _chain(tree, plain, below=upper)
    if upper is None and plain_line and (not lowers or tree.is_above(plain_line[0], lowers[0])):
        upper, plain_line, certainty = plain_line[0], plain_line[1:], USUAL
    shoulder_line = _chain(
        tree, shoulders, above=upper if upper is not None else anchor if anchor not in shoulders else None
    )
    if upper is None and shoulder_line:
        upper, certainty = shoulder_line[-1], USUAL
        shoulder_line = shoulder_line[:-1]
    if upper is None:
        return {}
    found["upper_arm"] = (upper, certainty)
    collar_line = _chain(tree, collars, above=upper)
    if collar_line:
        found["shoulder"] = (collar_line[0], CERTAIN)
    elif shoulder_line:
        found["shoulder"] = (shoulder_line[0], USUAL)
    line = _chain(tree, lowers, below=upper)
    if line:
        found["lower_arm"] = (line[0], CERTAIN)
    elif plain_line:
        found["lower_arm"], plain_line = (plain_line[0], USUAL), plain_line[1:]
    above_hand = found["lower_arm"][0] if "lower_arm" in found else upper
    for kind, sure in (("wrist", CERTAIN), ("hand", CERTAIN), ("arm", INFERRED), ("palm", WEAK)):
        candidates = mine.get(kind, []) if kind != "arm" else plain_line if "lower_arm" in found else []
        line = _chain(tree, candidates, below=above_hand)
        if line:
            found["hand"] = (line[0], sure)
            break
    return found


def _last_run(tree: Tree, joints: list[int], anchor: int) -> int | None:
    """The first of the joints above `anchor` (or `anchor` itself)."""
    line = [joint for joint in joints if joint == anchor or tree.is_above(joint, anchor)]
    return line[0] if line else None


def _add_unnamed_toes(
    tree: Tree, readings: list[NameReading], side: str, roles: dict[str, int], sure: dict[str, float]
) -> None:
    """A foot's only real child is the toes, whatever its name ("LeftFootThumb1")."""
    foot = roles.get(f"{side}_foot")
    if foot is None or f"{side}_toes" in roles:
        return
    real = [joint for joint in tree.children[foot] if not readings[joint].helper]
    if len(real) == 1 and readings[real[0]].side == side:
        roles[f"{side}_toes"], sure[f"{side}_toes"] = real[0], WEAK


def _add_trunk(tree: Tree, readings: list[NameReading], roles: dict[str, int], sure: dict[str, float]) -> None:
    """Hips, spine, chest, neck and head, by their words and by their place between the limbs."""
    middle: dict[str, list[int]] = {"hips": [], "trunk": [], "neck": [], "head": []}
    for joint, reading in enumerate(readings):
        if not reading.side and reading.kind in middle and not reading.helper:
            middle[reading.kind].append(joint)
    legs = [roles[f"{s}_upper_leg"] for s in ("left", "right") if f"{s}_upper_leg" in roles]
    arms = [roles.get(f"{s}_shoulder", roles.get(f"{s}_upper_arm", -1)) for s in ("left", "right")]
    arms = [joint for joint in arms if joint >= 0]
    head = middle["head"][0] if middle["head"] else None
    upper_body = arms or ([head] if head is not None else middle["neck"][:1])

    shoulder_girdle = tree.meet([int(tree.parents[joint]) for joint in arms]) if len(arms) == 2 else None
    named = middle["hips"][0] if middle["hips"] else None
    carried = [*legs, *upper_body]
    if named is not None and all(joint == named or tree.is_above(named, joint) for joint in carried):
        roles["hips"], sure["hips"] = named, CERTAIN
    elif len(legs) == 2:
        above = [int(tree.parents[joint]) for joint in legs if tree.parents[joint] >= 0] or legs
        meet = tree.meet([*above, *upper_body]) if upper_body else tree.meet(above)
        roles["hips"], sure["hips"] = meet, INFERRED
    elif named is not None:
        roles["hips"], sure["hips"] = named, USUAL
    hips = roles.get("hips")
    if hips is None:
        return

    necks = [joint for joint in middle["neck"] if tree.is_above(hips, joint)]
    trunk = [joint for joint in middle["trunk"] if tree.is_above(hips, joint)]
    top = shoulder_girdle if shoulder_girdle is not None else (trunk[-1] if trunk else None)
    if top is not None and top in necks:  # Biped hangs the collar bones on the neck
        top = int(tree.parents[necks[0]])
    if head is None and top is not None:
        head = _find_unnamed_head(tree, readings, top, [*necks, *trunk], set(arms))
        if head is not None:
            roles["head"], sure["head"] = head, INFERRED
    elif head is not None:
        roles["head"], sure["head"] = head, CERTAIN
    if top is None and head is not None and tree.is_above(hips, head):
        top = int(tree.parents[necks[0] if necks and tree.is_above(necks[0], head) else head])
    if top is None or (top != hips and not tree.is_above(hips, top)):
        return
    path = tree.path(hips, top)[1:]
    path = [
        joint for joint in path if readings[joint].kind != "hips"
    ] or path  # "Pelvis" below "Hips" is still the pelvis
    if path:
        named_path = all(readings[joint].kind == "trunk" for joint in (path[0], path[-1]))
        roles["spine"], roles["chest"] = path[0], path[-1]
        sure["spine"] = sure["chest"] = CERTAIN if named_path else INFERRED
    if head is not None and tree.is_above(top, head):
        between = tree.path(top, head)[1:-1]
        if between:
            roles["neck"], sure["neck"] = between[0], CERTAIN if between[0] in necks else INFERRED
    elif necks:
        roles["neck"], sure["neck"] = necks[0], USUAL
    if head is not None and head in necks and "neck" not in roles:  # one joint carries both
        roles["neck"], sure["neck"], sure["head"] = head, CERTAIN, WEAK


def _find_unnamed_head(
    tree: Tree, readings: list[NameReading], top: int, words: list[int], arms: set[int]
) -> int | None:
    """The last neck or spine joint above the chest: "spine.006", "neck_joint_2"."""
    above = [
        joint for joint in words if tree.is_above(top, joint) and not any(tree.is_above(arm, joint) for arm in arms)
    ]
    return above[-1] if above and not readings[above[-1]].helper else None
