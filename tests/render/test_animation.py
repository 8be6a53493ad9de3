import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import reenact
from reenact.errors import MissingExtraError, ParameterError
from reenact.render.animation import (
    AnimationParameters,
    _camera_way,
    _frame_motion,
    _smooth,
    render_frames,
    save_animation,
    video_times,
)
from reenact.render.cast import gather
from reenact.render.palette import PALETTES

SMALL = {"width": 160, "height": 120}


def decode(path):
    import av

    with av.open(str(path)) as container:
        video = container.streams.video[0]
        return (
            [frame.to_ndarray(format="rgb24") for frame in container.decode(video)],
            video.average_rate,
            video.codec_context,
        )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fps": 0}, "1 to 120"),
        ({"speed": 0}, "0.01 to 100"),
        ({"width": 5}, "64 to 4096"),
        ({"height": 10_000}, "64 to 4096"),
        ({"view": "under"}, "three-quarter"),
        ({"background": ""}, "light, dark"),
    ],
)
def test_wrong_parameters_say_the_choices(wrong, message):
    with pytest.raises(ParameterError, match=message):
        AnimationParameters(**wrong)


@pytest.mark.parametrize(
    ("clip", "video"), [(120, 30), (100, 25), (60, 30), (30, 30), (24, 24), (25, 25), (1000 / 8.333333, 30), (72, 24)]
)
def test_the_rate_is_a_whole_part_of_the_clips(clip, video):
    assert AnimationParameters().rate(clip) == pytest.approx(video, rel=1e-4)


@given(st.integers(1, 5000), st.floats(10, 240), st.floats(5, 60), st.floats(0.1, 8))
def test_a_video_lasts_as_long_as_the_motion(frames, fps, rate, speed):
    times = video_times(frames / fps, rate, speed)
    assert len(times) >= 1
    assert len(times) / rate * speed == pytest.approx(frames / fps, abs=speed / rate)
    assert times[-1] < frames / fps + 1e-6
    np.testing.assert_allclose(np.diff(times), speed / rate)


def test_joints_are_where_the_camera_says(make_clip, person):
    """The middle of each limb, where nothing lies before it, has the limb's colour."""
    options = AnimationParameters(width=640, height=480, view="front", traces=False, caption=False, figure="sticks")
    clip = make_clip(3)
    picture = np.asarray(next(render_frames(clip, options)), float)
    cast = gather(clip, PALETTES["light"], None)
    camera, _ = _frame_motion(cast, _camera_way(cast, None), options)
    positions = clip.world().positions[0].astype(float)
    for side in ("left", "right"):
        wanted = np.array(getattr(PALETTES["light"].tints[0], side)) / 255
        for start, end in (
            ("upper_arm", "lower_arm"),
            ("lower_arm", "hand"),
            ("upper_leg", "lower_leg"),
            ("lower_leg", "foot"),
        ):
            middle = (positions[person.roles[f"{side}_{start}"]] + positions[person.roles[f"{side}_{end}"]]) / 2
            x, y = camera.project(middle)[0].astype(int)
            seen = picture[y, x] / np.linalg.norm(picture[y, x])
            assert np.linalg.norm(seen - wanted / np.linalg.norm(wanted)) < 0.12, (side, start)


@pytest.mark.parametrize("follow", [True, False, None])
@pytest.mark.parametrize("orthographic", [True, False])
@pytest.mark.parametrize("view", ["three-quarter", "top", "back"])
def test_every_joint_is_in_the_picture_all_the_time(make_clip, follow, orthographic, view):
    options = AnimationParameters(**SMALL, follow=follow, orthographic=orthographic, view=view)
    clip = make_clip(60, distance=6.0, heading=30)
    cast = gather(clip, PALETTES["light"], None)
    way = _camera_way(cast, follow)
    camera, _ = _frame_motion(cast, way, options)
    for frame in range(len(clip)):
        pixels, depth, _ = camera.moved(way[frame]).project(cast.lead.points[frame])
        assert ((pixels >= 0) & (pixels <= (160, 120))).all()
        assert (depth > 0).all()
    assert np.ptp(way[:, 0]) == pytest.approx(0 if follow is False else 3.0, abs=0.1)


def test_frames_change_with_the_pose_and_the_still_part_stays(make_clip, person):
    clip = make_clip(30)
    rotations = np.array(clip.rotations)
    angle = np.linspace(0, 1, 30)
    rotations[:, person.roles["left_upper_arm"]] = np.stack(
        [np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)], axis=-1
    )
    options = AnimationParameters(**SMALL, view="front", caption=False)
    frames = [np.asarray(frame, int) for frame in render_frames(replace(clip, rotations=rotations), options)]
    changed = np.abs(frames[0] - frames[-1]).max(axis=-1) > 30
    assert changed[:, 80:].sum() > 50  # the left arm is at the picture's right, seen from the front
    assert changed[:, :70].sum() == 0


def test_a_still_clip_gives_equal_frames(make_clip):
    frames = list(render_frames(make_clip(4), AnimationParameters(**SMALL, caption=False, traces=False)))
    assert len(frames) == 4
    assert all(np.array_equal(frames[0], frame) for frame in frames)


@pytest.mark.parametrize(("fps", "count", "total"), [(None, 45, 1500), (10, 15, 1500), (25, 38, 1520), (24, 36, 1500)])
def test_gif_frames_and_time(make_clip, tmp_path, fps, count, total):
    path = tmp_path / "clip.gif"
    assert save_animation(make_clip(45, distance=4), path, AnimationParameters(**SMALL, fps=fps)) == count
    with Image.open(path) as picture:
        assert picture.size == (160, 120)
        assert picture.n_frames == count
        assert picture.info["loop"] == 0
        durations = []
        for frame in range(picture.n_frames):
            picture.seek(frame)
            durations.append(picture.info["duration"])
    assert sum(durations) == pytest.approx(total, abs=10)
    assert max(durations) - min(durations) <= 10


def test_gif_shows_the_rendered_frames(make_clip, tmp_path):
    path = tmp_path / "clip.gif"
    options = AnimationParameters(**SMALL)
    clip = make_clip(12, distance=3)
    save_animation(clip, path, options)
    with Image.open(path) as picture:
        for index, frame in enumerate(render_frames(clip, options)):
            picture.seek(index)
            error = np.abs(np.asarray(picture.convert("RGB"), int) - np.asarray(frame, int))
            assert error.mean() < 4


def test_gif_is_never_faster_than_viewers_play(make_clip, tmp_path):
    with pytest.raises(ParameterError, match="at most 50"):
        save_animation(make_clip(5), tmp_path / "a.gif", AnimationParameters(**SMALL, fps=60))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("width", "height"), [(160, 120), (161, 121)])
def test_mp4_frames_rate_and_size(make_clip, tmp_path, width, height):
    path = tmp_path / "clip.MP4"
    options = AnimationParameters(width=width, height=height)
    assert save_animation(make_clip(240, fps=120, distance=3), path, options) == 60
    frames, rate, codec = decode(path)
    assert len(frames) == 60
    assert rate == 30
    assert (codec.name, codec.pix_fmt) == ("h264", "yuv420p")
    assert frames[0].shape == (120, 160, 3)
    first = np.asarray(next(render_frames(make_clip(240, fps=120, distance=3), options)), int)[:120, :160]
    assert np.abs(frames[0].astype(int) - first).mean() < 8


def test_slow_motion_takes_longer(make_clip, tmp_path):
    assert save_animation(make_clip(30), tmp_path / "a.mp4", AnimationParameters(**SMALL, speed=0.5)) == 60
    assert save_animation(make_clip(30), tmp_path / "a.mp4", AnimationParameters(**SMALL, speed=3)) == 10


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_one_frame(make_clip, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    assert save_animation(make_clip(1), path, AnimationParameters(**SMALL)) == 1
    assert path.stat().st_size > 200


def test_without_pyav_the_error_says_what_to_install(make_clip, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtraError, match=r"reenact\[video\]"):
        save_animation(make_clip(3), tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_a_clip_that_cannot_be_drawn_leaves_the_old_file(make_clip, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    path.write_text("old")
    clip = make_clip(5)
    with pytest.raises(ParameterError, match="frame 0"):
        save_animation(replace(clip, root=clip.root * np.nan), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_unknown_endings_name_the_choices(make_clip, tmp_path):
    with pytest.raises(ParameterError, match=r"'\.avi'.*\.gif, \.mp4"):
        save_animation(make_clip(3), tmp_path / "a.avi")


def test_overlaid_clips_of_different_length_and_rate(make_clip):
    clips = [make_clip(30, fps=30), replace(make_clip(30, fps=60), name="short")]
    options = AnimationParameters(**SMALL, caption=False, traces=False)
    frames = [np.asarray(frame, int) for frame in render_frames(clips, options)]
    assert len(frames) == 30
    assert np.abs(frames[10] - frames[25]).max() > 30  # the short one is gone by then


def test_the_camera_keeps_the_trace_out_of_itself(make_clip):
    """Seen from behind, the way already gone passes under the camera."""
    frames = list(render_frames(make_clip(90, distance=30), AnimationParameters(**SMALL, view="back", fps=2)))
    assert len(frames) == 6


def test_a_climbing_camera(make_clip):
    clip = make_clip(60, distance=3)
    rising = clip.root + np.linspace(0, 6, 60)[:, None].astype(np.float32) * np.float32([0, 1, 0])
    cast = gather(replace(clip, root=rising), PALETTES["light"], None)
    assert np.ptp(_camera_way(cast, None)[:, 1]) > 4
    assert len(list(render_frames(replace(clip, root=rising), AnimationParameters(**SMALL, fps=3)))) == 6


@given(st.integers(1, 80), st.floats(0.1, 50), st.floats(-3, 3), st.floats(-3, 3))
def test_smoothing_keeps_straight_lines(count, deviation, start, slope):
    line = start + slope * np.arange(count)
    np.testing.assert_allclose(_smooth(line, deviation), line, atol=1e-9 * (1 + abs(slope) * count))


def test_smoothing_calms_a_tremor():
    tremor = np.sin(np.arange(200) * 2.0)
    assert np.abs(_smooth(tremor, 10)[40:-40]).max() < 0.01


@pytest.mark.corpus
@pytest.mark.parametrize("path", ["cmu-bvh/16_35.bvh", "characters/khronos/CesiumMan.glb"])
def test_recordings(corpus, tmp_path, path):
    clip = reenact.load(corpus / path)
    count = save_animation(clip, tmp_path / "a.mp4", AnimationParameters(**SMALL))
    frames, _, _ = decode(tmp_path / "a.mp4")
    assert len(frames) == count == round(clip.seconds * AnimationParameters().rate(clip.fps) + 0.49)
