"""Blends that begin or end in mid-step, because the part that their motions have in common does: said in words."""

from __future__ import annotations

from collections.abc import Sequence

from reenact.core.foot_plants import FootPlants

_SOON = 0.15  # seconds beyond an end within which a foot comes down, or has come down, all the same


def describe_cut_steps(
    plants: FootPlants | None, ranges: Sequence[tuple[int, int]], lengths: Sequence[int], fps: float
) -> str:
    """In words, which foot is in the air where a blend begins or ends and its motions go on; empty where none is.

    Args:
        plants: those of the blend.
        ranges: for each motion the frames [start, end) that are blended.
        lengths: how many frames each motion has.
        fps: of the motions.
    """
    if plants is None or not len(plants):
        return ""
    said, soon = [], _SOON * fps
    for what, frame, cut in (
        ("begins", 0, all(start > soon for start, _ in ranges)),
        ("ends", len(plants) - 1, all(end < count - soon for (_, end), count in zip(ranges, lengths, strict=True))),
    ):
        up = [side for side in ("left", "right") if not plants.foot(side).plant[frame]]
        if cut and up:
            feet = "both feet are" if len(up) == 2 else f"the {up[0]} foot is"
            said.append(f"it {what} in mid-step ({feet} in the air), as its motions part there")
    return "; ".join(said)
