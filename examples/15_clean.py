"""Take the skating out of a motion: planted heels and balls stay, the foot still rolls, nothing else changes."""

from dataclasses import replace

import numpy as np

import reenact
from reenact.blend.clean import CleanParameters, clean
from reenact.core.foot_plants import FootContact, FootPlants
from reenact.samples import make_sample

# a walk that slides over the ground, as a careless blend or a noisy recording does
sample = make_sample("walk_normal")
slide = sample.clip.times[:, None] * np.array([0.02, 0.0, 0.06])
skating = replace(sample.clip, root=(sample.clip.root + slide).astype(np.float32), name="skating")

# without plants they are detected; a method that made the clip knows them better and hands them over
truth = sample.truth
plants = FootPlants(
    FootContact(truth.left.heel, truth.left.ball), FootContact(truth.right.heel, truth.right.ball), skating.fps
)
made = clean(skating, CleanParameters(), plants)
report = made.report
print(
    f"{report['plants']} plants held; worst drift {report['drift_mm']['before']} mm before, {report['drift_mm']['after']} after"
)
print(f"body moved by {report['root_mm']} mm at most, knees {report['knee_acceleration']['ratio']} times as jerky")
print("out of reach:", report["unreachable"])

# a tight circle on which one foot runs through the other: the foot in the air goes round it
circle = make_sample("walk_circle_tight_left").clip
overlap = clean(circle, CleanParameters(apart=True)).report["overlap"]
print(f"legs overlap in {overlap['overlapping']['before']} frames before, {overlap['overlapping']['after']} after")

# markers for the IK of other programs: a still one for each plant, one that follows each ankle
marked = clean(skating, CleanParameters(markers=True), plants)
print([marker["name"] for marker in marked.report["markers"]])
reenact.save(made.clip, "clean.bvh")
reenact.save(marked.clip, "clean_with_markers.glb")
