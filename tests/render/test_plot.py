import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.errors import ParameterError
from reenact.render.plot import Curve, PlotParameters, Span, draw_plot, round_ticks, save_plot

SVG = "{http://www.w3.org/2000/svg}"


def parse(text):
    return ElementTree.fromstring(text)


def curve_points(text, index=0):
    path = [p for p in parse(text).iter(f"{SVG}path") if p.get("class") == "curve"][index]
    moves = path.get("d").split("M")[1:]
    return [np.array([[float(v) for v in point.split()] for point in move.split("L")]) for move in moves]


def words(text):
    return [element.text for element in parse(text).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("low", "high", "wanted", "ticks"),
    [
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-3, 12, 3, [0, 5, 10]),
        (0.93, 0.98, 5, [0.93, 0.94, 0.95, 0.96, 0.97, 0.98]),
    ],
)
def test_ticks_are_round(low, high, wanted, ticks):
    np.testing.assert_allclose(round_ticks(low, high, wanted), ticks, atol=1e-12)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e9), st.integers(2, 12))
def test_ticks_lie_inside_and_are_about_as_many_as_wanted(low, span, wanted):
    ticks = round_ticks(low, low + span, wanted)
    assert 1 <= len(ticks) <= wanted + 1
    assert ticks[0] >= low - 1e-6 * span
    assert ticks[-1] <= low + span + 1e-6 * span


def test_points_are_where_the_axes_say():
    text = draw_plot([Curve("", [0, 1, 2], [0, 5, 10])], PlotParameters(width=400, height=300))
    (points,) = curve_points(text)
    np.testing.assert_allclose(np.diff(points, n=2, axis=0), 0, atol=0.2)  # a straight line stays one
    assert points[0, 0] < points[-1, 0]
    assert points[0, 1] > points[-1, 1]  # up is up
    marks = {
        element.text: float(element.get("y")) - 4
        for element in parse(text).iter(f"{SVG}text")
        if element.get("text-anchor") == "end"
    }
    assert marks["0"] == pytest.approx(points[0, 1], abs=0.2)
    assert marks["10"] == pytest.approx(points[-1, 1], abs=0.2)


def test_gaps_break_the_line():
    pieces = curve_points(draw_plot([Curve("a", np.arange(7), [0, 1, np.nan, 2, 3, np.inf, 4])]))
    assert [len(piece) for piece in pieces] == [2, 2, 2]  # the lone last point is drawn as a dot


def test_long_curves_are_thinned_but_keep_their_peaks():
    x = np.arange(200_000)
    y = np.zeros(len(x))
    y[123_456] = 1.0
    text = draw_plot([Curve("a", x, y)], PlotParameters(height=300))
    assert len(text) < 100_000
    (points,) = curve_points(text)
    assert np.ptp(points[:, 1]) > 150


def test_names_are_escaped_and_the_legend_shows_them():
    text = draw_plot(
        [Curve("a < b & 'c'", [0, 1], [0, 1]), Curve("second", [0, 1], [1, 0], dashed=True)],
        PlotParameters(title="<T>", x_label="x & y", y_label='"q"'),
    )
    assert {"a < b & 'c'", "second", "<T>", "x & y", '"q"'} <= set(words(text))
    assert "stroke-dasharray" in text


def test_colours_cannot_break_out_of_their_attribute():
    text = draw_plot([Curve("a", [0, 1], [0, 1], colour='red"/><script>')], spans=[Span(0, 1, 'x"<')])
    assert not list(parse(text).iter(f"{SVG}script"))


@pytest.mark.parametrize(
    "values", [[np.nan] * 3, [5.0] * 3, [0.0] * 3, [1e-9, 2e-9, 3e-9], [1e12, 2e12, 3e12], [-1e300, 0, 1e300]]
)
def test_odd_ranges_give_finite_plots(values):
    text = draw_plot([Curve("a", [0, 1, 2], values)])
    parse(text)
    assert not re.search(r"nan|inf[^o]", text.split("</style>")[1])


def test_from_zero():
    assert "0" in words(draw_plot([Curve("a", [0, 1], [70, 90])], PlotParameters(from_zero=True)))
    assert "0" not in words(draw_plot([Curve("a", [3, 4], [70, 90])]))


def test_spans_are_shaded_inside_the_axes_only():
    text = draw_plot([Curve("a", [0, 10], [0, 1])], spans=[Span(2, 4), Span(-5, -1), Span(9, 50)])
    boxes = [r for r in parse(text).iter(f"{SVG}rect") if r.get("fill-opacity")]
    assert len(boxes) == 2


def test_many_curves_wrap_their_legend():
    text = draw_plot([Curve(f"a rather long name {k}", [0, 1], [0, k]) for k in range(12)], PlotParameters(width=400))
    assert (
        len(
            {
                element.get("y")
                for element in parse(text).iter(f"{SVG}text")
                if (element.text or "").startswith("a rather")
            }
        )
        > 3
    )


def test_wrong_input():
    with pytest.raises(ParameterError, match="at least one"):
        draw_plot([])
    with pytest.raises(ParameterError, match="one length"):
        Curve("a", [1, 2], [1])
    with pytest.raises(ParameterError, match="160 to"):
        PlotParameters(width=3)


def test_both_page_colours_are_served():
    assert "prefers-color-scheme:dark" in draw_plot([Curve("a", [0, 1], [0, 1])])


def test_saved(tmp_path):
    path = tmp_path / "p.svg"
    save_plot([Curve("höhe", [0, 1], [0, 1]), Curve("b", [0, 1], [0, 1])], path)
    assert "höhe" in path.read_text(encoding="utf-8")


def test_one_scale_on_both_axes() -> None:
    """A circle stays round whatever the shape of the plot."""
    angle = np.linspace(0, 2 * np.pi, 400)
    curve = Curve("", 3 + np.cos(angle), 2 * np.pi + np.sin(angle))
    for width, height in ((760, 300), (300, 500)):
        text = draw_plot([curve], PlotParameters(width=width, height=height, equal=True))
        drawn = re.search(r'class="curve"[^>]* d="M([^"]*)"', text)
        assert drawn
        points = np.array([[float(n) for n in pair.split()] for pair in drawn[1].split("L")])
        across, down = np.ptp(points, axis=0)
        assert abs(across - down) <= 1.0
        assert across > 100
