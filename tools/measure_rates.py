"""Print the tables of frame rates in docs/inspection.md: recordings with a wrong header, right ones, and wrong claims made here.

    python tools/measure_rates.py [FOLDER OF THE DATA]

Marked are the recordings whose notes in index.csv say that their true rate is another; a few more have another by their marker files
(`plain_gaits.SIXTY_HERTZ_CLIPS`). Every recording is also given a rate twice and four times as large, and half as large, as it has.
Misses and alarms are listed by name. People are dealt to two halves as in `plain_gaits`; the limits were set on the half called tune.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from plain_gaits import SIXTY_HERTZ_CLIPS, data_folder, half_of

from reenact.analysis.frame_rate import FrameRateGuess, detect_frame_rate
from reenact.core.clip import Clip
from reenact.errors import ReenactError
from reenact.loading import LoadOptions, load_all

SOURCES = {
    "cmu-bvh": "CMU BVH",
    "cmu-asfamc": "CMU AMC",
    "hdm05-asfamc": "HDM05",
    "noncommercial/bandai-namco": "Bandai-Namco",
    "noncommercial/lafan1": "LAFAN1",
    "bvh-other": "other BVH",
    "deepmimic": "DeepMimic",
    "characters": "characters",
}
"""Folders of recordings and of animated characters."""

CLAIMS = (0.5, 2.0, 4.0)
"""How many times the true rate is claimed."""

_MARKED = re.compile(r"really about (\d+) Hz")


@dataclass(frozen=True)
class Recording:
    """A clip with its true rate.

    Attributes:
        name: of the file, and of the animation where a file holds several.
        source: out of `SOURCES`.
        description: as the index says.
        clip: at the rate that the file states.
        fps: the true one.
        marked: True when the index says that the file's is wrong.
        unmarked: True when it is wrong and the index does not say so.
    """

    name: str
    source: str
    description: str
    clip: Clip
    fps: float
    marked: bool
    unmarked: bool

    @property
    def half(self) -> str:
        """The half it belongs to: by person where that is known."""
        parts = self.name.split("_")
        if self.source in ("CMU BVH", "CMU AMC"):
            return half_of(parts[0])
        return half_of(parts[1] if parts[0] == "HDM" else self.name)

    def claimed(self, factor: float) -> FrameRateGuess:
        """What is found when the rate is said to be `factor` times the true one; nobody's bones help."""
        return detect_frame_rate(replace(self.clip, fps=self.fps * factor), known=False)


def find_recordings(data: Path) -> list[Recording]:
    """Every clip of the data folder that a reader gives, at the rate its file states."""
    found = []
    with (data / "index.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            path = row["path"]
            source = next((name for folder, name in SOURCES.items() if path.startswith(folder)), None)
            if source is None:
                continue
            try:
                clips = load_all(data / path, LoadOptions()).clips
            except ReenactError:
                continue  # skeletons, meshes, damaged files
            mark = _MARKED.search(row["notes"])
            for clip in clips:
                if len(clip) < 2:
                    continue  # a skeleton, no recording
                name = Path(path).stem if len(clips) == 1 else f"{Path(path).stem}/{clip.name}"
                unmarked = source == "CMU BVH" and name in SIXTY_HERTZ_CLIPS
                fps = float(mark[1]) if mark else clip.fps / 2 if unmarked else clip.fps
                found.append(Recording(name, source, row["description"], clip, fps, bool(mark), unmarked))
    return found


def header_rows(recordings: list[Recording]) -> None:
    """Rates as the files state them: what is found, with and without known skeletons."""
    marked = [one for one in recordings if one.marked]
    caught_rows("marked, motion alone", marked, known=False)
    caught_rows("marked, known skeletons", marked, known=True)
    caught_rows("not marked, but wrong by their marker files", [one for one in recordings if one.unmarked], known=True)
    print("\n| at the rate they state | clips | alarms |")
    for source in SOURCES.values():
        rest = [one for one in recordings if one.source == source and not (one.marked or one.unmarked)]
        if not rest:
            continue
        alarms = [(one, detect_frame_rate(one.clip)) for one in rest]
        alarms = [(one, guess) for one, guess in alarms if guess.suggested_fps is not None]
        print(f"| {source} | {len(rest)} | {len(alarms)} |")
        for one, guess in alarms:
            print(f"  alarm: {said(one, guess)}")


def caught_rows(title: str, wrong: list[Recording], *, known: bool) -> None:
    """How many recordings whose rate is wrong are found, which are not, and what is said of those that the index does not mark."""
    guesses = [(one, detect_frame_rate(one.clip, known=known)) for one in wrong]
    caught = [one for one, guess in guesses if guess.factor == 2.0]
    missed = [f"{one.name} {one.description}" for one, guess in guesses if guess.factor == 1.0]
    other = [f"{one.name} ({guess.factor:g})" for one, guess in guesses if guess.factor not in (1.0, 2.0)]
    odds = sorted(math.log(guess.confidence / (1 - guess.confidence)) for _, guess in guesses if guess.factor != 1.0)
    print(
        f"{title}: {len(caught)} of {len(wrong)} caught, by odds of {', '.join(f'{one:.1f}' for one in odds) or 'none'}"
    )
    print(f"  missed: {', '.join(missed) or 'none'}; by another factor: {', '.join(other) or 'none'}")
    for one, guess in guesses:
        if one.unmarked and guess.suggested_fps is not None:
            print(f"  caught: {said(one, guess)}")


def said(one: Recording, guess: FrameRateGuess) -> str:
    """A recording and what is found about its rate."""
    sure = f"{guess.factor:g} times too fast, confidence {guess.confidence:.2f}"
    return f"{one.name} {one.description!r}: {sure}: {'; '.join(guess.evidence)}"


def claim_rows(recordings: list[Recording]) -> None:
    """Rates that are claimed here: how many are found, how many with another factor, and the misses."""
    print("\n| source | half | clips | claimed | found | other factor | wrong way |")
    missed: dict[float, list[str]] = defaultdict(list)
    for source in SOURCES.values():
        for half in ("tune", "test"):
            some = [one for one in recordings if one.source == source and one.half == half]
            for factor in CLAIMS if some else ():
                tally: Counter[str] = Counter()
                for one in some:
                    guess = one.claimed(factor)
                    if guess.factor == factor:
                        tally["found"] += 1
                    elif guess.factor == 1.0:
                        missed[factor].append(one.name)
                    else:
                        tally["way" if (guess.factor > 1) != (factor > 1) else "factor"] += 1
                row = f"{tally['found']} | {tally['factor']} | {tally['way']}"
                print(f"| {source} | {half} | {len(some)} | {factor:g} times | {row} |")
    for factor, names in missed.items():
        print(f"not found at {factor:g} times ({len(names)}): {', '.join(names)}")


def confidence_rows(recordings: list[Recording]) -> None:
    """How often a stated confidence is right, over the files as they are and the wrong claims together."""
    right: dict[str, list[bool]] = defaultdict(list)
    for one in recordings:
        for factor in (1.0, *CLAIMS):
            guess = one.claimed(factor)
            if guess.suggested_fps is None:
                continue
            bins = ((0.9, "0.88 to 0.9"), (0.95, "0.9 to 0.95"), (0.99, "0.95 to 0.99"), (1.01, "above 0.99"))
            right[next(name for top, name in bins if guess.confidence < top)].append(factor != 1.0)
    print("\n| confidence | suggestions | share with a wrong rate |")
    for name in sorted(right):
        print(f"| {name} | {len(right[name])} | {sum(right[name]) / len(right[name]):.3f} |")


if __name__ == "__main__":
    everything = find_recordings(data_folder())
    header_rows(everything)
    claim_rows(everything)
    confidence_rows(everything)
