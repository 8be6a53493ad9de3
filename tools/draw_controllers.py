"""Draw the picture of docs/controllers.md.

    python tools/draw_controllers.py MAP [--out docs/images]

MAP is a map of recordings (`reenact mobility build`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from reenact.mobility.map_file import load_map
from reenact.operations.mobile_performance import PerformanceParameters, perform_on_map
from reenact.render import StripParameters, save_picture


def main() -> None:
    """Draw it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("map", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[1] / "docs" / "images")
    given = parser.parse_args()
    made = perform_on_map(load_map(given.map), PerformanceParameters(to="3,3; -3,2; -1,-4; 4,0", hold=2.0))
    clip = made.clip.renamed("four goals")
    save_picture(clip, given.out / "controllers-go.png", StripParameters(count=16))


if __name__ == "__main__":
    main()
