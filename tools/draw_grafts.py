"""Draw the pictures of `docs/grafting.md`: figures 5.10 and 5.11 of the thesis anew, the ways to hold an upper body, the map of time.

python tools/draw_grafts.py

Recordings are those of $REENACT_DATA, else ../shared/data.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

import reenact
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.graft.correlation import correlate_plants
from reenact.graft.graft_parameters import KEEPS
from reenact.graft.grafting import GraftParameters, build_graft, make_graft
from reenact.render import Curve, PlotParameters, StripParameters, render_strip, save_plot
from reenact.render.picture import stack_pictures

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "cmu-bvh"


def load(name: str) -> Clip:
    """A recording."""
    return reenact.load(DATA / f"{name}.bvh")


def save_rows(rows: Sequence[Clip], name: str, view: str = "side", count: int = 10) -> None:
    """Strips below one another with few colours."""
    style = StripParameters(mode="row", count=count, width=1800, height=170, view=view)
    picture = stack_pictures([render_strip(clip, style) for clip in rows])
    picture.quantize(128, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def grafted(base: Clip, source: Clip, title: str, **asked: object) -> tuple[Clip, Clip, Clip]:
    """The grafted frames, and those of base and source that they are made of."""
    report = (made := make_graft(base, source, GraftParameters(**asked))).report  # type: ignore[arg-type]
    (start, end), (first, last) = report["domain"], report["source_frames"]
    parts = cut_frames(base, start, end), cut_frames(source, int(first), int(last) + 1)
    return cut_frames(made.clip, start, end).renamed(title), *parts


def draw_walk_and_run() -> None:
    """Figure 5.10: walk and run, each as base and as source."""
    walk, run = load("16_15"), load("16_35")
    there, base, source = grafted(walk, run, "walk with the upper body of the run")
    back, _, _ = grafted(run, walk, "run with the upper body of the walk")
    save_rows([base.renamed("walk 16_15"), source.renamed("run 16_35"), there, back], "grafts-walk-run.png")


def draw_strides() -> None:
    """Figure 5.11: a normal walk and one with exaggerated strides."""
    walk, stride = load("08_01"), load("08_07")
    there, base, source = grafted(walk, stride, "walk with the arms of the exaggerated stride: a march")
    back, _, _ = grafted(stride, walk, "exaggerated stride with normal arms")
    save_rows(
        [base.renamed("walk 08_01"), source.renamed("exaggerated stride 08_07"), there, back], "grafts-stride.png"
    )


def draw_keeps() -> None:
    """The same graft with every way to hold the upper body: a wave of another person, whose pelvis is tilted, on a walk."""
    walk, wave = load("16_15"), load("111_37")
    rows = [grafted(walk, wave, f"keep {keep}", keep=keep) for keep in KEEPS]
    _, base, source = rows[0]
    save_rows([base.renamed("walk 16_15"), source.renamed("wave 111_37"), *(row[0] for row in rows)], "grafts-keep.png",
              "three-quarter")  # fmt: skip


def draw_time() -> None:
    """The map of time of a walk and a run: every shift, straight and smooth."""
    graft = build_graft(load("16_15"), load("16_35"))
    assert graft.base.plants is not None
    assert graft.source.plants is not None
    maps = correlate_plants(graft.base.clip, graft.source.clip, graft.base.plants, graft.source.plants)
    curves = [
        Curve(f"shift {one.shift}", one.anchors[:, 1], one.anchors[:, 0], dashed=one.shift != graft.time.map.shift)
        for one in maps
    ]
    taken = graft.time.map
    curves.append(Curve("taken, smooth", taken.at(taken.frames), taken.frames, colour="#d1495b"))
    save_plot(
        curves,
        IMAGES / "grafts-time.svg",
        PlotParameters(
            title="Which frame of the run belongs to a frame of the walk",
            x_label="frame of the walk 16_15",
            y_label="frame of the run 16_35",
            height=420,
        ),
    )


def main() -> None:
    """All pictures."""
    draw_walk_and_run()
    draw_strides()
    draw_keeps()
    draw_time()


if __name__ == "__main__":
    main()
