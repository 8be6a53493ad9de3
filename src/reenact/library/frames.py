"""A library, or a part of it on one joint tree, as a `FrameStore`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reenact.core.frame_store import FrameStore, frame_store_from_clips
from reenact.errors import LibraryError
from reenact.library.entries import ClipRef, Entry

if TYPE_CHECKING:
    from reenact.library.store import Library


def build_frame_store(library: Library, refs: Sequence[ClipRef]) -> FrameStore:
    """Copy these clips end to end. The stored arrays are mapped, so no clip is held in memory twice.

    Raises:
        LibraryError: no clips, or clips on several joint trees; the message counts them, so that a query can tell them apart.
    """
    entries = [ref if isinstance(ref, Entry) else library.entry(ref) for ref in refs]
    if not entries:
        raise LibraryError("no clips to put into a frame store")
    trees: dict[str, list[Entry]] = {}
    for entry in entries:
        trees.setdefault(entry.tree, []).append(entry)
    if len(trees) > 1:
        groups = sorted(trees.values(), key=len, reverse=True)
        named = ", ".join(f"{len(group)} with {group[0].joints} joints such as {group[0].name}" for group in groups[:3])
        raise LibraryError(
            f"the clips stand on {len(trees)} different skeletons ({named}{', ...' if len(groups) > 3 else ''})"
        )
    return frame_store_from_clips([library.clip(entry) for entry in entries])
