"""Draw the pictures of `docs/cleaning.md`.

python tools/draw_clean.py

The recording is one of $REENACT_DATA, else ../shared/data.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from PIL import Image

import reenact
from reenact.analysis.plants import detect_plants
from reenact.blend.clean import clean
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.core.made import Made
from reenact.render import Curve, PlotParameters, StripParameters, render_strip, save_plot
from reenact.render.plot import Span
from reenact.solve.feet import find_feet, track_foot

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data")
RECORDING = "cmu-bvh/35_02.bvh"
SHOWN = slice(120, 330)  # frames: two steps of the left foot
STRIP = StripParameters(count=14, width=1800, height=260, mode="row", view="side")


def draw_strips(before: Clip, after: Clip) -> None:
    """The same frames before and after, laid over one another."""
    pair = [
        cut_frames(clip, SHOWN.start, SHOWN.stop) for clip in (before.renamed("recorded"), after.renamed("cleaned"))
    ]
    picture = render_strip(pair, STRIP).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(IMAGES / "clean-strip.png", optimize=True)


def draw_feet(before: Clip, after: Clip, plants: FootPlants) -> None:
    """How far heel and ball are from their places while planted, and their speed, before and after."""
    foot = next(foot for foot in find_feet(before.skeleton, before) if foot.side == "left")
    contact = plants.foot("left")
    tracks = {
        name: track_foot(clip.world(np.float64), foot) for name, clip in (("recorded", before), ("cleaned", after))
    }
    time = np.asarray(before.times, dtype=np.float64)
    places, speeds = [], []
    for point, colour, mask in (("heel", "#c2410c", contact.heel), ("ball", "#0f766e", contact.ball)):
        for name, track in tracks.items():
            path = getattr(track, point)[:, [0, 2]]
            away = np.full(len(path), np.nan)
            for start, end in intervals_of(mask):
                away[start:end] = 1000 * np.linalg.norm(path[start:end] - path[start:end].mean(axis=0), axis=1)
            places.append(Curve(f"{point}, {name}", time[SHOWN], away[SHOWN], colour, name == "recorded"))
            speed = np.linalg.norm(np.gradient(path, axis=0), axis=1) * before.fps
            speeds.append(
                Curve(f"{point}, {name}", time[SHOWN], np.minimum(speed[SHOWN], 1.0), colour, name == "recorded")
            )
    spans = [
        Span(float(time[max(a, SHOWN.start)]), float(time[min(b, SHOWN.stop) - 1]))
        for a, b in contact.intervals()
        if a < SHOWN.stop - 1 and b > SHOWN.start + 1
    ]
    title = "Planted points of the left foot: distance from their mean place on the ground"
    save_plot(places, IMAGES / "clean-places.svg", PlotParameters(title, "s", "mm", from_zero=True), spans)
    title = "Speed of the left foot's points over the ground (cut at 1 m/s)"
    save_plot(speeds, IMAGES / "clean-speeds.svg", PlotParameters(title, "s", "m/s", from_zero=True), spans)


def draw_knee(before: Clip, made: Made) -> None:
    """The bend of the left knee, before and after."""
    foot = next(foot for foot in find_feet(before.skeleton, before) if foot.side == "left")
    curves = []
    for name, clip in (("recorded", before), ("cleaned", made.clip)):
        places = clip.world(np.float64).positions
        hip, knee, ankle = (places[:, joint] for joint in (foot.leg.root, foot.leg.mid, foot.leg.end))
        across = np.linalg.norm(np.cross(knee - hip, ankle - knee), axis=1)
        bend = np.degrees(np.arctan2(across, np.einsum("fi,fi->f", knee - hip, ankle - knee)))
        curves.append(
            Curve(
                f"left knee, {name}",
                np.asarray(clip.times, dtype=np.float64)[SHOWN],
                bend[SHOWN],
                "#6d28d9",
                name == "recorded",
            )
        )
    save_plot(curves, IMAGES / "clean-knee.svg", PlotParameters("Bend of the left knee", "s", "degrees", height=240))


def main() -> None:
    """Draw all pictures."""
    clip = reenact.load(DATA / RECORDING)
    plants = detect_plants(clip)
    made = clean(clip, None, plants)
    draw_strips(clip, made.clip)
    draw_feet(clip, made.clip, plants)
    draw_knee(clip, made)


if __name__ == "__main__":
    main()
