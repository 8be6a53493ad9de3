"""When the feet stand, what gait that is, and how both are drawn and kept."""

from pathlib import Path

import numpy as np

from reenact.analysis.classify import classify
from reenact.analysis.foot_points import find_foot_points
from reenact.analysis.plant_choice import PlantChoice
from reenact.analysis.plants import detect_plants
from reenact.blend.clean import clean
from reenact.formats.plants_text import edit_plants, write_plants
from reenact.render import Curve, PlotParameters, save_plot
from reenact.render.plot import Span
from reenact.samples import make_sample

sample = make_sample("start_walk_left")
clip = sample.clip
plants = detect_plants(clip)
right = np.mean([plants.left.plant == sample.truth.left.planted, plants.right.plant == sample.truth.right.planted])
print(f"{right:.1%} of the frames as planned; floor at {plants.floor.height * 1000:.1f} mm")

gait = classify(clip, plants)
print(gait.type, [(segment.type, segment.start, segment.end) for segment in gait.segments])

# The text file can be edited by hand; a list of corrections changes what was detected.
write_plants(plants, "plants.txt")
Path("edits.txt").write_text("reenact plants 1 edits\nfree left ball 100 104\n")
print(edit_plants(plants, "edits.txt").source)

# What `--plants` and `--detector` say to any command: files of plants or corrections, and a detector by its name.
(chosen,) = PlantChoice(plants=("edits.txt",), detector="static").of([clip]) or [None]
held = clean(clip, plants=chosen)
print(f"cleaned with {chosen.source if chosen else 'detected'} plants, {len(held.clip)} frames")

heights = find_foot_points(clip.skeleton).paths(clip)[..., 1]
seconds = np.arange(len(clip)) / clip.fps
curves = [
    Curve("left heel", seconds, heights[:, 0] * 100),
    Curve("left ball", seconds, heights[:, 1] * 100, dashed=True),
    Curve("right heel", seconds, heights[:, 2] * 100),
    Curve("right ball", seconds, heights[:, 3] * 100, dashed=True),
]
spans = [Span(a / clip.fps, b / clip.fps, "#2f7de1") for a, b in plants.left.intervals()]
spans += [Span(a / clip.fps, b / clip.fps, "#17977a") for a, b in plants.right.intervals()]
save_plot(curves, "plants.svg", PlotParameters("Foot plants", "seconds", "height, cm"), spans)
