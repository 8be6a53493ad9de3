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
    """Four files of each clip, each with its events beside it: one cycle, the way it goes, in place, and both mirrored."""
    for folder in ("root", "in_place", "mirrored"):
        Path("loops", folder).mkdir(parents=True, exist_ok=True)
    game = ["--count", "1", "--fps", "30", "--at-origin", "--events"]
    main(["loop", library, "--query", query, *game, "-o", "loops/root/{name}.glb"])
    made = sorted(str(file) for file in Path("loops/root").glob("*.glb"))
    main(["root", *made, "--in-place", "--turn", "remove", "--events", "-o", "loops/in_place/{name}.glb"])
    for folder in ("root", "in_place"):
        files = sorted(str(file) for file in Path("loops", folder).glob("*.glb"))
        main(["mirror", *files, "--events", "-o", f"loops/mirrored/{{name}}_{folder}.glb"])
    files = sorted(Path("loops").rglob("*.glb"))
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
