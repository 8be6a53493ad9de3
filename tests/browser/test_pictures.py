"""The pictures of docs/studio.md. They are taken on every run and written only when `REENACT_WRITE_PICTURES=1` asks for it."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from reenact.library import Library
from reenact.samples import make_sample

pytestmark = pytest.mark.xdist_group("browser")

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
SIZE = {"width": 1280, "height": 760}


@pytest.fixture
def take(request):
    """Takes a picture of a whole page, looks whether there is anything on it, and keeps it when asked."""

    def taken(studio, name: str) -> None:
        studio.page.mouse.move(2, 2)
        studio.drawn()
        image = Image.open(io.BytesIO(studio.page.screenshot(animations="disabled"))).convert("RGB")
        assert image.size == (SIZE["width"], SIZE["height"])
        assert np.asarray(image).std() > 5
        if os.environ.get("REENACT_WRITE_PICTURES") == "1":
            IMAGES.mkdir(exist_ok=True)
            image.quantize(256, dither=Image.Dither.NONE).save(IMAGES / f"studio-{name}.png", optimize=True)

    return taken


def thumbnails(studio) -> None:
    """Wait for the small pictures in the list."""
    studio.until("[...document.querySelectorAll('.row img')].every((i) => i.complete && i.naturalWidth > 0)")


def seek(studio, frame: int) -> None:
    """Show a frame."""
    field = studio.page.get_by_role("spinbutton", name="Frame", exact=True)
    field.fill(str(frame))
    field.press("Enter")
    field.blur()


def test_light_with_joints(open_page, server, take):
    studio = open_page(server.url, viewport=SIZE, color_scheme="light")
    studio.choose("walk_normal")
    seek(studio, 152)
    joint = make_sample("walk_normal").clip.skeleton.names.index("LeftFoot")
    studio.page.locator(f"#joint-{joint}").click()
    thumbnails(studio)
    take(studio, "light")


def test_dark_with_curves_and_traces(open_page, server, take):
    studio = open_page(server.url, viewport=SIZE, color_scheme="dark")
    studio.choose("run")
    seek(studio, 110)
    studio.page.locator("#joint-15").click()
    studio.tab("Curves")
    studio.page.get_by_role("button", name="Trace", exact=True).click()
    studio.page.get_by_role("button", name="Paths", exact=True).click()
    studio.page.locator("canvas.view").focus()
    studio.press(*["ArrowDown"] * 7)
    thumbnails(studio)
    take(studio, "curves")


def test_two_clips_side_by_side(open_page, server, take):
    studio = open_page(server.url, viewport=SIZE, color_scheme="light")
    studio.choose("walk_normal")
    studio.choose("run", "Control")
    studio.page.get_by_role("button", name="Side by side").click()
    studio.page.get_by_role("button", name="Lock root").click()
    seek(studio, 60)
    studio.page.get_by_role("button", name="Camera back to the body").click()
    studio.page.locator("canvas.view").focus()
    studio.press("ArrowDown")
    studio.tab("Info")
    thumbnails(studio)
    take(studio, "compare")


def test_an_operation_with_its_command_line(open_page, server, take):
    studio = open_page(server.url, viewport={**SIZE, "height": 760}, color_scheme="light")
    studio.choose("jump_forward")
    seek(studio, 118)
    panel = studio.tab("Operations")
    panel.get_by_role("combobox", name="Operation").select_option("cut")
    studio.page.get_by_role("spinbutton", name="First frame of the range").fill("70")
    studio.press("Enter")
    studio.page.get_by_role("spinbutton", name="Last frame of the range").fill("189")
    studio.press("Enter")
    expect(panel.get_by_label("Command line", exact=True)).to_contain_text("--start 70 --end 190")
    studio.watch.allow_gone()
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(panel.locator(".outcome.done")).to_be_visible()
    expect(studio.page.locator(".cast .member.result")).to_be_visible()
    studio.page.locator("canvas.view").focus()
    thumbnails(studio)
    take(studio, "operations")
    panel.locator(".outcome").get_by_role("button", name="Undo").click()
    expect(studio.row("jump_forward-cut")).to_have_count(0)


def test_an_empty_library(open_page, start_server, tmp_path, take):
    Library.create(tmp_path / "new").close()
    studio = open_page(start_server(tmp_path / "new").url, viewport=SIZE, color_scheme="light")
    expect(studio.page.get_by_text("The library is empty")).to_be_visible()
    expect(studio.page.get_by_text(re.compile(r"\.bvh"))).to_be_visible()
    take(studio, "empty")
