"""Jerks of recordings that a blend makes larger, calmed.

In many recordings several joints jump within one frame in such a way that nothing is seen: what the hips turn too far, the legs turn back.
A blend changes the one and not the other, and the jump comes out. Where a joint is pushed harder than in any source, the rotations of
some frames round it are low-passed, as little as helps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.edit.blending import Local
from reenact.solve.joint_pushes import joint_pushes

_WIDTHS = (0.012, 0.02, 0.03, 0.045)  # seconds, widths of the low-pass that are tried one after the other
_ENDS = 4  # frames at either end of the window over which nothing is changed, then little


def calm(blend: Local, show: Callable[[Local], Clip], limit: Float) -> Local:
    """The blend without pushes beyond the limit, as far as a low-pass over a tenth of a second or so can do it.

    Args:
        blend: motion of a window.
        show: the clip it makes.
        limit: (J,) or (N, J) m/s^2, the largest acceleration each joint may have in the world.
    """
    frames = np.arange(len(blend))
    edge = rise((np.minimum(frames, frames[::-1]) - 1) / _ENDS)
    for width in _WIDTHS:
        clip = show(blend)
        over = np.flatnonzero((joint_pushes(clip) > limit).any(axis=1))
        if not len(over):
            break
        sigma = max(width * clip.fps, 0.8)
        near = np.abs(frames[:, None] - over).min(axis=1)
        weight = edge * rise(2 - near / (3 * sigma))
        turns = R.make_continuous(blend.turns)
        calmed = R.normalize(turns + weight[:, None, None] * (smooth(turns, sigma) - turns))
        points = blend.points + weight[:, None, None] * (smooth(blend.points, sigma) - blend.points)
        blend = replace(blend, turns=calmed, points=points)
    return blend
