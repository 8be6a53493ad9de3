"""Blending while it plays: weights may change at any moment, the motions go on for ever.

from reenact.blend.live import LiveBlend
player = LiveBlend(register([walk, turn_left, turn_right]))
step = player.step(1 / 60, [0.2, 0.8, 0.0])
step.root, step.rotations, step.contacts

A step costs the same however long it has been played, looks at nothing but the moment, and keeps nothing of the past but where it stands:
the place u on the curve and the placement of the whole (Kovar and Gleicher 2003, continuous control).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.blend.loop_points import LoopPoint, find_loop_point
from reenact.blend.plant_matching import match_plants
from reenact.blend.registration_curve import MATCH_KEYS, RegistrationCurve
from reenact.blend.travel import chain, invert, mean_placement
from reenact.blend.weights import check_weights
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float64
from reenact.core.clip import Clip
from reenact.core.ramps import rise
from reenact.errors import ParameterError

_LONGEST_STEP = 1.0  # seconds
_SETTLED = 1e-12  # of a weight


class LiveStep(NamedTuple):
    """A pose. The arrays are written anew by the next step: copy what is kept.

    Attributes:
        root: (3,) metres.
        rotations: (J, 4) local rotations wxyz.
        contacts: (4,) planted: left heel, left ball, right heel, right ball.
        points: (M, 3) metres, the joints that move in their parent's frame (`LiveBlend.moving`).
    """

    root: Float64
    rotations: Float64
    contacts: Bool
    points: Float64


class _Stream:
    """One passage along the curve."""

    __slots__ = ("before", "placements", "points", "root", "rotations", "signs", "state")

    def __init__(self, motions: int, joints: int, moving: int) -> None:
        self.state = np.zeros(4)
        self.placements, self.before = np.zeros((motions, 3)), np.zeros((motions, 3))
        self.signs = np.zeros((joints, motions, 4))
        self.rotations, self.root, self.points = np.zeros((joints, 4)), np.zeros(3), np.zeros((moving, 3))


class LiveBlend:
    """A player of registered motions.

    Attributes:
        curve: the motions, with matched plants.
        loop: where one passage goes over into the next; None: the last pose is held.
        moving: joints that move in their parent's frame.
        passages: how often the motions have been begun again.
    """

    def __init__(self, curve: RegistrationCurve, *, smoothing: float = 0.15, loop: bool = True) -> None:
        """Prepare all arrays.

        Args:
            curve: from `register`.
            smoothing: seconds, time constant of the low-pass over the weights (two of them, one after the other, so that poses have no
                kink in their velocity); 0: weights act at once.
            loop: play the motions again when they end.
        """
        if not 0 <= smoothing <= 60:
            raise ParameterError(f"smoothing must be 0 to 60 s, not {smoothing:g}", where="smoothing")
        self.curve, _ = match_plants(curve)
        self.loop: LoopPoint | None = find_loop_point(curve) if loop else None
        self._smoothing = smoothing
        clips = curve.clips
        self.moving = tuple(
            sorted({int(j) for clip in clips if clip.translations is not None for j in clip.translations.joints})
        )
        self._first = np.concatenate([[0], np.cumsum([len(clip) for clip in clips])]).astype(np.int64)
        self._rotations = np.concatenate([R.make_continuous(clip.rotations.astype(np.float64)) for clip in clips])
        self._roots = np.concatenate([clip.root.astype(np.float64) for clip in clips])
        self._points = np.concatenate([_points(clip, self.moving) for clip in clips])
        self._floor = np.concatenate(curve.alignment.roots)
        warp, alignment, knots = curve.warp, curve.alignment, len(curve.warp.values)
        self._curves = (
            np.array(warp.values),
            np.array(warp.slopes),
            np.ascontiguousarray(alignment.values.reshape(knots, -1)),
            np.ascontiguousarray(alignment.slopes.reshape(knots, -1)),
            float(warp.step),
            int(curve.reference),
        )
        self._plants = [np.array(self.curve.matches.get(kind, [])).reshape(-1, curve.motions, 2) for kind in MATCH_KEYS]
        joints = len(clips[0].skeleton)
        self._one = np.zeros((joints, curve.motions, 4))
        self._pair, self._pair_weights = np.zeros((2, 4)), np.zeros(2)
        self._now, self._gone = (_Stream(curve.motions, joints, len(self.moving)) for _ in range(2))
        self._contacts = np.zeros(len(MATCH_KEYS), np.bool_)
        self.reset()

    def reset(self) -> None:
        """Go back to the start: the reference stands where it was recorded."""
        self.passages = 0
        self._weights: Float64 | None = None
        self._nearly: Float64 | None = None
        self._crossed = 1.0
        self._now.state[:] = 0.0
        self._now.signs[:] = 0.0
        self._now.placements[:] = self.curve.alignment.placements_at(0.0)[0]

    @property
    def u(self) -> float:
        """Where the passage is on the curve, 0 to `curve.length`."""
        return float(self._now.state[0])

    @property
    def weights(self) -> Float64:
        """(k,) the weights in effect, after the low-pass."""
        return np.full(self.curve.motions, np.nan) if self._weights is None else self._weights.copy()

    @property
    def crossing(self) -> bool:
        """One passage is just going over into the next."""
        return self._crossed < 1.0

    @property
    def placements(self) -> Float64:
        """(k, 3) turn, x, z that take each motion as recorded to where it lies now."""
        return chain(self._now.state[1:], self._now.placements)

    def enter(self, u: float, placement: ArrayLike) -> None:
        """Begin again at a place on the curve, all of it moved by a placement (3,) turn, x, z; weights act at once."""
        self.reset()
        self._now.state[0] = min(max(u, 0.0), self.curve.length)
        self._now.state[1:] = placement
        self._now.placements[:] = self.curve.alignment.placements_at(self._now.state[0])[0]

    def body_at(self, u: float, weights: Float64) -> Float64:
        """(2,) metres, x and z of the mean body at a place on the curve, laid on the reference."""
        frames = self.curve.warp.frames_at(u)
        own = np.array([self._floor[f + round(float(at))] for f, at in zip(self._first, frames, strict=False)])
        aligned = self.curve.alignment.placements_at(u)[0]
        return weights @ chain(aligned, np.column_stack([np.zeros(len(own)), own]))[:, 1:]

    def look_ahead(self, weights: Float64, dt: float, count: int) -> tuple[Float64, Bool]:
        """Where the passage will be at `count` moments from now on, `dt` seconds apart, and whether no crossing is under way there."""
        values, slopes, _, _, step, _ = self._curves
        u, busy = float(self._now.state[0]), 0.0
        if self.loop is not None:
            busy = (1.0 - min(self._crossed, 1.0)) * self.loop.frames
        places, free = np.empty(count), np.empty(count, np.bool_)
        for n in range(count):
            places[n], free[n] = u, busy <= 0
            u = float(kernels.live_blending.advance(values, slopes, step, u, weights, dt * self.curve.fps))
            busy -= dt * self.curve.fps
            if self.loop is not None and busy <= 0 and u >= self.loop.leave:
                u, busy = self.loop.enter, float(self.loop.frames)
        return places, free

    def step(self, dt: float, weights: ArrayLike, *, loop: bool = True) -> LiveStep:
        """Go on by `dt` seconds towards these weights; `dt` 0 gives the pose of the moment. Without `loop` no new passage is begun.

        Raises:
            ParameterError: weights that do not fit, or a step that is negative or longer than a second.
        """
        if not 0 <= dt <= _LONGEST_STEP:
            raise ParameterError(f"dt must be 0 to {_LONGEST_STEP:g} s, not {dt:g}", where="dt")
        used = self._smooth(check_weights(weights, self.curve.motions), dt)
        frames = dt * self.curve.fps
        if loop and self.loop is not None and self._crossed >= 1.0 and self._now.state[0] >= self.loop.leave:
            self._begin_again(used)
        self._play(self._now, used, frames)
        pose = self._now
        if self.loop is not None and self._crossed < 1.0:
            self._play(self._gone, used, frames)
            self._crossed += frames / self.loop.frames
            pose = self._gone
            kernels.live_blending.mix(
                float(rise(self._crossed)),
                pose.rotations,
                pose.root,
                pose.points,
                self._now.rotations,
                self._now.root,
                self._now.points,
                self._pair,
                self._pair_weights,
            )
        leading = self._gone if self._crossed < 0.5 else self._now
        for kind, plants in enumerate(self._plants):
            starts, ends = plants[:, :, 0] @ used, plants[:, :, 1] @ used
            self._contacts[kind] = bool(np.any((starts <= leading.state[0]) & (leading.state[0] <= ends)))
        return LiveStep(pose.root, pose.rotations, self._contacts, pose.points)

    def _smooth(self, wanted: Float64, dt: float) -> Float64:
        """The weights after two low-passes; both only ever mix weights that were asked for, so they stay weights."""
        if self._weights is None or self._nearly is None or self._smoothing == 0:
            self._weights, self._nearly = wanted, wanted
            return wanted
        keep = float(np.exp(-dt / self._smoothing))
        self._nearly = keep * self._nearly + (1 - keep) * wanted
        found = keep * self._weights + (1 - keep) * self._nearly
        if np.abs(found - wanted).max() < _SETTLED:
            found = wanted
        self._weights = found
        return found

    def _play(self, stream: _Stream, weights: Float64, frames: float) -> None:
        values, slopes, alignment, bends, step, reference = self._curves
        kernels.live_blending.step_stream(
            self._rotations,
            self._roots,
            self._points,
            self._floor,
            self._first,
            values,
            slopes,
            alignment,
            bends,
            step,
            reference,
            weights,
            frames,
            stream.state,
            stream.placements,
            stream.before,
            self._one,
            stream.signs,
            stream.rotations,
            stream.root,
            stream.points,
        )

    def _begin_again(self, weights: Float64) -> None:
        """Start the next passage where all motions are alike; the one that ends is blended out."""
        assert self.loop is not None
        self._now, self._gone = self._gone, self._now
        gone, now = self._gone, self._now
        now.state[0] = self.loop.enter
        now.signs[:] = gone.signs  # the same way round, so that both passages mix the motions alike
        now.placements[:] = self.curve.alignment.placements_at(self.loop.enter)[0]
        now.state[1:] = self._votes_for_next(gone, now, weights)
        self._crossed = 0.0
        self.passages += 1

    def _votes_for_next(self, gone: _Stream, now: _Stream, weights: Float64) -> Float64:
        """(3,) the placement of the next passage: the mean of where each motion would have it, about where the body is."""
        assert self.loop is not None
        there = chain(chain(gone.state[1:], gone.placements), self.loop.placements)  # of the motions as recorded
        return mean_placement(chain(there, invert(now.placements)), self.body_at(self.loop.enter, weights), weights)


def _points(clip: Clip, moving: tuple[int, ...]) -> Float64:
    found = np.tile(clip.skeleton.offsets[list(moving)], (len(clip), 1, 1))
    if clip.translations is not None:
        found[:, np.searchsorted(moving, clip.translations.joints)] = clip.translations.values
    return found
