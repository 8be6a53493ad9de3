"""Corrections for bodies of any girth between those that were worked out before: looked up in well under a millisecond, for bodies that
change while they move.

After É. Lyard (2008), section 4.8: a motion is fitted to a grid of shapes, and the corrections between are a normalised sum of radial
functions. With Hann's window over the largest difference of all girths, as there, samples come out exactly and nothing leaves their range,
but slopes vanish at the samples; products of hats ("linear", the default) keep that and follow a straight line; Gauss's bells are smoother
and miss the samples.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reenact.adapt.adaptation import adapt_mapped
from reenact.adapt.contact_body import contact_body
from reenact.adapt.corrections import Layer
from reenact.adapt.parameters import AdaptParameters
from reenact.body.character import Character
from reenact.body.growth import grow_parts
from reenact.core import progress
from reenact.core import rotations as R
from reenact.core.arrays import Float
from reenact.core.clip import Clip, JointTranslations
from reenact.core.role_finding import assign_roles
from reenact.errors import ParameterError

Kernel = Literal["linear", "chebyshev", "gaussian"]
KERNELS: tuple[Kernel, ...] = ("linear", "chebyshev", "gaussian")
AXES: dict[str, tuple[str, ...]] = {
    "trunk": ("trunk",),
    "left_arm": ("left_arm",),
    "right_arm": ("right_arm",),
    "left_leg": ("left_leg",),
    "right_leg": ("right_leg",),
    "arms": ("left_arm", "right_arm"),
    "legs": ("left_leg", "right_leg"),
    "body": ("trunk", "left_arm", "right_arm", "left_leg", "right_leg", "head"),
}
"""Dimensions a space may have, and the limbs that each grows. The thesis has the first five, 243 shapes."""

LEVELS = (0.75, 1.0, 1.5)
"""Girths of a dimension, small to big."""

_RATE = 15.0  # samples a second of stored corrections, which are smooth
_BELL = 4.0  # of Gauss's kernel: exp(-4 d^2), d in steps of the grid


@dataclass(frozen=True, slots=True, eq=False)
class ShapeSpace:
    """Corrections of one motion for a grid of shapes.

    Attributes:
        axes: names of its dimensions.
        levels: girths of each, rising.
        nodes: (N, A) girths of each sample.
        joints: names of the joints that turn.
        frames: (K,) frames at which turns are kept.
        turns: (N, J, K, 3) rotation vectors in the parent's frame, before the joint's own rotation.
        clip: the motion, on the body without growth.
    """

    axes: tuple[str, ...]
    levels: tuple[tuple[float, ...], ...]
    nodes: Float
    joints: tuple[str, ...]
    frames: Float
    turns: Float
    clip: Clip

    def weights(self, girths: Mapping[str, float] | Sequence[float], kernel: Kernel = "linear") -> Float:
        """(N,) shares of the samples for a shape; girths beyond the grid are those of its edge.

        Raises:
            ParameterError: there is no such dimension or kernel, or a girth that is no number.
        """
        return self._weights(self._at(girths)[None], kernel)[0]

    def corrections(self, girths: Mapping[str, float] | Sequence[float], kernel: Kernel = "linear") -> Float:
        """(J, K, 3) turns for a shape."""
        return np.tensordot(self.weights(girths, kernel), self.turns, axes=1)

    def layer(self, girths: Mapping[str, float] | Sequence[float], kernel: Kernel = "linear") -> Layer:
        """The corrections of a shape over all frames."""
        found = self._over_time(self.corrections(girths, kernel))
        return Layer("shape", dict(zip(self.joints, found, strict=True)))

    def growing(self, girths: Float, kernel: Kernel = "linear") -> Layer:
        """Corrections of a body whose girths (F, A) change from frame to frame."""
        girths = np.asarray(girths, np.float64)
        if girths.shape != (len(self.clip), len(self.axes)) or not np.isfinite(girths).all():
            raise ParameterError(
                f"girths must have shape ({len(self.clip)}, {len(self.axes)}), not {girths.shape}", where="girths"
            )
        weights = self._weights(girths, kernel)  # (F, N)
        low, share = self._places()
        between = (1 - share)[:, None] * self.turns[:, :, low] + share[:, None] * self.turns[:, :, low + 1]
        found = np.einsum("fn,njfk->jfk", weights, between)
        return Layer("shape", dict(zip(self.joints, found, strict=True)))

    def _places(self) -> tuple[np.ndarray, Float]:
        """For every frame of the clip the kept one before it, and how far it is on the way to the next."""
        every = np.arange(len(self.clip))
        low = np.clip(np.searchsorted(self.frames, every, side="right") - 1, 0, len(self.frames) - 2)
        return low, (every - self.frames[low]) / np.maximum(self.frames[low + 1] - self.frames[low], 1e-9)

    def _over_time(self, turns: Float) -> Float:
        low, share = self._places()
        return (1 - share)[None, :, None] * turns[:, low] + share[None, :, None] * turns[:, low + 1]

    def _at(self, girths: Mapping[str, float] | Sequence[float]) -> Float:
        if isinstance(girths, Mapping):
            unknown = [name for name in girths if name not in self.axes]
            if unknown:
                raise ParameterError(f"no dimension {unknown[0]!r}; there are {', '.join(self.axes)}", where="girths")
            girths = [girths.get(name, 1.0) for name in self.axes]
        found = np.asarray(girths, np.float64)
        if found.shape != (len(self.axes),) or not np.isfinite(found).all():
            raise ParameterError(f"a shape has {len(self.axes)} girths: {', '.join(self.axes)}", where="girths")
        return found

    def _weights(self, girths: Float, kernel: Kernel) -> Float:
        if kernel not in KERNELS:
            raise ParameterError(f"no kernel {kernel!r}; there are {', '.join(KERNELS)}", where="kernel")
        apart = np.abs(self._steps(girths)[:, None] - self._steps(self.nodes)[None])  # (F, N, A) steps of the grid
        if kernel == "linear":
            found = np.prod(np.maximum(1 - apart, 0.0), axis=2)
        elif kernel == "chebyshev":
            far = apart.max(axis=2)
            found = np.where(far < 1, 0.5 + 0.5 * np.cos(np.pi * np.minimum(far, 1)), 0.0)
        else:
            found = np.exp(-_BELL * np.sum(apart**2, axis=2))
        return found / found.sum(axis=1, keepdims=True)

    def _steps(self, girths: Float) -> Float:
        """Girths as places on the grid: steps from its first level, piece by piece straight."""
        return np.stack(
            [np.interp(girths[:, n], level, np.arange(len(level))) for n, level in enumerate(self.levels)], axis=1
        )


def fit_shapes(
    clip: Clip,
    character: Character,
    axes: Sequence[str] = ("trunk", "arms", "legs"),
    levels: Sequence[float] = LEVELS,
    asked: AdaptParameters | None = None,
) -> ShapeSpace:
    """Fit a motion to a grid of shapes of a character.

    Args:
        clip: the motion, on the character's skeleton.
        character: the body.
        axes: dimensions, see `AXES`; all five limbs by themselves with three levels are the 243 shapes of the thesis.
        levels: girths of each dimension, rising.
        asked: how the motion is fitted; feet and balance are left out, they belong to what is made in the end.

    Raises:
        ParameterError: an unknown dimension, one that grows a limb twice, or levels that do not rise.
    """
    grown = [group for name in axes for group in AXES.get(name, ())]
    if not axes or any(name not in AXES for name in axes) or len(set(grown)) < len(grown):
        raise ParameterError(f"dimensions must be some of {', '.join(AXES)}, and no limb may be in two", where="axes")
    if len(levels) < 2 or any(b <= a for a, b in itertools.pairwise(levels)):
        raise ParameterError("a grid needs at least two levels, rising", where="levels")
    asked = asked or AdaptParameters()
    stages = ",".join(name for name in asked.chosen if name not in ("feet", "balance")) or "none"
    asked = replace(asked, stages=stages)
    count = max(2, round((len(clip) - 1) / clip.fps * _RATE) + 1)
    frames = np.linspace(0, len(clip) - 1, count)
    nodes = np.array(list(itertools.product(levels, repeat=len(axes))))
    found: list[dict[str, Float]] = []
    for number, node in enumerate(nodes):
        progress.tell(number / len(nodes), "shapes are fitted")
        body = grow_shape(character, dict(zip(axes, node.tolist(), strict=True)))
        made = adapt_mapped(clip.with_skeleton(body.skeleton), body, contact_body(body, asked.margin), asked, None)
        found.append(_turns(clip, made.clip, frames))
    joints = tuple(dict.fromkeys(name for one in found for name in one))
    none = np.zeros((count, 3))
    turns = np.array([[one.get(name, none) for name in joints] for one in found]).reshape(
        len(nodes), len(joints), count, 3
    )
    return ShapeSpace(tuple(axes), (tuple(levels),) * len(axes), nodes, joints, frames, turns, clip)


def grow_shape(character: Character, girths: Mapping[str, float]) -> Character:
    """A character with the girths of dimensions."""
    by_group = {group: girth for name, girth in girths.items() for group in AXES[name]}
    grown = grow_parts(character, by_group)
    return replace(grown, skeleton=assign_roles(grown.skeleton)[0])


def growing_clip(clip: Clip, character: Character, axes: Sequence[str], girths: Float) -> Clip:
    """A motion whose shoulders and hips move with the girths (F, A) of its body."""
    ends = [grow_shape(character, dict.fromkeys(axes, 1.0)).skeleton]
    trunk = [n for n, name in enumerate(axes) if "trunk" in AXES[name]]
    if not trunk:
        return clip
    ends.append(grow_shape(character, {axes[trunk[0]]: 2.0}).skeleton)
    way = ends[1].offsets - ends[0].offsets  # offsets are straight in the girth of the trunk
    joints = np.flatnonzero(np.abs(way).max(axis=1) > 1e-9)
    share = np.asarray(girths, np.float64)[:, trunk[0]] - 1
    values = ends[0].offsets[joints] + share[:, None, None] * way[joints]
    return replace(
        clip, translations=JointTranslations(joints.astype(np.int32), values.astype(np.float32))
    ).with_plants(clip.plants)


def _turns(before: Clip, after: Clip, frames: Float) -> dict[str, Float]:
    """Joint -> (K, 3) what its rotation was turned by at some frames."""
    found = {}
    low = np.floor(frames).astype(int)
    high = np.minimum(low + 1, len(before) - 1)
    share = (frames - low)[:, None]
    for joint, name in enumerate(before.skeleton.names):
        here, there = (clip.rotations[:, joint].astype(np.float64) for clip in (before, after))
        if not np.array_equal(here, there):
            turn = R.log(R.multiply(there, R.conjugate(here)))
            found[name] = (1 - share) * turn[low] + share * turn[high]
    return found
