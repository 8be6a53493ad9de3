"""Loops for a game engine: 30 Hz, in place and with root motion, mirrored, with events: `python 26_game_loops.py [LIBRARY QUERY]`.

Without arguments the walks and runs of the sample library are taken. The verbs of the command line do it, on all clips at once.
"""

import json
import sys
from pathlib import Path

from reenact.cli.main import main
from reenact.library import Library
from reenact.samples import make_sample

SAMPLES = ("walk_slow", "walk_normal", "walk_brisk", "walk_fast", "march", "sneak", "jog", "run")


def make_loops(library: str, query: str) -> None:
    """Four files of each clip, each with its events beside it."""
    Path("loops").mkdir(exist_ok=True)
    game = ["--count", "1", "--fps", "30", "--events"]
    for way, option in (("in_place", "--in-place"), ("root", "--at-origin")):
        main(["loop", library, "--query", query, *game, option, "-o", f"loops/{{name}}_{way}.glb"])
    made = sorted(str(file) for file in Path("loops").glob("*.glb"))
    main(["mirror", *made, "--events", "-o", "loops/{name}_mirrored.glb"])
    files = sorted(Path("loops").glob("*.glb"))
    steps = [len(json.loads(file.with_suffix(".events.json").read_text())["clips"][0]["events"]) for file in files]
    print(len(files), "loops,", sum(steps), "events")


if __name__ == "__main__":
    if sys.argv[1:]:
        make_loops(sys.argv[1], sys.argv[2])
    else:
        with Library.create("samples") as held:
            for name in SAMPLES:
                held.add(make_sample(name, 60.0).clip, tags=["game"])
        make_loops("samples", "tag:game")
