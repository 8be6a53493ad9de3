"""Bodies that lie, kneel, sit and roll on the floor: raised or lowered so that their own flesh rests where the source's did.

The joints of a body that lies are as high as it is thick, not as its legs are long. So while any part but the feet (and hands, which have
their own way) is near the floor, the body goes to where its lowest skin is as far above the floor as that of the source was, for its
size; and it never goes into the floor. Feet that are planted stay where they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core import filters
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot
from reenact.solve.flesh import Flesh
from reenact.solve.leading import nearness
from reenact.solve.reaching import reach

BODY = (
    *("hips", "spine", "chest", "neck", "head"),
    *(f"{side}_{part}" for side in ("left", "right") for part in ("shoulder", "upper_leg", "lower_leg")),
)
"""Parts a body rests on, but for its feet and arms."""
_NEAR, _FAR = 0.04, 0.16  # of the source's leg above the floor: the body rests on it, it does not
_SMOOTH = 0.12  # seconds
_LEAST = 0.002  # metres


def rest_on_floor(
    clip: Clip,
    flesh: Flesh,
    source: Clip,
    source_flesh: Flesh,
    scale: float,
    floors: tuple[float, float],
    leg: float,
    worlds: tuple[World, World] | None = None,
) -> Float:
    """(F,) metres by which a mapped body has to be raised.

    Args:
        clip: the mapped motion.
        flesh: of its body.
        source: the motion it was made of.
        source_flesh: of that one's body.
        scale: of lengths.
        floors: heights of the source's floor and of the floor the clip is on.
        leg: metres, length of the source's legs.
        worlds: forward kinematics of clip and source in float64, when at hand.
    """
    here, there = (clip.world(np.float64), source.world(np.float64)) if worlds is None else worlds
    theirs = source_flesh.lowest(there, BODY) - floors[0]
    own = flesh.lowest(here, BODY) - floors[1]
    rests = 1.0 - rise((theirs - _NEAR * leg) / ((_FAR - _NEAR) * leg))
    wanted = rests * (scale * np.maximum(theirs, 0.0) - own)
    width = _SMOOTH * clip.fps
    lift = smooth(np.maximum(wanted, -own * (own < 0.0)), width)
    for _ in range(5):  # what smoothing took away where the body is deepest
        under = np.maximum(-(own + lift), 0.0)
        if float(under.max(initial=0.0)) < _LEAST:
            break
        lift = lift + smooth(filters.maximum(under, 2 * round(width) + 1), width)
    return lift


def raise_body(
    clip: Clip, lift: Float, plants: FootPlants | None, feet: tuple[Foot, ...], before: World | None = None
) -> Clip:
    """The clip raised by `lift` (F,) metres, its planted feet where they were; `before` is its forward kinematics, when at hand."""
    if float(np.abs(lift).max(initial=0.0)) < _LEAST:
        return clip
    before = clip.world(np.float64) if before is None else before
    root = clip.root.astype(np.float64)
    root[:, 1] += lift
    made = replace(clip, root=root.astype(np.float32))
    if plants is None:
        return made
    for foot in feet:
        contact = plants.foot(foot.side)
        if contact.plant.any():
            near = np.where(lift != 0.0, nearness(contact.plant, clip.fps), 0.0)
            made = reach(made, foot.leg, before.positions[:, foot.leg.end], near)
    return made
