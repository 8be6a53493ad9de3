"""Print the tables of docs/foot-plants.md and docs/classification.md: samples, plain recordings, agreement, comparison.

python tools/measure_plants.py [FOLDER OF THE DATA]
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from plain_gaits import data_folder, plain_clips

from reenact.analysis.agreement import compare_masks
from reenact.analysis.classify import CLASSIFIERS, classify
from reenact.analysis.plants import DETECTORS, detect_plants
from reenact.core.clip import Clip
from reenact.samples import make_sample, sample_names

GAITS = ("walk", "run", "jump")


def measure(truth: np.ndarray, found: np.ndarray) -> str:
    """Precision, recall, specificity and accuracy of masks."""
    table = compare_masks(truth, found)
    return " | ".join(f"{n:.3f}" for n in (table.precision, table.recall, table.specificity, table.accuracy))


def sample_rows() -> None:
    """Detectors on the generated samples."""
    rng = np.random.default_rng(1)
    changes = {
        "": lambda clip: clip,
        "2 mm noise": lambda clip: replace(clip, root=clip.root + rng.normal(0, 0.002, clip.root.shape)),
    }
    print("| detector | motion | rate | precision | recall | specificity | accuracy |")
    for fps in (30.0, 60.0, 120.0):
        samples = [make_sample(name, fps) for name in sample_names()]
        truth = np.concatenate([s.truth.foot(side).planted for s in samples for side in ("left", "right")])
        for change, apply in changes.items():
            clips: list[Clip] = [apply(sample.clip) for sample in samples]
            for detector in DETECTORS if fps == 120.0 else ("adaptive",):
                plants = [detect_plants(clip, detector) for clip in clips]
                found = np.concatenate([p.foot(side).plant for p in plants for side in ("left", "right")])
                print(f"| {detector} | {change or 'as made'} | {fps:g} Hz | {measure(truth, found)} |")


def recording_rows() -> None:
    """Classifiers on the plain recordings, with the misses of the default, and agreement of detectors."""
    plain = plain_clips(data_folder())
    for classifier in CLASSIFIERS:
        table = {(half, gait): Counter() for half in ("tune", "test") for gait in GAITS}
        for one in plain:
            found = classify(one.clip, classifier=classifier)
            row = table[one.half, one.gait]
            row[found.type] += 1
            right = np.count_nonzero(found.labels[one.start : one.end] == one.gait)
            row["right"], row["frames"] = row["right"] + right, row["frames"] + one.end - one.start
            if classifier == "steps" and found.type != one.gait:
                parts = " ".join(f"{s.type} {s.start}-{s.end}" for s in found.segments)
                print(f"miss: {one.name} {one.description!r} {one.half}: {found.type}; {parts}")
        print(f"\n{classifier}\n| half | index says | walk | run | jump | stand | other | frames right |")
        for (half, gait), row in table.items():
            counts = " | ".join(str(row[kind]) for kind in (*GAITS, "stand", "other"))
            print(f"| {half} | {gait} | {counts} | {row['right'] / row['frames']:.3f} |")
        for half in ("tune", "test"):
            rows = [table[half, gait] for gait in GAITS]
            frames = sum(row["right"] for row in rows) / sum(row["frames"] for row in rows)
            clips = sum(row[kind] for row in rows for kind in (*GAITS, "stand", "other"))
            types = sum(table[half, gait][gait] for gait in GAITS)
            print(f"| {half} | all | type right {types} of {clips} ({types / clips:.1%}) | {frames:.3f} |")
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
    recording_rows()
