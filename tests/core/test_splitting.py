"""Long recordings in parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from reenact.core.cutting import JoinParameters, concatenate
from reenact.core.splitting import Part, split
from reenact.errors import ParameterError
from reenact.samples import make_sample

CLIP = make_sample("walk_few_steps").clip


def test_parts_put_together_are_the_whole_to_the_bit() -> None:
    cuts = [0, 1, 40, 41, 100, len(CLIP)]
    parts = split(CLIP, [Part(f"p{n}", a, b) for n, (a, b) in enumerate(pairwise(cuts))])
    assert [part.name for part in parts] == ["p0", "p1", "p2", "p3", "p4"]
    again = concatenate(parts, JoinParameters(place="keep"))
    assert again.rotations.tobytes() == CLIP.rotations.tobytes()
    assert again.root.tobytes() == CLIP.root.tobytes()
    assert all(part.fps == CLIP.fps and part.skeleton is CLIP.skeleton for part in parts)


def test_parts_may_overlap() -> None:
    one, other = split(CLIP, [Part("one", 0, 50), Part("other", 30, 60)])
    np.testing.assert_array_equal(one.rotations[30:], other.rotations[:20])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "at least one"),
        ([Part("a", 10, 10)], "is empty"),
        ([Part("a", 10, 5)], "ends before it begins"),
        ([Part("a", -1, 5)], "not within"),
        ([Part("a", 0, len(CLIP) + 1)], f"frames 0 to {len(CLIP)}"),
        ([Part("a", 0, 5), Part("a", 5, 9)], "name of its own"),
        ([Part("", 0, 5)], "name of its own"),
    ],
)
def test_bad_ranges_are_refused(parts: list[Part], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        split(CLIP, parts)
