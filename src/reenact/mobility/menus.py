"""What a character chooses from at a state: the sequences of the map, or single actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reenact.core.arrays import Float, Float32
from reenact.kernels.option_costs import Options
from reenact.mobility.arrival_values import ArrivalValues
from reenact.mobility.labels import LABELS
from reenact.mobility.mobility_map import MobilityMap

By = Literal["actions", "sequences"]


@dataclass(frozen=True, slots=True, eq=False)
class Menu:
    """Options of all states.

    Attributes:
        options: arrays for the kernel that tells what they cost.
        starts: (S + 1,) int64, the options of each state.
        targets: (E,) int32, the states they lead to.
        efforts: (E,) float32 seconds of effort, where values are known; else empty.
        poses_of: the poses of one.
    """

    options: Options
    starts: np.ndarray
    targets: np.ndarray
    efforts: Float32
    poses_of: Callable[[int], np.ndarray]

    def row(self, state: int) -> slice:
        """The options of a state."""
        return slice(int(self.starts[state]), int(self.starts[state + 1]))

    def has_options(self, state: int) -> bool:
        """There is something to choose from."""
        return bool(self.starts[state + 1] > self.starts[state])

    def ends(self, place: Float, row: slice) -> Float:
        """(k, 3) x, z, heading where the options of a row end, for a body at `place`."""
        moves = self.options.moves[row].astype(np.float64)
        sine, cosine = np.sin(place[2]), np.cos(place[2])
        return np.column_stack(
            [
                place[0] + cosine * moves[:, 0] + sine * moves[:, 1],
                place[1] + cosine * moves[:, 1] - sine * moves[:, 0],
                place[2] + moves[:, 2],
            ]
        )


def sequences_of(map: MobilityMap, values: ArrivalValues | None = None) -> Menu:
    """The sequences of a map."""
    options = Options(
        map.moves,
        map.frames,
        map.costs,
        map.steps,
        map.sequences,
        map.action_starts,
        map.action_to,
        map.action_moves,
        map.action_pose_starts,
        np.ascontiguousarray(map.label_shares, dtype=np.float32),
    )
    efforts = np.zeros(0, np.float32) if values is None else _efforts_of_sequences(map, values)
    return Menu(options, map.row_starts, map.targets, efforts, map.poses_of)


def actions_of(map: MobilityMap, values: ArrivalValues | None = None) -> Menu:
    """The single actions of a map."""
    graph = map.graph
    number = np.arange(graph.actions) - graph.action_starts[graph.action_from]
    bits = (map.database.labels[:, None] >> np.arange(len(LABELS), dtype=np.uint32)) & np.uint32(1)
    sums = np.concatenate([np.zeros((1, len(LABELS))), np.cumsum(bits[graph.action_poses], axis=0)])
    shares = np.diff(sums[graph.action_pose_starts], axis=0) / np.maximum(graph.action_frames, 1)[:, None]
    options = Options(
        graph.action_moves,
        graph.action_frames,
        graph.action_cost,
        np.ones(graph.actions, np.uint8),
        number[:, None].astype(np.uint16),
        graph.action_starts,
        graph.action_to,
        graph.action_moves,
        graph.action_pose_starts,
        shares.astype(np.float32),
    )
    efforts = np.zeros(0, np.float32) if values is None else values.efforts
    return Menu(options, graph.action_starts, graph.action_to, efforts, lambda action: graph.poses_of([action]))


def _efforts_of_sequences(map: MobilityMap, values: ArrivalValues) -> Float32:
    """(E,) the efforts of all sequences."""
    at = np.repeat(np.arange(len(map.row_starts) - 1), np.diff(map.row_starts))
    total = np.zeros(len(at), np.float32)
    for n in range(map.sequences.shape[1]):
        goes = np.flatnonzero(n < map.steps)
        action = map.action_starts[at[goes]] + map.sequences[goes, n]
        total[goes] += values.efforts[action]
        at[goes] = map.action_to[action]
    return total
