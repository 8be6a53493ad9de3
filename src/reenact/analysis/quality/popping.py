"""Popping: joints or the body jump within a frame, and rotations that flip over."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined, mean_around, widened
from reenact.analysis.quality.findings import Part, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import intervals_of

_AROUND = 0.2  # seconds on either side that tell what is usual
_HOLE = 2  # frames around a jump that it disturbs itself
_QUIET_DEG, _QUIET_MM = 0.4, 0.6  # added to what is usual: noise, and numbers rounded in a file
_RATE = 60.0  # Hz: the limits are for this rate and higher ones
_TOGETHER = 2  # frames: jumps of several joints this near are one event
_MOST = 12  # events of one kind told one by one
_FLIP_OVER = 4.0  # times the turns around it
_LASTS = 0.5  # seconds: a joint that flips back later was turned, not glitched


def check_flips(examined: Examined, limits: QualityLimits) -> Part:
    """Turns of half a circle or so from one frame to the next (`rotation.flip`); the sign of a quaternion does not matter."""
    part = Part(measures={"flips": 0.0, "flips_of_extremities": 0.0})
    if len(examined.clip) < 2:
        return part
    angles = np.degrees(np.linalg.norm(examined.turns, axis=2))  # (F - 1, J)
    usual = mean_around(angles, examined.samples(_AROUND, 4), 1)
    flipped = (angles > limits.flip_deg) & (angles > _FLIP_OVER * usual)
    bad, small = np.zeros(len(examined.clip), np.bool_), _extremities(examined)
    events: list[tuple[int, int, int, float]] = []
    for joint in np.flatnonzero(flipped.any(axis=0)):
        steps = np.flatnonzero(flipped[:, joint]) + 1  # the frame each leads to
        lasts = examined.samples(_LASTS)
        n = 0
        while n < len(steps):
            start, end = int(steps[n]), int(steps[n]) + 1
            if n + 1 < len(steps) and steps[n + 1] - start <= lasts:
                end = int(steps[n + 1])  # and back again: the frames between are wrong
                n += 1
            n += 1
            events.append((start, end, int(joint), float(angles[start - 1, joint])))
            bad[start:end] |= not small[joint]
    minor = [event for event in events if small[event[2]]]
    events = [event for event in events if not small[event[2]]]
    part.measures["flips"], part.measures["flips_of_extremities"] = float(len(events)), float(len(minor))
    if minor:
        start, end, joint, angle = max(minor, key=lambda event: event[3])
        part.findings.append(
            measured(
                "rotation.flip", "info", f"fingers or toes flip over, {len(minor)} times in all", angle, limits.flip_deg,
                "deg", limits.reason("flip_deg"), frames=(start, end), joint=examined.name(joint),
            )
        )  # fmt: skip
    for start, end, joint, angle in sorted(events)[:_MOST]:
        part.findings.append(
            measured(
                "rotation.flip", "error", "the rotation flips over from one frame to the next", angle, limits.flip_deg,
                "deg", limits.reason("flip_deg"), frames=(start, end), joint=examined.name(joint),
            )
        )  # fmt: skip
    if len(events) > _MOST:
        rest = sorted(events)[_MOST:]
        part.findings.append(
            measured(
                "rotation.flip", "error", f"{len(rest)} more rotations flip over; the largest",
                max(event[3] for event in rest), limits.flip_deg, "deg", limits.reason("flip_deg"),
                frames=(rest[0][0], rest[-1][1]),
            )
        )  # fmt: skip
    part.bad = widened(bad, 1)
    return part


def check_pops(examined: Examined, limits: QualityLimits) -> Part:
    """Changes of motion within a frame, far beyond the motion around (`pop.joint`, `pop.root`).

    For every joint the change of its turning from step to step, for the body the change of its step, is compared with its mean over
    0.2 s on both sides. A joint that is off in one frame shows in three changes, the middle one twice as large; one that jumps and
    stays, in two equal ones.
    """
    part = Part(measures={"jerk_spikes": 0.0, "pop_deg_max": 0.0, "pop_mm_max": 0.0})
    frames = len(examined.clip)
    if frames < 5:
        return part
    turning = np.zeros((frames, len(examined.clip.skeleton)))
    turning[1:-1] = np.degrees(np.linalg.norm(np.diff(examined.turns, axis=0), axis=2))
    root = _carrier(examined)
    moving = np.zeros((frames, 1))
    moving[1:-1, 0] = 1000 * np.linalg.norm(np.diff(examined.steps[:, root], axis=0), axis=1)
    reach = examined.samples(_AROUND, 5)
    coarse = max(1.0, _RATE / examined.clip.fps)  # at low rates quick motion changes more from frame to frame
    spikes = _spikes(turning, reach, limits.pop_deg * coarse, _QUIET_DEG, limits.pop_ratio)
    least = limits.pop_mm * coarse * examined.scale
    shifts = _spikes(moving, reach, least, _QUIET_MM * examined.scale, limits.pop_ratio)
    known = widened(examined.bad, 1)
    spikes[known], shifts[known] = False, False
    bad = np.zeros(frames, np.bool_)
    small = _extremities(examined)
    minor = int(np.count_nonzero(spikes[:, small].any(axis=1)))
    if minor:
        _tell_minor(part, np.where(small, np.where(spikes, turning, 0.0), 0.0), minor, examined, limits)
    spikes[:, small] = False
    found = []
    any_spike = spikes.any(axis=1) | shifts[:, 0]
    for start, end in intervals_of(widened(any_spike, _TOGETHER)):
        here = slice(start, end)
        jump = shifts[here, 0].any()
        values = np.where(shifts[here], moving[here], 0) if jump else np.where(spikes[here], turning[here], 0)
        frame, joint = np.unravel_index(int(np.argmax(values)), values.shape)
        worst = float(values[frame, joint])
        strong = np.flatnonzero(values.max(axis=1) > 0.7 * worst)
        span = (start + int(strong[0]), start + int(strong[-1]) + 1)
        many = int(spikes[here].any(axis=0).sum())
        found.append((worst, span, "pop.root" if jump else "pop.joint", root if jump else int(joint), many))
        bad[max(0, span[0] - 1) : span[1] + 1] = True
    part.measures["jerk_spikes"] = float(len(found))
    part.measures["pop_deg_max"] = max((event[0] for event in found if event[2] == "pop.joint"), default=0.0)
    part.measures["pop_mm_max"] = max((event[0] for event in found if event[2] == "pop.root"), default=0.0)
    part.curves["turning change (deg per frame)"] = turning[:, ~small].max(axis=1)
    _tell(part, found, examined, limits)
    part.bad = bad
    return part


def _tell_minor(part: Part, jumps: Float, many: int, examined: Examined, limits: QualityLimits) -> None:
    frame, joint = np.unravel_index(int(np.argmax(jumps)), jumps.shape)
    part.findings.append(
        measured(
            "pop.joint", "info", f"fingers or toes jump, in {many} frames in all", float(jumps[frame, joint]),
            limits.pop_deg, "deg", limits.reason("pop_deg"), frames=(int(frame), int(frame) + 1),
            joint=examined.name(int(joint)),
        )
    )  # fmt: skip


def _tell(part: Part, found: list, examined: Examined, limits: QualityLimits) -> None:
    told = sorted(found, key=lambda event: -event[0])[:_MOST]
    for worst, span, code, joint, many in sorted(told, key=lambda event: event[1]):
        coarse = max(1.0, _RATE / examined.clip.fps)
        name, unit, limit = ("pop_mm", "mm", limits.pop_mm * coarse * examined.scale) if code == "pop.root" else (
            "pop_deg", "deg", limits.pop_deg * coarse)  # fmt: skip
        what = "the body jumps" if code == "pop.root" else "the joint jumps"
        what += f" ({many} joints at once)" if many > 1 and code == "pop.joint" else ""
        reason = f"{limits.reason(name)}, {limits.pop_ratio:g} times what is usual around it"
        part.findings.append(
            measured(code, "warning", what, worst, limit, unit, reason, frames=span, joint=examined.name(joint))
        )
    if len(found) > len(told):
        rest = [event for event in found if event not in told]
        span = (min(event[1][0] for event in rest), max(event[1][1] for event in rest))
        part.findings.append(
            measured(
                "pop.joint", "warning", f"{len(rest)} more jumps; the largest", max(event[0] for event in rest),
                limits.pop_deg, "deg", limits.reason("pop_deg"), frames=span,
            )
        )  # fmt: skip


def _spikes(values: Float, reach: int, least: float, quiet: float, ratio: float) -> Bool:
    """(F, K) where a value is over `least` and `ratio` times the mean around it."""
    spikes = values > least
    if not spikes.any():
        return spikes
    columns = np.flatnonzero(spikes.any(axis=0))
    usual = mean_around(values[:, columns], reach, _HOLE)
    spikes[:, columns] &= values[:, columns] > ratio * (usual + quiet)
    return spikes


def _extremities(examined: Examined) -> Bool:
    """(J,) fingers, thumbs and toes: recordings hold little of them, and what they do is hardly seen."""
    skeleton = examined.clip.skeleton
    small = np.zeros(len(skeleton), np.bool_)
    for side in ("left", "right"):
        if f"{side}_toes" in skeleton.roles:
            small[list(skeleton.subtree(skeleton.roles[f"{side}_toes"]))] = True
        if f"{side}_hand" in skeleton.roles:
            small[list(skeleton.subtree(skeleton.roles[f"{side}_hand"])[1:])] = True
    return small


def _carrier(examined: Examined) -> int:
    """The joint that carries the body."""
    return examined.clip.skeleton.roles.get("hips", 0)
