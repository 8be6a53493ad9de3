"""BVH (Biovision hierarchy): writing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from reenact import kernels
from reenact.core.clip import Clip
from reenact.core.rotations import parity
from reenact.core.skeleton import Skeleton
from reenact.core.space import in_file_space
from reenact.errors import FormatError
from reenact.formats.atomic import atomic_write
from reenact.formats.bvh_header import LARGEST, frame_rate
from reenact.formats.bvh_offsets import guess_added
from reenact.formats.loaded import WriteOptions

_NAMES = {"p": "position", "r": "rotation"}
_DEFAULT_ROOT, _DEFAULT_JOINT = "XpYpZpZrYrXr", "ZrYrXr"
_TILE = 256  # frames a time: the text of a tile stays in the cache
_CENTIMETRE = 0.01
_BREAKING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029{}]")  # in a name these would break the hierarchy


def write(clips: Sequence[Clip], path: Path, options: WriteOptions) -> None:
    """Write one clip. Its origin's channel layout, units, axes, end site names and frame time are restored where it has them."""
    (clip,) = clips
    ours = clip.origin.format == "bvh"
    unit = options.unit or (clip.origin.unit if ours else _CENTIMETRE)
    up = options.up or (clip.origin.up if ours else "y")
    if not 0 <= options.decimals <= 8:
        raise FormatError(f"decimals must lie in 0 to 8, not {options.decimals}", path=path)
    filed = in_file_space(clip, unit, up)
    channels = _channels(filed)
    if not clip.pristine:
        filed = _with_clear_offset(filed, channels)
    with atomic_write(path) as stream:
        stream.write(_hierarchy(filed, channels, options.decimals).encode("utf-8", "replace"))
        stream.write(f"MOTION\nFrames: {len(filed)}\nFrame Time: {_frame_time(clip)}\n".encode())
        for rows in _rows(filed, channels, options.decimals, path):
            stream.write(rows)


def _frame_time(clip: Clip) -> str:
    written = clip.origin.frame_time
    if written and clip.origin.format == "bvh" and frame_rate(written) == clip.fps:
        return written
    return f"{1 / clip.fps:.12g}"


def _channels(clip: Clip) -> list[str]:
    """Channels of each joint in short form: the origin's, with what the motion needs beside."""
    skeleton, known = clip.skeleton, clip.origin.channels
    moving = set() if clip.translations is None else set(clip.translations.joints.tolist())
    layout = []
    for joint in range(len(skeleton)):
        codes = known[joint] if len(known) == len(skeleton) else _DEFAULT_JOINT if joint else _DEFAULT_ROOT
        places = [codes[n : n + 2] for n in range(0, len(codes), 2) if codes[n + 1] == "p"]
        turns = [codes[n : n + 2] for n in range(0, len(codes), 2) if codes[n + 1] == "r"]
        lost = len(turns) != 3 or len(set(turns)) != 3  # such channels cannot hold every rotation
        if lost and (turns or not _holds_still(clip, joint)):
            codes = "".join(places) + "ZrYrXr"
        elif "s" in codes:
            codes = "".join(codes[n : n + 2] for n in range(0, len(codes), 2) if codes[n + 1] != "s")
        if len(places) != 3 and (joint in moving or (joint == 0 and not _stands_at_offset(clip))):
            codes = "XpYpZp" + "".join(codes[n : n + 2] for n in range(0, len(codes), 2) if codes[n + 1] == "r")
        layout.append(codes)
    return layout


def _holds_still(clip: Clip, joint: int) -> bool:
    """Whether a joint without rotation channels needs none."""
    return bool(np.allclose(np.abs(clip.rotations[:, joint, 0]), 1, atol=1e-7))


def _with_clear_offset(clip: Clip, channels: list[str]) -> Clip:
    """The clip with its root's OFFSET at zero where readers would take its positions for others than they are.

    The OFFSET of a recorded skeleton is often where its subject stood in the first frame. Of a motion that is somewhere else by now nobody
    can tell whether positions are counted from there.
    """
    wanted = [
        (joint, "XYZ".index(codes[n]))
        for joint, codes in enumerate(channels)
        for n in range(0, len(codes), 2)
        if codes[n + 1] == "p"
    ]
    joints, axes = np.array(wanted, np.int64).reshape(-1, 2).T
    offsets, added = clip.skeleton.offsets, clip.origin.adds_offset and clip.origin.format == "bvh"
    guess = guess_added(_places(clip, wanted), offsets[joints, axes], offsets)
    if guess in (None, added) or (joints == 0).sum() < 3:
        return clip
    offsets = offsets.copy()
    offsets[0] = 0.0
    origin = replace(clip.origin, adds_offset=False)
    return replace(clip, skeleton=replace(clip.skeleton, offsets=offsets), origin=origin)


def _stands_at_offset(clip: Clip) -> bool:
    """Whether a root without position channels needs none."""
    return bool(np.allclose(clip.root, clip.skeleton.offsets[0], atol=1e-6))


def _number(value: float, decimals: int) -> str:
    text = f"{value:.{max(decimals, 6)}f}"
    return "0.000000" if float(text) == 0 else text


def _hierarchy(clip: Clip, channels: list[str], decimals: int) -> str:
    skeleton = clip.skeleton
    ends: dict[int, list[int]] = {}
    for n, joint in enumerate(skeleton.end_joints.tolist()):
        ends.setdefault(joint, []).append(n)
    named = clip.origin.end_names if len(clip.origin.end_names) == len(skeleton.end_joints) else ()
    lines = ["HIERARCHY"]
    work: list[tuple[str, int, int]] = [("open", 0, 0)]
    while work:
        step, joint, depth = work.pop()
        tab = "\t" * depth
        if step == "close":
            lines.append(tab + "}")
            continue
        lines += [f"{tab}{'JOINT' if depth else 'ROOT'} {_BREAKING.sub('_', skeleton.names[joint])}", tab + "{"]
        lines.append(f"{tab}\tOFFSET {' '.join(_number(value, decimals) for value in skeleton.offsets[joint])}")
        codes = channels[joint]
        spelled = [codes[n] + _NAMES[codes[n + 1]] for n in range(0, len(codes), 2)]
        lines.append(f"{tab}\tCHANNELS {' '.join([str(len(spelled)), *spelled])}")
        for n in ends.get(joint, ()):
            lines += [f"{tab}\tEnd {(named[n] if named else '') or 'Site'}", tab + "\t{"]
            lines.append(f"{tab}\t\tOFFSET {' '.join(_number(value, decimals) for value in skeleton.end_offsets[n])}")
            lines.append(tab + "\t}")
        work.append(("close", joint, depth))
        work += [("open", child, depth + 1) for child in reversed(skeleton.children[joint])]
    return "\n".join(lines) + "\n"


def _file_order(skeleton: Skeleton) -> list[int]:
    """Joints as the hierarchy names them, depth first; motion columns follow it, whatever the order of the skeleton."""
    order, work = [], [0]
    while work:
        joint = work.pop()
        order.append(joint)
        work += reversed(skeleton.children[joint])
    return order


def _rows(clip: Clip, channels: list[str], decimals: int, path: Path):
    """The numbers as text, a tile of frames at a time."""
    joints = len(clip.skeleton)
    axes = np.tile(np.array([2, 1, 0], np.int32), (joints, 1))
    turn_from, turn_to, place_from, place_to, column = [], [], [], [], 0
    for joint in _file_order(clip.skeleton):
        codes = channels[joint]
        order = [("XYZ".index(codes[n]), codes[n + 1]) for n in range(0, len(codes), 2)]
        turns = [axis for axis, kind in order if kind == "r"]
        if turns:
            axes[joint] = turns
        taken = 0
        for axis, kind in order:
            if kind == "r":
                turn_from.append(3 * joint + taken)
                turn_to.append(column)
                taken += 1
            else:
                place_from.append((joint, axis))
                place_to.append(column)
            column += 1
    parities = np.array([float(parity(order)) for order in axes.tolist()])
    places = _places(clip, place_from)
    if not (np.isfinite(places).all() and np.isfinite(clip.rotations).all()):
        raise FormatError("the clip holds values that are no numbers", path=path)
    if np.abs(places).max(initial=0) >= LARGEST:
        raise FormatError(f"positions up to {np.abs(places).max():g} units do not fit the format", path=path)
    previous = np.full(3 * joints, math.nan)
    angles = np.empty((_TILE, 3 * joints))
    values = np.empty((_TILE, column))
    text = np.empty(_TILE * column * (13 + decimals) + 16, np.uint8)
    straight = turn_from == list(range(3 * joints)) and turn_to == list(range(column - 3 * joints, column))
    for first in range(0, len(clip), _TILE):
        count = min(_TILE, len(clip) - first)
        kernels.euler.to_euler(clip.rotations[first : first + count], axes, parities, 180.0, previous, angles[:count])
        if straight:
            values[:count, turn_to[0] :] = angles[:count]
        else:
            values[:count, turn_to] = angles[:count, turn_from]
        values[:count, place_to] = places[first : first + count]
        end = kernels.bvh_text.format_rows(values[:count], decimals, text, 0)
        yield memoryview(text)[:end]  # type: ignore[arg-type]


def _places(clip: Clip, wanted: list[tuple[int, int]]) -> np.ndarray:
    """(F, P) position channel values."""
    moved = {} if clip.translations is None else {int(j): n for n, j in enumerate(clip.translations.joints)}
    out = np.empty((len(clip), len(wanted)))
    for n, (joint, axis) in enumerate(wanted):
        if joint == 0:
            out[:, n] = clip.root[:, axis]
        elif joint in moved and clip.translations is not None:
            out[:, n] = clip.translations.values[:, moved[joint], axis]
        else:
            out[:, n] = clip.skeleton.offsets[joint, axis]
        if clip.origin.adds_offset and clip.origin.format == "bvh":
            out[:, n] -= clip.skeleton.offsets[joint, axis]
    return out
