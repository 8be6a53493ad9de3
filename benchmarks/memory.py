"""Peak memory of one load, in a process of its own: python memory.py FILE SMALL prints one JSON object.

The process first loads a small file of the same format, so that imports and compiled code are there, then measures how far the
peak rises for FILE.
"""

from __future__ import annotations

import json
import resource
import sys
import tracemalloc
from pathlib import Path

import reenact


def peak_resident() -> int:
    """Kilobytes that this program has had in memory at most.

    From Linux itself where that can be read: `getrusage` begins with what the process that started this one had.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(file: str, small: str) -> None:
    """Measure both ways; `tracemalloc` counts what Python and NumPy ask for, the resident set what the system gave."""
    reenact.load(small)
    before = peak_resident()
    clip = reenact.load(file)
    after = peak_resident()
    del clip
    tracemalloc.start()
    reenact.load(file)
    _, peak = tracemalloc.get_traced_memory()
    size = Path(file).stat().st_size
    print(json.dumps({"size": size, "resident": (after - before) * 1024 / size, "traced": peak / size}))


if __name__ == "__main__":
    main(*sys.argv[1:])
