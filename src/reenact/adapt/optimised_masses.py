"""Masses found from motion alone: those that bring the zero-moment point nearest to the soles (after Shin et al. 2003).

A baseline to be compared with, and nothing else: what comes out depends on the motion and is nobody's body (Lyard 2008, section 5.6).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.adapt.support_area import SupportAreas
from reenact.adapt.zmp import CUT, accelerations, low_passed
from reenact.analysis.free_flight import G
from reenact.body.masses import BodyMasses
from reenact.core.clip import World

_ROUNDS = 4


def optimise_masses(
    masses: BodyMasses, world: World, fps: float, areas: SupportAreas, floor: float = 0.0
) -> BodyMasses:
    """Masses of the limbs, none below zero and with the same total, that keep the zero-moment point nearest to the ground stood on.

    Args:
        masses: of the body; within a limb they keep their proportions.
        world: a motion.
        fps: frames per second.
        areas: where it stands.
        floor: metres.
    """
    from scipy.optimize import nnls

    places = masses.places(world) - (0.0, floor, 0.0)
    smooth = low_passed(places, fps, CUT)
    pulls = accelerations(smooth, fps)
    groups = sorted(set(masses.groups))
    of = np.array(masses.groups)
    within = np.array([np.where(of == name, masses.masses, 0.0) for name in groups])
    within /= np.maximum(within.sum(axis=1, keepdims=True), 1e-12)  # (G, P)
    down = (pulls[..., 1] + G) @ within.T  # (F, G)
    turning = np.stack(
        [((pulls[..., 1] + G) * smooth[..., k] - pulls[..., k] * smooth[..., 1]) @ within.T for k in (0, 2)],
        axis=1,
    )  # (F, 2, G)
    stands = np.flatnonzero(areas.any)
    found = np.array([masses.masses[np.array(masses.groups) == name].sum() for name in groups])
    for _ in range(_ROUNDS):
        points = (turning[stands] @ found) / np.maximum(down[stands] @ found, 1e-9)[:, None]
        whole = np.full((len(world.positions), 2), np.nan)
        whole[stands] = points
        nearest = areas.nearest(np.nan_to_num(whole))[stands]
        rows = (turning[stands] - nearest[:, :, None] * down[stands][:, None, :]).reshape(-1, len(groups)) / G
        weight = 1e3 * max(float(np.abs(rows).max()), 1e-9)
        rows = np.concatenate([rows, np.full((1, len(groups)), weight)])
        found, _ = nnls(rows, np.append(np.zeros(len(rows) - 1), weight * masses.total))
    by_name = dict(zip(groups, found, strict=True))
    made = np.array([by_name[group] * within[groups.index(group), n] for n, group in enumerate(masses.groups)])
    return replace(masses, masses=made)
