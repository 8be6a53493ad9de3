"""Feet that glide although they seem to stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reenact.samples import make_sample
from reenact.solve.feet import find_feet
from reenact.solve.gliding import find_glides


def test_a_body_that_is_pushed_over_the_floor_glides() -> None:
    """A stand that drifts by 6 cm in two seconds, which is slower than anything a detector minds."""
    clip = make_sample("stand").clip
    feet = find_feet(clip.skeleton, clip)
    assert max(glide.millimetres for glide in find_glides(clip, feet)) < 1.0
    root = clip.root.copy()
    seconds = np.arange(len(clip)) / clip.fps
    root[:, 0] += (0.06 * np.clip((seconds - 1.0) / 2.0, 0.0, 1.0)).astype(np.float32)
    found = find_glides(replace(clip, root=root), feet)
    assert {(glide.foot, glide.point) for glide in found} == {
        (side, point) for side in ("left", "right") for point in ("heel", "ball")
    }
    assert all(55 < glide.millimetres < 65 for glide in found)


def test_feet_in_the_air_do_not_glide() -> None:
    """Of a walk only the stands count, one of each foot in every cycle, and they are still."""
    sample = make_sample("walk_normal")
    clip = sample.clip
    found = find_glides(clip, find_feet(clip.skeleton, clip))
    assert max(glide.millimetres for glide in found) < 25
    assert np.median([glide.millimetres for glide in found]) < 4
    assert max(glide.end - glide.start for glide in found) < 0.8 * np.median(np.diff(sample.truth.cycles))
    late = find_glides(clip, find_feet(clip.skeleton, clip), (200, 260))
    assert late
    assert all(glide.start < 260 and glide.end > 200 for glide in late)
    assert len(late) < len(found)
