"""Frames that are there twice, and frames that are missing."""

from __future__ import annotations

import numpy as np

from reenact.analysis.quality.examined import Examined
from reenact.analysis.quality.findings import Part, QualityFinding, measured
from reenact.analysis.quality.limits import QualityLimits
from reenact.core.arrays import Bool, Float
from reenact.core.foot_plants import intervals_of

_LEAST_MM = 0.4  # movement from frame to frame below which neither can be told from standing still
_MOST = 10  # told one by one
_PATTERN = 0.1  # share of repeated frames from which on the clip was plainly made from fewer frames
_FIT = 0.03  # share of a step's square that the neighbours' direction may leave unexplained
_STEADY = 0.25  # how far the steps around may be from even


def check_frames(examined: Examined, limits: QualityLimits) -> Part:
    """Repeated frames (`frames.duplicated`) and missing ones (`frames.dropped`), in a body that moves on before and after."""
    part = Part(measures={"duplicated_frames": 0.0, "dropped_frames": 0.0})
    count = len(examined.clip)
    part.bad = np.zeros(count, np.bool_)
    if count < 4:
        return part
    steps = examined.steps.reshape(count - 1, -1).astype(np.float64)
    least = _LEAST_MM * examined.scale / 1000
    moves = np.sqrt(np.mean(steps.reshape(count - 1, -1, 3) ** 2 * 3, axis=(1, 2)))  # root mean square over the joints
    part.curves["movement (mm per frame)"] = np.append(moves, moves[-1:]) * 1000
    _find_duplicates(part, moves, least, limits)
    _find_drops(part, steps, moves, least, limits)
    return part


def _find_duplicates(part: Part, moves: Float, least: float, limits: QualityLimits) -> None:
    total = 0
    found: list[QualityFinding] = []
    low = moves < max(1e-6, 0.05 * least)
    neighbours = np.minimum(np.append(moves[1:], 0.0), np.append(0.0, moves[:-1]))
    low |= (moves < limits.duplicate_share * neighbours) & (neighbours > least)
    for start, end in intervals_of(low):
        if start == 0 or end == len(moves):
            continue  # a clip may begin and end at rest
        around = min(moves[start - 1], moves[end])
        if around < least or moves[start:end].max() > limits.duplicate_share * around:
            continue
        total += end - start
        part.bad[start : end + 2] = True  # type: ignore[index]
        found.append(
            measured(
                "frames.duplicated", "warning",
                "the body stops within a motion: the frame is there twice" if end - start == 1
                else f"the body is frozen for {end - start + 1} frames",
                float(moves[start:end].max() / around), limits.duplicate_share, "",
                limits.reason("duplicate_share"), frames=(start + 1, end + 1),
            )
        )  # fmt: skip
    part.measures["duplicated_frames"] = float(total)
    if total > _PATTERN * len(moves) and len(found) > 3:
        part.findings.append(
            measured(
                "frames.duplicated", "warning", f"{total} of {len(moves) + 1} frames repeat the one before: the clip was "
                "made from one with fewer frames a second", total / (len(moves) + 1), _PATTERN, "",
                limits.reason("duplicate_share"), frames=_span(found),
            )
        )  # fmt: skip
        return
    part.findings += found[:_MOST]
    if len(found) > _MOST:
        rest = found[_MOST:]
        part.findings.append(
            measured(
                "frames.duplicated", "warning", f"{len(rest)} more stops", float(len(rest)), 0.0, "",
                limits.reason("duplicate_share"), frames=_span(rest),
            )
        )  # fmt: skip


def _span(findings: list[QualityFinding]) -> tuple[int, int]:
    """From the first frame of the first to the last of the last."""
    return (findings[0].frames or (0, 0))[0], (findings[-1].frames or (0, 0))[1]


def _find_drops(part: Part, steps: Float, moves: Float, least: float, limits: QualityLimits) -> None:
    """A step is the sum of two (or more) when all joints go on as before and after it, only twice as far."""
    count = len(steps)
    if count < 7:
        return
    usual = 0.5 * (steps[:-2] + steps[2:])  # of step k from k - 1 and k + 1, for k in 1 .. count - 2
    power = np.einsum("ki,ki->k", usual, usual)
    along = np.einsum("ki,ki->k", usual, steps[1:-1])
    ratio = np.zeros(count)
    rest = np.full(count, np.inf)
    ratio[1:-1] = along / np.maximum(power, 1e-30)
    square = np.einsum("ki,ki->k", steps, steps)
    rest[1:-1] = (square[1:-1] - along * along / np.maximum(power, 1e-30)) / np.maximum(square[1:-1], 1e-30)
    candidates = np.flatnonzero((ratio > limits.dropped_ratio) & (rest < _FIT) & (moves > 1.5 * least))
    bad: Bool = part.bad  # type: ignore[assignment]
    found: list[QualityFinding] = []
    for k in candidates.tolist():
        if not 3 <= k < count - 3 or bad[k : k + 2].any():
            continue
        # the steps on each side must be even among themselves, else the body is just being quick
        before, after = moves[k - 3 : k], moves[k + 1 : k + 4]
        if not all(side.min() > least * 0.5 and np.ptp(side) < _STEADY * side.mean() for side in (before, after)):
            continue
        if abs(before[-1] - after[0]) > 2 * _STEADY * min(before[-1], after[0]):
            continue
        missing = max(1, round(ratio[k]) - 1)
        found.append(
            measured(
                "frames.dropped", "warning", f"{'a frame is' if missing == 1 else f'{missing} frames are'} missing: "
                "all joints go on as before, but farther", float(ratio[k]), limits.dropped_ratio, "times",
                limits.reason("dropped_ratio"), frames=(k, k + 2),
            )
        )  # fmt: skip
    for finding in found:
        start, end = finding.frames or (0, 0)
        bad[start:end] = True
    part.measures["dropped_frames"] = float(len(found))
    part.findings += found[:_MOST]
