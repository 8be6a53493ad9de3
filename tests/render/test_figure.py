from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.clip import Clip
from reenact.core.rotations import exp, identity
from reenact.core.skeleton import Skeleton
from reenact.render.sides import FACE, LEFT, MIDDLE, RIGHT
from reenact.render.subject import prepare


def figure_of(skeleton, frames=4, turn=None):
    rotations = np.tile(identity(len(skeleton)), (frames, 1, 1)) if turn is None else turn
    return prepare(Clip(skeleton, rotations, np.zeros((len(rotations), 3)), 30.0)).figure


def test_size_is_about_the_height(person):
    assert figure_of(person).size == pytest.approx(1.7, abs=0.2)


@given(seed=st.integers(0, 1000))
def test_size_does_not_depend_on_the_pose(person, seed):
    turn = exp(np.random.default_rng(seed).normal(size=(3, len(person), 3)))
    assert figure_of(person, turn=turn).size == pytest.approx(figure_of(person).size, rel=1e-4)


def test_everything_scales_with_the_body(person):
    small, large = figure_of(person), figure_of(person.scaled(30))
    assert large.size == pytest.approx(30 * small.size, rel=1e-4)
    np.testing.assert_allclose(large.radii, 30 * small.radii, rtol=1e-4)
    np.testing.assert_array_equal(large.starts, small.starts)


def test_every_bone_is_drawn_and_zero_length_bones_are_not(person):
    drawn = figure_of(person)
    assert set(zip(drawn.starts.tolist(), drawn.ends.tolist(), strict=True)) >= {
        (int(parent), joint) for joint, parent in enumerate(person.parents) if parent >= 0
    }
    offsets = person.offsets.copy()
    knee = person.roles["left_lower_leg"]
    offsets[knee] = 0
    shorter = figure_of(replace(person, offsets=offsets))
    assert knee not in shorter.ends.tolist()
    assert len(shorter.ends) == len(drawn.ends) - 1


def test_end_sites_are_drawn_but_the_heads_which_the_head_shows(person):
    ends = figure_of(person).ends.tolist()
    head, left_tip, right_tip = len(person), len(person) + 1, len(person) + 2
    assert left_tip in ends
    assert right_tip in ends
    assert head not in ends


def test_sides_of_the_parts(person):
    drawn = figure_of(person)
    by_end = dict(zip(drawn.ends.tolist(), drawn.sides.tolist(), strict=True))
    roles = person.roles
    assert by_end[roles["left_lower_leg"]] == LEFT
    assert by_end[roles["right_hand"]] == RIGHT
    assert by_end[roles["spine"]] == MIDDLE
    assert by_end[roles["left_upper_leg"]] == MIDDLE  # the pelvis is trunk


def test_thigh_is_thicker_than_shin_and_limbs_taper(person):
    drawn = figure_of(person)
    by_end = dict(zip(drawn.ends.tolist(), drawn.radii, strict=True))
    thigh, shin = by_end[person.roles["left_lower_leg"]], by_end[person.roles["left_foot"]]
    assert thigh[0] > thigh[1] >= shin[0] > shin[1]


def test_the_nose_points_where_the_body_faces(person):
    clip = Clip(person, np.tile(identity(len(person)), (3, 1, 1)), np.zeros((3, 3)), 30.0)
    subject = prepare(clip)
    ends, _, sides, _ = subject.figure.capsules(subject.points[0].astype(float), subject.world.rotations[0])
    (nose,) = ends[sides == FACE]
    assert (nose[1] - nose[0])[2] > 0.9 * np.linalg.norm(nose[1] - nose[0])


def test_lines_that_carry_the_body_and_handles_beside_it_are_no_part_of_it(person):
    count = len(person)
    names = ("Scene", *person.names, "kneeIK", "kneeIK.end")
    parents = [-1, 0, *(int(parent) + 1 for parent in person.parents[1:]), 0, count + 1]
    offsets = np.concatenate([[[0, 0, 0]], person.offsets, [[0, 0.5, 3.0]], [[0, 0, 2.0]]])
    roles = {role: joint + 1 for role, joint in person.roles.items()}
    rigged = Skeleton(names, parents, offsets, roles=roles)
    drawn = figure_of(rigged)
    assert not {0, count + 1, count + 2} & {*drawn.starts.tolist(), *drawn.ends.tolist()}
    assert drawn.size == pytest.approx(figure_of(person).size, rel=0.25)


def test_without_roles_every_bone_has_a_thickness(person):
    drawn = figure_of(person.with_roles({}))
    assert (drawn.radii > 0).all()
    assert {LEFT, RIGHT, MIDDLE} == set(drawn.sides.tolist())


def test_a_body_without_extent_is_a_dot():
    drawn = figure_of(Skeleton(("a", "b"), [-1, 0], np.zeros((2, 3))))
    assert drawn.size == 1
    assert len(drawn.starts) == 1
    assert (drawn.radii > 0).all()


def test_a_tail_is_thinner_than_the_trunk(person):
    count = len(person)
    tailed = replace(
        person,
        names=(*person.names, "Tail", "Tail2"),
        parents=[*person.parents, 0, count],
        offsets=np.concatenate([person.offsets, [[0, 0, -0.2], [0, 0, -0.2]]]),
        rest=None,
    )
    drawn = figure_of(tailed)
    by_end = dict(zip(drawn.ends.tolist(), drawn.radii.max(axis=1), strict=True))
    assert 0 < by_end[count + 1] < 0.6 * by_end[person.roles["spine"]]
