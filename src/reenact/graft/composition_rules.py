"""Which upper bodies go with which lower bodies (reuse specification 3.14.2, Shanbhag 2009, section 5.4.2).

Motions of one type always do. Walking and running both swing with the feet. Gestures made while standing are harmless on anything. The
upper body of a jump belongs to its flight and fits nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

CLASSES = ("stand", "walk", "run", "jump")
"""The types of motion that are grafted by themselves; a clip that is `other` is left out."""

RULES: Mapping[str, tuple[str, ...]] = {
    "stand": ("stand", "walk", "run", "jump"),
    "walk": ("walk", "run"),
    "run": ("walk", "run"),
    "jump": ("jump",),
}
"""For the type of an upper body the types of lower bodies that it may be grafted on."""


def is_allowed(upper: str, lower: str) -> bool:
    """Whether the rules let an upper body of one type onto a lower body of another."""
    return lower in RULES.get(upper, ())


def objection(upper: str, lower: str) -> str:
    """In words, what speaks against a pair; empty when the rules allow it."""
    if is_allowed(upper, lower):
        return ""
    for kind, whose in ((upper, "source"), (lower, "base")):
        if kind not in CLASSES:
            return f"the {whose} is neither a stand, walk, run nor jump from end to end; what goes with it is not known"
    if upper == "jump":
        return f"the upper body of a jump belongs to its flight and rarely convinces on a {lower}"
    return f"the upper body of a {upper} and the legs of a {lower} do not move together"


def allowed_pairs(types: Mapping[str, str]) -> list[tuple[str, str]]:
    """All pairs (base, source) of different clips that the rules allow, in the order of their names; `types` by name of clip."""
    return [
        (base, source)
        for base in sorted(types)
        for source in sorted(types)
        if base != source and is_allowed(types[source], types[base])
    ]


def count_allowed(counts: Mapping[str, int]) -> int:
    """Ordered pairs of different clips that the rules allow, for numbers of clips by type.

    n_s (n_s + n_w + n_r + n_j) + (n_w + n_r)^2 + n_j^2 pairs, less those of a clip with itself.
    """
    stand, walk, run, jump = (int(counts.get(kind, 0)) for kind in CLASSES)
    pairs = stand * (stand + walk + run + jump) + (walk + run) ** 2 + jump**2
    return pairs - (stand + walk + run + jump)
