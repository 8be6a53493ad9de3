"""Image files told by their first bytes, and looked through for damage without being decoded."""

from __future__ import annotations

import struct
import zlib

_PNG, _JPEG, _KTX2 = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xabKTX 20\xbb\r\n\x1a\n"
_BARE_MARKERS = (0x01, *range(0xD0, 0xD8))  # JPEG markers without a length
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # JPEG markers that hold the size
_LARGEST = 1 << 16  # pixels along a side


def image_type(data: bytes) -> str:
    """The type of an image file, such as `image/png`; empty when it is none of those glTF knows."""
    if data.startswith(_PNG):
        return "image/png"
    if data.startswith(_JPEG):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data.startswith(_KTX2):
        return "image/ktx2"
    return "image/avif" if data[4:12] in (b"ftypavif", b"ftypavis") else ""


def image_damage(data: bytes) -> str:
    """What is wrong with an image file; empty when nothing is, as far as its structure tells."""
    kind = image_type(data)
    if kind == "image/png":
        return _png_damage(data)
    if kind == "image/jpeg":
        return _jpeg_damage(data)
    if kind == "image/webp":
        told = struct.unpack_from("<I", data, 4)[0] + 8
        return f"it is cut off: {len(data)} of {told} bytes" if told > len(data) + 1 else ""
    if not kind:
        return "it is neither PNG nor JPEG, WebP, KTX2 or AVIF" if data else "it is empty"
    return ""


def _png_damage(data: bytes) -> str:
    at = len(_PNG)
    while at + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + size
        if end > len(data):
            break
        if zlib.crc32(data[at + 4 : end - 4]) != struct.unpack_from(">I", data, end - 4)[0]:
            return f"its chunk {kind.decode('latin-1')!r} does not have its checksum"
        if at == len(_PNG):
            if kind != b"IHDR" or size != 13:
                return "it does not begin with IHDR"
            problem = _size_damage(*struct.unpack_from(">II", data, at + 8))
            if problem:
                return problem
        if kind == b"IEND":
            return ""
        at = end
    return f"it is cut off after {len(data)} bytes"


def _jpeg_damage(data: bytes) -> str:
    at, sized = 2, False
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return f"no marker at byte {at}"
        kind = data[at + 1]
        if kind == 0xFF or kind in _BARE_MARKERS:
            at += 1 if kind == 0xFF else 2
            continue
        (size,) = struct.unpack_from(">H", data, at + 2)
        if kind in _FRAMES and at + 9 <= len(data):
            height, width = struct.unpack_from(">HH", data, at + 5)
            problem = _size_damage(width, height or 1)  # a height of 0 is given after the first scan
            if problem:
                return problem
            sized = True
        if kind == 0xDA:  # the data itself, up to the end marker
            whole = data.find(b"\xff\xd9", at + 2 + size) >= 0
            return ("" if sized else "its size is not given") if whole else f"it is cut off after {len(data)} bytes"
        at += 2 + size
    return f"it is cut off after {len(data)} bytes"


def _size_damage(width: int, height: int) -> str:
    if 0 < width <= _LARGEST and 0 < height <= _LARGEST:
        return ""
    return f"it says it is {width} by {height} pixels"
