"""Operations from their forms: parameters, the command line, running, undoing."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from reenact.core.parameter_forms import describe_parameters
from reenact.library import Library
from reenact.operations.registry import OPERATIONS

pytestmark = pytest.mark.xdist_group("browser")


def choose_operation(studio, name: str):
    """The form of an operation."""
    panel = studio.tab("Operations")
    panel.get_by_role("combobox", name="Operation").select_option(name)
    return panel


def test_cut_runs_opens_its_result_and_is_undone(studio, server):
    studio.watch.allow_gone()  # of a clip that is taken away while its picture is drawn
    source = studio.choose("run")
    panel = choose_operation(studio, "cut")
    panel.get_by_role("spinbutton", name="Start").fill("20")
    panel.get_by_role("spinbutton", name="End").fill("120")
    panel.get_by_role("textbox", name="Name of the result").fill("run, cut here")
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome.done")).to_contain_text("run, cut here")
    expect(studio.page.locator(".jobs .state").first).to_have_text("done")
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run", "run, cut here"])
    expect(studio.page.locator(".cast .member.result .member-name")).to_have_text(["run, cut here"])
    expect(studio.row("run, cut here")).to_be_visible()
    with Library(server.folder, read_only=True) as library:
        assert library.clip("run, cut here").frames == 100
    panel.locator(".run-bar").get_by_role("button", name="Undo").click()
    expect(studio.row("run, cut here")).to_have_count(0)
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run"])
    studio.until(f"reenactStudio.jointPlace(0, {source}) !== null")
    with Library(server.folder, read_only=True) as library:
        assert "run, cut here" not in {entry.name for entry in library.entries()}


def test_the_same_motion_twice_offers_no_undo(studio, server):
    studio.choose("jump_forward")
    panel = choose_operation(studio, "cut")
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome")).to_contain_text("The library had this very motion already")
    expect(panel.get_by_role("button", name="Undo")).to_have_count(0)
    assert studio.open_names() == ["jump_forward"]


def test_the_command_line_is_the_servers_and_works(studio, server, tmp_path):
    number = studio.choose("run")
    panel = choose_operation(studio, "cut")
    panel.get_by_role("spinbutton", name="Start").fill("7")
    shown = panel.get_by_label("Command line", exact=True)
    expect(shown).to_contain_text("--start 7")
    said = studio.page.evaluate(
        """(clip) => fetch("./api/operations/cut/command", {method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({clips: [clip], parameters: {start: 7}})}).then((answer) => answer.json())""",
        number,
    )
    assert shown.inner_text() == said["command"]
    words = shlex.split(said["command"])
    assert words[:2] == ["reenact", "cut"]
    assert words[words.index("--start") + 1] == "7"
    # the words are those of the command line: a run of it on an exported file gives what the studio would give
    with Library(server.folder, read_only=True) as library:
        import reenact

        reenact.save(library.clip("run"), tmp_path / "in.bvh")
    options = words[words.index("--start") : words.index("--start") + 2]
    run = [sys.executable, "-c", "from reenact.cli.main import run; run()", "cut", str(tmp_path / "in.bvh"), *options]
    done = subprocess.run([*run, "-o", str(tmp_path / "out.bvh"), "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["frames"] == 293


def test_the_command_line_can_be_copied(studio):
    studio.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    studio.choose("run")
    panel = choose_operation(studio, "cut")
    panel.get_by_role("spinbutton", name="Start").fill("3")
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--start 3")
    panel.get_by_role("button", name="Copy the command line").click()
    expect(studio.page.get_by_text("The command line was copied.")).to_be_visible()
    assert (
        studio.page.evaluate("navigator.clipboard.readText()")
        == panel.get_by_label("Command line", exact=True).inner_text()
    )


def test_a_bad_parameter_is_told_at_its_field(studio):
    studio.watch.allow(r"422.*/command")  # the server is asked, and refuses
    studio.choose("run")
    panel = choose_operation(studio, "resample")
    expect(panel.locator(".missing")).to_have_text("Give either fps or frames.")
    expect(panel.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    rate = panel.get_by_role("spinbutton", name="Fps")
    rate.fill("-3")
    expect(rate).to_have_attribute("aria-invalid", "true")
    field = panel.locator(".form-fields .field").filter(has_text="Fps")
    expect(field.locator(".field-error")).to_have_text("This must be above 0 and at most 100000 Hz.")
    expect(panel.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    rate.fill("30")
    expect(rate).to_have_attribute("aria-invalid", "false")
    expect(panel.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    panel.get_by_role("spinbutton", name="Frames").fill("50")  # each is fine, but not both
    expect(panel.locator(".field-error:visible, .missing:visible")).to_have_text(["give either fps or frames"] * 2)
    expect(panel.get_by_role("button", name="Run", exact=True)).to_be_disabled()


def test_an_operation_that_fails_says_why(studio):
    studio.choose("run")
    panel = choose_operation(studio, "cut")
    panel.get_by_role("spinbutton", name="Start").fill("100000")  # only the work itself finds out
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome.failed")).to_contain_text("300")
    expect(studio.page.locator(".job.failed").first).to_contain_text("300")
    assert studio.open_names() == ["run"]
    expect(studio.page.locator(".library .count")).to_have_text("5 clips")


def test_every_operation_has_a_form_with_help_and_units(studio):
    studio.choose("run")
    panel = studio.tab("Operations")
    choice = panel.get_by_role("combobox", name="Operation")
    assert choice.locator("option").count() == len(OPERATIONS)
    for operation in OPERATIONS:
        choice.select_option(operation.name)
        expect(panel.locator(".help").first).to_have_text(operation.help)
        fields = panel.locator(".form-fields .field")
        assert fields.count() == len(describe_parameters(operation.parameter_class()))
        for k in range(fields.count()):
            field = fields.nth(k)
            assert field.locator("label").text_content().strip()
            assert field.locator(".field-help").text_content().strip(), f"{operation.name}: a parameter without help"
    choice.select_option("resample")
    expect(panel.locator(".unit").first).to_have_text("Hz")


def test_an_operation_on_several_clips(studio, server):
    studio.watch.allow_gone()
    studio.choose("run")
    studio.choose("walk_normal", "Control")
    panel = choose_operation(studio, "join")
    expect(panel.locator(".target")).to_contain_text("Takes 2 open clips")
    expect(panel.locator(".target-row .target-name")).to_have_text(["1. run", "2. walk_normal"])
    panel.get_by_role("textbox", name="Name of the result").fill("both")
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(studio.row("both")).to_be_visible()
    expect(studio.page.get_by_role("slider", name="Frame")).to_have_attribute("aria-valuemax", str(300 + 420 - 1))
    panel.locator(".run-bar").get_by_role("button", name="Undo").click()
    expect(studio.row("both")).to_have_count(0)
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run", "walk_normal"])


def test_a_table_is_shown(studio, server):
    studio.choose("walk_normal")
    panel = choose_operation(studio, "classify")
    expect(panel.get_by_role("textbox", name="Name of the result")).to_be_hidden()
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("reenact classify")
    panel.get_by_role("button", name="Run", exact=True).click()
    job = studio.page.locator(".jobs .job").first
    expect(job.get_by_role("row", name="type walk", exact=True)).to_be_visible()
    expect(job.get_by_role("table").filter(has_text="segments").get_by_role("columnheader")).to_have_text(
        ["type", "start", "end"]
    )
    assert studio.open_names() == ["walk_normal"]
    job.get_by_text("Result", exact=True).click()
    expect(job.get_by_role("table").first).to_be_hidden()


def test_a_picture_and_a_page_are_shown(studio, server):
    studio.choose("walk_normal")
    panel = choose_operation(studio, "render")
    panel.get_by_role("spinbutton", name="Count").fill("4")
    panel.get_by_role("button", name="Run", exact=True).click()
    picture = studio.page.get_by_alt_text("What render drew")
    expect(picture).to_be_visible()
    studio.until("document.querySelector('.result-picture').naturalWidth > 100", "the picture has arrived")
    choose_operation(studio, "check")
    panel.get_by_role("button", name="Run", exact=True).click()
    with studio.page.context.expect_page() as opened:
        studio.page.get_by_role("link", name="Open it as a page").click()
    page = opened.value
    expect(page.locator("h1")).to_contain_text("walk_normal")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontFamily") != "", "styled by itself"
    page.close()


def test_several_clips_are_added_opened_and_undone(studio, server):
    studio.watch.allow_gone()
    studio.choose("run")
    panel = choose_operation(studio, "split")
    panel.get_by_role("textbox", name="Part").fill("former 0 150; latter 150 end")
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run", "former", "latter"])
    expect(studio.row("latter")).to_be_visible()
    panel.locator(".run-bar").get_by_role("button", name="Undo").click()
    expect(studio.row("latter")).to_have_count(0)
    expect(studio.row("former")).to_have_count(0)
    expect(studio.page.locator(".cast .member-name")).to_have_text(["run"])
