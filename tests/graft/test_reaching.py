from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.core.clip import Clip
from reenact.core.skeleton import Skeleton
from reenact.graft.reaching import reach_hands


def longer_arms(skeleton: Skeleton, factor: float) -> Skeleton:
    """The same body with longer fore and upper arms."""
    offsets = skeleton.offsets.copy()
    for side in ("left", "right"):
        for role in ("lower_arm", "hand"):
            offsets[skeleton.roles[f"{side}_{role}"]] *= factor
    return replace(skeleton, offsets=offsets)


def test_on_the_same_body_nothing_moves(sample) -> None:
    clip = sample("drink_standing")
    bent, short = reach_hands(clip, clip, clip, ("left", "right"))
    made = Clip(clip.skeleton, bent, clip.root, clip.fps).world(np.float64).positions
    assert np.abs(made - clip.world(np.float64).positions).max() < 2e-3
    assert short.max() < 1e-3


def test_a_hand_at_the_head_stays_at_the_head_of_a_body_with_longer_arms(sample) -> None:
    source = sample("drink_standing")
    skeleton = longer_arms(source.skeleton, 1.25)
    copied = source.with_skeleton(skeleton)
    bent, _ = reach_hands(copied, copied, source, ("left", "right"))
    solved = Clip(skeleton, bent, copied.root, copied.fps)

    side = min(("left", "right"), key=lambda side: float(to_head(source, side).min()))
    nearest = int(np.argmin(to_head(source, side)))
    wanted = to_head(source, side)[nearest]
    assert wanted < 0.4
    missed = abs(to_head(copied, side)[nearest] - wanted)
    assert abs(to_head(solved, side)[nearest] - wanted) < 0.6 * missed


def to_head(clip: Clip, side: str) -> np.ndarray:
    """(F,) metres from a hand to the head."""
    places, roles = clip.world(np.float64).positions, clip.skeleton.roles
    return np.linalg.norm(places[:, roles[f"{side}_hand"]] - places[:, roles["head"]], axis=1)
