"""What is known about a walk (or another travelling motion) before it is reshaped: footprints, swings, stride, lift, double supports.

The terms are those of the reuse specification 3.15: a *step* goes from one foot's place to the other's; what the thesis calls stride is
the mean length of a step. Lift is counted from the height at which the ankle stands, so that planted feet do not rise when it is scaled.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reenact.analysis.carried_plants import known_plants
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.feet import Foot, FootTrack, find_feet
from reenact.solve.held_feet import HeldFeet, hold_feet, let_go
from reenact.solve.joint_pushes import usual_pushes
from reenact.solve.letting_go import TOO_HARD, find_cuts, frames_of
from reenact.solve.stances import HoldParameters
from reenact.walk.footprints import Footprint, find_footprints, track_feet
from reenact.walk.travel_path import TravelPath, find_path

_JUMP, _FASTEST, _STRAY = (
    0.1,
    15.0,
    0.2,
)  # metres, m/s: a jump of the body; seconds at either end in which it cuts off what is beyond
_LEAST_SWING = 0.02  # metres: a foot that is lifted less is dragged
_SLACK, _STILL = 0.0004, 0.0003  # metres; new ground adds its own part to what planted points move
_JUMPS, _BRIEF = (
    0.8,
    0.2,
)  # share of a swing in which both feet are in the air, and seconds that such a swing takes at least
_ROUNDS = 3  # times that plants are cut shorter for a knee
_LEAST_STEP = 0.1  # of the leg: shorter steps shuffle, they tell no stride


@dataclass(frozen=True, slots=True, eq=False)
class Swing:
    """A foot on its way from one footprint to its next.

    Attributes:
        before, after: numbers of the footprints.
        start, end: half-open range of frames in which no point of the foot is planted.
        heel_off: the first frame in which its heel has left the floor.
        rest: (2,) metres, the height of the ankle when it stands, before and after.
        lift: metres, the most by which the ankle is higher than when it stands.
    """

    before: int
    after: int
    start: int
    end: int
    heel_off: int
    rest: tuple[float, float]
    lift: float


@dataclass(frozen=True, slots=True, eq=False)
class WalkStudy:
    """A motion that can be reshaped.

    Attributes:
        clip: as it came.
        base: the same with its planted feet still.
        plants: those that are held in `base`.
        detected: those it came with, parts that could not be held without a jerk included.
        feet: both.
        world: forward kinematics of `base`, float64.
        tracks: side -> where the foot is in `base`.
        path: the way of the body.
        prints: its footprints, in the order in which the feet come down.
        swings: between footprints of the same foot.
        leg: metres from hip to ankle along the bones.
        usual: (J,) m/s^2, how hard the joints are pushed.
        knees: (2,) rad/s^2, how hard the knees are bent in the recording.
        backward: (2,) radians that they are bent the wrong way there.
        notes: what is to be said about the study, in words.
    """

    clip: Clip
    base: Clip
    plants: FootPlants
    detected: FootPlants
    feet: tuple[Foot, ...]
    world: World
    tracks: dict[str, FootTrack]
    path: TravelPath
    prints: tuple[Footprint, ...]
    swings: tuple[Swing, ...]
    leg: float
    usual: Float
    knees: Float
    backward: Float
    notes: tuple[str, ...] = ()

    @property
    def steps(self) -> Float:
        """(N - 1,) metres along the way from each footprint to the next."""
        return np.diff([one.along for one in self.prints])

    @property
    def stride(self) -> float:
        """Metres, the mean step."""
        return mean_step(self.prints, self.leg)

    @property
    def lift(self) -> float:
        """Metres, the mean over all swings of how high the ankle is lifted."""
        lifts = [swing.lift for swing in self.swings if swing.lift > _LEAST_SWING]
        return float(np.mean(lifts)) if lifts else 0.0

    @property
    def double_support(self) -> Bool:
        """(F,) both feet are planted."""
        return self.plants.left.plant & self.plants.right.plant

    @property
    def flies(self) -> bool:
        """A run: somewhere between footprints no foot is on the floor."""
        neither = ~(self.detected.left.plant | self.detected.right.plant)
        inside = slice(self.prints[0].start, self.prints[-1].end)
        return float(neither[inside].mean()) > 0.05

    @property
    def jumps(self) -> list[Swing]:
        """Swings in which the other foot is nearly all the time in the air as well: hops and jumps, not steps."""
        return [one for one in self.swings if self._in_the_air(one) > _JUMPS]

    def _in_the_air(self, swing: Swing) -> float:
        """Share of a swing in which the other foot is in the air, too."""
        if swing.end - swing.start < _BRIEF * self.clip.fps:
            return 0.0
        other = "right" if self.prints[swing.before].side == "left" else "left"
        return float(np.mean(~self.detected.foot(other).plant[swing.start : swing.end]))

    def foot(self, side: str) -> Foot:
        """The foot of a side."""
        return next(foot for foot in self.feet if foot.side == side)


def mean_step(prints: tuple[Footprint, ...], leg: float) -> float:
    """Metres from one foot's place to the other's along the way, shuffles left out; the reuse specification's |S|."""
    steps = [
        two.along - one.along
        for one, two in pairwise(prints)
        if one.side != two.side and abs(two.along - one.along) > _LEAST_STEP * leg
    ]
    return float(np.mean(steps)) if steps else 0.0


def study_walk(clip: Clip, plants: FootPlants | None = None) -> WalkStudy:
    """What is known about a travelling motion.

    Args:
        clip: any motion that goes somewhere on two feet.
        plants: its foot plants; default: those that travel with it, else detected.

    Raises:
        SkeletonError: no two legs are known.
        ParameterError: a clip without numbers, without plants, or one that goes nowhere.
    """
    clip, plants = without_stray_frames(clip, plants)
    feet = find_feet(clip.skeleton, clip)
    if {foot.side for foot in feet} != {"left", "right"}:
        raise SkeletonError(
            "walking needs the roles upper_leg, lower_leg and foot of both sides; the skeleton has "
            + (", ".join(sorted(clip.skeleton.roles)) or "none"),
            where=clip.name,
        )
    if not (np.isfinite(clip.root).all() and np.isfinite(clip.rotations).all()):
        raise ParameterError("the clip has frames with NaN or infinite numbers; cut them off first", where=clip.name)
    known = known_plants(clip, plants)
    if known is None or not (known.left.plant.any() and known.right.plant.any()):
        raise ParameterError(
            "no foot is planted: a walk needs both feet on the floor at times (see `reenact plants`)", where=clip.name
        )
    held = _hold_calmly(clip, known, feet)
    world = held.clip.world(np.float64)
    tracks, path = track_feet(world, feet), find_path(held.clip)
    prints = find_footprints(tracks, held.plants, path, clip.fps)
    if len(prints) < 3:
        raise ParameterError(f"not a walk: {len(prints)} footprints, at least 3 are needed", where=clip.name)
    legs = [np.linalg.norm(clip.skeleton.offsets[[foot.leg.mid, foot.leg.end]], axis=1).sum() for foot in feet]
    swings = _find_swings(prints, tracks, held.plants)
    return WalkStudy(
        clip, held.clip, held.plants, known, feet, world, tracks, path, prints, swings, float(np.mean(legs)),
        usual_pushes([clip]), knee_pushes(feet, clip), np.array([max(float(-knee_turns(foot, world).min()), 0.0) for foot in feet]),
    )  # fmt: skip


def _hold_calmly(clip: Clip, plants: FootPlants, feet: tuple[Foot, ...]) -> HeldFeet:
    """The clip with its planted feet still; plants at whose ends that bends a knee much harder than recorded are cut shorter.

    A foot that slides a little before it leaves the floor may pull a bent knee along when it is held to the last moment.
    """
    how = HoldParameters(slack=_SLACK, still=_STILL)
    held = hold_feet(clip, plants, feet, how)
    best, least = held, max(_knee_ratios(held.clip, clip, feet).max(), TOO_HARD)
    for _ in range(_ROUNDS):
        ratios = _knee_ratios(held.clip, clip, feet)
        cuts = find_cuts(ratios, held.clip, held.holds)
        if not cuts or least <= TOO_HARD:
            break
        held = hold_feet(clip, let_go(held.plants, frames_of(cuts, held.holds, len(clip))), feet, how)
        now = max(_knee_ratios(held.clip, clip, feet).max(), TOO_HARD)
        if now < least:
            best, least = held, now
    return best


def _knee_ratios(made: Clip, recorded: Clip, feet: tuple[Foot, ...]) -> Float:
    """(F, J) how hard knees are bent, as multiples of the hardest bend of the same knee in the recording; 0 for other joints."""
    ratios = np.zeros((len(made), len(made.skeleton)))
    for foot, usual in zip(feet, knee_pushes(feet, recorded), strict=True):
        ratios[1:-1, foot.leg.mid] = np.abs(np.diff(knee_bends(foot, made), 2)) * made.fps**2 / usual
    return ratios


def _find_swings(prints: tuple[Footprint, ...], tracks: dict[str, FootTrack], plants: FootPlants) -> tuple[Swing, ...]:
    found = []
    for side, track in tracks.items():
        own = [n for n, one in enumerate(prints) if one.side == side]
        heights = track.ankle[:, 1]
        rests = _resting_heights(track, plants, {n: prints[n] for n in own})
        for before, after in pairwise(own):
            start, end = prints[before].end, prints[after].start
            if end <= start:
                continue
            rest = (rests[before], rests[after])
            frames = np.arange(prints[before].middle, prints[after].start)
            level = np.interp(frames, [start, end], rest)
            lift = float(np.max(heights[frames] - level, initial=0.0))
            found.append(Swing(before, after, start, end, _heel_off(plants, prints[before]), rest, lift))
    return tuple(sorted(found, key=lambda swing: swing.start))


def _resting_heights(track: FootTrack, plants: FootPlants, prints: dict[int, Footprint]) -> dict[int, float]:
    """Footprint -> metres, the height of the ankle that stands on it: on heel and ball where it does, else as on the other footprints."""
    found, above = {}, []
    for n, one in prints.items():
        contact, frames = plants.foot(one.side), slice(one.start, one.end)
        flat = contact.heel[frames] & contact.ball[frames]
        if flat.any():
            found[n] = float(np.median(track.ankle[frames, 1][flat]))
            above.append(found[n] - one.place[1])
    for n, one in prints.items():
        lowest = float(np.percentile(track.ankle[one.start : one.end, 1], 20))
        found.setdefault(n, one.place[1] + float(np.median(above)) if above else lowest)
    return found


def _heel_off(plants: FootPlants, one: Footprint) -> int:
    heel = np.flatnonzero(plants.foot(one.side).heel[one.start : one.end])
    return one.start + int(heel[-1]) + 1 if len(heel) else one.start


def knee_bends(foot: Foot, clip: Clip) -> Float:
    """(F,) radians, how far a knee is bent."""
    places = clip.world(np.float64).positions
    hip, knee, ankle = (places[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
    thigh, shank = hip - knee, ankle - knee
    size = np.linalg.norm(thigh, axis=1) * np.linalg.norm(shank, axis=1)
    return np.pi - np.arccos(np.clip(np.einsum("fi,fi->f", thigh, shank) / size, -1.0, 1.0))


def knee_turns(foot: Foot, world: World) -> Float:
    """(F,) radians, the bend of a knee about its hinge: negative is the wrong way."""
    places, leg = world.positions, foot.leg
    thigh, shank = (
        R.normalize(places[:, below] - places[:, above]) for above, below in ((leg.root, leg.mid), (leg.mid, leg.end))
    )
    axis = R.rotate(world.rotations[:, leg.root], foot.hinge)
    return np.arctan2(np.einsum("fi,fi->f", np.cross(shank, thigh), axis), np.einsum("fi,fi->f", shank, thigh))


def knee_pushes(feet: tuple[Foot, ...], clip: Clip) -> Float:
    """(2,) rad/s^2, the largest angular acceleration of each knee."""
    found = [float(np.max(np.abs(np.diff(knee_bends(foot, clip), 2)), initial=0.0)) * clip.fps**2 for foot in feet]
    return np.maximum(found, 1.0)


def foot_length(study: WalkStudy) -> float:
    """Metres from the heel to the ball."""
    return float(np.median([np.linalg.norm(track.ball - track.heel, axis=1).max() for track in study.tracks.values()]))


def without_stray_frames(clip: Clip, plants: FootPlants | None) -> tuple[Clip, FootPlants | None]:
    """The clip without frames at its ends that belong to something else: the body jumps there.

    Raises:
        ParameterError: it jumps in the middle.
    """
    steps = np.linalg.norm(np.diff(clip.root.astype(np.float64), axis=0), axis=1)
    jumps = np.flatnonzero((steps > _JUMP) & (steps * clip.fps > _FASTEST)) + 1
    if not len(jumps):
        return clip, plants
    edge = max(round(_STRAY * clip.fps), 1)
    start = max((int(at) for at in jumps if at <= edge), default=0)
    end = min((int(at) for at in jumps if at >= len(clip) - edge), default=len(clip))
    inside = [int(at) for at in jumps if start < at < end]
    if inside:
        raise ParameterError(
            f"the body jumps by {steps[inside[0] - 1]:.2f} m at frame {inside[0]}; split the clip there first",
            where=clip.name,
        )
    return cut_frames(clip, start, end), None if plants is None else plants.cut(start, end)
