"""Undo and redo by keys and buttons, kept over a reload; links that hold what is seen; the browser's Back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

import reenact
from reenact.core.cutting import CutParameters, cut
from reenact.samples import make_sample

pytestmark = pytest.mark.xdist_group("browser")


def undo_button(studio):
    return studio.page.get_by_role("button", name=re.compile("^Undo: "))


def test_removing_renaming_and_tagging_are_undone_by_keys(studio):
    studio.watch.allow_gone()  # it is gone while the page still names it
    page = studio.page
    studio.choose("run")
    info = studio.tab("Info")
    for label, text in (("Name", "sprint"), ("Tags", "fast, straight")):
        field = info.get_by_role("textbox", name=label)
        field.fill(text)
        field.press("Enter")
        expect(
            page.get_by_role("button", name=f"Undo: {'rename run to sprint' if label == 'Name' else 'tag sprint'}")
        ).to_be_enabled()
    info.get_by_role("button", name="Remove from the library").click()
    expect(studio.row("sprint")).to_have_count(0)
    page.reload()  # all of it is still there
    expect(page.get_by_role("button", name="Undo: remove sprint")).to_be_enabled()
    page.locator("canvas.view").focus()
    studio.press("Control+z")
    expect(studio.row("sprint")).to_be_visible()
    expect(studio.row("sprint").locator(".row-tags")).to_contain_text("fast")
    studio.press("Control+z")
    expect(studio.row("sprint").locator(".row-tags")).not_to_contain_text("fast")
    studio.press("Control+z")
    expect(studio.row("run")).to_be_visible()
    expect(page.locator(".toast").last).to_contain_text("Undone: rename run to sprint")
    page.reload()
    expect(page.get_by_role("button", name="Redo: rename run to sprint")).to_be_enabled()
    page.locator("canvas.view").focus()
    studio.press("Control+Shift+z", "Control+Shift+z")
    expect(studio.row("sprint").locator(".row-tags")).to_contain_text("fast")
    studio.press("Control+z", "Control+z")
    expect(studio.row("run")).to_be_visible()
    studio.choose("run")
    expect(studio.tab("Info").get_by_role("textbox", name="Tags")).to_have_value(re.compile("sample"))


def test_keys_in_a_text_are_the_texts(studio):
    studio.choose("run")
    field = studio.tab("Info").get_by_role("textbox", name="Description")
    field.fill("one")
    field.press("Enter")
    expect(undo_button(studio)).to_have_attribute("aria-label", "Undo: describe run")
    field = studio.tab("Info").get_by_role("textbox", name="Description")
    field.focus()
    studio.page.keyboard.type("two")
    studio.press("Control+z")
    expect(undo_button(studio)).to_have_attribute("aria-label", "Undo: describe run"), "the library is as it was"
    field.fill("one")
    studio.page.locator("canvas.view").focus()
    undo_button(studio).click()
    expect(studio.tab("Info").get_by_role("textbox", name="Description")).not_to_have_value("one")


def test_an_upload_is_undone_and_done_again(studio, tmp_path):
    studio.watch.allow_gone()
    reenact.save(cut(make_sample("jump_up").clip, CutParameters(5, 60)), tmp_path / "hop.bvh")
    with studio.page.expect_file_chooser() as chooser:
        studio.page.locator(".library").get_by_role("button", name="Add files").click()
    chooser.value.set_files([str(tmp_path / "hop.bvh")])
    expect(studio.page.locator(".cast .member-name")).to_have_text(["hop"])
    undo_button(studio).click()
    expect(studio.row("hop")).to_have_count(0)
    expect(studio.page.locator(".cast .member-name")).to_have_count(0)
    studio.page.get_by_role("button", name="Redo: add hop").click()
    expect(studio.row("hop")).to_be_visible()
    studio.choose("hop")
    undo_button(studio).click()
    expect(studio.row("hop")).to_have_count(0)


def test_a_link_holds_camera_range_and_view(studio, open_page, server):
    studio.choose("walk_normal")
    studio.choose("run", "Control")
    page = studio.page
    page.locator("canvas.view").focus()
    studio.press(*["Shift+ArrowRight"] * 2, "[", *["Shift+ArrowRight"] * 4, "]", "ArrowLeft")
    page.get_by_role("radio", name="Skeleton").click()
    page.get_by_role("button", name="Paths", exact=True).click()
    page.get_by_role("button", name="Side by side").click()
    page.locator("canvas.view").focus()
    studio.press("a", "a", "w", "ArrowDown")
    page.wait_for_timeout(500)
    link = page.evaluate("location.search")
    place = studio.place(3)["page"]
    other = open_page(server.url, link, viewport={"width": 1120, "height": 720})  # another person, other preferences
    other.until("reenactStudio.jointPlace(3) !== null && reenactStudio.frame() === 59")
    other.drawn()
    assert other.open_names() == ["walk_normal", "run"]
    assert other.place(3)["page"] == pytest.approx(place, abs=2), "the camera stands where it stood"
    expect(other.page.get_by_role("radio", name="Skeleton")).to_have_attribute("aria-checked", "true")
    expect(other.page.get_by_role("button", name="Paths", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(other.page.get_by_role("button", name="Side by side")).to_have_attribute("aria-pressed", "true")
    expect(other.page.get_by_role("spinbutton", name="First frame of the range")).to_have_value("20")
    expect(other.page.get_by_role("spinbutton", name="Last frame of the range")).to_have_value("60")


def test_back_and_forward(studio):
    page = studio.page
    cast = page.locator(".cast .member-name")
    for name in ("run", "walk_normal"):
        studio.choose(name)
        page.wait_for_timeout(300)
    page.locator("canvas.view").focus()
    studio.press("ArrowRight", "ArrowRight")  # a frame is no step of its own
    page.get_by_role("searchbox").fill("wave")
    expect(page.locator(".library .count")).to_have_text("1 clip")
    page.wait_for_timeout(300)
    page.go_back()
    expect(page.locator(".library .count")).to_have_text("5 clips")
    expect(page.get_by_role("searchbox")).to_have_value("")
    expect(cast).to_have_text(["walk_normal"])
    studio.until("reenactStudio.frame() === 2")
    page.go_back()
    expect(cast).to_have_text(["run"])
    page.go_back()
    expect(page.get_by_text("Choose a clip")).to_be_visible()
    page.go_forward()
    page.go_forward()
    expect(cast).to_have_text(["walk_normal"])
    page.go_forward()
    expect(page.get_by_role("searchbox")).to_have_value("wave")


@pytest.mark.parametrize(
    "query",
    [
        "?clip=1&range=5-1&camera=1,2,3&view=style.<script>",
        "?clip=1&range=0-999999999&camera=NaN,1,2,3,4,5&view=__proto__.yes,style.constructor&frame=999999999",
        "?clip=1&result=1&result=99999&camera=" + ",".join(["1e5"] * 6),
    ],
)
def test_a_bad_link_opens_what_it_can(studio, query):
    studio.watch.allow(r"404")
    studio.open(query)
    studio.until("reenactStudio.jointPlace(0) !== null")
    studio.press("Space")
    studio.until("reenactStudio.playing() || reenactStudio.frame() >= 0")
