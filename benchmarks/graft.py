"""Grafts: milliseconds of a pair of about 500 frames, beside a blend and a transition of the same pair in the same run.

    python benchmarks/graft.py [--repeat 10]

CPU time of one thread, best of the repeats, warm; everything `graft` does is counted but the foot plants, which are given: pairing of
steps, graph of the upper bodies, report. The clips are CMU recordings of 120 Hz and 31 joints from `$REENACT_DATA` or `../shared/data`,
cut to 500 frames where they are longer; without them samples at 120 Hz. "same body" are two clips of one person, "other body" of two,
where the source is mapped first.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from clean import best  # also keeps NumPy and Numba on one thread

PAIRS = {"same body": ("16_15", "16_21"), "other body": ("16_15", "07_01"), "walk and run": ("16_15", "38_03")}
FRAMES = 500


def load_pairs():
    """The pairs by what they are."""
    from reenact.core.cutting import cut_frames
    from reenact.loading import load

    named = os.environ.get("REENACT_DATA")
    folder = (Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data") / "cmu-bvh"
    if not folder.is_dir():
        from reenact.samples import make_sample

        return {"samples": tuple(make_sample(name, 120.0).clip for name in ("walk_normal", "run"))}
    return {
        what: tuple(
            cut_frames(clip, 0, min(len(clip), FRAMES)) for clip in map(load, (folder / f"{n}.bvh" for n in pair))
        )
        for what, pair in PAIRS.items()
    }


def spent_on(a, b, repeat: int) -> list[float]:
    """CPU seconds of a graft, of scoring it, of a blend and of a transition."""
    from reenact.analysis.plants import detect_plants
    from reenact.blend.blend import BlendParameters, blend
    from reenact.edit.transition import make_transition
    from reenact.graft.believability import measure_believability
    from reenact.graft.grafting import build_graft, make_graft

    plants = detect_plants(a), detect_plants(b)
    graft, few = build_graft(a, b, None, *plants), max(repeat // 3, 1)
    return [
        best(lambda: make_graft(a, b, None, *plants), repeat),
        best(lambda: measure_believability(graft), repeat),
        best(lambda: blend([a, b], BlendParameters(gate="off"), plants), few),
        best(lambda: make_transition(a, b, None, *plants), few),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=10)
    repeat = parser.parse_args().repeat
    print(f"{'pair':14} {'frames':>11} {'graft ms':>9} {'score ms':>9} {'blend ms':>9} {'transition ms':>14}")
    for what, (a, b) in load_pairs().items():
        graft, score, blended, transition = (1000 * one for one in spent_on(a, b, repeat))
        frames = f"{len(a)} + {len(b)}"
        print(f"{what:14} {frames:>11} {graft:9.1f} {score:9.1f} {blended:9.1f} {transition:14.1f}")


if __name__ == "__main__":
    main()
