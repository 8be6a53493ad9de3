"""One stance of a foot: a place on the ground for every planted interval of its points, and what the points are moved by to be there.

Heel and ball of a stance are as far apart as the foot is long. While both are down the foot's pitch has the freedom that a millimetre
or so on the ground leaves it, because recorded heels begin to rise before their plants end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core import filters
from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import Floor
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.fading import fade_between
from reenact.solve.planted_points import ground_diameter

Anchor = Literal["mean", "start", "end"]
ANCHORS = ("mean", "start", "end")
OnFloor = Literal["lift", "keep", "level", "snap"]
ON_FLOOR = ("lift", "keep", "level", "snap")

GRAIN = 0.005
"""Metres that a velocity may carry a correction to in any case, see `fade_between`."""

_ROUNDS = 12  # of fitting places to the length of the foot
_IN_FLOOR = 0.003  # metres below the floor that are lifted; less is within what a floor is known by
_ESTIMATED = 0.02  # metres that points which are no soles may be below it
_TOO_DEEP = 0.06  # metres below the floor from which on a plant stands on lower ground, not in the floor
_MOST_LIFT = 0.006  # metres such points are lifted
_LIFT = 0.05  # seconds over which a lift is spread
_SLOW = 0.02  # metres per second: the slack of very short stances is smaller, so that none slides faster
_STEEPEST = 0.99  # sine of the steepest pitch of a foot on heel and ball: none stands quite upright
_EVEN = 0.006  # metres: heel and ball this much apart in height share what they give way
_HANDS_OVER = 0.03  # seconds in which that goes over from one to the other
_HEIGHTS = 0.1  # seconds in which a point that gave way comes back to its own height
_WINDOWS = 11  # candidates for the range of pitches that a foot on heel and ball may have
_KNEE = 0.8  # share of a pitch window over which its bounds are approached

_COLUMNS = {"heel": slice(0, 3), "ball": slice(3, 6)}  # of both points' offsets


@dataclass(frozen=True, slots=True)
class HoldParameters:
    """How feet are held.

    Attributes:
        ramp: seconds in which a correction fades beside a plant.
        anchor: where a point is held: at the mean of its places (which changes the motion least), where it came down, or where it lifts.
        on_floor: heights: "lift" points that lie in the floor, "keep" all, "level" each plant, "snap" all plants to the floor.
        slack: metres a held point may be from its place on the ground, which lets the foot roll while heel and ball are both down.
        still: metres; points that never leave a circle of this radius are left as they are.
    """

    ramp: float = 0.3
    anchor: Anchor = "mean"
    on_floor: OnFloor = "lift"
    slack: float = 0.0009
    still: float = 0.00097


@dataclass(slots=True)
class Run:
    """A planted interval while its place is being found.

    Attributes:
        point: "heel" or "ball".
        start, end: half-open range of frames.
        place: (3,) metres, where the point is held; its height is the mean one.
        rise: (end - start,) metres its height is moved by in each frame.
    """

    point: str
    start: int
    end: int
    place: Float
    rise: Float

    @property
    def frames(self) -> slice:
        """Its frames."""
        return slice(self.start, self.end)


def is_still(path: Float, run: Run, asked: HoldParameters) -> bool:
    """A run needs nothing: it stays within a small circle on the ground, at the height it should have."""
    wide = ground_diameter(path[:, [0, 2]])
    return wide <= 2.0 * asked.still and float(np.abs(run.rise).max(initial=0.0)) <= asked.still


def choose_places(paths: dict[str, Float], runs: list[Run], asked: HoldParameters, floor: Floor | None) -> None:
    """Set the horizontal place of each run, and what its heights are moved by."""
    if asked.anchor == "mean":
        for run in runs:
            run.place = paths[run.point][run.frames].mean(axis=0)
    else:
        _follow_on(paths, runs, backward=asked.anchor == "end")
    for run in runs:
        path = paths[run.point][run.frames]
        if asked.on_floor in ("level", "snap"):
            run.rise = run.place[1] - path[:, 1]
        if floor is not None and asked.on_floor == "snap":
            height = float(floor.above(run.place)) / floor.normal[1]
            run.rise = run.rise - height
            run.place = run.place - (0.0, height, 0.0)


def _follow_on(paths: dict[str, Float], runs: list[Run], backward: bool) -> None:
    """Places by the first (last) frame of a stance; a later point is held where the one held before it brings it."""
    done: list[Run] = []
    for run in sorted(runs, key=lambda r: -r.end if backward else r.start):
        frame = run.end - 1 if backward else run.start
        place = paths[run.point][frame].copy()
        for other in reversed(done):
            if other.start <= frame + 1 and frame <= other.end:
                place += other.place - paths[other.point][min(max(frame, other.start), other.end - 1)]
                break
        run.place = place
        done.append(run)


def hold_runs(
    paths: dict[str, Float], runs: list[Run], asked: HoldParameters, fps: float, offsets: Float, both: Bool
) -> None:
    """Write what heel and ball of one stance are moved by; frames of a hand-over become frames of both."""
    first, last = min(run.start for run in runs), max(run.end for run in runs)
    pairs = [(a, b, _shared(a, b)) for a in runs for b in runs if a.point == "heel" and b.point == "ball"]
    pairs = [(a, b, span) for a, b, span in pairs if span is not None]
    extents = [
        _fit_pitch(
            paths,
            heel,
            ball,
            span,
            min(asked.slack, _SLOW * (span[1] - span[0]) / fps),
            _tied(span, asked, first, last),
            fps,
        )
        for heel, ball, span in pairs
    ]
    _fit_lengths([(a, b, extent[2]) for (a, b, _), extent in zip(pairs, extents, strict=True)], asked.anchor)
    extra, known = np.zeros((last - first, 6)), np.zeros(last - first, np.bool_)
    for (heel, ball, span), (give, extent, wide) in zip(pairs, extents, strict=True):
        way = (ball.place - heel.place)[[0, 2]]
        along = way / max(float(np.linalg.norm(way)), 1e-9)
        frames = slice(span[0] - first, span[1] - first)
        known[frames] = True
        for column, sign in ((0, -0.5), (3, 0.5)):
            extra[frames, column : column + 3 : 2] = sign * (extent - wide)[:, None] * along
        extra[frames, [1]], extra[frames, [4]] = give[:, :1], give[:, 1:]
    extra[:, [1, 4]] = fade_between(extra[:, [1, 4]], known, min(asked.ramp, _HEIGHTS), fps, GRAIN)
    extra[:, [0, 2, 3, 5]] = fade_between(extra[:, [0, 2, 3, 5]], known, asked.ramp, fps, GRAIN)
    for column in (0, 3):
        ground = extra[:, column : column + 3 : 2]
        ground *= np.minimum(1.0, asked.slack / np.maximum(np.linalg.norm(ground, axis=1), 1e-12))[:, None]
    both[first:last] |= known
    for run in runs:
        here = slice(max(run.start - 1, first), min(run.end + 1, last))  # a frame more: it may be one of a hand-over
        inside = np.clip(np.arange(here.start, here.stop) - run.start, 0, run.end - run.start - 1)
        moved = run.place - paths[run.point][here]
        moved[:, 1] = run.rise[inside]
        moved += extra[here.start - first : here.stop - first, _COLUMNS[run.point]]
        keep = (np.arange(here.start, here.stop) >= run.start) & (np.arange(here.start, here.stop) < run.end)
        keep |= known[here.start - first : here.stop - first]
        offsets[here, _COLUMNS[run.point]][keep] = moved[keep]


def lift_runs(
    paths: dict[str, Float], runs: list[Run], floor: Floor, fps: float, offsets: Float, *, on_sole: bool = False
) -> None:
    """Lift the points of one stance out of the floor, all by the same, smoothly over time.

    Points that the skeleton itself puts `on_sole` are lifted out of it. Where a heel had to be estimated and a joint stands for the ball,
    what lies in the floor may be no sole: only what is plainly too deep is lifted, and not by much.
    """
    first, last = min(run.start for run in runs), max(run.end for run in runs)
    depth = np.zeros(last - first)
    for run in runs:
        place = paths[run.point][run.frames] + offsets[run.frames, _COLUMNS[run.point]]
        here = depth[run.start - first : run.end - first]
        np.maximum(here, -floor.above(place) / floor.normal[1], out=here)
    if not on_sole:
        depth = np.maximum(depth - _ESTIMATED, 0.0)
    if not (_IN_FLOOR if on_sole else 0.0) < float(depth.max()) < _TOO_DEEP:
        return
    reach = max(round(_LIFT * fps), 1)
    lift = smooth(filters.maximum(depth, 2 * reach + 1, edge="nearest"), 0.5 * reach)
    deep = depth > _IN_FLOOR if on_sole else depth > 0
    lift *= min(
        max(float((depth[deep] / np.maximum(lift[deep], 1e-9)).max()), 1.0), 1.5
    )  # few frames: the low-pass took some
    if not on_sole:
        lift = _MOST_LIFT * np.tanh(lift / _MOST_LIFT)
    offsets[first:last, [1, 4]] += lift[:, None]
    for run in runs:
        run.place = run.place + (0.0, float(lift[run.start - first : run.end - first].mean()), 0.0)


def _shared(heel: Run, ball: Run) -> tuple[int, int] | None:
    """Frames in which both runs are down, or the two frames in which one takes over from the other."""
    start, end = max(heel.start, ball.start), min(heel.end, ball.end)
    if start < end:
        return start, end
    return (start - 1, start + 1) if start == end else None


def _tied(span: tuple[int, int], asked: HoldParameters, first: int, last: int) -> slice:
    """Frames of a span that tell the pitch: the one in which the stance begins (ends) and is held from there, where it is among them."""
    if asked.anchor == "start" and span[0] == first:
        return slice(0, 1)
    if asked.anchor == "end" and span[1] == last:
        return slice(-1, None)
    return slice(None)


def _fit_pitch(
    paths: dict[str, Float], heel: Run, ball: Run, span: tuple[int, int], slack: float, tied: slice, fps: float
) -> tuple[Float, Float, float]:
    """What the heights of heel and ball give way by in each shared frame (N, 2), how far apart both lie on the ground (N,), and how far
    their places do.

    The distance on the ground may vary by twice the slack at either point; the pitch is kept within what that allows, where it costs
    least, or about that of the frames in which the foot is `tied`.
    """
    frames = np.arange(*span)
    way = paths["ball"][frames] - paths["heel"][frames]
    length = np.linalg.norm(way, axis=1)
    rises = [run.rise[np.clip(frames - run.start, 0, run.end - run.start - 1)] for run in (heel, ball)]
    own = -way[:, 1] + rises[0] - rises[1]
    higher = np.clip(own, -_STEEPEST * length, _STEEPEST * length)
    typical = float(np.median(length))
    low, high = _pitch_window(higher, typical, 2.0 * slack, higher[tied])
    tilt = _soft_clip(higher, low, high)
    extent = np.sqrt(np.maximum(length**2 - tilt**2, 0.0))
    middle = 0.5 * float(extent[tied].min() + extent[tied].max())
    extent = np.clip(extent, middle - 2.0 * slack, middle + 2.0 * slack)
    tilt = np.sign(tilt) * np.sqrt(np.maximum(length**2 - extent**2, 0.0))
    extent = np.sqrt(np.maximum(length**2 - tilt**2, 0.0))
    # the higher point gives way; a foot that rolls from one onto the other hands over in time
    share = smooth(rise(0.5 + higher / (2.0 * _EVEN)), _HANDS_OVER * fps)
    give = np.stack([share, share - 1.0], axis=1) * (tilt - own)[:, None]
    return give, extent, middle


def _pitch_window(higher: Float, length: float, slack: float, about: Float) -> tuple[float, float]:
    """Bounds for heel over ball, metres, between which their distance on the ground varies by no more than twice the slack.

    The window lies about one of the values `about`, wherever it costs least and the foot keeps the pitch it mostly has.
    """
    mostly = float(np.median(about))
    centres = np.append(np.linspace(about.min(), about.max(), _WINDOWS), mostly)
    extents = np.sqrt(np.maximum(length**2 - centres**2, 0.0))
    level = extents + slack >= length  # the window holds the level foot, and reaches as far to either side
    most = np.where(level, length, extents + slack)
    near, far = (np.sqrt(np.maximum(length**2 - x**2, 0.0)) for x in (most, np.maximum(most - 2.0 * slack, 0.0)))
    high = np.where(level | (centres > 0), far, -near)
    low = np.where(level | (centres <= 0), -far, near)
    over = np.maximum(higher[:, None] - high, 0.0) + np.maximum(low - higher[:, None], 0.0)
    best = int(np.argmin(np.where((low <= mostly) & (mostly <= high), np.einsum("nw,nw->w", over, over), np.inf)))
    return float(low[best]), float(high[best])


def _soft_clip(values: Float, low: float, high: float) -> Float:
    """Values that approach their bounds smoothly and never leave them; unchanged away from them."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    if half <= 0:
        return np.full_like(values, middle)
    core, knee = (1.0 - _KNEE) * half, _KNEE * half
    away = np.abs(values - middle)
    over = np.maximum(away - core, 0.0) / knee
    return middle + np.sign(values - middle) * (np.minimum(away, core) + knee * np.tanh(over))


def _fit_lengths(pairs: list[tuple[Run, Run, float]], anchor: Anchor) -> None:
    """Move places along the ground until heel and ball of each pair are as far apart as wanted; longer runs move less."""
    for _ in range(_ROUNDS):
        worst = 0.0
        for heel, ball, wide in pairs:
            way = (ball.place - heel.place)[[0, 2]]
            size = float(np.linalg.norm(way))
            if size < 1e-9:
                continue
            long_heel, long_ball = heel.end - heel.start, ball.end - ball.start
            share = long_ball / (long_heel + long_ball)  # of the way that the heel goes
            if anchor != "mean":
                share = float(heel.start > ball.start if anchor == "start" else heel.end < ball.end)
            off = way * ((size - wide) / size)
            heel.place = heel.place + share * np.array([off[0], 0.0, off[1]])
            ball.place = ball.place - (1.0 - share) * np.array([off[0], 0.0, off[1]])
            worst = max(worst, abs(size - wide))
        if worst < 1e-7:
            break
