"""Holding a planted foot still: the heel point while the heel is planted, the ball point while the ball is.

The foot keeps the roll of its source. It is shifted (and, while both points are planted, turned) just so much that the planted points
do not move; recorded plants skate by a centimetre or so, and a blend adds its own. A foot frozen as a whole over a plant would look
wrong, because a real one rolls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import intervals_of
from reenact.core.ramps import rise
from reenact.solve.feet import FootTrack

_EASE = 0.03  # seconds in which a skating foot comes to rest where its plant is entered in the middle
_MOST_EASE = 0.001  # metres it may still move while doing so
_ROLL = 0.008  # metres by which the two points may come nearer while a foot that is held over the floor rolls; each gives half
_LOOSEN = 0.2  # seconds in which a foot that holds one point gives up the turn by which it held both


@dataclass(frozen=True, slots=True, eq=False)
class Pin:
    """What keeps a planted foot still, to be given to `FootTrack.moved`.

    Attributes:
        shift: (F, 3) metres.
        turn: (F, 4) world rotations about the ankle.
    """

    shift: Float
    turn: Float

    @property
    def last_offset(self) -> float:
        """Metres by which the last frame is shifted."""
        return float(np.linalg.norm(self.shift[-1])) if len(self.shift) else 0.0


def pin_track(
    track: FootTrack,
    heel: Bool,
    ball: Bool,
    fps: float,
    *,
    from_end: bool = False,
    moving: bool = False,
    flat: bool = False,
) -> Pin:
    """Pin a foot over one plant.

    Args:
        track: the foot in its source, frames of the plant only.
        heel: (F,) the heel point is planted; at least one of both in every frame, else the point that was.
        ball: (F,) likewise the ball point.
        fps: frames per second.
        from_end: the last frame stays where it is in the source, instead of the first.
        moving: the foot skates in its source before this plant's first (last) frame: let it come to rest within a few hundredths of
            a second and at most 1 mm, instead of at once.
        flat: points are held over the floor alone: the foot keeps the heights and the roll of its source while both are planted, too.
    """
    if from_end:
        back = FootTrack(track.ankle[::-1], track.foot[::-1], track.toes[::-1], track.heel[::-1], track.ball[::-1])
        pin = pin_track(back, heel[::-1], ball[::-1], fps, moving=moving, flat=flat)
        return Pin(pin.shift[::-1], pin.turn[::-1])
    count = len(track)
    shift, turns = np.zeros((count, 3)), R.identity(count)
    rests = {"heel": track.heel - track.ankle, "ball": track.ball - track.ankle}
    down = {"heel": np.asarray(heel), "ball": np.asarray(ball)}
    single = bool(np.allclose(track.heel, track.ball))
    places: dict[str, Float] = {}
    turn = R.identity()
    loose = _loosening(down["heel"] & down["ball"], fps)
    last = ["heel" if count and heel[0] else "ball"]
    for frame in range(count):
        names = [name for name in ("heel", "ball") if down[name][frame]] or last
        names = names[:1] if single else names
        ankle = track.ankle[frame]
        held = [name for name in names if name in places]
        if len(held) == 2:
            sole, wanted = rests["ball"][frame] - rests["heel"][frame], places["ball"] - places["heel"]
            turn = _about_up(sole, wanted) if flat else R.between(sole, wanted)
        elif loose[frame] > 0:
            turn = R.slerp(turn, R.identity(), loose[frame])
        arms = {name: R.rotate(turn, rests[name][frame]) for name in names}
        if held:
            shift[frame] = np.mean([places[name] - ankle - arms[name] for name in held], axis=0)
            shift[frame, 1] *= not flat
        elif frame:
            shift[frame] = shift[frame - 1]
        turns[frame] = turn
        places = {name: places[name] if name in held else ankle + shift[frame] + arms[name] for name in names}
        last = names
    if moving and count > 2:
        shift += _come_to_rest(track.ankle + shift, track, last_names=down, fps=fps)
    return Pin(shift, turns)


def _about_up(sole: Float, wanted: Float) -> Float:
    """(4,) the turn about the up axis that brings one vector below or above the other.

    A foot that rolls brings its two points nearer to each other seen from above; more than the two may give, it is not let roll.
    """
    turn = R.about_y(np.arctan2(wanted[0], wanted[2]) - np.arctan2(sole[0], sole[2]))
    own, held = float(np.hypot(sole[0], sole[2])), float(np.hypot(wanted[0], wanted[2]))
    most = float(np.linalg.norm(sole))
    length = min(float(np.clip(own, held - _ROLL, held + _ROLL)), most)
    if length == own or held < 1e-9:
        return turn
    ahead = wanted / held * length
    ahead[1] = np.copysign(np.sqrt(max(most * most - length * length, 0.0)), sole[1])
    return R.multiply(R.between(R.rotate(turn, sole), ahead), turn)


def _loosening(both: Bool, fps: float) -> Float:
    """(F,) how much of what is left of a turn is given up in each frame in which not both points are held.

    A foot that lifts one point and sets it down again must not keep the turn: over a long plant turns would add up.
    """
    share = np.zeros(len(both))
    for start, end in intervals_of(~both):
        kept = 1 - rise(np.arange(1, end - start + 1) / max(end - start, _LOOSEN * fps))
        before = np.concatenate([[1.0], kept[:-1]])
        share[start:end] = 1 - kept / np.maximum(before, 1e-9)
    return share


def _come_to_rest(pinned: Float, track: FootTrack, last_names: dict[str, Bool], fps: float) -> Float:
    """(F, 3) what a foot still moves after its pin was set, so that its velocity does not stop at once."""
    point = track.heel if last_names["heel"][0] else track.ball
    ahead = min(3, len(track) - 1)
    speed = (point[ahead] - point[0]) * (fps / ahead)
    size = float(np.linalg.norm(speed)) * _EASE
    if size > _MOST_EASE:
        speed = speed * (_MOST_EASE / size)
    time = np.arange(len(pinned)) / fps
    return speed * (_EASE * -np.expm1(-time / _EASE))[:, None]
