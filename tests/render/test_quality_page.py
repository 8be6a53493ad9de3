"""The page of a quality report: well formed, safe, and complete for any report."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from reenact.analysis.quality import check_clip
from reenact.render.quality_page import quality_page, save_quality_page
from reenact.samples import make_sample

VOID = {"meta", "img", "br"}


class Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_balance(page: str) -> None:
    parser = Balance()
    parser.feed(page)
    assert parser.open == []


def test_names_are_escaped(tmp_path: Path) -> None:
    clip = make_sample("walk_slow").clip
    page = quality_page([("<script>alert(1)</script>.bvh", check_clip(clip))], "A & B")
    assert "<script" not in page
    assert "A &amp; B" in page
    check_balance(page)
    save_quality_page([("a", check_clip(clip))], tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")


def test_any_report() -> None:
    clip = make_sample("walk_slow").clip
    root = clip.root.copy()
    root[30] = np.nan
    short = replace(clip, rotations=clip.rotations[:1], root=clip.root[:1])
    bare = clip.with_skeleton(clip.skeleton.with_roles({}))
    reports = [(str(n), check_clip(c)) for n, c in enumerate((clip, replace(clip, root=root), short, bare))]
    page = quality_page(reports)
    check_balance(page)
    assert page.count("<details") == 4
    assert "broken" in page
    check_balance(quality_page(reports * 3))
    check_balance(quality_page([]))


def test_tiles_stand_out_only_with_a_finding() -> None:
    report = check_clip(make_sample("walk_normal").clip)
    over = replace(
        report, measures={**report.measures, "overlap_mm_max": 99.0}, bounds={**report.bounds, "overlap_mm_max": 50.0}
    )
    assert '<div class="tile warning">' not in quality_page([("walk", over)])
    clip = make_sample("walk_normal").clip
    root = clip.root.copy()
    root[100] += np.float32([0.1, 0.05, 0])
    assert '<div class="tile warning"><span>pops' in quality_page([("walk", check_clip(replace(clip, root=root)))])
