"""Poses between two motions, and the path of the root that belongs to them.

A blend works on motion without place and direction (`core.placement.RootMotion`): the steps over the floor and the turns are blended
and added up, while height, tilt and joint rotations are blended as they are. Blending recorded root positions instead makes a character
glide backwards; that way is kept as `root="absolute"` to show it (reuse specification 3.4, figures 3.8 and 3.9).

Four ways to get from one motion to the other:

- crossfade: both play, the weight moves from the first to the second, centred on the frames chosen (reuse 3.4);
- inertial: the first stops, the second plays with the difference added, which dies out as a quintic (Bollo 2018);
- dead: the first runs on by its velocity, ever slower, while the second fades in (dead blending, Holden 2023);
- one-sided: from the last pose of the first to a pose of the second some frames ahead (mobility A10), in a straight line as in the
  thesis when the weight is linear; else leaving and arriving at the speeds of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, JointTranslations
from reenact.core.heading import wrap
from reenact.core.placement import factor_root
from reenact.core.ramps import Shape, bridge, rise

Method = Literal["crossfade", "inertial", "dead", "one_sided"]
METHODS = ("crossfade", "inertial", "dead", "one_sided")

_SWEEP = 0.3  # seconds in which the speed at an end of a one-sided blend dies out
_DEAD_TIME = 0.12  # seconds in which a motion that runs on by itself loses its speed (to 1/e)


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A motion without place and direction.

    Attributes:
        turns: (F, J, 4) float64 local rotations, the root's without its heading.
        points: (F, 1 + K, 3) metres: the root seen from its placement, then the joints that move in their parent's frame.
        steps: (F, 3) (left, forward, turn) from the frame before; `steps[0]` is a copy of `steps[1]`.
        stands: (F, 3) recorded placements: x, z, heading.
        moving: (K,) joints with translations.
    """

    turns: Float
    points: Float
    steps: Float
    stands: Float
    moving: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.turns)

    def __getitem__(self, frames: slice) -> Local:
        return Local(self.turns[frames], self.points[frames], self.steps[frames], self.stands[frames], self.moving)


def moving_joints(*clips: Clip) -> tuple[int, ...]:
    """Joints that move in their parent's frame in any of the clips."""
    return tuple(sorted({int(j) for clip in clips if clip.translations is not None for j in clip.translations.joints}))


def take_apart(clip: Clip, moving: tuple[int, ...]) -> Local:
    """A clip without place and direction; `moving` joints get their translations, from the skeleton where the clip has none."""
    motion = factor_root(clip)
    turns = R.make_continuous(clip.rotations.astype(np.float64))
    turns[:, 0] = motion.tilts
    points = np.empty((len(clip), 1 + len(moving), 3))
    points[:, 0] = motion.positions
    points[:, 1:] = clip.skeleton.offsets[list(moving)]
    if clip.translations is not None:
        where = 1 + np.searchsorted(moving, clip.translations.joints)
        points[:, where] = clip.translations.values
    floor = clip.root.astype(np.float64) - R.rotate(R.about_y(motion.headings.angles), motion.positions)
    stands = np.column_stack([floor[:, 0], floor[:, 2], motion.headings.angles])
    return Local(turns, points, motion.increments, stands, moving)


def put_together(local: Local, stands: Float, like: Clip) -> Clip:
    """A clip of `like`'s skeleton and rate from local motion standing at `stands` (F, 3): x, z, heading."""
    turn = R.about_y(stands[:, 2])
    floor = np.column_stack([stands[:, 0], np.zeros(len(stands)), stands[:, 1]])
    rotations = local.turns.copy()
    rotations[:, 0] = R.multiply(turn, local.turns[:, 0])
    root = floor + R.rotate(turn, local.points[:, 0])
    moved = None
    if local.moving:
        moved = JointTranslations(np.array(local.moving, np.int32), local.points[:, 1:].astype(np.float32))
    return Clip(
        like.skeleton,
        R.normalize(rotations).astype(np.float32),
        root.astype(np.float32),
        like.fps,
        like.name,
        moved,
        like.origin,
    )


def add_up(start: Float, steps: Float) -> Float:
    """(F, 3) stands x, z, heading of steps (F, 3) made one after the other; the first stands at `start` and makes no step."""
    heading = start[2] + np.concatenate([[0.0], np.cumsum(steps[1:, 2])])
    sine, cosine = np.sin(heading[:-1]), np.cos(heading[:-1])
    x = cosine * steps[1:, 0] + sine * steps[1:, 1]
    z = -sine * steps[1:, 0] + cosine * steps[1:, 1]
    return np.column_stack(
        [start[0] + np.concatenate([[0.0], np.cumsum(x)]), start[1] + np.concatenate([[0.0], np.cumsum(z)]), heading]
    )


def blend(a: Local, b: Local, method: Method, shape: Shape, fps: float, given: Float | None = None) -> Local:
    """The frames of a blend.

    Args:
        a: the first motion over the window; of methods other than crossfade only the first two frames count (the second is the
            pose at which it is left, the one before gives its velocity).
        b: the second motion over the same frames; in the last one the result is exactly it.
        method: see the module.
        shape: how the weight rises (all but inertial).
        fps: frames per second.
        given: (N,) weights of the second motion in a crossfade, instead of the shape's.

    Returns:
        the blended motion; its `stands` are those of `a` and `b` mixed, and only good for the absolute way.
    """
    count = len(b)
    t = np.arange(count) / max(count - 1, 1)
    weight = rise(t, shape)
    if method == "crossfade" and given is not None:
        return _mix(a, b, given, np.concatenate([given[:1], 0.5 * (given[1:] + given[:-1])]))
    if method == "crossfade":
        middle = rise((np.arange(count) - 0.5) / max(count - 1, 1), shape)
        return _mix(a, b, weight, middle)
    if method == "inertial":
        return _inertial(a, b, t)
    if method == "dead":
        return _mix(_run_on(a, count, fps), b, weight, weight)
    return _straight(a, b, t) if shape == "linear" else _reach_ahead(a, b, t, weight, fps)


def _mix(a: Local, b: Local, weight: Float, step_weight: Float) -> Local:
    w, s = weight[:, None], step_weight[:, None]
    turns = _slerp_steadily(a.turns, b.turns, weight)
    points = a.points + w[..., None] * (b.points - a.points)
    steps = a.steps + s * (b.steps - a.steps)
    turn = wrap(b.stands[:, 2:] - a.stands[:, 2:])
    stands = np.concatenate(
        [a.stands[:, :2] + w * (b.stands[:, :2] - a.stands[:, :2]), a.stands[:, 2:] + w * turn], axis=1
    )
    return Local(turns, points, steps, stands, a.moving)


def _slerp_steadily(a: Float, b: Float, weight: Float) -> Float:
    """Between two rotations over time, always the same way round: the short one in the middle of the blend.

    Where two joints are about half a turn apart the short way may change from frame to frame, and the joint would jump. Both must be
    continuous over frames.
    """
    middle = int(np.argmin(np.abs(weight - 0.5)))
    signs = np.where(np.einsum("ji,ji->j", a[middle], b[middle]) < 0, -1.0, 1.0)
    steady = b * signs[:, None]
    dots = np.einsum("fji,fji->fj", a, steady)
    if np.all(dots > 0):
        return R.slerp(a, steady, np.broadcast_to(weight[:, None], dots.shape))
    way = R.multiply(R.conjugate(a), steady)  # scalar part may be negative: more than half a turn, on purpose
    sine = np.linalg.norm(way[..., 1:], axis=-1)
    angle = 2 * np.arctan2(sine, way[..., 0])
    axis = way[..., 1:] / np.maximum(sine, 1e-12)[..., None]
    return R.multiply(
        a, R.from_axis_angle(np.where(sine[..., None] > 1e-12, axis, (1.0, 0.0, 0.0)), angle * weight[:, None])
    )


def _inertial(a: Local, b: Local, t: Float) -> Local:
    """The second motion with the difference to the first added, which dies out: a quintic from value and velocity to nothing."""
    frames = len(t) - 1
    offset = R.log(R.multiply(a.turns[1], R.conjugate(b.turns[0])))
    before = R.log(R.multiply(a.turns[0], R.conjugate(_step_back(b.turns))))
    drift = np.where(
        np.abs(offset - before) < 0.5, offset - before, 0.0
    )  # a difference near half a turn has no velocity
    joints = offset.shape[0]
    zero = np.zeros(3 * joints)
    left = bridge(t, offset.ravel(), (drift * frames).ravel(), zero, zero).reshape(-1, joints, 3)
    turns = R.multiply(R.exp(left), b.turns)
    gap = a.points[1] - b.points[0]
    gap_drift = (a.points[1] - a.points[0]) - (b.points[1] - b.points[0])
    flat = np.zeros(gap.size)
    points = b.points + bridge(t, gap.ravel(), (gap_drift * frames).ravel(), flat, flat).reshape(b.points.shape)
    steps = b.steps + (1 - rise(t))[:, None] * (a.steps[1] - b.steps[0])
    return Local(turns, points, steps, b.stands, b.moving)


def _step_back(turns: Float) -> Float:
    """(J, 4) rotations one frame before the first, by running its velocity backwards."""
    step = R.multiply(R.conjugate(turns[0]), turns[min(1, len(turns) - 1)])
    return R.multiply(turns[0], R.conjugate(step))


def _run_on(a: Local, count: int, fps: float) -> Local:
    """The first motion carried on by its velocity, which dies out."""
    time = np.arange(count) / fps
    gone = _DEAD_TIME * -np.expm1(-time / _DEAD_TIME) * fps  # frames' worth of motion
    speed = R.log(R.multiply(a.turns[1], R.conjugate(a.turns[0])))
    turns = R.multiply(R.exp(gone[:, None, None] * speed), a.turns[1])
    points = a.points[1] + gone[:, None, None] * (a.points[1] - a.points[0])
    steps = np.exp(-time / _DEAD_TIME)[:, None] * a.steps[1]
    return Local(turns, points, steps, np.repeat(a.stands[1:2], count, axis=0), a.moving)


def _reach_ahead(a: Local, b: Local, t: Float, weight: Float, fps: float) -> Local:
    """From the last pose of the first motion to the last pose of the window, leaving at the speed of one and arriving at the other's."""
    leave, arrive = _swept(t, fps), -_swept(1 - t, fps)
    way = R.log(R.multiply(b.turns[-1], R.conjugate(a.turns[1])))
    speeds = (R.log(R.multiply(one[-1], R.conjugate(one[-2]))) for one in (a.turns, b.turns))
    turned = weight[:, None, None] * way
    for sweep, speed in zip((leave, arrive), speeds, strict=True):
        turned = turned + sweep[:, None, None] * speed
    turns = R.multiply(R.exp(turned), a.turns[1])
    points = a.points[1] + weight[:, None, None] * (b.points[-1] - a.points[1])
    points = points + leave[:, None, None] * (a.points[1] - a.points[0])
    points = points + arrive[:, None, None] * (b.points[-1] - b.points[-2])
    steps = b.steps + (1 - weight)[:, None] * (a.steps[1] - b.steps[0])
    return Local(turns, points, steps, b.stands, b.moving)


def _swept(t: Float, fps: float) -> Float:
    """(N,) frames' worth of motion that a speed of one frame each still makes while it dies out; 0 at both ends of the window."""
    frames = t * max(len(t) - 1, 1)
    lasts = min(_SWEEP * fps, max(len(t) - 1, 1))
    return frames * np.maximum(1 - frames / lasts, 0.0) ** 3


def _straight(a: Local, b: Local, t: Float) -> Local:
    """From the last pose of the first motion in a straight line to the last pose of the window."""
    count = len(t)
    turns = R.slerp(a.turns[1], b.turns[-1], np.broadcast_to(t[:, None], (count, a.turns.shape[1])))
    points = a.points[1] + t[:, None, None] * (b.points[-1] - a.points[1])
    # the way the second motion goes within the window, made evenly
    way = add_up(np.zeros(3), b.steps)
    end = way[-1]
    stands = t[:, None] * end
    steps = np.zeros((count, 3))
    turn = np.diff(stands[:, 2])
    sine, cosine = np.sin(stands[:-1, 2]), np.cos(stands[:-1, 2])
    dx, dz = np.diff(stands[:, 0]), np.diff(stands[:, 1])
    steps[1:] = np.column_stack([cosine * dx - sine * dz, sine * dx + cosine * dz, turn])
    return Local(turns, points, steps, b.stands, b.moving)
