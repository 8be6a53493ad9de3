"""The HIERARCHY part of a BVH file, and the two header lines of its MOTION part."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from reenact.core.findings import Finding
from reenact.errors import FormatError
from reenact.formats.loaded import MAX_JOINTS, Tolerance

LARGEST = 1e9
"""Largest length in file units that is read or written; beyond it single precision holds no motion."""

CHANNELS = {f"{axis}{kind}".lower(): f"{axis}{kind[0]}" for axis in "XYZ" for kind in ("position", "rotation", "scale")}
"""Channel names as files spell them (lower case) to the short form kept in `Origin.channels`: Xp, Zr, ..."""

_TOKEN = re.compile(rb"[{}]|[^\s{}]+")
_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*(MOTION)[ \t]*(?=[\r\n]|$|Frames)", re.IGNORECASE)
_FRAMES = re.compile(rb"\s*Frames[ \t]*:?[ \t]*([^\r\n]*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame[ \t]*Time[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)
_STANDARD_RATES = (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 200, 240, 250, 300, 500, 1000)


@dataclass(slots=True)
class BvhHeader:
    """What stands before the numbers."""

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    offsets: list[tuple[float, float, float]] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)  # short form, such as "XpYpZpZrYrXr"
    end_joints: list[int] = field(default_factory=list)
    end_offsets: list[tuple[float, float, float]] = field(default_factory=list)
    end_names: list[str] = field(default_factory=list)
    frames: int = 0  # as announced
    frame_time: str = ""  # as written
    data_start: int = 0  # position of the first number
    findings: list[Finding] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Numbers per row."""
        return sum(len(codes) for codes in self.channels) // 2


def line_of(text: memoryview | bytes, position: int) -> int:
    """Line number, from 1, of a position; lines end in LF, CRLF or a lone CR."""
    before = bytes(text[:position])
    return 1 + (before.count(b"\n") or before.count(b"\r"))


class _Tokens:
    """The words of the hierarchy with their positions."""

    def __init__(self, text: memoryview, end: int) -> None:
        self.text = text
        self.end = end
        self._matches: Iterator[re.Match[bytes]] = _TOKEN.finditer(text, 0, end)
        self._next = next(self._matches, None)
        self.at = 0

    def peek(self) -> bytes:
        return b"" if self._next is None else self._next.group()

    def take(self, expected: str) -> bytes:
        if self._next is None:
            raise self.error(f"expected {expected}, found the end of the hierarchy", self.end)
        found = self._next.group()
        self.at = self._next.start()
        self._next = next(self._matches, None)
        return found

    def skip_to(self, position: int) -> None:
        while self._next is not None and self._next.start() < position:
            self._next = next(self._matches, None)

    def name(self, what: str) -> bytes:
        """Everything up to the next brace or line end: names may hold blanks and colons."""
        start = self.at + len(what)
        brace = re.compile(rb"[{]").search(self.text, start, self.end)
        if brace is None:
            raise self.error(f"expected {{ after {what}", start)
        self.skip_to(brace.start())
        return b" ".join(bytes(self.text[start : brace.start()]).split())

    def number(self, what: str) -> float:
        word = self.take(f"a number for {what}")
        try:
            value = float(word)
        except ValueError:
            raise self.error(f"expected a number for {what}, found {_show(word)}") from None
        if not abs(value) < LARGEST:
            raise self.error(f"expected a finite number below {LARGEST:g} for {what}, found {_show(word)}")
        return value

    def error(self, message: str, position: int | None = None) -> FormatError:
        return FormatError(message, line=line_of(self.text, self.at if position is None else position))


def _show(word: bytes) -> str:
    text = word[:40].decode("utf-8", "backslashreplace")
    return repr(text + ("…" if len(word) > 40 else ""))


def parse_header(text: memoryview, tolerance: Tolerance) -> BvhHeader:
    """Read everything before the numbers; raises `FormatError` with the line."""
    motion = _MOTION.search(text)
    header = BvhHeader()
    tokens = _Tokens(text, len(text) if motion is None else motion.start(1))
    first = tokens.take("HIERARCHY").removeprefix(b"\xef\xbb\xbf")
    if first.upper() != b"HIERARCHY":
        raise tokens.error(f"expected HIERARCHY, found {_show(first)}")
    _parse_joints(tokens, header, tolerance)
    if motion is None:
        raise FormatError("expected MOTION after the hierarchy", line=line_of(text, len(text)))
    _parse_motion_lines(text, motion.end(1), header)
    return header


def _parse_joints(tokens: _Tokens, header: BvhHeader, tolerance: Tolerance) -> None:
    stack: list[int] = []  # open joints; -1 for an open end site
    seen: dict[str, int] = {}
    has_offset: list[bool] = []
    while True:
        word = tokens.take("ROOT, JOINT, End Site, OFFSET, CHANNELS or }" if stack else "ROOT")
        key = word.upper()
        if key in (b"ROOT", b"JOINT"):
            if (key == b"ROOT") == bool(stack) and not (key == b"JOINT" and not header.names):
                raise tokens.error(f"{key.decode()} is out of place: a ROOT stands alone, a JOINT inside another joint")
            if len(header.names) >= MAX_JOINTS:
                raise tokens.error(f"more than {MAX_JOINTS} joints")
            if stack and stack[-1] < 0:
                raise tokens.error("a JOINT inside an End Site")
            header.names.append(_unique_name(tokens, tokens.name(key.decode()), seen, header, tolerance))
            header.parents.append(stack[-1] if stack else -1)
            header.offsets.append((0.0, 0.0, 0.0))
            header.channels.append("")
            has_offset.append(False)
            stack.append(len(header.names) - 1)
            tokens.take("{")
        elif key == b"END":
            if not stack or stack[-1] < 0:
                raise tokens.error("an End Site is out of place")
            name = _decode(tokens, tokens.name("End"), header, tolerance)
            header.end_joints.append(stack[-1])
            header.end_offsets.append((0.0, 0.0, 0.0))
            header.end_names.append("" if name.casefold() == "site" else name)
            stack.append(-1)
            tokens.take("{")
        elif key == b"OFFSET":
            if not stack:
                raise tokens.error("OFFSET outside a joint")
            offset = (tokens.number("OFFSET x"), tokens.number("OFFSET y"), tokens.number("OFFSET z"))
            if stack[-1] < 0:
                header.end_offsets[-1] = offset
            else:
                header.offsets[stack[-1]] = offset
                has_offset[stack[-1]] = True
        elif key == b"CHANNELS":
            if not stack or stack[-1] < 0:
                raise tokens.error("CHANNELS outside a joint")
            header.channels[stack[-1]] = _parse_channels(tokens, header, tolerance)
        elif key == b"}":
            if not stack:
                raise tokens.error("} without {")
            joint = stack.pop()
            if joint >= 0 and not has_offset[joint]:
                raise tokens.error(f"joint {header.names[joint]!r} has no OFFSET")
            if not stack:
                break
        elif key == b"{":
            raise tokens.error("{ without a joint")
        else:
            raise tokens.error(f"expected ROOT, JOINT, End Site, OFFSET, CHANNELS or }}, found {_show(word)}")
    if tokens.peek():
        extra = tokens.take("MOTION")
        what = "a second ROOT: one skeleton a file is supported" if extra.upper() == b"ROOT" else _show(extra)
        raise tokens.error(f"expected MOTION, found {what}")


def _parse_channels(tokens: _Tokens, header: BvhHeader, tolerance: Tolerance) -> str:
    word = tokens.take("a channel count")
    at = tokens.at
    try:
        announced = int(word)
    except ValueError:
        raise tokens.error(f"expected a channel count, found {_show(word)}") from None
    codes = []
    while (code := CHANNELS.get(tokens.peek().decode("ascii", "replace").lower())) is not None:
        tokens.take("a channel")
        codes.append(code)
        if len(codes) > 64:
            raise tokens.error("more than 64 channels on one joint")
    if len(codes) != announced:
        odd = tokens.peek()
        if len(codes) < announced and re.fullmatch(rb"[A-Za-z]*(position|rotation|scale)", odd, re.IGNORECASE):
            raise tokens.error(
                f"unknown channel {_show(odd)}; known are Xposition, Xrotation, Xscale and those of Y and Z", at
            )
        message = f"CHANNELS announces {announced} and names {len(codes)}"
        if tolerance == "strict" or not codes:
            raise tokens.error(message, at)
        header.findings.append(
            Finding("bvh.channel-count", "warning", f"line {line_of(tokens.text, at)}", message, fixed=True)
        )
    return "".join(codes)


def _decode(tokens: _Tokens, raw: bytes, header: BvhHeader, tolerance: Tolerance) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        if tolerance == "strict":
            raise tokens.error(f"name {_show(raw)} is not UTF-8") from None
        if not any(finding.code == "bvh.encoding" for finding in header.findings):
            message = f"name {_show(raw)} is not UTF-8, read as Latin-1"
            header.findings.append(
                Finding("bvh.encoding", "warning", f"line {line_of(tokens.text, tokens.at)}", message, fixed=True)
            )
        return raw.decode("latin-1")


def _unique_name(tokens: _Tokens, raw: bytes, seen: dict[str, int], header: BvhHeader, tolerance: Tolerance) -> str:
    name = _decode(tokens, raw, header, tolerance)
    where = f"line {line_of(tokens.text, tokens.at)}" if not name or name in seen else ""
    plain = name or f"joint{len(header.names)}"
    unique = plain
    while unique in seen:
        seen[plain] += 1
        unique = f"{plain}_{seen[plain]}"
    seen[unique] = 1
    if unique != name:
        problem = f"joint name {name!r} stands twice" if name else "a joint has no name"
        if tolerance == "strict":
            raise tokens.error(problem)
        header.findings.append(
            Finding("bvh.joint-name", "warning", where, f"{problem}, renamed to {unique!r}", fixed=True)
        )
    return unique


def _parse_motion_lines(text: memoryview, at: int, header: BvhHeader) -> None:
    frames = _FRAMES.match(text, at)
    if frames is None:
        raise FormatError("expected 'Frames: N' after MOTION", line=line_of(text, at) + 1)
    words = bytes(frames.group(1)).split()
    try:
        header.frames = int(words[0]) if words else -1
    except ValueError:
        header.frames = -1
    if header.frames < 0:
        shown = _show(bytes(frames.group(1)).strip())
        raise FormatError(
            f"expected the number of frames after 'Frames:', found {shown}", line=line_of(text, frames.start(1))
        )
    period = _FRAME_TIME.match(text, frames.end(1))
    if period is None:
        raise FormatError(
            "expected 'Frame Time: SECONDS' after the number of frames", line=line_of(text, frames.end(1)) + 1
        )
    written = bytes(period.group(1)).decode("ascii", "replace")
    try:
        seconds = float(written)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and 1e-6 <= seconds <= 1e4):
        raise FormatError(
            f"expected a positive frame time in seconds, found {written!r}", line=line_of(text, period.start(1))
        )
    header.frame_time = written
    header.data_start = period.end(1)


def frame_rate(written: str) -> float:
    """Frames per second of a frame time as written: `.0083333` is 120 Hz, because it is 1/120 cut to its digits.

    A time whose inverse is a whole number to one part in a million is taken so; else the nearest whole rate (or 1000/1001 of one) of
    which the text is 1/rate rounded or cut to the digits given; for fewer than four significant digits only a standard rate.
    """
    seconds = float(written)
    rate = 1.0 / seconds
    whole = round(rate)
    if whole >= 1 and abs(rate - whole) <= 1e-6 * rate:
        return float(whole)
    mantissa = written.lower().split("e")
    decimals = len(mantissa[0].partition(".")[2]) - (int(mantissa[1]) if len(mantissa) > 1 else 0)
    digits = len(mantissa[0].replace(".", "").lstrip("+-0"))
    step = 10.0**-decimals
    candidates = [float(whole), whole * 1000 / 1001] if digits >= 4 else [float(r) for r in _STANDARD_RATES]
    fitting = [c for c in candidates if c >= 1 and abs(seconds - 1 / c) < step * (1.0 if digits >= 4 else 0.51)]
    return min(fitting, key=lambda c: abs(seconds - 1 / c), default=rate)
