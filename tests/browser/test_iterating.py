"""Running again and again: sources stay, results stand beside them, what is missing and what went wrong is said where Run is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")


def choose_operation(studio, name: str):
    """The form of an operation."""
    panel = studio.tab("Operations")
    panel.get_by_role("combobox", name="Operation").select_option(name)
    return panel


def run(panel) -> None:
    """Run, and wait until it is done."""
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome.done")).to_be_visible()


def undo_all(studio, panel, names) -> None:
    """Take results out of the library again."""
    for name in names:
        studio.choose(name)
        studio.tab("Info").get_by_role("button", name="Remove from the library").click()
        expect(studio.row(name)).to_have_count(0)


def test_change_a_value_run_again_compare(studio):
    studio.watch.allow_gone()
    source = studio.choose("run")
    panel = choose_operation(studio, "warp")
    panel.get_by_role("spinbutton", name="Smooth", exact=True).fill("0.1")
    panel.get_by_role("textbox", name="Name of the result").fill("smoother")
    run(panel)
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run", "smoother"])
    for _ in range(2):  # the form is as it was, the source is still what it takes
        expect(panel.locator(".target-row").first).to_contain_text("run")
        expect(panel.get_by_role("combobox", name="Operation")).to_have_value("warp")
        expect(panel.get_by_role("textbox", name="Name of the result")).to_have_value("smoother")
        expect(studio.page.get_by_role("slider", name="Frame")).to_have_attribute("aria-valuemax", "299")
        panel.get_by_role("spinbutton", name="Smooth", exact=True).press("ArrowUp")
        before = panel.locator(".outcome").inner_text()
        panel.get_by_role("button", name="Run", exact=True).click()
        expect(panel.locator(".outcome.done")).not_to_have_text(before)
        expect(panel.locator(".outcome.done")).to_contain_text("smoother-")
    # the source, the last result and the one before it, side by side
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run", "smoother-2", "smoother-3"])
    assert studio.page.locator(".cast .member.result").count() == 2
    expect(studio.page.get_by_role("button", name="Side by side")).to_have_attribute("aria-pressed", "true")
    places = [studio.place(0, int(number)) for number in ids_of(studio, ["run", "smoother-2", "smoother-3"])]
    apart = [abs(places[k + 1]["world"][0] - places[k]["world"][0]) for k in range(2)]
    assert min(apart) > 0.8
    box = studio.page.locator("canvas.view").bounding_box()
    for place in places:  # and all in the picture
        assert box["x"] < place["page"][0] < box["x"] + box["width"]
        assert box["y"] < place["page"][1] < box["y"] + box["height"]
    studio.press("o")  # laid over one another
    studio.drawn()
    over = [studio.place(0, number)["world"][0] for number in ids_of(studio, ["run", "smoother-3"])]
    assert abs(over[0] - over[1]) < 0.2
    studio.press("o")
    studio.page.reload()  # a reload keeps what is a source and what a result
    expect(studio.page.locator(".cast .member.result .member-name")).to_have_text(["smoother-2", "smoother-3"])
    studio.until(f"reenactStudio.jointPlace(0, {source}) !== null")
    undo_all(studio, panel, ["smoother", "smoother-2", "smoother-3"])


def ids_of(studio, names) -> list[int]:
    return [int(studio.row(name).get_attribute("data-id")) for name in names]


def test_what_is_shown_after_a_run_is_the_results(studio):
    studio.watch.allow_gone()
    studio.choose("run")
    studio.choose("jump_forward", "Control")
    first = studio.page.locator(".cast .member-name", has_text="run")
    first.click()  # of the two the first leads: it is what is cut
    panel = choose_operation(studio, "resample")
    panel.get_by_role("spinbutton", name="Fps").fill("20")
    panel.get_by_role("textbox", name="Name of the result").fill("run, twenty frames a second")
    studio.page.get_by_role("spinbutton", name="First frame of the range").fill("60")
    studio.press("Enter")
    run(panel)
    leading = studio.page.locator(".cast .member.leading.result .member-name")
    expect(leading).to_have_text("run, twenty frames a second")
    frames = studio.page.get_by_role("slider", name="Frame")
    expect(frames).to_have_attribute("aria-valuemax", "99")  # its frames, and the range at the same time
    expect(studio.page.get_by_role("spinbutton", name="First frame of the range")).to_have_value("20")
    for tab in ("", "Curves", "Joints"):
        place = studio.tab(tab) if tab else studio.page.locator(".timeline")
        chosen = place.get_by_role("combobox", name="Shown clip").locator("option:checked")
        expect(chosen).to_have_text("run, twenty … a second")
    expect(studio.tab("Info").get_by_role("textbox", name="Name")).to_have_value("run, twenty frames a second")
    panel = studio.tab("Operations")
    expect(panel.locator(".target-row .target-name")).to_have_text(["run"])
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("resample run.bvh")
    studio.page.locator(".timeline").get_by_role("combobox", name="Shown clip").select_option(label="jump_forward")
    expect(panel.locator(".target-row .target-name")).to_have_text(["jump_forward"])
    expect(frames).to_have_attribute("aria-valuemax", "299")
    undo_all(studio, panel, ["run, twenty frames a second"])


def test_a_result_can_be_gone_on_with(studio):
    studio.watch.allow_gone()
    studio.choose("run")
    panel = choose_operation(studio, "cut")
    panel.get_by_role("spinbutton", name="Start").fill("10")
    run(panel)
    panel.get_by_role("button", name="Go on with it").click()
    expect(panel.locator(".target-row").first).to_contain_text("run-cut")
    expect(studio.page.locator(".cast .member.result")).to_have_count(0)
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("run-cut.bvh")
    undo_all(studio, panel, ["run-cut"])


def test_what_is_missing_is_said_before_run(studio):
    panel = choose_operation(studio, "transition")
    missing, button = panel.locator(".missing"), panel.get_by_role("button", name="Run", exact=True)
    expect(missing).to_have_text("Open the clips it should take.")
    expect(button).to_be_disabled()
    studio.choose("run")
    expect(missing).to_have_text(
        "Transition needs 2 clips or more: press the plus of another one in the library, or hold Ctrl and click it."
    )
    expect(button).to_be_disabled()
    studio.choose("walk_normal", "Control")
    expect(missing).to_be_hidden()
    expect(button).to_be_enabled()
    choose_operation(studio, "graft")
    studio.choose("wave_standing", "Control")
    expect(missing).to_have_text("Graft takes 2 clips at most: close 1 of them.")
    panel.get_by_role("button", name="Do not take run").click()
    expect(panel.locator(".target-row .target-name")).to_have_text([
        re.compile(r"1\. walk_normal the motion whose root and legs are kept"),
        re.compile(r"2\. wave_standing the motion whose limbs are taken"),
    ])  # fmt: skip
    panel.get_by_role("button", name="Move wave_standing up").click()
    expect(panel.locator(".target-row .target-name").first).to_contain_text("1. wave_standing")
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("graft wave_standing.bvh walk_normal.bvh")


def test_the_report_is_shown_with_its_frames_on_the_time_line(studio):
    studio.watch.allow_gone()
    studio.choose("walk_normal")
    studio.choose("run", "Control")
    panel = choose_operation(studio, "transition")
    panel.get_by_role("spinbutton", name="At", exact=True).fill("200")
    panel.get_by_role("spinbutton", name="Into", exact=True).fill("100")
    panel.get_by_role("spinbutton", name="Window", exact=True).fill("0.6")
    panel.get_by_role("textbox", name="Name of the result").fill("joined")
    studio.page.get_by_role("spinbutton", name="First frame of the range").fill("30")
    studio.press("Enter")
    studio.page.get_by_role("spinbutton", name="Last frame of the range").fill("90")
    studio.press("Enter")
    run(panel)
    expect(panel.get_by_role("list", name="Doubts")).to_contain_text("slides on its feet")
    expect(studio.page.get_by_role("spinbutton", name="First frame of the range")).to_have_value("30")
    expect(studio.page.get_by_role("spinbutton", name="Last frame of the range")).to_have_value("90")
    studio.page.get_by_role("button", name="Whole clip").click()
    marked = "(reenactStudio.tracks() ?? []).filter((track) => track.kind === 'mark')"
    studio.until(f"{marked}.length === 1")
    (track,) = studio.page.evaluate(marked)
    blend = next(span for span in track["spans"] if span["label"] == "blend")
    assert track["name"] == "made", "the result leads: these are its own rows"
    assert blend["start"] <= 200 <= blend["end"]
    assert 30 <= blend["end"] - blend["start"] <= 42
    panel.get_by_role("button", name=re.compile("^Blend at")).click()
    assert blend["start"] <= studio.frame() < blend["end"], "the button goes there"
    panel.get_by_role("button", name="Report", exact=True).click()
    report = panel.locator(".job").first
    expect(report.get_by_role("row", name=re.compile("^acceleration ratio"))).to_be_visible()
    studio.choose("joined")  # by itself, later: what was done where is kept with it
    studio.until(f"{marked}.length === 1 && {marked}[0].name === 'made'")
    assert studio.page.evaluate(marked)[0]["spans"] == track["spans"]
    undo_all(studio, panel, ["joined"])


def test_a_refusal_offers_its_remedy(studio):
    studio.watch.allow_gone()
    studio.choose("walk_normal")
    studio.choose("run", "Control")
    panel = choose_operation(studio, "space")
    panel.get_by_role("button", name="Run", exact=True).click()
    failed = panel.locator(".outcome.failed")
    expect(failed).to_contain_text("say a value of speed")
    expect(panel.locator("[data-field=value] .field-error")).to_contain_text("say a value of speed")
    remedies = failed.get_by_role("group", name="What helps").get_by_role("button")
    expect(remedies).to_have_count(3)
    text = remedies.nth(1).inner_text()
    value = re.fullmatch(r"Take ([\d.]+) m/s and run", text)
    assert value, text
    remedies.nth(1).click()
    expect(panel.get_by_role("spinbutton", name="Value")).to_have_value(value[1])
    expect(panel.locator(".outcome.done")).to_be_visible()
    panel.locator(".outcome").get_by_role("button", name="Undo").click()
    expect(studio.page.locator(".library .count")).to_have_text("5 clips")
    panel.get_by_role("spinbutton", name="Value").fill("99")
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(remedies).to_have_count(1)
    expect(failed).to_contain_text("speed 99 is out of reach")


def test_a_remedy_among_the_folded_parameters(studio):
    studio.choose("jump_forward")
    studio.choose("wave_standing", "Control")
    panel = choose_operation(studio, "register")
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome.failed")).to_contain_text("do not correspond")
    panel.get_by_role("button", name="Register them all the same and run").click()
    expect(panel.locator("[data-field=gate] select")).to_have_value("warn")
    expect(panel.locator(".outcome.done")).to_be_visible()


def test_run_is_always_in_view(open_page, server):
    studio = open_page(server.url, viewport={"width": 1120, "height": 600})
    studio.choose("run")
    studio.choose("walk_normal", "Control")
    for name in ("blend", "cut", "check", "transition"):
        panel = choose_operation(studio, name)
        button = panel.get_by_role("button", name="Run", exact=True)
        for _ in range(2):
            box, frame = button.bounding_box(), panel.bounding_box()
            assert box["y"] + box["height"] <= frame["y"] + frame["height"]
            assert box["y"] >= frame["y"]
            panel.locator(".more-fields").evaluate("(fold) => { fold.open = true }")
            panel.locator(".operation-body").evaluate("(body) => body.scrollTo(0, 1e6)")


def test_essentials_come_first_and_the_rest_is_folded(studio):
    studio.choose("walk_normal")
    studio.choose("run", "Control")
    panel = choose_operation(studio, "transition")
    expect(panel.locator(".field:visible label")).to_have_text(
        ["Operation", "At", "Into", "Window", "Method", "Name of the result"]
    )
    fold = panel.locator(".more-fields")
    expect(fold.locator("summary")).to_have_text("More (12)")
    fold.locator("summary").click()
    near = panel.get_by_role("spinbutton", name="Near")
    near.fill("-1")
    expect(panel.locator(".missing")).to_contain_text("Near: This must be")
    near.fill("0.1")
    expect(fold.locator("summary")).to_have_text("More (12, 1 changed)")


def test_the_range_of_the_time_line_is_the_range_of_cut(studio):
    studio.choose("run")
    panel = choose_operation(studio, "cut")
    start, end = (panel.get_by_role("spinbutton", name=name, exact=True) for name in ("Start", "End"))
    studio.page.locator("canvas.view").focus()
    studio.press(*["Shift+ArrowRight"] * 3, "[", *["Shift+ArrowRight"] * 8, "]")
    expect(start).to_have_value("30")
    expect(end).to_have_value("111")  # the frame after the last one
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--start 30 --end 111")
    start.fill("40")  # typed by hand it stays
    expect(end).to_have_value("111")
    expect(start).to_have_value("40")
    studio.page.get_by_role("button", name="Whole clip").click()
    expect(start).to_have_value("0")
    expect(end).to_have_value("")
    studio.page.get_by_role("spinbutton", name="First frame of the range").fill("12")
    studio.page.get_by_role("spinbutton", name="First frame of the range").press("Enter")
    expect(start).to_have_value("12")


def test_at_and_into_are_set_from_the_play_head(studio, server):
    studio.watch.allow_gone()
    studio.choose("walk_normal")
    panel = choose_operation(studio, "resample")
    panel.get_by_role("spinbutton", name="Fps").fill("30")
    panel.get_by_role("textbox", name="Name of the result").fill("at half the rate")
    run(panel)
    studio.choose("run")
    studio.choose("at half the rate", "Control")  # this one leads, and counts at 30 Hz
    choose_operation(studio, "transition")
    studio.page.get_by_role("spinbutton", name="Frame", exact=True).fill("50")
    studio.page.get_by_role("spinbutton", name="Frame", exact=True).press("Enter")
    panel.get_by_role("button", name="Take the frame of the play head: At").click()
    panel.get_by_role("button", name="Take the frame of the play head: Into").click()
    expect(panel.get_by_role("spinbutton", name="At", exact=True)).to_have_value("100")
    expect(panel.get_by_role("spinbutton", name="Into", exact=True)).to_have_value("50")
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--at 100 --into 50")
    undo_all(studio, panel, ["at half the rate"])


def test_a_video_is_shown_and_plays(studio):
    studio.choose("walk_normal")
    panel = choose_operation(studio, "video")
    panel.get_by_role("spinbutton", name="Width").fill("160")
    panel.get_by_role("spinbutton", name="Height").fill("120")
    panel.get_by_role("spinbutton", name="Speed").fill("4")
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome.done")).to_be_visible()
    expect(panel.locator(".outcome progress")).to_have_count(0)
    film = panel.get_by_label("What video drew")
    expect(film).to_be_in_viewport()
    studio.until("document.querySelector('video').videoWidth === 160", "the browser can read it")
    assert film.evaluate("(film) => film.play().then(() => true)")
    assert studio.page.get_by_role("link", name="Save it").get_attribute("download") == "video.mp4"
    follow = panel.locator("[data-field=follow] select")
    panel.locator(".more-fields summary").click()
    expect(follow).to_have_value("")  # not to say is an answer, too
    expect(panel.get_by_label("Command line", exact=True)).not_to_contain_text("follow")
    follow.select_option("false")
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--no-follow")
