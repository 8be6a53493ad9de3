"""The frames of an AMC file: text to channel values.

Nearly every file repeats one pattern of lines in all its frames, which a kernel reads at full speed. The first frame, and any frame
that the kernel refuses, goes through the reader here, which understands missing numbers, comments and damage and can say where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact import kernels
from reenact.core.arrays import Float64
from reenact.core.findings import Finding, Severity
from reenact.errors import FormatError
from reenact.formats.acclaim import Channels, Prepared
from reenact.formats.asf import BoneNames
from reenact.formats.loaded import Tolerance

LARGEST = 1e6
"""Bound of every value, in file units or degrees: larger ones can only be damage."""

PADDING = 17
"""Zero bytes that must follow the text: the kernels read whole words."""

_LINE = re.compile(rb"[^\r\n]*")
_BREAK = re.compile(rb"\r\n|\r|\n")
_WHOLE = re.compile(rb"\d{1,18}$")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frames:
    """What a motion file holds.

    Attributes:
        values: (F, C) channel values in file units, as `acclaim.Channels` orders them.
        degrees: angles are degrees, not radians.
        rate: frames per second, when the file states it (`:SAMPLES-PER-SECOND`, an extension).
        line_names: bones in the order of the file's lines.
        comments: comments of the header.
        findings: what was noticed; `where` is a line number.
    """

    values: Float64
    degrees: bool
    rate: float | None
    line_names: tuple[str, ...]
    comments: tuple[str, ...]
    findings: tuple[Finding, ...]


def read_frames(data: bytearray, prepared: Prepared, tolerance: Tolerance) -> Frames:
    """Channel values of the bytes of a motion file, which `PADDING` zero bytes must follow."""
    reader = _Reader(data, prepared.channels, tolerance)
    at = reader.read_header(prepared.acclaim.degrees)
    values = reader.read_body(at)
    pattern = tuple(prepared.channels.names[group] for group in reader.pattern)
    return Frames(values, reader.degrees, reader.rate, pattern, tuple(reader.comments), tuple(reader.findings))


class _Reader:
    """Reads a file from top to bottom.

    `pattern` lists the channel groups of a frame in the order of its lines, `spelled` their names as the file writes them.
    """

    def __init__(self, data: bytearray, channels: Channels, tolerance: Tolerance) -> None:
        self.data, self.end = data, len(data) - PADDING
        self.channels, self.tolerance = channels, tolerance
        if data.find(0, 0, self.end) >= 0:
            raise FormatError("the file holds binary data, expected the text of Acclaim motion")
        self.names = BoneNames(list(channels.names[1:]))
        self.findings: list[Finding] = []
        self.comments: list[str] = []
        self.degrees = True
        self.rate: float | None = None
        self.pattern: list[int] = []
        self.spelled: list[bytes] = []
        self.numbers: list[int | None] = []
        self.held = np.zeros(channels.width)

    def line_at(self, at: int) -> int:
        """Number of the line that holds a position."""
        feeds = self.data.count(b"\n", 0, at)
        return 1 + (feeds or self.data.count(b"\r", 0, at))

    def note(
        self,
        code: str,
        message: str,
        at: int | None,
        severity: Severity = "warning",
        *,
        damage: bool = False,
        fixed: bool = True,
    ) -> None:
        """Record a finding; when the tolerance does not allow it, raise instead. Quirks may not be in strict reading."""
        line = None if at is None else self.line_at(at)
        if self.tolerance == "strict" or (damage and self.tolerance != "recover"):
            raise FormatError(message, line=line)
        self.findings.append(Finding(code, severity, "" if line is None else str(line), message, fixed=fixed))

    def next_line(self, at: int) -> tuple[int, list[bytes], int]:
        """(start, words, start of the next line) of the first line from `at` on that is not blank; no words at the end."""
        while at < self.end:
            stop = min(_LINE.match(self.data, at).end(), self.end)  # type: ignore[union-attr]
            broken = _BREAK.match(self.data, stop)
            after = broken.end() if broken else self.end
            words = bytes(self.data[at:stop]).split()
            if words:
                return at, words, after
            at = after
        return self.end, [], self.end

    def read_header(self, degrees: bool) -> int:
        """Read up to the first frame: where that begins. `degrees` is the skeleton file's angle unit."""
        keywords: dict[bytes, list[bytes]] = {}
        at = 3 if self.data.startswith(b"\xef\xbb\xbf") else 0
        while True:
            start, words, at = self.next_line(at)
            if not words:
                raise FormatError("the file is empty or ends before its first frame", line=self.line_at(self.end))
            if words[0].startswith(b"#"):
                self.comments.append(b" ".join(words).decode("utf-8", "replace")[1:].strip())
            elif words[0].startswith(b":"):
                keywords[words[0][1:].lower()] = words[1:]
            else:
                break
        if not _WHOLE.match(words[0]) and self.names.find(_text(words[0])) is None:
            message = f"expected a frame number or a bone, found {_text(words[0])[:40]!r}"
            raise FormatError(message, line=self.line_at(start))
        self.degrees = degrees
        if b"degrees" in keywords or b"radians" in keywords:
            self.degrees = b"degrees" in keywords
        else:
            unit = "degrees" if degrees else "radians"
            self.note(
                "amc.no-angle-unit",
                f"neither :DEGREES nor :RADIANS stands in the header; {unit} as in the skeleton",
                start,
            )
        if b"fully-specified" not in keywords:
            self.note(
                "amc.not-specified", "the header lacks :FULLY-SPECIFIED; values are read as if it were there", start
            )
        rate = keywords.get(b"samples-per-second") or [b""]
        if _NUMBER.match(rate[0]) and 1 <= float(rate[0]) <= 10000:
            self.rate = float(rate[0])
        return start

    def read_body(self, at: int) -> Float64:
        """(F, C) values of all frames."""
        text = np.frombuffer(self.data, np.uint8)
        blocks: list[Float64] = []
        frames = 0
        while at < self.end:
            begin = at
            row, at = self._read_odd_frame(at, frames)
            if row is None:
                break
            block = row[None]
            if self.numbers[-1] is not None:
                # from this frame on again, so that a file without oddities is one array
                rest, after = self._read_pattern(text, begin, at - begin)
                if len(rest):
                    self.numbers.pop(-1 - len(rest))
                    block, at = rest, after
            self.held = block[-1]
            blocks.append(block)
            frames += len(block)
        if not frames:
            raise FormatError("the file holds no whole frame", line=self.line_at(self.end))
        self._check_numbers()
        self._check_pattern()
        if self.data[self.end - 1] not in b"\r\n":
            self.findings.append(
                Finding(
                    "amc.no-line-end",
                    "warning",
                    str(self.line_at(self.end)),
                    "the last line has no end; its last value may be cut off",
                )
            )
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def _read_pattern(self, text: np.ndarray, at: int, size: int) -> tuple[Float64, int]:
        """All frames from `at` on that are like the last one: their values, and where reading goes on.

        `size` is the bytes of the last frame: a first guess of how many frames there are, which spares most of the memory.
        """
        joined = np.frombuffer(b"".join(self.spelled), np.uint8)
        starts = np.cumsum([0, *map(len, self.spelled)]).astype(np.int64)
        columns = np.array([self.channels.starts[group] for group in self.pattern], np.int64)
        counts = np.array([self.channels.counts[group] for group in self.pattern], np.int64)
        smallest = 2 + len(joined) + 2 * int(counts.sum()) + len(self.pattern)  # a frame number, names, values

        def parse(at: int, room: int) -> tuple[Float64, Any, int, int]:
            values, numbers = np.zeros((room, self.channels.width)), np.empty(room, np.int64)
            count, after, status = kernels.amc_text.parse_frames(
                text, at, self.end, joined, starts, columns, counts, LARGEST, numbers, values
            )
            return values[:count], numbers[:count], int(after), status

        if not len(parse(at, 1)[0]):  # the frame is in words that only the slow reader knows
            return np.empty((0, self.channels.width)), at
        blocks: list[Float64] = []
        status = kernels.amc_text.DONE
        while status == kernels.amc_text.DONE and at < self.end:
            room = min((self.end - at) // smallest, int((self.end - at) / size * 1.02) + 16) + 1
            values, numbers, at, status = parse(at, room)
            self.numbers.extend(numbers.tolist())
            if len(values):
                blocks.append(values)
        return (blocks[0] if len(blocks) == 1 else np.concatenate(blocks)), at

    def _read_odd_frame(self, at: int, frame: int) -> tuple[Float64 | None, int]:
        """One frame of any kind: its row (None when nothing is left or it was cut off) and where the next begins."""
        number: int | None = None
        row = self.held.copy()
        groups: list[int] = []
        spelled: list[bytes] = []
        begin = at
        while True:
            start, words, after = self.next_line(at)
            if not words:
                break
            if words[0].startswith((b"#", b":")):
                at = after
                continue
            if _WHOLE.match(words[0]) and len(words) == 1:
                if groups or number is not None:
                    break
                number = int(words[0])
                at = after
                continue
            group = self._find_group(words[0], start)
            if group is None:
                at = after
                continue
            if group in groups:
                if number is None:
                    break  # frames without numbers: the first bone again begins the next
                message = f"frame {frame} (from 0) has two lines for {_text(words[0])!r}"
                self.note("amc.bone-twice", message + "; the first is kept", start, damage=True)
                at = after
                continue
            first, count = self.channels.starts[group], self.channels.counts[group]
            good = self._read_values(words, count, row[first : first + count], start)
            at = after
            if good:
                groups.append(group)
                spelled.append(words[0])
        if not groups and number is None:
            return None, self.end
        if frame and number is None and self.numbers[0] is not None:
            self.note("amc.no-frame-number", f"frame {frame} (from 0) has no number", begin)
        whole = self._check_frame(groups, frame, begin, last=at >= self.end)
        if not whole:
            return None, self.end
        if not self.pattern or len(groups) >= len(self.pattern):
            self.pattern, self.spelled = groups, spelled
        self.numbers.append(number)
        return row, at

    def _find_group(self, word: bytes, at: int) -> int | None:
        """Channel group of a line's name; None when it is unknown and passed over."""
        found = self.names.find(_text(word))
        if found is None:
            known = self.channels.names
            listed = ", ".join(known[:6]) + (", ..." if len(known) > 6 else "")
            message = f"{_text(word)[:40]!r} is no bone of the skeleton with degrees of freedom ({listed})"
            self.note("amc.unknown-bone", message, at, "error", damage=True, fixed=False)
            return None
        return found + 1  # the root is -1 among bones and 0 among groups

    def _read_values(self, words: list[bytes], count: int, into: Float64, at: int) -> bool:
        """Read a line's values; False when it is damaged and the value before is kept."""
        name = _text(words[0])[:40]
        message = ""
        if len(words) - 1 != count:
            message = f"{name!r} takes {count} numbers, found {len(words) - 1}"
        else:
            wrong = [word for word in words[1:] if not (_NUMBER.match(word) and abs(float(word)) <= LARGEST)]
            if wrong:
                message = f"{name!r} has {_text(wrong[0])[:40]!r}, expected a number within {LARGEST:g}"
        if message:
            self.note("amc.bad-values", message, at, "error", damage=True)
            return False
        into[:] = [float(word) for word in words[1:]]
        return True

    def _check_frame(self, groups: list[int], frame: int, at: int, *, last: bool) -> bool:
        """Compare a frame's bones with the frames before; False when it is the cut-off end of the file."""
        if not groups:
            message = f"frame {frame} (from 0) holds nothing but its number"
            self.note("amc.cut-off", message, at, "error", damage=True)
            return not last
        if not self.pattern:
            missing = [name for group, name in enumerate(self.channels.names) if group not in groups]
            if missing and last:
                message = f"the file ends within its first frame: {', '.join(missing[:4])} missing; zeros are taken"
                self.note("amc.cut-off", message, at, "error", damage=True)
            return True
        missing = [self.channels.names[group] for group in self.pattern if group not in groups]
        added = [self.channels.names[group] for group in groups if group not in self.pattern]
        if missing and last:
            message = f"the file ends within frame {frame} (from 0): {', '.join(missing[:4])} missing; it is left out"
            self.note("amc.cut-off", message, at, "error", damage=True)
            return False
        if missing:
            message = f"frame {frame} (from 0) lacks {', '.join(missing[:4])}; the values before are kept"
            self.note("amc.missing-values", message, at, "error", damage=True)
        if added:
            message = (
                f"frame {frame} (from 0) has {', '.join(added[:4])}, which earlier frames lack; zeros are taken there"
            )
            self.note("amc.missing-values", message, at, "error", damage=True)
        return True

    def _check_numbers(self) -> None:
        """Frame numbers should count up by one; the frames are kept as they come."""
        if self.numbers[0] is None:
            self.note("amc.no-frame-number", "frames have no numbers; a repeated bone begins a new frame", None)
            return
        numbers = np.array([-1 if number is None else number for number in self.numbers])
        jumps = np.flatnonzero(np.diff(numbers) != 1)
        if len(jumps):
            before, after = numbers[jumps[0]], numbers[jumps[0] + 1]
            message = (
                f"frame numbers do not count up by one: {before} is followed by {after} ({len(jumps)} such places)"
            )
            self.note("amc.frame-numbers", message, None, fixed=False)

    def _check_pattern(self) -> None:
        """Bones that no frame names are at rest throughout."""
        missing = [name for group, name in enumerate(self.channels.names) if group not in self.pattern]
        if missing:
            message = f"no frame has values for {', '.join(missing[:6])}{', ...' if len(missing) > 6 else ''}; zeros are taken"
            self.note("amc.missing-bone", message, None)


def _text(word: bytes) -> str:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        return word.decode("latin-1")
