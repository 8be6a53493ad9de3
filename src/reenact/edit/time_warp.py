"""Time warps: moments of a motion moved to other moments, smoothly and never backwards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.resample import sample_at
from reenact.errors import ParameterError

_MOST_FRAMES = 1_000_000


def warp_time(clip: Clip, times: Sequence[tuple[float, float]]) -> tuple[Clip, Float]:
    """The clip with frame `t` shown at frame `t'` for every pair (t, t').

    Between pairs time runs along a monotone spline (Fritsch and Carlson 1980), after the last pair at its own speed. The first frame
    stays the first, unless a pair says otherwise.

    Args:
        clip: the motion.
        times: (old frame, new frame) pairs, both strictly ascending.

    Returns:
        the clip, and for each of its frames the (fractional) old frame it shows.
    """
    pairs = sorted((float(old), float(new)) for old, new in times)
    last = len(clip) - 1
    for old, new in pairs:
        if not (np.isfinite(old) and np.isfinite(new)) or not 0 <= old <= last:
            raise ParameterError(
                f"time key {old:g} is not a frame of {clip.name!r}, which has frames 0 to {last}", where="times"
            )
        if new < 0:
            raise ParameterError(f"time key {old:g}={new:g} lies before the first frame", where="times")
    if not pairs:
        raise ParameterError("give at least one time key OLD=NEW", where="times")
    if pairs[0][0] > 0:
        pairs.insert(0, (0.0, 0.0))
    old, new = np.array(pairs).T
    if np.any(np.diff(old) <= 0) or np.any(np.diff(new) <= 0):
        said = ", ".join(f"{a:g}={b:g}" for a, b in pairs)
        raise ParameterError(f"time keys must ascend on both sides, not {said}", where="times")
    after = last - old[-1]
    count = round(new[-1] + after) + 1
    if count > _MOST_FRAMES:
        raise ParameterError(f"{count} frames are too many", where="times")
    from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

    at = np.arange(count, dtype=np.float64)
    shown = old[-1] + (at - new[-1])
    if len(old) > 1:
        slopes = PchipInterpolator(new, old).derivative()(new)
        if after > 0:  # the last stretch runs into its own speed; three times the mean speed keeps it monotone
            slopes[-1] = min(1.0, 3 * (old[-1] - old[-2]) / (new[-1] - new[-2]))
        inside = at < new[-1]
        shown[inside] = CubicHermiteSpline(new, old, slopes)(at[inside])
    exact = {float(n): o for o, n in zip(old, new, strict=True)}
    shown = np.array([exact.get(float(n), s) for n, s in zip(at, shown, strict=True)])
    return sample_at(clip, shown, clip.fps, "smooth"), shown
