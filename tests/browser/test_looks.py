"""Characters in the studio: textures, materials and vertex colours are seen on the stage."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import reenact
from reenact.library import Library
from reenact.library.characters import keep_character

pytestmark = pytest.mark.xdist_group("browser")


def colours_of(picture: bytes) -> np.ndarray:
    """(N, 3) the saturated pixels of a picture, 0..1."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), float).reshape(-1, 3) / 255
    return pixels[np.ptp(pixels, axis=1) > 0.35]


def share(picture: bytes, high: int, low: int) -> float:
    """Share of the picture whose channel `high` is far above channel `low`."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), float).reshape(-1, 3) / 255
    return float(np.mean(pixels[:, high] - pixels[:, low] > 0.35))


@pytest.fixture
def folder(sample_folder: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "performances"
    shutil.copytree(sample_folder, folder)
    return folder


def show_mesh(studio) -> bytes:
    studio.until("!document.querySelector('[data-style=mesh]').disabled", "there is a mesh")
    studio.page.get_by_role("radio", name="Mesh").click()
    studio.drawn()
    return studio.picture()


def test_textures_are_seen(folder, start_server, open_page, looks, tmp_path):
    with Library(folder) as library:
        entry = next(one for one in library.entries() if one.name == "walk_normal")
        made = looks.dressed(library.clip(entry).skeleton, size=0.3)
        assert keep_character(library, entry.id, made)
    studio = open_page(start_server(folder).url)
    studio.choose("walk_normal")
    picture = show_mesh(studio)
    (tmp_path / "textured.png").write_bytes(picture)
    # The checkers of the skin (red, blue) and of the leaves (green) are there; a grey mesh has no such pixels.
    assert share(picture, 0, 2) > 0.002
    assert share(picture, 2, 0) > 0.002
    assert share(picture, 1, 0) > 0.0005


@pytest.mark.corpus
def test_a_real_character_is_not_grey(folder, start_server, open_page, corpus, tmp_path):
    with Library(folder) as library:
        loaded = reenact.load_all(corpus / "characters" / "kaykit" / "Knight.glb")
        clip = next(one for one in loaded.clips if one.name == "Walking_A").renamed("knight walks")
        assert keep_character(library, library.add(clip).id, loaded.characters[0])
    studio = open_page(start_server(folder).url)
    studio.choose("knight walks")
    picture = show_mesh(studio)
    (tmp_path / "knight.png").write_bytes(picture)
    assert len(colours_of(picture)) > 500
