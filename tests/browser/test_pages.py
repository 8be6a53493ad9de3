"""Opening, searching, tags, state over a reload, two tabs, nothing there, and a server that goes away."""

from __future__ import annotations

import re
import shutil

import pytest
from playwright.sync_api import expect

from reenact.core.cutting import CutParameters, cut
from reenact.library import Library

pytestmark = pytest.mark.xdist_group("browser")


def names(studio) -> list[str]:
    return studio.page.locator(".row-name").all_inner_texts()


def test_the_page_opens_with_every_clip(studio):
    expect(studio.page).to_have_title("performances · reenact studio")
    expect(studio.page.get_by_text("Choose a clip")).to_be_visible()
    assert sorted(names(studio)) == sorted(
        ["walk_normal", "run", "walk_circle_tight_left", "jump_forward", "wave_standing"]
    )
    studio.until(
        "[...document.querySelectorAll('.row img')].every((i) => i.complete && i.naturalWidth > 0)", "thumbnails"
    )
    assert not studio.page.locator("img.broken").count()


def test_a_file_opens_by_the_command_alone(sample_folder, tmp_path, open_page, start_server):
    path = tmp_path / "stroll.bvh"
    with Library(sample_folder, read_only=True) as library:
        import reenact

        reenact.save(library.clip("walk_normal"), path)
    studio = open_page(start_server(path).url)
    expect(studio.page.locator(".library-title")).to_have_text("stroll.bvh (not kept)")
    assert names(studio) == ["stroll"]
    expect(studio.page.locator(".cast .member-name")).to_have_text(["stroll"])
    studio.until("reenactStudio.jointPlace(0) !== null", "it is shown without a click")
    studio.press("Space")
    studio.until("reenactStudio.frame() > 3")


def test_search(studio):
    field = studio.page.get_by_role("searchbox", name="Search the library")
    studio.press("/")
    expect(field).to_be_focused()
    field.fill("walk")
    expect(studio.page.locator(".library .count")).to_have_text("2 clips")
    assert sorted(names(studio)) == ["walk_circle_tight_left", "walk_normal"]
    field.fill("no such motion")
    expect(studio.page.get_by_text("Nothing found")).to_be_visible()
    studio.page.get_by_role("button", name="Show all clips").click()
    expect(studio.page.locator(".library .count")).to_have_text("5 clips")
    field.fill('"')
    expect(studio.page.locator(".library .count")).to_have_text(re.compile(r"^\d+ clips?$"))


def test_tags(studio):
    tags = studio.page.get_by_role("group", name="Tags")
    straight, walk = (tags.get_by_role("button", name=re.compile(f"^{name}")) for name in ("straight", "walk"))
    straight.click()
    expect(studio.page.locator(".library .count")).to_have_text("2 clips")
    assert sorted(names(studio)) == ["run", "walk_normal"]
    expect(straight).to_have_attribute("aria-pressed", "true")
    straight.click()  # from here on nothing is waited for: every click counts, whatever is drawn meanwhile
    straight.click()
    walk.click()
    expect(studio.page.locator(".library .count")).to_have_text("1 clip")
    straight.click()
    walk.click()
    expect(studio.page.locator(".library .count")).to_have_text("5 clips")
    expect(straight).to_have_attribute("aria-pressed", "false")


def test_a_click_is_not_lost_while_the_list_is_drawn_anew(studio, server):
    """The button goes down, the list is drawn anew with other tags in another order, the button goes up: that is a click."""
    tags = studio.page.get_by_role("group", name="Tags")
    chip = tags.get_by_role("button", name=re.compile("^straight"))
    with Library(server.folder) as library:
        added = [entry.id for entry in library.entries() if "straight" not in entry.tags]
        chip.hover()
        studio.page.mouse.down()
        for number in added:
            library.tag(number, "straight", "drawn-anew")
    try:
        expect(chip.locator(".chip-count")).to_have_text("5")
        studio.page.mouse.up()
        expect(chip).to_have_attribute("aria-pressed", "true")
        expect(studio.page.get_by_role("searchbox")).to_have_value("tag:straight")
        expect(tags.get_by_role("button", name=re.compile("^drawn-anew"))).to_be_visible()
        row = studio.row("run")
        row.hover()
        studio.page.mouse.down()
        with Library(server.folder) as library:
            library.tag("walk_normal", "drawn-anew")
        expect(tags.get_by_role("button", name=re.compile("^drawn-anew")).locator(".chip-count")).to_have_text("4")
        studio.page.mouse.up()
        studio.until("reenactStudio.jointPlace(0) !== null", "the clip is shown")
        assert studio.open_names() == ["run"]
    finally:
        with Library(server.folder) as library:
            for number in added:
                library.untag(number, "straight")
            for entry in library.entries():
                library.untag(entry, "drawn-anew")


def test_a_reload_keeps_everything(studio):
    page = studio.page
    studio.choose("walk_normal")
    studio.choose("run", "Control")
    page.locator("canvas.view").focus()
    studio.press(*["Shift+ArrowRight"] * 4)
    page.get_by_role("button", name="Side pane").click()
    page.get_by_role("button", name=re.compile("^Colours")).click()
    page.get_by_role("button", name=re.compile("^Colours")).click()
    page.get_by_role("radio", name="Skeleton").click()
    page.get_by_role("combobox", name="Speed").select_option("0.5")
    page.get_by_role("searchbox").fill("type:walk or type:run")
    page.wait_for_timeout(600)
    kept = (studio.frame(), studio.open_names(), studio.place(0)["page"])
    assert kept[0] == 40
    page.reload()
    studio.until("window.reenactStudio && reenactStudio.jointPlace(0) !== null && reenactStudio.frame() === 40")
    studio.drawn()
    assert studio.open_names() == kept[1] == ["walk_normal", "run"]
    assert studio.place(0)["page"] == pytest.approx(kept[2], abs=2), "the camera stands where it stood"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    expect(page.locator("section.side")).to_be_hidden()
    expect(page.get_by_role("radio", name="Skeleton")).to_have_attribute("aria-checked", "true")
    expect(page.get_by_role("combobox", name="Speed")).to_have_value("0.5")
    expect(page.get_by_role("searchbox")).to_have_value("type:walk or type:run")


def test_panes_can_be_resized_by_mouse_and_keys(studio):
    pane = studio.page.locator(".library")
    handle = studio.page.get_by_role("separator", name="Width of the library")
    wide = pane.bounding_box()["width"]
    box = handle.bounding_box()
    studio.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    studio.page.mouse.down()
    studio.page.mouse.move(box["x"] + 60, box["y"] + 100, steps=3)
    studio.page.mouse.up()
    assert pane.bounding_box()["width"] == pytest.approx(wide + 58, abs=6)
    handle.focus()
    studio.press("ArrowLeft")
    assert pane.bounding_box()["width"] < wide + 58


def test_two_tabs_see_each_other(studio, open_page, server):
    studio.choose("wave_standing")
    other = open_page(server.url, beside=studio)
    other.choose("wave_standing")
    field = studio.tab("Info").get_by_role("textbox", name="Name")
    for name in ("greeting", "wave_standing"):  # and back
        field.fill(name)
        field.press("Enter")
        expect(other.row(name)).to_be_visible()
        expect(other.page.locator(".cast .member-name")).to_have_text([name])
    tags = studio.page.get_by_role("textbox", name="Tags")
    before = tags.input_value()
    tags.fill(before + ", hello")
    tags.press("Enter")
    expect(other.page.get_by_role("button", name=re.compile("^hello"))).to_be_visible()
    tags = studio.page.get_by_role("textbox", name="Tags")
    tags.fill(before)
    tags.press("Enter")
    expect(other.page.get_by_role("button", name=re.compile("^hello"))).to_be_hidden()


def test_another_program_changes_the_library(studio, server):
    studio.watch.allow(r"404|409")  # a clip is taken away while it is shown
    with Library(server.folder) as library:
        number = library.add(cut(library.clip("run"), CutParameters(0, 50)), name="sprint").id
    try:
        expect(studio.row("sprint")).to_be_visible()
        studio.choose("sprint")
    finally:
        with Library(server.folder) as library:
            library.remove(number)
    expect(studio.page.get_by_text("sprint was removed from the library.")).to_be_visible()
    assert studio.open_names() == []


def test_an_empty_library(tmp_path, open_page, start_server):
    Library.create(tmp_path / "nothing").close()
    studio = open_page(start_server(tmp_path / "nothing").url)
    expect(studio.page.get_by_text("The library is empty")).to_be_visible()
    expect(studio.page.get_by_text(re.compile(r"\.bvh"))).to_be_visible()
    expect(studio.page.locator(".library .count")).to_have_text("0 clips")
    studio.press("Space", "ArrowRight", "End", "4", "5", "l", "c")  # nothing to act upon, nothing goes wrong
    for tab in ("Joints", "Curves", "Operations", "Info"):
        expect(studio.tab(tab)).to_contain_text(re.compile("open a clip", re.IGNORECASE))


def test_a_library_that_cannot_be_written(sample_folder, open_page, start_server):
    studio = open_page(start_server(sample_folder, 0, "--read-only").url)
    studio.choose("run")
    info = studio.tab("Info")
    expect(info.get_by_role("button", name="Remove from the library")).to_be_disabled()
    expect(info.get_by_role("textbox", name="Name")).not_to_be_editable()
    studio.tab("Operations")
    studio.page.get_by_role("combobox", name="Operation").select_option("cut")
    expect(studio.page.get_by_role("button", name="Run", exact=True)).to_be_disabled()


def test_the_server_goes_away_and_comes_back(sample_folder, tmp_path, open_page, start_server):
    folder = tmp_path / "performances"
    shutil.copytree(sample_folder, folder)
    token = ("--token", "the-same-as-before")  # a page goes on with the cookie it has
    served = start_server(folder, 0, *token)
    studio = open_page(served.url)
    studio.choose("run")
    studio.watch.allow(r"ERR_CONNECTION|WebSocket connection|503.*/(thumbnail|character)")
    served.stop()
    expect(studio.page.get_by_text("No connection, trying again")).to_be_visible()
    studio.press("Space")
    studio.until("reenactStudio.frame() > 3", "what is open still plays")
    studio.press("Space")
    studio.page.get_by_role("searchbox").fill("walk")
    expect(studio.page.locator(".pane-message", has_text="No connection")).to_be_visible()
    start_server(folder, served.port, *token)
    expect(studio.page.get_by_text("No connection, trying again")).to_be_hidden()
    expect(studio.page.locator(".library .count")).to_have_text("2 clips")
    expect(studio.row("walk_normal")).to_be_visible()
    studio.choose("walk_normal")


def test_an_address_of_clips_that_are_gone(studio):
    studio.watch.allow(r"404")
    studio.open("?clip=99999")
    expect(studio.page.get_by_text("could not be opened")).to_be_visible()
    expect(studio.page.get_by_role("button", name="Try again").first).to_be_visible()
