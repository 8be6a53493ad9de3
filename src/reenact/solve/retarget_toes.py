"""Toes on another body: flat on the floor while the ball of the foot stands on it, and with no tip in the floor; nor the foot behind them.

The toes of most recordings hardly bend, and nobody sees them. Shoes that reach farther beyond the joint of the toes would dig into the
floor each time a heel rises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reenact.analysis.foot_stance import FootStance
from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.feet import Foot, track_foot
from reenact.solve.flesh import Flesh

_UP = np.array([0.0, 1.0, 0.0])
_STEEP = 0.3  # cosine of a foot's pitch below which nobody can tell where it points over the ground
_MOST, _MOST_PITCH = np.radians(50.0), np.radians(40.0)  # that toes are bent up, and feet pitched
_LAND = 0.05  # seconds beside a plant in which less is done to a foot
_WIDTH = 0.07  # seconds, width of the low-pass over that
_ROUNDS = 4
_DEEP, _BORNE = 0.001, 0.004  # metres in the floor: to what it is taken out, and less than which is let be
_FLAT, _ROLLED = np.radians(6.0), np.radians(18.0)  # of a foot's pitch on its ball


def flat_toes(
    clip: Clip,
    world: World,
    feet: Sequence[Foot],
    plants: FootPlants,
    stances: Mapping[str, FootStance],
    nearness: Callable[[Bool, float], Float],
) -> Clip:
    """The clip with toes that lie as they do when the foot stands, while it stands on heel and ball, and level, while on the ball alone.

    Args:
        clip: the motion.
        world: its forward kinematics.
        feet: its feet.
        plants: when they stand.
        stances: how they stand.
        nearness: (F,) 1 in the frames of a mask, falling to 0 beside them.
    """
    rotations = clip.rotations.astype(np.float64)
    for foot in feet:
        contact, toes, stance = plants.foot(foot.side), foot.toes, stances[foot.side]
        if toes < 0 or not contact.ball.any():
            continue
        ankle = world.rotations[:, foot.leg.end]
        flat, level = (R.multiply(one, stance.toes_turn) for one in (ankle, _level(ankle, stance)))
        both = contact.heel & contact.ball
        turned = world.rotations[:, toes]
        rolled = rise(
            (R.angle_between(flat, level) - _FLAT) / (_ROLLED - _FLAT)
        )  # a foot that hardly rolls keeps its toes
        for mask, wanted, share in ((both, flat, 1.0), (contact.ball & ~contact.heel, level, rolled)):
            if mask.any():
                turned = R.slerp(turned, wanted, share * nearness(mask, clip.fps))
        above = world.rotations[:, int(clip.skeleton.parents[toes])]
        rotations[:, toes] = R.make_continuous(R.multiply(R.conjugate(above), turned)[:, None])[:, 0]
    return replace(clip, rotations=rotations.astype(np.float32))


def _level(ankle: Float, stance: FootStance) -> Float:
    """(F, 4) the turn of an ankle whose foot is flat on the floor and points where it does; as it is where it points up or down."""
    ahead = stance.ball - stance.heel
    ahead = R.normalize(ahead - (ahead @ stance.up) * stance.up + 1e-12)
    own = np.stack([np.cross(stance.up, ahead), stance.up, ahead], axis=-1)
    seen = R.rotate(ankle, ahead)
    flat = R.normalize(seen * (1.0, 0.0, 1.0) + 1e-9)
    here = np.stack([np.cross(_UP, flat), np.broadcast_to(_UP, flat.shape), flat], axis=-1)
    level = R.from_matrix(here @ own.T)
    known = np.hypot(seen[:, 0], seen[:, 2]) > _STEEP
    return np.where(known[:, None], level, ankle)


def clear_floor(
    clip: Clip, skin: Flesh, feet: Sequence[Foot], plants: FootPlants | None, world: World | None = None
) -> Clip:
    """The clip with toes bent up where their tips were in the floor, and feet without toes pitched; nothing while they are held.

    `world` is its forward kinematics in float64, when at hand; that of its legs is enough.
    """
    world = clip.world(np.float64) if world is None else world
    for foot in feet:
        joint, part, most = (
            (foot.toes, f"{foot.side}_toes", _MOST)
            if foot.toes >= 0
            else (foot.leg.end, f"{foot.side}_foot", _MOST_PITCH)
        )
        if part not in skin.points:
            continue
        free = np.ones(len(clip))
        if plants is not None:
            contact = plants.foot(foot.side)
            held = contact.ball if foot.toes >= 0 else contact.plant
            free = rise((filters.distance_to(held) - 1.0) / (_LAND * clip.fps)) if held.any() else free
        bent, long = np.zeros(len(clip)), longest(skin, part)
        for _ in range(_ROUNDS):
            more = out_of_floor(skin, world, (part,), free, clip.fps)
            if more is None:
                break
            angle = np.minimum(bent + np.arcsin(np.minimum(more / long, 0.9)), most) - bent
            bent += angle
            clip = _turned(clip, world, foot, joint, angle)
            world = _world_below(clip, world, joint)
    return clip


def _world_below(clip: Clip, before: World, joint: int) -> World:
    """Forward kinematics of a clip in which one joint was turned: what hangs on it is worked out, the rest is as before."""
    positions, rotations = before.positions.copy(), before.rotations.copy()
    columns = {} if clip.translations is None else {int(one): n for n, one in enumerate(clip.translations.joints)}
    for one in clip.skeleton.subtree(joint):
        parent = int(clip.skeleton.parents[one])
        turned = R.multiply(rotations[:, parent], clip.rotations[:, one].astype(np.float64))
        rotations[:, one] = turned
        if one != joint:
            offset = clip.skeleton.offsets[one].astype(np.float64)
            if one in columns and clip.translations is not None:
                offset = clip.translations.values[:, columns[one]].astype(np.float64)
            positions[:, one] = positions[:, parent] + R.rotate(rotations[:, parent], offset)
    return World(positions, rotations)


def longest(skin: Flesh, role: str) -> float:
    """Metres from the joint of a part to its farthest skin."""
    return max(max(float(np.linalg.norm(points, axis=1).max()) for _, points in skin.points[role]), 1e-6)


def out_of_floor(
    skin: Flesh, world: World, parts: tuple[str, ...], free: Float, fps: float, calm: float = _WIDTH
) -> Float | None:
    """(F,) metres that parts have to be raised to be out of the floor, smooth over `calm` seconds; None when they are."""
    lowest = skin.lowest(world, parts)
    deep = free * np.where(np.isfinite(lowest), np.maximum(-lowest - _BORNE, 0.0), 0.0)
    if float(deep.max(initial=0.0)) < _DEEP:
        return None
    width = calm * fps
    return free * smooth(filters.maximum(deep, 2 * max(round(width), 1) + 1, edge="nearest"), width)


def _turned(clip: Clip, world: World, foot: Foot, joint: int, angle: Float) -> Clip:
    """The clip with a joint of a foot turned up by angles (F,) in radians, about the axis across the foot."""
    track = track_foot(world, foot)
    across = R.normalize(np.cross((track.ball - track.heel) * (1.0, 0.0, 1.0) + 1e-9, _UP))
    turned = R.multiply(R.exp(angle[:, None] * across), world.rotations[:, joint])
    above = world.rotations[:, int(clip.skeleton.parents[joint])]
    rotations = clip.rotations.astype(np.float64)
    rotations[:, joint] = R.make_continuous(R.multiply(R.conjugate(above), turned)[:, None])[:, 0]
    return replace(clip, rotations=rotations.astype(np.float32))
