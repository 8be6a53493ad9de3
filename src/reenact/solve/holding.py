"""Where a foot has to be so that its planted points do not slide: the heel while the heel is planted, the ball while the ball is.

Each planted point gets one place on the ground for its whole interval, the one that changes the motion least; its height stays its own.
While both points are down the foot is turned so that both lie on their places, which leaves its pitch the freedom of a millimetre or
so on the ground: recorded heels begin to rise before their plants end. While one point is down the foot keeps its recorded roll but for
what is left of that turn. Where heel hands over to ball both places count, so nothing jumps. A foot frozen as a whole over a plant would
look wrong, because a real one rolls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import Floor, FootContact, intervals_of
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.fading import fade_between, faded_frames
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.solve.result_quality import ground_diameter

Anchor = Literal["mean", "start", "end"]
ANCHORS = ("mean", "start", "end")
OnFloor = Literal["lift", "keep", "level", "snap"]
ON_FLOOR = ("lift", "keep", "level", "snap")

_ROUNDS = 12  # of fitting places to the length of the foot
_IN_FLOOR = 0.003  # metres below the floor that are lifted; less is within what a floor is known by
_TOO_DEEP = 0.06  # metres below the floor from which on a plant stands on lower ground, not in the floor
_GRAIN, _GRAIN_TURN = 0.005, 0.03  # metres and radians: what a velocity may carry a correction to in any case
_TWITCH = 0.09  # radians that a planted foot may be turned out of line for a single frame
_LIFT = 0.05  # seconds over which a lift is spread
_EASE_SHARE, _MOST_EASE = 0.8, 0.3  # of the leg's change that the pitch of the foot takes over, and radians it may take
_EASE_IN = 0.08  # seconds after the heel has left the ground in which it does
_EVEN = 0.006  # metres: heel and ball this much apart in height share what they give way
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


@dataclass(frozen=True, slots=True, eq=False)
class HeldPoint:
    """One planted interval of a point.

    Attributes:
        foot: "left" or "right".
        point: "heel" or "ball".
        start, end: half-open range of frames.
        place: (3,) metres, where the point is held; its height is the mean one.
    """

    foot: str
    point: str
    start: int
    end: int
    place: Float


@dataclass(frozen=True, slots=True, eq=False)
class FootHold:
    """What is done to a foot.

    Attributes:
        foot: the foot.
        shift: (F, 3) metres, added to the ankle.
        turn: (F, 4) world rotation of the foot about its ankle.
        planted: (F,) any point is held.
        active: (F,) frames that are changed: planted, or within a ramp beside.
        points: what is held.
        track: the foot before.
    """

    foot: Foot
    shift: Float
    turn: Float
    planted: Bool
    active: Bool
    points: tuple[HeldPoint, ...]
    track: FootTrack


@dataclass(slots=True)
class _Run:
    """A planted interval while its place is being found: its horizontal place, and what its height is moved by in each frame."""

    point: str
    start: int
    end: int
    place: Float
    rise: Float

    @property
    def frames(self) -> slice:
        return slice(self.start, self.end)


def hold_foot(
    world: World, foot: Foot, contact: FootContact, fps: float, asked: HoldParameters, floor: Floor | None = None
) -> FootHold:
    """Plan how a foot is held over all its plants.

    Args:
        world: the motion, float64.
        foot: the foot.
        contact: when its points are planted.
        fps: frames per second.
        asked: how it is held.
        floor: the floor, for `on_floor`.
    """
    recorded = track_foot(world, foot)
    down = {"heel": np.asarray(contact.heel).copy(), "ball": np.asarray(contact.ball).copy()}
    if foot.single:
        down = {"heel": np.asarray(contact.plant).copy(), "ball": np.zeros(len(recorded), np.bool_)}
    twitch = _still_twitches(recorded, down, asked.still)
    track = recorded if twitch is None else recorded.moved(np.zeros_like(recorded.ankle), twitch)
    paths = {"heel": track.heel, "ball": track.ball}
    planted = down["heel"] | down["ball"]
    points: list[HeldPoint] = []
    offsets = np.zeros((len(track), 6))  # of heel and ball against their own places
    both = down["heel"] & down["ball"]
    for start, end in intervals_of(planted):
        runs = [
            _Run(name, start + a, start + b, np.zeros(3), np.zeros(b - a))
            for name in ("heel", "ball")
            for a, b in intervals_of(down[name][start:end])
        ]
        _choose_places(paths, runs, asked, floor)
        if not all(_is_still(paths[run.point][run.frames], run, asked) for run in runs):
            _hold_runs(paths, runs, asked, fps, offsets, both)
        if floor is not None and asked.on_floor == "lift":
            _lift_runs(paths, runs, floor, fps, offsets)
        points += [HeldPoint(foot.side, run.point, run.start, run.end, run.place) for run in runs]
    turns, shift = _move_foot(track.ankle, paths, down, both, offsets, asked.ramp, fps)
    on_ball = down["ball"] & ~down["heel"] & ~both
    if on_ball.any():
        flat = (track.ball - track.heel) * (1.0, 0.0, 1.0)
        across = np.cross((0.0, 1.0, 0.0), R.normalize(flat + 1e-9 * np.array([0.0, 0.0, 1.0])))
        leg, arm = track.ankle - world.positions[:, foot.leg.root], track.ankle - track.ball
        eased = _ease_leg(leg, arm, across, turns, shift, on_ball, planted, fps)
        turns, shift = _move_foot(track.ankle, paths, down, both, offsets, asked.ramp, fps, eased, on_ball)
    active = faded_frames(planted, asked.ramp, fps) & (np.any(shift != 0.0, axis=1) | np.any(turns != 0.0, axis=1))
    turn = R.exp(turns) if twitch is None else R.multiply(R.exp(turns), twitch)
    return FootHold(foot, shift, turn, planted, active, tuple(points), recorded)


def _still_twitches(track: FootTrack, down: dict[str, Bool], still: float) -> Float | None:
    """(F, 4) turns that put a planted foot in line with the frames beside it where it twitches for a single one; None without any.

    The feet of recordings do so; held by its points a twitching foot would shake the leg. Feet whose points are still do not twitch.
    """
    if len(track) < 3:
        return None
    before, now, after = track.foot[:-2], track.foot[1:-1], track.foot[2:]
    between = R.slerp(before, after, np.full(len(now), 0.5))
    away = R.angle_between(now, between)
    found = (away > _TWITCH) & (R.angle_between(before, after) < 0.4 * away)
    out = R.identity(len(track))
    for frame in np.flatnonzero(found) + 1:
        for name, path in (("heel", track.heel), ("ball", track.ball)):
            start, end = next(((a, b) for a, b in intervals_of(down[name]) if a <= frame < b), (0, 0))
            if end > start and ground_diameter(path[start:end][:, [0, 2]]) > 2.0 * still:
                out[frame] = R.multiply(between[frame - 1], R.conjugate(now[frame - 1]))
    return out if np.any(out[:, 0] != 1.0) else None


def _move_foot(
    ankle: Float,
    paths: dict[str, Float],
    down: dict[str, Bool],
    both: Bool,
    offsets: Float,
    ramp: float,
    fps: float,
    eased: Float | None = None,
    on_ball: Bool | None = None,
) -> tuple[Float, Float]:
    """Rotation vectors (F, 3) and ankle shift (F, 3) of a foot whose points are moved by `offsets` (F, 6) where they are down.

    `eased` (F, 3) are rotation vectors already known for the frames `on_ball`.
    """
    turns = np.zeros((len(ankle), 3))
    if both.any():
        way = paths["ball"][both] - paths["heel"][both]
        turns[both] = R.log(R.between(way, way + offsets[both, 3:] - offsets[both, :3]))
    known = both
    if eased is not None and on_ball is not None:
        turns[on_ball] = eased[on_ball]
        known = both | on_ball
    turns = fade_between(turns, known, ramp, fps, _GRAIN_TURN)
    shift = np.zeros((len(ankle), 3))
    for name, part in (("ball", slice(3, 6)), ("heel", slice(0, 3))):  # where both are down they agree
        mask = down[name] | both
        arm = paths[name][mask] - ankle[mask]
        shift[mask] = offsets[mask, part] + arm - R.rotate(R.exp(turns[mask]), arm)
    return turns, fade_between(shift, down["heel"] | down["ball"], ramp, fps, _GRAIN)


def _ease_leg(
    leg: Float, arm: Float, across: Float, turns: Float, shift: Float, on_ball: Bool, planted: Bool, fps: float
) -> Float:
    """Rotation vectors (F, 3) of a foot that is pitched about its ball so that the leg's reach changes less.

    A recorded ball slides forward while the heel rises; held back it would pull the leg straight. The foot stands steeper instead.
    Towards frames in which the heel is down, too, nothing is added.

    Args:
        leg: (F, 3) from hip to ankle.
        arm: (F, 3) from ball to ankle.
        across: (F, 3) unit axes across the foot.
        turns, shift: (F, 3) what is done to the foot so far.
        on_ball: (F,) the ball alone is down.
        planted: (F,) any point is down.
        fps: frames per second.
    """
    turn = R.exp(turns)
    aim = R.normalize(leg + shift)
    longer = np.einsum("ij,ij->i", aim, shift)
    lever = np.einsum("ij,ij->i", aim, np.cross(across, R.rotate(turn, arm)))
    size = np.linalg.norm(arm, axis=1)
    pitch = -_EASE_SHARE * longer * lever / (lever**2 + (0.3 * size) ** 2 + 1e-12)
    pitch = _MOST_EASE * np.tanh(pitch / _MOST_EASE)
    weight = np.zeros(len(leg))
    for start, end in intervals_of(on_ball):
        frames = np.arange(start, end)
        share = np.ones(end - start)
        if start > 0 and planted[start - 1]:
            share *= rise((frames - start + 1) / (_EASE_IN * fps))
        if end < len(leg) and planted[end]:
            share *= rise((end - frames) / (_EASE_IN * fps))
        weight[frames] = share
    return R.log(R.multiply(R.exp(across * (weight * pitch)[:, None]), turn))


def _is_still(path: Float, run: _Run, asked: HoldParameters) -> bool:
    """A run needs nothing: it stays within a small circle on the ground, at the height it should have."""
    wide = ground_diameter(path[:, [0, 2]])
    return wide <= 2.0 * asked.still and float(np.abs(run.rise).max(initial=0.0)) <= asked.still


def _choose_places(paths: dict[str, Float], runs: list[_Run], asked: HoldParameters, floor: Floor | None) -> None:
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


def _follow_on(paths: dict[str, Float], runs: list[_Run], backward: bool) -> None:
    """Places by the first (last) frame of a stance; a later point is held where the one held before it brings it."""
    done: list[_Run] = []
    for run in sorted(runs, key=lambda r: -r.end if backward else r.start):
        frame = run.end - 1 if backward else run.start
        place = paths[run.point][frame].copy()
        for other in reversed(done):
            if other.start <= frame + 1 and frame <= other.end:
                place += other.place - paths[other.point][min(max(frame, other.start), other.end - 1)]
                break
        run.place = place
        done.append(run)


def _hold_runs(
    paths: dict[str, Float], runs: list[_Run], asked: HoldParameters, fps: float, offsets: Float, both: Bool
) -> None:
    """Write what heel and ball of one stance are moved by; frames of a hand-over become frames of both."""
    first, last = min(run.start for run in runs), max(run.end for run in runs)
    pairs = [(a, b, _shared(a, b)) for a in runs for b in runs if a.point == "heel" and b.point == "ball"]
    pairs = [(a, b, span) for a, b, span in pairs if span is not None]
    extents = [_fit_pitch(paths, heel, ball, span, asked) for heel, ball, span in pairs]
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
    extra = fade_between(extra, known, asked.ramp, fps, _GRAIN)
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


def _lift_runs(paths: dict[str, Float], runs: list[_Run], floor: Floor, fps: float, offsets: Float) -> None:
    """Lift the points of one stance out of the floor, all by the same: smooth over time, and no less than they need."""
    first, last = min(run.start for run in runs), max(run.end for run in runs)
    depth = np.zeros(last - first)
    for run in runs:
        place = paths[run.point][run.frames] + offsets[run.frames, _COLUMNS[run.point]]
        here = depth[run.start - first : run.end - first]
        np.maximum(here, -floor.above(place) / floor.normal[1], out=here)
    if not _IN_FLOOR < float(depth.max()) < _TOO_DEEP:
        return
    from scipy.ndimage import maximum_filter1d

    reach = max(round(_LIFT * fps), 1)
    lift = smooth(maximum_filter1d(depth, 2 * reach + 1, mode="nearest"), 0.5 * reach)
    deep = depth > _IN_FLOOR
    lift *= min(
        max(float((depth[deep] / np.maximum(lift[deep], 1e-9)).max()), 1.0), 1.5
    )  # few frames: the low-pass took some
    offsets[first:last, [1, 4]] += lift[:, None]
    for run in runs:
        run.place = run.place + (0.0, float(lift[run.start - first : run.end - first].mean()), 0.0)


def _shared(heel: _Run, ball: _Run) -> tuple[int, int] | None:
    """Frames in which both runs are down, or the two frames in which one takes over from the other."""
    start, end = max(heel.start, ball.start), min(heel.end, ball.end)
    if start < end:
        return start, end
    return (start - 1, start + 1) if start == end else None


def _fit_pitch(
    paths: dict[str, Float], heel: _Run, ball: _Run, span: tuple[int, int], asked: HoldParameters
) -> tuple[Float, Float, float]:
    """What the heights of heel and ball give way by in each shared frame (N, 2), how far apart both lie on the ground (N,), and how far
    their places do.

    The distance on the ground may vary by twice the slack at either point; the pitch is kept within what that allows, where it costs
    least.
    """
    frames = np.arange(*span)
    way = paths["ball"][frames] - paths["heel"][frames]
    length = np.linalg.norm(way, axis=1)
    rises = [run.rise[np.clip(frames - run.start, 0, run.end - run.start - 1)] for run in (heel, ball)]
    higher = np.clip(-way[:, 1] + rises[0] - rises[1], -0.95 * length, 0.95 * length)
    typical = float(np.median(length))
    low, high = _pitch_window(higher, typical, 2.0 * asked.slack)
    tilt = _soft_clip(higher, low, high)
    extent = np.sqrt(np.maximum(length**2 - tilt**2, 0.0))
    middle = 0.5 * float(extent.min() + extent.max())
    extent = np.clip(extent, middle - 2.0 * asked.slack, middle + 2.0 * asked.slack)
    tilt = np.sign(tilt) * np.sqrt(np.maximum(length**2 - extent**2, 0.0))
    extent = np.sqrt(np.maximum(length**2 - tilt**2, 0.0))
    # the higher point gives way
    share = rise(0.5 + higher / (2.0 * _EVEN))
    give = np.stack([share, share - 1.0], axis=1) * (tilt - higher)[:, None]
    return give, extent, middle


def _pitch_window(higher: Float, length: float, slack: float) -> tuple[float, float]:
    """Bounds for heel over ball, metres, between which their distance on the ground varies by no more than twice the slack."""
    centres = np.linspace(higher.min(), higher.max(), _WINDOWS)
    extents = np.sqrt(np.maximum(length**2 - centres**2, 0.0))
    level = extents + slack >= length  # the window holds the level foot, and reaches as far to either side
    most = np.where(level, length, extents + slack)
    near, far = (np.sqrt(np.maximum(length**2 - x**2, 0.0)) for x in (most, np.maximum(most - 2.0 * slack, 0.0)))
    high = np.where(level | (centres > 0), far, -near)
    low = np.where(level | (centres <= 0), -far, near)
    over = np.maximum(higher[:, None] - high, 0.0) + np.maximum(low - higher[:, None], 0.0)
    best = int(np.argmin(np.einsum("nw,nw->w", over, over)))
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


def _fit_lengths(pairs: list[tuple[_Run, _Run, float]], anchor: Anchor) -> None:
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
