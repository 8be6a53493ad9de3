from dataclasses import replace

import numpy as np
import pytest

import reenact
from reenact.core.clip import Clip
from reenact.core.rotations import about_y, identity
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError
from reenact.render import strip as strips
from reenact.render.palette import PALETTES
from reenact.render.strip import StripParameters, choose_frames, render_strip


def pixels(picture):
    return np.asarray(picture, np.int32)


def near(picture, colour, tolerance=40):
    """How many pixels have about the hue of a colour, whatever the light."""
    values = pixels(picture).astype(float)
    unit = values / np.maximum(np.linalg.norm(values, axis=-1, keepdims=True), 1)
    wanted = np.array(colour) / np.linalg.norm(colour)
    return int((np.linalg.norm(unit - wanted, axis=-1) < tolerance / 255).sum())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"every": 0}, "at least 1"),
        ({"count": 0}, "1 to 400"),
        ({"every": 2, "count": 3}, "not both"),
        ({"mode": "spiral"}, "auto, path, row"),
        ({"view": "below"}, "three-quarter, side"),
        ({"width": 10}, "200 to 8000"),
        ({"height": 5000}, "40 to 2000"),
        ({"background": "pink"}, "light, dark"),
        ({"floor": float("nan")}, "finite"),
    ],
)
def test_wrong_parameters_say_the_choices(wrong, message):
    with pytest.raises(ParameterError, match=message):
        StripParameters(**wrong)


def test_no_clip_is_refused():
    with pytest.raises(ParameterError, match="no clip"):
        render_strip([])


def test_chosen_frames():
    assert choose_frames(10, StripParameters(every=4), 99).tolist() == [0, 4, 8]
    assert choose_frames(101, StripParameters(count=5), 99).tolist() == [0, 25, 50, 75, 100]
    assert choose_frames(3, StripParameters(count=50), 99).tolist() == [0, 1, 2]
    assert choose_frames(1, StripParameters(), 99).tolist() == [0]
    assert len(choose_frames(1000, StripParameters(), 8)) == 8
    with pytest.raises(ParameterError, match="at least 25"):
        choose_frames(10_000, StripParameters(every=1), 8)


def test_going_somewhere_gives_a_path_and_staying_a_row(make_clip, monkeypatch):
    chosen = []
    for name in ("_render_path", "_render_row"):
        original = getattr(strips, name)
        monkeypatch.setattr(strips, name, lambda *a, n=name, f=original: (chosen.append(n), f(*a))[1])
    render_strip(make_clip(30, distance=4.0))
    render_strip(make_clip(30, distance=0.3))
    render_strip(make_clip(30, distance=4.0), StripParameters(view="front"))  # it would come straight at the camera
    render_strip(make_clip(30, distance=0.3), StripParameters(mode="path"))
    assert chosen == ["_render_path", "_render_row", "_render_row", "_render_path"]


@pytest.mark.parametrize("mode", ["path", "row"])
@pytest.mark.parametrize("background", ["light", "dark"])
def test_both_sides_are_seen_in_their_colours(make_clip, mode, background):
    picture = render_strip(
        make_clip(30, distance=4.0), StripParameters(mode=mode, background=background, caption=False, figure="sticks")
    )
    tint = PALETTES[background].tints[0]
    assert near(picture, tint.left) > 500
    assert near(picture, tint.right) > 500
    corner = tuple(pixels(picture)[0, 0])
    assert np.abs(np.subtract(corner, PALETTES[background].background)).max() <= 2


def test_the_picture_shows_the_pose(make_clip, person):
    """Raised arms change the picture where the arms are; nothing changes at the feet."""
    clip = make_clip(8)
    rotations = np.array(clip.rotations)
    shoulder = person.roles["left_upper_arm"]
    rotations[:, shoulder] = (np.cos(0.6), 0, 0, np.sin(0.6))
    options = StripParameters(count=1, caption=False, traces=False, view="front")
    a, b = (pixels(render_strip(c, options)) for c in (clip, clip))
    np.testing.assert_array_equal(a, b)
    c = pixels(render_strip(replace(clip, rotations=rotations), options))
    assert a.shape != c.shape or (a != c).mean() > 0.005


def test_long_strips_wrap(make_clip):
    one = render_strip(make_clip(100), StripParameters(count=3, width=900))
    many = render_strip(make_clip(100), StripParameters(count=40, width=900))
    assert many.width <= 900
    assert many.height > 3 * one.height
    far = render_strip(make_clip(200, distance=40), StripParameters(width=900))
    assert far.width <= 900
    assert far.height > 500


def test_too_large_a_strip_is_refused(make_clip):
    with pytest.raises(ParameterError, match="fewer poses"):
        render_strip(make_clip(400), StripParameters(count=400, width=200, height=2000, mode="row"))


@pytest.mark.parametrize("mode", ["auto", "path", "row"])
def test_one_frame(make_clip, mode):
    picture = render_strip(make_clip(1), StripParameters(mode=mode))
    assert near(picture, PALETTES["light"].tints[0].left) > 100


@pytest.mark.parametrize("mode", ["path", "row"])
@pytest.mark.parametrize("view", ["three-quarter", "side", "front", "back", "top", "200,-20"])
def test_every_view(make_clip, mode, view):
    picture = render_strip(make_clip(20, distance=3), StripParameters(mode=mode, view=view, figure="sticks"))
    assert near(picture, PALETTES["light"].tints[0].right) > 100


@pytest.mark.parametrize("mode", ["path", "row"])
@pytest.mark.parametrize("distance", [1e4, 1e7])
def test_huge_ways(make_clip, mode, distance):
    picture = render_strip(make_clip(20, distance=distance), StripParameters(mode=mode, count=6))
    assert picture.width <= 1600
    assert picture.height < 8000


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_tiny_and_giant_bodies_look_alike(make_clip, factor):
    clip = make_clip(10)
    other = replace(clip, skeleton=clip.skeleton.scaled(factor), root=clip.root * np.float32(factor))
    options = StripParameters(count=2, caption=False, floor=0.0, figure="sticks")
    a, b = (render_strip(c, options) for c in (clip, other))
    assert np.abs(np.subtract(a.size, b.size)).max() <= 2
    left = PALETTES["light"].tints[0].left
    assert near(b, left) == pytest.approx(near(a, left), rel=0.1)


def test_bodies_without_extent():
    for names, parents in ((("only",), [-1]), (("a", "b", "c"), [-1, 0, 1])):
        skeleton = Skeleton(names, parents, np.zeros((len(names), 3)))
        clip = Clip(skeleton, np.tile(identity(len(names)), (4, 1, 1)), np.zeros((4, 3)), 10.0)
        for mode in ("path", "row"):
            assert len(np.unique(pixels(render_strip(clip, StripParameters(mode=mode, caption=False))))) > 3


def test_clips_laid_over_one_another_have_their_own_tints(make_clip):
    first, second = make_clip(30, distance=4.0), make_clip(20, fps=60, distance=3.0, name="other")
    second = replace(second, root=second.root + np.float32([0.8, 0, 0]))
    alone = render_strip(first, StripParameters(count=4, figure="sticks"))
    both = render_strip([first, second], StripParameters(count=4, figure="sticks"))
    green = PALETTES["light"].tints[1].left
    assert near(both, green, 20) > near(alone, green, 20) + 300
    assert near(both, PALETTES["light"].tints[0].right) > 300


def test_odd_names_are_written(make_clip):
    for name in ("", "歩く 🚶", "x" * 500, "two\nlines", "\x00"):
        assert render_strip(make_clip(3, name=name)).width >= 200


def test_traces_can_be_left_out(make_clip):
    clip = make_clip(60, distance=4.0)
    a, b = (pixels(render_strip(clip, StripParameters(traces=on))) for on in (True, False))
    assert a.shape == b.shape
    assert 20 < (a != b).any(axis=-1).sum() < 0.2 * a.shape[0] * a.shape[1]


def test_turning_the_whole_motion_changes_nothing(make_clip):
    """Views are relative to the motion: a clip that goes elsewhere looks the same, but for the ground's grid."""
    a, b = (render_strip(make_clip(40, distance=4.0, heading=h), StripParameters(traces=False)) for h in (0, 90))
    assert a.size == b.size
    assert np.mean(np.abs(pixels(a) - pixels(b)).max(axis=-1) > 30) < 0.02


@pytest.mark.corpus
@pytest.mark.parametrize(
    "path",
    [
        "cmu-bvh/02_01.bvh",
        "cmu-bvh/49_06.bvh",
        "cmu-bvh/90_10.bvh",
        "cmu-asfamc/16_35.amc",
        "bvh-other/jesse_dance.bvh",
        "bvh-other/rotation_first_root.bvh",
        "noncommercial/lafan1/test2.bvh",
        "noncommercial/bandai-namco/dataset-1_run_happy_001.bvh",
    ],
)
def test_recordings(corpus, path):
    clip = reenact.load(corpus / path)
    picture = render_strip(clip, StripParameters(height=120))
    ink = (np.abs(pixels(picture) - PALETTES["light"].background).max(axis=-1) > 30).mean()
    assert 0.02 < ink < 0.6


def test_about_y_turns_left():
    """The heading convention the views rest on: +90 degrees is +X."""
    from reenact.core.rotations import rotate

    np.testing.assert_allclose(rotate(about_y(np.pi / 2), np.array([0, 0, 1.0])), [1, 0, 0], atol=1e-12)
