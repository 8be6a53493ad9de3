"""Small pictures of clips: one telling pose, drawn once and kept with the clip."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from reenact.core.clip import Clip
from reenact.errors import ParameterError
from reenact.library.derived import DerivedKey, derived_key, read_derived
from reenact.library.entries import Entry

if TYPE_CHECKING:
    from reenact.library.store import Library

WIDTH, HEIGHT = 320, 240
KIND, VERSION = "thumbnail", "1"

Background = Literal["light", "dark"]
BACKGROUNDS = ("light", "dark")

_LOOKED_AT = 24  # frames among which the pose is chosen


def thumbnail_key(entry: Entry, background: str) -> DerivedKey:
    """Under what a clip's picture is kept."""
    return derived_key([(entry.id, entry.hash)], KIND, _parameters(background), VERSION)


def _parameters(background: str) -> dict[str, object]:
    return {"background": background, "width": WIDTH, "height": HEIGHT}


def read_thumbnail(library: Library, entry: Entry, background: str) -> bytes | None:
    """The kept picture (PNG), or None."""
    known, held = read_derived(library.index, library.folder, thumbnail_key(entry, background))
    return held.tobytes() if known and isinstance(held, np.ndarray) else None


def keep_thumbnail(library: Library, number: int, background: str) -> bytes:
    """The picture of a clip (PNG), drawn now unless it is kept; kept from now on where the library may be written."""

    def draw() -> np.ndarray:
        return np.frombuffer(draw_thumbnail(library.clip(number), background), np.uint8)

    return np.asarray(library.derived(number, KIND, _parameters(background), draw, version=VERSION)).tobytes()


def draw_thumbnail(clip: Clip, background: str) -> bytes:
    """A PNG of `WIDTH` x `HEIGHT` pixels."""
    from reenact.render import AnimationParameters, render_frames

    if background not in BACKGROUNDS:
        raise ParameterError(f"background must be light or dark, not {background!r}", where="background")
    looks = AnimationParameters(
        width=WIDTH, height=HEIGHT, background=background, traces=False, caption=False, follow=False, figure="sticks"
    )
    picture = next(render_frames(_still(clip, telling_frame(clip)), looks))
    stream = io.BytesIO()
    picture.save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _still(clip: Clip, frame: int) -> Clip:
    part = slice(frame, frame + 1)
    moved = clip.translations
    return replace(
        clip,
        rotations=clip.rotations[part],
        root=clip.root[part],
        translations=None if moved is None else moved[part],
    )


def telling_frame(clip: Clip) -> int:
    """The frame whose pose differs most from the clip's mean pose, among some spread over it."""
    if not len(clip):
        raise ParameterError("the clip has no frames to show", where=clip.name)
    frames = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), _LOOKED_AT)).round().astype(int))
    moved = clip.translations
    few = replace(
        clip,
        rotations=clip.rotations[frames],
        root=np.zeros((len(frames), 3)),
        translations=None if moved is None else moved[frames],
    )
    places = few.world(np.float64).positions
    away = np.linalg.norm(places - places.mean(axis=0), axis=-1).sum(axis=-1)
    return int(frames[int(np.argmax(away))])
