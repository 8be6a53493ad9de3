"""Linear blending, the baseline."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.blend.linear import blend_linearly, schedule_linear
from reenact.blend.preparing import bring_together
from reenact.blend.weights import constant_weights, passing_weights, weights_of
from reenact.core.placement import move_rigidly
from reenact.errors import ParameterError

HALF = constant_weights([1, 1], 2)


def test_an_unknown_pairing_is_refused(sample):
    with pytest.raises(ParameterError, match="pairing must be index or normalised"):
        schedule_linear([sample("walk_normal")] * 2, HALF, "random")  # type: ignore[arg-type]


@pytest.mark.parametrize("pairing", ["index", "normalised"])
@pytest.mark.parametrize("weights", ["0.5,0.5", "0.1,0.9", "0%:1,0; 100%:0,1"])
def test_equal_clips_stay_what_they_are(sample, pairing, weights):
    clip = sample("walk_corner_left")
    made = blend_linearly([clip, clip], weights_of(weights, 2), pairing)
    assert np.abs(made.clip.world().positions - clip.world().positions).max() < 1e-5


def test_lengths(sample):
    clips, _ = bring_together([sample("walk_normal"), sample("jog")])
    lengths = [len(clip) for clip in clips]
    assert len(schedule_linear(clips, HALF, "index")) == min(lengths)
    found = schedule_linear(clips, constant_weights([1, 3], 2), "normalised")
    assert len(found) == round(0.25 * (lengths[0] - 1) + 0.75 * (lengths[1] - 1)) + 1
    assert np.allclose(found.frames[-1], np.array(lengths) - 1)


def test_opposite_headings_collapse(sample):
    """What linear blending is known for: the path shrinks to nothing and the body flips."""
    clip = sample("walk_normal")
    away = move_rigidly(clip, (0, 0, 0), np.pi)
    made = blend_linearly([clip, away], HALF, "index")
    way = np.linalg.norm(made.clip.root[-1, [0, 2]] - made.clip.root[0, [0, 2]])
    assert way < 0.05 * np.linalg.norm(clip.root[-1, [0, 2]] - clip.root[0, [0, 2]])
    assert any(found["joint"] == clip.skeleton.names[0] for found in made.report["opposed"])


def test_a_transition_begins_with_the_first_and_ends_with_the_last(sample):
    clips, _ = bring_together([sample("walk_normal"), sample("walk_brisk")])
    made = blend_linearly(clips, passing_weights(2), "normalised")
    assert np.abs(made.clip.root[0] - clips[0].root[0]).max() < 1e-5
    assert np.abs(made.clip.root[-1] - clips[1].root[-1]).max() < 1e-5


def test_plants_are_those_of_all_that_have_weight(sample):
    clips, plants = bring_together([sample("walk_normal"), sample("walk_brisk")])
    both = blend_linearly(clips, HALF, "index", plants).plants
    alone = blend_linearly(clips, constant_weights([1, 0], 2), "index", plants).plants
    assert both is not None
    assert alone is not None
    count = len(both)
    for side in ("left", "right"):
        own = [p.foot(side).heel[:count] for p in plants]
        assert np.array_equal(both.foot(side).heel, own[0] & own[1])
        assert np.array_equal(alone.foot(side).heel, own[0])
