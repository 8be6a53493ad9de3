"""The run-time file of a mobility map: one file, mapped into memory, read-only, shared by all that open it (M22).

Layout: 8 bytes of magic, the header's length as 8 bytes (little-endian), the header as JSON, then the arrays, each at a multiple of 64
bytes, C order, little-endian. The header names them with type, shape, place and checksum (CRC-32), and is followed by its own. No pickle.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, ReenactError
from reenact.formats.atomic import atomic_write
from reenact.mobility.labels import LABELS
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.pose_database import POSE_ARRAYS, PoseDatabase
from reenact.mobility.state_actions import StateActions

MAGIC = b"RNMOBMAP"
VERSION = 1

_ALIGNED = 64
_LONGEST_HEADER = 64 << 20
_KINDS = ("<f4", "<f2", "<i4", "<i8", "<u4", "<u2", "|u1", "|b1", "<f8")
_GRAPH = (
    "state_pose",
    "pose_state",
    "action_starts",
    "action_to",
    "action_cost",
    "action_moves",
    "action_pose_starts",
    "action_poses",
)
_OWN = (
    "row_starts",
    "targets",
    "moves",
    "frames",
    "costs",
    "steps",
    "sequences",
    "label_shares",
    "escape_next",
    "escape_frames",
)
_SKELETON = ("parents", "offsets", "rest", "end_joints", "end_offsets")


def save_map(made: MobilityMap, path: str | os.PathLike[str]) -> None:
    """Write a map into one file, which appears whole or not at all."""
    database, skeleton = made.database, made.database.skeleton
    arrays = {f"skeleton.{name}": getattr(skeleton, name) for name in _SKELETON}
    arrays |= {f"database.{name}": getattr(database, name) for name in (*POSE_ARRAYS, "starts", "mirrored")}
    arrays |= {f"graph.{name}": getattr(made.graph, name) for name in _GRAPH}
    arrays |= {f"map.{name}": getattr(made, name) for name in _OWN}
    table, at = [], 0
    for name, array in arrays.items():
        held = np.ascontiguousarray(array)
        kind = held.dtype.newbyteorder("<").str if held.dtype.itemsize > 1 else held.dtype.str
        table.append([name, kind, list(held.shape), at, zlib.crc32(held.astype(kind, copy=False).data)])
        at += -(-held.nbytes // _ALIGNED) * _ALIGNED
    header = {
        "version": VERSION,
        "tau_max": made.tau_max,
        "fps": database.fps,
        "names": list(database.names),
        "joints": list(skeleton.names),
        "roles": dict(skeleton.roles),
        "labels": list(LABELS),
        "about": dict(made.about),
        "arrays": table,
    }
    text = json.dumps(header).encode("utf-8")
    with atomic_write(path) as stream:
        stream.write(MAGIC + len(text).to_bytes(8, "little") + text + zlib.crc32(text).to_bytes(4, "little"))
        stream.write(b"\0" * (_begin(len(text)) - 20 - len(text)))
        for (_, kind, _, _, _), array in zip(table, arrays.values(), strict=True):
            data = np.ascontiguousarray(array).astype(kind, copy=False)
            stream.write(data.data)
            stream.write(b"\0" * (-data.nbytes % _ALIGNED))


def load_map(path: str | os.PathLike[str], *, check: bool = True) -> MobilityMap:
    """The map in a file, its arrays mapped into memory.

    Args:
        path: what `save_map` wrote.
        check: compare all checksums and look whether all numbers are in their ranges, which reads the whole file once; without it, a
            file that was damaged inside its arrays may only show when it is used.

    Raises:
        FormatError: not such a file, of another version, or damaged; the message says what is wrong.
        OSError: the file cannot be read.
    """
    try:
        header, arrays = _open(Path(path), check)
        made = _assemble(header, arrays)
        if check:
            _check(made)
    except FormatError as error:
        raise error.at(path) from None
    except (ReenactError, KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise FormatError(f"a damaged mobility map: {error}", path=path) from error
    return made


def _begin(length: int) -> int:
    """Where the arrays begin behind a header of so many bytes."""
    return -(-(20 + length) // _ALIGNED) * _ALIGNED


def _open(path: Path, check: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        head = stream.read(16)
        if len(head) < 16 or head[:8] != MAGIC:
            raise FormatError("not a mobility map: it does not begin like one; make one with `reenact mobility build`")
        length = int.from_bytes(head[8:], "little")
        if length > min(_LONGEST_HEADER, size - 20):
            raise FormatError("a damaged mobility map: it ends within its header")
        text = stream.read(length)
        if zlib.crc32(text) != int.from_bytes(stream.read(4), "little"):
            raise FormatError("a damaged mobility map: its header is not what was written")
        header = json.loads(text)
        if not isinstance(header, dict) or header.get("version") != VERSION:
            found = header.get("version") if isinstance(header, dict) else None
            raise FormatError(f"a mobility map of version {found}; this reads version {VERSION}: build it anew")
        mapped = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    begin = _begin(length)
    arrays: dict[str, np.ndarray] = {}
    for name, kind, shape, at, checksum in header["arrays"]:
        if kind not in _KINDS or not all(type(number) is int and number >= 0 for number in (*shape, at, checksum)):
            raise FormatError(f"a damaged mobility map: nothing is known of the kind of {name}")
        count = math.prod(shape)
        nbytes = count * np.dtype(kind).itemsize
        if at % _ALIGNED or begin + at + nbytes > size:
            raise FormatError(f"a damaged mobility map: it ends before {name} does")
        if check and zlib.crc32(mapped[begin + at : begin + at + nbytes]) != checksum:
            raise FormatError(f"a damaged mobility map: {name} is not what was written")
        flat = np.frombuffer(mapped, kind, count, begin + at) if count else np.empty(0, kind)
        arrays[name] = flat.reshape(shape)
    return header, arrays


def _assemble(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> MobilityMap:
    if tuple(header["labels"]) != LABELS:
        raise FormatError("a mobility map with other labels than this program knows; build it anew")
    skeleton = Skeleton(
        tuple(str(name) for name in header["joints"]),
        **{name: arrays[f"skeleton.{name}"] for name in _SKELETON},
        roles={str(role): int(joint) for role, joint in header["roles"].items()},
    )
    database = PoseDatabase(
        skeleton=skeleton,
        names=tuple(str(name) for name in header["names"]),
        fps=float(header["fps"]),
        **{name: arrays[f"database.{name}"] for name in (*POSE_ARRAYS, "starts", "mirrored")},
    )
    graph = StateActions(**{name: arrays[f"graph.{name}"] for name in _GRAPH})
    about = header["about"]
    if not isinstance(about, dict):
        raise FormatError("a damaged mobility map: nothing is said about how it was made")
    own = {name: arrays[f"map.{name}"] for name in _OWN}
    return MobilityMap(database=database, graph=graph, tau_max=float(header["tau_max"]), about=about, **own)


def _check(made: MobilityMap) -> None:
    """Raise an error unless every number that points somewhere points into what it is meant for."""
    graph, poses, states = made.graph, made.database.poses, made.graph.states
    actions, options = graph.actions, made.options
    for name, numbers, low, high in (
        ("state_pose", graph.state_pose, 0, poses),
        ("pose_state", graph.pose_state, -1, states),
        ("action_to", graph.action_to, 0, states),
        ("action_poses", graph.action_poses, 0, poses),
        ("targets", made.targets, 0, states),
        ("escape_next", made.escape_next, -1, poses),
        ("escape_frames", made.escape_frames, -1, np.iinfo(np.int32).max),
        ("frames", made.frames, 1, np.iinfo(np.int32).max),
        ("steps", made.steps, 1, made.sequences.shape[1] + 1),
    ):
        if len(numbers) and (numbers.min() < low or numbers.max() >= high):
            raise FormatError(f"a damaged mobility map: {name} points to what is not there")
    for name, bounds, end, least in (
        ("action_starts", graph.action_starts, actions, 1),
        ("action_pose_starts", graph.action_pose_starts, len(graph.action_poses), 1),
        ("row_starts", made.row_starts, options, 0),
    ):
        if bounds[0] != 0 or bounds[-1] != end or np.any(np.diff(bounds) < least):
            raise FormatError(f"a damaged mobility map: {name} do not ascend from 0 to {end}")
    if len(graph.pose_state) != poses:
        raise FormatError("a damaged mobility map: pose_state does not speak of every pose")
    if np.any(graph.pose_state[graph.state_pose] != np.arange(states)):
        raise FormatError("a damaged mobility map: states and their poses contradict each other")
    _check_sequences(made)
    for name, values in (
        *((name, getattr(made.database, name)) for name in POSE_ARRAYS[:5]),
        ("moves", made.moves),
        ("costs", made.costs),
        ("action_cost", graph.action_cost),
        ("action_moves", graph.action_moves),
    ):
        if not np.isfinite(values).all():
            raise FormatError(f"a damaged mobility map: {name} hold values that are no numbers")


def _check_sequences(made: MobilityMap) -> None:
    """Raise an error unless every sequence takes actions that there are, and ends in its target; and every escape route ends."""
    graph = made.graph
    state = np.repeat(np.arange(graph.states), np.diff(made.row_starts))
    degrees = np.diff(graph.action_starts)
    for step in range(made.sequences.shape[1]):
        going = made.steps > step
        chosen = made.sequences[:, step].astype(np.int64)
        if np.any(chosen[going] >= degrees[state[going]]):
            raise FormatError("a damaged mobility map: a sequence takes an action that its state does not have")
        state[going] = graph.action_to[graph.action_starts[state[going]] + chosen[going]]
    if np.any(state != made.targets):
        raise FormatError("a damaged mobility map: a sequence does not end in its target")
    following, frames = made.escape_next, made.escape_frames
    leads = following >= 0
    if np.any(leads != (frames > 0)) or np.any(frames[following[leads]] != frames[leads] - 1):
        raise FormatError("a damaged mobility map: an escape route leads nowhere")
