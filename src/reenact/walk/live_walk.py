"""A walk changed while it plays: stride, lift of the feet and incline may change at any moment.

    from reenact.walk.live_walk import LiveWalk
    walk = LiveWalk(clip.skeleton, clip, plants)
    walk.stride = 1.2
    root, rotations = walk.push(root, rotations, contacts)

A frame goes in and comes out: no delay, nothing of the future is known, and a frame costs the same however long it plays. It stands behind
anything that makes poses and knows which feet are planted: a player of clips, a live blend, a motion graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.analysis.carried_plants import known_plants
from reenact.core.arrays import Bool, Float, Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import CARRIED, SIDES, FootPlants, intervals_of
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.core.skeleton import Skeleton
from reenact.core.smoothing import smooth
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.feet import Foot, find_feet, track_foot

_LEAST_STEP = 0.1  # of a leg: shorter steps tell nothing about how a foot passes the body
_USUAL_BOB = (0.15, 0.4, 1.0)  # least, usual and most share of the compass by which a body bobs
_USUAL_SWING = (0.2, 0.4, 0.8)  # seconds
_USUAL_WAY = (-0.35, 0.4)  # of a leg: where a foot is beside the body when it leaves the floor, and when it lands


@dataclass(frozen=True, slots=True)
class WalkTargets:
    """What a walk is to become."""

    stride: float = option(1.0, "length of steps, as a share of those of the source", low=0.1, high=3.0)
    lift: float = option(1.0, "lift of the feet in the air, as a share of that of the source", low=0.0, high=4.0)
    incline: float = option(
        0.0, "rise of the ground along the way; below 0 it goes down", unit="rad", low=-0.7, high=0.7
    )

    def __post_init__(self) -> None:
        check_ranges(self)


class Gait(NamedTuple):
    """What is learnt from a sample of the walk.

    Attributes:
        rests: (2, 3) metres, how high ankle, heel and ball of each foot are while it stands.
        leg: metres, thigh and shank.
        step: metres between the feet where they are farthest apart along the way, mean over the steps.
        lift: metres, the mean of the highest ankle of each swing above where it stands.
        bob: share of the compass of a leg by which the hips go up and down.
        swing: seconds that a foot is in the air.
        leaves, lands: metres along the way from the hips to a foot that leaves the floor, and to one that lands.
        skate: metres along the way that a ball moves while it is planted.
    """

    rests: Float64
    leg: float
    step: float
    lift: float
    bob: float
    swing: float
    leaves: float
    lands: float
    skate: float


class LiveWalk:
    """A filter over the frames of a walk.

    Attributes:
        skeleton: of the frames.
        gait: what the sample told about the walk.
        fps: frames per second.
        moving: joints that move in their parent's frame.
        constants: what the kernel takes of skeleton and gait.
        stride, lift, incline: targets; they may be set at any time and are approached smoothly over about a step.
    """

    def __init__(
        self, skeleton: Skeleton, sample: Clip, plants: FootPlants | None = None, *, smoothing: float = 0.12
    ) -> None:
        """Learn the walk from a sample.

        Args:
            skeleton: of the frames that will come.
            sample: a clip of the walk on that skeleton; the frame rate of the frames is its.
            plants: of the sample; default: those that travel with it, else detected.
            smoothing: seconds, time constant of the low-pass over the targets (two of them, one after the other); 0: at once.

        Raises:
            SkeletonError: the skeleton has no two legs with feet, or the sample is of another.
            ParameterError: the sample has no frames.
        """
        if not 0 <= smoothing <= 10:
            raise ParameterError(f"smoothing must be 0 to 10 s, not {smoothing:g}", where="smoothing")
        if not skeleton.same_tree(sample.skeleton):
            raise SkeletonError(f"the sample has another skeleton: {skeleton.difference(sample.skeleton)}")
        if not len(sample):
            raise ParameterError("the sample has no frames", where=sample.name)
        feet = {foot.side: foot for foot in find_feet(skeleton, sample)}
        if set(feet) != set(SIDES):
            raise SkeletonError(
                "a walk needs two legs with feet (roles left_upper_leg, left_lower_leg, left_foot, ...)"
            )
        self.skeleton = skeleton
        self._feet = tuple(feet[side] for side in SIDES)
        known = known_plants(sample, plants)
        assert known is not None  # there are feet
        self.gait = learn_gait(sample, self._feet, known)
        self._targets = WalkTargets()
        self.fps = float(sample.fps)
        self.moving = () if sample.translations is None else tuple(int(j) for j in sample.translations.joints)
        gait = self.gait
        self._body = np.array([self.fps, gait.leg, gait.bob, smoothing, gait.leaves, gait.lands, gait.skate])
        slots = np.full(len(skeleton), -1, np.int32)
        slots[list(self.moving)] = np.arange(len(self.moving), dtype=np.int32)
        legs = np.array([[f.leg.root, f.leg.mid, f.leg.end] for f in self._feet], np.int32)
        legs = np.concatenate([legs, [[skeleton.roles.get("hips", 0)] * 3]]).astype(np.int32)
        points = [(foot.heel, foot.ball) for foot in self._feet]
        self.constants = (
            self._body,
            np.ascontiguousarray(gait.rests),
            np.array(skeleton.parents),
            np.array(skeleton.offsets),
            slots,
            legs,
            np.array([[p.joint for p in pair] for pair in points], np.int32),
            np.array([[p.place for p in pair] for pair in points], np.float64),
            np.array([foot.hinge for foot in self._feet], np.float64),
        )
        joints = len(skeleton)
        self._asked = np.empty(3)
        self._contacts = np.zeros(4, np.bool_)
        self._points = np.array(skeleton.offsets[list(self.moving)]).reshape(-1, 3)
        self._root, self._rotations = np.empty(3), np.empty((joints, 4))
        self._scratch = np.empty((1, joints, 3)), np.empty((1, joints, 4))
        self._out = np.empty(3), np.empty((joints, 4))
        self._missed = 0.0
        self.reset()

    def reset(self) -> None:
        """Forget the past: the next frame is the first."""
        self._state = np.zeros(len(kernels.live_memory.STATE_NAMES))
        self._memory = np.zeros((2, len(kernels.live_memory.FOOT_NAMES)))
        self._memory[:, kernels.live_memory.FOOT_NAMES.index("swing")] = self.gait.swing

    @property
    def targets(self) -> WalkTargets:
        """What is asked for."""
        return self._targets

    @targets.setter
    def targets(self, targets: WalkTargets) -> None:
        self._targets = targets
        self._asked[:] = targets.stride, targets.lift, targets.incline

    @property
    def stride(self) -> float:
        """Length of steps, as a share of the source's."""
        return self._targets.stride

    @stride.setter
    def stride(self, value: float) -> None:
        self.targets = WalkTargets(value, self.lift, self.incline)

    @property
    def lift(self) -> float:
        """Lift of feet in the air, as a share of the source's."""
        return self._targets.lift

    @lift.setter
    def lift(self, value: float) -> None:
        self.targets = WalkTargets(self.stride, value, self.incline)

    @property
    def incline(self) -> float:
        """Radians by which the ground rises along the way."""
        return self._targets.incline

    @incline.setter
    def incline(self, value: float) -> None:
        self.targets = WalkTargets(self.stride, self.lift, value)

    @property
    def missed(self) -> float:
        """Metres between an ankle and its place in the last frame, where a leg was too short; 0 nearly always."""
        return self._missed

    def push(
        self, root: ArrayLike, rotations: ArrayLike, contacts: ArrayLike, points: ArrayLike | None = None
    ) -> tuple[Float64, Float64]:
        """The next frame of the walk. The arrays given back are written anew by the next call: copy what is kept.

        Args:
            root: (3,) metres.
            rotations: (J, 4) local rotations.
            contacts: (4,) planted: left heel, left ball, right heel, right ball.
            points: (M, 3) metres, the joints that move in their parent's frame (`moving`), where there are any.

        Returns:
            root (3,) and rotations (J, 4).

        Raises:
            ValueError: arrays of other shapes.
        """
        self._root[:] = root
        self._rotations[:] = rotations
        self._contacts[:] = contacts
        if points is not None:
            self._points[:] = points
        self._asked[:] = self._targets.stride, self._targets.lift, self._targets.incline
        self._missed = kernels.live_walk.step_walk(
            *self.constants,
            self._asked,
            self._contacts,
            self._points,
            self._root,
            self._rotations,
            self._state,
            self._memory,
            *self._scratch,
            *self._out,
        )
        return self._out

    def run(
        self, clip: Clip, plants: FootPlants | None = None, targets: WalkTargets | Sequence[WalkTargets] | None = None
    ) -> Made:
        """A whole clip, frame by frame as `push` does it; what was played before is forgotten.

        Args:
            clip: a motion of the skeleton at the sample's rate.
            plants: of the clip; default: those that travel with it, else detected.
            targets: for all frames, or one for each; default: those that are set.

        Raises:
            ParameterError: another rate, joints that move otherwise, or targets for another number of frames.
            SkeletonError: another skeleton.
        """
        if not self.skeleton.same_tree(clip.skeleton):
            raise SkeletonError(f"the clip has another skeleton: {self.skeleton.difference(clip.skeleton)}")
        if abs(clip.fps - self.fps) > 1e-6 * self.fps:
            raise ParameterError(f"the clip has {clip.fps:g} Hz, the sample had {self.fps:g}", where=clip.name)
        moved = clip.translations
        if self.moving != (() if moved is None else tuple(moved.joints.tolist())):
            raise ParameterError("other joints move in their parents' frames than in the sample", where=clip.name)
        asked = self._all_targets(targets, len(clip))
        known = known_plants(clip, plants)
        assert known is not None  # there are feet
        self.reset()
        root, rotations = np.empty((len(clip), 3)), np.empty((len(clip), len(self.skeleton), 4))
        missed = np.zeros(len(clip))
        points = np.zeros((len(clip), 0, 3)) if moved is None else moved.values.astype(np.float64)
        kernels.live_walk.run_walk(
            *self.constants,
            asked,
            contacts_of(known),
            points,
            clip.root.astype(np.float64),
            clip.rotations.astype(np.float64),
            self._state,
            self._memory,
            *self._scratch,
            root,
            rotations,
            missed,
        )
        made = replace(clip, rotations=rotations.astype(np.float32), root=root.astype(np.float32))
        told = zip(("stride", "lift", "incline"), asked[-1].tolist() if len(asked) else (), strict=False)
        report = {
            "targets": {name: round(value, 4) for name, value in told},
            "missed_mm": round(1000 * float(missed.max(initial=0.0)), 2),
            "body_mm": [round(1000 * float(one), 1) for one in _range(root[:, 1] - clip.root[:, 1])],
        }
        return Made(made, report, replace(known, source=CARRIED))

    def _all_targets(self, targets: WalkTargets | Sequence[WalkTargets] | None, frames: int) -> Float64:
        """(F, 3) the targets of every frame."""
        given = self._targets if targets is None else targets
        if isinstance(given, WalkTargets):
            return np.tile([given.stride, given.lift, given.incline], (frames, 1)).astype(np.float64)
        if len(given) != frames:
            raise ParameterError(f"{len(given)} targets for {frames} frames", where="targets")
        return np.array([[one.stride, one.lift, one.incline] for one in given], dtype=np.float64).reshape(-1, 3)


def contacts_of(plants: FootPlants) -> Bool:
    """(F, 4) left heel, left ball, right heel, right ball."""
    return np.column_stack([plants.left.heel, plants.left.ball, plants.right.heel, plants.right.ball])


def learn_gait(clip: Clip, feet: Sequence[Foot], plants: FootPlants) -> Gait:
    """What a walk is like: how its feet stand, how long its steps and swings are, how it bobs."""
    world = clip.world(np.float64)
    hips = world.positions[:, clip.skeleton.roles.get("hips", 0)]
    tracks = [track_foot(world, foot) for foot in feet]
    legs = [
        np.linalg.norm(np.diff(world.positions[:, [f.leg.root, f.leg.mid, f.leg.end]], axis=1), axis=2)
        .sum(axis=1)
        .mean()
        for f in feet
    ]
    leg = float(np.mean(legs))
    axis = _main_axis(hips[:, [0, 2]])
    rests, along, lifts, swings, skates = [], [], [], [], []
    leaves: list[float] = []
    lands: list[float] = []
    for foot, track in zip(feet, tracks, strict=True):
        contact = plants.foot(foot.side)
        heel, ball = contact.heel, contact.ball
        flat = heel & ball if np.any(heel & ball) else contact.plant
        rests.append([_rest(track.ankle, flat), _rest(track.heel, heel), _rest(track.ball, ball)])
        place = (track.ball - hips)[:, [0, 2]] @ axis
        along.append(place)
        skates += [
            float((track.ball[b - 1] - track.ball[a])[[0, 2]] @ axis)
            for a, b in intervals_of(ball)
            if a > 0 and b < len(clip)
        ]
        edges = contact.intervals()
        for (_, end), (start, _) in itertools.pairwise(edges):
            lifts.append(float(track.ankle[end:start, 1].max() - rests[-1][0]))
            swings.append((start - end) / clip.fps)
            if place[start] - place[end] > _LEAST_STEP * leg:
                leaves.append(float(place[end]))
                lands.append(float(place[start]))
    apart = np.abs(along[0] - along[1])
    steps = _peaks(apart, _LEAST_STEP * leg)
    step = float(np.mean(steps)) if len(steps) else 0.0
    model = leg - np.sqrt(max(leg**2 - 0.25 * step**2, 0.0))
    bob = _bob(hips[:, 1], clip.fps) / model if model > 1e-3 and len(steps) > 1 else _USUAL_BOB[1]
    return Gait(
        np.array(rests),
        leg,
        step,
        float(np.mean(lifts)) if lifts else 0.0,
        float(np.clip(bob, _USUAL_BOB[0], _USUAL_BOB[2])),
        float(np.clip(np.mean(swings) if swings else _USUAL_SWING[1], _USUAL_SWING[0], _USUAL_SWING[2])),
        float(np.mean(leaves)) if leaves else _USUAL_WAY[0] * leg,
        float(np.mean(lands)) if lands else _USUAL_WAY[1] * leg,
        float(np.median(skates)) if skates else 0.0,
    )


def _range(values: Float) -> tuple[float, float]:
    return float(values.min(initial=0.0)), float(values.max(initial=0.0))


def _rest(path: Float, planted: Bool) -> float:
    """The height of a point while it stands; of one that never does the lowest."""
    return float(np.median(path[planted, 1])) if planted.any() else float(path[:, 1].min())


def _main_axis(path: Float) -> Float:
    """(2,) the direction in which a way leads from its start to its end; +Z where it leads nowhere."""
    way = path[-1] - path[0]
    size = float(np.linalg.norm(way))
    return way / size if size > 1e-6 else np.array([0.0, 1.0])


def _peaks(values: Float, least: float) -> Float:
    """The largest value of each stretch above the mean, where that is at least so much."""
    found = [float(values[a:b].max()) for a, b in intervals_of(values > values.mean()) if a > 0 and b < len(values)]
    return np.array([one for one in found if one > least])


def _bob(height: Float, fps: float) -> float:
    """Metres from the lows to the highs of the hips, without what rises or falls slowly."""
    even = height - smooth(height, 0.5 * fps)
    return float(2 * np.sqrt(2) * np.std(even))
