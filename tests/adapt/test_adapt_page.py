"""The page about an adaptation, and corrections in files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.capsule_body import capsule_body

import reenact
from reenact.adapt.corrections import Corrections, Layer
from reenact.errors import FormatError
from reenact.formats.corrections_json import read_corrections
from reenact.samples import make_sample


def test_files_that_are_no_corrections_are_refused(tmp_path):
    file = tmp_path / "wrong.json"
    for text, match in (("{}", "expected"), ("[1", "damaged"), ('{"format": "reenact corrections 1"}', "damaged")):
        file.write_text(text)
        with pytest.raises(FormatError, match=match):
            read_corrections(file)
    layers = [{"name": "a", "turns": {"Hips": [[0, 0]]}}]
    file.write_text(json.dumps({"format": "reenact corrections 1", "frames": 1, "layers": layers}))
    with pytest.raises(FormatError, match="1 rows of three numbers"):
        read_corrections(file)


def test_corrections_and_page_are_written(tmp_path):
    walk = reenact.cut(make_sample("walk_normal").clip, start=0, end=90).clip
    body = capsule_body()
    made = reenact.adapt(walk, body, girth=1.4, report=tmp_path / "page.html", corrections=tmp_path / "layers.json")
    page = (tmp_path / "page.html").read_text()
    for part in ("Before and after", "Overlaps", "Balance", "Turned joints", "data:image/png"):
        assert part in page
    assert "<script" not in page
    frames, layers = read_corrections(tmp_path / "layers.json")
    again = Corrections(frames, tuple(Layer(one.name, one.turns, one.shift, one.on) for one in layers))
    source = reenact.grow(walk, body, girth=1.4).clip
    back = again.apply(source)
    np.testing.assert_allclose(back.rotations, made.clip.rotations, atol=1e-5)
    np.testing.assert_allclose(back.root, made.clip.root, atol=1e-5)
