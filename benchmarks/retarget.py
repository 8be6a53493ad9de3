"""Retargeting against other ways on the same pairs: quality and speed, one run, one table.

    python benchmarks/retarget.py [--clips 4] [--seconds 2] [--seed 13] [--no-peers]

The ways: `reenact.retarget`; local rotations copied joint by joint (what a plain copy-rotations constraint does); world turns from the
pose both stand in, copied (what most add-ons do), its root scaled by the height of the hips; `bvhsdk`'s retargeting from PyPI and what
`upc-pymotion` has for it, in the peers' environment (`.bench/venv`); Blender's constraints (`bpy`, in `.bench/bpy`). Recordings are drawn
from the CMU folder with a seed; for bvhsdk they begin with their T-pose, which it needs. The others are helped: their results are raised
or lowered so that planted soles are on the floor in the median, they are told which joints belong together, and for `bpy` and
`upc-pymotion` both skeletons are written so that they stand alike at rest. Measured on planted soles of the target's skin: slip (95 % of
plants), height above or below the floor (95 % of frames); directions of limbs (mean, degrees); wrists seen from the shoulders, scaled by
the arm (mean, per cent); CPU time of one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parent.parent
PEERS, BLENDER = REPOSITORY / ".bench" / "venv", REPOSITORY / ".bench" / "bpy"
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
sys.path.insert(0, str(REPOSITORY / "tools"))

from measure_retarget_people import drawn_clips  # noqa: E402
from retarget_sheet import corpus  # noqa: E402

import reenact  # noqa: E402
from reenact.analysis.carried_plants import known_plants  # noqa: E402
from reenact.body.humanoid import HumanoidParameters, humanoid  # noqa: E402
from reenact.core import rotations as R  # noqa: E402
from reenact.core.clip import Clip  # noqa: E402
from reenact.core.correspondence import match_joints  # noqa: E402
from reenact.core.foot_plants import FootPlants  # noqa: E402
from reenact.core.skeleton import Skeleton  # noqa: E402
from reenact.formats.loaded import WriteOptions  # noqa: E402
from reenact.loading import load_all  # noqa: E402
from reenact.solve.feet import track_foot  # noqa: E402
from reenact.solve.planted_points import measure_slips  # noqa: E402
from reenact.solve.retargeting import retarget_motion  # noqa: E402
from reenact.solve.skeleton_map import size_ratio  # noqa: E402
from reenact.solve.standing_pose import standing_pose  # noqa: E402
from reenact.solve.target_body import TargetBody, body_of_character  # noqa: E402

CHARACTERS = (
    "characters/khronos/CesiumMan.glb",
    "characters/khronos/RiggedFigure.glb",
    "characters/mesh2motion/human-male.glb",
)
PRESETS = ("adult", "child", "heavy", "chibi")
_UNIT = 1.0  # metres of one unit in the files that peers are given
_LIMBS = (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))
_MAP = (
    *("hips", "hips", "spine", "", "", "chest", "neck", "", "", "head"),
    *("right_shoulder", "right_upper_arm", "right_lower_arm", "right_hand", "", ""),
    *("left_shoulder", "left_upper_arm", "left_lower_arm", "left_hand", "", ""),
    *("right_upper_leg", "right_lower_leg", "right_foot", "", "right_toes"),
    *("left_upper_leg", "left_lower_leg", "left_foot", "", "left_toes"),
)


def bones_alone(clip: Clip, body: TargetBody) -> Clip:
    """Our bones, with nothing held."""
    return retarget_motion(clip, body, None, floor=False, hands="off").clip


def copied_rotations(clip: Clip, body: TargetBody) -> Clip:
    """Local rotations copied, the way of the hips scaled."""
    found = match_joints(clip.skeleton, body.clip.skeleton)
    rotations = np.repeat(body.clip.rotations[:1], len(clip), axis=0)
    for _, a, b in found.by_role:
        rotations[:, b] = clip.rotations[:, a]
    return _on_hips(clip, body, rotations)


def copied_turns(clip: Clip, body: TargetBody) -> Clip:
    """World turns from the pose both stand in, copied."""
    pose = standing_pose(clip)
    skeleton, found = body.clip.skeleton, match_joints(clip.skeleton, body.clip.skeleton)
    if pose is None:
        return copied_rotations(clip, body)
    stands, world, own = pose.world(np.float64), clip.world(np.float64), body.clip.world(np.float64)
    partner = {b: a for _, a, b in found.by_role}
    turned = np.empty((len(clip), len(skeleton), 4))
    local = np.empty_like(turned)
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        if joint in partner:
            turn = R.multiply(world.rotations[:, partner[joint]], R.conjugate(stands.rotations[0, partner[joint]]))
            turned[:, joint] = R.multiply(turn, own.rotations[0, joint])
            above = turned[:, parent] if parent >= 0 else R.identity(len(clip))
            local[:, joint] = R.multiply(R.conjugate(above), turned[:, joint])
        else:
            local[:, joint] = body.clip.rotations[0, joint]
            turned[:, joint] = local[:, joint] if parent < 0 else R.multiply(turned[:, parent], local[:, joint])
    return _on_hips(clip, body, R.normalize(local).astype(np.float32))


def _on_hips(clip: Clip, body: TargetBody, rotations: np.ndarray) -> Clip:
    """A clip of the body whose hips go the scaled way of the source's."""
    made = Clip(body.clip.skeleton, rotations, np.zeros((len(clip), 3), np.float32), clip.fps, clip.name)
    here = clip.world(np.float64).positions[:, clip.skeleton.roles["hips"]] * size_ratio(clip, body.clip)
    there = made.world(np.float64).positions[:, body.clip.skeleton.roles["hips"]]
    return replace(made, root=(here - there).astype(np.float32))


def on_floor(clip: Clip, plants: FootPlants, body: TargetBody) -> Clip:
    """A clip raised or lowered so that its planted soles are on the floor in the median."""
    heights = _heights(clip, plants, body)
    lower = float(np.median(heights)) if len(heights) else 0.0
    return replace(clip, root=(clip.root - np.array([0.0, lower, 0.0])).astype(np.float32))


def _heights(clip: Clip, plants: FootPlants, body: TargetBody) -> np.ndarray:
    world, found = clip.world(np.float64), [np.zeros(0)]
    for foot in body.feet:
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        found += [track.heel[contact.heel, 1], track.ball[contact.ball, 1]]
    return np.concatenate(found)


def figures(source: Clip, made: Clip, plants: FootPlants, body: TargetBody) -> dict[str, list[float]]:
    """What is measured of one result."""
    worlds, skeletons = (source.world(np.float64), made.world(np.float64)), (source.skeleton, made.skeleton)
    angles, wrists = [], []
    for side in ("left", "right"):
        for near, far in _LIMBS:
            ways = [
                R.normalize(
                    world.positions[:, one.roles[f"{side}_{far}"]] - world.positions[:, one.roles[f"{side}_{near}"]]
                )
                for world, one in zip(worlds, skeletons, strict=True)
            ]
            angles.append(float(np.degrees(np.arccos(np.clip(np.einsum("fi,fi->f", *ways), -1, 1))).mean()))
        arms = [
            sum(float(np.linalg.norm(one.offsets[one.roles[f"{side}_{part}"]])) for part in ("lower_arm", "hand"))
            for one in skeletons
        ]
        ends = [
            world.positions[:, one.roles[f"{side}_hand"]] - world.positions[:, one.roles[f"{side}_upper_arm"]]
            for world, one in zip(worlds, skeletons, strict=True)
        ]
        wrists.append(100 * float(np.linalg.norm(ends[1] / arms[1] - ends[0] / arms[0], axis=1).mean()))
    return {
        "slip": [slip["slip_mm"] for slip in measure_slips(made, plants, feet=body.feet)],
        "height": (1000 * np.abs(_heights(made, plants, body))).tolist(),
        "bones": angles,
        "wrists": wrists,
    }


def from_peer(file: str, body: TargetBody, like: Clip, rest: Clip | None) -> Clip:
    """A peer's joints in the world on the skeleton of a body.

    Its first frame is the T-pose that was put before; unless it was given a skeleton that stands in a pose at `rest`.
    """
    with np.load(file) as held:
        names, places = held["names"].tolist(), held["places"]
    places = places[:, [names.index(name) for name in body.clip.skeleton.names]]
    places = places[1:] if rest is None else places[: len(like)]
    turned = R.from_matrix(places[..., :3, :3])
    if rest is not None:
        turned = R.multiply(turned, rest.world(np.float64).rotations[0])
    local = turned.copy()
    parents = body.clip.skeleton.parents
    local[:, 1:] = R.multiply(R.conjugate(turned[:, parents[1:]]), turned[:, 1:])
    hips = body.clip.skeleton.roles["hips"]
    made = Clip(body.clip.skeleton, local.astype(np.float32), np.zeros((len(local), 3), np.float32), like.fps)
    way = _UNIT * places[:, hips, :3, 3] - made.world(np.float64).positions[:, hips]  # it may move the hips alone
    return replace(made, root=way.astype(np.float32))


def standing_at_rest(clip: Clip, pose: Clip) -> Clip:
    """A motion of the skeleton whose rest pose, without any turns, is one frame of it."""
    skeleton, stands, world = clip.skeleton, pose.world(np.float64), clip.world(np.float64)
    turned = R.multiply(world.rotations, R.conjugate(stands.rotations[0]))
    places, parents = stands.positions[0], skeleton.parents
    offsets = np.concatenate([np.zeros((1, 3)), places[1:] - places[parents[1:]]])
    local = turned.copy()
    local[:, 1:] = R.multiply(R.conjugate(turned[:, parents[1:]]), turned[:, 1:])
    bare = Skeleton(skeleton.names, parents, offsets, roles=dict(skeleton.roles))
    return Clip(bare, R.make_continuous(local).astype(np.float32), clip.root, clip.fps, clip.name)


def _alike(clip: Clip, body: TargetBody) -> tuple[Clip, Clip]:
    """A pose in which the source stands, and the target in the same pose."""
    pose = standing_pose(clip)
    assert pose is not None
    return pose, bones_alone(pose, body)


def _map_file(clip: Clip, path: Path) -> str:
    names = [clip.skeleton.names[clip.skeleton.roles[role]] if role in clip.skeleton.roles else "" for role in _MAP]
    path.write_text("\n".join(f"{n},{name}" for n, name in enumerate(names)) + "\n")
    return str(path)


def with_standing_pose(clip: Clip) -> Clip:
    """A motion with the pose its skeleton stands in before its first frame."""
    pose = standing_pose(clip)
    assert pose is not None
    return replace(
        clip,
        rotations=np.concatenate([pose.rotations, clip.rotations]),
        root=np.concatenate([clip.root[:1], clip.root]),
        translations=None,
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--no-peers", action="store_true")
    asked = parser.parse_args()
    folder = corpus()
    clips = drawn_clips(folder, asked.clips, asked.seed, asked.seconds)
    people = [(Path(one).stem, load_all(folder / one).characters[0]) for one in CHARACTERS]
    people += [(f"generated {one}", humanoid(HumanoidParameters(preset=one))) for one in PRESETS]
    bodies = [(name, body_of_character(one)) for name, one in people]
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    frames, seconds = defaultdict(int), defaultdict(float)
    ways = {
        "reenact retarget": None,
        "reenact, bones alone": bones_alone,
        "rotations copied": copied_rotations,
        "turns copied": copied_turns,
    }
    pairs, jobs, rest_jobs, rests = [], [], [], []
    with tempfile.TemporaryDirectory() as work:
        for number, (name, body) in enumerate(bodies):
            for clip, plants in clips:
                for way, function in ways.items():
                    for turn in range(2):  # the first may compile
                        start = time.process_time()
                        if function is None:
                            result = retarget_motion(clip, body, plants)
                            made, held = result.clip, result.plants or plants
                        else:
                            made, held = function(clip, body), plants
                        if turn:
                            seconds[way] += time.process_time() - start
                    frames[way] += len(clip)
                    made = made if function is None else on_floor(made, plants, body)
                    for key, values in figures(clip, made, held, body).items():
                        found[way][key] += values
                stem = Path(work) / f"{number}_{clip.name}"
                files = [stem.with_suffix(f".{part}.bvh") for part in ("source", "target")]
                reenact.save(with_standing_pose(clip), files[0], WriteOptions(plants=False, unit=_UNIT))
                reenact.save(body.clip, files[1], WriteOptions(unit=_UNIT))
                alike = _alike(clip, body)
                rested = [stem.with_suffix(f".{part}.rest.bvh") for part in ("source", "target")]
                for one, pose, file in zip((clip, body.clip), alike, rested, strict=True):
                    reenact.save(standing_at_rest(one, pose), file, WriteOptions(plants=False, unit=_UNIT))
                found_pairs = match_joints(clip.skeleton, body.clip.skeleton).by_role
                named = {role: [clip.skeleton.names[a], body.clip.skeleton.names[b]] for role, a, b in found_pairs}
                rest_jobs.append(
                    {
                        "source": str(rested[0]),
                        "target": str(rested[1]),
                        "pairs": list(named.values()),
                        "hips": named["hips"],
                        "scale": size_ratio(clip, body.clip),
                        "out": str(stem) + "_out",
                    }
                )
                rests.append(alike[1])
                jobs.append(
                    {
                        "source": str(files[0]),
                        "target": str(files[1]),
                        "source_map": _map_file(clip, stem.with_suffix(".source.csv")),
                        "target_map": _map_file(body.clip, stem.with_suffix(".target.csv")),
                        "out": str(stem) + "_out",
                    }
                )
                pairs.append((name, body, clip, plants))
        if not asked.no_peers:
            _peer("bvhsdk", PEERS, jobs, [None] * len(jobs), pairs, Path(work), found, frames, seconds)
            _peer("upc-pymotion", PEERS, rest_jobs, rests, pairs, Path(work), found, frames, seconds)
            _peer("bpy", BLENDER, rest_jobs, rests, pairs, Path(work), found, frames, seconds)
    _measure_speed(folder, frames, seconds)
    print(f"{len(pairs)} pairs: {len(bodies)} characters, {', '.join(clip.name for clip, _ in clips)}")
    print("| way | slip mm, 95 % | sole mm, 95 % | limbs, degrees | wrists, % of the arm | frames/s |")
    print("|---|---|---|---|---|---|")
    for way in (*found, *(way for way in seconds if way not in found)):
        own = found.get(way)
        cells = (
            ["", "", "", ""]
            if own is None
            else [
                f"{np.percentile(own['slip'], 95):.1f}",
                f"{np.percentile(own['height'], 95):.1f}",
                f"{np.mean(own['bones']):.1f}",
                f"{np.mean(own['wrists']):.1f}",
            ]
        )
        print(f"| {way} | {' | '.join(cells)} | {frames[way] / max(seconds[way], 1e-9):.0f} |")
    return 0


def _measure_speed(folder: Path, frames, seconds) -> None:
    """A long recording on a generated person, everything that can be done and bones alone; the best of three."""
    path = folder / "cmu-bvh" / "15_01.bvh"
    clip, body = reenact.load(path), body_of_character(humanoid())
    plants = known_plants(clip, None, wanted=True)
    for way, options in (
        ("reenact, 46 s at once", {"plants": plants}),
        ("reenact, 46 s, bones alone", {"floor": False, "hands": "off"}),
    ):
        taken = []
        for _ in range(3):
            start = time.process_time()
            retarget_motion(clip, body, **options)
            taken.append(time.process_time() - start)
        frames[way], seconds[way] = len(clip), min(taken)


def _peer(name: str, place: Path, jobs, rests, pairs, work: Path, found, frames, seconds) -> None:
    """The same by a package of PyPI, in an environment of its own."""
    if not (place / "bin" / "python").exists():
        venv.create(place, with_pip=True)
        wanted = ["bpy"] if place == BLENDER else ["bvhsdk", "upc-pymotion"]
        if subprocess.run([place / "bin" / "pip", "install", "-q", *wanted], check=False).returncode:
            print(f"{name} cannot be installed here", file=sys.stderr)
            return
    (work / "jobs.json").write_text(json.dumps(jobs))
    worker = Path(__file__).with_name(f"retarget_{name.rpartition('-')[2]}.py")
    told = subprocess.run([place / "bin" / "python", worker, work / "jobs.json"], capture_output=True, text=True)
    if told.returncode:
        print(f"{name} does not run here: {told.stderr[-300:]}", file=sys.stderr)
        return
    refused, answer = 0, told.stdout.rpartition("DONE ")[2]
    for one, rest, (_, body, clip, plants) in zip(json.loads(answer)["done"], rests, pairs, strict=True):
        if not one["file"]:
            refused += 1
            print(one.get("error", "nothing written"), file=sys.stderr)
            continue
        made = on_floor(from_peer(one["file"], body, clip, rest), plants, body)
        frames[name] += len(clip)
        seconds[name] += one["seconds"]
        for key, values in figures(clip, made, plants, body).items():
            found[name][key] += values
    if refused:
        print(f"{name} refused {refused} of {len(jobs)}")


if __name__ == "__main__":
    sys.exit(main())
