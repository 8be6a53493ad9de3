"""Acclaim motion files (AMC): frames of named lines, meaningful only with the skeleton file (ASF) beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from reenact import kernels
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.origin import Origin
from reenact.errors import FormatError, ParameterError
from reenact.formats.acclaim import decode
from reenact.formats.acclaim_layout import Layout, plan_layout
from reenact.formats.amc_frames import PADDING, Frames, read_frames
from reenact.formats.asf import read_skeleton
from reenact.formats.atomic import atomic_write
from reenact.formats.loaded import Loaded, ReadOptions, WriteOptions

USUAL_FPS = 120.0
MOST_JOINT_FRAMES = 2**28
"""Bound of frames times joints (4 GiB of rotations): a damaged pair of files must not exhaust the memory."""

_NAMED_FPS = re.compile(r"_(100|120|200|240|250|300|480)$")
_NOTED_FPS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:fps|hz|frames per second)", re.IGNORECASE)


def read(path: Path, options: ReadOptions) -> Loaded:
    """Read a motion file with its skeleton: `options.skeleton`, else the best match beside it (see `find_skeleton`)."""
    path = Path(path)
    data = _read_bytes(path)
    beside = find_skeleton(path) if options.skeleton is None else Path(options.skeleton)
    prepared, noticed, text = read_skeleton(beside, options.tolerance)
    try:
        frames = read_frames(data, prepared, options.tolerance)
        if len(frames.values) * len(prepared.skeleton) > MOST_JOINT_FRAMES:
            raise FormatError(
                f"{len(frames.values)} frames of {len(prepared.skeleton)} joints are more than fit in memory"
            )
    except FormatError as error:
        raise error.at(path) from None
    findings = [*noticed, *(replace(f, where=f"{path}:{f.where}" if f.where else str(path)) for f in frames.findings)]
    fps, source, confidence = _find_rate(path, frames)
    message = f"AMC files state no frame rate; {fps:g} Hz is taken {source}"
    findings.append(Finding("amc.frame-rate", "info", str(path), message, fixed=True, confidence=confidence))
    if options.skeleton is None:
        findings.append(
            Finding("amc.skeleton", "info", str(path), f"the skeleton is taken from {beside.name}", fixed=True)
        )
    if prepared.channels.still_tips:
        message = (
            f"end bones cannot change their length here; `l` of {', '.join(prepared.channels.still_tips)} is not used"
        )
        findings.append(Finding("amc.end-length", "warning", str(path), message))
    rotations, root, translations = decode(prepared, frames.values, 180.0 if frames.degrees else math.pi)
    origin = Origin(
        "amc", str(path), prepared.acclaim.unit, acclaim=(text, *frames.line_names), findings=tuple(findings)
    )
    clip = Clip(prepared.skeleton, rotations, root, fps, path.stem, translations, origin)
    return Loaded((clip.as_recorded(),), (), tuple(findings), "amc")


def find_skeleton(path: Path) -> Path:
    """The ASF file for a motion file: in its folder, the one whose name is the longest beginning of the motion file's name.

    `02_01.amc` takes `02.asf`, not `0.asf`: the beginning must end where a word or a number ends.
    """
    folder = path.parent
    candidates = sorted(file for file in folder.iterdir() if file.suffix.lower() == ".asf" and file.is_file())
    fitting = [file for file in candidates if _begins(path.stem.casefold(), file.stem.casefold())]
    if fitting:
        return max(fitting, key=lambda file: len(file.stem))
    if not candidates:
        raise FormatError(f"an AMC file needs its ASF skeleton; there is no .asf file in {folder}", path=path)
    listed = ", ".join(file.name for file in candidates[:8]) + (", ..." if len(candidates) > 8 else "")
    raise FormatError(f"no .asf file beside it fits its name; name one as the skeleton: {listed}", path=path)


def _begins(name: str, start: str) -> bool:
    """True when `name` begins with `start` and what follows is not more of the same word or number."""
    if not start or not name.startswith(start):
        return False
    rest = name[len(start) :]
    both = start[-1] + rest[:1]
    return not rest or not (both.isdigit() or both.isalpha())


def _read_bytes(path: Path) -> bytearray:
    """The file's bytes, and zeros after them, which the kernels need."""
    with path.open("rb") as stream:
        stream.seek(0, 2)
        data = bytearray(stream.tell() + PADDING)
        stream.seek(0)
        with memoryview(data) as view:
            got = stream.readinto(view[:-PADDING])
    del data[got:-PADDING]
    return data


def _find_rate(path: Path, frames: Frames) -> tuple[float, str, float]:
    """Frames per second, where that comes from, and how sure it is."""
    if frames.rate is not None:
        return frames.rate, "from its header", 1.0
    for comment in frames.comments:
        noted = _NOTED_FPS.search(comment)
        if noted and 1 <= float(noted[1]) <= 10000:
            return float(noted[1]), "from a comment in it", 0.95
    if named := _NAMED_FPS.search(path.stem):
        return float(named[1]), "from the end of its name", 0.9
    return USUAL_FPS, "as most are recorded", 0.7


def write(clips: Sequence[Clip], path: Path, options: WriteOptions) -> None:
    """Write a clip as a motion file, and its skeleton beside it under the same name with the ending .asf.

    A clip that came from an AMC file keeps its skeleton text, axes, degrees of freedom and limits, as far as its motion still fits
    them; any other clip gets bones along its joints with three rotations each (`formats.acclaim_layout`).

    Raises:
        FormatError: another skeleton of that name is there, which no motion file of that name belongs to.
    """
    path, (clip,) = Path(path), clips
    if options.up not in (None, "y"):
        raise ParameterError(f"Acclaim motion is written Y up, not {options.up!r}")
    if not 0 <= options.decimals <= 8:
        raise FormatError(f"decimals must lie in 0 to 8, not {options.decimals}", path=path)
    layout = plan_layout(clip, options.unit)
    body = _format_frames(layout, options.decimals, path)
    skeleton = path.with_suffix(".asf")
    text = layout.text.encode("utf-8")
    if skeleton.exists() and not path.exists() and skeleton.read_bytes() != text:
        raise FormatError(
            f"its skeleton would replace {skeleton.name}, which holds another one; choose another name or move that file",
            path=path,
        )
    angles = ":DEGREES" if layout.degrees else ":RADIANS"
    header = f"#!OML:ASF {skeleton.name}\n# {clip.fps:.9g} fps\n:FULLY-SPECIFIED\n{angles}\n"
    with atomic_write(skeleton) as bones, atomic_write(path) as motion:  # both whole on the disk before either appears
        bones.write(text)
        bones.flush()
        motion.write(header.encode("utf-8"))
        motion.write(body)


def _format_frames(layout: Layout, decimals: int, path: Path) -> bytes:
    """The text of every frame."""
    values = layout.values
    size = np.abs(values).max(axis=1, initial=0.0)
    wrong = ~(size < 1e9)
    if wrong.any():
        raise FormatError(
            f"frame {int(wrong.argmax())} holds a value that is not finite or too large to write", path=path
        )
    names = [name.encode("utf-8") for name, _ in layout.lines]
    starts = np.cumsum([0, *(len(name) for name in names)]).astype(np.int64)
    counts = np.array([count for _, count in layout.lines], np.int64)
    room = len(values) * (20 + int(starts[-1]) + 2 * len(names) + values.shape[1] * (13 + decimals)) + 16
    text = np.empty(room, np.uint8)
    joined = np.frombuffer(b"".join(names), np.uint8)
    end = kernels.amc_text.format_frames(values, joined, starts, counts, decimals, 1, text, 0)
    return text[:end].tobytes()
