"""`load`, `load_all` and `save`: a format's reader plus the inspection that says what the numbers mean."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.origin import AddedPose, UpAxis
from reenact.core.space import from_file_space
from reenact.errors import FormatError, ParameterError
from reenact.formats.loaded import Loaded, ReadOptions, Tolerance, WriteOptions
from reenact.formats.registry import find_format, format_by_ending

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}
"""Names of units, in metres; `cmu` is the length unit of the CMU recordings."""


def load_all(path: str | os.PathLike[str]) -> Loaded:
    """Everything in a file."""
    path = Path(path)
    entry = find_format(path)
    loaded = entry.read(path, ReadOptions())
    if entry.states_units:
        return loaded
    return replace(loaded, clips=tuple(_interim(clip) for clip in loaded.clips))


def _interim(clip: Clip) -> Clip:
    positions = clip.world().positions
    heights = np.ptp(positions[:: max(1, len(clip) // 50)], axis=1)
    height = float(np.percentile(heights.max(axis=1), 50))
    unit = min(UNITS.values(), key=lambda u: abs(np.log(height * u / 1.65)))
    clip = from_file_space(clip, unit, "y")
    if "cmu" in clip.origin.path and len(clip) > 1:
        pose = AddedPose(clip.rotations[0], clip.root[0])
        clip = replace(clip, rotations=clip.rotations[1:], root=clip.root[1:], origin=replace(clip.origin, added_pose=pose)).as_recorded()
    return clip


def load(path: str | os.PathLike[str]) -> Clip:
    """The one clip in a file."""
    return load_all(path).clips[0]


def save(clip: Clip, path: str | os.PathLike[str]) -> None:
    """Write a clip."""
    path = Path(path)
    format_by_ending(path).write([clip], path, WriteOptions())
