"""What the pages work on: generated samples under the names that the pages use, in a folder of their own."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np

import reenact
from reenact.graph.building import build_cluster_graph
from reenact.graph.graph_parameters import GraphParameters
from reenact.graph.joining import sources_from
from reenact.graph.search import waypoint
from reenact.library import Library
from reenact.loading import save_all
from reenact.samples import make_sample
from reenact.walk.live_walk import contacts_of

FILES = {
    "walk": "walk_normal", "kick": "kick_left", "sneak": "sneak", "wave": "wave_walking", "slow": "walk_slow", "fast": "walk_fast",
    "normal": "walk_normal", "run": "run", "jog": "jog", "a": "walk_normal", "b": "walk_brisk", "c": "walk_fast", "turn": "turn_180_left",
    "idle": "stand", "take": "stop_walk_left", "stroll": "walk_slow", "careful_walk": "walk_slow", "after": "walk_normal",
    "before": "walk_normal", "left": "walk_circle_medium_left",
    "right": "walk_circle_medium_right", "straight": "walk_normal",
    "motion": "walk_normal", "like": "run",
}  # fmt: skip
"""File without its ending -> the sample it holds."""

CLIPS = ("walk_normal", "walk_slow", "walk_fast", "jog", "run", "kick_left", "stand", "stop_walk_left")
"""Clips of the library LIB, beside those called by the short names of `SHORT`."""

SHORT = {"walk": "walk_brisk", "kick": "kick_right", "02_01": "start_walk_left", "11_01": "punch_standing"}


def fill_kitchen(folder: Path) -> None:
    """Files, and a library as LIB, takes, mocap-to-be and so on."""
    made: dict[str, reenact.Clip] = {}
    for name, sample in FILES.items():
        made.setdefault(sample, make_sample(sample, 60.0).clip)
        reenact.save(made[sample].renamed(name), folder / f"{name}.bvh", reenact.WriteOptions(plants=False))
    other = made["walk_normal"]
    reenact.save(_renamed_joints(other), folder / "other.bvh", reenact.WriteOptions(plants=False))
    reenact.save(made["run"], folder / "run.glb")
    reenact.save(made["walk_normal"], folder / "knight.glb", reenact.WriteOptions(character=_body(made["walk_normal"])))
    reenact.save(made["walk_normal"].renamed("02_01"), folder / "02_01.amc")
    shutil.copy(folder / "02_01.asf", folder / "02.asf")
    shutil.copy(folder / "02_01.asf", folder / "bob.asf")
    reenact.save(made["walk_normal"], folder / "walk.amc")
    for name in ("walk", "run"):
        plants = reenact.detect_plants(made[FILES[name]])
        from reenact.formats.plants_text import write_plants

        write_plants(plants, folder / f"{name}.txt")
        write_plants(plants, folder / f"{name}.plants.txt")
    (folder / "edits.txt").write_text("reenact plants 1 edits\nfree left ball 30 33\n")
    (folder / "film.txt").write_text("skate_mm 20\n")
    (folder / "keys.txt").write_text("60 right_upper_arm 0,0,-50\n")
    (folder / "curve.csv").write_text("".join(f"{math.sin(n / 4):.3f},{n / 4:.3f}\n" for n in range(20)))
    (folder / "steps.csv").write_text("0.6,1\n0.55,1.3\n0.6,1\n")
    np.save(folder / "hills.npy", 0.03 * np.sin(np.arange(160) / 9.0)[None] * np.ones((160, 1)))
    person = reenact.humanoid()
    count, single = len(person.vertices), reenact.Skeleton(("root",), np.array([-1]), np.zeros((1, 3)))
    ones = np.zeros((count, 1), np.int32), np.ones((count, 1))
    statue = reenact.Character(single, person.vertices, person.faces, *ones, np.eye(4)[None])
    save_all([], folder / "statue.obj", reenact.WriteOptions(character=statue))
    kicked = reenact.transition(other, made["kick_left"])
    reenact.save(kicked, folder / "walk_to_kick.bvh")
    reenact.save(reenact.clean(other), folder / "clean.bvh")
    home = folder / "home"
    for place in (home / "recordings", home / "mocap", folder / "recordings", folder / "mocap_files"):
        place.mkdir(parents=True)
        for name in ("walk", "kick", "run"):
            shutil.copy(folder / f"{name}.bvh", place)
        reenact.save(made["walk_slow"].renamed("02_01"), place / "02_01.bvh")
    rows = "".join(f"{name}.bvh,a {name} of the studio\n" for name in ("walk", "kick", "run"))
    (home / "mocap" / "index.csv").write_text("path,description\n" + rows)
    with Library.create(folder / "LIB") as library:
        for name in CLIPS:
            sample = make_sample(name, 60.0)
            library.add(sample.clip, metadata={"type": sample.type})
        for name, sample in SHORT.items():
            library.add(make_sample(sample, 60.0).clip.renamed(name), tags=["studio"], metadata={"type": "walk"})


def _renamed_joints(clip: reenact.Clip) -> reenact.Clip:
    """The motion on a skeleton that has other joints: without the ends of its hands."""
    from dataclasses import replace

    hands = [n for n, name in enumerate(clip.skeleton.names) if name.endswith("Hand")]
    keep = [n for n in range(len(clip.skeleton)) if n not in hands]
    place = {joint: n for n, joint in enumerate(keep)}
    skeleton = reenact.Skeleton(
        tuple(clip.skeleton.names[n] for n in keep),
        np.array([-1 if clip.skeleton.parents[n] < 0 else place[int(clip.skeleton.parents[n])] for n in keep]),
        clip.skeleton.offsets[keep],
    )
    return replace(clip, skeleton=skeleton, rotations=clip.rotations[:, keep], translations=None, name="other")


def _body(clip: reenact.Clip) -> reenact.Character:
    """A mesh of one triangle that hangs on the hips."""
    joints = len(clip.skeleton)
    corners = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]])
    return reenact.Character(
        clip.skeleton, corners, np.array([[0, 1, 2]]), np.zeros((3, 1), np.int32), np.ones((3, 1)), np.tile(np.eye(4), (joints, 1, 1)),
        name="knight",
    )  # fmt: skip


def names_in_pages(text: str) -> dict[str, Any]:
    """What code takes for granted: motions under the names it uses, their plants, a graph."""
    clips = {name: make_sample(sample, 60.0).clip.renamed(name) for name, sample in FILES.items()}
    walk = clips["walk"]
    plants = reenact.detect_plants(walk)
    given: dict[str, Any] = {
        **clips, "clip": walk, "walk": walk, "plants": plants, "plants_a": plants, "plants_b": reenact.detect_plants(clips["kick"]),
        "skeleton": walk.skeleton, "result": reenact.mirror(walk).clip, "np": np, "math": math,
        "turn_left": clips["left"], "turn_right": clips["right"], "jump": make_sample("jump_forward", 60.0).clip,
        "motion": walk, "like": clips["run"], "like_plants": reenact.detect_plants(clips["run"]),
        "slow_left": make_sample("walk_circle_wide_left", 60.0).clip, "slow_right": make_sample("walk_circle_wide_right", 60.0).clip,
        "fast_left": make_sample("jog_circle_left", 60.0).clip, "fast_right": make_sample("jog_circle_right", 60.0).clip,
        "points": walk.world().positions, "wanted_rotations": walk.rotations[100],
        "incline": 0.1, "other": reenact.mirror(walk).clip.renamed("other"), "root": walk.root[0], "rotations": walk.rotations[0],
        "contacts": contacts_of(plants)[0], "target": walk.world().positions[:, walk.skeleton.joint("left_foot")],
    }  # fmt: skip
    if "character" in text:
        given["character"] = reenact.humanoid()
    wave = clips["wave"]
    given["wave"] = wave if len(wave) == len(walk) else reenact.resample(wave, frames=len(walk)).clip
    if "graph" in text:
        names = ("walk", "kick", "run", "walk_normal", "walk_fast", "jog")
        given["clips"] = [make_sample(FILES.get(name, name), 60.0).clip.renamed(name) for name in names]
        given["sources"] = sources_from(given["clips"])
        if "(graph" in text:
            given["graph"] = build_cluster_graph(given["clips"], GraphParameters(error=0.25))
            given["waypoint"] = waypoint
    return given
