"""What the pages are told about clips: lists of them, and everything about one, but for its motion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from reenact.core.findings import Finding
from reenact.core.skeleton import Skeleton
from reenact.library.characters import clips_with_character
from reenact.library.entries import Entry
from reenact.library.store import Library
from reenact.studio.answers import without_paths
from reenact.studio.messages import (
    ClipDetail,
    ClipList,
    ClipSummary,
    FindingInfo,
    OriginInfo,
    SkeletonInfo,
    TagCount,
)
from reenact.studio.shelf import find_entry

LARGEST_PAGE = 1000
"""Clips in one answer, at most."""


def list_page(library: Library, query: str, offset: int, limit: int) -> ClipList:
    """A page of the clips that answer a query; no array is opened."""
    total, entries = library.page(query, offset=offset, limit=limit)
    tags = tuple(TagCount(name, count) for name, count in library.tags().items())
    return ClipList(total, offset, tuple(summarize(library, entries)), tags)


def summarize(library: Library, entries: Sequence[Entry]) -> list[ClipSummary]:
    """Entries as the list shows them."""
    meshed = clips_with_character(library, [entry.id for entry in entries])
    return [
        ClipSummary(
            id=entry.id,
            name=entry.name,
            frames=entry.frames,
            fps=entry.fps,
            joints=entry.joints,
            seconds=entry.seconds,
            tags=entry.tags,
            type=str(entry.metadata.get("type", "")),
            description=entry.description,
            source=_source(entry),
            has_character=entry.id in meshed,
            added=entry.added_at,
            revision=revision_of(entry),
        )
        for entry in entries
    ]


def _source(entry: Entry) -> str:
    """The file a clip came from, below the folder that was added; for one that was made, by what."""
    if entry.sources:
        return entry.sources[0].relative or PurePath(entry.sources[0].path).name
    return str(entry.metadata.get("made_by", "") or entry.metadata.get("file", ""))


def revision_of(entry: Entry) -> str:
    """Stands for the motion in addresses and tags of caches."""
    return entry.hash[:20]


def summary_of(library: Library, number: int) -> ClipSummary:
    """One clip as the list shows it."""
    return summarize(library, [find_entry(library, number)])[0]


def detail_of(library: Library, number: int) -> ClipDetail:
    """Everything about a clip, but for its motion."""
    entry = find_entry(library, number)
    clip = library.clip(entry)
    origin = clip.origin
    return ClipDetail(
        summary=summarize(library, [entry])[0],
        skeleton=describe_skeleton(clip.skeleton),
        findings=describe_findings(origin.findings),
        origin=OriginInfo(
            origin.format,
            origin.unit,
            origin.up,
            rotation_orders(origin.channels),
            tuple(str(credit) for credit in origin.credits),
        ),
        metadata=entry.metadata,
    )


def describe_skeleton(skeleton: Skeleton) -> SkeletonInfo:
    """A skeleton as a message."""
    return SkeletonInfo(
        names=skeleton.names,
        parents=tuple(skeleton.parents.tolist()),
        offsets=tuple((x, y, z) for x, y, z in skeleton.offsets.tolist()),
        end_joints=tuple(skeleton.end_joints.tolist()),
        end_offsets=tuple((x, y, z) for x, y, z in skeleton.end_offsets.tolist()),
        roles=dict(skeleton.roles),
    )


def describe_findings(findings: Iterable[Finding]) -> tuple[FindingInfo, ...]:
    """Findings as messages."""
    return tuple(
        FindingInfo(f.code, f.severity, without_paths(f.where), without_paths(f.message), f.fixed, f.confidence)
        for f in findings
    )


def rotation_orders(channels: Iterable[str]) -> tuple[str, ...]:
    """For each joint the order of its rotation channels: "ZYX" for "XpYpZpZrYrXr"."""
    return tuple("".join(re.findall("([XYZ])r", joint)) for joint in channels)
