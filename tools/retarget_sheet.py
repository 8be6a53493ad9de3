"""Contact sheets of retargeted motions, to be looked through: every motion on every character, some frames of each.

python tools/retarget_sheet.py -o sheet.png [--motions FILE ...] [--characters FILE ...] [--frames 4] [--size 150] [--yaw 35]

A character may be a preset of the generated people (adult, child, heavy, chibi, ...). Without names: eight motions of different makers and
kinds, and the characters of the corpus in $REENACT_DATA, else ../shared/data. Left limbs are blue, right ones orange; the grid lies at
height 0. What to look for: twisted, crossed, leaning, floating.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
from mesh_pictures import paint_body
from PIL import Image, ImageDraw

import reenact
from reenact.body.character import Character
from reenact.body.humanoid import Preset, humanoid
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.errors import ReenactError
from reenact.loading import choose_clip, load_all

MOTIONS = (
    "cmu-bvh/07_01.bvh",
    "noncommercial/lafan1/test2.bvh",
    "noncommercial/bandai-namco/dataset-1_bow_normal_001.bvh",
    "bvh-other/jesse_dance.bvh",
    "bvh-other/jumping_jacks.bvh",
    "cmu-bvh/77_16.bvh",
    "cmu-bvh/143_18.bvh",
    "hdm05-asfamc/HDM_bd_lieDownFloor_001_120.amc",
)
CHARACTERS = (
    "characters/kaykit/Knight.glb",
    "characters/khronos/CesiumMan.glb",
    "characters/khronos/RiggedFigure.glb",
    "characters/mesh2motion/human-male.glb",
    "characters/threejs/RobotExpressive.glb",
)
_LONGEST = 900  # frames
_CAPTION = 16
_PROPS = ("sword", "shield", "cape")


def corpus() -> Path:
    """The folder of recordings."""
    return Path(os.environ.get("REENACT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def without_props(character: Character) -> Character:
    """A character without what hides it: parts that are weapons and capes."""
    if character.vertex_parts is None:
        return character
    hidden = [n for n, part in enumerate(character.parts) if any(word in part.lower() for word in _PROPS)]
    shown = ~np.isin(character.vertex_parts[character.faces[:, 0]], hidden)
    materials = None if character.face_materials is None else character.face_materials[shown]
    return replace(character, faces=character.faces[shown], face_materials=materials)


def read_motion(address: str, folder: Path) -> Clip:
    """A motion by its address, the corpus' folder first."""
    file, _, name = address.partition("#")
    path = folder / file if (folder / file).is_file() else Path(file)
    loaded = load_all(path)
    if name or len(loaded.clips) == 1:
        clip = choose_clip(loaded, name or None, path)
    else:
        clip = max(loaded.clips, key=len)
    return cut_frames(clip, 0, min(len(clip), _LONGEST))


def main() -> None:
    """Draw the sheet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--motions", nargs="+", default=list(MOTIONS))
    parser.add_argument("--characters", nargs="+", default=list(CHARACTERS))
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--size", type=int, default=150)
    parser.add_argument("--yaw", type=float, default=35.0)
    asked = parser.parse_args()
    folder, size = corpus(), asked.size
    people = []
    for name in asked.characters:
        if name in get_args(Preset):
            people.append((name, humanoid(preset=name)))
            continue
        path = folder / name if (folder / name).is_file() else Path(name)
        people.append((path.stem, load_all(path).characters[0]))
    width, height = size * asked.frames, size + _CAPTION
    sheet = Image.new("RGB", (width * len(people), height * len(asked.motions)), "white")
    draw = ImageDraw.Draw(sheet)
    for row, address in enumerate(asked.motions):
        clip = read_motion(address, folder)
        for column, (name, person) in enumerate(people):
            left, top = column * width, row * height
            try:
                made = reenact.retarget(clip, person).clip
            except ReenactError as error:
                draw.text((left + 4, top + _CAPTION), str(error)[:60], (180, 0, 0))
                continue
            seen = without_props(_with_roles(person, made))
            world = made.world(np.float64)
            for n, frame in enumerate(np.linspace(0, len(made) - 1, asked.frames + 2)[1:-1].astype(int)):
                sheet.paste(paint_body(seen, world, frame, size, asked.yaw), (left + n * size, top + _CAPTION))
            draw.text((left + 4, top + 2), f"{Path(address).stem} > {name}", (20, 20, 30))
    sheet.save(asked.output)
    print(asked.output)


def _with_roles(character: Character, clip: Clip) -> Character:
    return replace(character, skeleton=clip.skeleton)


if __name__ == "__main__":
    main()
