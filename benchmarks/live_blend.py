"""A step of a live blend: three motions of 38 joints.

    python benchmarks/live_blend.py [--steps N]

Milliseconds of one step at 60 per second with weights that change all the time, loops included: median, 99th percentile and the longest.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np


def widened(clip, joints: int):
    """The clip with joints hung on its last one until it has so many: they move with it and cost as much as any."""
    from reenact.core.skeleton import Skeleton

    skeleton = clip.skeleton
    more = joints - len(skeleton)
    names = (*skeleton.names, *(f"More{n}" for n in range(more)))
    parents = np.concatenate([skeleton.parents, np.full(more, len(skeleton) - 1, np.int32)])
    offsets = np.concatenate([skeleton.offsets, np.full((more, 3), 0.01)])
    still = np.tile(np.array([1, 0, 0, 0], np.float32), (len(clip), more, 1))
    wider = Skeleton(names, parents, offsets, roles=skeleton.roles)
    return replace(clip, skeleton=wider, rotations=np.concatenate([clip.rotations, still], axis=1))


def main() -> None:
    """Print the times."""
    from reenact.blend.live import LiveBlend
    from reenact.blend.registration import RegistrationParameters, register
    from reenact.samples import make_sample

    options = argparse.ArgumentParser(description="Time the steps of a live blend.")
    options.add_argument("--steps", type=int, default=20_000)
    steps = options.parse_args().steps
    names = ("walk_normal", "walk_circle_wide_left", "walk_brisk")
    clips = [widened(make_sample(name).clip, 38) for name in names]
    player = LiveBlend(register(clips, RegistrationParameters(gate="off", trim="off")))
    rng = np.random.default_rng(1)
    wanted = rng.dirichlet(np.ones(3), steps)
    player.step(1 / 60, wanted[0])  # compiled code comes from a cache that may be cold
    took = np.empty(steps)
    for n in range(steps):
        begun = time.perf_counter()
        player.step(1 / 60, wanted[n])
        took[n] = time.perf_counter() - begun
    middle, high, most = 1000 * np.median(took), 1000 * np.percentile(took, 99), 1000 * took.max()
    print(f"step of 3 motions of 38 joints: median {middle:.3f} ms, 99 % {high:.3f} ms, longest {most:.3f} ms")
    print(f"{steps} steps, {player.passages} loops")


if __name__ == "__main__":
    main()
