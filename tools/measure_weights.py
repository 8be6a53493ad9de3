"""How near automatic weights come to those of modellers, and landmarks to their joints, on the characters of the corpus.

python tools/measure_weights.py [--resolution 80]

Each character gets weights anew on its own joints; every joint is turned by some 15 degrees about random axes (seed 0, 40 frames), and the
two skins are compared: mean and 95th percentile of the distance, in per cent of the height. For those who stand like people the skeleton
is found in the mesh alone, and its joints are compared with the modeller's by role.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from reenact import Clip, SkeletonError, load_all, rig
from reenact.body.auto_weights import WeightMethod
from reenact.body.character import Character, rest_world
from reenact.body.humanoid import PRESETS, humanoid
from reenact.body.landmarks import find_landmarks
from reenact.body.rigging import RigParameters
from reenact.body.skinning import skin
from reenact.body.solid import fill
from reenact.core import rotations as R

NAMES = (
    "mesh2motion/human-male.glb",
    "khronos/CesiumMan.glb",
    "khronos/RiggedFigure.glb",
    "makehuman/base.obj",
    "mesh2motion/fox-animations.glb",
    "khronos/Fox.glb",
    "kaykit/Knight.glb",
)
FRAMES, SPREAD = 40, 0.25


def differences(body: Character, method: WeightMethod, resolution: int) -> tuple[float, float, float]:
    """Mean and 95th percentile of how far the skins are apart, in per cent of the height, and the seconds it took."""
    started = time.process_time()
    made = rig(body, None, RigParameters(method=method, resolution=resolution, again=True)).character
    took = time.process_time() - started
    skeleton = made.skeleton
    turns = np.random.default_rng(0).normal(size=(FRAMES, len(skeleton), 3)) * SPREAD
    local = R.multiply(np.tile(skeleton.rest, (FRAMES, 1, 1)), R.exp(turns)).astype(np.float32)
    clip = Clip(skeleton, local, np.tile(skeleton.offsets[:1], (FRAMES, 1)).astype(np.float32), 30.0)
    off = np.linalg.norm(skin(body, clip.world()).vertices - skin(made, clip.world()).vertices, axis=2)
    height = np.ptp(body.vertices[:, 1]) / 100
    return float(off.mean() / height), float(np.quantile(off, 0.95) / height), took


def found_joints(body: Character, resolution: int) -> str:
    """How far the joints found in a mesh are from its own, in per cent of the height."""
    own = rig(body, None, RigParameters(again=True, resolution=24)).character.skeleton
    try:
        found = find_landmarks(fill(body.vertices, body.faces, resolution))
    except SkeletonError as error:
        return error.message.partition(";")[0]
    places = rest_world(own).positions[0]
    height = np.ptp(body.vertices[:, 1]) / 100
    off = {role: np.linalg.norm(places[joint] - found.places[role]) / height for role, joint in own.roles.items()}
    worst = max(off, key=lambda role: off[role])
    return f"{len(off)} joints, mean {np.mean(list(off.values())):.1f} %, {worst} {off[worst]:.1f} %"


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description="Measure automatic weights.")
    options.add_argument("--resolution", type=int, default=80)
    resolution = options.parse_args().resolution
    corpus = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "characters"
    for name in NAMES:
        body = max(load_all(corpus / name).characters, key=lambda one: len(one.vertices))
        for method in ("heat", "voxel"):
            mean, most, took = differences(body, method, resolution)
            print(f"{name:34} {method:6} mean {mean:5.2f} %  95 % {most:5.2f} %  {took:5.1f} s", flush=True)
        print(f"{name:34} joints {found_joints(body, resolution)}", flush=True)
    for preset in PRESETS:
        body = replace(humanoid(preset=preset), name=preset)
        print(f"{preset:34} joints {found_joints(body, resolution)}", flush=True)


if __name__ == "__main__":
    main()
