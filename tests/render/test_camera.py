import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.render.camera import Camera, fit_orthographic, fit_perspective, view_axes
from reenact.render.view import VIEWS, View

angles = st.builds(View, st.floats(-360, 360), st.floats(-90, 90))
clouds = st.tuples(st.integers(0, 10_000), st.integers(1, 40), st.floats(1e-3, 1e6)).map(
    lambda seed: np.random.default_rng(seed[0]).normal(size=(seed[1], 3)) * seed[2]
)


@given(angles, st.floats(-7, 7))
def test_axes_are_right_handed_and_level(view, heading):
    axes = view_axes(view, heading)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1)
    assert axes[0, 1] == 0  # the horizon is level


def test_from_the_side_forward_is_to_the_right():
    for heading in (0.0, 1.0, -2.5):
        forward = np.array([np.sin(heading), 0, np.cos(heading)])
        np.testing.assert_allclose(view_axes(VIEWS["side"], heading)[0], forward, atol=1e-12)


def test_from_the_front_the_left_hand_is_at_the_right():
    axes = view_axes(VIEWS["front"], 0.0)
    np.testing.assert_allclose(axes[0], [1, 0, 0], atol=1e-12)  # +X is the character's left
    assert axes[2, 2] > 0.9  # the camera stands before the character


def test_from_the_top_the_camera_looks_straight_down():
    np.testing.assert_allclose(view_axes(VIEWS["top"], 0.3)[2], [0, 1, 0], atol=1e-12)


@given(clouds, angles, st.floats(-4, 4), st.integers(64, 900), st.integers(64, 900))
def test_a_fitted_perspective_camera_sees_every_ball(points, view, heading, width, height):
    pad = 0.1 * (np.ptp(points) + 1e-3)
    margins = (5.0, 6.0, 7.0, 20.0)
    camera = fit_perspective(points, view_axes(view, heading), (width, height), margins, pad=pad)
    pixels, depth, size = camera.project(points)
    reach = pad * size * 0.999
    assert (depth > 0).all()
    assert (pixels[:, 0] - reach >= 5 - 1e-6 * width).all()
    assert (pixels[:, 0] + reach <= width - 7 + 1e-6 * width).all()
    assert (pixels[:, 1] - reach >= 6 - 1e-6 * height).all()
    assert (pixels[:, 1] + reach <= height - 20 + 1e-6 * height).all()


@given(clouds, angles)
def test_a_fitted_orthographic_camera_fills_the_picture(points, view):
    pad = 0.1 * (np.ptp(points) + 1e-3)
    camera = fit_orthographic(points, view_axes(view, 0.0), (300, 200), (0, 0, 0, 0), pad=pad)
    pixels, _, size = camera.project(points)
    reach = (pad * size)[:, None]
    low, high = (pixels - reach).min(axis=0), (pixels + reach).max(axis=0)
    assert (low >= -1e-3).all()
    assert (high <= (300.001, 200.001)).all()
    assert np.isclose((high - low) / (300, 200), 1, atol=1e-3).any()  # it touches two opposite edges


def test_known_pixels():
    camera = Camera(np.array([0.0, 0, 10]), np.eye(3), 100, 80, 50.0, (50.0, 40.0))
    pixels, depth, size = camera.project([[0, 0, 0], [1, 2, 0], [0, 0, 5]])
    np.testing.assert_allclose(pixels, [[50, 40], [55, 30], [50, 40]])
    np.testing.assert_allclose(depth, [10, 10, 5])
    np.testing.assert_allclose(size, [5, 5, 10])


@pytest.mark.parametrize("perspective", [True, False])
def test_rays_meet_the_points_that_project_to_their_pixel(perspective):
    axes = view_axes(View(35, 20), 0.4)
    camera = Camera(np.array([3.0, 4, 5]), axes, 60, 40, 70.0 if perspective else 9.0, (30.0, 22.0), perspective)
    start, way = camera.rays()
    points = camera.eye + start + 6.0 * way
    pixels, _, _ = camera.project(points)
    x, y = np.meshgrid(np.arange(60) + 0.5, np.arange(40) + 0.5)
    np.testing.assert_allclose(pixels, np.stack([x, y], axis=-1), atol=1e-9)


def test_a_moved_camera_sees_moved_points_the_same():
    camera = fit_perspective(np.eye(3), view_axes(View(20, 10), 0), (80, 60), (0, 0, 0, 0), pad=0.1)
    by = np.array([5.0, -2, 7])
    np.testing.assert_allclose(camera.moved(by).project(np.eye(3) + by)[0], camera.project(np.eye(3))[0], atol=1e-9)
