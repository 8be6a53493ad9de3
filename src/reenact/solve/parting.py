"""Legs that run through each other parted: the foot in the air is pushed to the side of its way, just as far as needed.

Blends and transitions of turns lead one foot through the other, and so do recordings on bodies they were not recorded from. A planted
foot never moves. Where both are in the air both give way. The push is a smooth curve over time that is nowhere less than what is needed,
as far as the time between two plants allows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact.analysis.leg_gaps import LEG_RADIUS, LegPlaces, leg_gaps
from reenact.core import filters
from reenact.core.arrays import Bool, Float
from reenact.core.clip import World
from reenact.core.foot_plants import intervals_of
from reenact.core.ramps import rise
from reenact.solve.feet import Foot, track_foot

MOST_PUSH = 0.14
"""Metres that two feet are pushed apart at most, for a leg of 0.83 m."""

_CLEAR = 0.002  # metres that are left between the legs
_TRIES = 57  # pushes tried up to the most, 2.5 mm from one to the next
_LIFT = 0.15  # seconds after a plant and before one in which the push comes and goes
_WIDE = 0.12  # seconds beside a frame that a push reaches
_JOINED = 0.15  # seconds between two overlaps that are mended as one
_WAY = 0.03  # metres that one foot moves past the other, from which on its way tells where its side is
_LEAST_SHARE = 0.3  # of a push that the feet can take: with less, right beside their plants, none is asked for


def leg_places(world: World, feet: Sequence[Foot]) -> LegPlaces | None:
    """Knees and feet of a motion (float64), left leg first; None unless both legs are known."""
    if {foot.side for foot in feet} != {"left", "right"}:
        return None
    both = sorted(feet, key=lambda foot: foot.side)
    tracks = [track_foot(world, foot) for foot in both]
    knees = np.stack([world.positions[:, foot.leg.mid] for foot in both], axis=1)
    return LegPlaces(
        knees, *(np.stack([getattr(t, part) for t in tracks], axis=1) for part in ("ankle", "heel", "ball"))
    )


def part_legs(legs: LegPlaces, planted: Bool, hips: Float, fps: float, scale: float = 1.0) -> Float:
    """(F, 2, 3) metres, horizontal and smooth over time: what each foot is pushed by; zero in frames in which it is planted.

    Args:
        legs: see `leg_places`.
        planted: (F, 2) frames in which the feet are planted.
        hips: (F, 2, 3) metres, the hip joints.
        fps: frames per second.
        scale: size of the body, see `body_scale`.
    """
    pushes = np.zeros((len(planted), 2, 3))
    radius, most = LEG_RADIUS * scale, MOST_PUSH * scale
    clear = _CLEAR * scale
    shares = _shares(planted, fps)
    wrong = (leg_gaps(legs, radius) < 0) & (shares.sum(axis=1) >= _LEAST_SHARE)
    for start, end in _joined(wrong, round(_JOINED * fps)):
        low, high = max(start - round(_WIDE * fps), 0), min(end + round(_WIDE * fps), len(planted))
        near = slice(low, high)
        asides = _asides(legs[near], hips[near])
        needs = [_needed(legs[near], aside, shares[near], radius, clear, most) for aside in asides]
        # the side a foot belongs to comes first, and is taken unless the other one is clearly nearer
        best = 0 if needs[0].max() <= needs[1].max() + clear else 1
        if not np.isfinite(needs[best]).all():
            continue  # legs that are crossed that far are meant to be
        curve = np.zeros(len(planted))
        curve[near] = needs[best]
        curve = _envelope(curve, _WIDE * fps)
        apart = np.array([1.0, -1.0])[:, None] * asides[best]  # the left foot one way, the right one the other
        pushes += (shares * curve[:, None])[..., None] * apart
    return pushes


def _shares(planted: Bool, fps: float) -> Float:
    """(F, 2) how much of a push each foot takes: none while it is planted, all while the other one is, else half, smooth over time."""
    free = np.zeros(planted.shape)
    for n in (0, 1):
        if not planted[:, n].any():
            free[:, n] = 1.0
            continue
        away = filters.distance_to(planted[:, n])
        for start, end in intervals_of(~planted[:, n]):
            free[start:end, n] = rise(away[start:end] / max(min(_LIFT * fps, (end - start) / 3), 1.0))
    return free * (1.0 - 0.5 * free[:, ::-1])


def _joined(mask: Bool, gap: int) -> list[tuple[int, int]]:
    """Stretches of true frames, those that are closer than `gap` taken as one."""
    found: list[tuple[int, int]] = []
    for start, end in intervals_of(mask):
        if found and start - found[-1][1] < gap:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def _asides(legs: LegPlaces, hips: Float) -> tuple[Float, Float]:
    """Both unit directions (3,) in which the left foot may be pushed from the right one: across the way of one past the other."""
    level = np.array([1.0, 0.0, 1.0])
    across = (hips[:, 0] - hips[:, 1]).mean(axis=0) * level
    middles = 0.5 * (legs.heels + legs.balls)
    way = ((middles[-1, 0] - middles[0, 0]) - (middles[-1, 1] - middles[0, 1])) * level
    aside = np.array([way[2], 0.0, -way[0]]) if np.linalg.norm(way) > _WAY else across
    aside /= max(float(np.linalg.norm(aside)), 1e-9)
    if aside @ across < 0:
        aside = -aside
    return aside, -aside


def _needed(legs: LegPlaces, aside: Float, shares: Float, radius: float, clear: float, most: float) -> Float:
    """(F,) metres, the least by which the feet have to be pushed apart along `aside` (3,) to be clear and stay so with more.

    Infinite where the most is not enough.
    """
    tries = np.linspace(0.0, most, _TRIES)
    apart = np.array([1.0, -1.0])[:, None] * aside
    weights = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    gaps = np.stack([leg_gaps(legs.moved((one * weights)[..., None] * apart), radius) for one in tries])
    close = gaps < clear
    last = _TRIES - 1 - np.argmax(close[::-1], axis=0)  # the longest push that does not do
    frames, following = np.arange(gaps.shape[1]), np.minimum(last + 1, _TRIES - 1)
    short, enough = gaps[last, frames], gaps[following, frames]
    part = np.clip((clear - short) / np.maximum(enough - short, 1e-9), 0.0, 1.0)
    need = np.where(close.any(axis=0), tries[last] + part * (tries[following] - tries[last]), 0.0)
    need[close[-1]] = np.inf
    total = shares.sum(axis=1)
    return np.where(total >= _LEAST_SHARE, need / np.maximum(total, 0.5), 0.0)


def _envelope(needed: Float, wide: float) -> Float:
    """(F,) a smooth curve that is nowhere below the needed one and zero farther than `wide` x 2 frames from where that is."""
    reach = max(round(wide), 1)
    most = filters.maximum(needed, 2 * reach + 1, edge="nearest")
    return filters.gaussian(most, reach / 2.5, edge="nearest", radius=reach)
