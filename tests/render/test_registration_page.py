"""A registration as a page, and its plants as bars."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reenact.blend.interval_matching import match_all
from reenact.blend.plant_matching import PlantMatching
from reenact.blend.preparing import bring_together
from reenact.blend.registration import register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.core.cutting import cut_frames
from reenact.render.plant_bars import draw_plant_bars
from reenact.render.registration_page import registration_page, save_registration_page
from reenact.samples import make_sample

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def curve() -> RegistrationCurve:
    clips = [cut_frames(make_sample(name).clip, 0, 150) for name in ("walk_normal", "walk_circle_wide_left")]
    return register(*_both(clips))


def _both(clips):
    together, plants = bring_together(clips, None)
    return together, None, plants


def test_page_stands_alone(curve: RegistrationCurve, tmp_path: Path) -> None:
    save_registration_page(curve, tmp_path / "page.html", "two <walks>")
    page = (tmp_path / "page.html").read_text()
    assert "<title>two &lt;walks&gt;</title>" in page
    assert f"{curve.quality.q:.2f}" in page
    assert curve.quality.verdict in page
    assert page.count("<img") == 2 + 4 + 1 + 2  # grid and stages, curves, bars, strips
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert "<script" not in page
    assert "linear, frame by frame" in page


def test_page_without_blends_is_shorter(curve: RegistrationCurve) -> None:
    page = registration_page(curve, blends=False)
    assert "Even blend" not in page
    assert "walk_normal and walk_circle_wide_left" in page


def bars_of(svg: str) -> list[tuple[float, float, str]]:
    """x, width and look of every bar."""
    found = []
    for one in ElementTree.fromstring(svg).iter(f"{SVG}rect"):
        look = one.get("class") or one.get("fill") or ""
        if look not in ("page", "lane"):
            found.append((float(one.get("x", 0)), float(one.get("width", 0)), look))
    return found


def test_bars_are_where_the_plants_are() -> None:
    lists = (((0.0, 10.0),), ((0.0, 4.0), (6.0, 10.0)))
    kinds = {"left_heel": match_all(lists, "vote"), "left_ball": match_all(((), ()))}
    matching = PlantMatching({"left_heel": lists, "left_ball": ((), ())}, kinds)
    svg = draw_plant_bars(matching, ("one", "a <name> that is far too long"), 10.0, 30.0)
    bars = bars_of(svg)
    assert len(bars) == 3 + 4  # as recorded, then the long one cut in two
    whole = bars[0][1]
    assert [round(width / whole, 3) for _, width, _ in bars] == [1.0, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4]
    assert "left ball" not in svg  # nothing is planted
    assert "a &lt;name&gt; that is " in svg


def test_plants_without_a_partner_are_dashed() -> None:
    lists = (((0.0, 10.0), (30.0, 40.0)), ((12.0, 15.0), (31.0, 39.0)))
    matching = PlantMatching({"left_heel": lists}, {"left_heel": match_all(lists)})
    looks = [look for _, _, look in bars_of(draw_plant_bars(matching, ("one", "two"), 40.0, 30.0))]
    assert looks.count("lost") == 2
