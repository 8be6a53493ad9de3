"""What a clip is made of, as a hash: equal motion has one address, whatever it is called and wherever it lay."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton

DIGEST_BYTES = 20
"""160 bits: two different clips of a library will not meet in one hash."""


def hash_skeleton(skeleton: Skeleton) -> str:
    """Hash of names, parents, offsets, rest pose and end sites. Roles are facts found about a skeleton, not part of it."""
    digest = _started(b"skeleton-1")
    _put_names(digest, skeleton.names)
    _put_array(digest, skeleton.parents, "<i4")
    _put_array(digest, skeleton.offsets, "<f8")
    _put_array(digest, skeleton.rest, "<f8")
    _put_array(digest, skeleton.end_joints, "<i4")
    _put_array(digest, skeleton.end_offsets, "<f8")
    return digest.hexdigest()


def hash_tree(skeleton: Skeleton) -> str:
    """Hash of names and parents alone: equal for clips that can be mixed (`Skeleton.same_tree`)."""
    digest = _started(b"tree-1")
    _put_names(digest, skeleton.names)
    _put_array(digest, skeleton.parents, "<i4")
    return digest.hexdigest()


def hash_clip(clip: Clip) -> str:
    """Content address of a clip: skeleton, rotations, root, translations and frame rate; never its name or origin."""
    digest = _started(b"clip-1")
    digest.update(bytes.fromhex(hash_skeleton(clip.skeleton)))
    _put_array(digest, np.float64(clip.fps), "<f8")
    _put_array(digest, clip.rotations, "<f4")
    _put_array(digest, clip.root, "<f4")
    if clip.translations is not None:
        _put_array(digest, clip.translations.joints, "<i4")
        _put_array(digest, clip.translations.values, "<f4")
    return digest.hexdigest()


def hash_text(*parts: str) -> str:
    """Hash of several texts, none of which can run into the next."""
    digest = _started(b"text-1")
    _put_names(digest, parts)
    return digest.hexdigest()


def _started(kind: bytes):
    return hashlib.blake2b(digest_size=DIGEST_BYTES, person=kind)


def _put_names(digest, names: Iterable[str]) -> None:
    for name in names:
        data = name.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    digest.update(b"\xff" * 8)


def _put_array(digest, values: np.ndarray | np.generic, dtype: str) -> None:
    array = np.ascontiguousarray(values, dtype=dtype)
    digest.update(np.array([array.ndim, *array.shape], dtype="<i8").tobytes())
    digest.update(array.data if array.size else b"")
