"""Narrow windows: usable at 768 pixels, readable at 390; radio groups keep their keys; names of exported files."""

from __future__ import annotations

import io
import zipfile

import pytest
from playwright.sync_api import expect

from reenact.library import Library

pytestmark = pytest.mark.xdist_group("browser")

SIZES = {768: {"width": 768, "height": 1024}, 390: {"width": 390, "height": 844}, 320: {"width": 320, "height": 640}}

CUT_OFF = """() => [...document.querySelectorAll("button, select, input, [role=option], p, li, h2, label")].filter((e) => {
    if (!e.checkVisibility({visibilityProperty: true}) || e.closest(".chips, [role=tree], [aria-hidden=true]"))
        return false;
    const b = e.getBoundingClientRect();
    return b.width > 0 && (b.right > innerWidth + 1 || b.left < -1);
}).map((e) => e.getAttribute("aria-label") || e.textContent || e.id)"""

COVERED = """() => [...document.querySelectorAll("button, select, input")].filter((e) => {
    if (!e.checkVisibility({visibilityProperty: true}) || e.disabled || e.closest(".chips, .operation-body, .panel, .list"))
        return false;
    const b = e.getBoundingClientRect();
    const top = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
    return top !== e && !e.contains(top);
}).map((e) => e.getAttribute("aria-label") || e.textContent)"""


def check_page(studio) -> None:
    studio.drawn()
    wide = studio.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    assert studio.page.evaluate(CUT_OFF) == []
    assert studio.page.evaluate(COVERED) == []


def show(studio, name: str) -> None:
    studio.page.get_by_role("radiogroup", name="Shown pane").get_by_role("radio", name=name).click()


@pytest.mark.parametrize("width", list(SIZES))
def test_every_pane_can_be_used(open_page, server, width):
    studio = open_page(server.url, viewport=SIZES[width])
    check_page(studio)
    number = int(studio.row("run").get_attribute("data-id"))
    studio.row("run").click()
    studio.until(f"reenactStudio.jointPlace(0, {number}) !== null")
    stage = studio.page.locator("section.stage")
    box = stage.bounding_box()
    assert box["width"] >= min(width, 420)
    assert box["height"] >= 180
    check_page(studio)
    show(studio, "Library")
    row = studio.row("walk_normal")
    row.hover()
    row.locator(".add").click()
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run", "walk_normal"])
    show(studio, "Stage")
    check_page(studio)
    show(studio, "Details")
    for tab in ("Joints", "Curves", "Info", "Operations"):
        studio.tab(tab)
        check_page(studio)
    panel = studio.tab("Operations")
    panel.get_by_role("combobox", name="Operation").select_option("classify")
    button = panel.get_by_role("button", name="Run", exact=True)
    expect(button).to_be_in_viewport(ratio=1)
    button.click()
    expect(panel.locator(".outcome.done")).to_be_in_viewport(ratio=1)
    check_page(studio)
    small = studio.page.evaluate(
        """() => [...document.querySelectorAll("p, span, label, button, td, th")].filter((e) =>
            e.checkVisibility() && e.childElementCount === 0 && e.textContent.trim() &&
            parseFloat(getComputedStyle(e).fontSize) < 10.5).map((e) => e.textContent)"""
    )
    assert small == []
    show(studio, "Stage")
    studio.page.get_by_role("button", name="Play (space)").click()
    studio.until("reenactStudio.frame() > 3")
    expect(studio.page.locator("canvas.view")).to_be_visible()
    if width < 700:
        expect(studio.page.locator(".library")).to_be_hidden()


def test_fingers_choose_several_clips(open_page, server):
    studio = open_page(server.url, viewport=SIZES[390], has_touch=True)
    several = studio.page.get_by_role("button", name="Choose several")
    several.tap()
    expect(several).to_have_attribute("aria-pressed", "true")
    for name in ("run", "walk_normal", "jump_forward", "run"):
        studio.row(name).tap()
    expect(studio.page.locator(".cast .member-name")).to_have_text(["walk_normal", "jump_forward"])
    expect(studio.page.locator(".chosen-bar")).to_contain_text("2 clips are open")
    expect(studio.row("jump_forward")).to_have_attribute("aria-selected", "true")
    expect(studio.row("run")).to_have_attribute("aria-selected", "false")
    check_page(studio)
    studio.page.get_by_role("button", name="Done", exact=True).tap()
    expect(studio.page.locator("canvas.view")).to_be_visible()
    show(studio, "Library")
    expect(several).to_have_attribute("aria-pressed", "false")
    studio.row("run").tap()  # again one at a time
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run"])


def test_rows_of_the_time_line_keep_their_height_and_scroll(open_page, server):
    studio = open_page(server.url, viewport=SIZES[390])
    studio.choose("walk_normal")
    studio.until("(reenactStudio.tracks() ?? []).length >= 5")
    area = studio.page.get_by_role("slider", name="Frame")
    rows = studio.page.get_by_role("region", name="Rows")
    high = rows.evaluate("(rows) => rows.scrollHeight")
    assert high >= 20 * studio.page.evaluate("reenactStudio.tracks().length")
    assert high > rows.bounding_box()["height"]
    frame, before = studio.frame(), area.screenshot()
    box = area.bounding_box()
    studio.page.mouse.move(box["x"] + 30, box["y"] + 60)  # the names: the wheel scrolls, elsewhere it zooms
    studio.page.mouse.wheel(0, 400)
    studio.until("document.querySelector('.track-scroll').scrollTop > 10")
    studio.drawn()
    assert area.screenshot() != before
    studio.page.mouse.down()
    studio.page.mouse.move(box["x"] + 30, box["y"] + 500, steps=3)  # and so does dragging them
    studio.page.mouse.up()
    studio.until("document.querySelector('.track-scroll').scrollTop === 0")
    assert studio.frame() == frame


def test_a_window_that_grows_shows_all_panes_again(open_page, server):
    studio = open_page(server.url, viewport=SIZES[390])
    show(studio, "Details")
    expect(studio.page.locator(".library")).to_be_hidden()
    studio.page.set_viewport_size({"width": 1120, "height": 720})
    for pane in (".library", "section.stage", "section.side", ".timeline"):
        expect(studio.page.locator(pane)).to_be_visible()
    expect(studio.page.locator(".switcher")).to_be_hidden()


def test_arrow_keys_in_a_radio_group_stay_there(studio):
    studio.choose("run")
    group = studio.page.get_by_role("radiogroup", name="Style")
    body, skeleton, mesh = (group.get_by_role("radio", name=name) for name in ("Body", "Skeleton", "Mesh"))
    expect(mesh).to_be_enabled()  # of a human: a person stands in for its mesh
    studio.press("ArrowRight", "ArrowRight")
    frame, place = studio.frame(), None
    assert frame == 2
    body.focus()
    place = studio.place(0)["page"]
    for key, chosen in (
        ("ArrowRight", skeleton),
        ("ArrowLeft", body),
        ("ArrowDown", skeleton),
        ("ArrowUp", body),
        ("ArrowDown", skeleton),
    ):
        studio.press(key)
        expect(chosen).to_be_focused()
        expect(chosen).to_have_attribute("aria-checked", "true")
    studio.drawn()
    assert studio.frame() == frame, "no frame was stepped"
    assert studio.place(0)["page"] == pytest.approx(place, abs=1e-6), "nor the camera moved"
    expect(group.locator("[tabindex='0']")).to_have_count(1)
    studio.press("Shift+Tab")
    studio.press("Tab")
    expect(skeleton).to_be_focused()


@pytest.mark.parametrize(("format", "ending"), [("bvh", ".bvh"), ("amc", ".zip"), ("glb", ".glb")])
def test_exported_files_have_the_right_names(studio, server, format, ending):
    for name in ("walk+run", "walk and run", "geh über"):
        with Library(server.folder) as library:
            number = library.entry(int(studio.page.evaluate("1"))).id
            before = library.entry(number).name
            library.rename(number, name)
        try:
            expect(studio.row(name)).to_be_visible()
            studio.choose(name)
            info = studio.tab("Info")
            choice = info.get_by_role("combobox", name="Export as")
            value = next(
                v
                for v in choice.locator("option").evaluate_all("(all) => all.map((o) => o.value)")
                if v.startswith(format)
            )
            choice.select_option(value)
            with studio.page.expect_download() as got:
                info.get_by_role("button", name="Export").click()
            saved = got.value
            assert saved.suggested_filename == f"{name}{ending}"
            data = saved.path().read_bytes()
            assert zipfile.is_zipfile(io.BytesIO(data)) == (ending == ".zip")
        finally:
            with Library(server.folder) as library:
                library.rename(number, before)
        expect(studio.row(before)).to_be_visible()
