"""What the start of a verb costs: CPU seconds of whole processes, cold (nothing compiled) and warm, beside `python -c "import numpy"`.

    python benchmarks/startup.py [--repeats N] [--no-cold] [--json FILE] [VERB...]

User and system time of the process and its children. Warm figures are the best of several runs, taken in turns with the reference, since
machines differ and others may load this one; a cold figure is one run with an empty folder of compiled code, with the reference measured
right before and after it. The motions are built-in samples.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

VERBS: dict[str, str] = {
    "--help": "--help",
    "info": "info walk_normal.bvh",
    "convert": "convert walk_normal.bvh walk.glb",
    "cut": "cut walk_normal.bvh --end 60 -o out.bvh",
    "resample": "resample walk_normal.bvh --fps 30 -o out.bvh",
    "mirror": "mirror walk_normal.bvh -o out.bvh",
    "plants": "plants walk_normal.bvh",
    "classify": "classify walk_normal.bvh",
    "check": "check walk_normal.bvh",
    "transition": "transition walk_normal.bvh kick_right.bvh -o out.bvh",
    "loop": "loop walk_normal.bvh --count 3 -o out.bvh",
    "blend": "blend walk_normal.bvh sneak.bvh --weights 0.4,0.6 -o out.bvh",
    "register": "register walk_slow.bvh walk_fast.bvh",
    "space": "space walk_slow.bvh walk_fast.bvh --parameter speed --value 1.2 -o out.bvh",
    "graft": "graft walk_normal.bvh wave_walking.bvh --chains right_arm -o out.bvh",
    "warp": "warp walk_normal.bvh --smooth 0.05 -o out.bvh",
    "clean": "clean walk_normal.bvh -o out.bvh",
    "walk": "walk walk_normal.bvh --stride 1.1 -o out.bvh",
    "path": "path walk_normal.bvh --radius 3 -o out.bvh",
    "sequence": "sequence lib walk_normal walk_slow -o out.bvh",
    "render": "render walk_normal.bvh -o out.png --renderer plain",
    "humanoid": "humanoid -o out.glb",
    "rig": "rig person.glb --again -o out.glb",
    "retarget": "retarget walk_normal.bvh person.glb -o out.glb",
    "adapt": "adapt walk_normal.bvh person.glb --girth 1.4 -o out.glb",
    "adapt fast": "adapt walk_normal.bvh person.glb --girth 1.4 --method fast -o out.glb",
    "balance": "balance walk_normal.bvh person.glb -o out.glb",
    "ground": "ground walk_normal.bvh person.glb -o out.glb",
    "scale": "scale walk_normal.bvh --thigh 1.1 -o out.bvh",
}
"""Verbs and their command lines."""

_SAMPLES = ("walk_normal", "walk_slow", "walk_fast", "run", "kick_right", "sneak", "wave_walking", "stand")
_REFERENCE = [sys.executable, "-c", "import numpy"]
_MAIN = [sys.executable, "-m", "reenact"]


def spend(command: list[str], folder: Path, cache: Path) -> float:
    """CPU seconds of a command."""
    environment = {**os.environ, "REENACT_CACHE_DIR": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles every module
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def prepare(folder: Path, cache: Path) -> None:
    """Samples as files, a library of some with its graph, and everything compiled."""
    from reenact.loading import save
    from reenact.samples import make_sample

    for name in _SAMPLES:
        save(make_sample(name).clip, folder / f"{name}.bvh")
    clips = [f"{name}.bvh" for name in ("walk_normal", "walk_slow", "kick_right", "run", "stand")]
    for line in (
        ["warm-up"],
        ["humanoid", "-o", "person.glb"],
        ["library", "init", "lib"],
        ["library", "add", "lib", *clips],
        ["graph", "build", "lib"],
    ):
        spend([*_MAIN, *line], folder, cache)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("verbs", nargs="*", metavar="VERB", help=f"of {', '.join(VERBS)}; default: all")
    parser.add_argument("--repeats", type=int, default=5, help="warm runs of each (default 5)")
    parser.add_argument("--no-cold", action="store_true", help="warm runs only")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="reenact-bench-") as name:
        folder, cache = Path(name), Path(name) / "cache"
        prepare(folder, cache)
        rows = []
        print(f"CPU seconds{'':9s} {'warm':>6s} {'numpy':>6s} {'ratio':>6s}   {'cold':>6s} {'numpy':>6s}", flush=True)
        for verb in given.verbs or VERBS:
            command = [*_MAIN, *VERBS[verb].split()]
            turns = [(spend(command, folder, cache), spend(_REFERENCE, folder, cache)) for _ in range(given.repeats)]
            warm, reference = min(turn[0] for turn in turns), min(turn[1] for turn in turns)
            row = {"verb": verb, "warm": warm, "numpy": reference}
            line = f"{verb:20s} {warm:6.2f} {reference:6.2f} {warm / reference:6.1f}"
            if not given.no_cold:
                with tempfile.TemporaryDirectory(dir=folder) as empty:
                    around = [spend(_REFERENCE, folder, cache)]
                    cold = spend(command, folder, Path(empty))
                    around.append(spend(_REFERENCE, folder, cache))
                row |= {"cold": cold, "numpy_cold": sum(around) / 2}
                line += f"   {cold:6.2f} {sum(around) / 2:6.2f}"
            rows.append(row)
            print(line, flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
