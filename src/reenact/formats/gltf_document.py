"""The outside of a glTF 2.0 file: GLB chunks, the JSON tree with checked access, and buffers."""

from __future__ import annotations

import binascii
import json
import math
import struct
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote_to_bytes

import numpy as np

from reenact.core.arrays import Float64
from reenact.core.findings import Finding, Severity
from reenact.errors import FormatError
from reenact.formats.loaded import Tolerance

MAGIC = b"glTF"
JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942

_HEADER = struct.Struct("<4sII")
_CHUNK = struct.Struct("<II")

# Compression that hides the data of every buffer view; nothing can be read without decoding it.
_BLOCKING = ("EXT_meshopt_compression", "KHR_meshopt_compression")
# Required extensions whose absence here changes nothing about skeletons, motion or geometry.
_HARMLESS = (
    "KHR_materials",
    "KHR_texture",
    "EXT_texture",
    "KHR_lights",
    "KHR_mesh_quantization",
    "KHR_draco",
    "KHR_xmp",
    "MSFT_texture",
)

_LARGEST_FILE = 1 << 32  # bytes of a file beside the document

Json = dict[str, Any]


class Document:
    """One glTF file while it is being read: its JSON, its buffers, and the findings so far.

    Every getter checks what it returns, so that the rest of the reader never meets a value of a wrong type or an index out of range.

    Attributes:
        path: the file.
        tolerance: how departures from the format are treated.
        tree: the top JSON object.
        format: "glb" or "gltf".
        findings: what was noticed so far.
        size: bytes of the file and of the buffers beside it read so far; what may be allocated is measured against it.
    """

    def __init__(self, path: Path, tolerance: Tolerance) -> None:
        self.path = path
        self.tolerance = tolerance
        self.findings: list[Finding] = []
        data = path.read_bytes()
        if not data:
            self.fail("the file is empty, expected glTF 2.0")
        self.size = len(data)
        self.format = "glb" if data.startswith(MAGIC) else "gltf"
        self._chunk: memoryview | None = None
        self._buffers: dict[int, memoryview] = {}
        self._files: dict[Path, bytes] = {}
        text = self._split_chunks(memoryview(data)) if self.format == "glb" else memoryview(data)
        self.tree = self._parse(text)
        self._lists: dict[str, list[Json]] = {}
        self._check_asset()

    def fail(self, message: str) -> NoReturn:
        """Raise a `FormatError` that names the file."""
        raise FormatError(message, path=self.path)

    def note(self, code: str, severity: Severity, where: str, message: str, *, fixed: bool = False) -> None:
        """Keep a finding; the same one is kept once."""
        finding = Finding(f"gltf.{code}", severity, where, message, fixed)
        if finding not in self.findings:
            self.findings.append(finding)

    def quirk(self, code: str, where: str, message: str) -> None:
        """A departure from the format that is harmless: an error when strict, else a finding."""
        if self.tolerance == "strict":
            self.fail(f"{where}: {message}")
        self.note(code, "warning", where, message, fixed=True)

    def damage(self, code: str, where: str, message: str) -> None:
        """Data that cannot be used: an error unless recovering."""
        if self.tolerance != "recover":
            self.fail(f"{where}: {message}")
        self.note(code, "error", where, message, fixed=True)

    def _split_chunks(self, data: memoryview) -> memoryview:
        """The JSON chunk; keeps the first BIN chunk."""
        if len(data) < _HEADER.size:
            self.fail(f"the file is cut off: {len(data)} bytes, a GLB header has {_HEADER.size}")
        _, version, length = _HEADER.unpack_from(data)
        if version != 2:
            self.fail(f"GLB version {version}, only version 2 can be read")
        if length > len(data):
            self.damage(
                "cut-off", "header", f"the file is cut off: the header says {length} bytes, there are {len(data)}"
            )
        elif length < len(data):
            self.quirk("trailing", "header", f"{len(data) - length} bytes after the end of the GLB")
            data = data[:length]
        text, at = None, _HEADER.size
        while at + _CHUNK.size <= len(data):
            size, kind = _CHUNK.unpack_from(data, at)
            at += _CHUNK.size
            if at + size > len(data):
                self.damage(
                    "cut-off",
                    "chunks",
                    f"a chunk of {size} bytes at byte {at} runs past the end of the file ({len(data)} bytes)",
                )
            part = data[at : at + size]
            if text is None:
                if kind != JSON_CHUNK:
                    self.fail(f"the first chunk of a GLB must be JSON, found type 0x{kind:08X}")
                text = part
            elif kind == BIN_CHUNK and self._chunk is None:
                self._chunk = part
            at += size + (-size % 4)
        if text is None:
            self.fail("the GLB has no JSON chunk")
        return text

    def _parse(self, text: memoryview) -> Json:
        try:
            tree = json.loads(str(text, "utf-8-sig"))
        except UnicodeDecodeError as error:
            self.fail(f"the JSON is not UTF-8 text (byte {error.start})")
        except json.JSONDecodeError as error:
            raise FormatError(
                f"not valid JSON: {error.msg}, column {error.colno}", path=self.path, line=error.lineno
            ) from None
        except (ValueError, RecursionError):
            self.fail("not valid JSON: a number too long or brackets nested too deep")
        if not isinstance(tree, dict):
            self.fail(f"expected a JSON object, found {_kind(tree)}")
        return tree

    def _check_asset(self) -> None:
        asset = self.tree.get("asset")
        version = asset.get("version") if isinstance(asset, dict) else None
        if version is None and not any(key in self.tree for key in ("nodes", "scenes", "meshes")):
            self.fail('JSON, but not glTF: no "asset" and no "nodes"')
        if not (isinstance(version, str) and version.startswith("2.")):
            if isinstance(version, str) and version[:2] in ("0.", "1."):
                self.fail(f"glTF version {version}, only 2.x can be read")
            self.quirk("asset", "asset", 'no "version": "2.0"')
        required = self.tree.get("extensionsRequired", [])
        for name in required if isinstance(required, list) else []:
            if name in _BLOCKING:
                self.fail(f"the data is compressed with {name}, which cannot be read; save it uncompressed")
            if not str(name).startswith(_HARMLESS):
                self.quirk(
                    "extension", "extensionsRequired", f"the extension {name} is required by the file but not known"
                )

    def objects(self, key: str, holder: Json | None = None, where: str = "") -> list[Json]:
        """A list of JSON objects; empty when the key is missing. Without a holder: a top-level list such as "nodes"."""
        if holder is None and key in self._lists:
            return self._lists[key]
        found = (self.tree if holder is None else holder).get(key, [])
        path = f"{where}.{key}" if where else key
        if not isinstance(found, list):
            self.fail(f"{path}: expected a list, found {_kind(found)}")
        for i, item in enumerate(found):
            if not isinstance(item, dict):
                self.fail(f"{path}[{i}]: expected an object, found {_kind(item)}")
        if holder is None:
            self._lists[key] = found
        return found

    def object(self, holder: Json, key: str, where: str) -> Json | None:
        """A JSON object, or None when missing."""
        found = holder.get(key)
        if found is not None and not isinstance(found, dict):
            self.fail(f"{where}.{key}: expected an object, found {_kind(found)}")
        return found

    def integer(self, holder: Json, key: str, where: str, default: int | None = None) -> int:
        """A whole number of at least 0; without a default it must be there."""
        found = holder.get(key, default)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            self.fail(f"{where}.{key}: expected a whole number of at least 0, found {_show(found)}")
        return found

    def reference(self, holder: Json, key: str, target: str, where: str) -> int | None:
        """An index into a top-level list, or None when missing."""
        if key not in holder:
            return None
        return self._in_range(self.integer(holder, key, where), target, f"{where}.{key}")

    def references(self, holder: Json, key: str, target: str, where: str) -> list[int]:
        """A list of indices into a top-level list."""
        found = holder.get(key, [])
        if not isinstance(found, list):
            self.fail(f"{where}.{key}: expected a list, found {_kind(found)}")
        return [
            self._in_range(self.integer({"i": item}, "i", f"{where}.{key}"), target, f"{where}.{key}") for item in found
        ]

    def _in_range(self, index: int, target: str, where: str) -> int:
        count = len(self.objects(target))
        if index >= count:
            self.fail(f"{where}: names {target}[{index}], there are {count}")
        return index

    def numbers(self, holder: Json, key: str, default: tuple[float, ...], where: str) -> Float64:
        """As many finite numbers as the default has."""
        found = holder.get(key)
        if found is None:
            return np.array(default, dtype=np.float64)
        count = len(default)
        if not isinstance(found, list) or len(found) != count or not all(is_number(x) for x in found):
            self.fail(f"{where}.{key}: expected {count} finite numbers, found {_show(found)}")
        return np.array(found, dtype=np.float64)

    def text(self, holder: Json, key: str) -> str:
        """A text with lone surrogates replaced; empty when missing or not a text (names are only for people)."""
        found = holder.get(key, "")
        return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""

    def buffer(self, index: int) -> memoryview:
        """The bytes of a buffer: the GLB's own chunk, a data URI, or a file beside the document."""
        if index not in self._buffers:
            self._buffers[index] = self._load_buffer(index)
        return self._buffers[index]

    def _load_buffer(self, index: int) -> memoryview:
        where = f"buffers[{index}]"
        entry = self.objects("buffers")[index]
        length = self.integer(entry, "byteLength", where)
        uri = entry.get("uri")
        if uri is None:
            if index != 0 or self._chunk is None:
                self.damage("buffer", where, "has no uri and the file has no binary chunk for it")
                return memoryview(b"")
            found = self._chunk
        elif not isinstance(uri, str):
            self.fail(f"{where}.uri: expected a text, found {_kind(uri)}")
        else:
            found = memoryview(self.named(uri, where))
        if len(found) < length:
            self.damage("buffer", where, f"expected {length} bytes, found {len(found)}")
        return found[:length]

    def named(self, uri: str, where: str) -> bytes:
        """The bytes a URI stands for: data within it, or a file beside the document."""
        return self._decode_data(uri, where) if uri.startswith("data:") else self._read_beside(uri, where)

    def view(self, index: int) -> memoryview:
        """The bytes of a buffer view, which must lie within its buffer."""
        where = f"bufferViews[{index}]"
        entry = self.objects("bufferViews")[index]
        source = self.reference(entry, "buffer", "buffers", where)
        if source is None:
            self.fail(f"{where}: no buffer")
        start, length = self.integer(entry, "byteOffset", where, 0), self.integer(entry, "byteLength", where)
        data = self.buffer(source)
        if start + length > len(data):
            self.fail(f"{where}: needs bytes up to {start + length} of buffers[{source}], which has {len(data)}")
        return data[start : start + length]

    def _decode_data(self, uri: str, where: str) -> bytes:
        head, comma, body = uri.partition(",")
        if not comma:
            self.fail(f"{where}.uri: a data URI without a comma")
        try:
            if not head.endswith(";base64"):
                return unquote_to_bytes(body)
            return binascii.a2b_base64(body.replace("-", "+").replace("_", "/") + "=" * (-len(body) % 4))
        except ValueError as error:
            self.fail(f"{where}.uri: not valid base64 ({error})")

    def _read_beside(self, uri: str, where: str) -> bytes:
        """A file named by a relative URI: in the document's folder or below it, never elsewhere."""
        try:
            name = unquote_to_bytes(uri).decode("utf-8")
        except ValueError:
            self.fail(f"{where}.uri: not UTF-8 text")
        parts = name.split("/")
        if ":" in name or "\\" in name or "\0" in name or name.startswith("/") or ".." in parts:
            self.fail(f"{where}.uri: {name[:80]!r} is not a file beside the document; only those are read")
        try:
            folder = self.path.parent.resolve()
            target = (folder / name).resolve()
        except RuntimeError:  # how Python 3.11 and 3.12 report a loop of links
            self.fail(f"{where}.uri: {name[:80]!r} is a loop of links")
        if not target.is_relative_to(folder):
            self.fail(f"{where}.uri: {name[:80]!r} leads out of the document's folder")
        if target not in self._files:
            if not target.is_file():
                raise FileNotFoundError(f"{self.path}: the file {name[:80]!r} named by {where} is not there")
            if target.stat().st_size > _LARGEST_FILE:
                self.fail(f"{where}.uri: {name[:80]!r} has more than {_LARGEST_FILE >> 30} GiB")
            self._files[target] = target.read_bytes()
            self.size += len(self._files[target])
        return self._files[target]


def is_number(value: object) -> bool:
    """True for a finite JSON number within the range of a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 1e30 if isinstance(value, int) else math.isfinite(value)


def _kind(value: object) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), "nothing")


def _show(value: object) -> str:
    if isinstance(value, int | float):
        return f"{value:.6g}" if isinstance(value, float) or abs(value) < 1e300 else "a huge number"
    text = repr(value) if isinstance(value, str) else _kind(value)
    return text if len(text) <= 60 else text[:57] + "..."
