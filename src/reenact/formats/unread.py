"""Formats that people have and reenact does not read yet, and what can be done until then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_GLTF_OUT = "write .glb, which Blender, Unreal, Unity and Godot read"


@dataclass(frozen=True, slots=True)
class Unread:
    """A format that is known and not read.

    Attributes:
        endings: file name endings, lower case with the dot.
        title: for people.
        sniff: True when the first bytes of a file can only be this format.
        reading: what to do with such a file.
        writing: what to write instead.
    """

    endings: tuple[str, ...]
    title: str
    sniff: Callable[[bytes], bool]
    reading: str
    writing: str = _GLTF_OUT


def _is_fbx(head: bytes) -> bool:
    return head.startswith(b"Kaydara FBX Binary") or head.lstrip().startswith(b"; FBX")


def _is_c3d(head: bytes) -> bool:
    return False  # its first two bytes, a number and 0x50, begin other files as well


def _is_collada(head: bytes) -> bool:
    return b"<COLLADA" in head


def _is_usd(head: bytes) -> bool:
    return head.startswith((b"PXR-USDC", b"#usda"))


def _is_blend(head: bytes) -> bool:
    return head.startswith(b"BLENDER")


UNREAD: tuple[Unread, ...] = (
    Unread(
        (".fbx",),
        "FBX",
        _is_fbx,
        "open it in Blender (File > Import > FBX) and export glTF 2.0 (.glb, with animation), or export BVH or GLB where it was made",
    ),
    Unread(
        (".c3d",),
        "C3D",
        _is_c3d,
        "it holds positions of markers and no skeleton; solve it in the software that recorded it and export BVH or ASF/AMC",
        "write .bvh or .npz",
    ),
    Unread(
        (".trc",),
        "TRC",
        lambda head: head.startswith(b"PathFileType"),
        "it holds positions of markers and no skeleton; "
        "solve it in the software that recorded it and export BVH or ASF/AMC",
        "write .bvh or .npz",
    ),
    Unread((".dae",), "COLLADA", _is_collada, "open it in Blender and export glTF 2.0 (.glb, with animation)"),
    Unread(
        (".usd", ".usda", ".usdc", ".usdz"),
        "USD",
        _is_usd,
        "open it in Blender and export glTF 2.0 (.glb, with animation)",
    ),
    Unread(
        (".blend",), "a Blender project", _is_blend, "open it in Blender and export glTF 2.0 (.glb, with animation)"
    ),
)


def advice_for(path: Path, head: bytes = b"") -> Unread | None:
    """What is known about a file that is not read, by its first bytes, then by its ending."""
    for entry in UNREAD:
        if head and entry.sniff(head):
            return entry
    return next((entry for entry in UNREAD if path.suffix.lower() in entry.endings), None)
