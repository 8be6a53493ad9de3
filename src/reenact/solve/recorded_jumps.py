"""Jumps of a recording: a planted foot that is elsewhere from one frame to the next stands in two places, not in one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.solve.feet import Foot, FootTrack, track_foot

FASTEST = 4.0
"""Metres per second: faster no planted foot skates."""

FARTHEST = 0.025
"""Metres between two frames: less may be noise at high frame rates."""


def part_at_jumps(plants: FootPlants, world: World, feet: Sequence[Foot], fps: float) -> tuple[FootPlants, list[int]]:
    """The plants with the two frames about every jump of a planted point left out, and the frames in which it jumped.

    Holding one place over a jump would move the body by as much within a frame.
    """
    jumps: set[int] = set()
    contacts = {side: plants.foot(side) for side in ("left", "right")}
    for foot in feet:
        contact, track = contacts[foot.side], track_foot(world, foot)
        at = _jumps(track, contact, fps)
        if not at.any():
            continue
        frames = np.flatnonzero(at)
        jumps.update(int(frame) for frame in frames)
        free = at.copy()
        free[frames - 1] = True
        contacts[foot.side] = FootContact(contact.heel & ~free, contact.ball & ~free, contact.confidence)
    if not jumps:
        return plants, []
    return FootPlants(contacts["left"], contacts["right"], plants.fps, plants.floor, plants.source), sorted(jumps)


def _jumps(track: FootTrack, contact: FootContact, fps: float) -> Bool:
    """(F,) frames in which a point that was planted in the frame before is planted elsewhere."""
    found = np.zeros(len(track), np.bool_)
    pairs: tuple[tuple[Float, Bool], ...] = ((track.heel, contact.heel), (track.ball, contact.ball))
    for path, mask in pairs:
        step = np.linalg.norm(np.diff(path[:, [0, 2]], axis=0), axis=1)
        found[1:] |= mask[1:] & mask[:-1] & (step > max(FARTHEST, FASTEST / fps))
    return found
