"""Print the tables of docs/quality.md: what the check finds in recordings, and how well it finds defects that were put into them.

python tools/measure_quality.py [FOLDER OF THE DATA]

Recordings are all BVH and AMC files of the data, at corrected frame rates. CMU people with an even number are the half on which the
limits of skate were set, those with an odd number and all other sources were looked at; the other limits were set on all of them. The
defects are those of the tests, put into the middle of every sixth recording that is at least a second long and has the joints they need,
whatever happens there.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from plain_gaits import data_folder, true_rate

from reenact.analysis.quality import QualityReport, check_clip
from reenact.core.clip import Clip
from reenact.errors import ReenactError
from reenact.loading import LoadOptions, load_all

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "analysis" / "quality"))
import defects

DEFECTS = {
    "a joint off by 40 degrees in one frame": (defects.joint_pop, "pop.joint"),
    "a joint that jumps by 35 degrees and stays": (defects.joint_step, "pop.joint"),
    "the body off by 94 mm in one frame": (defects.root_pop, "pop.root"),
    "a joint flipped by 180 degrees, one frame": (defects.flip, "rotation.flip"),
    "the same from there on": (defects.lasting_flip, "rotation.flip"),
    "a frame twice": (defects.duplicate, "frames.duplicated"),
    "four frames frozen": (defects.freeze, "frames.duplicated"),
    "a frame dropped": (defects.drop, "frames.dropped"),
    "noise of 3 mm": (defects.jitter, "jitter.noise"),
    "half a second 60 mm into the floor": (defects.sink, "floor.penetration"),
}
SLACK = 2  # frames that a finding may be away from its defect
EVERY = 6
NEEDED = {"left_foot", "right_foot", "neck", "left_lower_arm", "right_upper_arm"}  # what the defects are put into


def recordings() -> Iterator[tuple[str, Clip]]:
    """The half of each recording ("set on", "looked at") and its clip."""
    folder = data_folder()
    for path in sorted([*folder.rglob("*.bvh"), *folder.rglob("*.amc")]):
        cmu = path.parent.name == "cmu-bvh"
        try:
            clips = load_all(path, LoadOptions(fps=true_rate(path.stem) if cmu else "auto")).clips
        except ReenactError as error:
            print(f"not read: {path.name}: {error.message[:80]}")
            continue
        even = cmu and int(path.stem.split("_")[0]) % 2 == 0
        for clip in clips:
            yield "set on" if even else "looked at", clip


def codes(report: QualityReport) -> set[str]:
    """Of the findings that are over a limit."""
    return {finding.code for finding in report.over}


def at_its_frames(report: QualityReport, code: str, frames: tuple[int, int]) -> bool:
    """True when a finding of that code touches those frames."""
    return any(
        finding.code == code
        and finding.frames is not None
        and finding.frames[0] <= frames[1] + SLACK
        and finding.frames[1] >= frames[0] - SLACK
        for finding in report.over
    )


def main() -> None:
    """Check every recording, break every sixth, and print both tables."""
    clips: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    found: dict[str, Counter[str]] = {"set on": Counter(), "looked at": Counter()}
    hit: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    tried = 0
    for number, (half, clip) in enumerate(recordings()):
        report = check_clip(clip)
        before = codes(report)
        clips[half] += 1
        passed[half] += report.ok
        found[half].update(before)
        if number % EVERY or len(clip) < clip.fps or not clip.skeleton.roles.keys() >= NEEDED:
            continue
        tried += 1
        for name, (plant, code) in DEFECTS.items():
            broken, frames = plant(clip, len(clip) // 2)
            after = check_clip(broken)
            hit[name] += at_its_frames(after, code, frames)
            alone[name] += not codes(after) - before - {code}
    halves = ("set on", "looked at")
    print("| finding |", " | ".join(f"{half}: of {clips[half]}" for half in halves), f"| of {clips.total()} |")
    print("| none |", " | ".join(str(passed[half]) for half in halves), f"| {passed.total()} |")
    total = found["set on"] + found["looked at"]
    for code, count in total.most_common():
        print(f"| `{code}` |", " | ".join(str(found[half][code]) for half in halves), f"| {count} |")
    print(f"\n| defect in {tried} recordings | found at its frames | and no other finding is new |")
    for name in DEFECTS:
        print(f"| {name} | {hit[name]} | {alone[name]} |")


if __name__ == "__main__":
    main()
