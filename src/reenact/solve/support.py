"""What carries the body: the stillest low point of both feet, how long it slides, and how long nothing stands still."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Bool, Float
from reenact.core.derivatives import differentiate
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot, FootTrack
from reenact.solve.joint_pushes import around
from reenact.solve.shown import Shown

LOW = 0.025  # metres above its level within which a point may carry the body
SLIDING = 0.3  # m/s of the stillest such point, from which on the body slides
_BEFORE_OR_AFTER = 0.08  # seconds by which a source may slide sooner or later
_CREEPING = 0.2  # m/s below which it does not; in between a moment counts in part
_CALM = 0.012  # seconds, width of the low-pass before speeds are taken


def low_speed(track: FootTrack, level: dict[str, float], fps: float, foot: Foot, low: float = LOW) -> Float:
    """(F,) m/s over the floor of the stiller of heel and ball, as far as they are low; infinite where neither is."""
    speeds = []
    for name in ("heel", "ball")[: 1 if foot.single else 2]:
        path = getattr(track, name)
        speed = np.linalg.norm(differentiate(smooth(path, _CALM * fps), fps)[:, [0, 2]], axis=1)
        speeds.append(np.where(path[:, 1] < level[name] + low, speed, np.inf))
    return np.min(speeds, axis=0)


def slides(
    speeds: Sequence[Float],
    speeds_of: Sequence[Sequence[Float]],
    sources: Sequence[Shown],
    changed: tuple[int, int],
    fps: float,
    *,
    found: bool,
) -> float:
    """Seconds in which the stillest low point slides, beyond the most that any source does in the frames shown.

    Where the frames shown are found and not known (`found`), beyond what sources do about each of them.
    """

    def sliding(of: Sequence[Float]) -> Float:
        stillest = np.min(of, axis=0)
        return np.where(np.isfinite(stillest), np.clip((stillest - _CREEPING) / (SLIDING - _CREEPING), 0.0, 1.0), 0.0)

    own = sliding(speeds)[slice(*changed)]
    theirs, most_of_one = np.zeros(len(own)), 0.0
    for source, of in zip(sources, speeds_of, strict=True):
        at = source.frames[slice(*changed)]
        most_of_one = max(most_of_one, float(sliding(of)[at[at >= 0]].sum()))
        most = around(sliding(of)[:, None], round(_BEFORE_OR_AFTER * fps))[:, 0]
        theirs = np.maximum(theirs, np.where(at >= 0, most[np.maximum(at, 0)], 0.0))
    return (float(np.maximum(own - theirs, 0.0).sum()) if found else max(float(own.sum()) - most_of_one, 0.0)) / fps


def unsupported(
    still: Sequence[Bool],
    still_of: Sequence[Sequence[Bool]],
    sources: Sequence[Shown],
    changed: tuple[int, int],
    fps: float,
) -> float:
    """Seconds in which no foot stands still near the floor, though one does in every source that is shown."""
    alone = ~np.logical_or.reduce(still)[slice(*changed)]
    for source, of in zip(sources, still_of, strict=True):
        at = source.frames[slice(*changed)]
        alone &= (at < 0) | np.logical_or.reduce(of)[np.maximum(at, 0)]
    return float(np.count_nonzero(alone)) / fps
