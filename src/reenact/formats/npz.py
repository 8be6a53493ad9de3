"""One clip as a NumPy archive: every array exactly as it is in memory, rotations made unit where they are not.

The keys are listed in docs/formats/npz.md.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from reenact.core.clip import Clip, JointTranslations
from reenact.core.motion_print import take_print
from reenact.core.roles import ROLES
from reenact.core.rotations import unit_float32
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, ReenactError
from reenact.formats.atomic import atomic_write
from reenact.formats.loaded import Loaded, ReadOptions, WriteOptions
from reenact.formats.origin_json import origin_from_json, origin_to_json
from reenact.formats.plants_json import plants_from_json, plants_to_json

VERSION = 1

_REQUIRED = ("reenact_clip", "names", "parents", "offsets", "rotations", "root", "fps")
_OPTIONAL = (
    "rest",
    "end_joints",
    "end_offsets",
    "role_names",
    "role_joints",
    "name",
    "translated_joints",
    "translations",
    "origin",
    "pristine",
    "plants",
)
_LARGEST_HEADER = 4096
_MOST_MEMBERS = 256
_MOST_EMPTY = 1 << 16  # texts of no length, which take no bytes in the file
_FREE_BYTES = 1 << 26  # what any archive may unpack to; more only up to _MOST_RATIO times its size
_MOST_RATIO = 100
_KINDS = {"f": "floating-point numbers", "i": "integers", "U": "texts", "b": "true or false"}
_HEADER = re.compile(
    r"\s*\{\s*'descr':\s*'([<>|=]?[fiuUb]\d{1,9})',\s*'fortran_order':\s*(True|False),"
    r"\s*'shape':\s*\(\s*((?:\d{1,15}\s*,?\s*){0,4})\)\s*,?\s*\}\s*"
)


def write(clips: Sequence[Clip], path: Path, options: WriteOptions | None = None) -> None:
    """Write one clip, uncompressed.

    The clip is kept in metres with Y up, as in memory; the options have no say.
    """
    if len(clips) != 1:
        raise FormatError(f"a NumPy archive holds one clip, {len(clips)} were given", path=path)
    clip = clips[0]
    skeleton = clip.skeleton
    arrays: dict[str, np.ndarray] = {
        "reenact_clip": np.array(VERSION, np.int32),
        "name": np.array(_as_text(clip.name)),
        "fps": np.array(clip.fps, np.float64),
        "names": np.array([_as_text(name) for name in skeleton.names]),
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "rest": skeleton.rest,
        "end_joints": skeleton.end_joints,
        "end_offsets": skeleton.end_offsets,
        "role_names": np.array(list(skeleton.roles), dtype=np.str_),
        "role_joints": np.array(list(skeleton.roles.values()), np.int32),
        "rotations": unit_float32(clip.rotations),
        "root": clip.root,
        "origin": np.array(json.dumps(origin_to_json(clip.origin))),
        "pristine": np.array(clip.pristine),
    }
    if clip.plants is not None:
        arrays["plants"] = np.array(json.dumps(plants_to_json(clip.plants, take_print(clip))))
    if clip.translations is not None:
        arrays["translated_joints"] = clip.translations.joints
        arrays["translations"] = clip.translations.values
    if any(name.endswith("\0") for name in (*skeleton.names, clip.name)):
        raise FormatError("a name ends in a zero character, which NumPy texts cannot hold", path=path)
    if not all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f"):
        raise FormatError(f"clip {clip.name!r} holds values that are not finite", path=path)
    with atomic_write(path) as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def _as_text(name: str) -> str:
    """A name without the halves of letters by which file names stand for bytes that are no text."""
    return name.encode("utf-8", "replace").decode()


def read(path: Path, options: ReadOptions | None = None) -> Loaded:
    """Read the clip; its arrays are checked for type, shape and size before they are loaded."""
    path = Path(path)
    arrays = read_arrays(path, _REQUIRED, _OPTIONAL, "clip")
    try:
        clip = _make_clip(arrays, path.stem)
    except FormatError as error:
        raise error.at(path) from None
    except ReenactError as error:
        raise FormatError(error.message, path=path) from None
    except ValueError as error:
        raise FormatError(f"not a NumPy archive that can be read: {error}", path=path) from None
    return Loaded(clips=(clip,), findings=(), format="npz")


def read_arrays(path: Path, required: Sequence[str], optional: Sequence[str], what: str) -> dict[str, np.ndarray]:
    """Named arrays of plain numbers and texts out of an archive; nothing is loaded before all sizes are known to be sound.

    Args:
        path: the file.
        required, optional: names of the arrays; others are left alone.
        what: they are, for messages.

    Raises:
        FormatError: not such an archive, or a required array is missing.
    """
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            return _read_arrays(archive, path.stat().st_size, required, optional, what)
    except FormatError as error:
        raise error.at(path) from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        struct.error,
        ValueError,
    ) as error:
        raise FormatError(f"not a NumPy archive that can be read: {error}", path=path) from None


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """What the header of an .npy file says of the array behind it."""

    dtype: np.dtype
    shape: tuple[int, ...]
    fortran: bool
    start: int  # bytes of the header


def _read_arrays(
    archive: zipfile.ZipFile, size: int, required: Sequence[str], optional: Sequence[str], what: str
) -> dict[str, np.ndarray]:
    entries = archive.infolist()
    if len(entries) > _MOST_MEMBERS:
        most = len(required) + len(optional)
        raise FormatError(f"the archive holds {len(entries)} members, a {what} has at most {most}")
    known = {entry.filename.removesuffix(".npy"): entry for entry in entries if entry.filename.endswith(".npy")}
    if len(known) != len([entry for entry in entries if entry.filename.endswith(".npy")]):
        raise FormatError("the archive holds an array twice")
    missing = [key for key in required if key not in known]
    if missing:
        found = ", ".join(sorted(known)[:8]) or "no arrays"
        raise FormatError(f"not a {what}: the array {missing[0]!r} is missing (found {found})")
    known = {key: known[key] for key in (*required, *optional) if key in known}
    total = sum(entry.file_size for entry in known.values())
    limit = _FREE_BYTES + _MOST_RATIO * size
    if total > limit:
        raise FormatError(
            f"the arrays would unpack to {total} bytes, at most {limit} are allowed for a file of {size} bytes"
        )
    odd = [key for key, entry in known.items() if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
    if odd:
        raise FormatError(f"{odd[0]}: compressed in a way that NumPy does not use")
    return {key: _read_array(archive, entry, key) for key, entry in known.items()}


def _read_array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, key: str) -> np.ndarray:
    with archive.open(entry) as stream:
        member = read_header(stream, key)
        count = 1
        for length in member.shape:
            count *= length
        expected = count * member.dtype.itemsize
        held = entry.file_size - member.start
        if expected != held:
            raise FormatError(
                f"{key}: the shape {member.shape} of {member.dtype} needs {expected} bytes, the archive has {held}"
            )
        data = stream.read(expected)
        if len(data) != expected or stream.read(1):
            raise FormatError(f"{key}: expected {expected} bytes, found {len(data)}")
    if member.dtype.itemsize == 0 and count > _MOST_EMPTY:
        raise FormatError(f"{key}: expected at most {_MOST_EMPTY} empty texts, found {count}")
    flat = np.frombuffer(data, member.dtype) if member.dtype.itemsize else np.zeros(count, "<U1")
    return flat.reshape(member.shape, order="F" if member.fortran else "C")


def read_header(stream: IO[bytes], key: str) -> ArrayHeader:
    """The header of an .npy member (format versions 1 to 3), read with a pattern instead of an evaluation."""
    head = stream.read(8)
    if len(head) != 8 or head[:6] != b"\x93NUMPY" or head[6] not in (1, 2, 3):
        raise FormatError(f"{key}: not a NumPy array")
    width = 2 if head[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > _LARGEST_HEADER:
        raise FormatError(f"{key}: a header of {length} bytes, at most {_LARGEST_HEADER} are allowed")
    match = _HEADER.fullmatch(stream.read(length).decode("latin-1"))
    if match is None:
        raise FormatError(f"{key}: not an array of plain numbers or texts")
    shape = tuple(int(part) for part in match[3].replace(" ", "").split(",") if part)
    try:
        dtype = np.dtype(match[1])
    except TypeError:
        raise FormatError(f"{key}: unknown type {match[1]!r}") from None
    return ArrayHeader(dtype, shape, match[2] == "True", 8 + width + length)


def _make_clip(arrays: Mapping[str, np.ndarray], stem: str) -> Clip:
    """The clip, every array checked for its kind and shape."""
    version = int(_single(arrays, "reenact_clip", "iu"))
    if version != VERSION:
        raise FormatError(f"reenact_clip: version {version}, only {VERSION} can be read")
    names = _texts(arrays, "names")
    joints = len(names)
    frames = arrays["rotations"].shape[0] if arrays["rotations"].ndim else 0
    skeleton = Skeleton(
        names,
        _ints(arrays, "parents", (joints,)),
        _floats(arrays, "offsets", (joints, 3), np.float64),
        _floats(arrays, "rest", (joints, 4), np.float64) if "rest" in arrays else None,  # type: ignore[arg-type]
        roles=_roles(arrays, joints),
        **_ends(arrays),
    )
    translations = None
    if "translated_joints" in arrays or "translations" in arrays:
        moved = _ints(arrays, "translated_joints", (None,))
        translations = JointTranslations(moved, _floats(arrays, "translations", (frames, len(moved), 3), np.float32))
        if len(moved) and moved.max() >= joints:
            raise FormatError(f"translated_joints: names joint {moved.max()}, there are {joints}")
    try:
        told = json.loads(_text(arrays, "origin")) if "origin" in arrays else {}
    except (ValueError, RecursionError):
        raise FormatError("origin: not valid JSON") from None
    clip = Clip(
        skeleton,
        _floats(arrays, "rotations", (frames, joints, 4), np.float32),
        _floats(arrays, "root", (frames, 3), np.float32),
        float(_single(arrays, "fps", "fiu")),
        _text(arrays, "name") if "name" in arrays else stem,
        translations,
        origin_from_json(told, joints),
    )
    pristine = "pristine" in arrays and bool(_single(arrays, "pristine", "b"))
    clip = clip.as_recorded() if pristine else clip
    if "plants" not in arrays:
        return clip
    try:
        plants, _ = plants_from_json(json.loads(_text(arrays, "plants")))
    except (ValueError, RecursionError):
        raise FormatError("plants: not valid JSON") from None
    return clip.with_plants(plants)


def _get(arrays: Mapping[str, np.ndarray], key: str, kinds: str, shape: tuple[int | None, ...]) -> np.ndarray:
    if key not in arrays:
        raise FormatError(f"{key}: missing")
    array = arrays[key]
    if array.dtype.kind not in kinds:
        wanted = " or ".join(_KINDS[kind] for kind in kinds if kind in _KINDS)
        raise FormatError(f"{key}: expected {wanted}, found {array.dtype}")
    if array.ndim != len(shape) or any(
        want is not None and want != got for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("*" if n is None else str(n) for n in shape)
        raise FormatError(f"{key}: expected the shape ({wanted}), found {array.shape}")
    return array


def _floats(arrays: Mapping[str, np.ndarray], key: str, shape: tuple[int | None, ...], dtype: type) -> np.ndarray:
    array = _get(arrays, key, "f", shape)
    with np.errstate(over="ignore"):
        array = array.astype(dtype, copy=False)
    if not np.isfinite(array).all():
        raise FormatError(f"{key}: holds values that are not finite {np.dtype(dtype).name} numbers")
    return array


def _ints(arrays: Mapping[str, np.ndarray], key: str, shape: tuple[int | None, ...]) -> np.ndarray:
    array = _get(arrays, key, "iu", shape)
    if array.size and not -(1 << 31) <= int(array.min()) <= int(array.max()) < 1 << 31:
        raise FormatError(f"{key}: values beyond 32 bits")
    return array.astype(np.int32, copy=False)


def _single(arrays: Mapping[str, np.ndarray], key: str, kinds: str):
    return _get(arrays, key, kinds, ())[()]


def _text(arrays: Mapping[str, np.ndarray], key: str) -> str:
    return _checked(str(_get(arrays, key, "U", ())[()]), key)


def _texts(arrays: Mapping[str, np.ndarray], key: str) -> tuple[str, ...]:
    return tuple(_checked(text, key) for text in _get(arrays, key, "U", (None,)).tolist())


def _checked(text: str, key: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FormatError(f"{key}: holds characters that are no text") from None
    return text


def _roles(arrays: Mapping[str, np.ndarray], joints: int) -> dict[str, int]:
    if "role_names" not in arrays and "role_joints" not in arrays:
        return {}
    names = _texts(arrays, "role_names")
    found = _ints(arrays, "role_joints", (len(names),)).tolist()
    unknown = [name for name in names if name not in ROLES]
    if unknown or len(set(names)) != len(names):
        raise FormatError(f"role_names: {(unknown or names)[0]!r} is not a role or stands twice")
    if any(not 0 <= joint < joints for joint in found):
        raise FormatError(f"role_joints: names a joint that does not exist, there are {joints}")
    return dict(zip(names, found, strict=True))


def _ends(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    if "end_joints" not in arrays and "end_offsets" not in arrays:
        return {}
    joints = _ints(arrays, "end_joints", (None,))
    return {"end_joints": joints, "end_offsets": _floats(arrays, "end_offsets", (len(joints), 3), np.float64)}
