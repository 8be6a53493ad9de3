"""The kernel of the live walk does what its plain twin does, whatever is asked of it and whatever the feet do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reenact import kernels
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample
from reenact.walk.live_walk import LiveWalk, contacts_of

CLIPS = {
    name: make_sample(name, 30.0).clip for name in ("walk_normal", "walk_circle_tight_left", "walk_backwards_normal")
}


def both(
    walk: LiveWalk, clip: Clip, asked: np.ndarray, contacts: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Root, rotations and missed of the kernel and of the twin."""
    frames, joints = len(clip), len(clip.skeleton)
    points, root, rotations = np.zeros((frames, 0, 3)), clip.root.astype(np.float64), clip.rotations.astype(np.float64)
    out = [np.empty((frames, 3)), np.empty((frames, joints, 4)), np.empty(frames)]
    state, feet = np.zeros(len(kernels.live_memory.STATE_NAMES)), np.zeros((2, len(kernels.live_memory.FOOT_NAMES)))
    feet[:, kernels.live_memory.FOOT_NAMES.index("swing")] = walk.gait.swing
    scratch = np.empty((1, joints, 3)), np.empty((1, joints, 4))
    kernels.live_walk.run_walk(*walk.constants, asked, contacts, points, root, rotations, state, feet, *scratch, *out)
    twin = kernels.walk_twins.run_walk(*walk.constants, asked, contacts, points, root, rotations, walk.gait.swing)
    return out, list(twin)


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(CLIPS)), st.integers(0, 100), st.floats(0.5, 1.5), st.floats(0.0, 2.0), st.floats(-0.3, 0.3),
    st.sampled_from(["plants", "noise", "none"]), st.integers(0, 10_000),
)  # fmt: skip
def test_kernel_and_twin_agree(
    name: str, start: int, stride: float, lift: float, incline: float, feet: str, seed: int
) -> None:
    walk, clip = LiveWalk(CLIPS[name].skeleton, CLIPS[name]), cut_frames(CLIPS[name], start, start + 60)
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:  # put elsewhere in the middle of a step
        root = clip.root.copy()
        root[40:] += (3.0, 0.0, 1.0)
        clip = replace(clip, root=root)
    asked = np.tile([stride, lift, incline], (60, 1))
    asked[30:] = [1.0, 1.0, 0.0] if seed % 2 else rng.uniform([0.5, 0.0, -0.3], [1.5, 2.0, 0.3])
    if feet == "plants":
        known = LiveWalk(clip.skeleton, clip).run(clip).plants
        assert known is not None
        contacts = contacts_of(known)
    else:
        contacts = np.repeat(rng.random((12, 4)) < 0.5, 5, axis=0) if feet == "noise" else np.zeros((60, 4), np.bool_)
    ours, plain = both(walk, clip, asked, contacts)
    for a, b in zip(ours, plain, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-6)


def test_the_names_have_their_places() -> None:
    names = kernels.live_memory.FOOT_NAMES
    places = {name: names.index(name) for name in ("planted", "flat", "held", "free", "left", "push")}
    assert places == {"planted": 0, "flat": 10, "held": 16, "free": 24, "left": 32, "push": 40}
    assert len(names) == 48
    assert kernels.live_memory.STATE_NAMES.index("stride") == 14
    assert kernels.live_memory.BODY_NAMES.index("skate") == 6
