"""The way of a foot with every plant held still where it is on the average."""

from __future__ import annotations

from reenact.core.foot_plants import FootContact, intervals_of
from reenact.solve.feet import FootTrack
from reenact.solve.pinning import pin_track

_PARTS = ("ankle", "foot", "toes", "heel", "ball")


def pin_plants(track: FootTrack, contact: FootContact, fps: float, *, flat: bool = True) -> FootTrack:
    """The track with its plants pinned: recorded plants skate by a centimetre or so, and the mean place is the best guess.

    With `flat` only the way over the floor is held; a foot rolls and lifts as recorded, because contacts are not known to the frame.

    Args:
        track: a foot over the frames of a clip.
        contact: its contacts over the same frames.
        fps: frames per second.
        flat: see `pin_track`.
    """
    parts = {name: getattr(track, name).copy() for name in _PARTS}
    for first, last in intervals_of(contact.plant):
        span = slice(first, last)
        pin = pin_track(track[span], contact.heel[span], contact.ball[span], fps, flat=flat)
        done = track[span].moved(pin.shift - pin.shift.mean(axis=0), pin.turn)
        for name, values in parts.items():
            values[span] = getattr(done, name)
    return FootTrack(**parts)
