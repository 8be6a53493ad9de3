"""Frames of the body's parts in the axes of a skeleton's joints: what two skeletons have in common.

For each joint a frame of the body is found in the joint's own axes: along the bone, and across it (the axis a limb bends about, the line
of the hips or of the shoulders, the sole of the foot). Where both rest poses stand upright with their limbs alike, these tell the frames.
Many say little (all bones in one line); then the frames come from how both skeletons move. A character that does nothing is known by the
pose it was modelled in alone: then the other skeleton's own standing pose tells its frames whatever its arms do (T, A, hanging), and one
that has none is looked at while it moves, with the same axes. How a foot lies is told by how it stands (`analysis.foot_stance`) either
way: the soles of two rest poses are not alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from reenact.analysis.foot_stance import FootStance
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.errors import SkeletonError
from reenact.solve.limb import check_limb, find_hinge, limb_of
from reenact.solve.standing_pose import facing_ahead, rest_of, standing_pose

_LOOKED_AT = 400  # frames of a motion, at most, that tell how a skeleton is built
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
_BY_REST = ("hips", "spine", "chest", "neck", "head", "hand")  # parts whose frame rest poses tell better than bones

Stances = Mapping[str, FootStance]


def find_frames(
    clips: tuple[Clip, Clip],
    joints: tuple[dict[str, int], dict[str, int]],
    stances: tuple[Stances, Stances],
    *,
    still: bool = False,
) -> tuple[dict[str, Float], dict[str, Float]]:
    """Of two skeletons: key -> (4,) the rotation from the frame of a body part to the joint's own axes.

    Args:
        clips: a motion of either.
        joints: of either, role or other key -> joint; the keys are the same.
        stances: how the feet of either stand.
        still: the second is a character in the pose it was modelled in, which tells nothing of how it moves.
    """
    known = [side for side in stances[0] if side in stances[1] and not any(of[side].single for of in stances)]
    told = [{side: of[side] for side in known} for of in stances]
    both = tuple(zip(clips, joints, told, strict=True))
    if still:
        standing = [standing_pose(clips[0]), facing_ahead(clips[1])]
        looks = [
            _Look(clip, held, feet) if pose is None else _Look(pose, held, feet, rest=True)
            for pose, (clip, held, feet) in zip(standing, both, strict=True)
        ]
        if standing[0] is None:  # one that moves against one that stands: told by the same lines on either
            for look in looks:
                look.by_rest, look.hanging = (), ("neck", "shoulder")
        else:
            for look in looks:
                look.by_rest = ("hips", "spine", "chest", "neck", "head", "shoulder")
    else:
        looks = [_Look(rest_of(clip), held, feet, rest=True) for clip, held, feet in both]
        if not _alike(*looks):
            looks = [_Look(clip, held, feet) for clip, held, feet in both]
    first, second = (look.frames() for look in looks)
    return first, second


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

    def __init__(self, clip: Clip, joints: dict[str, int], stances: Stances, *, rest: bool = False) -> None:
        clip = _thinned(clip)
        self.skeleton, self.joints, self.stances, self.rest = clip.skeleton, joints, stances, rest
        self.by_rest: tuple[str, ...] = _BY_REST if rest else ()
        self.hanging: tuple[str, ...] = ()  # parts that are known by what they hang on
        self.world: World = clip.world(np.float64)
        place = self._place
        self.across_hips = R.normalize(place("left_upper_leg") - place("right_upper_leg"))
        self.torso = R.normalize(place(self._top()) - place("hips"))
        ends = [
            place(next(f"{side}_{one}" for one in ("foot", "lower_leg") if f"{side}_{one}" in joints))
            for side in ("left", "right")
        ]
        legs = R.normalize(place("hips") - 0.5 * (ends[0] + ends[1]))
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
        if self.rest:  # limbs that rest are straight: they would bend so that shins go back, and forearms ahead
            bone = R.normalize(self._place(f"{side}_lower_{name}") - self._place(f"{side}_upper_{name}"))
            ahead = np.cross(self.across_hips, (0.0, 1.0, 0.0))
            self.hinges[side, name] = -self.across_hips if name == "leg" else np.cross(ahead, bone)
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
        if part in self.by_rest:
            return R.conjugate(self.world.rotations[0, self.joints[key]])
        if part in self.hanging:
            return None
        if self.rest and part in ("hips", "spine", "chest", "head"):  # upright, however its joints lie
            return _axes(self.local(key, self.across_hips), self.local(key, np.broadcast_to(_UP, self.torso.shape)))
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
            return self._sole(part, self.stances.get(side))
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

    def _sole(self, part: str, stance: FootStance | None) -> Float | None:
        """A foot by its sole, and its toes by what they lie on: up as the foot stands, ahead to the ball."""
        if stance is None:
            return None
        ahead = stance.ball - (stance.ball @ stance.up) * stance.up
        frame = _axes(np.cross(stance.up, ahead), stance.up, keep="bone")
        if part == "foot":
            return frame
        return None if stance.toes == stance.foot else R.multiply(R.conjugate(stance.toes_turn), frame)

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
