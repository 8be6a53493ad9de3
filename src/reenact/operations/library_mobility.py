"""Mobility maps of libraries: clips chosen, brought onto one skeleton, and what their poses can do worked out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reenact.compute.executor import Executor
from reenact.core.progress import tell
from reenact.errors import LibraryError, ParameterError
from reenact.mobility.gathering import GatheringParameters
from reenact.mobility.map_building import BuiltMap, build_mobility_map
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.pose_graph import PruningParameters
from reenact.mobility.transition_cost import TransitionParameters
from reenact.operations.mapped_source import check_trees, kept_plants
from reenact.render.plot import COLOURS, Curve, PlotParameters, save_plot

if TYPE_CHECKING:
    from reenact.library.store import Library

_MOST_WAYS = 400  # ways that are drawn


def build_library_map(
    library: Library,
    query: str = "",
    parameters: MapParameters | None = None,
    *,
    gathering: GatheringParameters | None = None,
    transitions: TransitionParameters | None = None,
    pruning: PruningParameters | None = None,
    executor: Executor | str | None = None,
) -> BuiltMap:
    """The mobility map of the clips that answer a query (all of them without one), on the skeleton of the first.

    Foot plants that the library keeps are used, others are found and kept.

    Raises:
        LibraryError: no clips, or clips on several skeletons; the message offers to map them.
        ParameterError: too few clips for a map.
    """
    gathering = gathering or GatheringParameters()
    entries = sorted(library.entries(query), key=lambda entry: entry.id)
    if not entries:
        what = f"no clip answers {query!r}" if query else "the library is empty"
        raise LibraryError(f"{what}; add clips with `reenact library add`", where=str(library.folder))
    check_trees(library, entries, mapped=gathering.map, hint="; or choose with --query")
    plants = []
    for number, entry in enumerate(entries):
        tell(0.0, f"foot plants {number + 1}/{len(entries)}")
        plants.append(kept_plants(library, entry.name, gathering.detector))
    return build_mobility_map(
        [library.clip(entry) for entry in entries],
        parameters,
        gathering=gathering,
        transitions=transitions,
        pruning=pruning,
        plants=plants,
        executor=executor,
    )


def widest_state(made: MobilityMap) -> int:
    """The state whose options turn farthest to both sides."""
    states = np.flatnonzero(made.is_map_state)
    turns = [made.moves[made.row(int(state)), 2] for state in states]
    return int(states[np.argmax([min(turn.max(), -turn.min()) for turn in turns])])


def save_fan(made: MobilityMap, state: int, path: Path) -> None:
    """The ways of a state's options over the floor (.svg): it stands at the origin and faces up.

    Raises:
        ParameterError: another ending, or a state that is not in the map.
    """
    if path.suffix.lower() != ".svg":
        raise ParameterError(f"the picture of a state's options is an .svg, not {path.name}", where="--output")
    row = made.row(state)
    if row.stop == row.start:
        raise ParameterError(f"state {state} is not in the map: it has no options", where="--state")
    options = np.arange(row.start, row.stop)
    options = options[np.linspace(0, len(options) - 1, min(len(options), _MOST_WAYS)).astype(int)]
    curves = []
    for option in options:
        steps = made.database.increments[made.poses_of(int(option))].astype(np.float64)
        heading = np.concatenate([[0.0], np.cumsum(steps[:, 2])])
        sine, cosine = np.sin(heading[:-1]), np.cos(heading[:-1])
        x = np.cumsum(cosine * steps[:, 0] + sine * steps[:, 1])
        z = np.cumsum(cosine * steps[:, 1] - sine * steps[:, 0])
        turned = float(heading[-1])
        side = 1 if turned > np.radians(20) else 2 if turned < -np.radians(20) else 0
        # +x is to the left of a body that faces +z
        curves.append(Curve("", -np.append(0.0, x), np.append(0.0, z), COLOURS[side]))
    save_plot(
        curves,
        path,
        PlotParameters(
            title=f"{row.stop - row.start} options of state {state}",
            x_label="metres to the right",
            y_label="metres ahead",
            height=520,
            equal=True,
        ),
    )
