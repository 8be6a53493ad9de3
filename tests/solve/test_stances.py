"""One stance of a foot: what its points are moved by."""

from __future__ import annotations

import numpy as np

from reenact.solve.stances import HoldParameters, Run, choose_places, hold_runs

FPS = 120.0


def stance(pitch: np.ndarray, lone: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A foot of 15 cm about its middle, and what its points are moved by when both are held; the heel alone in the first `lone` frames."""
    frames = len(pitch)
    half = 0.075 * np.stack([np.zeros(frames), np.sin(pitch), np.cos(pitch)], axis=1)
    paths = {"heel": 0.05 - half, "ball": 0.05 + half}
    runs = [Run("heel", 0, frames, np.zeros(3), np.zeros(frames))]
    runs += [Run("ball", lone, frames, np.zeros(3), np.zeros(frames - lone))]
    offsets, both, asked = np.zeros((frames, 6)), np.zeros(frames, np.bool_), HoldParameters()
    choose_places(paths, runs, asked, None)
    hold_runs(paths, runs, asked, FPS, offsets, both)
    return paths, offsets


def test_the_point_that_gives_way_does_not_change_at_once() -> None:
    pitch = np.concatenate([np.linspace(0.5, -0.5, 14), np.full(60, -0.5)])  # slaps down over its heel onto its ball
    paths, offsets = stance(pitch)
    middle = 0.5 * (offsets[:, 1] + offsets[:, 4])
    assert np.abs(offsets[:, 1] - offsets[:, 4]).max() > 0.03  # much has to give way
    assert np.abs(np.diff(middle)).max() < 0.25 * np.abs(middle).max()
    assert np.isfinite(paths["heel"]).all()


def test_a_foot_keeps_the_pitch_that_it_mostly_has() -> None:
    pitch = np.concatenate([np.full(50, -0.2), np.full(90, -0.5)])
    paths, offsets = stance(pitch)
    before = paths["ball"][:, 1] - paths["heel"][:, 1]
    after = before + offsets[:, 4] - offsets[:, 1]
    assert abs(np.median(after) - np.median(before)) < 0.003


def test_a_point_that_gave_way_comes_back_to_its_own_height_soon() -> None:
    pitch = np.concatenate([np.full(60, -0.3), np.linspace(-0.3, 0.3, 30), np.full(60, 0.3)])
    _, offsets = stance(pitch, lone=60)
    assert np.abs(offsets[60:, 1]).max() > 0.005
    assert np.abs(offsets[: 60 - 13, 1]).max() < 1e-9
