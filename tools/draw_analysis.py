"""Pictures of docs/chains.md, docs/metrics.md and docs/quality.md, from the sample library.

    python tools/draw_analysis.py [FOLDER]

The page of docs/quality.md is written as HTML; its picture is taken with a headless browser.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from reenact.analysis.chains import find_chains
from reenact.analysis.limbs import rest_positions
from reenact.analysis.metrics import PointCloudMetric, describe_clips, distance_matrix
from reenact.analysis.plants import detect_plants
from reenact.analysis.quality import check_clip
from reenact.core.clip import Clip
from reenact.core.rotations import from_axis_angle, multiply
from reenact.render.plot import COLOURS
from reenact.render.quality_page import save_quality_page
from reenact.samples import make_sample, sample_skeleton

STOPS = np.array([[20, 24, 48], [43, 84, 150], [54, 150, 160], [150, 200, 120], [250, 240, 170]], float)


def draw_chains(path: Path) -> None:
    """The sample skeleton from the front, every chain in its colour."""
    skeleton = sample_skeleton()
    places = rest_positions(skeleton)
    x, y = 380 + 230 * places[:, 0], 300 - 210 * places[:, 1]
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 520" width="760" height="520">',
        "<style>text{font:14px system-ui,sans-serif;fill:#4a5260}rect{fill:#fff}"
        "@media (prefers-color-scheme:dark){text{fill:#aab3c0}rect{fill:#16181d}}</style>",
        '<rect width="760" height="520" rx="10"/>',
    ]
    for number, chain in enumerate(find_chains(skeleton)):
        colour = COLOURS[number % len(COLOURS)]
        way = " ".join(f"{x[j]:.0f},{y[j]:.0f}" for j in chain.joints)
        parts.append(
            f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="9" stroke-linecap="round" stroke-linejoin="round"/>'
        )
        parts += [f'<circle cx="{x[j]:.0f}" cy="{y[j]:.0f}" r="5" fill="{colour}"/>' for j in chain.owned]
        parts.append(f'<circle cx="30" cy="{40 + 28 * number}" r="7" fill="{colour}"/>')
        parts.append(f'<text x="46" y="{45 + 28 * number}">{chain.name} ({chain.group})</text>')
    parts.append(f'<circle cx="{x[0]:.0f}" cy="{y[0]:.0f}" r="8" fill="#6c7a89"/>')
    path.write_text("\n".join([*parts, "</svg>", ""]))


def draw_matrix(path: Path) -> None:
    """Distances of a walk, a jog and a jump, all frames with all."""
    metric = PointCloudMetric()
    clips = [make_sample(name, 30.0).clip for name in ("walk_normal", "jog", "jump_up")]
    distances = distance_matrix(metric, describe_clips(metric, clips))
    share = np.clip(distances / np.percentile(distances, 99), 0, 1) * (len(STOPS) - 1)
    low = np.minimum(share.astype(int), len(STOPS) - 2)
    colours = STOPS[low] + (STOPS[low + 1] - STOPS[low]) * (share - low)[..., None]
    Image.fromarray(np.uint8(colours)).resize((720, 720), Image.Resampling.BILINEAR).save(path)


def break_walk(clip: Clip) -> Clip:
    """A walk with a pop, a flip, a skating plant and a frame that is there twice."""
    plants = detect_plants(clip)
    start, end = plants.left.intervals()[2]
    rotations, root = clip.rotations.copy(), clip.root.copy()
    arm, neck = clip.skeleton.joint("left_lower_arm"), clip.skeleton.joint("right_upper_arm")
    rotations[80, arm] = multiply(rotations[80, arm], from_axis_angle((1, 0, 0), np.radians(50)))
    rotations[320, neck] = multiply(rotations[320, neck], from_axis_angle((1, 0, 0), np.pi))
    root[:, 0] += 0.05 * np.clip((np.arange(len(clip)) - start) / (end - start), 0, 1).astype(np.float32)
    order = np.insert(np.arange(len(clip)), 250, 249)
    return replace(clip, rotations=rotations[order], root=root[order])


def main() -> None:
    """Draw everything."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    draw_chains(folder / "chains.svg")
    draw_matrix(folder / "distances.png")
    clip = make_sample("walk_normal").clip
    save_quality_page(
        [("walk, broken on purpose", check_clip(break_walk(clip)))], folder / "quality-page.html", "Quality of a walk"
    )


if __name__ == "__main__":
    main()
