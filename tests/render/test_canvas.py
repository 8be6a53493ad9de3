from dataclasses import replace

import numpy as np
import pytest

from reenact.render.canvas import Canvas, Capsules, join_capsules

RED, BLUE = (220.0, 30.0, 30.0), (30.0, 30.0, 220.0)


def one(ends, radii, colour=RED, depth=5.0, roundness=1.0):
    return Capsules(
        np.array([ends], float),
        np.array([radii], float),
        np.full((1, 2), depth),
        np.full((1, 2), 0.1),
        np.array([colour]),
        np.array([roundness]),
    )


def painted(canvas):
    return np.abs(canvas.colours - 255).max(axis=0) > 0


def cover(canvas, capsules):
    """How much of every pixel a flat black capsule takes."""
    flat = Capsules(
        *(getattr(capsules, name) for name in ("ends", "radii", "depths", "bulge")),
        capsules.colours * 0,
        capsules.roundness * 0,
    )
    canvas.draw_capsules(flat)
    return canvas.depth < np.inf


@pytest.mark.parametrize(
    ("ends", "radii", "area"),
    [
        (((20, 30), (60, 30)), (8, 8), 16 * 40 + np.pi * 64),
        (((20, 20), (50, 60)), (6, 6), 12 * 50 + np.pi * 36),
        (((40, 40), (40, 40)), (15, 15), np.pi * 225),
        (((40, 40), (43, 40)), (20, 5), np.pi * 400),  # seen end on: the small ball is hidden in the large one
        (((40, 40), (43, 40)), (5, 20), np.pi * 400),
    ],
)
def test_area(ends, radii, area):
    canvas = Canvas(90, 80, (255, 255, 255))
    assert cover(canvas, one(ends, radii)).sum() == pytest.approx(area, rel=0.03)


def test_a_tapered_capsule_is_the_hull_of_its_balls():
    """A pixel belongs to it when some ball on the way from end to end covers it (checked by trying many balls)."""
    a, b, ra, rb = np.array([25.0, 22.0]), np.array([66.0, 51.0]), 14.0, 4.0
    canvas = Canvas(90, 80, (255, 255, 255))
    inside = cover(canvas, one((a, b), (ra, rb)))
    x, y = np.meshgrid(np.arange(90) + 0.5, np.arange(80) + 0.5)
    reach = np.full(x.shape, np.inf)
    for t in np.linspace(0, 1, 400):
        centre = a + t * (b - a)
        reach = np.minimum(reach, np.hypot(x - centre[0], y - centre[1]) - (ra + t * (rb - ra)))
    sure = np.abs(reach) > 0.1
    np.testing.assert_array_equal(inside[sure], (reach < 0)[sure])


@pytest.mark.parametrize("swap", [False, True])
def test_the_nearer_capsule_hides_the_farther(swap):
    near, far = one(((10, 30), (80, 30)), (6, 6), RED, 3.0), one(((45, 5), (45, 70)), (6, 6), BLUE, 4.0)
    canvas = Canvas(90, 80, (255, 255, 255))
    canvas.draw_capsules(join_capsules([far, near] if swap else [near, far]))
    red, _, blue = canvas.colours[:, 30, 45]
    assert red > 2 * blue
    red, _, blue = canvas.colours[:, 60, 45]
    assert blue > 2 * red


def test_depth_decides_pixel_by_pixel_where_capsules_cross_in_depth():
    slanted = replace(one(((5, 40), (85, 40)), (5, 5)), depths=np.array([[2.0, 8.0]]))
    uprights = [one(((x, 10), (x, 70)), (5, 5), BLUE, 5.0) for x in (20, 70)]
    canvas = Canvas(90, 80, (255, 255, 255))
    canvas.draw_capsules(join_capsules([*uprights, slanted]))
    assert canvas.colours[0, 40, 20] > canvas.colours[2, 40, 20]  # the slanted one is in front at the left
    assert canvas.colours[2, 40, 70] > canvas.colours[0, 40, 70]  # and behind at the right


def test_light_comes_from_above():
    canvas = Canvas(90, 80, (255, 255, 255))
    canvas.draw_capsules(one(((10, 40), (80, 40)), (15, 15)))
    assert canvas.colours[0, 32, 45] > canvas.colours[0, 48, 45]


def test_what_lies_outside_is_left_out_and_what_lies_across_the_edge_is_cut():
    canvas = Canvas(20, 10, (255, 255, 255))
    canvas.draw_capsules(one(((-50, -50), (-40, -60)), (5, 5)))
    assert not painted(canvas).any()
    canvas.draw_capsules(one(((-5, 5), (5, 5)), (3, 3)))
    assert painted(canvas)[5, 0]
    assert not painted(canvas)[5, 15]


def test_paint_blends_and_cuts_at_the_edges():
    canvas = Canvas(4, 3, (0, 0, 0))
    canvas.paint(np.full((2, 2), 0.5), (100, 200, 40), 3, -1)
    np.testing.assert_allclose(canvas.colours[:, 0, 3], (50, 100, 20))
    assert canvas.colours.sum() == pytest.approx(170)
    canvas.paint(np.ones((2, 2)), (100, 200, 40), 40, 40)
    assert canvas.colours.sum() == pytest.approx(170)


def test_picture_has_the_canvas_size_and_colours():
    canvas = Canvas(7, 5, (12, 34, 56))
    picture = canvas.picture()
    assert picture.size == (7, 5)
    assert picture.mode == "RGB"
    assert picture.getpixel((3, 2)) == (12, 34, 56)
