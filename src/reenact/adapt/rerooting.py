"""Feet that do not skate, the other way: the body hangs on the planted foot instead of on its hips (Lyard 2008, section 3.2.1).

The ankle of the planted foot stays where it came down, in height too, and the body follows it. A foot about to be planted must meet the
floor exactly: what it is off is spread as a raised cosine from its lift-off to its touch-down, held while it stands, and fades until the
next one. The foot itself turns as recorded, so that skin away from the ankle still moves: that is what the method leaves. The body may be
lowered a little first, so that legs bend rather than stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reenact.adapt.skin_planting import SkinPlanting, SoleSkin
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.solve.feet import Foot
from reenact.solve.limb import place_limb

LOWERED = 0.01
"""Metres that the body is lowered first."""


def reroot(
    clip: Clip,
    skin: SoleSkin,
    planting: SkinPlanting,
    feet: Sequence[Foot],
    floor: float = 0.0,
    lowered: float = LOWERED,
) -> Clip:
    """The motion with its planted ankles still, and its soles on the floor when they come down.

    Args:
        clip: the motion.
        skin: its soles.
        planting: which foot is planted when.
        feet: both feet, see `find_feet`.
        floor: metres.
        lowered: metres the body is lowered first.
    """
    world = clip.world(np.float64)
    by_number = {("left", "right").index(foot.side): foot for foot in feet}
    stances = [one for one in planting.intervals() if one[0] in by_number]
    if not stances:
        return clip
    ankles = {number: world.positions[:, foot.leg.end] for number, foot in by_number.items()}
    shift = np.zeros((len(clip), 3))
    shift[:, 1] = -lowered
    lifts = {number: np.zeros(len(clip)) for number in by_number}
    current = shift[0].copy()
    for place, (number, start, end) in enumerate(stances):
        sole = skin.places[start, skin.feet == number, 1].min()
        lift = floor - (sole + current[1])
        _spread(lifts[number], lift, *_around(stances, place, len(clip)))
        way = ankles[number][start] - ankles[number][start:end]
        shift[start:end] = current + way
        following = stances[place + 1][1] if place + 1 < len(stances) else len(clip)
        shift[end:following] = current + way[-1]  # in flight the body goes on as recorded
        current = shift[following - 1].copy()
    moved = replace(clip, root=(clip.root + shift).astype(np.float32))
    targets = {number: ankles[number] + shift + lifts[number][:, None] * (0.0, 1.0, 0.0) for number in by_number}
    for number, foot in by_number.items():
        if np.any(lifts[number]):
            rotations, _ = place_limb(moved, foot.leg, targets[number])
            moved = replace(moved, rotations=rotations.astype(np.float32))
    return moved.with_plants(clip.plants)


def _around(stances, place: int, frames: int) -> tuple[int, int, int, int]:
    """Lift-off before a stance, its first frame, the frame after its last, and the next touch-down of the same foot."""
    number, start, end = stances[place]
    before = [e for n, s, e in stances[:place] if n == number]
    after = [s for n, s, e in stances[place + 1 :] if n == number]
    return (before[-1] if before else 0), start, end, (after[0] if after else frames)


def _spread(lift: Float, size: float, left: int, start: int, end: int, following: int) -> None:
    lift[start:end] += size
    if start > left:
        share = (np.arange(left, start) - left) / (start - left)
        lift[left:start] += size * (0.5 - 0.5 * np.cos(np.pi * share))
    if following > end:
        share = (np.arange(end, following) - end + 1) / (following - end + 1)
        lift[end:following] += size * (0.5 + 0.5 * np.cos(np.pi * share))
