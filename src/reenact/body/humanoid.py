"""A generated person: one closed skin over the joints of the sample skeleton, in simple clothes, of any height, girth and proportion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from reenact.body.body_plan import ARM_ANGLE, BodyGirths, BodyLengths, BodyPlan
from reenact.body.body_shape import BodyShape
from reenact.body.body_weights import BodyJoints, skin_weights
from reenact.body.character import Character, rigid_inverse
from reenact.body.clothes import dress_mesh, outfit
from reenact.body.mesh_normals import vertex_normals
from reenact.body.polygonising import polygonise
from reenact.core import rotations
from reenact.core.arrays import Float64
from reenact.core.parameters import check_ranges, option
from reenact.core.skeleton import Skeleton

Preset = Literal["adult", "man", "woman", "teenager", "child", "toddler", "heavy", "slim", "athlete", "giant", "chibi"]
Hair = Literal["preset", "short", "long", "none"]

CELL = 0.0086
"""Edge of the largest cells that the skin is made of, in body heights."""

_SIDES = (("left", 1.0), ("right", -1.0))


def _length(help: str) -> Any:
    return option(1.0, help, low=0.4, high=2.5)


def _girth(help: str) -> Any:
    return option(1.0, help, low=0.5, high=2.2)


@dataclass(frozen=True, slots=True)
class HumanoidParameters:
    """What a generated person looks like. Lengths and girths of segments multiply those of the preset."""

    preset: Preset = option("adult", "whose proportions, height and hair to start from")
    height: float | None = option(
        None, "from the soles to the crown; default: the preset's", unit="m", low=0.3, high=6.0
    )
    girth: float = option(1.0, "of trunk, arms and legs; 1.2: a fifth more around", low=0.5, high=2.0)
    outfit: int = option(0, "number of the colours of clothes, skin and hair", low=0, high=1_000_000)
    hair: Hair = option("preset", "the preset's, short, long or none")
    head: float = _length("size of the head")
    neck: float = _length("length of the neck")
    trunk: float = _length("length of the trunk")
    shoulders: float = _length("breadth of the shoulders")
    hips: float = _length("breadth of the hips")
    upper_arm: float = _length("length of the upper arms")
    forearm: float = _length("length of the forearms")
    hand: float = _length("size of the hands")
    thigh: float = _length("length of the thighs")
    shank: float = _length("length of the shanks")
    foot: float = _length("size of the feet")
    neck_girth: float = _girth("around the neck")
    chest_girth: float = _girth("around the chest")
    waist_girth: float = _girth("around the waist")
    hip_girth: float = _girth("around the hips")
    upper_arm_girth: float = _girth("around the upper arms")
    forearm_girth: float = _girth("around the forearms")
    thigh_girth: float = _girth("around the thighs")
    shank_girth: float = _girth("around the shanks")
    bust: float | None = option(None, "how much of a bust, 0 to 1; default: the preset's", low=0.0, high=1.0)

    def __post_init__(self) -> None:
        check_ranges(self)


_GIRTHS = {
    "neck_girth": "neck", "chest_girth": "chest", "waist_girth": "waist", "hip_girth": "hips", "upper_arm_girth": "upper_arm",
    "forearm_girth": "forearm", "thigh_girth": "thigh", "shank_girth": "shank",
}  # fmt: skip
_SIZES = ("head", "hand", "foot")  # parts that become thicker as they become longer
_MULTIPLES = tuple(
    one.name for one in fields(HumanoidParameters) if one.name not in ("preset", "height", "outfit", "hair", "bust")
)

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "adult": {"height": 1.75},
    "man": {"height": 1.80, "shoulders": 1.04, "chest_girth": 1.03, "neck_girth": 1.04},
    "woman": {
        "height": 1.67, "shoulders": 0.89, "hips": 1.06, "head": 1.02, "hand": 0.94, "foot": 0.94, "neck_girth": 0.82,
        "chest_girth": 0.92, "waist_girth": 0.88, "hip_girth": 1.04, "upper_arm_girth": 0.84, "forearm_girth": 0.86,
        "thigh_girth": 1.02, "shank_girth": 0.94, "bust": 0.8, "hair": "long",
    },
    "teenager": {"height": 1.58, "head": 1.10, "shoulders": 0.94, "girth": 0.90, "foot": 1.04, "hand": 1.02},
    "child": {
        "height": 1.20, "head": 1.42, "neck": 0.85, "shoulders": 0.92, "girth": 0.98, "waist_girth": 1.06, "thigh": 0.94,
        "shank": 0.93, "upper_arm": 0.95, "forearm": 0.96, "hand": 1.02, "foot": 1.05, "neck_girth": 0.95,
    },
    "toddler": {
        "height": 0.88, "head": 1.85, "neck": 0.6, "shoulders": 0.92, "girth": 1.12, "waist_girth": 1.12, "thigh": 0.80,
        "shank": 0.78, "upper_arm": 0.88, "forearm": 0.90, "hand": 1.05, "foot": 1.08, "neck_girth": 0.9,
    },
    "heavy": {
        "height": 1.76, "girth": 1.16, "waist_girth": 1.26, "hip_girth": 1.10, "chest_girth": 1.10, "neck_girth": 1.08,
        "shank_girth": 0.96, "forearm_girth": 0.95, "hips": 1.04,
    },
    "slim": {"height": 1.80, "girth": 0.86, "head": 0.97},
    "athlete": {
        "height": 1.84, "shoulders": 1.08, "chest_girth": 1.12, "waist_girth": 0.98, "upper_arm_girth": 1.18, "forearm_girth": 1.10,
        "thigh_girth": 1.10, "shank_girth": 1.06, "neck_girth": 1.14, "head": 0.95,
    },
    "giant": {
        "height": 2.60, "head": 0.76, "shoulders": 1.16, "girth": 1.08, "chest_girth": 1.12, "upper_arm": 1.06, "forearm": 1.10,
        "hand": 1.16, "foot": 1.12, "neck_girth": 1.10, "forearm_girth": 1.1,
    },
    "chibi": {
        "height": 1.10, "head": 2.5, "neck": 0.4, "trunk": 0.85, "thigh": 0.6, "shank": 0.6, "upper_arm": 0.75, "forearm": 0.75,
        "hand": 1.15, "foot": 1.2, "girth": 1.1, "shoulders": 0.9,
    },
}  # fmt: skip
"""What each preset differs in from an adult of usual proportions."""


def humanoid(parameters: HumanoidParameters | None = None, **options: Any) -> Character:
    """A person: mesh, skin, materials and skeleton, made by code alone; the same parameters give the same person.

        reenact.humanoid(height=1.8, girth=1.2)

    Args:
        parameters: what they look like.
        **options: fields of `HumanoidParameters`, instead of them or in their place.

    The skeleton has the joints and the rest pose of the sample skeleton (`samples.sample_skeleton`), so motions of the samples fit as
    they are. The height is kept whatever the proportions: longer thighs make the rest shorter.
    """
    parameters = replace(parameters or HumanoidParameters(), **options)
    name = parameters.preset if parameters.preset != "adult" else "person"
    plan = plan_of(parameters)
    skeleton = skeleton_of(plan)
    joints = _body_joints(plan, skeleton)
    return clothed_character(plan, skeleton, joints, *modelled_pose(plan, skeleton), parameters.outfit, name)


def plan_of(parameters: HumanoidParameters) -> BodyPlan:
    """Lengths and girths of a person of these parameters."""
    preset = PRESETS[parameters.preset]
    many: dict[str, float] = {name: getattr(parameters, name) * preset.get(name, 1.0) for name in _MULTIPLES}
    height = float(preset["height"] if parameters.height is None else parameters.height)
    bust = preset.get("bust", 0.0) if parameters.bust is None else parameters.bust
    hair = preset.get("hair", "short") if parameters.hair == "preset" else parameters.hair
    lengths = BodyLengths().times(
        shank=many["shank"],
        thigh=many["thigh"],
        hip_half=many["hips"],
        shoulder_half=many["shoulders"],
        upper_arm=many["upper_arm"],
        forearm=many["forearm"],
        hand=many["hand"],
        crown=many["head"],
        ankle=many["foot"],
        heel=many["foot"],
        ball=many["foot"],
        toe=many["foot"],
        ball_height=many["foot"],
    )
    usual = BodyLengths()
    chin = 0.04 / 0.09 * (lengths.crown - usual.crown)  # a larger head stands on the same neck
    lengths = replace(
        lengths,
        neck=(usual.neck[0] * many["trunk"], usual.neck[1]),
        shoulder=(usual.shoulder[0] * many["trunk"], usual.shoulder[1]),
        head=(usual.head[0] + chin + 0.02 * (many["neck"] - 1), usual.head[1]),
    )
    factor = height / lengths.height
    lengths = lengths.scaled(factor)
    sizes = {name: many[name] for name in _SIZES}
    girths = {part: many[name] * many["girth"] for name, part in _GIRTHS.items()}
    girths["neck"] = many["neck_girth"] * many["girth"] ** 0.5
    return BodyPlan(lengths, BodyGirths(size=factor, bust=bust, hair=hair, **{**sizes, "head": 1.0}, **girths))


@lru_cache(maxsize=8)
def _mesh(plan: BodyPlan) -> tuple[Float64, np.ndarray, np.ndarray, BodyShape]:
    shape = BodyShape(plan)
    points, size = plan.points, max(plan.lengths.height, 0.6 * plan.girths.size)
    room = 0.12 * size
    reach = max(points["fingers"][0], points["toe_tip"][0]) + room
    deep = 0.16 * plan.girths.size * max(plan.girths.waist, plan.girths.chest, plan.girths.hips) + room
    deep = max(deep, points["toe_tip"][2] + room, 1.1 * shape.head_unit * 0.12 + room)
    low, high = np.array([-reach, -0.04 * size, -deep]), np.array([reach, points["crown"][1] + room, deep])
    cell = CELL * size * max(1.0, plan.girths.mean) ** 0.5
    vertices, faces = polygonise(shape, low, high, cell, shape.is_fine)
    vertices[vertices[:, 1] < 0.25 * cell, 1] = 0.0  # soles are flat to their edges
    return (*dress_mesh(shape, vertices, faces), shape)


def clothed_character(
    plan: BodyPlan, skeleton: Skeleton, joints: BodyJoints, places: Float64, turns: Float64, colours: int, name: str
) -> Character:
    """A body of a plan bound to the joints of any skeleton.

    Args:
        plan: the body.
        skeleton: its joints.
        joints: which of them move what.
        places: (J, 3) metres, where the joints are while the body is modelled.
        turns: (J, 4) their world rotations then.
        colours: number of the outfit.
        name: of the person.
    """
    vertices, faces, made, shape = _mesh(plan)
    weight_joints, weights = skin_weights(shape, joints, len(skeleton), vertices, faces)
    return Character(
        skeleton=skeleton,
        vertices=vertices.astype(np.float32),
        faces=faces,
        weight_joints=weight_joints,
        weights=weights,
        inverse_binds=rigid_inverse(places, turns),
        normals=vertex_normals(vertices, faces),
        name=name,
        materials=outfit(colours),
        face_materials=made,
    )


_SPINE = (("Spine", 0.060 / 0.320), ("Spine1", 0.130 / 0.320), ("Spine2", 0.205 / 0.320), ("Neck", 1.0))
_ROLES = {
    "Hips": "hips", "Spine": "spine", "Spine2": "chest", "Neck": "neck", "Head": "head", "Shoulder": "shoulder", "Arm": "upper_arm",
    "ForeArm": "lower_arm", "Hand": "hand", "UpLeg": "upper_leg", "Leg": "lower_leg", "Foot": "foot", "ToeBase": "toes",
}  # fmt: skip


def skeleton_of(plan: BodyPlan) -> Skeleton:
    """Joints as in the sample skeleton: arms level, legs straight down, all rest rotations the identity."""
    own = plan.lengths
    rise, back = own.neck
    rows: list[tuple[str, str, tuple[float, float, float]]] = [
        ("Hips", "", (0.0, own.ankle + own.shank + own.thigh + own.hips[0], own.hips[1]))
    ]
    before, above = 0.0, "Hips"
    for name, share in _SPINE:
        rows.append((name, above, (0.0, (share - before) * rise, (share - before) * back)))
        before, above = share, name
    rows.append(("Head", "Neck", (0.0, *own.head)))
    chest = _SPINE[2][1]
    collar = (
        0.165 * own.shoulder_half,
        own.shoulder[0] - chest * rise,
        own.shoulder[1] - chest * back + 0.03 * own.shoulder_half,
    )
    shoulder = (own.shoulder_half - collar[0], 0.0, -0.03 * own.shoulder_half)
    limbs = (
        (
            ("Shoulder", "Spine2", collar), ("Arm", "Shoulder", shoulder), ("ForeArm", "Arm", (own.upper_arm, 0.0, 0.0)),
            ("Hand", "ForeArm", (own.forearm, 0.0, 0.0)),
        ),
        (
            ("UpLeg", "Hips", (own.hip_half, -own.hips[0], -own.hips[1])), ("Leg", "UpLeg", (0.0, -own.thigh, 0.0)),
            ("Foot", "Leg", (0.0, -own.shank, 0.0)), ("ToeBase", "Foot", (0.0, own.ball_height - own.ankle, own.ball)),
        ),
    )  # fmt: skip
    for limb in limbs:
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            named = {row[0] for row in limb}
            for name, parent, (x, y, z) in limb:
                rows.append((side + name, side + parent if parent in named else parent, (sign * x, y, z)))
    names = [row[0] for row in rows]
    ends = [("Head", (0.0, own.crown, 0.0))]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        ends.append((f"{side}Hand", (sign * own.hand, 0.0, 0.0)))
        ends.append((f"{side}Foot", (0.0, -own.ankle, -own.heel)))
        ends.append((f"{side}ToeBase", (0.0, 0.004 * plan.girths.unit - own.ball_height, own.toe - own.ball)))
    return Skeleton(
        tuple(names),
        np.array([names.index(row[1]) if row[1] else -1 for row in rows]),
        np.array([row[2] for row in rows]),
        end_joints=np.array([names.index(name) for name, _ in ends]),
        end_offsets=np.array([offset for _, offset in ends]),
        roles={role: joint for joint, name in enumerate(names) if (role := _role(name))},
    )


def _role(name: str) -> str:
    for side in ("Left", "Right"):
        if name.startswith(side):
            return f"{side.lower()}_{_ROLES[name[len(side) :]]}"
    return _ROLES.get(name, "")


def modelled_pose(plan: BodyPlan, skeleton: Skeleton) -> tuple[Float64, Float64]:
    """World positions (J, 3) and rotations (J, 4) of the joints while the body is modelled."""
    turns = np.tile(rotations.identity(), (len(skeleton), 1))
    for side, sign in _SIDES:
        swing = rotations.exp(np.array([0.0, 0.0, -sign * ARM_ANGLE]))
        for part in ("upper_arm", "lower_arm", "hand"):
            turns[skeleton.roles[f"{side}_{part}"]] = swing
        swing = rotations.exp(np.array([0.0, 0.0, sign * plan.leg_angle]))
        for part in ("upper_leg", "lower_leg"):
            turns[skeleton.roles[f"{side}_{part}"]] = swing
    places = skeleton.offsets.copy()
    places[0] = plan.points["hips"]
    for joint in range(1, len(skeleton)):
        parent = int(skeleton.parents[joint])
        places[joint] = places[parent] + rotations.rotate(turns[parent], skeleton.offsets[joint])
    return places, np.asarray(turns, np.float64)


def _body_joints(plan: BodyPlan, skeleton: Skeleton) -> BodyJoints:
    roles = skeleton.roles
    low, rise = plan.points["hips"][1], plan.lengths.neck[0]
    own = plan.lengths
    arm, leg = (0.0, own.upper_arm, own.upper_arm + own.forearm), (0.0, own.thigh, own.thigh + own.shank)
    spine = [(skeleton.joint("Hips"), low)] + [(skeleton.joint(name), low + share * rise) for name, share in _SPINE]

    def limb(side: str, parts: tuple[str, ...], places: tuple[float, ...]) -> list[tuple[int, float]]:
        return [(roles[f"{side}_{part}"], place) for part, place in zip(parts, places, strict=True)]

    return BodyJoints(
        trunk=spine[:-1],
        neck=spine[-1:],
        head=roles["head"],
        arms={side: limb(side, ("upper_arm", "lower_arm", "hand"), arm) for side, _ in _SIDES},
        legs={side: limb(side, ("upper_leg", "lower_leg", "foot"), leg) for side, _ in _SIDES},
        shoulders={side: roles[f"{side}_shoulder"] for side, _ in _SIDES},
        toes={side: roles[f"{side}_toes"] for side, _ in _SIDES},
    )
