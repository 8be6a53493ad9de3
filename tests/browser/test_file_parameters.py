"""Parameters that name files: chosen from the person's machine, or a clip of the library in its place; files that are written are saved."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")


def choose_operation(studio, name: str):
    """The form of an operation, all of it unfolded."""
    panel = studio.tab("Operations")
    panel.get_by_role("combobox", name="Operation").select_option(name)
    panel.locator(".more-fields").evaluate("(fold) => { fold.open = true }")
    return panel


def choose_file(studio, panel, label: str, file) -> None:
    """Choose a file of this machine for a parameter."""
    with studio.page.expect_file_chooser() as chooser:
        panel.get_by_role("button", name=f"Choose a file: {label}").click()
    chooser.value.set_files(str(file))
    expect(panel.get_by_role("combobox", name=label, exact=True).locator("option:checked")).to_have_text(file.name)


def test_a_file_is_chosen_refused_and_taken(studio, tmp_path):
    studio.watch.allow_gone()
    (tmp_path / "bent.csv").write_text("this is no curve\n")
    (tmp_path / "curve.csv").write_text("0,0\n0,2\n1,4\n2,6\n")
    studio.choose("walk_normal")
    panel = choose_operation(studio, "path")
    button, missing = panel.get_by_role("button", name="Run", exact=True), panel.locator(".missing")
    expect(missing).to_contain_text("Give one of along, through, radius and footprints")
    expect(button).to_be_disabled()
    choose_file(studio, panel, "Along", tmp_path / "bent.csv")
    expect(missing).to_be_hidden()
    button.click()
    expect(panel.locator(".outcome.failed")).to_contain_text("bent.csv")
    expect(panel.locator("[data-field=along] .field-error")).to_contain_text("bent.csv")
    choose_file(studio, panel, "Along", tmp_path / "curve.csv")
    expect(panel.locator("[data-field=along] .field-error")).to_be_hidden()
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--along curve.csv")
    button.click()
    expect(panel.locator(".outcome.done")).to_be_visible()
    choose_operation(studio, "cut")
    panel = choose_operation(studio, "path")  # it is still there
    expect(panel.get_by_role("combobox", name="Along").locator("option:checked")).to_have_text("curve.csv")
    studio.page.get_by_role("button", name=re.compile("^Undo: path")).click()
    expect(studio.page.locator(".library .count")).to_have_text("5 clips")


def test_a_way_is_saved_and_put_on_again(studio, tmp_path):
    studio.watch.allow_gone()
    studio.choose("walk_normal")
    panel = choose_operation(studio, "root")
    panel.get_by_role("switch", name="In place").check()
    panel.get_by_role("combobox", name="Trajectory").select_option(".csv")
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text(
        "--trajectory walk_normal-root-trajectory.csv"
    )
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome.done")).to_be_visible()
    with studio.page.expect_download() as got:
        panel.locator(".outcome").get_by_role("link", name="walk_normal-root-trajectory.csv").click()
    saved = tmp_path / "way.csv"
    got.value.save_as(saved)
    assert saved.read_text().startswith("frame,time,x,z,heading,speed\n")
    assert len(saved.read_text().splitlines()) == 421
    panel.get_by_role("combobox", name="Trajectory").select_option("")
    panel.get_by_role("switch", name="In place").uncheck()
    choose_file(studio, panel, "Apply", saved)
    panel.locator(".outcome").get_by_role("button", name="Undo").click()
    expect(studio.row("walk_normal-root")).to_have_count(0)
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome")).to_contain_text(re.compile("walk_normal-root|already"))
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--apply way.csv")
    studio.page.get_by_role("button", name=re.compile("^Undo: root")).click()
    expect(studio.page.locator(".library .count")).to_have_text("5 clips")


def test_a_clip_stands_for_a_motion_file(studio):
    studio.choose("walk_normal")
    panel = choose_operation(studio, "root")
    apply = panel.get_by_role("combobox", name="Apply")
    expect(apply.locator("optgroup[label='On the stage'] option")).to_have_text(["walk_normal"])
    expect(apply.locator("optgroup[label='Library'] option")).to_have_count(4)
    apply.select_option(label="walk_circle_tight_left")
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--apply walk_circle_tight_left.bvh")
    expect(panel.locator(".quiet.help").last).to_contain_text("walk_normal walk_circle_tight_left")
