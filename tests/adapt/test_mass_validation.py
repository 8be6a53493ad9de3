"""Which masses are good enough, on a person whose own are hidden in the mesh: cylinders, ellipsoids, and masses optimised by motion."""

from __future__ import annotations

import numpy as np

import reenact
from reenact.adapt.optimised_masses import optimise_masses
from reenact.adapt.support_area import support_areas
from reenact.adapt.zmp import zero_moment
from reenact.body.masses import body_masses
from reenact.body.volumes import limb_volumes
from reenact.samples import make_sample

MOTIONS = ("walk_normal", "walk_slow", "run", "wave_walking")


def test_volumes_are_good_and_optimised_masses_are_not():
    person = reenact.humanoid()
    volumes = limb_volumes(person)
    truth = body_masses(volumes, "integrated")
    far: dict[str, list[float]] = {"cylinder": [], "ellipsoid": [], "optimised": []}
    shares = []
    for name in MOTIONS:
        made = reenact.grow(reenact.cut(make_sample(name).clip, start=0, end=150), person)
        world, fps = made.clip.world(np.float64), made.clip.fps
        areas = support_areas(person, world, made.plants)
        true = zero_moment(truth, world, fps).points
        guesses = {source: body_masses(volumes, source, total=truth.total) for source in ("cylinder", "ellipsoid")}
        guesses["optimised"] = optimise_masses(truth, world, fps, areas)
        assert abs(guesses["optimised"].total - truth.total) < 0.01 * truth.total
        assert guesses["optimised"].masses.min() >= 0
        shares.append(guesses["optimised"].shares())
        for source, masses in guesses.items():
            off = np.linalg.norm(zero_moment(masses, world, fps).points - true, axis=1)
            far[source].append(float(np.nanmean(off[10:-10])))
    means = {source: float(np.mean(some)) for source, some in far.items()}
    assert means["cylinder"] < 0.02
    assert means["ellipsoid"] < 0.03
    assert means["optimised"] > 2 * means["cylinder"]
    spread = [
        np.std([one[limb] for one in shares]) / max(np.mean([one[limb] for one in shares]), 1e-9) for limb in shares[0]
    ]
    assert np.median(spread) > 0.3  # what comes out depends on the motion
    print(means)
