"""Figures of the live walk filter on recorded walks, for `docs/live-walk.md`.

    python tools/measure_live_walk.py [CLIP ...]

For every walk and every target: how far strides are from what was asked for, how far planted heels and balls slip, the largest angular
acceleration of a knee and the hardest push of any joint against the recording's, and how high feet are lifted. Recordings are those of
$REENACT_DATA, else ../shared/data.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import numpy as np

from reenact import load
from reenact.analysis.carried_plants import known_plants
from reenact.blend.clean_report import knee_accelerations
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants, intervals_of
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.joint_pushes import find_glitches, joint_pushes, usual_pushes
from reenact.walk.live_walk import LiveWalk, WalkTargets

DATA = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "cmu-bvh"
WALKS = [
    "02_01",
    "02_02",
    "05_01",
    "06_01",
    "07_01",
    "07_02",
    "07_04",
    "07_12",
    "08_01",
    "08_04",
    "08_05",
    "12_01",
    "16_15",
    "16_21",
    "16_31",
    "16_47",
    "35_01",
    "35_02",
    "35_28",
    "36_01",
    "37_01",
    "38_01",
    "39_01",
    "39_11",
    "45_01",
    "49_01",
]
TARGETS = {
    "none": WalkTargets(),
    **{f"stride {s}": WalkTargets(stride=s) for s in (0.6, 0.8, 1.1, 1.3)},
    **{f"lift {f}": WalkTargets(lift=f) for f in (0.7, 1.3)},
    **{f"incline {a}": WalkTargets(incline=np.radians(a)) for a in (5, 10)},
    "down 10": WalkTargets(incline=np.radians(-10)),
    "stride 1.3, lift 1.3": WalkTargets(1.3, 1.3),
}
HEAD = ("stride %", "worst %", "slip mm", "worst mm", "source mm", "knee x", "push x", "lift x", "missed mm", "body mm")
"""Columns: median and largest error of strides, median and largest slip of the plants of a clip, largest of the recording, largest
acceleration of a knee and hardest push against the recording's, lift against the recording's, metres a leg was too short, and how far the
body was lowered. Each has the median and the largest over the walks."""


def strides(clip: Clip, plants: FootPlants) -> np.ndarray:
    """(N, 2) metres from each plant of a foot to its next, over the floor; the ball's mean places tell."""
    world, found = clip.world(np.float64), []
    for foot in find_feet(clip.skeleton, clip):
        track = track_foot(world, foot)
        places = [track.ball[a:b].mean(axis=0) for a, b in intervals_of(plants.foot(foot.side).ball) if b - a > 3]
        found += [b - a for a, b in itertools.pairwise(places)]
    return np.array(found).reshape(-1, 3)


def slips(clip: Clip, plants: FootPlants, source: Clip, incline: float = 0.0) -> list[float]:
    """Millimetres that each planted heel and ball gets away from where it came down, along the ground."""
    world, found = clip.world(np.float64), []
    way = (source.root[-1] - source.root[0]).astype(np.float64) * (1.0, 0.0, 1.0)
    normal = np.array([0.0, np.cos(incline), 0.0]) - np.sin(incline) * way / np.linalg.norm(way)
    for foot in find_feet(source.skeleton, source):
        track, contact = track_foot(world, foot), plants.foot(foot.side)
        for path, planted in ((track.heel, contact.heel), (track.ball, contact.ball)):
            for a, b in intervals_of(planted):
                away = path[a:b] - path[a]
                away -= (away @ normal)[:, None] * normal
                found.append(1000 * float(np.linalg.norm(away, axis=1).max()))
    return found


def lifts(clip: Clip, plants: FootPlants, source: Clip) -> list[float]:
    """Metres from the lowest to the highest ankle of each swing."""
    world, found = clip.world(np.float64), []
    for foot in find_feet(source.skeleton, source):
        track, edges = track_foot(world, foot), plants.foot(foot.side).intervals()
        for (_, end), (start, _) in itertools.pairwise(edges):
            found.append(float(track.ankle[end - 2 : start + 1, 1].max() - track.ankle[start + 1 : start + 8, 1].min()))
    return found


def measure(clip: Clip, plants: FootPlants, walk: LiveWalk, targets: WalkTargets) -> list[float]:
    """The figures of one walk and one target."""
    made = walk.run(clip, plants, targets)
    feet = find_feet(clip.skeleton, clip)
    before, after = strides(clip, plants), strides(made.clip, plants)
    long = np.linalg.norm(before[:, [0, 2]], axis=1) > 0.3 * walk.gait.leg
    scale = np.linalg.norm(after, axis=1)[long] / np.linalg.norm(before[:, [0, 2]], axis=1)[long]
    error = 100 * np.abs(scale / targets.stride - 1)
    slip, own = slips(made.clip, plants, clip, targets.incline), slips(clip, plants, clip)
    knees = [knee_accelerations(one.world(np.float64), feet, clip.fps).max() for one in (made.clip, clip)]
    pushes = joint_pushes(made.clip)
    pushes[find_glitches(clip)] = 0.0
    push = (pushes.max(axis=0) / usual_pushes([clip])).max()
    lift = np.mean(lifts(made.clip, plants, clip)) / np.mean(lifts(clip, plants, clip))
    return [
        float(np.median(error)),
        float(error.max()),
        float(np.median(slip)),
        max(slip),
        max(own),
        knees[0] / knees[1],
        push,
        lift,
        made.report["missed_mm"],
        -made.report["body_mm"][0],
    ]


def main() -> None:
    """Print the table: medians over the walks, and the worst of them."""
    names = sys.argv[1:] or WALKS
    clips = [load(DATA / f"{name}.bvh") for name in names]
    known = [known_plants(clip, None) for clip in clips]
    walks = [LiveWalk(clip.skeleton, clip, plants) for clip, plants in zip(clips, known, strict=True)]
    print(f"{'':22}" + "".join(f"{name:>15}" for name in HEAD))
    for name, targets in TARGETS.items():
        rows = np.array([measure(*one, targets) for one in zip(clips, known, walks, strict=True)])
        told = "".join(f"{np.median(column):8.2f}{column.max():7.2f}" for column in rows.T)
        print(f"{name:22}{told}")
        over = [one for one, row in zip(names, rows, strict=True) if row[5] > 1.5]
        if over:
            print(f"{'':22}  knees above 1.5: {' '.join(over)}")


if __name__ == "__main__":
    main()
