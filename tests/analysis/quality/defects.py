"""Defects planted into good motion: each function returns the clip with the defect and the frames it is in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core.clip import Clip, JointTranslations
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.resample import ResampleParameters, resample
from reenact.core.rotations import from_axis_angle, multiply
from reenact.core.smoothing import smooth

Planted = tuple[Clip, tuple[int, int]]


def turned(clip: Clip, joint: str, frames: slice, degrees: float, axis: tuple[float, float, float] = (1, 0, 0)) -> Clip:
    rotations = clip.rotations.copy()
    which = clip.skeleton.joint(joint)
    rotations[frames, which] = multiply(rotations[frames, which], from_axis_angle(axis, np.radians(degrees)))
    return replace(clip, rotations=rotations)


def shifted(clip: Clip, shift: np.ndarray) -> Clip:
    return replace(clip, root=clip.root + shift.astype(np.float32))


def reordered(clip: Clip, order: np.ndarray) -> Clip:
    """The frames of a clip in another order, some left out or twice."""
    moved = clip.translations
    if moved is not None:
        moved = JointTranslations(moved.joints, moved.values[order])
    return replace(clip, rotations=clip.rotations[order], root=clip.root[order], translations=moved)


def joint_pop(clip: Clip, at: int) -> Planted:
    return turned(clip, "left_lower_arm", slice(at, at + 1), 40.0), (at, at + 1)


def joint_step(clip: Clip, at: int) -> Planted:
    return turned(clip, "neck", slice(at, None), 35.0, (0, 1, 0)), (at, at + 1)


def root_pop(clip: Clip, at: int) -> Planted:
    shift = np.zeros((len(clip), 3))
    shift[at] = (0.08, 0.05, 0.0)
    return shifted(clip, shift), (at, at + 1)


def flip(clip: Clip, at: int) -> Planted:
    return turned(clip, "right_upper_arm", slice(at, at + 1), 180.0), (at, at + 1)


def lasting_flip(clip: Clip, at: int) -> Planted:
    return turned(clip, "right_upper_arm", slice(at, None), 180.0), (at, at + 1)


def duplicate(clip: Clip, at: int) -> Planted:
    order = np.insert(np.arange(len(clip)), at, at - 1)
    return reordered(clip, order), (at, at + 1)


def freeze(clip: Clip, at: int) -> Planted:
    order = np.arange(len(clip))
    order[at : at + 4] = at - 1
    return reordered(clip, order), (at, at + 4)


def drop(clip: Clip, at: int) -> Planted:
    order = np.delete(np.arange(len(clip)), at)
    return reordered(clip, order), (at - 1, at + 1)


def jitter(clip: Clip, at: int) -> Planted:
    noise = np.random.default_rng(3).normal(0, 0.003, (len(clip), 3))
    return shifted(clip, noise), (0, len(clip))


def longest_plant(plants: FootPlants) -> tuple[str, int, int]:
    found = [
        (end - start, side, start, end) for side in ("left", "right") for start, end in plants.foot(side).intervals()
    ]
    inner = [entry for entry in found if entry[2] > 0 and entry[3] < len(plants)] or found
    _, side, start, end = max(inner)
    return side, start, end


def skate(clip: Clip, plants: FootPlants, millimetres: float = 30.0) -> tuple[Clip, tuple[int, int]]:
    """The whole body slides sideways while one foot is planted, and stays there."""
    _, start, end = longest_plant(plants)
    ease = np.clip((np.arange(len(clip)) - start - 0.2 * (end - start)) / (0.6 * (end - start)), 0, 1)
    way = 0.001 * millimetres * (3 * ease**2 - 2 * ease**3)
    return shifted(clip, np.stack([way, 0 * way, 0 * way], axis=1)), (start, end)


def sink(clip: Clip, at: int, millimetres: float = 60.0) -> Planted:
    """The body goes down into the floor for half a second and comes up again."""
    half = round(0.25 * clip.fps)
    away = np.abs(np.arange(len(clip)) - at) / half
    down = np.where(away < 1.4, 0.5 + 0.5 * np.cos(np.pi * np.clip((away - 0.4) / 1.0, 0, 1)), 0.0)
    return shifted(clip, np.stack([0 * down, -0.001 * millimetres * down, 0 * down], axis=1)), (at - half, at + half)


def stand_off(clip: Clip, plants: FootPlants, millimetres: float = 30.0) -> Planted:
    """The body stands above the floor, or below it, through a plant of the left foot in the middle of the clip."""
    spans = [span for span in intervals_of(plants.left.plant) if span[1] - span[0] > 0.25 * clip.fps]
    start, end = min(spans, key=lambda span: abs(sum(span) - len(clip)))
    away = smooth(((np.arange(len(clip)) >= start) & (np.arange(len(clip)) < end)).astype(float), 0.03 * clip.fps)
    return shifted(clip, np.stack([0 * away, 0.001 * millimetres * away, 0 * away], axis=1)), (start, end)


def bend_back(clip: Clip, at: int) -> Planted:
    """The knee turned past straight, smoothly, for a third of a second: every bend of the shank reversed and more."""
    half = round(0.2 * clip.fps)
    joint = clip.skeleton.joint("right_lower_leg")
    rotations = clip.rotations.astype(np.float64)
    away = np.clip(1 - np.abs(np.arange(len(clip)) - at) / (2 * half), 0, 1)
    ease = 3 * away**2 - 2 * away**3
    back = from_axis_angle((1.0, 0.0, 0.0), np.radians(-80.0) * ease)
    rotations[:, joint] = multiply(rotations[:, joint], back)
    return replace(clip, rotations=rotations.astype(np.float32)), (at - half, at + half)


def stretch(clip: Clip, at: int) -> Planted:
    joint = clip.skeleton.joint("left_lower_arm")
    values = np.repeat(clip.skeleton.offsets[None, joint : joint + 1], len(clip), axis=0)
    ease = np.clip(1 - np.abs(np.arange(len(clip)) - at) / 12, 0, 1)
    values = values * (1 + 0.12 * ease)[:, None, None]
    return replace(clip, translations=JointTranslations(np.array([joint]), values.astype(np.float32))), (at - 9, at + 9)


def t_pose(clip: Clip) -> Planted:
    """The rest pose of the samples, which is a T-pose, put before the motion."""
    rest = np.tile(clip.skeleton.rest, (1, 1, 1)).astype(np.float32)
    rotations = np.concatenate([rest, clip.rotations])
    return replace(clip, rotations=rotations, root=np.concatenate([clip.root[:1], clip.root])), (0, 1)


def half_rate(clip: Clip) -> Clip:
    return replace(clip, fps=clip.fps / 2)


def double_rate(clip: Clip) -> Clip:
    return replace(clip, fps=clip.fps * 2)


def weak_gravity(clip: Clip) -> Clip:
    """Played 1.5 times too slowly: too little for a wrong rate, too much for a fall."""
    slow = resample(clip, ResampleParameters(frames=round(1.45 * len(clip)), method="smooth"))
    return replace(slow, fps=clip.fps)
