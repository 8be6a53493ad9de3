"""Holding a foot over one plant, from where the motion around it has the foot.

The foot keeps the roll and the heights of its source. It is shifted and turned just so much that its planted points do not move over the
floor (`holding`), and stays as it is in the frame at which the plant is tied to the motion around it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.ramps import rise
from reenact.solve.feet import FootTrack
from reenact.solve.holding import hold_track
from reenact.solve.stances import HoldParameters

_EASE = 0.03  # seconds in which a skating foot comes to rest where its plant is entered in the middle
_MOST_EASE = 0.001  # metres it may still move while doing so
_TIED = 0.1  # seconds from where a plant is tied within which it takes on its hold


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
    loose: bool = False,
) -> Pin:
    """Pin a foot over one plant.

    Args:
        track: the foot in its source, frames of the plant only.
        heel: (F,) the heel point is planted; where neither is, the points that were before.
        ball: (F,) likewise the ball point.
        fps: frames per second.
        from_end: the last frame stays where it is in the source, instead of the first.
        moving: the foot skates in its source before this plant's first (after its last) frame: let it come to rest within a few
            hundredths of a second and at most 1 mm, instead of at once.
        loose: the plant is tied to nothing: it is held where it is on the average.
    """
    if not len(track):
        return Pin(np.zeros((0, 3)), R.identity(0))
    contacts = _filled(heel, ball)
    asked = HoldParameters(anchor="end" if from_end else "start", on_floor="keep")
    if loose:
        held = hold_track(track, contacts, fps, HoldParameters(on_floor="keep"))
        return Pin(held.shift, held.turn)
    held = hold_track(track, contacts, fps, asked)
    frames = np.arange(len(track))[:: -1 if from_end else 1]
    tie = len(track) - 1 if from_end else 0
    share = 1.0 - rise(frames / (_TIED * fps))
    shift = held.shift - share[:, None] * held.shift[tie]
    turn = R.exp(R.log(held.turn) - share[:, None] * R.log(held.turn[tie]))
    if moving and len(track) > 2:
        shift = shift + _come_to_rest(track, contacts, fps, from_end)
    return Pin(shift, turn)


def _filled(heel: Bool, ball: Bool) -> tuple[Bool, Bool]:
    """Contacts in which at least one point is planted in every frame: the points that were before, or will be."""
    masks = np.stack([heel, ball], axis=1)
    known = np.flatnonzero(masks.any(axis=1))
    if not len(known):
        return np.zeros(len(masks), np.bool_), np.ones(len(masks), np.bool_)
    at = known[np.maximum(np.searchsorted(known, np.arange(len(masks)), side="right") - 1, 0)]
    return masks[at, 0], masks[at, 1]


def _come_to_rest(track: FootTrack, contacts: tuple[Bool, Bool], fps: float, from_end: bool) -> Float:
    """(F, 3) what a foot still moves after its pin was set (before it is let go), so that its velocity does not change at once."""
    order = slice(None, None, -1) if from_end else slice(None)
    point = (track.heel if contacts[0][order][0] else track.ball)[order]
    ahead = min(3, len(track) - 1)
    speed = (point[ahead] - point[0]) * (fps / ahead) * (1.0, 0.0, 1.0)
    size = float(np.linalg.norm(speed)) * _EASE
    if size > _MOST_EASE:
        speed = speed * (_MOST_EASE / size)
    time = np.arange(len(track)) / fps
    return (speed * (_EASE * -np.expm1(-time / _EASE))[:, None])[order]
