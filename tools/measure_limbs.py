"""Legs of recordings solved for ankles that stay while the body moves: what is left undone, and how knees accelerate, by kind of reach.

python tools/measure_limbs.py [--clips 40] [--seed 4]

CMU recordings of $REENACT_DATA, else ../shared/data, of 60 to 1500 frames, drawn by the seed. Undone: the largest distance from targets
within reach. Knee: the largest angular acceleration after, over that of the recorded knee.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate_twice
from reenact.loading import load
from reenact.solve.limb import Limb, LimbParameters, limb_of, place_limb

MOVES = ("dips by 2 cm", "sways by 1 cm", "rises by 1 cm")


def moved(clip: Clip, move: str) -> Clip:
    """The clip with its body moved and turned by nothing else."""
    bump = np.sin(np.linspace(0, np.pi, len(clip))) ** 2
    shift = {
        "dips by 2 cm": np.outer(-0.02 * bump, [0, 1, 0]),
        "sways by 1 cm": np.outer(0.01 * np.sin(3 * clip.times), [1, 0, 0]),
        "rises by 1 cm": np.outer(0.01 * bump, [0, 1, 0]),
    }[move]
    return replace(clip, root=(clip.root + shift).astype(np.float32))


def knee_push(positions: np.ndarray, limb: Limb, fps: float) -> float:
    """Largest angular acceleration of a knee, radians per second squared."""
    links = [R.normalize(positions[:, limb.mid] - positions[:, other]) for other in (limb.root, limb.end)]
    angle = np.arccos(np.clip(np.einsum("fi,fi->f", *links), -1, 1))
    return float(np.abs(differentiate_twice(angle, fps))[2:-2].max())


def main() -> None:
    """Print a row for every move and reach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=40)
    parser.add_argument("--seed", type=int, default=4)
    asked = parser.parse_args()
    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "cmu-bvh"
    files = sorted(folder.rglob("*.bvh"))
    rows: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for place in np.random.default_rng(asked.seed).permutation(len(files))[: asked.clips]:
        clip = load(files[place])
        if not 60 <= len(clip) <= 1500:
            continue
        recorded = clip.world(np.float64).positions
        for role in ("left_leg", "right_leg"):
            limb = limb_of(clip.skeleton, role)
            reach = sum(np.linalg.norm(recorded[0, limb.mid] - recorded[0, end]) for end in (limb.root, limb.end))
            before = knee_push(recorded, limb, clip.fps)
            for move in MOVES:
                body = moved(clip, move)
                world = body.world(np.float64)
                within = np.linalg.norm(recorded[:, limb.end] - world.positions[:, limb.root], axis=1) <= reach
                for kind in ("exact", "soft"):
                    how = LimbParameters(reach=kind)  # type: ignore[arg-type]
                    rotations, left = place_limb(body, limb, recorded[:, limb.end], parameters=how, world=world)
                    made = replace(body, rotations=rotations.astype(np.float32)).world(np.float64).positions
                    row = (float(within.mean()), float(left[within].max()), knee_push(made, limb, clip.fps) / before)
                    rows.setdefault((move, kind), []).append(row)
    print("| the body | reach | legs | within reach | undone mm | knee median | 95 % | worst |")
    for (move, kind), found in rows.items():
        within, left, knee = np.array(found).T
        middle, high, worst = np.percentile(knee, [50, 95, 100])
        print(
            f"| {move} | {kind} | {len(found)} | {within.mean():.3f} | {1000 * left.max():.3f} | {middle:.2f} | {high:.2f} | {worst:.2f} |"
        )


if __name__ == "__main__":
    main()
