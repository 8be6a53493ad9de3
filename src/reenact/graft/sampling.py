"""Clips thinned out, for comparisons that do not need every frame."""

from __future__ import annotations

from reenact.core.clip import Clip


def every_frame(clip: Clip, step: int) -> Clip:
    """Every `step`-th frame of a clip, from the first."""
    if step == 1:
        return clip
    moved = None if clip.translations is None else clip.translations[::step]
    return Clip(clip.skeleton, clip.rotations[::step], clip.root[::step], clip.fps / step, clip.name, moved)
