"""Overlaps of the volumes that stand for limbs: the quick test of pairs, where no skin has to be asked (Lyard 2008, section 4.2.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reenact import kernels
from reenact.body.volumes import LimbVolume
from reenact.core import rotations as R
from reenact.core.arrays import Float, Int
from reenact.core.clip import World


def volume_pairs(volumes: Sequence[LimbVolume]) -> Int:
    """(K, 2) numbers of volumes of different limbs, but for those that hang on each other."""
    found = []
    for a, one in enumerate(volumes):
        for b, other in enumerate(volumes[:a]):
            hangs = {one.part.kind, other.part.kind} & {"upper_arm", "thigh", "head"} and "trunk" in (
                one.part.group,
                other.part.group,
            )
            if one.part.group != other.part.group and not hangs:
                found.append((b, a))
    return np.array(found, np.int32).reshape(-1, 2)


def volume_overlaps(volumes: Sequence[LimbVolume], world: World, pairs: Int | None = None) -> Float:
    """(F, K) metres by which the capsules of pairs overlap in every frame; below zero they are apart.

    Args:
        volumes: of a body.
        world: its joints.
        pairs: which; default: `volume_pairs`.
    """
    pairs = volume_pairs(volumes) if pairs is None else pairs
    joints = [volume.part.joint for volume in volumes]
    places, turned = world.positions[:, joints].astype(np.float64), world.rotations[:, joints].astype(np.float64)
    cores = [volume.core() for volume in volumes]
    ends = [
        places + R.rotate(turned, np.broadcast_to(np.array([core[n] for core in cores]), places.shape)) for n in (0, 1)
    ]
    return kernels.overlaps.capsule_depths(ends[0], ends[1], np.array([volume.radius for volume in volumes]), pairs)
