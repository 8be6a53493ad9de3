"""A frame of the live walk filter, on a body of 38 joints.

    python benchmarks/live_walk.py [--frames N]

Microseconds of one `LiveWalk.push` with targets that change all the time: median, 99th percentile and the longest; beside it, in the same
run, the forward kinematics of one frame called from Python, and a frame of the filter inside `LiveWalk.run`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from live_blend import widened


def main() -> None:
    """Print the times."""
    from reenact import kernels
    from reenact.analysis.plants import detect_plants
    from reenact.samples import make_sample
    from reenact.walk.live_walk import LiveWalk, WalkTargets, contacts_of

    options = argparse.ArgumentParser(description="Time the frames of the live walk filter.")
    options.add_argument("--frames", type=int, default=20_000)
    frames = options.parse_args().frames
    clip = widened(make_sample("walk_normal").clip, 38)
    plants = detect_plants(clip)
    walk, contacts = LiveWalk(clip.skeleton, clip, plants), contacts_of(plants)
    rng = np.random.default_rng(1)
    root, rotations = clip.root.astype(np.float64), clip.rotations.astype(np.float64)
    offsets, parents = clip.skeleton.offsets.copy(), clip.skeleton.parents
    walk.push(root[0], rotations[0], contacts[0])  # compiled code comes from a cache that may be cold
    walk.run(clip, plants)
    walk.reset()
    took, reference = np.empty(frames), np.empty(frames)
    for n in range(frames):
        at = n % len(clip)
        if n % 30 == 0:
            walk.targets = WalkTargets(rng.uniform(0.7, 1.3), rng.uniform(0.7, 1.3), rng.uniform(-0.1, 0.1))
        begun = time.perf_counter()
        walk.push(root[at], rotations[at], contacts[at])
        took[n] = time.perf_counter() - begun
        begun = time.perf_counter()
        kernels.kinematics.forward_kinematics(rotations[at : at + 1], root[at : at + 1], offsets, parents)
        reference[n] = time.perf_counter() - begun
    begun = time.perf_counter()
    walk.run(clip, plants, WalkTargets(1.2, 1.2, 0.05))
    inside = (time.perf_counter() - begun) / len(clip)
    middle, high, most = (1e6 * one for one in (np.median(took), np.percentile(took, 99), took.max()))
    own = 1e6 * np.median(reference)
    print(f"a frame of 38 joints: median {middle:.1f} us, 99 % {high:.1f} us, longest {most:.0f} us")
    print(
        f"forward kinematics of a frame in the same run: {own:.1f} us; the filter takes {middle / own:.1f} times that"
    )
    print(f"a frame inside a whole clip: {1e6 * inside:.1f} us")


if __name__ == "__main__":
    main()
