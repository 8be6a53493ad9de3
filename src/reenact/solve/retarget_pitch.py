"""Long feet on short legs: pitched less than the source's, so that heels and toes rise no higher than the body is scaled.

A foot that rolls over its ball lifts its ankle by its own length. Where that length is large for the legs, as on the big shoes of small
figures, the same pitch would bend the knee of the standing leg. While such a foot is near the floor it is turned out of the level by less,
in the ratio of the lengths; in the air it is turned as the source's.
"""

from __future__ import annotations

import numpy as np

from reenact.analysis.foot_stance import FootStance
from reenact.core import rotations as R
from reenact.core.arrays import Float

_NEAR = 0.12  # of the leg's length above the floor, up to which a ball is near it
_UP = np.array([0.0, 1.0, 0.0])


def pitch_share(source: FootStance, target: FootStance, scale: float) -> float:
    """0..1: what of the source's pitch a target's foot takes, by how long both are for their legs."""
    lengths = [
        float(np.linalg.norm(stance.ball - (stance.ball @ stance.up) * stance.up)) for stance in (source, target)
    ]
    return min(1.0, scale * lengths[0] / max(lengths[1], 1e-9))


def level_foot(foot: Float, ball_height: Float, share: float, leg: float) -> Float:
    """(F, 4) the frame of a foot (y up from the sole, z ahead) turned out of the level by a share of what it is.

    Args:
        foot: (F, 4) the frame.
        ball_height: (F,) metres of the ball above the floor.
        share: 0..1, while the ball is on the floor.
        leg: metres, what counts as near is a part of that.
    """
    ahead = R.rotate(foot, np.array([0.0, 0.0, 1.0]))
    flat = R.normalize(ahead * (1.0, 0.0, 1.0) + 1e-9)
    level = R.from_matrix(np.stack([np.cross(_UP, flat), np.broadcast_to(_UP, flat.shape), flat], axis=-1))
    near = np.exp(-((np.maximum(ball_height, 0.0) / (_NEAR * leg)) ** 2))
    upright = np.clip(2.0 * R.rotate(foot, _UP)[:, 1], 0.0, 1.0)  # of feet whose soles look aside nothing is known
    turn = R.multiply(foot, R.conjugate(level))
    part = R.slerp(R.identity(len(foot)), turn, 1.0 - (1.0 - share) * near * upright)
    return R.multiply(part, level)
