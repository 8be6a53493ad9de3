"""Where a foot has to be so that its planted points do not slide: the heel while the heel is planted, the ball while the ball is.

Each planted point gets one place on the ground for its whole interval, the one that changes the motion least; its height stays its own.
While both points are down the foot is turned so that both lie on their places, which leaves its pitch the freedom of a millimetre or
so on the ground: recorded heels begin to rise before their plants end. While one point is down the foot keeps its recorded roll but for
what is left of that turn. Where heel hands over to ball both places count, so nothing jumps. A foot frozen as a whole over a plant would
look wrong, because a real one rolls.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import Floor, FootContact, intervals_of
from reenact.core.smoothing import smooth
from reenact.solve.fading import faded_frames
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.solve.planted_points import ground_diameter
from reenact.solve.settling import FOLLOW, Asked, Settled, settle, settle_again
from reenact.solve.stances import HoldParameters, Run, choose_places, hold_runs, is_still, lift_runs

_TWITCH = 0.09  # radians that a planted foot may be turned out of line for a single frame


@dataclass(slots=True, eq=False)
class HeldBefore:
    """What is known of a track that was held before, with other plants: what stays the same is not worked out again.

    Attributes:
        stances: (first frame, end, when heel and ball are down, turns that still it) -> what came of a stance.
        twitches: see `_twitches`.
        last: what came of the whole track.
    """

    stances: dict[tuple[int, int, bytes, bytes, bytes], tuple[list[Run], Float, Bool]] = field(default_factory=dict)
    twitches: tuple[Float, Bool] | None = None
    last: tuple[Asked, Settled] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class HeldPoint:
    """One planted interval of a point.

    Attributes:
        foot: "left" or "right".
        point: "heel" or "ball".
        start, end: half-open range of frames.
        place: (3,) metres, where the point is held; its height is the mean one.
    """

    foot: str
    point: str
    start: int
    end: int
    place: Float


@dataclass(frozen=True, slots=True, eq=False)
class FootHold:
    """What is done to a foot.

    Attributes:
        foot: the foot.
        shift: (F, 3) metres, added to the ankle.
        turn: (F, 4) world rotation of the foot about its ankle.
        planted: (F,) any point is held.
        active: (F,) frames that are changed: planted, or within a ramp beside.
        points: what is held.
        track: the foot before.
        toes: (F, 4) world rotation of the toes about their joint; None: they ride along with the foot.
    """

    foot: Foot
    shift: Float
    turn: Float
    planted: Bool
    active: Bool
    points: tuple[HeldPoint, ...]
    track: FootTrack
    toes: Float | None = None


def hold_foot(
    world: World,
    foot: Foot,
    contact: FootContact,
    fps: float,
    asked: HoldParameters,
    floor: Floor | None = None,
    heights: tuple[Float, Float] | None = None,
    known: HeldBefore | None = None,
) -> FootHold:
    """Plan how a foot is held over all its plants.

    Args:
        world: the motion, float64.
        foot: the foot.
        contact: when its points are planted.
        fps: frames per second.
        asked: how it is held.
        floor: the floor, for `on_floor`.
        heights: (F,) metres, how high heel and ball stand in what the motion was made of; each plant is raised or lowered to that.
        known: what is known of this foot held with other plants, of the same motion; what comes of these is added.
    """
    recorded, hip = track_foot(world, foot), world.positions[:, foot.leg.root]
    contacts = contact.heel, contact.ball
    held = hold_track(recorded, contacts, fps, asked, floor, hip=hip, foot=foot, heights=heights, known=known)
    moved = np.any(held.shift != 0.0, axis=1) | np.any(held.turn[:, 1:] != 0.0, axis=1)
    active = faded_frames(held.planted, asked.ramp, fps) & moved
    points = tuple(HeldPoint(foot.side, run.point, run.start, run.end, run.place) for run in held.runs)
    return FootHold(foot, held.shift, held.turn, held.planted, active, points, recorded)


@dataclass(frozen=True, slots=True, eq=False)
class HeldTrack:
    """How a foot is moved so that its planted points stay.

    Attributes:
        shift: (F, 3) metres, added to the ankle.
        turn: (F, 4) world rotation about the ankle.
        planted: (F,) any point is held.
        runs: what is held.
    """

    shift: Float
    turn: Float
    planted: Bool
    runs: tuple[Run, ...]


def hold_track(
    recorded: FootTrack,
    contacts: tuple[Bool, Bool],
    fps: float,
    asked: HoldParameters,
    floor: Floor | None = None,
    *,
    hip: Float | None = None,
    foot: Foot | None = None,
    heights: tuple[Float, Float] | None = None,
    known: HeldBefore | None = None,
) -> HeldTrack:
    """Hold the planted points of a foot's track.

    Args:
        recorded: the track.
        contacts: (F,) when its heel and its ball are planted.
        fps: frames per second.
        asked: how it is held.
        floor: the floor, for `on_floor`.
        hip: (F, 3) metres; where it is known the foot is pitched to spare its leg.
        foot: the foot; without it, one with two points.
        heights, known: see `hold_foot`.
    """
    down = {"heel": np.asarray(contacts[0]).copy(), "ball": np.asarray(contacts[1]).copy()}
    if foot is not None and foot.single:
        down = {"heel": down["heel"] | down["ball"], "ball": np.zeros(len(recorded), np.bool_)}
    known = HeldBefore() if known is None else known
    twitch = _still_twitches(recorded, down, asked.still, known)
    track = recorded if twitch is None else recorded.moved(np.zeros_like(recorded.ankle), twitch)
    paths = {"heel": track.heel, "ball": track.ball}
    planted = down["heel"] | down["ball"]
    found: list[Run] = []
    offsets = np.zeros((len(track), 6))  # of heel and ball against their own places
    both = down["heel"] & down["ball"]
    for start, end in intervals_of(planted):
        here = slice(start, end)
        stilled = b"" if twitch is None else twitch[here].tobytes()
        key = start, end, down["heel"][here].tobytes(), down["ball"][here].tobytes(), stilled
        if key in known.stances:
            runs, offsets[here], both[here] = known.stances[key]
            found += runs
            continue
        runs = [
            Run(name, start + a, start + b, np.zeros(3), np.zeros(b - a))
            for name in ("heel", "ball")
            for a, b in intervals_of(down[name][start:end])
        ]
        choose_places(paths, runs, asked, floor)
        if heights is not None:
            for run in runs:
                wanted = heights[0 if run.point == "heel" else 1][run.frames]
                run.rise = smooth(wanted - paths[run.point][run.frames, 1], FOLLOW * fps)
        if not all(is_still(paths[run.point][run.frames], run, asked) for run in runs):
            hold_runs(paths, runs, asked, fps, offsets, both)
        if floor is not None and asked.on_floor == "lift":
            lift_runs(paths, runs, floor, fps, offsets, on_sole=foot is not None and foot.on_sole)
        known.stances[key] = runs, offsets[here].copy(), both[here].copy()
        found += runs
    wanted = Asked(track, down["heel"], down["ball"], both, offsets, hip, heights, asked.ramp, fps)
    settled = settle_again(wanted, *known.last) if known.last is not None else None
    settled = settle(wanted, wanted.steps()) if settled is None else settled
    known.last = wanted, settled
    turn = R.exp(settled.turns) if twitch is None else R.multiply(R.exp(settled.turns), twitch)
    return HeldTrack(settled.shift, turn, planted, tuple(found))


def _still_twitches(track: FootTrack, down: dict[str, Bool], still: float, known: HeldBefore) -> Float | None:
    """(F, 4) turns that put a planted foot in line with the frames beside it where it twitches for a single one; None without any.

    The feet of recordings do so; held by its points a twitching foot would shake the leg. Feet whose points are still do not twitch.
    """
    if known.twitches is None:
        known.twitches = _twitches(track)
    between, found = known.twitches
    out = R.identity(len(track))
    for frame in np.flatnonzero(found) + 1:
        for name, path in (("heel", track.heel), ("ball", track.ball)):
            start, end = next(((a, b) for a, b in intervals_of(down[name]) if a <= frame < b), (0, 0))
            if end > start and ground_diameter(path[start:end][:, [0, 2]]) > 2.0 * still:
                out[frame] = R.multiply(between[frame - 1], R.conjugate(track.foot[frame]))
    return out if np.any(out[:, 0] != 1.0) else None


def _twitches(track: FootTrack) -> tuple[Float, Bool]:
    """For all frames but the two at the ends: rotations in line with those beside (F - 2, 4), and where a foot is far from them."""
    if len(track) < 3:
        return np.zeros((0, 4)), np.zeros(0, np.bool_)
    before, now, after = track.foot[:-2], track.foot[1:-1], track.foot[2:]
    alike = np.abs(np.einsum("fi,fi->f", track.foot[1:], track.foot[:-1]))
    if float(alike.min()) > np.cos(0.25 * _TWITCH):  # no step is large enough: by far the most feet, and quickly told
        return now, np.zeros(len(now), np.bool_)
    between = R.slerp(before, after, np.full(len(now), 0.5))
    away = R.angle_between(now, between)
    return between, (away > _TWITCH) & (R.angle_between(before, after) < 0.4 * away)
