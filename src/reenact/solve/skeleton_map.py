"""A motion brought onto another skeleton: other names, other rest pose, joints missing or added.

Every part of the body keeps its direction in the world. For each pair of joints that belong together (`core.correspondence`) a frame of
the body is found in the joint's own axes: along the bone, and across it (the axis a limb bends about, the line of the hips or of the
shoulders, the sole of the foot). Where both rest poses stand upright with their limbs alike, these tell the frames. Many say little
(all bones in one line); then the frames come from how both skeletons move. Either way the turn from one joint's axes to the other's is
constant, and the mapped motion is as smooth as its source. Joints in between share the bend, joints without a partner keep their mean
pose. The way of the hips is scaled by leg length, the body is set on the floor, and planted feet are held where they stand.

This is a mapping by bone directions: bodies of other proportions reach other places with their hands, and nothing here sees a mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.correspondence import match_joints
from reenact.core.cutting import cut_frames, leg_length
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.feet import Foot, find_feet, track_foot
from reenact.solve.holding import hold_track
from reenact.solve.limb import check_limb, find_hinge, limb_of
from reenact.solve.result_quality import measure_slips
from reenact.solve.stances import HoldParameters
from reenact.solve.steering import FootGoal, steer_feet

_LOOKED_AT = 400  # frames of a motion, at most, that tell how a skeleton is built
_LOW = 20.0  # per cent of the frames with the lowest foot, that tell how its sole lies
_EDGE = 0.5  # seconds
_ALIKE = 0.85  # cosine between limbs of two rest poses
_LEAST_HAND = 0.01  # metres
_UP = (0.0, 1.0, 0.0)
_STRAIGHT = 4  # power by which a straight body counts more than a bent one
_NEXT = {
    "shoulder": "upper_arm",
    "upper_arm": "lower_arm",
    "lower_arm": "hand",
    "upper_leg": "lower_leg",
    "lower_leg": "foot",
}
_BY_REST = (
    "hips",
    "spine",
    "chest",
    "neck",
    "head",
    "hand",
    "toes",
)  # parts whose frame rest poses tell better than bones


@dataclass(frozen=True, slots=True)
class MapParameters:
    """How a motion is brought onto another skeleton."""

    feet: bool = option(True, "hold planted feet on the floor")

    def __post_init__(self) -> None:
        check_ranges(self)


def map_onto(clips: Sequence[Clip], parameters: MapParameters | None = None, plants: FootPlants | None = None) -> Made:
    """The first clip on the skeleton of the second, at its own frame rate; see `map_motion`. `plants` are those of the first."""
    if len(clips) != 2:
        raise ParameterError(
            f"a mapping takes a motion and a clip on the skeleton it is brought onto, {len(clips)} clips given"
        )
    parameters = parameters or MapParameters()
    source, target = clips
    plants = known_plants(source, plants, wanted=parameters.feet)
    clip = map_motion(source, target, plants)
    found = match_joints(source.skeleton, target.skeleton)
    report = {
        "by_role": len(found.by_role),
        "by_name": len(found.by_name),
        "joints": len(target.skeleton),
        "without_partner": _without_partner(
            target.skeleton, [joint for _, _, joint in (*found.by_role, *found.by_name)]
        ),
        "scale": round(leg_length(target) / leg_length(source), 4),
    }
    if plants is not None:
        report["slip_mm"] = max(
            (slip["slip_mm"] for slip in measure_slips(clip, plants, feet=find_feet(clip.skeleton, target))),
            default=0.0,
        )
    return Made(clip, report, plants)


def _without_partner(skeleton: Skeleton, known: list[int]) -> list[str]:
    return [name for joint, name in enumerate(skeleton.names) if joint not in known]


def map_motion(clip: Clip, target: Clip, plants: FootPlants | None = None) -> Clip:
    """The motion of `clip` on the skeleton of `target`, frame by frame at its own rate.

    Args:
        clip: the motion.
        target: a motion of the other skeleton; it tells how that is built. The longer and livelier both are, the better.
        plants: foot plants of `clip`; with them planted feet are held on the floor, they hold for the result as well.

    Raises:
        SkeletonError: the joints that are needed are not known on both.
    """
    found = match_joints(clip.skeleton, target.skeleton)
    if not found.possible:
        raise SkeletonError(
            f"{clip.name!r} cannot be mapped onto the skeleton of {target.name!r}: no joint is known for {', '.join(found.missing)} "
            "on both",
            where=clip.name,
        )
    pairs = {role: (a, b) for role, a, b in found.by_role} | {f"={name}": (a, b) for name, a, b in found.by_name}
    joints = [{key: pair[n] for key, pair in pairs.items()} for n in (0, 1)]
    looks = [_Look(_at_rest(one), held, rest=True) for one, held in zip((clip, target), joints, strict=True)]
    if not _alike(*looks):
        looks = [_Look(one, held) for one, held in zip((clip, target), joints, strict=True)]
    frames_a, frames_b = (look.frames() for look in looks)
    world = clip.world(np.float64)
    turned = {
        b: R.multiply(R.multiply(world.rotations[:, a], frames_a[key]), R.conjugate(frames_b[key]))
        for key, (a, b) in pairs.items()
    }
    rotations = _to_local(target, turned)
    scale = leg_length(target) / leg_length(clip)
    hips = world.positions[:, clip.skeleton.roles["hips"]] * scale
    mapped = Clip(
        target.skeleton, rotations.astype(np.float32), np.zeros((len(clip), 3), np.float32), clip.fps, clip.name
    )
    there = mapped.world(np.float64).positions[:, target.skeleton.roles["hips"]]
    mapped = replace(mapped, root=(hips - there).astype(np.float32), origin=target.origin)
    return _stand(mapped, clip, target, plants, scale)


def _at_rest(clip: Clip) -> Clip:
    """The rest pose of a clip's skeleton, one frame."""
    skeleton = clip.skeleton
    return Clip(skeleton, skeleton.rest[None].astype(np.float32), np.zeros((1, 3), np.float32), clip.fps)


def _alike(a: _Look, b: _Look) -> bool:
    """Both rest poses stand upright and face ahead, with their limbs in much the same directions."""
    if not (a.stands and b.stands):
        return False
    return all(float(a.bones[bone] @ b.bones[bone]) > _ALIKE for bone in a.bones)


def _thinned(clip: Clip) -> Clip:
    """A clip of at most as many frames as are looked at."""
    some = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), _LOOKED_AT)).astype(int))
    moved = clip.translations
    return replace(
        clip,
        rotations=clip.rotations[some],
        root=clip.root[some],
        translations=None if moved is None else moved[some],
    )


class _Look:
    """How one skeleton moves, or rests: what the frames of its body parts are made of."""

    def __init__(self, clip: Clip, joints: dict[str, int], *, rest: bool = False) -> None:
        clip = _thinned(clip)
        self.skeleton, self.joints, self.rest = clip.skeleton, joints, rest
        self.world: World = clip.world(np.float64)
        self.feet = {foot.side: foot for foot in find_feet(clip.skeleton, clip)}
        place = self._place
        self.across_hips = R.normalize(place("left_upper_leg") - place("right_upper_leg"))
        self.torso = R.normalize(place(self._top()) - place("hips"))
        legs = R.normalize(place("hips") - 0.5 * (place("left_foot") + place("right_foot")))
        self.straight = np.maximum(np.einsum("fi,fi->f", self.torso, legs), 0.05) ** _STRAIGHT
        self.upright = np.maximum(self.torso[:, 1], 0.0) ** _STRAIGHT
        arms = ("left_upper_arm", "right_upper_arm")
        has_arms = all(role in joints for role in arms)
        self.across = R.normalize(place(arms[0]) - place(arms[1])) if has_arms else self.across_hips
        self.hinges: dict[tuple[str, str], Float] = {}
        for side in ("left", "right"):
            for name in ("leg", "arm"):
                self._find_hinge(side, name)

    def frames(self) -> dict[str, Float]:
        """For each key (4,): the rotation from the frame of the body part to the joint's own axes.

        A body part's frame has y along the bone (of a foot: up from the sole) and z ahead or x across, as far as the motion shows it.
        """
        frames: dict[str, Float] = {}
        for key in sorted(self.joints, key=lambda key: self.joints[key]):  # parents come before their children
            frame = self.frame(key)
            frames[key] = self.like_above(key, frames) if frame is None else frame
        return frames

    @property
    def stands(self) -> bool:
        """The first frame shows a body that stands upright and faces ahead."""
        legs = [way[1] for bone, way in self.bones.items() if "leg" in bone]
        return bool(self.torso[0, 1] > 0.9 and self.across_hips[0, 0] > 0.9 and max(legs) < -0.8)

    @property
    def bones(self) -> dict[str, Float]:
        """Limb -> (3,) its direction in the first frame."""
        ends = {f"{side}_{near}": f"{side}_{far}" for side in ("left", "right") for near, far in _NEXT.items()}
        return {
            near: R.normalize(self._place(far)[0] - self._place(near)[0])
            for near, far in ends.items()
            if near in self.joints and far in self.joints and not near.endswith("shoulder")
        }

    def _place(self, role: str) -> Float:
        return self.world.positions[:, self.joints[role]]

    def _top(self) -> str:
        return next((role for role in ("neck", "head", "chest", "spine") if role in self.joints), "hips")

    def _find_hinge(self, side: str, name: str) -> None:
        if not all(f"{side}_{part}_{name}" in self.joints for part in ("upper", "lower")):
            return
        try:
            limb = limb_of(self.skeleton, f"{side}_{name}")
            check_limb(self.skeleton, limb)
        except SkeletonError:
            return
        if self.rest:  # limbs that rest are straight: they bend about no axis, but face where the body does
            self.hinges[side, name] = self.across_hips if name == "leg" else np.cross(self.across_hips, self.torso)
            return
        hinge = find_hinge(self.skeleton, limb, [self.world], forward=name == "leg")
        self.hinges[side, name] = R.rotate(self.world.rotations[:, limb.root], hinge)

    def local(self, key: str, vectors: Float, weight: Float | None = None) -> Float:
        """(3,) the mean of vectors (F, 3) in the axes of a joint."""
        own = R.rotate(R.conjugate(self.world.rotations[:, self.joints[key]]), vectors)
        return np.average(own, axis=0, weights=weight)

    def frame(self, key: str) -> Float | None:
        """(4,) the frame of a body part; None for one that is known by what it hangs on alone."""
        side, _, part = key.partition("_")
        if side not in ("left", "right"):
            side, part = "", key
        if self.rest and part in _BY_REST:
            return R.conjugate(self.world.rotations[0, self.joints[key]])
        if part == "hips":
            return _axes(self.local(key, self.across_hips), self.local(key, self.torso, self.straight))
        if part in ("spine", "chest"):
            top = self._top()
            upward = self._place(top) - self._place(key) if top != key else self.torso
            across = self.across if part == "chest" else R.normalize(self.across + self.across_hips)
            return _axes(self.local(key, across, self.straight), self.local(key, upward, self.straight))
        if part == "head":
            # people who stand upright keep the head level, however they lean
            level = self.local(key, np.broadcast_to(_UP, self.torso.shape), self.upright + 1e-3)
            return _axes(
                self.local(key, self.across), level if self.upright.mean() > 0.3 else self.local(key, self.torso)
            )
        if part in ("foot", "toes"):
            return self._sole(key, self.feet.get(side))
        ahead = "head" if part == "neck" else f"{side}_{_NEXT.get(part)}"
        known = ahead in self.joints
        bone = self.local(key, self._place(ahead) - self._place(key)) if known else self._palm(key, part)
        if bone is None:
            return None
        cross = self.hinges.get((side, "arm" if part == "hand" else part.rpartition("_")[2]))
        if cross is None:  # neck and shoulders bend about no axis: across them is where the chest faces
            cross = np.cross(self.across, self.torso) if part == "shoulder" else self.across
        return _axes(self.local(key, cross), bone, keep="bone")

    def _palm(self, key: str, part: str) -> Float | None:
        """Where a hand points to: the mean of what hangs on it, but for the thumb; None for other parts and where nothing does."""
        if part != "hand":
            return None
        skeleton, hand = self.skeleton, self.joints[key]
        hanging = [
            skeleton.offsets[child] for child in skeleton.children[hand] if "thumb" not in skeleton.names[child].lower()
        ]
        if not skeleton.children[hand]:
            hanging = list(skeleton.end_offsets[skeleton.end_joints == hand])
        bone = np.mean(hanging, axis=0) if hanging else np.zeros(3)
        return bone if np.linalg.norm(bone) > _LEAST_HAND else None

    def _sole(self, key: str, foot: Foot | None) -> Float | None:
        """A foot by its sole: ahead from heel to ball, up as it lies while the foot is lowest, level, and below an upright body."""
        if foot is None or foot.single:
            return None
        track = track_foot(self.world, foot)
        height = np.where(self.upright > 0.3, track.heel[:, 1] + track.ball[:, 1], np.inf)
        if not np.any(np.isfinite(height)):
            height = track.heel[:, 1] + track.ball[:, 1]
        ahead = R.normalize(track.ball - track.heel)
        up = np.broadcast_to(_UP, ahead.shape)
        weight = (height <= np.percentile(height[np.isfinite(height)], _LOW)) * np.exp(
            -((ahead[:, 1] / 0.2) ** 2)
        ) + 1e-6
        along = self.local(key, ahead, weight)
        across = np.cross(self.local(key, up, weight), along)
        return _axes(across, np.cross(along, across), keep="across")

    def like_above(self, key: str, known: dict[str, Float]) -> Float:
        """(4,) the frame of a part that is, on the average, turned like the known part it hangs on."""
        joint = self.joints[key]
        by_joint = {self.joints[name]: name for name in known}
        above = next((by_joint[j] for j in self.skeleton.ancestors(joint)[1:] if j in by_joint), "")
        if not above:
            return R.identity()
        turned = R.multiply(self.world.rotations[:, self.joints[above]], known[above])
        own = R.multiply(R.conjugate(self.world.rotations[:, joint]), turned)
        return R.normalize(R.mean(own))


def _axes(across: Float, along: Float, keep: str = "across") -> Float:
    """(4,) the rotation whose x is `across` and whose y is `along`; what is kept stays, the other is made square to it."""
    across, along = _unit(across, (1.0, 0.0, 0.0)), _unit(along, (0.0, 1.0, 0.0))
    if keep == "across":
        along = _unit(along - (along @ across) * across, _any_square(across))
    else:
        across = _unit(across - (across @ along) * along, _any_square(along))
    return R.from_matrix(np.stack([across, along, np.cross(across, along)], axis=1))


def _unit(vector: Float, instead: Sequence[float] | Float) -> Float:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-6 else np.asarray(instead, dtype=np.float64)


def _any_square(vector: Float) -> Float:
    other = np.eye(3)[int(np.argmin(np.abs(vector)))]
    square = other - (other @ vector) * vector
    return square / np.linalg.norm(square)


def _to_local(target: Clip, turned: dict[int, Float]) -> Float:
    """(F, J, 4) local rotations from world rotations of some joints; the bend between two of them is shared by those in between."""
    skeleton = target.skeleton
    neutral = R.normalize(R.mean(target.rotations.astype(np.float64)))
    if skeleton.roles["hips"] != 0:
        neutral[0] = R.identity()
    count = len(next(iter(turned.values())))
    shared = _in_between(skeleton, turned)
    world = np.empty((count, len(skeleton), 4))
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        if joint in turned:
            world[:, joint] = turned[joint]
        elif joint in shared:
            above, below, share = shared[joint]
            rest, end = (_chain(skeleton, neutral, above, j) for j in (joint, below))
            bend = R.multiply(R.multiply(R.conjugate(turned[above]), turned[below]), R.conjugate(end))
            part = R.slerp(R.identity(count), bend, np.full(count, share))
            world[:, joint] = R.multiply(R.multiply(turned[above], part), rest)
        else:
            world[:, joint] = neutral[joint] if parent < 0 else R.multiply(world[:, parent], neutral[joint])
    local = world.copy()
    local[:, 1:] = R.multiply(R.conjugate(world[:, skeleton.parents[1:]]), world[:, 1:])
    return R.normalize(local)


def _in_between(skeleton: Skeleton, turned: dict[int, Float]) -> dict[int, tuple[int, int, float]]:
    """Joint -> (known joint above, known joint below, share of the bend between them); the spine comes first where ways part."""
    found: dict[int, tuple[int, int, float]] = {}
    order = sorted(turned, key=lambda joint: (joint not in _spine(skeleton), joint))
    for below in order:
        chain = []
        for joint in skeleton.ancestors(below)[1:]:
            if joint in turned:
                for n, inner in enumerate(reversed(chain), 1):
                    found.setdefault(inner, (joint, below, n / (len(chain) + 1)))
                break
            chain.append(joint)
    return found


def _spine(skeleton: Skeleton) -> set[int]:
    return {skeleton.roles[role] for role in ("spine", "chest", "neck", "head") if role in skeleton.roles}


def _chain(skeleton: Skeleton, local: Float, above: int, joint: int) -> Float:
    """(4,) the rotation of a joint seen from one above it."""
    turn = R.identity()
    while joint != above:
        turn = R.multiply(local[joint], turn)
        joint = int(skeleton.parents[joint])
    return turn


def _stand(mapped: Clip, source: Clip, target: Clip, plants: FootPlants | None, scale: float) -> Clip:
    """The mapped motion set on the floor of its source; planted feet are held there."""
    feet = {foot.side: foot for foot in find_feet(mapped.skeleton, target)}
    feet_before = {foot.side: foot for foot in find_feet(source.skeleton, source)}
    sides = [side for side in feet if side in feet_before]
    if not sides:
        return mapped
    world, world_before = mapped.world(np.float64), source.world(np.float64)
    tracks = {side: track_foot(world, feet[side]) for side in sides}
    before = {side: track_foot(world_before, feet_before[side]) for side in sides}
    if plants is None:
        lowest, wanted = (
            np.min([np.minimum(t.heel[:, 1], t.ball[:, 1]) for t in of.values()], axis=0) for of in (tracks, before)
        )
        return _raised(mapped, float(np.percentile(wanted * scale, 5) - np.percentile(lowest, 5)))
    floor = plants.floor.height
    # a plant's height above the floor, as in the source: stairs stay stairs
    lifts = {
        side: [
            (
                start,
                end,
                floor
                + scale * (_height(before[side], plants, side, start, end) - floor)
                - _height(tracks[side], plants, side, start, end),
            )
            for start, end in intervals_of(plants.foot(side).plant)
        ]
        for side in sides
    }
    ups = [up for rows in lifts.values() for _, _, up in rows]
    if not ups:
        return _stand(mapped, source, target, None, scale)
    middle = float(np.median(ups))
    mapped = _raised(mapped, middle)
    up = np.array(_UP)
    world = mapped.world(np.float64)
    # steering leaves the ends of a clip alone: let it have ends that are cut off again
    edge = round(_EDGE * mapped.fps)
    at = np.clip(np.arange(-edge, len(mapped) + edge), 0, len(mapped) - 1)
    goals = []
    for side in sides:
        track, contact = track_foot(world, feet[side]), plants.foot(side)
        shift = np.zeros((len(mapped), 3))
        for start, end, lift in lifts[side]:
            shift[start:end] = (lift - middle) * up
        raised = track.moved(shift, R.identity(len(mapped)))
        pinned = hold_track(raised, (contact.heel, contact.ball), mapped.fps, HoldParameters(on_floor="keep"))
        held = raised.moved(pinned.shift, pinned.turn)
        goals.append(FootGoal(feet[side], contact.plant[at], held[at]))
    steered = steer_feet(replace(mapped, rotations=mapped.rotations[at], root=mapped.root[at]), goals).clip
    return cut_frames(steered, edge, edge + len(mapped))


def _raised(clip: Clip, height: float) -> Clip:
    return replace(clip, root=clip.root + np.array([0.0, height, 0.0], np.float32))


def _height(track: object, plants: FootPlants, side: str, start: int, end: int) -> float:
    """Metres: mean height of the planted points of a foot over a plant."""
    contact = plants.foot(side)
    heights = [getattr(track, name)[start:end, 1][getattr(contact, name)[start:end]] for name in ("heel", "ball")]
    return float(np.concatenate(heights).mean())
