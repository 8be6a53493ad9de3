"""How much the studio's server works to open a library: `python benchmarks/studio_load.py [CLIPS]`.

A library of 1 000 small clips is made, the server is started on it as people start it, and asked for what a page asks for at its
start: the session and the first 200 clips. Then for all clips, for a long motion, and for thumbnails. CPU seconds are those of the
server's process, from its start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

from reenact.core.clip import Clip
from reenact.core.cutting import CutParameters, cut
from reenact.core.rotations import normalize
from reenact.library import Library
from reenact.samples import make_sample


def make_library(folder: Path, count: int) -> int:
    """A library of `count` different clips of one second, and one of ten minutes at 120 Hz, whose number is returned."""
    base = cut(make_sample("walk_normal").clip, CutParameters(0, 60))
    chance = np.random.default_rng(0)
    with Library.create(folder) as library:
        for number in range(count):
            noise = chance.normal(0, 0.01, base.rotations.shape)
            clip = Clip(base.skeleton, normalize(base.rotations + noise), base.root, 60.0, f"walk {number:04d}")
            library.add(
                clip,
                tags=("walk", f"group {number % 20}"),
                description=f"walk number {number} with a little noise",
                metadata={"type": "walk", "take": number},
            )
        frames = 10 * 60 * 120
        turns = np.tile(base.rotations, (frames // 60, 1, 1))
        root = np.tile(base.root, (frames // 60, 1))
        return library.add(Clip(base.skeleton, turns, root, 120.0, "zz ten minutes")).id


def cpu_seconds(process: int) -> float:
    """User and system time of a process and of its children that have ended."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(part) for part in parts[11:13]) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "library"
        begun = time.perf_counter()
        long_clip = make_library(folder, count)
        print(f"library of {count} clips made in {time.perf_counter() - begun:.1f} s")
        command = [sys.executable, "-c", "from reenact.cli.main import run; run()", "studio", str(folder)]
        begun = time.perf_counter()
        server = subprocess.Popen(
            [*command, "--no-browser", "--json", "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        def ask(path: str) -> int:
            with opener.open(url + path) as answer:
                return len(answer.read())

        def measure(what: str, *paths: str) -> None:
            cpu, wall = cpu_seconds(server.pid), time.perf_counter()
            size = sum(ask(path) for path in paths)
            spent, took = cpu_seconds(server.pid) - cpu, time.perf_counter() - wall
            print(f"{what:46s} {spent:6.2f} s CPU {took:6.2f} s wall {size / 1e6:8.2f} MB")

        try:
            ready = time.perf_counter() - begun
            print(f"{'start to ready':46s} {cpu_seconds(server.pid):6.2f} s CPU {ready:6.2f} s wall")
            measure("session + first 200 clips", "api/session", "api/clips?limit=200")
            print(f"{'-> library open (start to first page)':46s} {cpu_seconds(server.pid):6.2f} s CPU")
            measure("all clips in pages of 200", *(f"api/clips?limit=200&offset={at}" for at in range(0, count, 200)))
            measure("20 searches", *(f"api/clips?limit=50&query=group+{n}+walk" for n in range(20)))
            measure(
                "details and motion of 20 clips", *(f"api/clips/{n}{w}" for n in range(1, 21) for w in ("", "/motion"))
            )
            measure("motion of 10 minutes at 120 Hz", f"api/clips/{long_clip}/motion")
            measure(
                "20 thumbnails, new (drawn in another process)", *(f"api/clips/{n}/thumbnail" for n in range(1, 21))
            )
            measure("20 thumbnails, kept", *(f"api/clips/{n}/thumbnail" for n in range(1, 21)))
            idle = cpu_seconds(server.pid)
            time.sleep(5)
            print(f"{'idle for 5 s':46s} {cpu_seconds(server.pid) - idle:6.2f} s CPU")
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
