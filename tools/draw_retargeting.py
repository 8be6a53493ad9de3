"""Draw the picture of `docs/retargeting.md`: three recordings, each on six characters.

python tools/draw_retargeting.py
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from mesh_pictures import paint_body
from PIL import Image
from retarget_sheet import corpus, read_motion, without_props

import reenact
from reenact.body.humanoid import humanoid
from reenact.loading import load_all

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images" / "retargeting.png"
MOTIONS = (
    ("cmu-bvh/07_01.bvh", 0.3),
    ("cmu-bvh/60_10.bvh", 0.9),
    ("cmu-bvh/77_16.bvh", 0.35),
    ("cmu-bvh/90_02.bvh", 0.5),
)
_SIZE, _WIDE = 260, 0.72


def main() -> None:
    """Draw it."""
    folder = corpus()
    people = [humanoid(preset=one) for one in ("adult", "heavy", "child", "chibi")]
    people += [
        load_all(folder / "characters" / name).characters[0]
        for name in ("kaykit/Knight.glb", "mesh2motion/human-male.glb")
    ]
    cut = round(_SIZE * (1 - _WIDE) / 2)
    sheet = Image.new("RGB", ((_SIZE - 2 * cut) * len(people), _SIZE * len(MOTIONS)), "white")
    for row, (name, share) in enumerate(MOTIONS):
        clip = read_motion(name, folder)
        for column, person in enumerate(people):
            made = reenact.retarget(clip, person).clip
            seen = without_props(replace(person, skeleton=made.skeleton))
            world = made.world(np.float64)
            body = paint_body(seen, world, int(share * (len(made) - 1)), 2 * _SIZE).resize(
                (_SIZE, _SIZE), Image.Resampling.LANCZOS
            )
            sheet.paste(body.crop((cut, 0, _SIZE - cut, _SIZE)), (column * (_SIZE - 2 * cut), row * _SIZE))
    sheet.quantize(128).save(TARGET, optimize=True)
    print(TARGET, sheet.size)


if __name__ == "__main__":
    main()
