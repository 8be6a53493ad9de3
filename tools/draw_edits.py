"""Draw the pictures of `docs/transitions.md`, `docs/loops.md`, `docs/warps.md` and `docs/mapping.md`.

python tools/draw_edits.py

Recordings are those of $REENACT_DATA, else ../shared/data; without them only the pictures of samples are drawn.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from PIL import Image

import reenact
from reenact.analysis.plants import detect_plants
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.placement import move_rigidly
from reenact.edit.displacement import PoseKey, displace
from reenact.edit.loop import LoopParameters, make_loop
from reenact.edit.transition import TransitionParameters, make_transition
from reenact.render import Curve, PlotParameters, StripParameters, render_strip, save_picture, save_plot
from reenact.render.plot import Span
from reenact.samples import make_sample
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.skeleton_map import map_motion

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "cmu-bvh"
STYLE = StripParameters(count=15, width=1800, height=170)


def save_strip(clip: Clip, name: str, style: StripParameters = STYLE) -> None:
    """A pose strip with few colours."""
    picture = render_strip(clip, style).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def draw_root_blending() -> None:
    """Paths of the root seen from above: the same walk recorded elsewhere, blended naively and by steps."""
    walk = make_sample("walk_normal").clip
    elsewhere = move_rigidly(walk, (1.6, 0.0, -1.2), np.radians(-70))
    asked = TransitionParameters(at=200, into=200, window=1.0, feet="free")
    absolute = TransitionParameters(at=200, into=200, window=1.0, feet="free", root="absolute")
    curves = []
    for name, parameters in (("steps and turns blended", asked), ("recorded places blended", absolute)):
        made = make_transition(walk, elsewhere, parameters)
        part = made.clip.root[120:300]
        curves.append(Curve(name, part[:, 2], part[:, 0]))
    start, end = 170, 231
    curves.append(Curve("first clip", walk.root[120:start, 2], walk.root[120:start, 0], colour="#6c7a89"))
    tail = elsewhere.root[end:300]
    curves.append(Curve("second clip as recorded", tail[:, 2], tail[:, 0], colour="#a559c9", dashed=True))
    save_plot(
        curves,
        IMAGES / "root-blending.svg",
        PlotParameters(title="Root path seen from above", x_label="z (m)", y_label="x (m)", height=560, equal=True),
    )


def draw_feet(first: Clip, second: Clip) -> None:
    """Horizontal way of the ball points through a blend, held and free."""
    made = make_transition(first, second)
    frames = {"at": made.report["at"], "into": made.report["into"]}
    free = make_transition(first, second, TransitionParameters(feet="free", weight="linear", **frames))
    start, end = made.report["window_frames"]
    low, high = max(start - 40, 0), end + 40
    curves = []
    for name, result, dashed in (("held", made.clip, False), ("linear blend", free.clip, True)):
        world = result.world(np.float64)
        for foot in find_feet(result.skeleton, result):
            ball = track_foot(world, foot).ball[low:high]
            speed = np.linalg.norm(np.gradient(ball[:, [0, 2]], axis=0), axis=1) * result.fps
            colour = "#2f7de1" if foot.side == "left" else "#e8702a"
            curves.append(Curve(f"{foot.side}, {name}", np.arange(low, high)[: len(speed)], speed, colour, dashed))
    save_plot(
        curves,
        IMAGES / "transition-feet.svg",
        PlotParameters(title="Speed of the balls of the feet through a blend", x_label="frame", y_label="m/s"),
        [Span(start, end)],
    )


def draw_loops(walk: Clip, turning: Clip) -> None:
    """Paths of twenty cycles seen from above."""
    curves = []
    for name, clip in (("straight walk", walk), ("walk on a circle", turning)):
        made = make_loop(clip, LoopParameters(count=20))
        root = made.clip.root - made.clip.root[0]
        curves.append(Curve(f"{name}, 20 cycles", root[:, 2], root[:, 0]))
    save_plot(
        curves,
        IMAGES / "loop-path.svg",
        PlotParameters(
            title="Root path of 20 cycles seen from above", x_label="z (m)", y_label="x (m)", height=280, equal=True
        ),
    )


def around(made, before: float = 0.3, after: float = 0.5) -> Clip:
    """The frames of a blend and some around it."""
    start, end = made.report["window_frames"]
    fps = made.clip.fps
    return cut_frames(made.clip, max(0, round(start - before * fps)), min(len(made.clip), round(end + after * fps)))


def main() -> None:
    """Write all pictures."""
    draw_root_blending()
    stand, sit = make_sample("walk_normal").clip, make_sample("sit_down").clip
    save_strip(around(make_transition(stand, sit)), "transition-step.png")
    draw_loops(make_sample("walk_normal").clip, make_sample("walk_circle_medium_left").clip)
    walk = make_sample("walk_normal").clip
    edited = displace(walk, [PoseKey(200, {"right_upper_arm": (0.0, 0.0, -1.2), "spine": (0.3, 0.0, 0.0)})])
    part = [cut_frames(clip, 165, 240) for clip in (walk, edited)]
    save_strip(part[1], "warp.png", StripParameters(count=13, width=1800, height=170, mode="row"))
    if not DATA.is_dir():
        print(f"no recordings in {DATA}: pictures of recordings were not drawn")
        return
    clips = {name: reenact.load(DATA / f"{name}.bvh") for name in ("08_01", "10_01", "09_01", "16_15")}
    save_strip(around(make_transition(clips["08_01"], clips["10_01"])), "transition-kick.png")
    draw_feet(clips["08_01"], clips["10_01"])
    run = clips["09_01"]
    mapped = move_rigidly(map_motion(run, make_sample("walk_normal").clip, detect_plants(run)), (0.9, 0.0, 0.0))
    look = StripParameters(count=6, width=1800, height=260, mode="row", traces=False)
    save_picture([run.renamed("09_01"), mapped.renamed("mapped")], IMAGES / "map.png", look)


if __name__ == "__main__":
    main()
