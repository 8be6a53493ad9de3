"""How fast motions are fitted to bodies: milliseconds a frame, frames a second, volume pairs a second, in one run on one core.

    OMP_NUM_THREADS=1 python benchmarks/adapt.py [CLIP.bvh]

CPU seconds, the best of several calls, compiled kernels; the clip is the generated walk unless another is given. Goals: at most 5 ms a
frame by space-time, at least 5 000 frames a second by the fast way, at least a million volume pairs a second, below a millisecond for
a shape.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from timing import measure

import reenact
from reenact.adapt.adaptation import adapt_mapped
from reenact.adapt.contact_body import contact_body
from reenact.adapt.parameters import AdaptParameters
from reenact.adapt.shape_space import LEVELS, ShapeSpace
from reenact.adapt.volume_overlaps import volume_overlaps, volume_pairs
from reenact.analysis.carried_plants import known_plants
from reenact.body.growth import GrowthParameters, grow
from reenact.body.standing import standing_still
from reenact.body.volumes import limb_volumes
from reenact.core.role_finding import assign_roles
from reenact.samples import make_sample
from reenact.solve.skeleton_map import map_with_plants

GIRTH = 1.4


def main() -> int:
    """Print the figures."""
    clip = reenact.load(sys.argv[1]) if len(sys.argv) > 1 else make_sample("walk_normal", 120.0).clip
    body = grow(reenact.humanoid(), GrowthParameters(girth=GIRTH))
    body = replace(body, skeleton=assign_roles(body.skeleton)[0])
    contacts = contact_body(body)
    source, plants = map_with_plants(clip, standing_still(body), known_plants(clip, None))
    frames = len(source)
    print(f"{clip.name}: {frames} frames at {clip.fps:g} a second, on the generated person at {GIRTH} times its girth")

    def run(**how):
        asked = AdaptParameters(**how)
        return measure(lambda: adapt_mapped(source, body, contacts, asked, plants), seconds=2.0)

    run(stages="arms,forearms,legs,collisions,feet,balance")  # compiles
    limbs, feet = run(stages="arms,forearms,legs,collisions"), run()
    whole = run(stages="arms,forearms,legs,collisions,feet,balance")
    each = [1000 * one / frames for one in (limbs, feet, whole)]
    print(f"space-time: {each[0]:.2f} ms a frame, {each[1]:.2f} with feet, {each[2]:.2f} with balance")
    fast = run(method="fast", stages="arms,legs")
    print(f"fast way: {frames / fast:.0f} frames a second")
    volumes, world = limb_volumes(body), source.world(np.float64)
    pairs = volume_pairs(volumes)
    spent = measure(lambda: volume_overlaps(volumes, world, pairs))
    print(f"volumes: {frames * len(pairs) / spent / 1e6:.1f} million pairs a second")
    found = measure(lambda: contacts.contacts(world))
    points = sum(int(contacts.last[a] - contacts.first[a]) for a, _ in contacts.pairs)
    print(f"skin: {frames * points / found / 1e6:.1f} million points in grids a second")
    nodes = np.stack([one.ravel() for one in np.meshgrid(*[LEVELS] * 5, indexing="ij")], axis=1)
    turns = np.random.default_rng(0).normal(0, 0.1, (len(nodes), 4, 60, 3))
    space = ShapeSpace(
        ("trunk", "left_arm", "right_arm", "left_leg", "right_leg"), (LEVELS,) * 5, nodes, ("a", "b", "c", "d"),
        np.linspace(0, frames - 1, 60), turns, source,
    )  # fmt: skip
    spent = measure(lambda: space.corrections((1.1, 0.9, 1.3, 1.2, 0.8)))
    print(f"a shape among {len(nodes)}: {1000 * spent:.3f} ms")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
