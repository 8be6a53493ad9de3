"""Time: play, pause, step, scrub, speed, the range."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")

RATE = 60.0  # of the samples


def seconds_played(studio, frames: int) -> tuple[float, float]:
    """(seconds of motion, seconds of the wall clock) that pass while it plays so many frames or more."""
    read = "() => [reenactStudio.frame(), performance.now()]"
    frame, at = studio.page.evaluate(read)
    studio.until(f"reenactStudio.frame() >= {frame + frames}")
    later, then = studio.page.evaluate(read)
    return (later - frame) / RATE, (then - at) / 1000


def test_play_advances_by_the_wall_clock_and_pauses(studio):
    studio.choose("walk_normal")
    assert studio.frame() == 0
    studio.page.get_by_role("button", name="Play (space)").click()
    studio.until("reenactStudio.frame() > 2")
    moved, passed = seconds_played(studio, 60)
    # never faster than the clock; slower only when a frame of the page took longer than the most it may leap over
    assert 0.1 * passed < moved <= passed + 0.1
    studio.page.get_by_role("button", name="Pause (space)").click()
    held = studio.frame()
    studio.page.wait_for_timeout(300)
    assert studio.frame() == held
    assert not studio.playing()
    expect(studio.page.get_by_role("spinbutton", name="Frame", exact=True)).to_have_value(str(held))


def test_speed_is_a_factor(studio):
    studio.choose("walk_normal")
    studio.page.get_by_role("combobox", name="Speed").select_option("0.25")
    studio.press("Space")
    studio.until("reenactStudio.frame() > 0")
    moved, passed = seconds_played(studio, 15)
    assert 0 < moved <= 0.25 * passed + 0.1
    studio.page.locator("canvas.view").focus()
    studio.press("+")
    expect(studio.page.get_by_role("combobox", name="Speed")).to_have_value("0.5")


def test_steps_by_keys_and_buttons(studio):
    studio.choose("walk_normal")
    steps = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Shift+ArrowRight", 11), ("Shift+ArrowLeft", 1)]
    for key, frame in steps:
        studio.press(key)
        assert studio.frame() == frame
    studio.page.locator("canvas.view").focus()  # in the list, End goes to its end
    studio.press("End")
    assert studio.frame() == 419
    studio.press("ArrowRight")
    assert studio.frame() == 419, "the last frame is the last"
    studio.page.get_by_role("button", name="One frame back").click()
    assert studio.frame() == 418
    studio.page.get_by_role("button", name="First frame").click()
    assert studio.frame() == 0


def test_scrubbing_by_drag_and_keys(studio):
    studio.choose("walk_normal")
    slider = studio.page.get_by_role("slider", name="Frame")
    expect(slider).to_have_attribute("aria-valuemax", "419")
    box = slider.bounding_box()
    mouse = studio.page.mouse
    y = box["y"] + 0.6 * box["height"]
    mouse.move(box["x"] + 0.3 * box["width"], y)
    mouse.down()
    first = studio.frame()
    mouse.move(box["x"] + 0.5 * box["width"], y, steps=4)
    middle = studio.frame()
    mouse.move(box["x"] + 0.8 * box["width"], y, steps=4)
    last = studio.frame()
    mouse.up()
    assert 0 < first < middle < last < 419
    # 92 pixels are for the names of the tracks and 14 are spare, the rest is even
    assert (last - middle) / (middle - first) == pytest.approx(1.5, abs=0.1)
    mouse.move(box["x"] + 0.2 * box["width"], y)
    assert studio.frame() == last, "nothing is dragged any more"
    slider.focus()
    studio.press("PageUp")
    assert studio.frame() == last + 60
    studio.press("ArrowLeft")
    assert studio.frame() == last + 59
    expect(slider).to_have_attribute("aria-valuenow", str(last + 59))


def test_a_typed_frame_is_shown(studio):
    studio.choose("walk_normal")
    field = studio.page.get_by_role("spinbutton", name="Frame", exact=True)
    field.fill("200")
    field.press("Enter")
    assert studio.frame() == 200
    field.fill("99999")
    field.press("Enter")
    assert studio.frame() == 419


def test_the_range_loops(studio):
    studio.choose("walk_normal")
    first = studio.page.get_by_role("spinbutton", name="First frame of the range")
    last = studio.page.get_by_role("spinbutton", name="Last frame of the range")
    first.fill("30")
    first.press("Enter")
    last.fill("50")
    last.press("Enter")
    studio.page.locator("canvas.view").focus()
    studio.press("Space")
    seen = set()
    end = time.monotonic() + 30
    turns, before = 0, -1
    while turns < 2 and time.monotonic() < end:
        now = studio.frame()
        turns += now < before
        before = now
        seen.add(now)
    assert turns == 2, "it starts again at the end of the range"
    assert min(seen - {0}) >= 30
    assert max(seen) <= 50
    studio.page.get_by_role("button", name="Loop").click()
    studio.until("!reenactStudio.playing()", "it stops at the end of the range when it does not loop")
    assert studio.frame() == 50
    studio.page.get_by_role("button", name="Whole clip").click()
    expect(last).to_have_value("419")


def test_the_range_by_keys(studio):
    studio.choose("walk_normal")
    studio.page.locator("canvas.view").focus()
    studio.press("Shift+ArrowRight", "[", "Shift+ArrowRight", "Shift+ArrowRight", "]")
    expect(studio.page.get_by_role("spinbutton", name="First frame of the range")).to_have_value("10")
    expect(studio.page.get_by_role("spinbutton", name="Last frame of the range")).to_have_value("30")
    studio.press("Home")
    assert studio.frame() == 10
    studio.press("\\")
    expect(studio.page.get_by_role("spinbutton", name="Last frame of the range")).to_have_value("419")


def test_space_plays_right_after_a_click_in_the_list(studio):
    studio.choose("walk_normal")
    studio.press("Space")
    studio.until("reenactStudio.playing()")
    assert studio.open_names() == ["walk_normal"]
    studio.press("Space")
    studio.until("!reenactStudio.playing()")
    assert studio.open_names() == ["walk_normal"]


def test_foot_plants_and_labels_are_drawn_on_the_time_line(studio, server):
    studio.choose("walk_normal")
    clip = studio.page.evaluate("() => fetch('./api/clips?query=walk_normal').then((r) => r.json())")["clips"][0]
    tracks = studio.page.evaluate(f"() => fetch('./api/clips/{clip['id']}/tracks').then((r) => r.json())")["tracks"]
    assert {track["kind"] for track in tracks} == {"contact", "label"}
    studio.page.wait_for_load_state("networkidle")
    studio.drawn()
    colours = studio.page.evaluate(
        """() => {
            const canvas = document.querySelector(".track-area canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const found = { left: 0, right: 0 };
            for (let i = 0; i < data.length; i += 4) {
                if (data[i + 3] < 200) continue;
                if (data[i + 2] > data[i] + 120) found.left++;
                if (data[i] > data[i + 2] + 120) found.right++;
            }
            return found;
        }"""
    )
    assert colours["left"] > 500
    assert colours["right"] > 500
