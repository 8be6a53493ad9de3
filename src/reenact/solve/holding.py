"""Where a foot has to be so that its planted points do not slide: the heel while the heel is planted, the ball while the ball is.

Each planted point gets one place on the ground for its whole interval, the one that changes the motion least; its height stays its own.
While both points are down the foot is turned so that both lie on their places, which leaves its pitch the freedom of a millimetre or
so on the ground: recorded heels begin to rise before their plants end. While one point is down the foot keeps its recorded roll but for
what is left of that turn. Where heel hands over to ball both places count, so nothing jumps. A foot frozen as a whole over a plant would
look wrong, because a real one rolls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import Floor, FootContact, intervals_of
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.fading import fade_between, faded_frames
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.solve.planted_points import ground_diameter
from reenact.solve.result_quality import LIMITS
from reenact.solve.stances import GRAIN, HoldParameters, Run, choose_places, hold_runs, is_still, lift_runs

_GRAIN_TURN = 0.03  # radians that a velocity may carry a turn to in any case
_TWITCH = 0.09  # radians that a planted foot may be turned out of line for a single frame
_EASE_SHARE = 0.8  # of the leg's change that the pitch of the foot takes over
_MOST_EASE = float(np.radians(LIMITS["pitch_degrees"][0]))  # radians it may take: what is good of a planted foot
_TREMBLE, _LEAST_TREMBLE = 0.03, 0.0002  # seconds up to which, and metres from which on, an ankle trembles
_MOST_CALM, _CALM_ROUNDS = 0.06, 2  # radians a foot is turned for that, and how often
_MOST_PITCH = 0.35  # radians a foot is pitched to be like its source
_FOLLOW = 0.03  # seconds, width of the low-pass over what a planted foot is raised and pitched by to be like its source
_EASE_IN = 0.08  # seconds after the heel has left the ground in which it does


KnownStances = dict[tuple[int, int, bytes, bytes, bytes], tuple[list[Run], Float, Bool]]
"""Stances of one track held before: (first frame, end, when heel and ball are down, turns that still it) -> what came of it."""


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
    known: KnownStances | None = None,
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
        known: stances of this foot held so before; what is new is added.
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
    known: KnownStances | None = None,
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
    twitch = _still_twitches(recorded, down, asked.still)
    track = recorded if twitch is None else recorded.moved(np.zeros_like(recorded.ankle), twitch)
    paths = {"heel": track.heel, "ball": track.ball}
    planted = down["heel"] | down["ball"]
    found: list[Run] = []
    offsets = np.zeros((len(track), 6))  # of heel and ball against their own places
    both = down["heel"] & down["ball"]
    known = {} if known is None else known
    for start, end in intervals_of(planted):
        here = slice(start, end)
        stilled = b"" if twitch is None else twitch[here].tobytes()
        key = start, end, down["heel"][here].tobytes(), down["ball"][here].tobytes(), stilled
        if key in known:
            runs, offsets[here], both[here] = known[key]
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
                run.rise = smooth(wanted - paths[run.point][run.frames, 1], _FOLLOW * fps)
        if not all(is_still(paths[run.point][run.frames], run, asked) for run in runs):
            hold_runs(paths, runs, asked, fps, offsets, both)
        if floor is not None and asked.on_floor == "lift":
            lift_runs(paths, runs, floor, fps, offsets, on_sole=foot is not None and foot.on_sole)
        known[key] = runs, offsets[here].copy(), both[here].copy()
        found += runs
    turns, shift = _move_foot(track.ankle, paths, down, both, offsets, asked.ramp, fps)
    on_ball = down["ball"] & ~down["heel"] & ~both
    flat = (track.ball - track.heel) * (1.0, 0.0, 1.0)
    across = np.cross((0.0, 1.0, 0.0), R.normalize(flat + 1e-9 * np.array([0.0, 0.0, 1.0])))
    if both.any() or heights is not None:
        pitched = _pitch_alike(
            track, turns, across, heights or (track.heel[:, 1], track.ball[:, 1]), planted, both, fps
        )
        turns, shift = _move_foot(track.ankle, paths, down, both, offsets, asked.ramp, fps, pitched, planted)
    if hip is not None and on_ball.any():
        leg, arm = track.ankle - hip, track.ankle - track.ball
        eased = _ease_leg(leg, arm, across, turns, shift, on_ball, planted, fps)
        turns, shift = _move_foot(track.ankle, paths, down, both, offsets, asked.ramp, fps, eased, planted)
    for _ in range(_CALM_ROUNDS):
        calmed = _calm_ankle(track, turns, shift, down, both, fps)
        if calmed is None:
            break
        turns, shift = _move_foot(track.ankle, paths, down, both, offsets, asked.ramp, fps, calmed, planted)
    turn = R.exp(turns) if twitch is None else R.multiply(R.exp(turns), twitch)
    return HeldTrack(shift, turn, planted, tuple(found))


def _still_twitches(track: FootTrack, down: dict[str, Bool], still: float) -> Float | None:
    """(F, 4) turns that put a planted foot in line with the frames beside it where it twitches for a single one; None without any.

    The feet of recordings do so; held by its points a twitching foot would shake the leg. Feet whose points are still do not twitch.
    """
    if len(track) < 3:
        return None
    alike = np.abs(np.einsum("fi,fi->f", track.foot[1:], track.foot[:-1]))
    if float(alike.min()) > np.cos(0.25 * _TWITCH):  # no step is large enough: by far the most feet, and quickly told
        return None
    before, now, after = track.foot[:-2], track.foot[1:-1], track.foot[2:]
    between = R.slerp(before, after, np.full(len(now), 0.5))
    away = R.angle_between(now, between)
    found = (away > _TWITCH) & (R.angle_between(before, after) < 0.4 * away)
    out = R.identity(len(track))
    for frame in np.flatnonzero(found) + 1:
        for name, path in (("heel", track.heel), ("ball", track.ball)):
            start, end = next(((a, b) for a, b in intervals_of(down[name]) if a <= frame < b), (0, 0))
            if end > start and ground_diameter(path[start:end][:, [0, 2]]) > 2.0 * still:
                out[frame] = R.multiply(between[frame - 1], R.conjugate(now[frame - 1]))
    return out if np.any(out[:, 0] != 1.0) else None


def _move_foot(
    ankle: Float,
    paths: dict[str, Float],
    down: dict[str, Bool],
    both: Bool,
    offsets: Float,
    ramp: float,
    fps: float,
    eased: Float | None = None,
    where: Bool | None = None,
) -> tuple[Float, Float]:
    """Rotation vectors (F, 3) and ankle shift (F, 3) of a foot whose points are moved by `offsets` (F, 6) where they are down.

    `eased` (F, 3) are rotation vectors already known for the frames `where`.
    """
    turns = np.zeros((len(ankle), 3))
    if both.any():
        way = paths["ball"][both] - paths["heel"][both]
        turns[both] = R.log(R.between(way, way + offsets[both, 3:] - offsets[both, :3]))
    known = both
    if eased is not None and where is not None:
        turns[where] = eased[where]
        known = both | where
    turns = fade_between(turns, known, ramp, fps, _GRAIN_TURN)
    shift, held = np.zeros((len(ankle), 3)), np.zeros((len(ankle), 1))
    for name, part in (("ball", slice(3, 6)), ("heel", slice(0, 3))):  # where both are down they nearly agree
        mask = down[name] | both
        arm = paths[name][mask] - ankle[mask]
        shift[mask] += offsets[mask, part] + arm - R.rotate(R.exp(turns[mask]), arm)
        held[mask] += 1.0
    shift /= np.maximum(held, 1.0)
    return turns, fade_between(shift, down["heel"] | down["ball"], ramp, fps, GRAIN)


def _calm_ankle(
    track: FootTrack, turns: Float, shift: Float, down: dict[str, Bool], both: Bool, fps: float
) -> Float | None:
    """Rotation vectors (F, 3) of a foot that is turned about the points it stands on so that its ankle is not shaken; None: nothing to do.

    Recorded feet tremble about their ankles. Held by a point of the sole such a foot would shake the leg instead.
    """
    rough = shift - smooth(shift, _TREMBLE * fps)
    if float(np.abs(rough[down["ball"] | both]).max(initial=0.0)) < _LEAST_TREMBLE:
        return None
    pivot = np.where(
        both[:, None], 0.5 * (track.heel + track.ball), np.where(down["ball"][:, None], track.ball, track.heel)
    )
    turn = R.exp(turns)
    arm = R.rotate(turn, track.ankle - pivot)
    tilt = -np.cross(arm, rough) / np.maximum(np.einsum("fi,fi->f", arm, arm), 1e-6)[:, None]
    sole = R.normalize(R.rotate(turn, track.ball - track.heel) + 1e-12)
    along = np.einsum("fi,fi->f", tilt, sole)[:, None] * sole
    # while both points are down they stay: the foot turns about the line between them only
    tilt = along + rise(_frames_from(both) / (_EASE_IN * fps))[:, None] * (tilt - along)
    size = np.linalg.norm(tilt, axis=1, keepdims=True)
    tilt *= np.minimum(1.0, _MOST_CALM / np.maximum(size, 1e-12))
    weight = np.zeros(len(track))
    for start, end in intervals_of(down["ball"] | both):  # held by the heel alone the toes would be shaken
        frames = np.arange(start, end)
        weight[start:end] = rise(np.minimum(frames - start + 1, end - frames) / (_EASE_IN * fps))
    tilt *= weight[:, None]
    return R.log(R.multiply(R.exp(tilt), turn))


def _pitch_alike(
    track: FootTrack,
    turns: Float,
    across: Float,
    heights: tuple[Float, Float],
    planted: Bool,
    both: Bool,
    fps: float,
) -> Float:
    """Rotation vectors (F, 3) of a foot that is pitched as in its source while one of its points is down.

    Args:
        track: the foot.
        turns: (F, 3) what it is turned by so far.
        across: (F, 3) unit axes across the foot.
        heights: (F,) metres of heel and ball in the source.
        planted, both: (F,) frames in which any point, and in which both are down.
        fps: frames per second.
    """
    length = np.maximum(np.linalg.norm(track.ball - track.heel, axis=1), 1e-6)
    now = R.rotate(R.exp(turns), track.ball - track.heel)[:, 1]
    wanted, own = (np.arcsin(np.clip(higher / length, -1.0, 1.0)) for higher in (heights[1] - heights[0], now))
    pitch, ease = np.zeros(len(track)), rise(_frames_from(both) / (_EASE_IN * fps))
    for start, end in intervals_of(planted & ~both):
        pitch[start:end] = np.clip(smooth((wanted - own)[start:end], _FOLLOW * fps), -_MOST_PITCH, _MOST_PITCH)
    return R.log(R.multiply(R.exp(-across * (ease * pitch)[:, None]), R.exp(turns)))


def _frames_from(mask: Bool) -> Float:
    """(F,) frames to the nearest one of the mask."""
    return filters.distance_to(mask)


def _ease_leg(
    leg: Float, arm: Float, across: Float, turns: Float, shift: Float, on_ball: Bool, planted: Bool, fps: float
) -> Float:
    """Rotation vectors (F, 3) of a foot that is pitched about its ball so that the leg's reach changes less.

    A recorded ball slides forward while the heel rises; held back it would pull the leg straight. The foot stands steeper instead.
    Towards frames in which the heel is down, too, nothing is added.

    Args:
        leg: (F, 3) from hip to ankle.
        arm: (F, 3) from ball to ankle.
        across: (F, 3) unit axes across the foot.
        turns, shift: (F, 3) what is done to the foot so far.
        on_ball: (F,) the ball alone is down.
        planted: (F,) any point is down.
        fps: frames per second.
    """
    turn = R.exp(turns)
    aim = R.normalize(leg + shift)
    longer = np.einsum("ij,ij->i", aim, shift)
    lever = np.einsum("ij,ij->i", aim, np.cross(across, R.rotate(turn, arm)))
    size = np.linalg.norm(arm, axis=1)
    pitch = -_EASE_SHARE * longer * lever / (lever**2 + (0.3 * size) ** 2 + 1e-12)
    pitch = _MOST_EASE * np.tanh(pitch / _MOST_EASE)
    weight = np.zeros(len(leg))
    for start, end in intervals_of(on_ball):
        frames = np.arange(start, end)
        share = np.ones(end - start)
        if start > 0 and planted[start - 1]:
            share *= rise((frames - start + 1) / (_EASE_IN * fps))
        if end < len(leg) and planted[end]:
            share *= rise((end - frames) / (_EASE_IN * fps))
        weight[frames] = share
    return R.log(R.multiply(R.exp(across * (weight * pitch)[:, None]), turn))
