from dataclasses import replace

import numpy as np
import pytest

from reenact.core.clip import Clip, JointTranslations
from reenact.core.rotations import identity
from reenact.errors import ParameterError
from reenact.render.subject import prepare


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", ["rotations", "root"])
def test_numbers_that_are_not_finite_are_refused_with_their_frame(make_clip, field, bad):
    clip = make_clip(20)
    values = np.array(getattr(clip, field))
    values[13].flat[2] = bad
    with pytest.raises(ParameterError, match=r"frame 13 .*1 of 20") as error:
        prepare(replace(clip, **{field: values}))
    assert error.value.where == "glide"


def test_translations_that_are_not_finite_are_refused(make_clip):
    clip = make_clip(5)
    values = np.zeros((5, 1, 3))
    values[3] = np.nan
    with pytest.raises(ParameterError, match="frame 3"):
        prepare(replace(clip, translations=JointTranslations(np.array([2]), values)))


def test_positions_beyond_all_numbers_are_refused(make_clip):
    clip = make_clip(3)
    with pytest.raises(ParameterError, match="beyond"):
        prepare(replace(clip, root=np.full((3, 3), 3e38, np.float32), skeleton=clip.skeleton.scaled(3e38)))


def test_a_clip_without_frames_is_refused(person):
    with pytest.raises(ParameterError, match="without frames"):
        prepare(Clip(person, np.zeros((0, len(person), 4)), np.zeros((0, 3)), 30.0))


@pytest.mark.parametrize("heading", [0, 37, 120, 180, -90])
def test_facing_and_travel(make_clip, heading):
    subject = prepare(make_clip(40, distance=5.0, heading=heading))
    turned = np.degrees(subject.facing()) - heading
    assert (turned + 180) % 360 - 180 == pytest.approx(0, abs=0.01)
    towards, length, path = subject.travel()
    assert (np.degrees(towards) - heading + 180) % 360 - 180 == pytest.approx(0, abs=0.01)
    assert length == pytest.approx(5, rel=1e-4)
    assert path == pytest.approx(5, rel=0.1)


def test_a_body_that_stays_is_seen_from_where_it_faces(make_clip):
    assert prepare(make_clip(heading=75)).direction() == pytest.approx(np.radians(75), abs=1e-4)


@pytest.mark.parametrize("height", [0.0, 0.03, -0.03])
def test_the_floor_is_zero_when_the_feet_are_near_it(make_clip, height):
    clip = make_clip(10)
    assert prepare(replace(clip, root=clip.root + np.float32([0, height, 0]))).floor == 0


@pytest.mark.parametrize("height", [1.5, -0.8, 40.0])
def test_the_floor_is_found_below_the_feet_elsewhere(make_clip, height):
    clip = make_clip(10)
    floor = prepare(replace(clip, root=clip.root + np.float32([0, height, 0]))).floor
    assert height - 0.05 < floor <= height + 0.03


def test_a_given_floor_is_taken(make_clip):
    assert prepare(make_clip(3), 0.7).floor == 0.7
    with pytest.raises(ParameterError, match="floor"):
        prepare(make_clip(3), np.nan)


def test_feet_by_roles_and_by_what_touches_the_floor(make_clip, person):
    clip = make_clip(5)
    toes = {person.roles["left_toes"]: 1, person.roles["right_toes"]: 2}
    assert {foot.point: foot.side for foot in prepare(clip).feet} == toes
    bare = clip.with_skeleton(person.with_roles({}))
    assert {foot.point: foot.side for foot in prepare(bare).feet} == toes


def test_end_sites_are_points(make_clip, person):
    points = prepare(make_clip(1)).points
    assert points.shape == (1, len(person) + 3, 3)
    np.testing.assert_allclose(points[0, -2], points[0, person.roles["left_hand"]] + (0.16, 0, 0), atol=1e-6)


def test_a_single_joint_can_be_drawn():
    from reenact.core.skeleton import Skeleton

    clip = Clip(Skeleton(("only",), [-1], [(0, 0, 0)]), np.tile(identity(1), (3, 1, 1)), np.zeros((3, 3)), 10.0)
    assert prepare(clip).figure.size == 1
