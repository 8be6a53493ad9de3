"""When feet come down and lift, as a JSON file beside a motion: what game engines trigger sounds and effects by.

{"clips": [{"name", "fps", "frames", "seconds", "events": [{"time": seconds, "frame", "name": "left heel down"}, ...]}]}
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reenact.core.clip import Clip
from reenact.formats.atomic import atomic_write
from reenact.formats.gltf_extras import plant_events


def events_file(path: Path) -> Path:
    """Where the events of a motion file lie."""
    return path.with_suffix(".events.json")


def describe_events(clip: Clip) -> dict[str, Any]:
    """The events of a clip with foot plants; none without."""
    events = [] if clip.plants is None else plant_events(clip.plants)
    rows = [{"time": one["time"], "frame": round(one["time"] * clip.fps), "name": one["name"]} for one in events]
    return {"name": clip.name, "fps": clip.fps, "frames": len(clip), "seconds": clip.seconds, "events": rows}


def write_events(clips: Sequence[Clip], path: Path) -> None:
    """Write the events of all clips of a motion file beside it."""
    with atomic_write(events_file(path)) as stream:
        stream.write((json.dumps({"clips": [describe_events(clip) for clip in clips]}, indent=1) + "\n").encode())
