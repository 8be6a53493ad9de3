"""Weights of joints, as values and as text."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from reenact.core.joint_weights import JointWeights, parse_joint_weights
from reenact.errors import FormatError, ParameterError, SkeletonError
from reenact.formats.weights_text import parse_weights, read_weights, write_weights
from reenact.samples import make_sample


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("left_foot", "'left_foot' is not a joint and its weight"),
        ("left_foot=x", "'left_foot=x' is not a joint"),
        ("left_foot=-1", "'left_foot=-1' is not a joint"),
        ("=1", "'=1' is not a joint"),
        ("hips=1,hips=2", "'hips' stands twice"),
        ("hips=0", "no joint has a position weight above zero"),
        ("", "'' is not a joint"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_joint_weights(text)


def test_roles_and_others():
    skeleton = make_sample("walk_normal").clip.skeleton
    found = parse_joint_weights(" left_foot=2, hips = 0.5 ,others=0.25").of(skeleton)
    wanted = np.full(len(skeleton), 0.25)
    wanted[[skeleton.roles["left_foot"], skeleton.roles["hips"]]] = 2, 0.5
    assert np.array_equal(found, wanted)
    alone = parse_joint_weights("left_foot=2").of(skeleton)
    assert np.count_nonzero(alone) == 1
    with pytest.raises(SkeletonError, match="tail"):
        parse_joint_weights("tail=2").of(skeleton)
    with pytest.raises(ParameterError, match="other joints must be zero or more"):
        JointWeights({"hips": 1.0}, others=-1.0)


def test_files_know_the_others_too(tmp_path):
    weights = parse_joint_weights("left_foot=2,others=0.25")
    write_weights(weights, tmp_path / "w.txt")
    assert read_weights(tmp_path / "w.txt") == weights
    assert parse_weights("others 1\nhips 3").others == 1
    with pytest.raises(FormatError, match="one weight"):
        parse_weights("hips 3\nothers 1 2")


def test_other_processes_can_be_sent_them():
    weights = JointWeights({"hips": 2.0}, {"hips": 0.5}, {}, others=0.25)
    again = pickle.loads(pickle.dumps(weights))
    assert (again, again.velocity["hips"], again.others) == (weights, 0.5, 0.25)
    with pytest.raises(TypeError):
        again.position["hips"] = 3.0
