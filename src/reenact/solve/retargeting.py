"""A motion retargeted: any humanoid motion on any humanoid character, standing on its own soles, resting on its own skin.

The steps: which joints belong together (`core.correspondence`, or a mapping given by hand); every part of the body turned as the source's
is (`solve.skeleton_map`); feet planted by the soles of the target (`retarget_feet`); a body that lies, kneels or rolls brought to rest on
the floor (`resting`); hands kept on what they are on (`hand_places`).
"""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from reenact.analysis.foot_stance import FootStance, find_stances
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.correspondence import match_joints
from reenact.core.cutting import leg_length
from reenact.core.foot_plants import FootPlants
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.formats.mapping_json import Mapping
from reenact.solve.arms_inside import arms_inside
from reenact.solve.body_parts import thick_lines
from reenact.solve.flesh import Flesh, flesh_of_character, flesh_of_people
from reenact.solve.hand_places import Hands, Stage, hands_on_floor, keep_hands
from reenact.solve.held_feet import let_go
from reenact.solve.joint_pairs import describe_pairs, match_given, roles_of
from reenact.solve.loose_feet import hang_clip, hang_feet, let_feet_loose
from reenact.solve.planted_points import measure_slips
from reenact.solve.resting import raise_body, rest_on_floor
from reenact.solve.retarget_toes import clear_floor
from reenact.solve.retarget_wrists import bend_wrists
from reenact.solve.skeleton_map import REQUIRED, map_onto_body, size_ratio
from reenact.solve.standing_pose import standing_pose
from reenact.solve.target_body import TargetBody, body_of_character, body_of_skeleton

_STAYS = 0.001  # metres a planted ankle may be moved while its body is raised
_BALL = 0.02  # of the leg, about, that the joint of the toes lies above the floor


@dataclass(frozen=True, slots=True, eq=False)
class Retargeted:
    """A motion on another body.

    Attributes:
        clip: the motion, on the skeleton of the character.
        plants: its foot plants, those that are held.
        mapping: which joints belong together.
        report: plain values.
    """

    clip: Clip
    plants: FootPlants | None
    mapping: Mapping
    report: dict[str, Any]


def retarget_motion(
    clip: Clip,
    body: TargetBody,
    plants: FootPlants | None = None,
    *,
    floor: bool = True,
    hands: Hands = "auto",
    given: Mapping | None = None,
    partners: tuple[Clip, Clip] | None = None,
) -> Retargeted:
    """The motion of `clip` on a character.

    Args:
        clip: the motion.
        body: of the character, see `body_of_character`.
        plants: foot plants of `clip`; without them feet are not held.
        floor: let the body rest on the floor, and keep it out of it.
        hands: what hands are kept on.
        given: which joints belong together; default: found out.
        partners: the other person of a take of two, as recorded, and as he is beside the result.

    Raises:
        SkeletonError: joints that are needed are not known; it says which, and on whom.
    """
    clip, body = _with_roles(clip, body, given)
    source = with_feet(clip)
    _require(source.skeleton, source.name or "the motion")
    if body.character is not None and len(body.character.vertices) and len(body.clip.skeleton) == 1:
        raise SkeletonError(
            f"{body.name or 'the character'} has no skeleton: `reenact rig FILE -o rigged.glb` gives a mesh of a person one"
        )
    _require(body.clip.skeleton, body.name or "the character")
    skeletons = source.skeleton, body.clip.skeleton
    found = match_joints(*skeletons) if given is None else match_given(given, *skeletons)
    world = source.world(np.float64)
    stances = find_stances(source, plants, world)
    made, plants = map_onto_body(source, body, plants, found, world=world, stances=stances)
    scale, leg = size_ratio(source, body.clip), reach_of(source)
    level = floor_under(source, stances, leg)
    own_leg = scale * leg
    flesh = flesh_of_people(source.skeleton, leg)
    skin = flesh_of_body(body, own_leg)
    report: dict[str, Any] = {"scale": round(scale, 4)}
    if not (set(stances) & set(body.stances)):
        made = _stand_without_feet(made, skin, source, flesh, scale, level)
    here = made.world(np.float64)
    if floor:
        lift = rest_on_floor(made, skin, source, flesh, scale, (level, 0.0), leg, (here, world))
        raised = raise_body(made, lift, plants, body.feet, here)
        if raised is not made:
            before, here = here, raised.world(np.float64)
            plants = None if plants is None else let_go(plants, _moved_feet(before, here, body))
        report["raised_mm"] = round(1000 * float(np.abs(lift).max(initial=0.0)), 1)
        leaning = hands_on_floor(Stage(source, world, flesh, level, leg))
        made = bend_wrists(raised, skin, body.clip, leaning, here)
        here = here if made is raised else made.world(np.float64)
    if hands != "off":
        stages = Stage(source, world, flesh, level, leg), Stage(made, here, skin, 0.0, own_leg)
        made, led = keep_hands(*stages, hands, _partner_stages(partners))
        report["hands_led"] = led
    if floor:
        made = clear_floor(made, skin, body.feet, plants, here)
    after = made.world(np.float64)
    lines = thick_lines(source.skeleton, world, flesh), thick_lines(made.skeleton, after, skin)
    report["arms_inside_percent"] = arms_inside(*lines, (leg, own_leg))
    told = describe_pairs(skeletons, found, (clip.name, body.name))
    report |= {
        "by_role": len(found.by_role),
        "by_name": len(found.by_name),
        "joints": len(body.clip.skeleton),
        "sure": round(float(np.mean([pair.sure for pair in told.pairs if pair.role])), 3),
        "unsure": [
            f"{pair.role}: {pair.source} > {pair.target}" for pair in told.pairs if pair.role and pair.sure < 0.8
        ],
        "without_partner": list(told.free_target),
    }
    if plants is not None:
        slips = measure_slips(made, plants, feet=body.feet, world=after)
        report["slip_mm"] = max((slip["slip_mm"] for slip in slips), default=0.0)
    if body.hung is not None:
        made = let_feet_loose(made.with_plants(plants), body.hung)
    return Retargeted(made.with_plants(plants), plants, told, report)


def flesh_of_body(body: TargetBody, leg: float) -> Flesh:
    """The flesh around a body: its skin, else as people have it."""
    if body.character is None:
        return flesh_of_people(body.clip.skeleton, leg)
    return _skin_of(body.character, round(leg, 9))


_skin_of = lru_cache(maxsize=4)(flesh_of_character)  # of the same few characters, again and again


def reach_of(clip: Clip) -> float:
    """Metres, the length of the legs, or what stands for it on a body without feet."""
    if clip.skeleton.has_roles("left_upper_leg", "left_foot"):
        return leg_length(clip)
    shin = clip.skeleton.roles["left_lower_leg"]
    return 2.0 * float(np.linalg.norm(clip.skeleton.offsets[shin]))


def floor_under(clip: Clip, stances: MappingOf[str, FootStance], leg: float) -> float:
    """Metres, the height of the floor under a motion."""
    if stances:
        return float(np.mean([stance.level for stance in stances.values()])) - _BALL * leg
    return float(np.percentile(clip.world(np.float64).positions[..., 1].min(axis=1), 5.0))


def _with_roles(clip: Clip, body: TargetBody, given: Mapping | None) -> tuple[Clip, TargetBody]:
    """Source and target with the roles that a mapping gives them."""
    if given is None:
        return clip, body
    skeleton = body.clip.skeleton
    roles = roles_of(given, clip.skeleton, skeleton)
    if body.hung is not None:
        body = replace(body, clip=body.clip.with_skeleton(skeleton.with_roles(roles[1])))
    elif body.character is not None:
        body = body_of_character(replace(body.character, skeleton=skeleton), roles[1])
    else:
        body = body_of_skeleton(body.clip.with_skeleton(skeleton.with_roles(roles[1])))
    return clip.with_skeleton(clip.skeleton.with_roles(roles[0])), body


def with_feet(clip: Clip) -> Clip:
    """The motion with its feet hung on its legs, where its rig has them loose; else as it is."""
    if clip.skeleton.has_roles("left_foot", "right_foot"):
        return clip
    pose = standing_pose(clip)
    hung = None if pose is None else hang_feet(clip.skeleton, pose.world(np.float64))
    return clip if hung is None else hang_clip(clip, hung)


def _moved_feet(before: World, after: World, body: TargetBody) -> dict[str, Bool]:
    """Side -> (F,) frames in which an ankle is not where it was."""
    return {
        foot.side: np.linalg.norm(after.positions[:, foot.leg.end] - before.positions[:, foot.leg.end], axis=1) > _STAYS
        for foot in body.feet
    }


def _require(skeleton: Skeleton, whose: str) -> None:
    missing = [role for role in REQUIRED if role not in skeleton.roles]
    if not missing:
        return
    if not skeleton.roles:
        what = f"is no body that a motion could be brought onto: none of its {len(skeleton)} joints is known as a part of one"
    else:
        what = f"has no joint known for {', '.join(missing)} (known are {', '.join(skeleton.roles)})"
    raise SkeletonError(f"{whose} {what}; joints with names that say nothing can be told by a mapping file (--mapping)")


def _stand_without_feet(made: Clip, skin: Flesh, source: Clip, flesh: Flesh, scale: float, level: float) -> Clip:
    """A body without feet, as high above the floor with its lowest skin as the source was with its own."""
    own = skin.lowest(made.world(np.float64), tuple(skin.points))
    theirs = flesh.lowest(source.world(np.float64), tuple(flesh.points)) - level
    higher = float(np.median(scale * theirs - own))
    root: Float = made.root + np.array([0.0, higher, 0.0])
    return replace(made, root=root.astype(np.float32))


def _partner_stages(partners: tuple[Clip, Clip] | None) -> tuple[Stage, Stage] | None:
    if partners is None:
        return None
    stages = []
    for one in partners:
        leg = reach_of(one)
        stages.append(Stage(one, one.world(np.float64), flesh_of_people(one.skeleton, leg), 0.0, leg))
    return stages[0], stages[1]
