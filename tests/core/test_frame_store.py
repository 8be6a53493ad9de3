"""Many clips end to end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.core.clip import Clip, JointTranslations
from reenact.core.frame_store import FrameStore, frame_store_from_clips
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError


def make(
    frames: int, seed: int = 0, moving: tuple[int, ...] | None = None, fps: float = 60.0, names=("a", "b", "c")
) -> Clip:
    chance = np.random.default_rng(seed)
    skeleton = Skeleton(names, np.arange(-1, 2, dtype=np.int32), chance.random((3, 3)))
    moved = None
    if moving is not None:
        moved = JointTranslations(
            np.array(moving, np.int32), chance.random((frames, len(moving), 3)).astype(np.float32)
        )
    rotations = chance.standard_normal((frames, 3, 4)).astype(np.float32)
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    return Clip(skeleton, rotations, chance.random((frames, 3)).astype(np.float32), fps, f"clip{seed}", moved)


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([None, (1,), (2,), (1, 2)])), min_size=1, max_size=5))
def test_clips_come_back_as_they_went_in(shapes) -> None:
    clips = [make(frames, seed, moving) for seed, (frames, moving) in enumerate(shapes)]
    store = frame_store_from_clips(clips)
    assert store.frames == sum(len(clip) for clip in clips)
    assert len(store) == len(clips)
    for number, clip in enumerate(clips):
        back = store.clip(number)
        assert back.rotations.tobytes() == clip.rotations.tobytes()
        assert back.root.tobytes() == clip.root.tobytes()
        assert back.name == clip.name
        assert back.skeleton is clip.skeleton
        if clip.translations is None:
            assert back.translations is None
        else:
            assert back.translations.joints.tolist() == clip.translations.joints.tolist()
            assert back.translations.values.tobytes() == clip.translations.values.tobytes()
        if len(clip):
            np.testing.assert_array_equal(back.world().positions, clip.world().positions)


def test_clips_are_views() -> None:
    store = frame_store_from_clips([make(5), make(4, 1, (1, 2))])
    assert np.shares_memory(store.clip(1).rotations, store.rotations)
    assert np.shares_memory(store.clip(1).translations.values, store.translations.values)
    assert not store.rotations.flags.writeable


def test_joints_that_do_not_move_hold_their_offset() -> None:
    store = frame_store_from_clips([make(2, 0), make(3, 1, (2,))])
    assert store.translations.joints.tolist() == [2]
    np.testing.assert_array_equal(store.translations.values[:2, 0], np.float32([store.skeletons[0].offsets[2]] * 2))


def test_frames_are_located() -> None:
    store = frame_store_from_clips([make(3, 0), make(0, 1), make(2, 2)])
    assert [store.locate(frame) for frame in range(5)] == [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1)]
    assert store.clip_of_frame.tolist() == [0, 0, 0, 2, 2]
    assert store.span(2) == slice(3, 5)
    for frame in (-1, 5):
        with pytest.raises(ParameterError, match="holds 0 to 4"):
            store.locate(frame)
    for clip in (-1, 3):
        with pytest.raises(ParameterError, match="holds 0 to 2"):
            store.span(clip)


def test_one_rate() -> None:
    assert frame_store_from_clips([make(1), make(1, 1)]).one_rate == 60.0
    with pytest.raises(ParameterError, match=r"clip0 60 Hz, clip1 30 Hz"):
        _ = frame_store_from_clips([make(1), make(1, 1, fps=30.0)]).one_rate


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        frame_store_from_clips([])
    with pytest.raises(SkeletonError, match="clip0 and clip1: joint 'a' against 'x'"):
        frame_store_from_clips([make(1), make(1, 1, names=("x", "b", "c"))])
    good = frame_store_from_clips([make(2), make(3, 1)])
    for starts in ([0, 2, 4], [1, 2, 5], [0, 6, 5]):
        with pytest.raises(ParameterError, match="starts"):
            FrameStore(good.skeletons, good.rotations, good.root, np.array(starts), good.fps, good.names)
    with pytest.raises(ParameterError, match="names"):
        FrameStore(good.skeletons, good.rotations, good.root, good.starts, good.fps, ("one",))
