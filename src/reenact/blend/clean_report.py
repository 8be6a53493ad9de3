"""What a clean-up says about itself: drift of the held points, moves of the body, changes of joints, plants out of reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import SIDES, FootPlants, intervals_of
from reenact.solve.feet import Foot, FootTrack, track_foot
from reenact.solve.holding import FootHold, HeldPoint
from reenact.solve.placing import Placed
from reenact.solve.planted_points import ground_diameter

OUT_OF_REACH = 0.001
"""Metres an ankle may stay from its place before the plant is called unreachable."""


def describe_cleaning(
    clip: Clip, before: World, after: World, holds: Sequence[FootHold], placed: Placed, ramp: float
) -> dict[str, Any]:
    """The report of a clean-up.

    Args:
        clip: the motion before.
        before, after: its forward kinematics and those of the result, float64.
        holds: what was asked of each foot.
        placed: what became of it.
        ramp: seconds.

    Returns:
        `plants` (intervals of points held), `drift_mm` (how far the farthest two places of a held point lie apart on the ground: worst
        and mean over intervals, before and after), `root_mm`, `joint_change` (mean and most over all joints and frames, millimetres in
        the world and degrees at the joint), `knee_acceleration` (largest angular acceleration, rad/s^2, before and after, and their
        ratio), `stretch` (share), `unreachable`, `changed_frames`, and `intervals` with the place of each.
    """
    intervals, unreachable = [], []
    for hold, missed in zip(holds, placed.missed, strict=True):
        tracks = hold.track, track_foot(after, hold.foot)
        intervals += [_interval(point, *tracks) for point in hold.points]
        unreachable += [_miss(hold, missed, start, end) for start, end in intervals_of(hold.planted)]
    unreachable = [one for one in unreachable if one["missed_mm"] > 1000 * OUT_OF_REACH]
    moved = np.linalg.norm(after.positions - before.positions, axis=2)
    joints = sorted({joint for hold in holds for joint in _leg_joints(hold.foot)})
    turned = np.degrees(R.angle_between(clip.rotations[:, joints], placed.clip.rotations[:, joints]))
    turned[~placed.active] = 0.0
    feet = [hold.foot for hold in holds]
    pushed = [float(knee_accelerations(world, feet, clip.fps).max(initial=0.0)) for world in (before, after)]
    drifts = {when: [one[f"{when}_mm"] for one in intervals] for when in ("before", "after")}
    return {
        "plants": len(intervals),
        "drift_mm": {
            **{when: max(drifts[when], default=0.0) for when in drifts},
            **{f"mean_{when}": round(float(np.mean(drifts[when] or [0.0])), 3) for when in drifts},
        },
        "root_mm": round(1000 * float(np.linalg.norm(placed.root_shift, axis=1).max(initial=0.0)), 2),
        "joint_change": {
            "mean_mm": round(1000 * float(moved.mean()), 3),
            "max_mm": round(1000 * float(moved.max(initial=0.0)), 2),
            "mean_degrees": round(float(turned.sum()) / (len(clip) * len(clip.skeleton)), 4),
            "max_degrees": round(float(turned.max(initial=0.0)), 2),
        },
        "knee_acceleration": {
            "before": round(pushed[0], 1),
            "after": round(pushed[1], 1),
            "ratio": round(pushed[1] / pushed[0], 3) if pushed[0] > 1e-9 else 1.0,
        },
        "stretch": round(placed.stretched, 5),
        "unreachable": unreachable,
        "changed_frames": int(placed.active.sum()),
        "ramp_s": ramp,
        "intervals": intervals,
    }


def knee_accelerations(world: World, feet: Sequence[Foot], fps: float) -> Float:
    """(F - 2, L) rad/s^2, how fast the bend of each knee changes its speed; empty for clips of less than three frames."""
    legs = [foot.leg for foot in feet]
    hips, knees, ankles = (world.positions[:, [getattr(leg, part) for leg in legs]] for part in ("root", "mid", "end"))
    thighs, shanks = knees - hips, ankles - knees
    across = np.linalg.norm(np.cross(thighs, shanks), axis=2)
    bends = np.arctan2(across, np.einsum("fli,fli->fl", thighs, shanks))
    return np.abs(np.diff(bends, 2, axis=0)) * fps**2 if len(bends) > 2 else np.zeros((0, len(legs)))


def _interval(point: HeldPoint, before: FootTrack, after: FootTrack) -> dict[str, Any]:
    paths = [getattr(track, point.point)[point.start : point.end][:, [0, 2]] for track in (before, after)]
    return {
        "foot": point.foot,
        "point": point.point,
        "start": point.start,
        "end": point.end,
        "place": [round(float(number), 5) for number in point.place],
        "before_mm": round(1000 * ground_diameter(paths[0]), 3),
        "after_mm": round(1000 * ground_diameter(paths[1]), 3),
    }


def _miss(hold: FootHold, missed: Float, start: int, end: int) -> dict[str, Any]:
    return {
        "foot": hold.foot.side,
        "start": start,
        "end": end,
        "missed_mm": round(1000 * float(missed[start:end].max(initial=0.0)), 2),
    }


def _leg_joints(foot: Foot) -> tuple[int, int, int]:
    return foot.leg.root, foot.leg.mid, foot.leg.end


def describe_let_go(asked: FootPlants, held: FootPlants) -> dict[str, Any]:
    """`held_share` of the planted time, and `let_go`: where a planted foot is not held, because it could not be without a pop."""
    total, kept, rows = 0, 0, []
    for side in SIDES:
        before, after = asked.foot(side).plant, held.foot(side).plant
        total, kept = total + int(before.sum()), kept + int((before & after).sum())
        rows += [{"foot": side, "start": start, "end": end} for start, end in intervals_of(before & ~after)]
    return {"held_share": round(kept / total, 4) if total else 1.0, "let_go": rows}
