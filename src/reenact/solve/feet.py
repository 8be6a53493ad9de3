"""A foot as the editing methods see it: the leg that carries it, its two points, and where all of that is in the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.analysis.foot_points import FootPoint, find_foot_points
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.skeleton import Skeleton
from reenact.errors import SkeletonError
from reenact.solve.limb import Limb, check_limb, find_hinge, limb_of


@dataclass(frozen=True, slots=True, eq=False)
class Foot:
    """One foot of a skeleton.

    Attributes:
        side: "left" or "right".
        leg: hip, knee and ankle.
        toes: joint of the toes, or -1.
        hinge: (3,) the axis the knee bends about, in the frame of the hip joint.
        heel, ball: its points on the sole.
        on_sole: the skeleton itself says where they are; else they are estimates.
    """

    side: str
    leg: Limb
    hinge: Float
    toes: int
    heel: FootPoint
    ball: FootPoint
    on_sole: bool = False

    @property
    def single(self) -> bool:
        """One point stands for heel and ball."""
        return self.heel is self.ball


@dataclass(frozen=True, slots=True, eq=False)
class FootTrack:
    """A foot in the world over some frames.

    Attributes:
        ankle: (F, 3) metres.
        foot: (F, 4) world rotations of the ankle joint.
        toes: (F, 4) world rotations of the toes' joint; those of the ankle where there is none.
        heel, ball: (F, 3) metres, the points on the sole.
    """

    ankle: Float
    foot: Float
    toes: Float
    heel: Float
    ball: Float

    def __len__(self) -> int:
        return len(self.ankle)

    def __getitem__(self, frames: slice | np.ndarray) -> FootTrack:
        return FootTrack(self.ankle[frames], self.foot[frames], self.toes[frames], self.heel[frames], self.ball[frames])

    def moved(self, shift: Float, turn: Float) -> FootTrack:
        """The track turned by `turn` (F, 4) about the ankle and shifted by `shift` (F, 3)."""
        ankle = self.ankle + shift
        return FootTrack(
            ankle,
            R.multiply(turn, self.foot),
            R.multiply(turn, self.toes),
            ankle + R.rotate(turn, self.heel - self.ankle),
            ankle + R.rotate(turn, self.ball - self.ankle),
        )


def find_feet(skeleton: Skeleton, *clips: Clip) -> tuple[Foot, ...]:
    """The feet that can be led by their legs: hip, knee and ankle are known. Empty when there are none.

    Args:
        skeleton: with roles.
        clips: motions of it; they tell how the feet stand and about which axis the knees bend.
    """
    try:
        points = find_foot_points(skeleton, clips[0] if clips else None)
    except SkeletonError:
        return ()
    worlds = [clip.world() for clip in clips]
    feet = []
    for side in points.sides:
        try:
            leg = limb_of(skeleton, f"{side}_leg")
            check_limb(skeleton, leg)
        except SkeletonError:
            continue
        toes = skeleton.roles.get(f"{side}_toes", -1)
        if toes >= 0 and leg.end not in skeleton.ancestors(toes):
            toes = -1
        hinge = find_hinge(skeleton, leg, worlds)
        feet.append(Foot(side, leg, hinge, toes, points.heel[side], points.ball[side], points.on_sole))
    return tuple(feet)


def track_foot(world: World, foot: Foot) -> FootTrack:
    """Where a foot is in every frame; float64."""
    places, turned = (part.astype(np.float64, copy=False) for part in (world.positions, world.rotations))

    def point(of: FootPoint) -> Float:
        return places[:, of.joint] + R.rotate(turned[:, of.joint], np.asarray(of.place, dtype=np.float64))

    toes = foot.toes if foot.toes >= 0 else foot.leg.end
    return FootTrack(
        places[:, foot.leg.end], turned[:, foot.leg.end], turned[:, toes], point(foot.heel), point(foot.ball)
    )


def mix_tracks(a: FootTrack, b: FootTrack, weight: Float) -> FootTrack:
    """`a` where the weight (F,) is 0, `b` where it is 1."""
    w = np.asarray(weight, dtype=np.float64)[:, None]

    def lerp(x: Float, y: Float) -> Float:
        return x + w * (y - x)

    ankle, foot, toes = lerp(a.ankle, b.ankle), R.slerp(a.foot, b.foot, weight), R.slerp(a.toes, b.toes, weight)

    def point(name: str) -> Float:  # by its place in the foot's frame, so that it stays a point of the mixed foot
        places = (R.rotate(R.conjugate(t.foot), getattr(t, name) - t.ankle) for t in (a, b))
        return ankle + R.rotate(foot, lerp(*places))

    return FootTrack(ankle, foot, toes, point("heel"), point("ball"))
