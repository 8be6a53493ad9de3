"""Corrections as layers over a motion that itself stays what it was: each can be switched off, written to a file and read again.

The recorded curves hold the fine detail that makes a motion look alive, so nothing edits them: a layer turns joints before their recorded
rotations, by smooth curves, and may shift the root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.core import rotations as R
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """What one stage adds.

    Attributes:
        name: of the stage.
        turns: joint name -> (F, 3) rotation vectors in the parent's frame, applied before the joint's own rotation.
        shift: (F, 3) metres the root is moved by, or None.
        on: whether it counts.
    """

    name: str
    turns: Mapping[str, Float64]
    shift: Float | None = None
    on: bool = True

    @property
    def empty(self) -> bool:
        """It changes nothing."""
        return not any(np.any(turn) for turn in self.turns.values()) and (self.shift is None or not np.any(self.shift))


@dataclass(frozen=True, slots=True, eq=False)
class Corrections:
    """Layers in the order they are applied in.

    Attributes:
        frames: of the motion.
        layers: the layers.
    """

    frames: int
    layers: tuple[Layer, ...] = ()

    def __post_init__(self) -> None:
        for layer in self.layers:
            for name, turn in layer.turns.items():
                if np.shape(turn) != (self.frames, 3):
                    raise ParameterError(
                        f"turns of {name!r} must have shape ({self.frames}, 3), not {np.shape(turn)}", where=layer.name
                    )
            if layer.shift is not None and layer.shift.shape != (self.frames, 3):
                raise ParameterError(
                    f"the shift must have shape ({self.frames}, 3), not {layer.shift.shape}", where=layer.name
                )

    def with_layer(self, layer: Layer) -> Corrections:
        """With one layer more, on top."""
        return replace(self, layers=(*self.layers, layer))

    def without(self, *names: str) -> Corrections:
        """With some layers switched off.

        Raises:
            ParameterError: there is no such layer.
        """
        known = [layer.name for layer in self.layers]
        for name in names:
            if name not in known:
                raise ParameterError(f"no layer {name!r}; there are {', '.join(known) or 'none'}", where=name)
        return replace(
            self, layers=tuple(replace(layer, on=layer.on and layer.name not in names) for layer in self.layers)
        )

    def apply(self, clip: Clip) -> Clip:
        """The motion with all layers that are on; joints that none of them turns are what they were to the last bit."""
        if len(clip) != self.frames:
            raise ParameterError(
                f"the corrections are for {self.frames} frames, the clip has {len(clip)}", where=clip.name
            )
        rotations: dict[int, Float64] = {}
        root = None
        for layer in self.layers:
            if not layer.on:
                continue
            for name, turn in layer.turns.items():
                joint = clip.skeleton.joint(name)
                if not np.any(turn):
                    continue
                now = rotations.get(joint, clip.rotations[:, joint].astype(np.float64))
                moved = np.any(turn, axis=1)[:, None]
                rotations[joint] = np.where(moved, R.multiply(R.exp(turn), now), now)
            if layer.shift is not None and np.any(layer.shift):
                root = (clip.root.astype(np.float64) if root is None else root) + layer.shift
        if not rotations and root is None:
            return clip
        made = clip.rotations.copy()
        for joint, turned in rotations.items():
            made[:, joint] = turned.astype(np.float32)
        return replace(clip, rotations=made, root=clip.root if root is None else root.astype(np.float32)).with_plants(
            clip.plants
        )

    def joints(self) -> tuple[str, ...]:
        """Names of all joints that some layer turns."""
        return tuple(dict.fromkeys(name for layer in self.layers for name, turn in layer.turns.items() if np.any(turn)))


def difference_layer(name: str, before: Clip, after: Clip) -> Layer:
    """What turns one motion into another of the same skeleton, as a layer."""
    turns = {}
    for joint in range(len(before.skeleton)):
        here, there = (clip.rotations[:, joint].astype(np.float64) for clip in (before, after))
        if np.array_equal(here, there):
            continue
        turn = R.log(R.multiply(there, R.conjugate(here)))
        turn[np.all(here == there, axis=1)] = 0.0
        if np.abs(turn).max() > 1e-7:
            turns[before.skeleton.names[joint]] = turn
    shift = after.root.astype(np.float64) - before.root
    return Layer(name, turns, shift if np.any(shift) else None)


def merged(corrections: Sequence[Corrections]) -> Corrections:
    """The layers of several one after the other."""
    frames = {one.frames for one in corrections}
    if len(frames) != 1:
        raise ParameterError(f"corrections of {sorted(frames)} frames do not go together")
    return Corrections(frames.pop(), tuple(layer for one in corrections for layer in one.layers))
