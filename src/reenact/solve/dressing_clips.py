"""A person for any clip: a generated body with the bone lengths of the clip's own skeleton, bound to its joints.

Nothing is retargeted, so the person moves exactly as the skeleton does. The skeleton is put into the pose in which bodies are modelled: how
its joints lie in the body is known as it is for mappings (`solve.retarget_frames`). There its lengths are measured, and a body of those
lengths is made around it.
"""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from reenact.analysis.foot_stance import FootStance, find_stances
from reenact.body.body_plan import BodyGirths, BodyLengths, BodyPlan
from reenact.body.body_weights import BodyJoints, Chain
from reenact.body.character import Character
from reenact.body.humanoid import HumanoidParameters, clothed_character, modelled_pose, plan_of, skeleton_of
from reenact.core import rotations as R
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import SIDES, FootPlants
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.solve.retarget_frames import find_frames
from reenact.solve.retarget_pose import local_rotations
from reenact.solve.standing_pose import standing_pose

_NEEDED = (
    "hips",
    *(
        f"{side}_{part}"
        for side in SIDES
        for part in ("upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand")
    ),
)
_ASIDE = 0.5  # cosine between collar bones and the line of the shoulders
_WAIST = 0.03  # of the size, above the joint of the pelvis: the skin below follows it
_GRAIN = 1 / 2048  # of the size, that lengths are told with: clips of one person share their mesh
_SIGN = {"left": 1.0, "right": -1.0}
_LIMBS = {"arm": ("upper_arm", "lower_arm", "hand"), "leg": ("upper_leg", "lower_leg", "foot")}

_DRESSED: WeakKeyDictionary[Skeleton, dict[HumanoidParameters, Character]] = WeakKeyDictionary()


def can_dress(skeleton: Skeleton) -> bool:
    """Whether enough of a skeleton's joints are known for a person around it."""
    return skeleton.has_roles(*_NEEDED) and (skeleton.has_roles("neck") or skeleton.has_roles("head"))


def dress_clip(clip: Clip, parameters: HumanoidParameters | None = None, plants: FootPlants | None = None) -> Character:
    """A person on the skeleton of a clip.

    Args:
        clip: the motion; how it moves tells how its skeleton is built.
        parameters: girths, clothes, hair and size of the head; lengths and height are the skeleton's.
        plants: foot plants of the clip.

    Raises:
        SkeletonError: too few joints are known.
    """
    parameters = parameters or HumanoidParameters()
    kept = _DRESSED.setdefault(clip.skeleton, {})
    if parameters not in kept:
        kept[parameters] = _Fitting(clip, parameters, plants).character()
    return kept[parameters]


class _Fitting:
    """A clip's skeleton in the pose in which bodies are modelled."""

    def __init__(self, clip: Clip, parameters: HumanoidParameters, plants: FootPlants | None) -> None:
        if not can_dress(clip.skeleton):
            missing = [role for role in _NEEDED if role not in clip.skeleton.roles] or ["neck", "head"]
            raise SkeletonError(f"a person cannot be put on {clip.name!r}: no joint is known for {', '.join(missing)}")
        self.clip, self.parameters = clip, parameters
        self.skeleton, self.roles = clip.skeleton, clip.skeleton.roles
        self.stances = find_stances(clip, plants)
        self.world = self._posed()
        self.size = self._size()
        self.plan = BodyPlan(self._lengths(), self._girths())

    def character(self) -> Character:
        """The person."""
        places, turns = self._bound()
        name = self.clip.name or "person"
        return clothed_character(
            self.plan, self.skeleton, self._joints(places), places, turns, self.parameters.outfit, name
        )

    def _posed(self) -> World:
        """The skeleton standing like a usual person who is modelled, its hip joints in the middle."""
        usual = plan_of(HumanoidParameters())
        skeleton = skeleton_of(usual)
        places, turns = modelled_pose(usual, skeleton)
        local = turns.copy()
        local[1:] = R.multiply(R.conjugate(turns[skeleton.parents[1:]]), turns[1:])
        person = Clip(skeleton, local[None].astype(np.float32), places[None, 0].astype(np.float32), 30.0)
        keys = [role for role in self.roles if role in skeleton.roles]
        if not self._collars_lie():
            keys = [role for role in keys if not role.endswith("shoulder")]
        joints = {role: self.roles[role] for role in keys}, {role: skeleton.roles[role] for role in keys}
        frames, others = find_frames((self.clip, person), joints, (self.stances, find_stances(person)), still=True)
        turned = {
            self.roles[role]: R.multiply(
                turns[skeleton.roles[role]], R.multiply(others[role], R.conjugate(frames[role]))
            )[None]
            for role in keys
        }
        local = local_rotations(self.clip, turned).astype(np.float32)
        moved = self.clip.translations
        posed = replace(
            self.clip,
            rotations=local,
            root=np.zeros((1, 3), np.float32),
            translations=None if moved is None else moved[:1],
        )
        return posed.world(np.float64)

    def _collars_lie(self) -> bool:
        """Whether collar bones lie in the rest pose as they do in people; else they are taken as they lie in the mean."""
        pose = standing_pose(self.clip)
        if pose is None:
            return False
        places = pose.world(np.float64).positions[0]
        for side in SIDES:
            if f"{side}_shoulder" in self.roles:
                way = places[self.roles[f"{side}_upper_arm"]] - places[self.roles[f"{side}_shoulder"]]
                if abs(way[0]) < _ASIDE * float(np.linalg.norm(way)):
                    return False
        return True

    def _at(self, role: str) -> Float64:
        return self.world.positions[0, self.roles[role]]

    def _way(self, near: str, far: str) -> float:
        """Metres between two joints of a limb, the mean of both sides."""
        return float(np.mean([np.linalg.norm(self._at(f"{s}_{far}") - self._at(f"{s}_{near}")) for s in SIDES]))

    def _middle(self, part: str) -> Float64:
        return 0.5 * (self._at(f"left_{part}") + self._at(f"right_{part}"))

    def _size(self) -> float:
        """Metres, the height of a usual person of such legs, arms and trunk: the middle one of the three."""
        usual = BodyLengths()
        legs = (self._way("upper_leg", "lower_leg") + self._way("lower_leg", "foot")) / (usual.thigh + usual.shank)
        arms = (self._way("upper_arm", "lower_arm") + self._way("lower_arm", "hand")) / (
            usual.upper_arm + usual.forearm
        )
        trunk = float(np.linalg.norm(self._middle("upper_arm") - self._middle("upper_leg"))) / usual.shoulder[0]
        return float(f"{np.median([legs, arms, trunk]):.3g}")

    def _lengths(self) -> BodyLengths:
        size, usual = self.size, BodyLengths().scaled(self.size)
        hips, pelvis, shoulder = self._middle("upper_leg"), self._at("hips"), self._middle("upper_arm")
        # skeletons put the joint of the neck anywhere between the shoulders and the skull
        neck = np.array([0.0, shoulder[1] - pelvis[1] + 0.032 * size, shoulder[2] - pelvis[2]])
        top = self._at("head" if "head" in self.roles else "neck") - pelvis
        rise = float(np.clip(top[1] - neck[1], 0.045 * size, 0.085 * size))
        ankle, ball, ball_height = self._foot(usual)
        foot = ball / usual.ball

        def across(part: str) -> float:
            return 0.5 * abs(float(self._at(f"left_{part}")[0] - self._at(f"right_{part}")[0]))

        found = BodyLengths(
            ankle=ankle,
            shank=self._way("lower_leg", "foot"),
            thigh=self._way("upper_leg", "lower_leg"),
            hip_half=max(across("upper_leg"), 0.03 * size),
            hips=(pelvis[1] - hips[1], pelvis[2] - hips[2]),
            neck=(neck[1], neck[2]),
            head=(rise, float(np.clip(top[2] - neck[2], -0.005 * size, 0.025 * size))),
            crown=usual.crown * self.parameters.head,
            shoulder=(shoulder[1] - pelvis[1], shoulder[2] - pelvis[2]),
            shoulder_half=max(across("upper_arm"), 0.06 * size),
            upper_arm=self._way("upper_arm", "lower_arm"),
            forearm=self._way("lower_arm", "hand"),
            hand=usual.hand * self.parameters.hand,
            heel=usual.heel * foot,
            ball=ball,
            toe=usual.toe * foot,
            ball_height=ball_height,
        )
        return found.rounded(_GRAIN * size)

    def _foot(self, usual: BodyLengths) -> tuple[float, float, float]:
        """Height of the ankle, the way ahead to the ball and the height of the ball above the sole; metres."""
        known = [one for one in self.stances.values() if not one.single]
        if not known:
            return usual.ankle, usual.ball, usual.ball_height

        def ahead(stance: FootStance) -> float:
            return float(np.linalg.norm(stance.ball - (stance.ball @ stance.up) * stance.up))

        under = float(np.mean([np.clip(one.level, 0.0, 0.02 * self.size) for one in known]))
        ankle = float(np.mean([-(one.ball @ one.up) for one in known])) + under
        ball = float(np.mean([ahead(one) for one in known]))
        return (
            float(np.clip(ankle, 0.025 * self.size, 0.075 * self.size)),
            float(np.clip(ball, 0.05 * self.size, 0.11 * self.size)),
            max(under, 0.005 * self.size),
        )

    def _girths(self) -> BodyGirths:
        asked = plan_of(replace(self.parameters, height=1.0)).girths
        return replace(asked, size=self.size)

    def _bound(self) -> tuple[Float64, Float64]:
        """Where all joints are while the body is modelled, and how they are turned: limbs straight, the trunk as it is."""
        points, skeleton = self.plan.points, self.skeleton
        hips = self._middle("upper_leg")
        shift = points["upper_leg"] * (0, 1, 1) - hips
        own, turned = self.world.positions[0] + shift, self.world.rotations[0]
        places, turns = own.copy(), turned.copy()
        fixed: dict[int, tuple[Float, Float | None]] = {}
        for side, sign in _SIGN.items():
            mirror = np.array([sign, 1.0, 1.0])
            for parts in _LIMBS.values():
                joints = [self.roles[f"{side}_{part}"] for part in parts]
                for joint, part, after in zip(joints, parts, [*joints[1:], -1], strict=True):
                    place = points[part] * mirror
                    if after < 0:
                        fixed[joint] = (place, None)
                        continue
                    along = (self.plan.arm if parts == _LIMBS["arm"] else self.plan.leg) * mirror
                    fixed[joint] = (place, _shortest(own[after] - own[joint], along))
            if f"{side}_toes" in self.roles:
                foot, toes = self.roles[f"{side}_foot"], self.roles[f"{side}_toes"]
                ahead = (own[toes] - own[foot]) * (1.0, 0.0, 1.0)
                fixed[foot] = (fixed[foot][0], _shortest(ahead, np.array([0.0, 0.0, 1.0])))
        extra = np.tile(R.identity(), (len(skeleton), 1))
        for joint in range(len(skeleton)):
            parent = int(skeleton.parents[joint])
            if joint in fixed:
                places[joint], turn = fixed[joint]
                extra[joint] = R.identity() if turn is None else turn
            elif parent >= 0:
                extra[joint] = extra[parent]
                places[joint] = places[parent] + R.rotate(extra[parent], own[joint] - own[parent])
            turns[joint] = R.multiply(extra[joint], turned[joint])
        return places, turns

    def _joints(self, places: Float64) -> BodyJoints:
        """Which joints move what; those in between belong to the part they lie in."""
        roles, own = self.roles, self.plan.lengths
        pelvis = roles["hips"]
        top = roles.get("neck", roles.get("head", pelvis))
        spine = [joint for joint in reversed(self.skeleton.ancestors(top)) if joint > pelvis and joint != top]
        low = float(places[pelvis, 1])  # a spine that begins there bends above
        bends = [(joint, max(float(places[joint, 1]), low + _WAIST * self.size)) for joint in spine]
        trunk = [(pelvis, low), *_ascending(bends)]
        head = roles.get("head", top)
        above = [joint for joint in reversed(self.skeleton.ancestors(head)) if joint >= top and joint != head]
        base = float(self.plan.points["neck"][1])
        neck = _ascending([(joint, max(float(places[joint, 1]), base)) for joint in above])
        far = {"arm": (own.upper_arm, own.forearm), "leg": (own.thigh, own.shank)}

        def limb(side: str, name: str) -> Chain:
            near, middle, end = (roles[f"{side}_{part}"] for part in _LIMBS[name])
            first, second = far[name]
            known = {near: 0.0, middle: first, end: first + second}
            chain = [joint for joint in reversed(self.skeleton.ancestors(end)) if joint >= near]
            return _ascending([(j, known.get(j, float(np.linalg.norm(places[j] - places[near])))) for j in chain])

        return BodyJoints(
            trunk=trunk,
            neck=neck,
            head=head,
            arms={side: limb(side, "arm") for side in SIDES},
            legs={side: limb(side, "leg") for side in SIDES},
            shoulders={side: roles[f"{side}_shoulder"] for side in SIDES if f"{side}_shoulder" in roles},
            toes={side: roles[f"{side}_toes"] for side in SIDES if f"{side}_toes" in roles},
        )


def _ascending(chain: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """A chain without joints that begin where the next one does: those have no length to bend."""
    kept: list[tuple[int, float]] = []
    for joint, place in chain:
        while kept and place - kept[-1][1] < 1e-3:
            place = kept.pop()[1]
        kept.append((joint, float(place)))
    return kept


def _shortest(way: Float, wanted: Float) -> Float:
    """(4,) the shortest turn of a way to a direction."""
    length = float(np.linalg.norm(way))
    return R.identity() if length < 1e-9 else R.between(way / length, wanted)
