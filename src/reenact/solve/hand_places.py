"""Hands kept where they are on something: on the own body, on each other, on the floor, on a partner.

Arms of other lengths on a body of another width that keep the directions of their bones reach other places: hands that clap miss each
other, a hand on the hip hangs beside it or is within it. Where a hand of the source is near something, it is described by that: how far
along which part of the body, on which side of it, how far from the skin. The same place on the other body is where the hand is brought,
as far as it is near. Hands that touch nothing stay where their bones take them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core import filters
from reenact.core import rotations as R
from reenact.core.arrays import Bool, Float
from reenact.core.clip import Clip, World
from reenact.core.ramps import rise
from reenact.core.smoothing import smooth
from reenact.solve.body_parts import ThickLine, palms, thick_lines
from reenact.solve.flesh import Flesh
from reenact.solve.joint_pushes import around, joint_pushes
from reenact.solve.limb import Limb, check_limb, limb_of
from reenact.solve.reaching import reach

Hands = Literal["auto", "body", "floor", "each-other", "partner", "off"]
_SIDES = ("left", "right")
_TOUCH, _FREE = 0.03, 0.15  # of the source's leg from the skin: on it, and away from it
_TOGETHER, _APART = 0.14, 0.45  # of the leg between two palms
_ON_FLOOR, _OVER_FLOOR = 0.05, 0.2  # of the leg
_SMOOTH = 0.05  # seconds
_STRAIGHT = (0.25, 0.8)  # radians of an elbow's bend: nearly straight, and well bent
_HARDER, _LEAST_PUSH = 1.3, 4.0  # times as hard as by itself, and m/s^2, that an arm may be pushed to lead its hand
_AROUND, _LET_GO, _ROUNDS = 0.15, 0.12, 7  # seconds, seconds, and how often a hand is let go some more
_OWN = ("upper_arm", "forearm")  # parts of the arm that the hand is on, which it does not touch


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """What is needed of one person to place hands.

    Attributes:
        clip: the motion.
        world: its forward kinematics, float64.
        flesh: of the body.
        floor: metres, height of the floor.
        leg: metres, length of the legs.
    """

    clip: Clip
    world: World
    flesh: Flesh
    floor: float
    leg: float

    @property
    def palms(self) -> Mapping[str, Float]:
        """Side -> (F, 3) metres."""
        return palms(self.clip.skeleton, self.world, self.leg)

    @property
    def lines(self) -> dict[str, ThickLine]:
        """Part -> its line."""
        return thick_lines(self.clip.skeleton, self.world, self.flesh)


def keep_hands(
    source: Stage, target: Stage, hands: Hands, partners: tuple[Stage, Stage] | None = None
) -> tuple[Clip, dict[str, float]]:
    """The target's motion with its hands where those of the source are.

    Args:
        source: the motion it was made of.
        target: the mapped motion.
        hands: what they are kept on; "auto" is everything there is.
        partners: the other person of a take of two, as recorded and as he is beside the target.

    Returns:
        The motion, and side -> share of the frames in which its hand was led.
    """
    if hands == "off":
        return target.clip, {}
    own, theirs = target.palms, source.palms
    sides = [side for side in _SIDES if side in own and side in theirs]
    shifts = {side: np.zeros_like(own[side]) for side in sides}
    led: dict[str, Float] = {side: np.zeros(len(own[side])) for side in sides}
    if hands in ("auto", "body"):
        for side in sides:
            _add(
                shifts,
                led,
                side,
                *_on_lines(theirs[side], own[side], source.lines, target.lines, source.leg, target.leg, side),
            )
    if partners is not None and hands in ("auto", "partner"):
        lines = tuple(one.lines for one in partners)
        for side in sides:
            _add(shifts, led, side, *_on_lines(theirs[side], own[side], lines[0], lines[1], source.leg, target.leg, ""))
    if hands in ("auto", "each-other") and len(sides) == 2:
        _bring_together(theirs, own, shifts, led, source.leg, target.leg)
    for side in sides:
        shifts[side] = _without_pops(target, side, shifts[side], led[side])
    if hands in ("auto", "floor"):
        for side in sides:
            _keep_on_floor(side, theirs[side], own[side], shifts, led, source, target)
    clip, width = target.clip, _SMOOTH * target.clip.fps
    shares: dict[str, float] = {}
    for side in sides:
        limb = limb_of(clip.skeleton, f"{side}_arm")
        check_limb(clip.skeleton, limb)
        clip, kept = _led(clip, limb, target, smooth(shifts[side], width))
        shares[side] = round(float(np.mean((led[side] > 0.5) & kept)), 3)
    return clip, shares


def _led(clip: Clip, limb: Limb, target: Stage, shift: Float) -> tuple[Clip, Bool]:
    """The clip with the wrist of one arm moved by a shift (F, 3), and the frames in which it is.

    `target` is the clip before anything was done to its arms. Where the arm would be pushed much harder than it is by itself, the hand is
    let go, a little more each round.
    """
    joints = [limb.mid, limb.end]
    wrist, own = target.world.positions[:, limb.end], joint_pushes(target.clip, target.world, joints)
    allowed = _HARDER * np.maximum(around(own, max(round(_AROUND * clip.fps), 1)), _LEAST_PUSH)
    weight, wide = np.ones(len(clip)), max(round(_LET_GO * clip.fps), 1)
    for turn in range(1, _ROUNDS + 1):
        moved = shift * weight[:, None]
        led = np.linalg.norm(moved, axis=1) > 1e-5
        if not led.any():
            return clip, led
        made = reach(clip, limb, wrist + moved, led.astype(np.float64), "soft")
        bad = (joint_pushes(made, joints=joints) > allowed).any(axis=1) & filters.widened(led, 3)
        if not bad.any():
            return made, weight > 0.5
        mask = filters.widened(bad, turn * wide).astype(np.float64)
        weight = weight * (1.0 - np.clip(1.5 * smooth(mask, 0.5 * wide), 0.0, 1.0))
    return clip, np.zeros(len(clip), np.bool_)


def _add(shifts: dict[str, Float], led: dict[str, Float], side: str, shift: Float, weight: Float) -> None:
    shifts[side] = shifts[side] + weight[:, None] * (shift - shifts[side])
    led[side] = np.maximum(led[side], weight)


def _without_pops(target: Stage, side: str, shift: Float, led: Float) -> Float:
    """(F, 3) a shift of the wrist that leaves a nearly straight arm as long as it is: its elbow would pop. Not where the hand touches."""
    roles, places = target.clip.skeleton.roles, target.world.positions
    shoulder, elbow, wrist = (places[:, roles[f"{side}_{part}"]] for part in ("upper_arm", "lower_arm", "hand"))
    upper, lower = R.normalize(elbow - shoulder), R.normalize(wrist - elbow)
    bend = np.arccos(np.clip(np.einsum("fi,fi->f", upper, lower), -1.0, 1.0))
    free = np.maximum(rise((bend - _STRAIGHT[0]) / (_STRAIGHT[1] - _STRAIGHT[0])), led**4)
    aim = R.normalize(wrist - shoulder)
    along = np.einsum("fi,fi->f", shift, aim)
    return shift - ((1.0 - free) * along)[:, None] * aim


def _on_lines(
    theirs: Float,
    own: Float,
    source: Mapping[str, ThickLine],
    target: Mapping[str, ThickLine],
    leg: float,
    own_leg: float,
    side: str,
) -> tuple[Float, Float]:
    """(F, 3) metres a palm has to go to be at the same place on a body, and (F,) how near the source's palm is to it."""
    total, weights, nearness = np.zeros_like(own), np.zeros(len(own)), np.zeros(len(own))
    for part, line in source.items():
        if part not in target or (side and part in [f"{side}_{one}" for one in _OWN]):
            continue
        along, place, gap = line.nearest(theirs)
        weight = 1.0 - rise((gap / leg - _TOUCH) / (_FREE - _TOUCH))
        if not weight.any():
            continue
        there = target[part]
        middle = there.start + along[:, None] * (there.end - there.start)
        out = R.normalize(theirs - place + 1e-9)
        wanted = middle + out * (there.radius + own_leg / leg * np.maximum(gap, -line.radius * 0.5))[:, None]
        total += (weight**3)[:, None] * (wanted - own)
        weights += weight**3
        nearness = np.maximum(nearness, weight)
    return total / np.maximum(weights, 1e-9)[:, None], nearness


def _bring_together(
    theirs: Mapping[str, Float],
    own: Mapping[str, Float],
    shifts: dict[str, Float],
    led: dict[str, Float],
    leg: float,
    own_leg: float,
) -> None:
    """Hands that are near each other are as near on the other body, about where they meet by themselves."""
    between = theirs["left"] - theirs["right"]
    near = 1.0 - rise((np.linalg.norm(between, axis=1) / leg - _TOGETHER) / (_APART - _TOGETHER))
    if not near.any():
        return
    places = {side: own[side] + shifts[side] for side in _SIDES}
    middle = 0.5 * (places["left"] + places["right"])
    for side, sign in (("left", 0.5), ("right", -0.5)):
        wanted = middle + sign * own_leg / leg * between
        shifts[side] = shifts[side] + near[:, None] * (wanted - places[side])
        led[side] = np.maximum(led[side], near)


def hands_on_floor(of: Stage) -> dict[str, Float]:
    """Side -> (F,) 0..1, how near the floor a hand is."""
    return {side: _nearness(of, side, palm) for side, palm in of.palms.items()}


def _nearness(of: Stage, side: str, palm: Float) -> Float:
    above = palm[:, 1] - of.floor - of.flesh.radii.get(f"{side}_hand", 0.0)
    return 1.0 - rise((above / of.leg - _ON_FLOOR) / (_OVER_FLOOR - _ON_FLOOR))


def _keep_on_floor(
    side: str, theirs: Float, own: Float, shifts: dict[str, Float], led: dict[str, Float], source: Stage, target: Stage
) -> None:
    """A hand on the floor is on the floor, and none is in it."""
    thick = source.flesh.radii.get(f"{side}_hand", 0.0)
    above, near = theirs[:, 1] - source.floor - thick, _nearness(source, side, theirs)
    parts = (f"{side}_hand", f"{side}_lower_arm")
    lowest = target.flesh.lowest(target.world, parts) - target.floor
    lowest = np.where(np.isfinite(lowest), lowest, own[:, 1] - target.floor)
    height = lowest + shifts[side][:, 1]
    wanted = np.maximum(target.leg / source.leg * np.maximum(above, 0.0), 0.0)
    up = near * (wanted - height)
    up = np.maximum(up, -height)
    shifts[side] = shifts[side] + up[:, None] * (0.0, 1.0, 0.0)
    led[side] = np.maximum(led[side], near)
