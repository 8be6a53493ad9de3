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
from reenact.solve.feet import FootTrack

_EASE = 0.03  # seconds in which a skating foot comes to rest where its plant is entered in the middle
_MOST_EASE = 0.001  # metres it may still move while doing so


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
    track: FootTrack, heel: Bool, ball: Bool, fps: float, *, from_end: bool = False, moving: bool = False
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
    """
    if from_end:
        back = FootTrack(track.ankle[::-1], track.foot[::-1], track.toes[::-1], track.heel[::-1], track.ball[::-1])
        pin = pin_track(back, heel[::-1], ball[::-1], fps, moving=moving)
        return Pin(pin.shift[::-1], pin.turn[::-1])
    count = len(track)
    shift, turns = np.zeros((count, 3)), R.identity(count)
    rests = {"heel": track.heel - track.ankle, "ball": track.ball - track.ankle}
    down = {"heel": np.asarray(heel), "ball": np.asarray(ball)}
    single = bool(np.allclose(track.heel, track.ball))
    places: dict[str, Float] = {}
    turn = R.identity()
    last = ["heel" if count and heel[0] else "ball"]
    for frame in range(count):
        names = [name for name in ("heel", "ball") if down[name][frame]] or last
        names = names[:1] if single else names
        ankle = track.ankle[frame]
        held = [name for name in names if name in places]
        if len(held) == 2:
            turn = R.between(rests["ball"][frame] - rests["heel"][frame], places["ball"] - places["heel"])
        arms = {name: R.rotate(turn, rests[name][frame]) for name in names}
        if held:
            shift[frame] = np.mean([places[name] - ankle - arms[name] for name in held], axis=0)
        elif frame:
            shift[frame] = shift[frame - 1]
        turns[frame] = turn
        places = {name: places[name] if name in held else ankle + shift[frame] + arms[name] for name in names}
        last = names
    if moving and count > 2:
        shift += _come_to_rest(track.ankle + shift, track, last_names=down, fps=fps)
    return Pin(shift, turns)


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
