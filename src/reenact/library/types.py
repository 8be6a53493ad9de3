"""What a clip is, as metadata that the search finds: worked out when a clip is added, without keeping its foot plants."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from reenact.analysis.classify import classify, detect_and_classify
from reenact.analysis.segments import TYPES, Classification
from reenact.core.clip import Clip
from reenact.errors import ReenactError
from reenact.library.labels import TYPE_KEY, TYPE_SOURCE, set_metadata


def find_type(clip: Clip) -> dict[str, Any]:
    """Type and shares of a clip as metadata; empty for a clip without feet, or one that cannot be judged."""
    if not len(clip):
        return {}
    try:
        gait = detect_and_classify(clip)[1] if clip.plants is None else classify(clip, clip.plants)
    except (ReenactError, ArithmeticError, LookupError, ValueError):  # whatever the motion is like, it is kept
        return {}
    return {TYPE_KEY: gait.type, TYPE_SOURCE: gait.method, **shares_of(gait)}


def shares_of(gait: Classification) -> dict[str, float | None]:
    """The share of each type among the frames of a clip; None, which takes the key away, for those it has not."""
    return {kind: round(gait.share(kind), 4) or None for kind in TYPES}


def keep_type(connection: sqlite3.Connection, number: int, found: Mapping[str, Any]) -> None:
    """Set what was found as metadata of a clip, unless somebody has said what it is."""
    if not found:
        return
    rows = connection.execute("SELECT key FROM metadata WHERE clip_id = ?", (number,)).fetchall()
    held = {row[0] for row in rows}
    by_hand = TYPE_KEY in held and TYPE_SOURCE not in held
    chosen = {key: value for key, value in found.items() if not (by_hand and key in (TYPE_KEY, TYPE_SOURCE))}
    set_metadata(connection, number, chosen)
