"""Registration of known pairs of recordings: mean distance on the path and q, whole and cut to equal steps, beside the pilot's figures.

python tools/measure_registration.py [--json FILE]

The recordings are those of $REENACT_DATA, else ../shared/data. The pairs are those of the registration specification, 4.4: walks that
veer and turn, careful walking, two actors, different numbers of steps, walking and jogging. `NAME[first:end]` is a part in frames at 30 Hz.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import reenact
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.errors import ParameterError

PILOT = {
    ("16_11", "16_13"): (0.042, 0.36),
    ("16_17", "16_19"): (0.071, 0.59),
    ("16_15", "16_17"): (0.058, 0.46),
    ("16_15", "77_28[580:730]"): (0.069, 0.49),
    ("07_01", "08_01"): (0.081, 0.45),
    ("07_01", "16_15"): (0.098, 0.61),
    ("07_01", "77_28[580:730]"): (0.123, 0.76),
    ("16_15", "16_35"): (0.230, 0.95),
}
"""Pairs, and what the specification's pilot measured: mean distance on the path in metres, and q."""


@dataclass(frozen=True)
class Registered:
    """One pair: as it is, and cut to equal steps.

    Attributes:
        names: of the recordings.
        clips: the recordings, or the parts of them that were asked for.
        whole: registration of all of it.
        steps: registration of equal steps; None when there are none.
        why: what kept steps from being matched, or a registration from being good.
    """

    names: tuple[str, str]
    clips: tuple[Clip, Clip]
    whole: RegistrationCurve
    steps: RegistrationCurve | None
    why: str


@cache
def recording(name: str) -> Clip:
    """A CMU recording, or a part of one."""
    folder = Path(os.environ.get("REENACT_DATA") or Path(__file__).parents[2] / "shared" / "data")
    plain, _, part = name.partition("[")
    file = folder / "cmu-bvh" / f"{plain}.bvh"
    if not file.is_file():
        sys.exit(f"no recording {file}: set REENACT_DATA")
    return part_of(reenact.load(file), part)


def part_of(clip: Clip, part: str) -> Clip:
    """Frames `first:end]` of a clip, counted at 30 Hz; all of it when empty."""
    if not part:
        return clip
    first, end = (int(number) for number in part.rstrip("]").split(":"))
    step = round(clip.fps / 30)
    return cut_frames(clip, first * step, (end - 1) * step + 1)


def register_pairs() -> list[Registered]:
    """All pairs, registered both ways."""
    found = []
    for names in PILOT:
        clips = recording(names[0]), recording(names[1])
        whole = register(clips, RegistrationParameters(trim="off", gate="off"))
        steps, why = None, ""
        try:
            steps = register(clips, RegistrationParameters(trim="steps", gate="off"))
            why = "; ".join(steps.quality.reasons)
        except ParameterError as error:
            why = str(error)
        found.append(Registered(names, clips, whole, steps, why))
    return found


def table(pairs: list[Registered]) -> list[dict[str, Any]]:
    """A row of plain values for each pair."""
    rows = []
    for pair in pairs:
        row: dict[str, Any] = {"pair": " x ".join(pair.names)}
        row["pilot d (m)"], row["pilot q"] = PILOT[pair.names]
        row["d (m)"], row["q"] = round(pair.whole.quality.mean_distance, 3), round(pair.whole.quality.q, 2)
        row["verdict"] = pair.whole.quality.verdict
        if pair.steps is not None:
            row["d, equal steps"] = round(pair.steps.quality.mean_distance, 3)
            row["q, equal steps"] = round(pair.steps.quality.q, 2)
            row["frames kept"] = " and ".join(f"{start} to {end}" for start, end in pair.steps.ranges)
        row["why"] = pair.why
        rows.append(row)
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    rows = table(register_pairs())
    columns = list(dict.fromkeys(key for row in rows for key in row))
    widths = [max(len(column), *(len(str(row.get(column, ""))) for row in rows)) for column in columns]
    print("  ".join(column.ljust(width) for column, width in zip(columns, widths, strict=True)))
    for row in rows:
        print("  ".join(str(row.get(c, "")).ljust(width) for c, width in zip(columns, widths, strict=True)).rstrip())
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
