import numpy as np
import pytest

from reenact.render.camera import fit_orthographic, fit_perspective, view_axes
from reenact.render.canvas import Canvas
from reenact.render.ground import Ground, grid_step, paint_lines, paint_shadows
from reenact.render.palette import PALETTES
from reenact.render.view import View

PALETTE = PALETTES["light"]


@pytest.mark.parametrize(
    ("size", "step"), [(1.7, 1), (0.6, 1), (5, 1), (0.1, 0.1), (78, 100), (2e5, 1e5), (0.02, 0.01)]
)
def test_grid_step(size, step):
    assert grid_step(size) == pytest.approx(step)


@pytest.mark.parametrize("fit", [fit_perspective, fit_orthographic])
def test_lines_lie_on_whole_metres(fit):
    corners = np.array([[x, 0.0, z] for x in (-2.5, 2.5) for z in (-2.5, 2.5)]) + (103.0, 0, -40.0)
    camera = fit(corners, view_axes(View(30, 35), 0), (400, 300), (0, 0, 0, 0), pad=0.1)
    canvas = Canvas(400, 300, PALETTE.background)
    Ground(camera, 0.0).paint(canvas, camera, PALETTE, 1.0, np.array([103.0, 0, -40]), (4.0, 6.0))
    dark = canvas.colours.sum(axis=0)
    along = np.linspace(-0.35, 0.35, 9)
    on = camera.project(np.array([[103.0, 0, -40.5 + t] for t in along]))[0]
    off = camera.project(np.array([[103.5, 0, -40.5 + t] for t in along]))[0]
    values_on, values_off = (dark[p[:, 1].astype(int), p[:, 0].astype(int)] for p in (on, off))
    np.testing.assert_allclose(values_off, sum(PALETTE.ground), atol=1)
    assert (values_on < values_off - 20).all()


def test_the_ground_fades_and_ends_at_the_horizon():
    points = np.array([[0.0, 0, 0], [0, 1.7, 0]])
    camera = fit_perspective(points, view_axes(View(0, 5), 0), (200, 200), (0, 0, 0, 0), pad=0.3)
    canvas = Canvas(200, 200, PALETTE.background)
    Ground(camera, 0.0).paint(canvas, camera, PALETTE, 1.0, np.zeros(3), (1.0, 3.0))
    assert canvas.colours[:, 5, 100].tolist() == list(PALETTE.background)  # sky
    foot = camera.project(np.array([0.25, 0, 0.25]))[0].astype(int)
    assert canvas.colours[0, foot[1], foot[0]] < PALETTE.background[0] - 5


def test_shadows_fall_straight_down_and_are_darker_near_the_floor():
    points = np.array([[-1.0, 0, -1], [1, 1, 1]])
    camera = fit_perspective(points, view_axes(View(20, 30), 0), (240, 240), (0, 0, 0, 0), pad=0.1)
    values = []
    for height in (0.05, 1.2):
        canvas = Canvas(240, 240, PALETTE.ground)
        ends = np.array([[[0.3, height, 0.2], [0.5, height, 0.2]]])
        paint_shadows(canvas, camera, PALETTE, ends, np.full((1, 2), 0.08), 0.0, 1.7)
        x, y = camera.project(np.array([0.4, 0, 0.2]))[0].astype(int)
        values.append(float(canvas.colours[0, y, x]))
        assert np.unravel_index(np.argmin(canvas.colours[0]), (240, 240)) == pytest.approx((y, x), abs=12)
    assert values[0] < values[1] < PALETTE.ground[0] - 5


def test_lines_go_through_their_points_and_may_leave_the_picture():
    canvas = Canvas(50, 40, (255, 255, 255))
    paint_lines(canvas, [np.array([[10.0, 10], [40, 10]]), np.array([[1e5, 1e5]]), np.zeros((0, 2))], (0, 0, 0), 3)
    assert canvas.colours[0, 10, 25] < 60
    assert canvas.colours[0, 20, 25] == 255
    paint_lines(canvas, [np.array([[-100.0, 30], [500, 30]])], (0, 0, 0), 2)
    assert canvas.colours[0, 30].max() < 255
