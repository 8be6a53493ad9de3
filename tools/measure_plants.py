"""Print the tables of docs/foot-plants.md: samples, the whole corpus, supports of plain recordings, agreement of detectors.

python tools/measure_plants.py [FOLDER OF THE DATA]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from plain_gaits import data_folder, plain_clips, true_rate

from reenact.analysis.agreement import compare_masks
from reenact.analysis.classify import classify
from reenact.analysis.foot_points import find_foot_points
from reenact.analysis.plants import DETECTORS, detect_plants
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.rotations import multiply, rotate
from reenact.errors import SkeletonError
from reenact.loading import LoadOptions, load_all
from reenact.samples import make_sample, sample_names

GAITS = ("walk", "run", "jump")


def measure(truth: np.ndarray, found: np.ndarray) -> str:
    """Precision, recall, specificity and accuracy of masks."""
    table = compare_masks(truth, found)
    return " | ".join(f"{n:.3f}" for n in (table.precision, table.recall, table.specificity, table.accuracy))


def turned(clip: Clip, axis: tuple[float, float, float], degrees: float) -> Clip:
    """The clip turned about an axis through the origin."""
    half = np.radians(degrees) / 2
    turn = np.array([np.cos(half), *(np.sin(half) * np.array(axis))])
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    return replace(clip, rotations=rotations, root=rotate(turn, clip.root).astype(np.float32))


def scaled(clip: Clip, by: float) -> Clip:
    """The clip of a body `by` times as large."""
    return replace(clip, skeleton=clip.skeleton.scaled(by), root=clip.root * by)


def sample_rows() -> None:
    """Detectors on the generated samples, and how many of them get their class."""
    rng = np.random.default_rng(1)
    changes: dict[str, Callable[[Clip], Clip]] = {
        "as made": lambda clip: clip,
        "2 mm noise": lambda clip: replace(clip, root=clip.root + rng.normal(0, 0.002, clip.root.shape)),
        "half as large": lambda clip: scaled(clip, 0.5),
        "twice as large": lambda clip: scaled(clip, 2.0),
        "turned by 70 degrees, 3 m away": lambda clip: replace(
            turned(clip, (0, 1, 0), 70), root=turned(clip, (0, 1, 0), 70).root + 3
        ),
        "floor 0.4 m up": lambda clip: replace(clip, root=clip.root + np.float32([0, 0.4, 0])),
        "floor tilted by 2 degrees": lambda clip: turned(clip, (0.6, 0, 0.8), 2),
    }
    print("| detector | motion | rate | precision | recall | specificity | accuracy | class right |")
    for fps in (30.0, 60.0, 120.0):
        samples = [make_sample(name, fps) for name in sample_names()]
        truth = np.concatenate([s.truth.foot(side).planted for s in samples for side in ("left", "right")])
        for change, apply in changes.items():
            clips: list[Clip] = [apply(sample.clip) for sample in samples]
            both = fps == 120.0 and change in ("as made", "2 mm noise")
            for detector in DETECTORS if both else ("adaptive",):
                plants = [detect_plants(clip, detector) for clip in clips]
                found = np.concatenate([p.foot(side).plant for p in plants for side in ("left", "right")])
                right = ""
                if detector == "adaptive":
                    same = [classify(c, p).type == s.type for c, p, s in zip(clips, plants, samples, strict=True)]
                    right = f"{sum(same)} of {len(same)}"
                print(f"| {detector} | {change} | {fps:g} Hz | {measure(truth, found)} | {right} |")


def corpus_rows() -> None:
    """Over every BVH of the data: planted points that are high and fast, and how the feet of plain walks and runs take turns."""
    clips = frames = 0
    wrong: list[str] = []
    for path in sorted(data_folder().rglob("*.bvh")):
        options = LoadOptions(fps=true_rate(path.stem) if path.parent.name == "cmu-bvh" else "auto")
        try:
            found = [(clip, detect_plants(clip)) for clip in load_all(path, options).clips]
        except SkeletonError as error:
            print(f"no feet: {path.name}: {error.message[:60]}")
            continue
        for clip, plants in found:
            clips, frames = clips + 1, frames + len(clip)
            count = high_and_fast(clip, plants)
            if count:
                wrong.append(f"{clip.name} {count}")
    print(f"{clips} clips, {frames} frames: planted above 10 cm and faster than 0.5 m/s: {', '.join(wrong) or 'none'}")


def high_and_fast(clip: Clip, plants: FootPlants) -> int:
    """Frames in which a foot is planted while all of it is more than 10 cm over the floor and faster than 0.5 m/s."""
    points = find_foot_points(clip.skeleton, clip)
    paths = points.paths(clip).astype(np.float64)
    if len(paths) < 3:
        return 0
    speed = np.zeros(paths.shape[:2])
    speed[1:-1] = np.linalg.norm(paths[2:] - paths[:-2], axis=2) * clip.fps / 2
    above, total = plants.floor.above(paths), 0
    for n, side in enumerate(points.sides):
        pair = slice(2 * n, 2 * n + 2)
        off = (above[:, pair].min(axis=1) > 0.1) & (speed[:, pair].min(axis=1) > 0.5)
        total += int(np.count_nonzero(plants.foot(side).plant & off))
    return total


def recording_rows() -> None:
    """Supports and flights of the plain recordings, and agreement of detectors."""
    plain = plain_clips(data_folder())
    for gait in ("walk", "run"):
        double, flight = [], []
        for one in plain:
            if one.gait == gait:
                plants = detect_plants(one.clip).cut(one.start, one.end)
                double.append((one.name, np.mean(plants.left.plant & plants.right.plant)))
                flight.append((one.name, np.mean(~plants.left.plant & ~plants.right.plant)))
        for what, shares in (("double support", double), ("flight", flight)):
            low, high = min(shares, key=lambda s: s[1]), max(shares, key=lambda s: s[1])
            usual = np.median([share for _, share in shares])
            print(
                f"{gait}: {what} {usual:.3f} in the middle; least {low[1]:.3f} ({low[0]}), most {high[1]:.3f} ({high[0]})"
            )
    for gait in GAITS:
        clips = [one.clip for one in plain if one.gait == gait]
        masks = {
            name: np.concatenate(
                [
                    plants.foot(side).plant
                    for plants in (detect_plants(c, name) for c in clips)
                    for side in ("left", "right")
                ]
            )
            for name in DETECTORS
        }
        same = ", ".join(f"{name} {np.mean(masks['adaptive'] == mask):.3f}" for name, mask in masks.items())
        print(f"agreement of adaptive on {gait}: {same}")


if __name__ == "__main__":
    sample_rows()
    corpus_rows()
    recording_rows()
