"""`load`, `load_all` and `save`: a format's reader plus the inspection that says what the numbers mean."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from reenact.core.clip import Clip
from reenact.core.origin import AddedPose
from reenact.core.parameters import check_ranges, option
from reenact.core.space import from_file_space
from reenact.errors import FormatError, ParameterError
from reenact.formats.loaded import Loaded, ReadOptions, Tolerance, WriteOptions
from reenact.formats.registry import find_format, format_by_ending

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}
"""Names of units, in metres; `cmu` is the length unit of the CMU recordings."""


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What you know better than the file. Everything found out by itself is reported as a finding."""

    clip: str | None = option(None, "name or number of the clip, when the file holds several")
    fps: float | Literal["auto"] | None = option(
        None, "frame rate, or auto to apply a suggested one; default: the file's", unit="Hz", above=0
    )
    unit: float | str = option("auto", "length unit of the file: auto, metres per unit, or m dm cm mm inch foot cmu")
    up: Literal["auto", "x", "y", "z"] = option("auto", "up axis of the file")
    added_pose: Literal["auto", "keep", "drop"] = option(
        "auto", "a T-pose frame put before the recording: drop it when found, keep it, or drop frame 0 anyway"
    )
    position_channels: Literal["auto", "replace", "add"] = option(
        "auto", "whether BVH position channels replace a joint's OFFSET or are added to it"
    )
    skeleton: Path | None = option(None, "ASF file of an AMC file; default: looked for beside it")
    tolerance: Tolerance = option(
        "normal", "strict: refuse every departure from the format; recover: save what can be saved of a damaged file"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if isinstance(self.unit, str) and self.unit != "auto" and self.unit not in UNITS:
            try:
                object.__setattr__(self, "unit", float(self.unit))
            except ValueError:
                raise ParameterError(
                    f"unit must be auto, a number of metres or one of {', '.join(UNITS)}, not {self.unit!r}",
                    where="unit",
                ) from None
        if not isinstance(self.unit, str) and not (np.isfinite(self.unit) and self.unit > 0):
            raise ParameterError(f"unit must be a positive number of metres, not {self.unit}", where="unit")


def load_all(path: str | os.PathLike[str], options: LoadOptions | None = None) -> Loaded:
    """Everything in a file."""
    path, options = Path(path), options or LoadOptions()
    entry = find_format(path)
    loaded = entry.read(path, ReadOptions(options.tolerance, options.skeleton, options.position_channels))
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
        clip = replace(
            clip, rotations=clip.rotations[1:], root=clip.root[1:], origin=replace(clip.origin, added_pose=pose)
        ).as_recorded()
    return clip


def load(path: str | os.PathLike[str], options: LoadOptions | None = None) -> Clip:
    """The one clip of a file (or the one named by `options.clip`), in metres and Y up; `clip.origin.findings` says what was noticed."""
    options = options or LoadOptions()
    loaded = load_all(path, options)
    return choose_clip(loaded, options.clip, path)


def choose_clip(loaded: Loaded, wanted: str | None, path: str | os.PathLike[str]) -> Clip:
    """The clip asked for by name or number (from 0), or the only one; else an error that lists them."""
    names = [clip.name for clip in loaded.clips]
    if not names:
        raise FormatError("the file holds no motion", path=path)
    if wanted is None:
        if len(names) == 1:
            return loaded.clips[0]
        raise FormatError(
            f"the file holds {len(names)} clips; choose one by name or number: {_listed(names)}", path=path
        )
    if wanted in names:
        return loaded.clips[names.index(wanted)]
    if wanted.isdigit() and int(wanted) < len(names):
        return loaded.clips[int(wanted)]
    raise FormatError(f"no clip {wanted!r}; there are {_listed(names)}", path=path)


def _listed(names: list[str]) -> str:
    shown = [f"{n} {name!r}" for n, name in enumerate(names[:20])]
    return ", ".join(shown) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def save(clip: Clip, path: str | os.PathLike[str], options: WriteOptions | None = None) -> None:
    """Write a clip; the ending of `path` says the format. The file appears whole or not at all."""
    save_all([clip], path, options)


def save_all(clips: Sequence[Clip], path: str | os.PathLike[str], options: WriteOptions | None = None) -> None:
    """Write several clips into one file, for formats that can hold them."""
    path = Path(path)
    format_by_ending(path).write(clips, path, options or WriteOptions())
