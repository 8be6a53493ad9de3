"""Much of everything: a library of a thousand clips, and ten minutes at 120 Hz."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from reenact.core.clip import Clip
from reenact.core.rotations import normalize
from reenact.library import Library
from reenact.samples import make_sample

pytestmark = pytest.mark.xdist_group("browser")

CLIPS = 1000
LONG = 10 * 60 * 120  # frames


@pytest.fixture(scope="module")
def large_folder(tmp_path_factory):
    """A library of `CLIPS` short clips and one long one."""
    base = make_sample("walk_normal").clip
    chance = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("large") / "archive"
    with Library.create(folder) as library:
        for number in range(CLIPS):
            turns = base.rotations[:30] + chance.normal(0, 0.01, (30, len(base.skeleton), 4))
            clip = Clip(base.skeleton, normalize(turns), base.root[:30], 60.0, f"take {number:04d}")
            library.add(clip, tags=(f"day {number % 7}",), metadata={"type": "walk"})
        there_and_back = np.concatenate([np.arange(base.frames), np.arange(base.frames)[::-1]])
        order = np.resize(there_and_back, LONG)
        library.add(Clip(base.skeleton, base.rotations[order], base.root[order], 120.0, "ten minutes"))
    return folder


def test_a_thousand_clips_and_ten_minutes(large_folder, open_page, start_server, capsys):
    studio = open_page(start_server(large_folder).url)
    page = studio.page
    expect(page.locator(".library .count")).to_have_text(f"{CLIPS + 1} clips")
    rows = page.locator(".library .row")
    assert rows.count() < 40, "only rows in sight exist"
    listing = page.locator(".library .list")
    tall = listing.evaluate("(list) => list.scrollHeight")
    assert tall >= CLIPS * 40
    most = 0
    for share in (0.1, 0.35, 0.5, 0.9, 0.2):
        listing.evaluate("(list, share) => { list.scrollTop = share * list.scrollHeight; }", share)
        studio.drawn()
        studio.until(
            "document.querySelector('.row[data-id]') && !document.querySelector('.library .row.waiting')", "rows"
        )
        most = max(most, rows.count())
        middle = int(share * CLIPS)
        numbers = [int(text.split()[-1]) for text in page.locator(".row-name").all_inner_texts() if "take" in text]
        assert min(numbers) <= middle + 20
        assert max(numbers) >= middle - 20
    assert most < 40
    listing.focus()
    studio.press("End")
    expect(studio.row("take 0999")).to_be_visible()
    page.get_by_role("searchbox").fill("ten minutes")
    expect(page.locator(".library .count")).to_have_text("1 clip")
    studio.choose("ten minutes")
    expect(page.get_by_role("slider", name="Frame")).to_have_attribute("aria-valuemax", str(LONG - 1))
    studio.press("Space")
    studio.until("reenactStudio.frame() > 30")
    page.wait_for_timeout(1500)
    cost = page.evaluate("reenactStudio.frameCost()")
    frame = studio.frame()
    assert frame > 60
    assert cost > 0
    page.locator("canvas.view").focus()
    studio.press("Space", "End")
    assert studio.frame() == LONG - 1
    page.get_by_role("tab", name="Curves").click()
    expect(page.locator(".plot").first).to_be_visible()
    page.get_by_role("button", name="Paths", exact=True).click()
    studio.drawn()
    with capsys.disabled():
        print(f"\n10 minutes at 120 Hz: {cost:.2f} ms of the page's own work per drawn frame (software graphics)")
