"""A clip for machines without the recordings: python generated.py FILE FRAMES."""

from __future__ import annotations

import sys

import numpy as np

import reenact
from reenact.core.rotations import exp


def main(path: str, frames: int) -> None:
    """Smooth turning of 31 joints in five chains at 120 Hz."""
    rng = np.random.default_rng(15)
    joints = 31
    parents = np.array([-1, *(0 if joint % 6 == 1 else joint - 1 for joint in range(1, joints))], np.int32)
    offsets = rng.normal(scale=0.15, size=(joints, 3))
    offsets[0] = 0
    names = ("Hips", *(f"Joint{joint}" for joint in range(1, joints)))
    times = np.arange(frames)[:, None, None] / 120
    rates, phases = rng.uniform(0.2, 2.0, (joints, 3)), rng.uniform(0, 6, (joints, 3))
    turns = exp(0.6 * np.sin(2 * np.pi * rates * times + phases)).astype(np.float32)
    root = np.stack([np.zeros(frames), np.full(frames, 0.95), np.arange(frames) / 100], axis=1).astype(np.float32)
    skeleton = reenact.Skeleton(names, parents, offsets)
    reenact.save(reenact.Clip(skeleton, turns, root, 120.0, "generated"), path)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
