"""Pictures of registrations: dark is similar, the path lies where it should, wrong steps are red."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.core.cutting import cut_frames
from reenact.core.placement import move_rigidly
from reenact.errors import ParameterError
from reenact.render.registration_pictures import (
    GridPictureParameters,
    draw_alignment_stages,
    draw_grid,
    draw_slope_cells,
    grid_image,
)
from reenact.samples import make_sample

WHOLE = RegistrationParameters(trim="off", gate="off")
BARE = GridPictureParameters(path=False, warp=False, plants=False, size=300)


@pytest.fixture(scope="module")
def own() -> RegistrationCurve:
    clip = cut_frames(make_sample("walk_normal").clip, 0, 240)
    return register([clip, clip], WHOLE)


@pytest.fixture(scope="module")
def two() -> RegistrationCurve:
    clips = [cut_frames(make_sample(name).clip, 0, 240) for name in ("walk_normal", "walk_brisk")]
    return register(clips, WHOLE)


def test_dark_is_similar(own: RegistrationCurve) -> None:
    grid = own.grids[1]
    assert grid is not None
    picture = np.asarray(grid_image(grid))
    assert picture.shape == grid.shape[::-1]
    diagonal = np.diag(picture[::-1])  # the second motion runs upwards
    assert diagonal.max() <= 1
    assert picture.max() == 255
    assert picture.mean() > 60


def test_the_first_motion_runs_to_the_right(two: RegistrationCurve) -> None:
    grid = two.grids[1]
    assert grid is not None
    picture = np.asarray(grid_image(grid)).astype(int)
    shown = grid.shown()
    rows, columns = grid.shape
    for i, j in ((0, 0), (rows - 1, 0), (0, columns - 1), (rows // 2, columns // 3)):
        assert abs(picture[columns - 1 - j, i] - 255 * shown[i, j]) <= 1


def test_the_diagonal_stays_dark_when_enlarged(own: RegistrationCurve) -> None:
    picture = np.asarray(draw_grid(own, parameters=BARE).convert("L")).astype(int)
    bottom, left = 38 + 299, 62
    for n in range(2, 298):
        assert picture[bottom - n, left + n] < 40


def test_the_path_is_drawn_over_the_cells(own: RegistrationCurve) -> None:
    bare = np.asarray(draw_grid(own, parameters=BARE)).astype(int)
    drawn = np.asarray(draw_grid(own, parameters=replace(BARE, path=True))).astype(int)
    changed = np.abs(bare - drawn).sum(axis=2) > 60
    ys, xs = np.nonzero(changed)
    assert len(xs) > 280
    assert np.abs((xs - 62) - (38 + 299 - ys)).max() <= 4
    assert (drawn[changed][:, 0] > drawn[changed][:, 2]).all()  # orange


def test_everything_together(two: RegistrationCurve) -> None:
    for background in ("light", "dark"):
        picture = draw_grid(two, parameters=GridPictureParameters(background=background))  # type: ignore[arg-type]
        assert picture.mode == "RGB"
        assert max(picture.size) > 560
    colours = {tuple(c) for c in np.asarray(draw_grid(two)).reshape(-1, 3).tolist()}
    assert (52, 124, 232) in colours  # a left foot
    assert (240, 118, 44) in colours


def test_motions_that_have_no_grid_are_refused(two: RegistrationCurve) -> None:
    for wrong in (0, 2, -1):
        with pytest.raises(ParameterError, match="0 to 1 but the reference 0"):
            draw_grid(two, wrong)
    with pytest.raises(ParameterError, match="motion 0 is the reference"):
        draw_alignment_stages(two, 0)


def test_steps_beyond_the_limit_are_red() -> None:
    d = np.random.default_rng(0).random((8, 6))
    legal = np.array([[0, 0], [1, 0], [2, 0], [3, 1], [4, 2], [5, 3], [6, 4], [7, 5]])
    illegal = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [4, 1], [5, 2], [6, 3], [7, 4], [7, 5]])

    def reds(path: np.ndarray) -> int:
        pixels = np.asarray(draw_slope_cells(d, [("path", path)], 2)).astype(int)
        return int(np.sum((pixels[:, :, 0] > 200) & (pixels[:, :, 1] < 90) & (pixels[:, :, 2] < 110)))

    assert reds(legal) == 0
    assert reds(illegal) > 20


def test_stages_of_alignment(two: RegistrationCurve) -> None:
    picture = np.asarray(draw_alignment_stages(two, size=200)).astype(int)
    assert picture.shape[1] == 4 * 212 + 12
    for n in range(4):
        panel = picture[:, 12 + n * 212 : 212 + n * 212]
        blue = (panel[:, :, 2] > 200) & (panel[:, :, 0] < 90)
        orange = (panel[:, :, 0] > 200) & (panel[:, :, 2] < 90)
        assert blue.sum() > 20
        assert orange.sum() > 20


@pytest.mark.parametrize("scope", ["window", "clip"])
def test_aligned_clouds_cover_each_other(scope: Literal["window", "clip"]) -> None:
    clip = cut_frames(make_sample("walk_normal").clip, 0, 240)
    curve = register([clip, move_rigidly(clip, (1.0, 0.0, 2.0), 1.3)], WHOLE)
    picture = np.asarray(draw_alignment_stages(curve, size=200, scope=scope)).astype(int)[40:240]
    apart, laid = (picture[:, 12 + n * 212 : 212 + n * 212] for n in (2, 3))
    seen = [int(np.sum((panel[:, :, 2] > 200) & (panel[:, :, 0] < 90))) for panel in (apart, laid)]
    assert seen[0] > 100
    assert seen[1] < 0.05 * seen[0]  # the other motion's points lie on those of the reference
