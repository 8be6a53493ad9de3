"""BVH (Biovision hierarchy): reading.

Clips come back in the file's own units and axes; `reenact.loading` finds out what those are. Numbers go straight from text to
quaternions in one pass (`kernels.bvh_text.decode`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reenact import kernels
from reenact.core.clip import Clip, JointTranslations
from reenact.core.findings import Finding
from reenact.core.origin import Origin
from reenact.core.rotations import identity, multiply, parity
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats.bvh_header import LARGEST, BvhHeader, frame_rate, line_of, parse_header
from reenact.formats.bvh_offsets import guess_added
from reenact.formats.bvh_write import write as write
from reenact.formats.loaded import Loaded, ReadOptions

_PADDING = 16  # zero bytes after the text, so that the parser's loops need no other end
_MOST_DAMAGED_ROWS = 1000
_LARGEST_ANGLE = 1e17  # from about here on the decoder's sine is none
_MISCOUNT = 1000  # times as many frames announced as held are no miscount: the file is damaged


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which column holds what."""

    columns: np.ndarray  # (J, 3) int32 rotation columns, -1 for none
    axes: np.ndarray  # (J, 3) int32
    parities: np.ndarray  # (J,) float64
    placed: np.ndarray  # (P,) int32 columns of position channels
    placed_joint: np.ndarray  # (P,) int32
    placed_axis: np.ndarray  # (P,) int32
    odd: dict[int, list[tuple[int, int]]]  # joints whose rotations are no Tait-Bryan order: (axis, column) in turn
    scale_columns: int


@dataclass(slots=True)
class _Motion:
    """Decoded rows."""

    rotations: np.ndarray  # (F, J, 4) float32
    places: np.ndarray  # (F, P) float32, file units
    findings: list[Finding]


def read(path: Path, options: ReadOptions) -> Loaded:
    """Read a BVH file: one clip, in the file's units and axes, first frame included."""
    text, size = _read_bytes(path)
    try:
        header = parse_header(_bytes_of(text)[:size], options.tolerance)
        layout = _lay_out(header)
        motion = _read_motion(text, size, header, layout, options)
    except FormatError as error:
        raise error.at(path) from None
    findings = [*header.findings, *motion.findings]
    clip = _build_clip(path, header, layout, motion, options, findings)
    return Loaded((clip,), (), tuple(_named(finding, path) for finding in findings), "bvh")


def _named(finding: Finding, path: Path) -> Finding:
    where = finding.where
    where = f"{path.name}:{where[5:]}" if where.startswith("line ") else where or path.name
    return Finding(finding.code, finding.severity, where, finding.message, finding.fixed, finding.confidence)


def _read_bytes(path: Path) -> tuple[np.ndarray, int]:
    with open(path, "rb", buffering=0) as stream:
        size = os.fstat(stream.fileno()).st_size
        text = np.empty(size + _PADDING, np.uint8)
        view = _bytes_of(text)
        got = 0
        while got < size and (count := stream.readinto(view[got:size])):
            got += count
    while got and (text[got - 1] <= 32 or text[got - 1] == 0x1A):  # DOS files may end in Ctrl-Z
        got -= 1
    text[got:] = 0
    return text, got


def _bytes_of(text: np.ndarray) -> memoryview:
    return memoryview(text)  # type: ignore[arg-type]


def _lay_out(header: BvhHeader) -> _Layout:
    count = len(header.names)
    columns = np.full((count, 3), -1, np.int32)
    axes = np.tile(np.array([2, 1, 0], np.int32), (count, 1))
    placed, odd, scales, column = [], {}, 0, 0
    for joint, codes in enumerate(header.channels):
        turns = []
        for n in range(0, len(codes), 2):
            axis = "XYZ".index(codes[n])
            if codes[n + 1] == "r":
                turns.append((axis, column))
            elif codes[n + 1] == "p":
                placed.append((column, joint, axis))
            else:
                scales += 1
            column += 1
        found = [axis for axis, _ in turns]
        if len(set(found)) != len(found):
            odd[joint] = turns
            continue
        axes[joint] = found + [axis for axis in range(3) if axis not in found]
        columns[joint, : len(turns)] = [column for _, column in turns]
    parities = np.array([float(parity(order)) for order in axes.tolist()])
    table = np.array(placed, np.int32).reshape(-1, 3)
    places, joints, directions = (np.ascontiguousarray(table[:, n]) for n in range(3))
    return _Layout(columns, axes, parities, places, joints, directions, odd, scales)


def _read_motion(text: np.ndarray, size: int, header: BvhHeader, layout: _Layout, options: ReadOptions) -> _Motion:
    width, start = header.width, header.data_start
    if width == 0:
        raise FormatError("no joint has channels", line=line_of(_bytes_of(text), start))
    most = (size - start) // (2 * width) + 1  # the shortest number is a digit and a blank
    parser = _RowParser(text, start, size, header, layout, options)
    parser.read(min(header.frames, most))
    while parser.at < size:
        parser.read(most)
    if parser.rows == 0:
        wanted = f"{header.frames} rows" if header.frames else "at least one row"
        raise FormatError(f"no frames: expected {wanted} of {width} numbers", line=line_of(_bytes_of(text), start) + 1)
    findings = parser.findings
    if parser.rows != header.frames:
        message = f"the header announces {header.frames} frames, the file holds {parser.rows}"
        damaged = header.frames > _MISCOUNT * parser.rows and options.tolerance != "recover"
        if options.tolerance == "strict" or damaged:
            raise FormatError(message, line=line_of(_bytes_of(text), start) - 1)
        cut = " (it may be cut off)" if parser.rows < header.frames else ""
        findings.append(Finding("bvh.frame-count", "warning", "", message + cut, fixed=True))
    if layout.scale_columns:
        message = f"{layout.scale_columns} scale channels are ignored"
        if options.tolerance == "strict":
            raise FormatError(message)
        findings.append(Finding("bvh.scale-channels", "warning", "", message))
    rotations, places = parser.result()
    far = ~(np.abs(places) < LARGEST).all(axis=1)
    if far.any():
        row = int(np.argmax(far))
        raise FormatError(
            f"frame {row} has a position of {np.abs(places[row]).max():g}, expected less than {LARGEST:g}",
            line=_line_of_row(text, start, size, row),
        )
    rotations, places = _without_lost_turns(text, start, size, rotations, places, options, findings)
    kernels.quaternions.make_continuous(rotations)
    return _Motion(rotations, places, findings)


def _without_lost_turns(
    text: np.ndarray,
    start: int,
    size: int,
    rotations: np.ndarray,
    places: np.ndarray,
    options: ReadOptions,
    findings: list[Finding],
) -> tuple[np.ndarray, np.ndarray]:
    """The rows whose angles are rotations. One so large that it has no sine any more is damage: an error, or the row is left out."""
    with np.errstate(over="ignore", invalid="ignore"):
        square = np.einsum("fji,fji->fj", rotations, rotations)
        if square.min() > 0.999 and square.max() < 1.001:  # false where a number is none
            return rotations, places
    sound = (np.abs(square - 1) < 1e-3).all(axis=1)
    lost = np.flatnonzero(~sound)
    for row in lost.tolist():
        line, message = _line_of_row(text, start, size, row), f"frame {row} has an angle too large to be one"
        if options.tolerance != "recover" or len(lost) > _MOST_DAMAGED_ROWS or len(lost) == len(sound):
            raise FormatError(f"{message}, expected degrees of a turn", line=line)
        where = f"line {line}" if line else ""
        findings.append(Finding("bvh.damaged-row", "error", where, f"{message}; the row is left out", fixed=True))
    return np.ascontiguousarray(rotations[sound]), np.ascontiguousarray(places[sound])


def _line_of_row(text: np.ndarray, start: int, size: int, row: int) -> int | None:
    """Line on which a row stands; None where rows are broken over several lines or some were left out."""
    lines = bytes(text[start:size]).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    filled = [n for n, line in enumerate(lines) if line.strip()]
    return line_of(_bytes_of(text), start) + filled[row] if row < len(filled) else None


class _RowParser:
    """Reads rows in one go while they are in order, and deals with those that are not."""

    def __init__(
        self, text: np.ndarray, at: int, end: int, header: BvhHeader, layout: _Layout, options: ReadOptions
    ) -> None:
        self.text, self.at, self.end = text, at, end
        self.width, self.layout, self.options = header.width, layout, options
        self.announced = header.frames
        self.joints = len(header.names)
        self.rows = 0
        self.findings: list[Finding] = []
        self._parts: list[tuple[np.ndarray, np.ndarray]] = []
        self._damaged = 0

    def read(self, rows: int) -> None:
        """Read up to `rows` more rows."""
        if rows <= 0 or self.at >= self.end:
            return
        if self._parts:  # beyond what was announced: count lines, to ask for no more memory than is needed
            rows = min(
                rows,
                1
                + int(np.count_nonzero((self.text[self.at : self.end] == 10) | (self.text[self.at : self.end] == 13))),
            )
        rotations = np.empty((rows, self.joints, 4), np.float32)
        places = np.empty((rows, len(self.layout.placed)), np.float32)
        done = 0
        while done < rows and self.at < self.end:
            count, at, status = self._decode(rows - done, rotations, places, done)
            done += count
            self.at = at
            if status in (kernels.bvh_text.DONE, kernels.bvh_text.END_OF_TEXT):
                break
            if self.rows + done == 0 and status == kernels.bvh_text.SHORT_ROW and self._read_wrapped():
                return
            self._report(status)
        self.rows += done
        self._parts.append((rotations[:done], places[:done]))
        while self.at < self.end and self.text[self.at] <= 32:
            self.at += 1

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows read: rotations (F, J, 4) and places (F, P)."""
        parts = [part for part in self._parts if len(part[0])]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _decode(self, rows: int, rotations: np.ndarray, places: np.ndarray, first: int) -> tuple[int, int, int]:
        layout = self.layout
        if not layout.odd:
            count, at, status = kernels.bvh_text.decode(
                self.text, self.at, self.end, rows, self.width, layout.columns, layout.axes, layout.parities,
                layout.placed, rotations, places, first,
            )  # fmt: skip
            return int(count), int(at), int(status)
        values = np.empty((rows, self.width))
        count, at, status = kernels.bvh_text.parse_rows(self.text, self.at, self.end, rows, values)
        self._compose(values[:count], rotations[first : first + count], places[first : first + count])
        return int(count), int(at), int(status)

    def _compose(self, values: np.ndarray, rotations: np.ndarray, places: np.ndarray) -> None:
        """The general way from channel values to rotations: any number of turns about any axes."""
        layout = self.layout
        places[:] = values[:, layout.placed]
        values = np.where(np.abs(values) < _LARGEST_ANGLE, values, np.nan)
        kernels.euler.from_euler(values, 180.0, layout.columns, layout.axes, layout.parities, rotations)
        for joint, turns in layout.odd.items():
            q = identity(len(values))
            for axis, column in turns:
                half = np.radians(values[:, column]) / 2
                step = np.zeros((len(values), 4))
                step[:, 0], step[:, axis + 1] = np.cos(half), np.sin(half)
                q = multiply(q, step)
            rotations[:, joint] = q

    def _read_wrapped(self) -> bool:
        """Rows broken over several lines: take the numbers one after the other, if they come out even."""
        if self.options.tolerance == "strict":
            return False
        start = self._line_start(self.at)
        numbers = np.empty((self.end - start) // 2 + 1)
        count, at, status = kernels.bvh_text.parse_wrapped(self.text, start, self.end, numbers)
        if status != kernels.bvh_text.END_OF_TEXT or count == 0 or count != self.announced * self.width:
            return False
        rows = count // self.width
        rotations = np.empty((rows, self.joints, 4), np.float32)
        places = np.empty((rows, len(self.layout.placed)), np.float32)
        self._compose(numbers[:count].reshape(rows, self.width), rotations, places)
        self._parts.append((rotations, places))
        self.rows, self.at = rows, int(at)
        self.findings.append(
            Finding("bvh.wrapped-rows", "info", "", "rows of numbers are broken over several lines", fixed=True)
        )
        return True

    def _line_start(self, at: int) -> int:
        while at > 0 and self.text[at - 1] not in (10, 13):
            at -= 1
        return at

    def _line_end(self, at: int) -> int:
        while at < self.end and self.text[at] not in (10, 13):
            at += 1
        return at

    def _report(self, status: int) -> None:
        """Raise for a damaged row, or note it and go on after it."""
        first, last = self._line_start(self.at), self._line_end(self.at)
        line = bytes(self.text[first:last])
        number = line_of(_bytes_of(self.text), self.at)
        if status == kernels.bvh_text.BAD_NUMBER:
            raw = bytes(self.text[self.at : min(self.at + 40, last)])
            word = raw.split()[0] if raw.split() else raw[:1]
            shown = word.decode("ascii", "backslashreplace")
            message = f"expected a number, found {shown!r}"
        else:
            message = f"expected {self.width} numbers, found {len(line.split())}"
        if self.options.tolerance != "recover":
            raise FormatError(message, line=number)
        self._damaged += 1
        if self._damaged > _MOST_DAMAGED_ROWS:
            raise FormatError(f"more than {_MOST_DAMAGED_ROWS} damaged rows, the last: {message}", line=number)
        self.findings.append(
            Finding("bvh.damaged-row", "error", f"line {number}", f"{message}; the row is left out", fixed=True)
        )
        self.at = last


def _build_clip(
    path: Path, header: BvhHeader, layout: _Layout, motion: _Motion, options: ReadOptions, findings: list[Finding]
) -> Clip:
    offsets = np.array(header.offsets)
    frames, count = len(motion.rotations), len(header.names)
    skeleton = Skeleton(
        tuple(header.names), np.array(header.parents, np.int32), offsets,
        end_joints=np.array(header.end_joints, np.int32), end_offsets=np.array(header.end_offsets).reshape(-1, 3),
    )  # fmt: skip
    adds = _adds_offset(layout, motion.places, offsets, options, findings)
    root = np.tile(offsets[0].astype(np.float32), (frames, 1))
    moved: dict[int, np.ndarray] = {}
    for joint in sorted(set(layout.placed_joint.tolist())):
        place = root if joint == 0 else np.tile(offsets[joint].astype(np.float32), (frames, 1))
        for column in np.flatnonzero(layout.placed_joint == joint):
            axis = layout.placed_axis[column]
            place[:, axis] = motion.places[:, column] + (np.float32(offsets[joint, axis]) if adds else np.float32(0))
        if joint:
            moved[joint] = place
    size = max(float(np.abs(offsets[1:]).max(initial=0.0)), 1e-9)
    moving = [joint for joint, place in moved.items() if np.abs(place - offsets[joint]).max() > 1e-5 * size]
    translations = None
    if moving:
        translations = JointTranslations(
            np.array(moving, np.int32), np.stack([moved[joint] for joint in moving], axis=1)
        )
        named = ", ".join(header.names[joint] for joint in moving[:3]) + (" ..." if len(moving) > 3 else "")
        findings.append(
            Finding(
                "bvh.moving-joints",
                "info",
                "",
                f"{len(moving)} of {count} joints move in their parent's frame: {named}",
            )
        )
    if (
        abs(frame_rate(header.frame_time) * float(header.frame_time) - 1.0) > 5e-5
    ):  # more than the usual six digits explain
        message = f"frame time {header.frame_time} is read as {frame_rate(header.frame_time):g} Hz"
        findings.append(Finding("bvh.frame-time", "info", "", message, fixed=True))
    end_names = tuple(header.end_names) if any(header.end_names) else ()
    origin = Origin(
        format="bvh", path=str(path), unit=1.0, frame_time=header.frame_time, channels=tuple(header.channels),
        adds_offset=adds, end_names=end_names,
    )  # fmt: skip
    return Clip(
        skeleton, motion.rotations, root, frame_rate(header.frame_time), path.stem, translations, origin
    ).as_recorded()


def _adds_offset(
    layout: _Layout, places: np.ndarray, offsets: np.ndarray, options: ReadOptions, findings: list[Finding]
) -> bool:
    """Whether position channels are meant on top of OFFSET: they are when they hover about zero rather than about the offset."""
    if options.position_channels != "auto":
        return options.position_channels == "add"
    adds = guess_added(places, offsets[layout.placed_joint, layout.placed_axis], offsets)
    if adds is None:
        return False
    rule = "added to" if adds else "taken instead of"
    message = f"position channels are {rule} OFFSET, which is not zero"
    findings.append(Finding("bvh.position-channels", "info", "", message, fixed=adds, confidence=0.9))
    return adds
