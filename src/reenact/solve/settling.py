"""How a foot is turned and shifted so that its held points are where they are wanted: smoothly, and as its leg likes it.

The foot is pitched as in its source while one of its points is down, to spare its leg while it stands on its ball, and so that its ankle
does not tremble; what is done to it fades beside its plants. So nothing is felt farther away, and where plants have changed only what
lies beside them is settled again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import intervals_of
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.fading import fade_between
from reenact.solve.feet import FootTrack
from reenact.solve.result_quality import LIMITS
from reenact.solve.stances import GRAIN

FOLLOW = 0.03
"""Seconds, width of the low-pass over what a planted foot is raised and pitched by to be like its source."""

_GRAIN_TURN = 0.03  # radians that a velocity may carry a turn to in any case
_EASE_SHARE = 0.8  # of the leg's change that the pitch of the foot takes over
_MOST_EASE = float(np.radians(LIMITS["pitch_degrees"][0]))  # radians it may take: what is good of a planted foot
_TREMBLE, _LEAST_TREMBLE = 0.03, 0.0002  # seconds up to which, and metres from which on, an ankle trembles
_MOST_CALM, _CALM_ROUNDS = 0.06, 2  # radians a foot is turned for that, and how often
_MOST_PITCH = 0.35  # radians a foot is pitched to be like its source
_FELT, _LOOKS = 3.0, 0.05  # times the ramp, and seconds more, from which on nothing is felt of what is done to a foot
_UNFELT = 1e-9  # metres, radians
_PART = 0.6  # of the frames: if more have to be settled again, all are
_EASE_IN = 0.08  # seconds after the heel has left the ground in which it does


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is asked of a foot: its track, when its points are down (F,), and where (F, 6); see `hold_track` and `_move_foot`."""

    track: FootTrack
    heel: Bool
    ball: Bool
    both: Bool
    offsets: Float
    hip: Float | None
    heights: tuple[Float, Float] | None
    ramp: float
    fps: float

    def __getitem__(self, frames: slice) -> Asked:
        return Asked(
            self.track[frames],
            self.heel[frames],
            self.ball[frames],
            self.both[frames],
            self.offsets[frames],
            None if self.hip is None else self.hip[frames],
            None if self.heights is None else (self.heights[0][frames], self.heights[1][frames]),
            self.ramp,
            self.fps,
        )

    @property
    def on_ball(self) -> Bool:
        """(F,) the ball alone is down."""
        return self.ball & ~self.heel & ~self.both

    def steps(self) -> tuple[bool, bool]:
        """Whether the foot is pitched as its source, and to spare its leg."""
        return bool(self.both.any()) or self.heights is not None, self.hip is not None and bool(self.on_ball.any())

    def differs(self, other: Asked) -> Bool:
        """(F,) frames in which something else is asked."""
        away = (self.heel != other.heel) | (self.ball != other.ball) | (self.both != other.both)
        away |= np.any(self.offsets != other.offsets, axis=1)
        if self.track is not other.track:
            away |= np.any(self.track.foot != other.track.foot, axis=1)
        return away


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What is done to a foot: rotation vectors (F, 3), the shift of its ankle (F, 3), and for each round how much it trembled (F,)."""

    turns: Float
    shift: Float
    trembles: tuple[Float, ...]


def settle(asked: Asked, steps: tuple[bool, bool], trembles: Sequence[float] | None = None) -> Settled:
    """Turn and shift a foot so that its points are where they are wanted.

    Args:
        asked: see there.
        steps: see `Asked.steps`.
        trembles: for each round, metres that the ankle trembles outside of these frames; default: there is nothing outside.
    """
    track, both, planted = asked.track, asked.both, asked.heel | asked.ball
    turns, shift = _move_foot(asked)
    flat = (track.ball - track.heel) * (1.0, 0.0, 1.0)
    across = np.cross((0.0, 1.0, 0.0), R.normalize(flat + 1e-9 * np.array([0.0, 0.0, 1.0])))
    if steps[0]:
        heights = asked.heights or (track.heel[:, 1], track.ball[:, 1])
        pitched = _pitch_alike(track, turns, across, heights, planted, both, asked.fps)
        turns, shift = _move_foot(asked, pitched, planted)
    if steps[1] and asked.hip is not None:
        leg, arm = track.ankle - asked.hip, track.ankle - track.ball
        eased = _ease_leg(leg, arm, across, turns, shift, asked.on_ball, planted, asked.fps)
        turns, shift = _move_foot(asked, eased, planted)
    found: list[Float] = []
    for turn in range(_CALM_ROUNDS):
        rough = shift - smooth(shift, _TREMBLE * asked.fps)
        found.append(np.where(asked.ball | both, np.abs(rough).max(axis=1, initial=0.0), 0.0))
        elsewhere = 0.0 if trembles is None else trembles[turn] if turn < len(trembles) else 0.0
        if max(float(found[-1].max(initial=0.0)), elsewhere) < _LEAST_TREMBLE:
            break
        calmed = _calm_ankle(track, turns, rough, asked.ball, both, asked.fps)
        turns, shift = _move_foot(asked, calmed, planted)
    return Settled(turns, shift, tuple(found))


def settle_again(asked: Asked, before: Asked, known: Settled) -> Settled | None:
    """The same where it was settled for other plants before: only what differs, and what lies beside it. None where all has to be done.

    What is done to a foot fades within the ramp beside its plants, so nothing is felt farther away; that is looked at.
    """
    beside = round(_FELT * (asked.ramp + _LOOKS) * asked.fps)
    part = filters.widened(asked.differs(before), 2 * beside)
    if part.mean() > _PART or asked.steps() != before.steps():
        return None
    turns, shift = known.turns.copy(), known.shift.copy()
    trembles = [one.copy() for one in known.trembles]
    for start, end in intervals_of(part):
        outside = [float(np.concatenate([one[:start], one[end:]]).max(initial=0.0)) for one in trembles]
        made = settle(asked[start:end], asked.steps(), outside)
        if len(made.trembles) != len(trembles):
            return None
        first, last = (start + beside if start > 0 else 0), (end - beside if end < len(part) else len(part))
        rims = [slice(start + beside // 2, first), slice(last, end - beside // 2)]
        for rim in rims:
            inside = slice(rim.start - start, rim.stop - start)
            for one, other in ((made.turns[inside], known.turns[rim]), (made.shift[inside], known.shift[rim])):
                if float(np.abs(one - other).max(initial=0.0)) > _UNFELT:
                    return None
        inner = slice(first - start, last - start)
        turns[first:last], shift[first:last] = made.turns[inner], made.shift[inner]
        for own, new in zip(trembles, made.trembles, strict=True):
            own[first:last] = new[inner]
    return Settled(turns, shift, tuple(trembles))


def _move_foot(asked: Asked, eased: Float | None = None, where: Bool | None = None) -> tuple[Float, Float]:
    """Rotation vectors (F, 3) and ankle shift (F, 3) of a foot whose points are moved by `offsets` (F, 6) where they are down.

    `eased` (F, 3) are rotation vectors already known for the frames `where`.
    """
    ankle, both, offsets, ramp, fps = asked.track.ankle, asked.both, asked.offsets, asked.ramp, asked.fps
    paths, down = {"heel": asked.track.heel, "ball": asked.track.ball}, {"heel": asked.heel, "ball": asked.ball}
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


def _calm_ankle(track: FootTrack, turns: Float, rough: Float, on_ball: Bool, both: Bool, fps: float) -> Float:
    """Rotation vectors (F, 3) of a foot that is turned about the points it stands on so that its ankle is not shaken.

    Recorded feet tremble about their ankles, by `rough` (F, 3) metres. Held by a point of the sole such a foot would shake the leg instead.
    """
    pivot = np.where(both[:, None], 0.5 * (track.heel + track.ball), np.where(on_ball[:, None], track.ball, track.heel))
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
    for start, end in intervals_of(on_ball | both):  # held by the heel alone the toes would be shaken
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
        pitch[start:end] = np.clip(smooth((wanted - own)[start:end], FOLLOW * fps), -_MOST_PITCH, _MOST_PITCH)
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
