"""The exchange itself: the source's limbs on the base, frame by frame, passing over at both ends (reuse specification 3.13)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.chain_motion import compose_motion, take_chain
from reenact.core import rotations as R
from reenact.core.arrays import Float, Float64
from reenact.core.clip import Clip, JointTranslations
from reenact.core.foot_plants import intervals_of
from reenact.core.pose_sampling import SampledPoses, sample_poses_of
from reenact.core.ramps import rise
from reenact.graft.chain_choice import ChosenChains
from reenact.graft.coupling import calm_headings, held_against_heading, spread_turn
from reenact.graft.graft_parameters import Keep
from reenact.graft.reaching import reach_hands
from reenact.graft.time_map import TimeMap

_MOST_BLEND = 1 / 3  # of the frames replaced that a blend at either end may take
_BLENDS = (0.4, 0.6, 0.8, 1.2)  # seconds of a blend, tried in this order until limbs turn no faster than they do anyhow
_ALONE = 1.5  # seconds between the blends that longer ones leave: a cycle should show the source alone
# times as fast as in base and source that limbs may turn, and rad/s that are never fast
_HASTE, _LEAST_SPEED = 1.15, 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Exchanged:
    """A base with the limbs of a source.

    Attributes:
        clip: the motion, as long as the base.
        frames: (N,) frames that were replaced.
        shares: (N,) how much of the source each of them shows, 0..1.
        turns: (N,) radians that the chest, or a head grafted alone, was turned to be held as in the source.
        short: (N,) metres that hands stayed away from where the source has them.
        haste: (joint, how many times as fast it turns in the blends as anywhere in base and source).
    """

    clip: Clip
    frames: np.ndarray
    shares: Float64
    turns: Float
    short: Float
    haste: tuple[int, float]


def exchange_limbs(
    base: Clip,
    source: Clip,
    original: Clip,
    time: TimeMap,
    chosen: ChosenChains,
    keep: Keep,
    blend: float | None,
) -> Exchanged:
    """The base with the limbs of the source; root and legs are the base's to the last bit.

    Args:
        base: whose body it is.
        source: on the same skeleton and at the same rate.
        original: the source on its own skeleton, at its own rate, of the same length in seconds.
        time: frames of the source for frames of the base.
        chosen: what is replaced.
        keep: see `GraftParameters.keep`.
        blend: seconds over which the limbs pass from one to the other at either end; none at an end of the base. Default: 0.4, and longer
            where a limb would turn faster than in either motion.
    """
    frames, joints = time.frames, list(chosen.joints)
    at = np.clip(time.at(frames), 0.0, len(source) - 1.0)
    poses = sample_poses_of(source, at)
    own = base.rotations[frames].astype(np.float64)
    rotations = own.copy()
    rotations[:, joints] = poses.rotations[:, joints]
    turns, short = np.zeros(len(frames)), np.zeros(len(frames))
    way = chosen.spine or chosen.neck
    if keep != "local" and way:
        rotations, turns = _held(base, source, poses, frames, at, rotations, way)
    if keep == "hands" and chosen.arms and not (source.same_body(original) and chosen.spine and chosen.neck):
        grafted = _posed(base, frames, rotations)
        theirs = np.clip(at * original.fps / source.fps, 0.0, len(original) - 1.0)
        bent, short = reach_hands(
            grafted,
            poses.as_clip(base.fps),
            sample_poses_of(original, theirs).as_clip(base.fps),
            chosen.arms,
        )
        rotations[:, joints] = bent[:, joints]
    shares, mixed, haste = _blended(own[:, joints], rotations[:, joints], frames, base, joints, blend)
    whole = base.rotations.copy()
    whole[frames[:, None], joints] = mixed.astype(np.float32)
    moved = replace(base, rotations=whole, translations=_translations(base, poses, frames, joints, shares))
    return Exchanged(compose_motion(base, [take_chain(moved, joints)]), frames, shares, turns, short, haste)


def _blended(
    own: Float, other: Float, frames: np.ndarray, base: Clip, joints: list[int], blend: float | None
) -> tuple[Float64, Float, tuple[int, float]]:
    """How much of the source each frame shows, the rotations (N, K, 4) of the joints, and which joint hurries in the blends how much.

    The blends are as long as was asked for, or as limbs need.
    """
    usual = _speeds(base.rotations[:, joints].astype(np.float64), base.fps)[2:]  # not those of a stray first frame
    usual = np.maximum(np.max(usual, axis=0, initial=_LEAST_SPEED), _speeds(other, base.fps).max(axis=0, initial=0.0))
    best: tuple[Float64, Float, tuple[int, float]] | None = None
    for seconds in _BLENDS if blend is None else (blend,):
        length = round(seconds * base.fps)
        if best is not None:
            length = min(length, int(0.5 * (len(frames) - _ALONE * base.fps)))
            if length <= int(np.sum(best[0] < 1.0) / 2):
                break
        shares = _shares(frames, len(base), length)
        mixed = _mixed(own, other, shares)
        inside = (shares[1:] < 1.0) | (shares[:-1] < 1.0)
        hurries = (_speeds(mixed, base.fps)[inside] / usual).max(axis=0, initial=0.0)
        worst = int(np.argmax(hurries))
        if best is None or hurries[worst] < 0.98 * best[2][1]:
            best = (shares, mixed, (joints[worst], float(hurries[worst])))
        if best[2][1] <= _HASTE:
            break
    assert best is not None
    return best


def _speeds(rotations: Float, fps: float) -> Float:
    """(N - 1, K) rad/s that joints turn at."""
    return R.angle_between(rotations[:-1], rotations[1:]) * fps


def _shares(frames: np.ndarray, count: int, blend: int) -> Float64:
    """How much of the source each frame shows: rising and falling at the ends, but not where the base itself begins or ends."""
    length = min(blend, int(_MOST_BLEND * len(frames)))
    shares = np.ones(len(frames))
    if length:
        ramp = rise(
            (np.arange(length) + 1.0) / (length + 1.0), "cubic"
        )  # limbs turn slower than by a quintic, and are pushed as much
        if frames[0] > 0:
            shares[:length] = ramp
        if frames[-1] < count - 1:
            shares[len(frames) - length :] = np.minimum(shares[len(frames) - length :], ramp[::-1])
    return shares


def _held(
    base: Clip, source: Clip, poses: SampledPoses, frames: np.ndarray, at: Float, rotations: Float, way: tuple[int, ...]
) -> tuple[Float, Float]:
    """Rotations with the last joint of a way held as the source holds it against its heading; and by how much that turned it."""
    theirs = np.interp(at, np.arange(len(source)), calm_headings(source))
    wanted = held_against_heading(
        poses.as_clip(base.fps).world(np.float64).rotations[:, way[-1]], theirs, calm_headings(base)[frames]
    )
    grafted = _posed(base, frames, rotations)
    coupled = spread_turn(base.skeleton, rotations, grafted.world(np.float64), way, wanted)
    return coupled.rotations, coupled.turns


def _posed(base: Clip, frames: np.ndarray, rotations: Float) -> Clip:
    """Some frames of the base with other rotations."""
    moved = None if base.translations is None else base.translations[frames]
    return Clip(base.skeleton, rotations.astype(np.float32), base.root[frames], base.fps, base.name, moved)


def _mixed(own: Float, other: Float, shares: Float64) -> Float:
    """Between both by the shares, (F, J, 4); what is equal stays equal to the last bit.

    Within a blend every joint goes one way round, the short one in its middle. Limbs that are half a turn apart for a moment would else
    change the side from one frame to the next.
    """
    mixed = other.copy()
    for start, end in intervals_of(shares < 1.0):
        part = slice(start, end)
        first = R.normalize(own[part])
        turn = R.make_continuous(R.multiply(R.conjugate(first), R.normalize(other[part])))
        turn = np.where(turn[(end - start) // 2, :, :1] < 0, -turn, turn)
        size = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
        angle = shares[part, None, None] * np.arctan2(size, turn[..., :1])
        axis = turn[..., 1:] / np.maximum(size, 1e-12)
        mixed[part] = R.multiply(first, np.concatenate([np.cos(angle), np.sin(angle) * axis], axis=-1))
    return np.where(np.all(own == other, axis=-1, keepdims=True), own, mixed)


def _translations(
    base: Clip, poses: SampledPoses, frames: np.ndarray, joints: list[int], shares: Float64
) -> JointTranslations | None:
    """The base's moving joints, with those that are replaced moving as in the source."""
    ours = () if base.translations is None else tuple(int(joint) for joint in base.translations.joints)
    moving = sorted({*ours, *(joint for joint in poses.moving if joint in set(joints))})
    if not moving:
        return None
    values = np.tile(base.skeleton.offsets[moving], (len(base), 1, 1)).astype(np.float32)
    for n, joint in enumerate(moving):
        if base.translations is not None and joint in ours:
            values[:, n] = base.translations.values[:, ours.index(joint)]
        if joint in joints:
            theirs = base.skeleton.offsets[joint]
            if joint in poses.moving:
                theirs = poses.places[:, poses.moving.index(joint)]
            values[frames, n] += (shares[:, None] * (theirs - values[frames, n])).astype(np.float32)
    return JointTranslations(np.array(moving, np.int32), values)
