"""A plain reader of CMU BVH files and a few measures of made motion, which know nothing of the package under test.

Positions are world positions in metres, Y up, (frames, joints, 3); speeds are metres per second, accelerations metres per second squared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

METRES = 0.45**-1 * 0.0254  # of a unit of length in CMU files
SIDES = ("left", "right")
_AXES = {"X": 0, "Y": 1, "Z": 2}
_NUMBER = re.compile(r"Frame Time:\s*(\S+)")


@dataclass(frozen=True)
class Motion:
    """The joints of a clip over time.

    Attributes:
        names: (J,) of the joints.
        fps: as the file states.
        positions: (F, J, 3).
        turns: (F, J, 3, 3) world rotations.
    """

    names: tuple[str, ...]
    fps: float
    positions: np.ndarray
    turns: np.ndarray

    def __len__(self) -> int:
        return len(self.positions)

    def joint(self, name: str) -> np.ndarray:
        """(F, 3) path of a joint."""
        return self.positions[:, self.names.index(name)]

    @cached_property
    def accelerations(self) -> np.ndarray:
        """(F - 2, J) of the world positions, by second differences."""
        return np.linalg.norm(np.diff(self.positions, 2, axis=0), axis=-1) * self.fps**2


def read_motion(path: Path, *, first: int = 0) -> Motion:
    """The joints of a BVH file from frame `first` on (1 leaves out the T-pose in front of a CMU recording)."""
    head, motion = path.read_text(encoding="utf-8").replace("\r", "\n").split("MOTION", 1)
    names, parents, offsets, channels = _hierarchy(head)
    found = _NUMBER.search(motion)
    assert found is not None
    values = np.array(motion[found.end() :].split(), dtype=np.float64).reshape(-1, sum(map(len, channels)))[first:]
    positions = np.zeros((len(values), len(names), 3))
    turns = np.zeros((len(values), len(names), 3, 3))
    column = 0
    for joint, parent in enumerate(parents):
        place, turn = np.tile(offsets[joint], (len(values), 1)), np.tile(np.eye(3), (len(values), 1, 1))
        if any(channel.endswith("position") for channel in channels[joint]):
            place[:] = 0.0
        for channel in channels[joint]:
            axis, given = _AXES[channel[0]], values[:, column]
            column += 1
            if channel.endswith("position"):
                place[:, axis] = given
            else:
                turn = turn @ _turn_about(axis, np.radians(given))
        if parent < 0:
            positions[:, joint], turns[:, joint] = place, turn
        else:
            positions[:, joint] = positions[:, parent] + np.einsum("fij,fj->fi", turns[:, parent], place)
            turns[:, joint] = turns[:, parent] @ turn
    return Motion(tuple(names), 1 / float(found[1]), positions * METRES, turns)


def _hierarchy(head: str) -> tuple[list[str], list[int], list[list[float]], list[list[str]]]:
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float]] = []
    channels: list[list[str]] = []
    open_joints: list[int] = []
    opened = -1
    for words in map(str.split, head.split("\n")):
        match words[:1]:
            case ["ROOT" | "JOINT"]:
                parents.append(open_joints[-1] if open_joints else -1)
                names.append(words[1])
                offsets.append([])
                channels.append([])
                opened = len(names) - 1
            case ["End"]:
                opened = -1
            case ["{"]:
                open_joints.append(opened)
            case ["}"]:
                open_joints.pop()
            case ["OFFSET"] if open_joints[-1] >= 0:
                offsets[open_joints[-1]] = [float(word) for word in words[1:4]]
            case ["CHANNELS"]:
                channels[open_joints[-1]] = words[2:]
            case _:
                pass
    return names, parents, offsets, channels


def _turn_about(axis: int, angles: np.ndarray) -> np.ndarray:
    after, last = (axis + 1) % 3, (axis + 2) % 3
    turns = np.zeros((len(angles), 3, 3))
    turns[:, axis, axis] = 1.0
    turns[:, after, after] = turns[:, last, last] = np.cos(angles)
    turns[:, last, after] = np.sin(angles)
    turns[:, after, last] = -turns[:, last, after]
    return turns


def hardest_push(made: Motion, sources: list[Motion], frames: slice = slice(None)) -> tuple[float, str]:
    """The largest acceleration of a joint over the largest of the same joint in all its sources: the worst joint's, and its name."""
    most = np.max([source.accelerations.max(axis=0) for source in sources], axis=0)
    ratios = made.accelerations[frames].max(axis=0) / np.maximum(most, 1.0)
    worst = int(ratios.argmax())
    return float(ratios[worst]), made.names[worst]


def even_out(path: np.ndarray, fps: float, seconds: float) -> np.ndarray:
    """(F, 3) means over so many seconds; the ends stand still."""
    width = max(1, round(seconds * fps)) | 1
    padded = np.pad(path, ((width // 2, width // 2), (0, 0)), mode="edge")
    return np.stack([np.convolve(column, np.full(width, 1 / width), "valid") for column in padded.T], axis=1)


def floor_speed(path: np.ndarray, fps: float, seconds: float = 0.03) -> np.ndarray:
    """(F,) speed over the floor."""
    return np.linalg.norm(np.gradient(even_out(path, fps, seconds), axis=0)[:, [0, 2]], axis=1) * fps


def facing(motion: Motion) -> np.ndarray:
    """(F,) degrees about the vertical into which the hips face, without jumps by whole turns."""
    forward = np.cross((0.0, 1.0, 0.0), motion.joint("RightUpLeg") - motion.joint("LeftUpLeg"))
    return np.degrees(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2])))


def forward_way(motion: Motion, frames: slice) -> float:
    """Metres that the hips travel the way they face (less than 0: backwards), within frames."""
    angles, steps = np.radians(facing(motion)), np.diff(motion.joint("Hips")[frames], axis=0)
    ahead = np.stack([np.sin(angles), np.cos(angles)], axis=1)[frames][:-1]
    return float(np.sum(steps[:, [0, 2]] * ahead))


def _foot(side: str) -> tuple[str, str]:
    return f"{side.capitalize()}Foot", f"{side.capitalize()}ToeBase"


def _stillest(motion: Motion, side: str) -> np.ndarray:
    """Frames in which a foot is low and hardly moves: the stillest tenth of the low ones."""
    ankle, ball = (motion.joint(name) for name in _foot(side))
    steps = [np.gradient(even_out(path, motion.fps, 0.04), axis=0) for path in (ankle, ball)]
    speed = np.linalg.norm(steps, axis=2).sum(axis=0)
    low = np.flatnonzero(ball[:, 1] < np.percentile(ball[:, 1], 35) + 0.01)
    return low[np.argsort(speed[low])[: max(5, len(low) // 10)]]


def foot_points(motion: Motion, like: Motion) -> dict[tuple[str, str], np.ndarray]:
    """Paths (F, 3) of heels and balls; the heel lies below the ankle at the height of the ball where `like`, the same body, stands."""
    points = {}
    for side in SIDES:
        ankle, ball = _foot(side)
        still = _stillest(like, side)
        below = like.joint(ankle)[still].copy()
        below[:, 1] = like.joint(ball)[still, 1]
        turns = like.turns[still, like.names.index(ankle)]
        heel = np.median(np.einsum("fji,fj->fi", turns, below - like.joint(ankle)[still]), axis=0)
        points[side, "ball"] = motion.joint(ball)
        points[side, "heel"] = motion.joint(ankle) + motion.turns[:, motion.names.index(ankle)] @ heel
    return points


def levels(points: dict[Any, np.ndarray], frames: slice = slice(None)) -> dict[Any, float]:
    """How high each point stands."""
    return {key: float(np.percentile(path[frames, 1], 5)) for key, path in points.items()}


def foot_pitch(motion: Motion, side: str) -> np.ndarray:
    """(F,) degrees by which the line from ankle to ball points up."""
    ankle, ball = (motion.joint(name) for name in _foot(side))
    along = ball - ankle
    return np.degrees(np.arctan2(along[:, 1], np.linalg.norm(along[:, [0, 2]], axis=1)))


def flat_frames(motion: Motion, side: str) -> np.ndarray:
    """Frames in which a foot is flat on the floor: ankle and ball are as low as they come and hardly move."""
    flat = np.ones(len(motion), dtype=bool)
    for name in _foot(side):
        path = motion.joint(name)
        flat &= (path[:, 1] < np.percentile(path[:, 1], 5) + 0.02) & (floor_speed(path, motion.fps, 0.05) < 0.1)
    return np.flatnonzero(flat)


def seconds_of_slides(motion: Motion, points: dict[Any, np.ndarray], level: dict[Any, float], frames: slice) -> float:
    """Seconds in which something stands low, and the stillest point that does moves faster than 0.3 m/s over the floor."""
    speeds = [
        np.where(path[:, 1] < level[key] + 0.025, floor_speed(path, motion.fps), np.inf) for key, path in points.items()
    ]
    stillest = np.min(speeds, axis=0)[frames]
    return float(np.count_nonzero(np.isfinite(stillest) & (stillest > 0.3)) / motion.fps)


def write_changed(source: Path, out: Path, changes: dict[tuple[str, str], np.ndarray]) -> None:
    """The file with something added, frame by frame, to channels given as (joint, channel): degrees, or metres.

    The first frame, the T-pose of a CMU recording, is left out.
    """
    head, motion = source.read_text(encoding="utf-8").replace("\r", "").split("MOTION", 1)
    names, _, _, channels = _hierarchy(head)
    columns = [(name, channel) for name, of_joint in zip(names, channels, strict=True) for channel in of_joint]
    found = _NUMBER.search(motion)
    assert found is not None
    values = np.array(motion[found.end() :].split(), dtype=np.float64).reshape(-1, len(columns))[1:]
    for key, added in changes.items():
        values[:, columns.index(key)] += added / (METRES if key[1].endswith("position") else 1.0)
    rows = "\n".join(" ".join(f"{value:.6f}" for value in row) for row in values)
    out.write_text(f"{head}MOTION\nFrames: {len(values)}\nFrame Time: {found[1]}\n{rows}\n", encoding="utf-8")
