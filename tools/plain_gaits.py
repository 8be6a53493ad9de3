"""Which recordings (CMU, HDM05, Bandai-Namco) are plainly one gait, by a rule on their names.

The rule reads the description in the data's index.csv and the path of the hips; it never looks at the feet.

1. The description, split into words, holds words of one gait only (walk; run, jog, dash; jump, hop) and otherwise nothing but words of
   manner and of the path (`MANNERS`). "walk, veer left" is plain; "Run Stop Run", "walk and carry", "Walk Backwards" are not. Of the
   Bandai-Namco clips the word after the action is a style and does not count.
2. Within a plain clip the frames at the ends that hold other motion are named by the hips alone: of a walk or a run those before the
   hips first reach and after they last have half their usual speed; of a jump those farther than a second from any free fall.

Run it to print the list:  python tools/plain_gaits.py [FOLDER OF THE DATA]
"""

from __future__ import annotations

import csv
import hashlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reenact.analysis.sampling import joint_paths
from reenact.core.clip import Clip
from reenact.loading import LoadOptions, load

GAITS = {
    **dict.fromkeys(("walk", "walking"), "walk"),
    **dict.fromkeys(("run", "running", "jog", "jogging", "dash"), "run"),
    **dict.fromkeys(("jump", "jumping", "jumps", "hop", "hopping", "hops"), "jump"),
}
"""Words that name a gait."""

_MANNER_WORDS = """
slow brisk fast normal neutral casual male exact footfalls exaggerated stride careful stiff sad happy or bouncy forward around veer left
right turn degree degrees smooth in a circle figure straight wander through high long distances heights on foot cleaned grs
air both legs leg steps rstart lstart r l
"""

MANNERS = frozenset(_MANNER_WORDS.split())
"""Words that say how or along which path, but no other motion."""

SIXTY_HERTZ = frozenset(("74", "75", "93", "141", "143"))
"""Subjects recorded at 60 Hz whose files say 120 (the data's README gives the evidence)."""

SIXTY_HERTZ_CLIPS = frozenset(
    (
        *("60_10", "61_10", "62_07", "77_11", "77_14", "77_19", "90_08", "90_11"),
        *("77_16", "77_34", "79_06", "79_08", "79_25", "79_36", "79_38", "79_44", "80_10"),
    )
)
"""Clips of other people that the index does not mark, recorded at 60 Hz as the rates of their marker files say. The first eight fall or
step as nobody can at 120 Hz, the others hold too little that tells: docs/inspection.md gives figures and source."""

SEED = 9
"""Of the halves: people are dealt to tuning or testing by it, so that no clip of a person is in both."""

FOLDERS = ("cmu-bvh/", "hdm05-asfamc/", "noncommercial/bandai-namco/")
"""Where plainly named recordings are."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True)
class PlainClip:
    """A clip that is plainly one gait.

    Attributes:
        name: such as "16_15" or "dataset-1_walk_sad_001".
        gait: walk, run or jump.
        description: as the index says.
        clip: the motion at its true frame rate.
        start, end: half-open range of frames that hold the gait and nothing else.
    """

    name: str
    gait: str
    description: str
    clip: Clip
    start: int
    end: int

    @property
    def person(self) -> str:
        """Whose motion it is: the number of a CMU subject, the initials of an HDM05 actor; Bandai-Namco does not tell."""
        parts = self.name.split("_")
        return parts[1] if parts[0] == "HDM" else self.name if parts[0].startswith("dataset") else parts[0]

    @property
    def half(self) -> str:
        """The half it belongs to, by person and seed."""
        return half_of(self.person)

    @property
    def mixed(self) -> bool:
        """True when it holds other motion at an end."""
        return self.start > 0 or self.end < len(self.clip)


def plain_gait(description: str) -> str | None:
    """The one gait a description speaks of, or None."""
    words = [word.casefold() for word in _WORD.findall(description)]
    gaits = {GAITS[word] for word in words if word in GAITS}
    rest = [word for word in words if word not in GAITS and word not in MANNERS and not word.isdigit()]
    return gaits.pop() if len(gaits) == 1 and not rest else None


def half_of(person: str) -> str:
    """Tune or test, the same wherever it is asked for."""
    return "tune" if hashlib.sha256(f"{SEED}:{person}".encode()).digest()[0] % 2 == 0 else "test"


def true_rate(name: str) -> float:
    """Frames per second at which a CMU clip was recorded."""
    return 60.0 if name.split("_")[0] in SIXTY_HERTZ or name in SIXTY_HERTZ_CLIPS else 120.0


def gait_range(clip: Clip, gait: str) -> tuple[int, int]:
    """Frames [start, end) between other motion at the ends, by the hips alone."""
    hips = joint_paths(clip, [clip.skeleton.roles.get("hips", 0)])[:, 0].astype(np.float64)
    half = max(1, round(0.1 * clip.fps))
    if len(hips) <= 2 * half + 2:
        return 0, len(hips)
    window = np.ones(2 * half + 1) / (2 * half + 1)
    smooth = np.stack([np.convolve(np.pad(x, half, mode="edge"), window, "valid") for x in hips.T], axis=1)
    velocity = np.gradient(smooth, 1 / clip.fps, axis=0)
    if gait == "jump":
        fall = np.gradient(velocity[:, 1], 1 / clip.fps) < -5.0
        frames, reach = np.flatnonzero(fall), round(clip.fps)
        if not len(frames):
            return 0, len(hips)
        return max(0, int(frames[0]) - reach), min(len(hips), int(frames[-1]) + reach)
    speed = np.hypot(velocity[:, 0], velocity[:, 2])
    moving = np.flatnonzero(speed >= 0.5 * np.median(speed[speed >= np.median(speed)]))
    start, end = int(moving[0]), int(moving[-1]) + 1
    # the smoothing's own ends are no motion
    return (start if start > 2 * half else 0), (end if end < len(hips) - 2 * half else len(hips))


def plain_clips(data: Path) -> list[PlainClip]:
    """Every plain clip of the data folder, by name."""
    found = []
    with (data / "index.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            text, path = row["description"], row["path"]
            gait = plain_gait(text.split()[0] if "bandai" in path else text) if path.startswith(FOLDERS) else None
            if gait is None or not path.endswith((".bvh", ".amc")):
                continue
            name = Path(path).stem
            options = LoadOptions(fps=true_rate(name)) if path.startswith("cmu") else LoadOptions()
            clip = load(data / path, options)
            found.append(PlainClip(name, gait, text, clip, *gait_range(clip, gait)))
    return sorted(found, key=lambda plain: [part.zfill(4) for part in plain.name.split("_")])


def data_folder() -> Path:
    """The folder of recordings: the first argument, `$REENACT_DATA`, or `../shared/data` beside the repository."""
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("REENACT_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


if __name__ == "__main__":
    for plain in plain_clips(data_folder()):
        ends = f"gait in frames {plain.start} to {plain.end} of {len(plain.clip)}" if plain.mixed else ""
        print(f"{plain.name:7} {plain.gait:5} {plain.half}  {plain.description}  {ends}")
