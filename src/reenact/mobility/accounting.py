"""What every stage of building a map took and made, beside the numbers of the thesis (A15, M40)."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

THESIS: dict[str, dict[str, float]] = {
    "poses": {"poses": 33_404, "clips": 114},
    "graph": {"wall_s": 2_400.0, "machines": 48},
    "component": {"kept_poses": 30_665, "kept_share": 0.918, "wall_s": 420.0},
    "actions": {"states": 15_659, "state_share": 0.511},
    "sequences": {"wall_s": 3_600.0},
    "map": {"map_states": 6_550, "map_state_share": 0.418, "mean_options": 38, "bytes": 25e6, "wall_s": 1_200.0},
}
"""Numbers of the thesis, by stage (its chapter 3 and 4; shares are worked out from them)."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage.

    Attributes:
        name: what was done.
        wall_s, cpu_s: seconds of the clock, and of all processors in this process.
        peak_bytes: the most memory this process has held until the stage ended.
        counts: what came out.
    """

    name: str
    wall_s: float
    cpu_s: float
    peak_bytes: int
    counts: dict[str, Any]


@dataclass(slots=True)
class Accounts:
    """The stages in their order."""

    stages: list[Stage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[dict[str, Any]]:
        """Measure a stage; what it made is put into the dictionary."""
        counts: dict[str, Any] = {}
        wall, cpu = time.perf_counter(), time.process_time()
        yield counts
        self.stages.append(
            Stage(name, time.perf_counter() - wall, time.process_time() - cpu, peak_bytes(), dict(counts))
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values: every stage with the numbers of the thesis where it gives some, and the sums."""
        rows = []
        for stage in self.stages:
            row: dict[str, Any] = {
                "stage": stage.name,
                "wall_s": round(stage.wall_s, 3),
                "cpu_s": round(stage.cpu_s, 3),
                "peak_bytes": stage.peak_bytes,
                **stage.counts,
            }
            if stage.name in THESIS:
                row["thesis"] = THESIS[stage.name]
            rows.append(row)
        return {
            "stages": rows,
            "wall_s": round(sum(stage.wall_s for stage in self.stages), 3),
            "cpu_s": round(sum(stage.cpu_s for stage in self.stages), 3),
            "peak_bytes": max((stage.peak_bytes for stage in self.stages), default=0),
        }


def peak_bytes() -> int:
    """The most memory this process has held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
